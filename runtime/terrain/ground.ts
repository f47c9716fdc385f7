// Ground: a raster of heights in metres over a rect, what the verbs of the ground graph take and give. Its makers are
// fromTexture.ts and noise.ts, its verbs groundVerbs.ts and resample.ts, and toTexture.ts turns it into texels.
import { checkNumber, MoonscapeError, refuse } from '../errors.js';
import { makeReport, type GroundOrigin, type GroundReport } from './report.js';

export type { GroundReport } from './report.js';

/** Metres. */
export interface GroundSize {
  width: number;
  depth: number;
}

/** Heights over a rect. Never changed after it was made: a verb gives another one. */
export interface Ground {
  /** Texels: columns along X from the west, rows along Z from the north. */
  readonly width: number;
  readonly height: number;
  readonly size: Readonly<GroundSize>;
  /** Rows × columns, row-major, metres, all finite. */
  readonly heights: Float32Array;
  /** Rows × columns: 1 where the source had data, 0 where it had none. Null: it had data everywhere. */
  readonly coverage: Uint8Array | null;
  readonly report: GroundReport;
}

/** The raster of a ground yet to be made. */
export interface GroundRaster {
  width: number;
  height: number;
  size: Readonly<GroundSize>;
  heights: Float32Array;
  coverage: Uint8Array | null;
}

/** Makes a ground of its raster, with a report; a height that is not finite (as float32) is refused with its place. */
export function makeGround(where: string, raster: GroundRaster, origin: GroundOrigin): Ground {
  checkFinite(where, raster.heights, raster.width);
  const coverage = raster.coverage?.includes(0) ? raster.coverage : null;
  const parts = { ...raster, coverage, size: Object.freeze({ ...raster.size }) };
  return Object.freeze({ ...parts, report: makeReport(origin, parts) });
}

/** Refuses heights that are not finite, with their count, the first one's place and a `remedy`. */
export function checkFinite(where: string, heights: Float32Array, width: number, remedy?: string): void {
  let bad = 0;
  let first = -1;
  for (let i = 0; i < heights.length; i++) {
    // x - x is 0 for every finite x and NaN otherwise.
    if (heights[i] - heights[i] === 0) continue;
    if (bad === 0) first = i;
    bad++;
  }
  if (bad === 0) return;
  const place = `column ${first % width}, row ${Math.floor(first / width)}`;
  throw new MoonscapeError(
    `${where}: heights must be finite numbers, got ${heights[first]} at ${place} (${bad} such ${bad === 1 ? 'texel' : 'texels'})` +
      (remedy ? `; ${remedy}` : ''),
  );
}

/**
 * The size in metres that a caller stated as `[width, depth]`, or `fallback`. Both must be finite and above 0.
 */
export function checkGroundSize(where: string, size: unknown, fallback: GroundSize): GroundSize {
  if (size === undefined || size === null) return fallback;
  if (!Array.isArray(size) || size.length !== 2)
    refuse(where, 'size', 'two lengths { width, depth } in metres', size);
  return {
    width: checkNumber(where, 'size width', size[0], { above: 0, max: 1e9 }),
    depth: checkNumber(where, 'size depth', size[1], { above: 0, max: 1e9 }),
  };
}

/** Returns `value` if it is a ground; refuses it otherwise. */
export function checkGround(where: string, name: string, value: unknown): Ground {
  const ground = value as Partial<Ground> | null;
  if (typeof ground !== 'object' || ground === null || !(ground.heights instanceof Float32Array))
    refuse(where, name, 'a ground', value);
  return value as Ground;
}
