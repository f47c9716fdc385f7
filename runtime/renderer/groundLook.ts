// What bare ground looks like by its climate: the colours of grass, soil, scree, rock, sand and snow, and where each lies on a
// relief. What shaders/ground.wgsl reads as GroundLook; sent by groundBinding.ts.
import { checkFields, checkNumber, checkOneOf } from '../errors.js';
import { sliceOf, SQUARE, type SliceName } from './groundRecipes.js';

export const CLIMATES = ['temperate', 'desert', 'canyon', 'polar'] as const;
export type Climate = (typeof CLIMATES)[number];

/** What ground without layers is asked to look like. */
export interface GroundLook {
  /** Which colours and kinds of ground it has; default temperate. */
  climate?: Climate;
  /** Metres (world Y) above which snow lies; left out it goes by the climate and the relief. */
  snowLine?: number;
  /** Metres (world Y) below which sand lies, as on a beach; left out it goes by the climate. */
  sandLine?: number;
}

/** The names of a look's parts. */
export const LOOK_FIELDS = ['climate', 'snowLine', 'sandLine'] as const;

/** Refuses a look that is none, by field; answers a copy. */
export function checkLook(where: string, look: GroundLook): GroundLook {
  checkFields(where, look, LOOK_FIELDS);
  const { climate, snowLine, sandLine } = look;
  if (climate !== undefined) checkOneOf(where, 'climate', climate, CLIMATES);
  if (snowLine !== undefined) checkNumber(where, 'snowLine', snowLine);
  if (sandLine !== undefined) checkNumber(where, 'sandLine', sandLine);
  return { climate, snowLine, sandLine };
}

type Rgb = readonly [number, number, number];
type Span = readonly [number, number];

interface Cover {
  dark: Rgb;
  light: Rgb;
  /** How far spots, regions, hollows and beds move its colour from dark to light. */
  tones: readonly [number, number, number, number];
  near: SliceName;
  afar: SliceName;
  roughness?: number;
  contrast: number;
  relief: number;
  variety: number;
}

const GRASS: Cover = {
  dark: [0.062, 0.098, 0.022],
  light: [0.165, 0.17, 0.045],
  tones: [0.35, 0.55, 0.1, 0],
  near: 'grass',
  afar: 'clumps',
  contrast: 3,
  relief: 1,
  variety: 1,
};
const SOIL: Cover = {
  dark: [0.2, 0.155, 0.07],
  light: [0.37, 0.3, 0.155],
  tones: [0.35, 0.25, 0, 0],
  near: 'soil',
  afar: 'clumps',
  contrast: 4,
  relief: 1,
  variety: 0.8,
};
const SCREE: Cover = {
  dark: [0.2, 0.18, 0.155],
  light: [0.44, 0.415, 0.38],
  tones: [0.3, 0.2, -0.1, 0],
  near: 'scree',
  afar: 'scree',
  contrast: 6,
  relief: 1,
  variety: 0.9,
};
const ROCK: Cover = {
  dark: [0.105, 0.09, 0.076],
  light: [0.32, 0.29, 0.25],
  tones: [0.18, 0.32, -0.06, 0.14],
  near: 'rock',
  afar: 'rock',
  contrast: 6,
  relief: 1.4,
  variety: 1.3,
};
const SAND: Cover = {
  dark: [0.42, 0.31, 0.18],
  light: [0.62, 0.5, 0.32],
  tones: [0.2, 0.25, -0.15, 0],
  near: 'sand',
  afar: 'snow',
  contrast: 1,
  relief: 0.4,
  variety: 1,
};
const SNOW: Cover = {
  dark: [0.78, 0.82, 0.88],
  light: [0.9, 0.91, 0.93],
  tones: [0.3, 0.2, -0.2, 0],
  near: 'snow',
  afar: 'snow',
  roughness: 0.95,
  contrast: 3,
  relief: 1,
  variety: 1,
};

