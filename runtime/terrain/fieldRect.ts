// The rect a heightfield stands over: its checked options, the numbers that queries turn a place into texels with, and
// places spread over it. Called by heightfield.ts alone.
import { checkFields, checkNumber, checkOneOf, MoonscapeError, refuse, show } from '../errors.js';
import type { Texture } from '../texture/texture.js';
import type { HeightRange } from './texels.js';

export interface RectOptions {
  /** Metres, { width, depth }; default: the size that the texture records. */
  size?: readonly [number, number];
  /** The rect's centre, metres, { x, z }; default { 0, 0 }. */
  origin?: readonly [number, number];
  /** Metres, { low, high }, which must hold every height; default: read off the pixels. */
  heightRange?: readonly [number, number];
  /** A mask over the same rect: only the value 0 cuts. */
  holes?: Texture;
  /** "hole": texels of coverage 0 are cut out as well. */
  nodata?: 'hole';
}

/** RectOptions, checked. */
export interface CheckedRect {
  size: readonly [number, number];
  origin: readonly [number, number];
  declared: HeightRange | null;
  nodata: 'hole' | undefined;
}

/** Metres: the longest side of a rect, as of a ground. */
const MAX_SIDE = 1e9;
const OPTIONS = ['size', 'origin', 'heightRange', 'holes', 'nodata'];

/** Checks the options that `texture` is opened with; its own recorded size stands in for a missing one. */
export function checkRectOptions(where: string, options: RectOptions, texture: Texture): CheckedRect {
  checkFields(where, options, OPTIONS);
  const size = options.size ?? texture.size;
  if (!size) refuse(where, 'size', '{ width, depth } in metres, as the texture records none', options.size);
  return {
    size: checkPair(where, 'size', size, ['width', 'depth'], { above: 0 }, MAX_SIDE),
    origin: checkPair(where, 'origin', options.origin ?? [0, 0], ['x', 'z'], {}),
    declared: options.heightRange === undefined ? null : checkHeightRange(where, options.heightRange),
    nodata: options.nodata && checkOneOf(where, 'nodata', options.nodata, ['hole'] as const),
  };
}

function checkPair(
  where: string,
  name: string,
  value: unknown,
  parts: [string, string],
  range: { above?: number },
  max = Infinity,
): readonly [number, number] {
  const pair = value as readonly number[];
  if (!Array.isArray(pair) || pair.length !== 2) refuse(where, name, `{ ${parts.join(', ')} }`, value);
  const check = (part: string, number: number) =>
    checkNumber(where, `${name}.${part}`, number, number > max ? { max } : range);
  return [check(parts[0], pair[0]), check(parts[1], pair[1])];
}

function checkHeightRange(where: string, value: unknown): HeightRange {
  const pair = value as readonly number[];
  if (!Array.isArray(pair) || pair.length !== 2 || !pair.every(Number.isFinite) || pair[0] > pair[1])
    refuse(where, 'heightRange', '{ low, high } in metres, low at most high', value);
  return { low: pair[0], high: pair[1] };
}

/**
 * How far, in texels, rounding can put a stop's coordinate from where it stands. Written as min + (k + 1/2) texel or as
 * any like sum, a coordinate is off by a few halves of an ulp of the greatest coordinate and of the size (min, the
 * texel's side, the product and the sum are each rounded once), and reading it back rounds three times more at up to
 * `texels`: at most 2^-53 (2 extent + 4 size) / texel + 3 × 2^-53 texels, which the bound covers.
 */
export function snapOf(where: string, side: string, min: number, max: number, texels: number): number {
  const extent = Math.max(Math.abs(min), Math.abs(max));
  const texel = (max - min) / texels;
  const snap = 8 * 2 ** -53 * (extent / texel + texels);
  if (!(snap < 2 ** -10))
    throw new MoonscapeError(
      `${where}: ${side} must make texels that numbers can tell apart, got ${show(texel)} m a texel at ` +
        `${show(extent)} m from zero`,
    );
  return snap;
}

/** `count` places from `min` to `max`, both among them; a single one stands in the middle. */
export function spread(min: number, max: number, count: number): Float64Array {
  if (count === 1) return Float64Array.of(min + (max - min) / 2);
  const places = new Float64Array(count);
  for (let k = 0; k < count; k++) places[k] = min + ((max - min) * k) / (count - 1);
  places[count - 1] = max;
  return places;
}
