// The sky above the eye as shaders read it, for any sun: slices of the sky for a few heights of the sun, kept and blended,
// so that a sun that moves costs a slice now and then. On top of the physical sky lies a faint glow, which is all there
// is of a moonless night. Used by runtime/renderer/daylight.ts; the texture's layout mirrors shaders/include/air.wgsl.
import { hazePhase, rayleighPhase } from './atmosphere.js';
import { Atmosphere, COLUMNS, PARTS, ROWS } from './skySlice.js';

/** Texels of the table: across, by the cosine of the way round from the sun (-1..1), and up, by the root of the direction's sine (0..1). */
export const TABLE_WIDTH = 32;
export const TABLE_HEIGHT = 64;
/** Texels of the horizon's row, by the cosine of the way round, phases and all: what far ground melts into. */
export const HORIZON_WIDTH = 256;
/** Slices stand at sines s·|s|, s in steps of 1 / SPACING: they crowd around the horizon. */
const SPACING = 29;
/** Below the lowest slice (19 degrees under the horizon) the sun lights no air. */
const LOWEST = -17;
/** What is taken as no light when slices are blended: 1e-9 of a sun's. */
const NOTHING = 1e-9;
/** Radiance of the night sky straight up, and how much more there is at the horizon: about a 200th of a clear day's. */
const NIGHT = [0.0009, 0.0015, 0.0034] as const;
const NIGHT_HAZE = 0.8;
/** Skies that are kept. */
const KEPT = 4;

/** The sine of the sun's height that a slice stands at: `index` of 0..29 from the horizon to straight up. */
export const sliceSine = (index: number): number => (index * Math.abs(index)) / (SPACING * SPACING);

/** What a sky is made from, apart from its sun. */
export interface SkyLook {
  /** How hazy it is: 1.8 (mountain air) to 10 (mist). */
  readonly turbidity: number;
  /** What the ground returns, linear, 0..1 each of red, green, blue. */
  readonly albedo: readonly number[];
}

/** A sky's light, for a sun that sends `sunlight` to the air's end. */
export interface SkyTable {
  /** Molecules' part, then haze's: each TABLE_HEIGHT rows from the horizon up × TABLE_WIDTH × (r, g, b). */
  readonly molecules: Float64Array;
  readonly haze: Float64Array;
}

interface Known {
  readonly atmosphere: Atmosphere;
  /** Logarithms of slices, by index. */
  readonly slices: Map<number, Float64Array>;
}

/** Skies by their look, the one used last at the end. */
const known = new Map<string, Known>();

function knownSky({ turbidity, albedo }: SkyLook): Known {
  const key = [turbidity, ...albedo].join();
  const sky = known.get(key) ?? { atmosphere: new Atmosphere(turbidity, albedo), slices: new Map() };
  known.delete(key);
  known.set(key, sky);
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) break;
    known.delete(oldest);
  }
  return sky;
}

/** The atmosphere of a look. */
export const atmosphereOf = (look: SkyLook): Atmosphere => knownSky(look).atmosphere;

function sliceOf({ atmosphere, slices }: Known, index: number): Float64Array {
  let slice = slices.get(index);
  if (!slice) {
    slice = index < LOWEST ? new Float64Array(ROWS * COLUMNS * PARTS) : atmosphere.slice(sliceSine(index));
    for (let i = 0; i < slice.length; i++) slice[i] = Math.log(slice[i] + NOTHING);
    slices.set(index, slice);
  }
  return slice;
}

/** The slices around a sun's height, blended: ROWS × COLUMNS × PARTS. Light falls by factors as the sun sets, so logarithms are blended. */
function blend(sky: Known, sun: number): Float64Array {
  const out = new Float64Array(ROWS * COLUMNS * PARTS);
  const place = Math.max(LOWEST - 1, Math.sign(sun) * Math.sqrt(Math.abs(sun)) * SPACING);
  const index = Math.floor(place + 1e-9);
  const part = place - index;
  const low = sliceOf(sky, index);
  // A sun that stands at a slice needs but one.
  const high = part > 1e-9 ? sliceOf(sky, index + 1) : low;
  for (let i = 0; i < out.length; i++)
    out[i] = Math.max(0, Math.exp(low[i] + (high[i] - low[i]) * part) - NOTHING);
  return out;
}

