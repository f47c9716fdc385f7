// The same land at other texels. Smooth: monotone cubics along rows, then along columns, which pass through every texel,
// keep a plane a plane and never leave the reach of the four texels around (Fritsch and Carlson, "Monotone piecewise
// cubic interpolation", 1980). Not smooth: the surface's own triangles.
import { checkFields, refuse } from '../errors.js';
import { checkSides } from '../texture/texture.js';
import { cellHeight } from './cell.js';
import { checkGround, makeGround, type Ground } from './ground.js';
import { computedOrigin } from './report.js';

export interface ResampleOptions {
  /** Texels of the result. */
  width: number;
  height: number;
  /** Cubics between the texels; false for the flat triangles that a heightfield stands on. Default true. */
  smooth?: boolean;
}

/** Where the result's texel centres fall between the source's, along one axis. */
interface Places {
  /** The source texel at or before each place. */
  cell: Int32Array;
  /** How far on to the next one, 0..1. */
  fraction: Float64Array;
}

/**
 * `ground` at `width` × `height` texels over the same rect. Past the outermost texel centres the ground runs level out to
 * the rim, as a heightfield does. A texel has data where its nearest source texel had.
 */
export function resample(ground: Ground, options: ResampleOptions): Ground {
  const where = 'terrain.resample';
  checkGround(where, 'the first argument', ground);
  checkFields(where, options, ['width', 'height', 'smooth']);
  const { width, height, smooth = true } = options;
  checkSides(where, width, height);
  if (typeof smooth !== 'boolean') refuse(where, 'smooth', 'true or false', smooth);
  const columns = place(ground.width, width);
  const rows = place(ground.height, height);
  const heights = smooth ? cubic(ground, columns, rows) : triangles(ground, columns, rows);
  const coverage = ground.coverage && nearestCoverage(ground, ground.coverage, columns, rows);
  const raster = { width, height, size: ground.size, heights, coverage };
  return makeGround(where, raster, computedOrigin('resample', [ground]));
}

function place(from: number, to: number): Places {
  const cell = new Int32Array(to);
  const fraction = new Float64Array(to);
  for (let i = 0; i < to; i++) {
    // In whole numbers as long as may be, so that the same count falls on the same centres exactly.
    const at = Math.min(from - 1, Math.max(0, ((2 * i + 1) * from - to) / (2 * to)));
    cell[i] = Math.min(Math.floor(at), Math.max(0, from - 2));
    fraction[i] = at - cell[i];
  }
  return { cell, fraction };
}

function cubic({ heights, width, height }: Ground, columns: Places, rows: Places): Float32Array {
  const outWidth = columns.cell.length;
  const outHeight = rows.cell.length;
  // Along rows first, at full precision: source rows × result columns. Doubles throughout, one kind of array for the loop.
  const between = new Float64Array(height * outWidth);
  const result = new Float64Array(outHeight * outWidth);
  const along = { step: 1, count: width, lines: height, line: width };
  interpolate(new Float64Array(heights), along, between, { step: 1, line: outWidth }, columns);
  const down = { step: outWidth, count: height, lines: outWidth, line: 1 };
  interpolate(between, down, result, { step: outWidth, line: 1 }, rows);
  return new Float32Array(result);
}

/** `lines` lines of `count` values, `step` apart in a line and `line` from one to the next, each read at `places` into `to`. */
function interpolate(
  from: Float64Array,
  { step, count, lines, line }: { step: number; count: number; lines: number; line: number },
  to: Float64Array,
  { step: toStep, line: toLine }: { step: number; line: number },
  { cell, fraction }: Places,
): void {
  const last = count - 1;
  for (let i = 0; i < cell.length; i++) {
    const c = cell[i];
    const t = fraction[i];
    const next = c < last ? step : 0;
    for (let k = 0, at = c * step, target = i * toStep; k < lines; k++, at += line, target += toLine) {
      const p1 = from[at];
      const p2 = from[at + next];
      const secant = p2 - p1;
      // Past the ends the line goes on as it came, so that a plane is one up to its outermost centres.
      const before = c > 0 ? p1 - from[at - step] : secant;
      const after = c + 1 < last ? from[at + 2 * step] - p2 : secant;
      const value = hermite(p1, p2, limitedSlope(before, secant), limitedSlope(secant, after), t);
      // Rounding must not carry it past the texels either.
      to[target] = p1 < p2 ? Math.min(p2, Math.max(p1, value)) : Math.min(p1, Math.max(p2, value));
    }
  }
}

/** The mean of two slopes, as far as it keeps the cubic monotone: 0 at a summit, at most three times the gentler one. */
export function limitedSlope(a: number, b: number): number {
  if (a * b <= 0) return 0;
  const most = 3 * Math.min(Math.abs(a), Math.abs(b));
  const mean = (a + b) / 2;
  return Math.abs(mean) <= most ? mean : mean < 0 ? -most : most;
}

/** The cubic from p1 to p2 with slopes m1 and m2, at t in 0..1; exact at both ends. */
export function hermite(p1: number, p2: number, m1: number, m2: number, t: number): number {
  if (t === 1) return p2;
  const d = p2 - p1;
  return p1 + t * (m1 + t * (3 * d - 2 * m1 - m2 + t * (m1 + m2 - 2 * d)));
}

function triangles({ heights, width, height }: Ground, columns: Places, rows: Places): Float32Array {
  const outWidth = columns.cell.length;
  const result = new Float32Array(outWidth * rows.cell.length);
  const nextColumn = width > 1 ? 1 : 0;
  const nextRow = height > 1 ? width : 0;
  for (let j = 0, to = 0; j < rows.cell.length; j++) {
    const fz = rows.fraction[j];
    for (let i = 0; i < outWidth; i++, to++) {
      const at = rows.cell[j] * width + columns.cell[i];
      const h00 = heights[at];
      const h10 = heights[at + nextColumn];
      const h01 = heights[at + nextRow];
      const h11 = heights[at + nextColumn + nextRow];
      const height = cellHeight(h00, h10, h01, h11, columns.fraction[i], fz);
      // Rounding must not carry it past the corners.
      result[to] = Math.min(Math.max(h00, h10, h01, h11), Math.max(Math.min(h00, h10, h01, h11), height));
    }
  }
  return result;
}

function nearestCoverage(
  { width, height }: Ground,
  coverage: Uint8Array,
  columns: Places,
  rows: Places,
): Uint8Array {
  const nearest = ({ cell, fraction }: Places, i: number, count: number) =>
    Math.min(count - 1, cell[i] + (fraction[i] > 0.5 ? 1 : 0));
  const outWidth = columns.cell.length;
  return Uint8Array.from({ length: outWidth * rows.cell.length }, (_, at) => {
    const col = nearest(columns, at % outWidth, width);
    const row = nearest(rows, Math.floor(at / outWidth), height);
    return coverage[row * width + col];
  });
}
