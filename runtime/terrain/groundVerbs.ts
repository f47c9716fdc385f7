// The verbs of the ground graph that work texel by texel. Each takes grounds and gives another of the same rect; a texel
// has data where every ground that went into it had.
import { checkNumber, MoonscapeError, refuse } from '../errors.js';
import { checkGround, makeGround, type Ground } from './ground.js';
import { computedOrigin } from './report.js';

/** Heights of each texel from `height(h, x, z)`; `x`, `z`: metres from the rect's centre, at the texel's centre. */
export function map(ground: Ground, height: (h: number, x: number, z: number) => number): Ground {
  const where = 'terrain.map';
  checkGround(where, 'ground', ground);
  if (typeof height !== 'function') refuse(where, 'the second argument', 'a function(h, x, z)', height);
  const texelX = ground.size.width / ground.width;
  const texelZ = ground.size.depth / ground.height;
  return derive(where, 'map', [ground], (i) => {
    const col = i % ground.width;
    const row = (i - col) / ground.width;
    const x = (col + 0.5) * texelX - ground.size.width / 2;
    const z = (row + 0.5) * texelZ - ground.size.depth / 2;
    const answer = height(ground.heights[i], x, z);
    if (typeof answer !== 'number' || !Number.isFinite(answer))
      refuse(where, `the function's answer at column ${col}, row ${row}`, 'a finite number', answer);
    return answer;
  });
}

/** The sum of two grounds, or of a ground and a number of metres. */
export function add(a: Ground, b: Ground | number): Ground {
  const where = 'terrain.add';
  checkGround(where, 'the first argument', a);
  if (typeof b === 'number') {
    checkNumber(where, 'the second argument', b);
    return derive(where, 'add', [a], (i) => a.heights[i] + b);
  }
  checkGround(where, 'the second argument', b);
  return derive(where, 'add', [a, b], (i) => a.heights[i] + b.heights[i]);
}

/** Heights times `factor`. */
export function scale(ground: Ground, factor: number): Ground {
  const where = 'terrain.scale';
  checkGround(where, 'ground', ground);
  checkNumber(where, 'factor', factor);
  return derive(where, 'scale', [ground], (i) => ground.heights[i] * factor);
}

/** Heights below `low` become `low`, those above `high` become `high`, in metres. */
export function clamp(ground: Ground, low: number, high: number): Ground {
  const where = 'terrain.clamp';
  checkGround(where, 'ground', ground);
  checkNumber(where, 'low', low);
  checkNumber(where, 'high', high, { min: low });
  return derive(where, 'clamp', [ground], (i) => Math.min(high, Math.max(low, ground.heights[i])));
}

/**
 * From `a` at weight 0 to `b` at weight 1: a number in 0..1, or a ground whose heights are the weights (below 0 they
 * count as 0, above 1 as 1).
 */
export function blend(a: Ground, b: Ground, weight: Ground | number): Ground {
  const where = 'terrain.blend';
  checkGround(where, 'the first argument', a);
  checkGround(where, 'the second argument', b);
  const mix = (i: number, w: number) =>
    w === 1 ? b.heights[i] : a.heights[i] + (b.heights[i] - a.heights[i]) * w;
  if (typeof weight === 'number') {
    checkNumber(where, 'weight', weight, { min: 0, max: 1 });
    return derive(where, 'blend', [a, b], (i) => mix(i, weight));
  }
  checkGround(where, 'weight', weight);
  return derive(where, 'blend', [a, b, weight], (i) => mix(i, Math.min(1, Math.max(0, weight.heights[i]))));
}

/** A ground over the rect that `sources` share, texel i from `heightOf(i)`; `verb` is what its report calls it. */
export function derive(
  where: string,
  verb: string,
  sources: Ground[],
  heightOf: (i: number) => number,
): Ground {
  const [first, ...others] = sources;
  for (const other of others) checkSameRect(where, first, other);
  const { width, height, size } = first;
  const heights = new Float32Array(width * height);
  for (let i = 0; i < heights.length; i++) heights[i] = heightOf(i);
  const coverage = commonCoverage(sources);
  return makeGround(where, { width, height, size, heights, coverage }, computedOrigin(verb, sources));
}

/** Refuses two grounds of unlike texels or size. */
export function checkSameRect(where: string, a: Ground, b: Ground): void {
  const same =
    a.width === b.width &&
    a.height === b.height &&
    a.size.width === b.size.width &&
    a.size.depth === b.size.depth;
  if (!same)
    throw new MoonscapeError(
      `${where}: both grounds must have the same texels and size, got ${describe(a)} and ${describe(b)}; terrain.resample changes the texels`,
    );
}

const describe = ({ width, height, size }: Ground) =>
  `${width}×${height} texels over ${size.width}×${size.depth} m`;

function commonCoverage(sources: Ground[]): Uint8Array | null {
  const masks = sources.flatMap(({ coverage }) => (coverage ? [coverage] : []));
  if (masks.length === 0) return null;
  return Uint8Array.from(masks[0], (_, i) => (masks.every((mask) => mask[i] === 1) ? 1 : 0));
}