/** Of a line above all heights. */
const ABOVE_ALL: Span = [8, 9];
/** Of one below all. */
const BELOW_ALL: Span = [-9, -8];

interface Palette {
  covers: readonly Cover[];
  /** By the relief, metres: parts of it, or slopes. */
  soil(relief: number): Span;
  scree(relief: number): Span;
  snow(relief: number): Span;
  sand(relief: number): Span;
  rock: Span;
  repose: Span;
}

const PALETTES: Record<Climate, Palette> = {
  temperate: {
    covers: [GRASS, SOIL, SCREE, ROCK, SAND, SNOW],
    soil: () => [0.3, 0.62],
    // Low hills end in pale scree, mountains in snow.
    scree: (relief) => (relief < 600 ? [0.7, 0.9] : [0.5, 0.72]),
    snow: (relief) => (relief < 600 ? ABOVE_ALL : [0.54, 0.68]),
    sand: () => BELOW_ALL,
    rock: [0.5, 0.78],
    repose: [0.75, 1.15],
  },
  desert: {
    covers: [
      { ...GRASS, dark: [0.16, 0.13, 0.06], light: [0.27, 0.22, 0.11] },
      { ...SOIL, dark: [0.34, 0.23, 0.12], light: [0.5, 0.36, 0.2] },
      { ...SCREE, dark: [0.28, 0.2, 0.13], light: [0.5, 0.38, 0.26] },
      { ...ROCK, dark: [0.2, 0.12, 0.07], light: [0.46, 0.3, 0.18] },
      SAND,
      SNOW,
    ],
    soil: () => BELOW_ALL,
    scree: () => ABOVE_ALL,
    snow: () => ABOVE_ALL,
    sand: () => ABOVE_ALL,
    rock: [0.95, 1.2],
    repose: [0.85, 1.1],
  },
  canyon: {
    covers: [
      { ...GRASS, dark: [0.12, 0.11, 0.05], light: [0.24, 0.2, 0.1] },
      { ...SOIL, dark: [0.3, 0.16, 0.08], light: [0.48, 0.28, 0.15] },
      { ...SCREE, dark: [0.24, 0.13, 0.08], light: [0.46, 0.3, 0.2] },
      { ...ROCK, dark: [0.2, 0.075, 0.035], light: [0.56, 0.34, 0.2], tones: [0.2, 0.1, -0.15, 0.62] },
      { ...SAND, dark: [0.44, 0.27, 0.15], light: [0.62, 0.42, 0.26] },
      SNOW,
    ],
    soil: () => [-0.1, 0.12],
    scree: () => ABOVE_ALL,
    snow: () => ABOVE_ALL,
    sand: () => BELOW_ALL,
    rock: [0.34, 0.62],
    repose: [0.5, 0.7],
  },
  polar: {
    covers: [
      { ...GRASS, dark: [0.1, 0.095, 0.05], light: [0.19, 0.16, 0.08] },
      { ...SOIL, dark: [0.13, 0.11, 0.09], light: [0.24, 0.21, 0.17] },
      { ...SCREE, dark: [0.14, 0.135, 0.13], light: [0.34, 0.33, 0.32] },
      { ...ROCK, dark: [0.06, 0.058, 0.058], light: [0.22, 0.21, 0.2] },
      { ...SAND, dark: [0.16, 0.15, 0.14], light: [0.3, 0.28, 0.26] },
      SNOW,
    ],
    soil: () => [-0.2, 0.1],
    scree: () => [0.05, 0.3],
    snow: () => BELOW_ALL,
    sand: () => BELOW_ALL,
    rock: [0.6, 0.9],
    repose: [0.62, 0.95],
  },
};

/** Where between dark and light ground lies that nothing moves, as in ground.wgsl. */
const MIDDLE = 0.47;

/** Times that an octave's squares are wider than those of the one before, and turns (radians) of each. */
const GROWTH = 5.3;
const TURNS = [0.35, 1.93, 0.98, 2.61];
const UPRIGHT = [0.06, -0.11, 0.09, -0.05];