/** Weights that read TABLE_WIDTH columns, even in the cosine, from COLUMNS, even in the angle: a cosine series through all of them. */
function columnWeights(): Float64Array {
  const weights = new Float64Array(TABLE_WIDTH * COLUMNS);
  const last = COLUMNS - 1;
  for (let column = 0; column < TABLE_WIDTH; column++) {
    const angle = Math.acos((2 * column) / (TABLE_WIDTH - 1) - 1);
    for (let j = 0; j <= last; j++) {
      let sum = 0;
      for (let n = 0; n <= last; n++)
        sum += (n % last === 0 ? 0.5 : 1) * Math.cos((Math.PI * n * j) / last) * Math.cos(n * angle);
      weights[column * COLUMNS + j] = ((j % last === 0 ? 1 : 2) * sum) / last;
    }
  }
  return weights;
}

/** Weights of four rows each, TABLE_HEIGHT × ROWS: Catmull and Rom's curve through them. */
function rowWeights(): Float64Array {
  const weights = new Float64Array(TABLE_HEIGHT * ROWS);
  for (let row = 0; row < TABLE_HEIGHT; row++) {
    const at = (row * (ROWS - 1)) / (TABLE_HEIGHT - 1);
    const first = Math.min(ROWS - 2, Math.floor(at));
    const t = at - first;
    const four = [
      -0.5 * t + t * t - 0.5 * t * t * t,
      1 - 2.5 * t * t + 1.5 * t * t * t,
      0.5 * t + 2 * t * t - 1.5 * t * t * t,
      -0.5 * t * t + 0.5 * t * t * t,
    ];
    // Past an end the curve goes on straight.
    if (first === 0) four.splice(0, 3, 0, four[1] + 2 * four[0], four[2] - four[0]);
    if (first === ROWS - 2) four.splice(1, 3, four[1] - four[3], four[2] + 2 * four[3], 0);
    four.forEach((weight, k) => {
      if (weight !== 0) weights[row * ROWS + first - 1 + k] += weight;
    });
  }
  return weights;
}

let acrossWeights: Float64Array | null = null;
let upWeights: Float64Array | null = null;

/**
 * The table of a sky.
 * @param sun sine of the sun's height, -1..1; @param sunlight what it sends to the air's end (r, g, b);
 * @param night how much there is of the night's glow
 */
export function skyTable(look: SkyLook, sun: number, sunlight: readonly number[], night: number): SkyTable {
  acrossWeights ??= columnWeights();
  upWeights ??= rowWeights();
  const slice = blend(knownSky(look), sun);
  const wide = new Float64Array(ROWS * TABLE_WIDTH * PARTS);
  for (let row = 0; row < ROWS; row++)
    for (let column = 0; column < TABLE_WIDTH; column++)
      for (let j = 0; j < COLUMNS; j++) {
        const weight = acrossWeights[column * COLUMNS + j];
        const from = (row * COLUMNS + j) * PARTS;
        const to = (row * TABLE_WIDTH + column) * PARTS;
        for (let part = 0; part < PARTS; part++) wide[to + part] += weight * slice[from + part];
      }
  const molecules = new Float64Array(TABLE_HEIGHT * TABLE_WIDTH * 3);
  const haze = new Float64Array(TABLE_HEIGHT * TABLE_WIDTH * 3);
  const flat = Math.sqrt(1 - sun * sun);
  for (let row = 0; row < TABLE_HEIGHT; row++) {
    const up = (row / (TABLE_HEIGHT - 1)) ** 2;
    const glow = night * (1 + NIGHT_HAZE * (1 - up) ** 4);
    const first = Math.max(0, Math.floor((row * (ROWS - 1)) / (TABLE_HEIGHT - 1)) - 1);
    for (let column = 0; column < TABLE_WIDTH; column++) {
      const to = (row * TABLE_WIDTH + column) * 3;
      const round = (2 * column) / (TABLE_WIDTH - 1) - 1;
      const even = glow / rayleighPhase(up * sun + Math.sqrt(1 - up * up) * flat * round);
      for (let c = 0; c < 3; c++) {
        let own = 0;
        let hazes = 0;
        for (let i = first; i < Math.min(ROWS, first + 4); i++) {
          const weight = upWeights[row * ROWS + i];
          const from = (i * TABLE_WIDTH + column) * PARTS + c;
          own += weight * wide[from];
          hazes += weight * wide[from + 3];
        }
        molecules[to + c] = Math.max(0, own) * sunlight[c] + even * NIGHT[c];
        haze[to + c] = Math.max(0, hazes) * sunlight[c];
      }
    }
  }
  return { molecules, haze };
}

