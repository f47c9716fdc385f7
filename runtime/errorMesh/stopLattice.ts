// The points that error-driven meshes are made of: the collider's stops (near edge, texel centres, far edge along each axis), so
// that the finest mesh is the surface that heightAt answers. Knows the heightfield alone; follows nothing by itself.
import type { TexelArea } from '../terrain/gradient.js';
import type { GroundSurface } from '../terrain/groundSurface.js';
import { TEXEL_WORDS } from '../terrain/texels.js';

/** What a lattice is read from: texels over a rect, and its holes. */
export type LatticeField = Pick<
  GroundSurface,
  | 'width'
  | 'height'
  | 'minX'
  | 'minZ'
  | 'maxX'
  | 'maxZ'
  | 'texelX'
  | 'texelZ'
  | 'cpu'
  | 'mask'
  | 'cellHasGround'
>;

/** Stops an area of texels has along an axis of `texels`: first and last, a rim among them where its texel is. */
const stopsOf = (from: number, count: number, texels: number) => ({
  first: from === 0 ? 0 : from + 1,
  last: from + count === texels ? texels + 1 : from + count,
});

export class StopLattice {
  /** Stops along X and Z: two more than texels. Stop (i, j) is number j × cols + i. */
  readonly cols: number;
  readonly rows: number;
  /** Cells between them; a cell (i, j) lies between the stops (i, j) and (i + 1, j + 1). */
  readonly cellsX: number;
  readonly cellsZ: number;
  /** Metres of height: rows × cols, row-major. */
  readonly heights: Float32Array;
  /** World metres of each column and row. */
  readonly worldX: Float64Array;
  readonly worldZ: Float64Array;
  /** Twice the place in texels from the rect's corner, a whole number: 0, 1, 3, 5, …, 2W − 1, 2W. */
  readonly placeX: Int32Array;
  readonly placeZ: Int32Array;

  constructor(readonly field: LatticeField) {
    const { width, height, minX, minZ, maxX, maxZ, texelX, texelZ } = field;
    this.cols = width + 2;
    this.rows = height + 2;
    this.cellsX = width + 1;
    this.cellsZ = height + 1;
    this.heights = new Float32Array(this.cols * this.rows);
    this.worldX = alongAxis(minX, maxX, texelX, width);
    this.worldZ = alongAxis(minZ, maxZ, texelZ, height);
    this.placeX = placesOf(width);
    this.placeZ = placesOf(height);
    this.read({ col: 0, row: 0, cols: width, rows: height });
  }

  /** Stops of the lattice. */
  get count(): number {
    return this.cols * this.rows;
  }

  /** Reads an area of texels again; answers the stops that it changed, both ends included. */
  read(area: TexelArea): { fromX: number; toX: number; fromZ: number; toZ: number } {
    const { field, cols, heights } = this;
    const { width, height, cpu } = field;
    const x = stopsOf(area.col, area.cols, width);
    const z = stopsOf(area.row, area.rows, height);
    for (let j = z.first; j <= z.last; j++) {
      const row = (j < 1 ? 0 : j > height ? height - 1 : j - 1) * width;
      const at = j * cols;
      for (let i = x.first; i <= x.last; i++) {
        const column = i < 1 ? 0 : i > width ? width - 1 : i - 1;
        heights[at + i] = cpu[(row + column) * TEXEL_WORDS];
      }
    }
    return { fromX: x.first, toX: x.last, fromZ: z.first, toZ: z.last };
  }

  /** Whether a cell has ground: it is drawn and not cut out. */
  hasGround(i: number, j: number): boolean {
    return this.field.cellHasGround(i - 1, j - 1);
  }

  /** Whether there are holes at all. */
  get masked(): boolean {
    return this.field.mask !== null;
  }
}

function alongAxis(min: number, max: number, texel: number, texels: number): Float64Array {
  const world = new Float64Array(texels + 2);
  world[0] = min;
  for (let k = 0; k < texels; k++) world[k + 1] = min + (k + 0.5) * texel;
  world[texels + 1] = max;
  return world;
}

function placesOf(texels: number): Int32Array {
  const places = new Int32Array(texels + 2);
  for (let k = 1; k <= texels; k++) places[k] = 2 * k - 1;
  places[texels + 1] = 2 * texels;
  return places;
}
