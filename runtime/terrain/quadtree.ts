// How a rect is tiled with square roots: the top of the quadtree that a cut is taken from. Pure arithmetic.
import { checkInteger, checkNumber, MoonscapeError } from '../errors.js';

/** Remainders and overhangs under this fraction of the longer side are rounding, not ground. */
export const SIDE_TOLERANCE = 1e-9;

export interface RootGridOptions {
  /** Metres; the common measure of the sides is a root only while it is at least this. Default 0. */
  minNodeSize?: number;
  /** Slots in the pool; the grid takes at most a quarter of them (at least 1). Default 512. */
  maxNodes?: number;
  /** Metres; states the root's side instead. Its squares may fill the pool but not pass it. */
  rootSize?: number;
}

/** `columns` × `rows` squares of `size` metres that cover a rect from its −X, −Z corner. */
export interface RootGrid {
  size: number;
  columns: number;
  rows: number;
}

/**
 * The root grid of a rect of `width` × `depth` metres: one root for a square; else the largest measure that both sides
 * divide into, while it is at least `minNodeSize` and its squares fit a quarter of the pool; else the shorter side, or
 * the longer side over that quarter if larger, with the last row or column reaching past the far edge.
 * Refuses sides that are not above 0 and a stated root whose squares pass the pool.
 */
export function rootGrid(
  width: number,
  depth: number,
  options: RootGridOptions = {},
  where = 'quadtree.rootGrid',
): RootGrid {
  checkNumber(where, 'width', width, { above: 0 });
  checkNumber(where, 'depth', depth, { above: 0 });
  const minNodeSize = checkNumber(where, 'minNodeSize', options.minNodeSize ?? 0, { min: 0 });
  const maxNodes = checkInteger(where, 'maxNodes', options.maxNodes ?? 512, { min: 1 });
  const covering = (size: number): RootGrid => ({
    size,
    columns: squaresAlong(width, size),
    rows: squaresAlong(depth, size),
  });

  if (options.rootSize !== undefined) {
    const grid = covering(checkNumber(where, 'rootSize', options.rootSize, { above: 0 }));
    const squares = grid.columns * grid.rows;
    if (squares > maxNodes)
      throw new MoonscapeError(
        `${where}: rootSize ${grid.size} makes ${squares} root squares (${grid.columns} × ${grid.rows}) of a ` +
          `${width} × ${depth} m rect, past the pool of ${maxNodes} (maxNodes)`,
      );
    return grid;
  }

  const longer = Math.max(width, depth);
  const shorter = Math.min(width, depth);
  const quarter = Math.max(1, Math.floor(maxNodes / 4));
  if (longer - shorter < SIDE_TOLERANCE * longer) return { size: longer, columns: 1, rows: 1 };
  const measure = covering(commonMeasure(longer, shorter));
  if (measure.size >= minNodeSize && measure.columns * measure.rows <= quarter) return measure;
  return covering(Math.max(shorter, longer / quarter));
}

/** How many squares of `size` metres cover `side` metres; an overhang that is rounding takes none. At least 1. */
export function squaresAlong(side: number, size: number): number {
  return Math.max(1, Math.ceil(side / size - SIDE_TOLERANCE));
}

/** Euclid's largest common measure of two lengths; remainders that are rounding are taken as 0. */
function commonMeasure(longer: number, shorter: number): number {
  const zero = SIDE_TOLERANCE * longer;
  let a = longer;
  let b = shorter;
  while (b >= zero) [a, b] = [b, a % b];
  return longer / Math.round(longer / a);
}