/**
 * A table as texels of rgba16float, molecules' rows first, then haze's; as air_light in shaders/include/air.wgsl reads it.
 * @returns 2 · TABLE_HEIGHT rows × TABLE_WIDTH × 4 halves
 */
export function skyTexels({ molecules, haze }: SkyTable): Uint16Array<ArrayBuffer> {
  const count = TABLE_HEIGHT * TABLE_WIDTH;
  const out = new Uint16Array(2 * count * 4);
  for (let i = 0; i < count; i++)
    for (let c = 0; c < 3; c++) {
      out[i * 4 + c] = toHalf(molecules[i * 3 + c]);
      out[(count + i) * 4 + c] = toHalf(haze[i * 3 + c]);
    }
  return out;
}

/**
 * The horizon of a table as texels of rgba16float, HORIZON_WIDTH × 4 halves; as horizon_radiance in shaders/include/air.wgsl
 * reads it. @param sun sine of the sun's height
 */
export function horizonTexels(table: SkyTable, sun: number): Uint16Array<ArrayBuffer> {
  const out = new Uint16Array(HORIZON_WIDTH * 4);
  const parts = new Float64Array(6);
  const flat = Math.sqrt(1 - sun * sun);
  for (let i = 0; i < HORIZON_WIDTH; i++) {
    const round = (2 * i) / (HORIZON_WIDTH - 1) - 1;
    readTable(table, 0, round, parts);
    const molecules = rayleighPhase(round * flat);
    const haze = hazePhase(round * flat);
    for (let c = 0; c < 3; c++) out[i * 4 + c] = toHalf(parts[c] * molecules + parts[3 + c] * haze);
  }
  return out;
}

const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** The nearest half float of a number of at least 0; what is too large becomes the largest there is. */
export function toHalf(value: number): number {
  // Below 2^-14 steps are even: 2^-24.
  if (value < 2 ** -14) return Math.round(value * 2 ** 24);
  single[0] = Math.min(value, 65504);
  return ((bits[0] + 0x1000) >>> 13) - (112 << 10);
}

/** The radiance of a table toward a direction of sine `up` that stands aside of the sun by an angle of cosine `round`, into out[0..2], without phases: molecules' part, then haze's into out[3..5]. */
export function readTable({ molecules, haze }: SkyTable, up: number, round: number, out: Float64Array): void {
  const x = (0.5 + 0.5 * round) * (TABLE_WIDTH - 1);
  const y = Math.sqrt(Math.max(0, up)) * (TABLE_HEIGHT - 1);
  const i = Math.min(TABLE_WIDTH - 2, Math.floor(x));
  const j = Math.min(TABLE_HEIGHT - 2, Math.floor(y));
  for (let c = 0; c < 6; c++) {
    const part = c < 3 ? molecules : haze;
    const at = (j * TABLE_WIDTH + i) * 3 + (c % 3);
    const low = part[at] + (part[at + 3] - part[at]) * (x - i);
    const next = at + TABLE_WIDTH * 3;
    const high = part[next] + (part[next + 3] - part[next]) * (x - i);
    out[c] = low + (high - low) * (y - j);
  }
}
