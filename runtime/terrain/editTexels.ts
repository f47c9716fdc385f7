// Heights set in a heightfield's own copy of the texels: the checks, the write, and the gradients around it. Called by
// heightfield.ts alone.
import { checkInteger, MoonscapeError, refuse, show } from '../errors.js';
import { putGradientsX, putGradientsZ, type TexelArea, type TexelGrid } from './gradient.js';
import type { Rect } from './surfaceRange.js';
import { TEXEL_WORDS, type HeightRange } from './texels.js';

/** The texels `col`.. and `row`.. of a field, checked to lie in it. */
export function checkArea(
  where: string,
  { width, height }: { width: number; height: number },
  { col, row, cols, rows }: TexelArea,
): TexelArea {
  checkInteger(where, 'col', col, { min: 0, max: width - 1 });
  checkInteger(where, 'row', row, { min: 0, max: height - 1 });
  checkInteger(where, 'cols', cols, { min: 1, max: width - col });
  checkInteger(where, 'rows', rows, { min: 1, max: height - row });
  return { col, row, cols, rows };
}

/**
 * A copy of `heights` (metres, one a texel of `area`, row-major) as texels hold them. Refuses another length, and numbers that are
 * not finite in single precision or not in the `declared` range, each with its count and first place.
 */
export function checkHeights(
  where: string,
  area: TexelArea,
  heights: ArrayLike<number>,
  declared: HeightRange | null,
): Float32Array {
  const length = area.cols * area.rows;
  const rule = `a list of ${length} heights (${area.cols} × ${area.rows} texels)`;
  if (typeof heights !== 'object' || heights === null || typeof heights.length !== 'number')
    refuse(where, 'heights', rule, heights);
  if (heights.length !== length) refuse(where, 'heights', rule, heights.length);
  const values = new Float32Array(length);
  const low = declared ? Math.fround(declared.low) : -Infinity;
  const high = declared ? Math.fround(declared.high) : Infinity;
  let [wrong, firstWrong, outside, firstOutside] = [0, -1, 0, -1];
  for (let k = 0; k < length; k++) {
    const height: unknown = heights[k];
    values[k] = typeof height === 'number' ? height : NaN;
    if (values[k] * 0 !== 0) {
      if (wrong++ === 0) firstWrong = k;
    } else if (values[k] < low || values[k] > high) {
      if (outside++ === 0) firstOutside = k;
    }
  }
  const place = (k: number) =>
    `the first for column ${area.col + (k % area.cols)}, row ${area.row + Math.floor(k / area.cols)}`;
  if (wrong > 0)
    throw new MoonscapeError(
      `${where}: every height must be a finite number (in single precision), got ${wrong} that ` +
        `${wrong === 1 ? 'is' : 'are'} not, ${place(firstWrong)} (${show(heights[firstWrong])})`,
    );
  if (declared && outside > 0)
    throw new MoonscapeError(
      `${where}: heightRange { ${declared.low}, ${declared.high} } must hold every height, got ${outside} outside it, ` +
        `${place(firstOutside)} (${values[firstOutside]} m)`,
    );
  return values;
}

/**
 * Sets the heights of `area` and their coverage to 1, and takes again each gradient whose difference reads one of them.
 * Refuses heights so far apart that a gradient is not finite; the texels are then as they were.
 */
export function putHeights(where: string, grid: TexelGrid, area: TexelArea, heights: Float32Array): void {
  const { texels, width } = grid;
  const around = grow(grid, area);
  const before = copyOut(grid, around);
  for (let j = 0, k = 0; j < area.rows; j++) {
    let at = ((area.row + j) * width + area.col) * TEXEL_WORDS;
    for (let i = 0; i < area.cols; i++, at += TEXEL_WORDS) {
      texels[at] = heights[k++];
      texels[at + 3] = 1;
    }
  }
  // A texel's gradient along X reads its row, along Z its column, one texel to each side.
  putGradientsX(grid, { ...area, col: around.col, cols: around.cols });
  putGradientsZ(grid, { ...area, row: around.row, rows: around.rows });
  const steep = firstSteep(grid, around);
  if (steep === null) return;
  copyIn(grid, around, before);
  throw new MoonscapeError(
    `${where}: heights must make finite gradients, got neighbours too far apart at column ${steep[0]}, row ${steep[1]}`,
  );
}

/** Rows of `width` texels, four words each. */
export type TexelRows = Pick<TexelGrid, 'texels' | 'width'>;

/** An area and the texels next to it, within the field. */
export function grow({ width, height }: { width: number; height: number }, area: TexelArea): TexelArea {
  const col = Math.max(area.col - 1, 0);
  const row = Math.max(area.row - 1, 0);
  return {
    col,
    row,
    cols: Math.min(area.col + area.cols + 1, width) - col,
    rows: Math.min(area.row + area.rows + 1, height) - row,
  };
}

/** The first texel of an area whose gradient is not finite, or null. */
function firstSteep(
  { texels, width }: TexelGrid,
  { col, row, cols, rows }: TexelArea,
): [number, number] | null {
  for (let j = row; j < row + rows; j++) {
    for (let i = col; i < col + cols; i++) {
      const at = (j * width + i) * TEXEL_WORDS;
      if (texels[at + 1] * 0 !== 0 || texels[at + 2] * 0 !== 0) return [i, j];
    }
  }
  return null;
}

/** The texels of an area, four words each, row-major. */
export function copyOut({ texels, width }: TexelRows, { col, row, cols, rows }: TexelArea): Float32Array {
  const run = cols * TEXEL_WORDS;
  const block = new Float32Array(run * rows);
  for (let j = 0; j < rows; j++) {
    const at = ((row + j) * width + col) * TEXEL_WORDS;
    block.set(texels.subarray(at, at + run), j * run);
  }
  return block;
}

/** Puts what copyOut took back. */
export function copyIn(
  { texels, width }: TexelRows,
  { col, row, cols, rows }: TexelArea,
  block: Float32Array,
): void {
  const run = cols * TEXEL_WORDS;
  for (let j = 0; j < rows; j++)
    texels.set(block.subarray(j * run, (j + 1) * run), ((row + j) * width + col) * TEXEL_WORDS);
}

/** `range`, grown to hold `heights`; the same object where it does. */
export function growRange(range: Readonly<HeightRange>, heights: Float32Array): Readonly<HeightRange> {
  let { low, high } = range;
  for (const height of heights) {
    if (height < low) low = height;
    if (height > high) high = height;
  }
  return low < range.low || high > range.high ? Object.freeze({ low, high }) : range;
}

/** What `changedRect` reads of a field: its rect and texels, metres. */
interface FieldRect extends Rect {
  readonly width: number;
  readonly height: number;
  readonly texelX: number;
  readonly texelZ: number;
}

/**
 * Where queries may answer otherwise after an edit: a normal is blended between texel centres, and the gradients of the
 * texels next to the area have changed, so it reaches to the second centre past it, or to the field's edge.
 */
export function changedRect(field: FieldRect, { col, row, cols, rows }: TexelArea): Rect {
  const { minX, minZ, maxX, maxZ, texelX, texelZ, width, height } = field;
  return {
    minX: col < 2 ? minX : minX + (col - 1.5) * texelX,
    minZ: row < 2 ? minZ : minZ + (row - 1.5) * texelZ,
    maxX: col + cols > width - 2 ? maxX : minX + (col + cols + 1.5) * texelX,
    maxZ: row + rows > height - 2 ? maxZ : minZ + (row + rows + 1.5) * texelZ,
  };
}
