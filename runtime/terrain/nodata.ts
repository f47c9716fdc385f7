// Texels without data take the height of their nearest neighbour with data. Nearest is by Euclid, in metres, and exact: a
// pass along columns, then the lower envelope of parabolas along rows (Felzenszwalb and Huttenlocher, "Distance
// transforms of sampled functions", 2012), carrying which texel each distance comes from.
import { MoonscapeError } from '../errors.js';

/**
 * Gives every texel of coverage 0 the height of the nearest texel of coverage 1, in place. `heights` and `coverage`:
 * rows × columns, row-major; `texelX`, `texelZ`: metres. Nothing covered at all is an error.
 */
export function fillNodata(
  where: string,
  heights: Float32Array,
  coverage: Uint8Array,
  width: number,
  texelX: number,
  texelZ: number,
): void {
  if (!coverage.includes(0)) return;
  if (!coverage.includes(1))
    throw new MoonscapeError(
      `${where}: at least one texel must have data, got none (all ${coverage.length} are nodata or of alpha 0)`,
    );
  const height = coverage.length / width;
  const nearestRow = nearestInColumns(coverage, width, height);
  const envelope = new Envelope(width);
  const source = heights.slice();
  for (let row = 0; row < height; row++) {
    envelope.clear();
    for (let col = 0; col < width; col++) {
      const from = nearestRow[row * width + col];
      if (from < 0) continue;
      const rise = (row - from) * texelZ;
      envelope.add(col, col * texelX, rise * rise);
    }
    for (let col = 0, piece = 0; col < width; col++) {
      piece = envelope.find(col * texelX, piece);
      const nearestCol = envelope.column(piece);
      const at = row * width + col;
      if (coverage[at] === 0) heights[at] = source[nearestRow[row * width + nearestCol] * width + nearestCol];
    }
  }
}

/** For each texel the row of the nearest covered one in its column (of two as near, the upper), or -1. */
function nearestInColumns(coverage: Uint8Array, width: number, height: number): Int32Array {
  const nearest = new Int32Array(coverage.length).fill(-1);
  for (let row = 0; row < height; row++) {
    for (let col = 0, at = row * width; col < width; col++, at++) {
      nearest[at] = coverage[at] === 1 ? row : row > 0 ? nearest[at - width] : -1;
    }
  }
  for (let row = height - 2; row >= 0; row--) {
    for (let col = 0, at = row * width; col < width; col++, at++) {
      const below = nearest[at + width];
      if (below >= 0 && (nearest[at] < 0 || below - row < row - nearest[at])) nearest[at] = below;
    }
  }
  return nearest;
}

/** The lower envelope of parabolas `base + (x - foot)²`, added by growing foot. */
class Envelope {
  readonly #column: Int32Array;
  readonly #foot: Float64Array;
  readonly #base: Float64Array;
  /** Where each piece begins. */
  readonly #start: Float64Array;
  #count = 0;

  constructor(capacity: number) {
    this.#column = new Int32Array(capacity);
    this.#foot = new Float64Array(capacity);
    this.#base = new Float64Array(capacity);
    this.#start = new Float64Array(capacity);
  }

  clear(): void {
    this.#count = 0;
  }

  add(column: number, foot: number, base: number): void {
    let start = -Infinity;
    while (this.#count > 0) {
      const last = this.#count - 1;
      const other = this.#foot[last];
      // Where this parabola comes to lie below the last one.
      start = (base + foot * foot - (this.#base[last] + other * other)) / (2 * (foot - other));
      if (start > this.#start[last]) break;
      this.#count--;
      start = -Infinity;
    }
    const at = this.#count++;
    this.#column[at] = column;
    this.#foot[at] = foot;
    this.#base[at] = base;
    this.#start[at] = start;
  }

  /** The piece over `x`; `from` is the piece over a smaller x. */
  find(x: number, from: number): number {
    let piece = from;
    while (piece + 1 < this.#count && this.#start[piece + 1] < x) piece++;
    return piece;
  }

  column(piece: number): number {
    return this.#column[piece];
  }
}
