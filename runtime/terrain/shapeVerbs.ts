// The verbs of the ground graph that shape land: terraces, ridges, and a warp of the plane it lies on. Pure, on the CPU.
import { checkFields, checkInteger, checkNumber, refuse } from '../errors.js';
import { checkGround, makeGround, type Ground } from './ground.js';
import { derive } from './groundVerbs.js';
import { noise } from './noise.js';
import { computedOrigin } from './report.js';
import { hermite, limitedSlope } from './resample.js';

export interface TerraceOptions {
  /** Metres between two treads, above 0; treads lie at its whole multiples. */
  step: number;
  /** 0: the ground as it was, 1: level treads and upright risers. Default 0.7. */
  sharpness?: number;
}

/**
 * Steps: each height is drawn to the nearest multiple of `step`, by at most step / 2, and order is kept (higher ground stays
 * at least as high).
 */
export function terrace(ground: Ground, options: TerraceOptions): Ground {
  const where = 'terrain.terrace';
  checkGround(where, 'the first argument', ground);
  checkFields(where, options, ['step', 'sharpness']);
  const step = checkNumber(where, 'step', options.step, { min: 1e-6, max: 1e9 });
  const sharpness = checkNumber(where, 'sharpness', options.sharpness ?? 0.7, { min: 0, max: 1 });
  if (sharpness === 0) return derive(where, 'terrace', [ground], (i) => ground.heights[i]);
  return derive(where, 'terrace', [ground], (i) => {
    const h = ground.heights[i] / step;
    const tread = Math.floor(h);
    // Level up to sharpness / 2, a straight riser, level again.
    const along = h - tread;
    const riser = sharpness < 1 ? (along - sharpness / 2) / (1 - sharpness) : along < 0.5 ? 0 : 1;
    return step * (tread + Math.min(1, Math.max(0, riser)));
  });
}

export interface RidgeOptions {
  /** Metres: the contour that becomes a crest. Default halfway between the lowest and the highest ground. */
  level?: number;
  /** Metres, at least 0: how far from the level a crest begins to round off; default 0, sharp. */
  round?: number;
  /** Folds upwards, so that the contour becomes a valley; default false. */
  valleys?: boolean;
}

/** Folds ground down at a level: what was above lies as far below, and the contour between is a crest at the level. */
export function ridge(ground: Ground, options: RidgeOptions = {}): Ground {
  const where = 'terrain.ridge';
  checkGround(where, 'the first argument', ground);
  checkFields(where, options, ['level', 'round', 'valleys']);
  // Asked for a ground without any data the report has no answer, and no crest is to be seen either.
  const { min = 0, max = 0 } = ground.report;
  const level = checkNumber(where, 'level', options.level ?? (min + max) / 2);
  const round = checkNumber(where, 'round', options.round ?? 0, { min: 0, max: 1e9 });
  const { valleys = false } = options;
  if (typeof valleys !== 'boolean') refuse(where, 'valleys', 'true or false', valleys);
  const way = valleys ? 1 : -1;
  return derive(where, 'ridge', [ground], (i) => {
    const away = Math.abs(ground.heights[i] - level);
    return level + way * (round > 0 ? Math.hypot(away, round) - round : away);
  });
}

export interface WarpOptions {
  /** Metres, at least 0: how far places move at most, along X and along Z. */
  amplitude: number;
  /** Periods of the coarsest wave along the longer side, above 0; default 4. */
  frequency?: number;
  /** A whole number in -2^31..2^32-1; default 0. */
  seed?: number;
  /** 1..16; default 3. */
  octaves?: number;
}

/**
 * The land on a plane that noise has pulled about: each texel has the height of a place up to `amplitude` away, by monotone
 * cubics between the texels, which never leave the heights around. Past the rim the outermost texels count.
 */
export function warp(ground: Ground, options: WarpOptions): Ground {
  const where = 'terrain.warp';
  checkGround(where, 'the first argument', ground);
  checkFields(where, options, ['amplitude', 'frequency', 'seed', 'octaves']);
  const amplitude = checkNumber(where, 'amplitude', options.amplitude, { min: 0, max: 1e9 });
  const frequency = checkNumber(where, 'frequency', options.frequency ?? 4, { above: 0, max: 16384 });
  const seed = checkInteger(where, 'seed', options.seed ?? 0, { min: -(2 ** 31), max: 2 ** 32 - 1 });
  const octaves = checkInteger(where, 'octaves', options.octaves ?? 3, { min: 1, max: 16 });
  const { width, height, size, coverage } = ground;
  const waves = (of: number) =>
    noise({
      ...{ width, height, size: [size.width, size.depth], frequency, octaves, amplitude },
      seed: (seed ^ of) >>> 0,
    }).heights;
  const [alongX, alongZ] = [waves(0x51ed270b), waves(0x2c1b3c6d)];
  const heights = new Float32Array(width * height);
  const moved = coverage && new Uint8Array(width * height);
  for (let row = 0, at = 0; row < height; row++) {
    for (let col = 0; col < width; col++, at++) {
      const x = hold(col + (alongX[at] * width) / size.width, width - 1);
      const z = hold(row + (alongZ[at] * height) / size.depth, height - 1);
      heights[at] = cubicAt(ground, x, z);
      if (moved) moved[at] = coverage[Math.round(z) * width + Math.round(x)];
    }
  }
  const raster = { width, height, size, heights, coverage: moved };
  return makeGround(where, raster, computedOrigin('warp', [ground]));
}

const hold = (value: number, last: number) => Math.min(last, Math.max(0, value));

/** The ground's height at texel coordinates within its texels. */
function cubicAt({ heights, width, height }: Ground, x: number, z: number): number {
  const [col, row] = [Math.min(Math.floor(x), width - 1), Math.min(Math.floor(z), height - 1)];
  const line = (k: number) => {
    const first = hold(row + k, height - 1) * width;
    return between((c) => heights[first + hold(col + c, width - 1)], x - col);
  };
  return between(line, z - row);
}

/** The monotone cubic between sample 0 and sample 1 of `at`, which is asked for -1..2. */
function between(at: (k: number) => number, t: number): number {
  const [p1, p2] = [at(0), at(1)];
  if (t === 0) return p1;
  const secant = p2 - p1;
  const value = hermite(p1, p2, limitedSlope(p1 - at(-1), secant), limitedSlope(secant, at(2) - p2), t);
  return Math.min(Math.max(p1, p2), Math.max(Math.min(p1, p2), value));
}