/** Parts of the relief that a line given in metres is blurred over, and metres at least. */
const BLUR = 0.05;
const LEAST_BLUR = 1;

/**
 * The fields of GroundLook (shaders/include/ground_look.wgsl) that the camera does not change.
 * @param relief the declared height range's extent, metres, above 0; `low` its lower end; `side` texels of the textures
 */
export function lookConstants(look: GroundLook, low: number, relief: number, side: number): object {
  return {
    covers: PALETTES[look.climate ?? 'temperate'].covers.map(({ near, afar, roughness = 1, ...cover }) => ({
      ...cover,
      roughness,
      near: sliceOf(near),
      afar: sliceOf(afar),
    })),
    ...linesOf(look, low, relief),
    perMetre: 1 / SQUARE,
    growth: Math.log2(GROWTH),
    side,
  };
}

/** The fields of Hills (shaders/include/water.wgsl): the same ground from afar. Parameters as of lookConstants. */
export function hillsOf(look: GroundLook, low: number, relief: number): object {
  const { covers } = PALETTES[look.climate ?? 'temperate'];
  const [grass, soil, scree, rock, sand, snow] = covers.map(({ dark, light }) =>
    dark.map((part, i) => part + MIDDLE * (light[i] - part)),
  );
  const lines = linesOf(look, low, relief);
  return {
    ...{ grass, soil, scree, rock, sand, snow },
    soilLine: lines.soil,
    screeLine: lines.scree,
    sandLine: lines.sand,
    snowLine: lines.snow,
    rockSlope: lines.rock,
    repose: lines.repose,
  };
}

function linesOf(look: GroundLook, low: number, relief: number): Record<string, Span> {
  const palette = PALETTES[look.climate ?? 'temperate'];
  const line = (metres: number): Span => {
    const blur = Math.max(BLUR, LEAST_BLUR / relief);
    // However far off it is: singles know it.
    const at = Math.min(Math.max((metres - low) / relief, BELOW_ALL[1] - blur), ABOVE_ALL[0] + blur);
    return [at - blur, at + blur];
  };
  return {
    soil: palette.soil(relief),
    scree: palette.scree(relief),
    snow: look.snowLine === undefined ? palette.snow(relief) : line(look.snowLine),
    sand: look.sandLine === undefined ? palette.sand(relief) : line(look.sandLine),
    rock: palette.rock,
    repose: palette.repose,
  };
}

/** The slices of the textures that ground of a look and a relief (metres) may show. */
export function slicesOf(look: GroundLook, relief: number): Set<SliceName> {
  const { covers, ...palette } = PALETTES[look.climate ?? 'temperate'];
  const shown = [
    palette.soil(relief) !== BELOW_ALL,
    ...[true, true, true],
    look.sandLine !== undefined || palette.sand(relief) !== BELOW_ALL,
    look.snowLine !== undefined || palette.snow(relief) !== ABOVE_ALL,
  ];
  return new Set(covers.flatMap(({ near, afar }, i) => (shown[i] ? [near, afar] : [])));
}

export interface Place {
  x: number;
  y: number;
  z: number;
}

/**
 * The octaves as a camera sees them that stands at a place, metres from where the squares begin: where in them that is, is taken in
 * doubles, so that they lie still far from there.
 */
export function octavesAt({ x, y, z }: Place): object[] {
  return TURNS.flatMap((turn, i) => {
    const scale = 1 / (SQUARE * GROWTH ** i);
    const along = (angle: number, u: number, v: number) => {
      const [cos, sin] = [Math.cos(angle) * scale, Math.sin(angle) * scale];
      return { way: [cos, sin], corner: [part(cos * u - sin * v), part(sin * u + cos * v)] };
    };
    // On sides they are turned a little only: ledges stay level.
    return [along(UPRIGHT[i], z, y), along(turn, x, z), along(UPRIGHT[i], x, y)];
  });
}

const part = (place: number): number => place - Math.floor(place);
