// The lowest and highest ground of every node of a cut's quadtree, one look-up each, whatever the field's size.
//
// Why a node's own texels grown by one on each side are enough. The morph needs: the distance from the camera to a
// node's box is at most its distance to any of the node's vertices, where a vertex counts with its UNSNAPPED place p
// (clamped to the rect, so p is in the node's square and in the rect) and the height of its stop, the one nearest to p.
// Let c be the texel column that p stands in, floor(p / texel).
//  - A texel centre or an edge of the field nearest to p has the height of column c, or of c - 1 where p is midway
//    between two centres and takes the lower. Past the field it is the outermost column, to which c clamps.
//  - An edge of the cut's own rect that is a stop lies between centres k and k + 1 and has a height between those of
//    columns k and k + 1. If it is nearest to p, no centre stands between p and it, so c is k or k + 1, and both
//    columns are within one of c.
// So the columns floor(a / texel) - 1 .. ceil(b / texel) of a node from a to b hold every stop's height; rows alike.
// The vertices that a node's morph aims at, (i >> j) << j for its index i, stand in its own square as well for every
// j up to log2(nodeVerts - 1), because its first index is a multiple of nodeVerts - 1. Beyond, they are in an ancestor.
// A child's columns are among its parent's, so bounds are nested and a child's ratio is never under its parent's.
import type { TexelArea } from './gradient.js';

/** What is read of a heightfield. */
export interface BoundedField {
  width: number;
  height: number;
  minX: number;
  minZ: number;
  texelX: number;
  texelZ: number;
  cpu: Float32Array;
}

/** The tree: its corner and the rect it tiles, metres, and its roots. */
export interface NodeGrid {
  cornerX: number;
  cornerZ: number;
  width: number;
  depth: number;
  rootSize: number;
  maxLevel: number;
}

/** Places this near to a texel's border, in texels, are on it: rounding never takes in another column. */
const ON_BORDER = 1e-6;
/** Levels are tabled while they have at most this share of the field's texels (and SMALL more) as nodes. */
const TABLED_SHARE = 1 / 16;
const SMALL = 4096;

/** One axis: which texels a node takes in. */
interface Axis {
  offset: number;
  texel: number;
  texels: number;
  side: number;
}

export class NodeBounds {
  /** The finest level in the tables; nodes below it are smaller than some 4 × 4 texels and are read off the texels. */
  readonly tabled: number;
  private readonly x: Axis;
  private readonly z: Axis;
  // Per level: the nodes that meet the field (columns × rows from firstX, firstZ); where tabled, their start in lows.
  private readonly firstX: Int32Array;
  private readonly firstZ: Int32Array;
  private readonly columns: Int32Array;
  private readonly rows: Int32Array;
  private readonly start: Int32Array;
  private readonly sizes: Float64Array;
  private readonly lows: Float32Array;
  private readonly highs: Float32Array;

  constructor(
    private readonly field: BoundedField,
    grid: NodeGrid,
  ) {
    this.x = {
      offset: field.minX - grid.cornerX,
      texel: field.texelX,
      texels: field.width,
      side: grid.width,
    };
    this.z = {
      offset: field.minZ - grid.cornerZ,
      texel: field.texelZ,
      texels: field.height,
      side: grid.depth,
    };
    const levels = grid.maxLevel + 1;
    this.firstX = new Int32Array(levels);
    this.firstZ = new Int32Array(levels);
    this.columns = new Int32Array(levels);
    this.rows = new Int32Array(levels);
    this.start = new Int32Array(levels);
    this.sizes = Float64Array.from({ length: levels }, (_, level) => grid.rootSize / 2 ** level);
    const most = field.width * field.height * TABLED_SHARE + SMALL;
    let total = 0;
    let tabled = -1;
    for (let level = 0; level < levels; level++) {
      const [fromX, toX] = nodesOver(this.x, this.sizes[level]);
      const [fromZ, toZ] = nodesOver(this.z, this.sizes[level]);
      const nodes = (toX - fromX + 1) * (toZ - fromZ + 1);
      this.firstX[level] = fromX;
      this.firstZ[level] = fromZ;
      this.columns[level] = toX - fromX + 1;
      this.rows[level] = toZ - fromZ + 1;
      if (tabled < level - 1 || (level > 0 && nodes > most)) continue;
      this.start[level] = total;
      total += nodes;
      tabled = level;
    }
    this.tabled = tabled;
    this.lows = new Float32Array(total);
    this.highs = new Float32Array(total);
    this.rebuild();
  }

  /** Writes a node's lowest and highest ground, metres, to out[at] and out[at + 1]. */
  read(level: number, ix: number, iz: number, out: Float64Array, at: number): void {
    // A node past the field takes the next one that meets it, whose texels hold the edge it would be drawn on.
    let column = ix - this.firstX[level];
    let row = iz - this.firstZ[level];
    const columns = this.columns[level];
    const rows = this.rows[level];
    if (column < 0) column = 0;
    else if (column >= columns) column = columns - 1;
    if (row < 0) row = 0;
    else if (row >= rows) row = rows - 1;
    if (level > this.tabled) {
      this.scan(level, this.firstX[level] + column, this.firstZ[level] + row, out, at);
      return;
    }
    const index = this.start[level] + row * columns + column;
    out[at] = this.lows[index];
    out[at + 1] = this.highs[index];
  }

  /** Reads the field's texels again: one pass over them for the finest tabled level, then each level from its children. */
  rebuild(): void {
    const pair = new Float64Array(2);
    const finest = this.tabled;
    for (let row = 0, index = this.start[finest]; row < this.rows[finest]; row++) {
      for (let column = 0; column < this.columns[finest]; column++, index++) {
        this.scan(finest, this.firstX[finest] + column, this.firstZ[finest] + row, pair, 0);
        this.lows[index] = pair[0];
        this.highs[index] = pair[1];
      }
    }
    for (let level = finest - 1; level >= 0; level--) this.gather(level);
  }

  /** Reads an edited area's texels again: the finest tabled nodes that take any of them in, then what stands above those. */
  update({ col, row, cols, rows }: TexelArea): void {
    const pair = new Float64Array(2);
    const finest = this.tabled;
    const size = this.sizes[finest];
    let [fromX, toX] = nodesReading(this.x, size, col, col + cols - 1);
    let [fromZ, toZ] = nodesReading(this.z, size, row, row + rows - 1);
    fromX = Math.max(fromX, this.firstX[finest]);
    fromZ = Math.max(fromZ, this.firstZ[finest]);
    toX = Math.min(toX, this.firstX[finest] + this.columns[finest] - 1);
    toZ = Math.min(toZ, this.firstZ[finest] + this.rows[finest] - 1);
    if (fromX > toX || fromZ > toZ) return; // the edit is outside the cut's rect
    for (let level = finest; level >= 0; level--) {
      for (let iz = fromZ; iz <= toZ; iz++) {
        for (let ix = fromX; ix <= toX; ix++) {
          if (level === finest) this.scan(level, ix, iz, pair, 0);
          else this.gatherOne(level, ix, iz, pair);
          const index = this.indexOf(level, ix, iz);
          this.lows[index] = pair[0];
          this.highs[index] = pair[1];
        }
      }
      fromX >>= 1;
      fromZ >>= 1;
      toX >>= 1;
      toZ >>= 1;
    }
  }

  private indexOf(level: number, ix: number, iz: number): number {
    return this.start[level] + (iz - this.firstZ[level]) * this.columns[level] + ix - this.firstX[level];
  }

  /** A tabled node from its children; those that do not meet the field are not there. */
  private gatherOne(level: number, ix: number, iz: number, out: Float64Array): void {
    const below = level + 1;
    const lastX = this.firstX[below] + this.columns[below] - 1;
    const lastZ = this.firstZ[below] + this.rows[below] - 1;
    out[0] = Infinity;
    out[1] = -Infinity;
    for (let z = Math.max(2 * iz, this.firstZ[below]); z <= Math.min(2 * iz + 1, lastZ); z++) {
      for (let x = Math.max(2 * ix, this.firstX[below]); x <= Math.min(2 * ix + 1, lastX); x++) {
        const child = this.indexOf(below, x, z);
        if (this.lows[child] < out[0]) out[0] = this.lows[child];
        if (this.highs[child] > out[1]) out[1] = this.highs[child];
      }
    }
  }

  /** A tabled level from the one below it. Its nodes' texels are the union of their children's. */
  private gather(level: number): void {
    const from = this.start[level];
    this.lows.fill(Infinity, from, this.start[level + 1]);
    this.highs.fill(-Infinity, from, this.start[level + 1]);
    let child = this.start[level + 1];
    for (let row = 0; row < this.rows[level + 1]; row++) {
      const above = ((this.firstZ[level + 1] + row) >> 1) - this.firstZ[level];
      for (let column = 0; column < this.columns[level + 1]; column++, child++) {
        const left = ((this.firstX[level + 1] + column) >> 1) - this.firstX[level];
        const index = from + above * this.columns[level] + left;
        if (this.lows[child] < this.lows[index]) this.lows[index] = this.lows[child];
        if (this.highs[child] > this.highs[index]) this.highs[index] = this.highs[child];
      }
    }
  }

  /** The range of a node's texels, grown by one on each side, off the pixels. */
  private scan(level: number, ix: number, iz: number, out: Float64Array, at: number): void {
    const { cpu, width } = this.field;
    const size = this.sizes[level];
    const fromX = firstTexel(this.x, ix * size);
    const toX = lastTexel(this.x, (ix + 1) * size);
    const fromZ = firstTexel(this.z, iz * size);
    const toZ = lastTexel(this.z, (iz + 1) * size);
    let low = Infinity;
    let high = -Infinity;
    for (let j = fromZ; j <= toZ; j++) {
      const end = (j * width + toX) * 4;
      for (let word = (j * width + fromX) * 4; word <= end; word += 4) {
        const height = cpu[word];
        if (height < low) low = height;
        if (height > high) high = height;
      }
    }
    out[at] = low;
    out[at + 1] = high;
  }
}

/** The first and last node of `size` metres along an axis that meet both the field and the rect; never none. */
function nodesOver({ offset, texel, texels, side }: Axis, size: number): [number, number] {
  const border = (ON_BORDER * texel) / size;
  const first = Math.floor(Math.max(0, offset) / size + border);
  const last = Math.ceil(Math.min(side, offset + texels * texel) / size - border) - 1;
  return [first, Math.max(first, last)];
}

/** The first and last node of `size` metres that may take in a column from `first` to `last`: one more is no harm. */
function nodesReading({ offset, texel }: Axis, size: number, first: number, last: number): [number, number] {
  return [
    Math.floor(((first - 1) * texel + offset) / size) - 1,
    Math.floor(((last + 2) * texel + offset) / size),
  ];
}

/** The column before the one that a node's near side stands in, within the field. */
function firstTexel({ offset, texel, texels }: Axis, near: number): number {
  const column = Math.floor((near - offset) / texel + ON_BORDER) - 1;
  return column < 0 ? 0 : column < texels ? column : texels - 1;
}

/** The column after the one that a node's far side (or the rect's) stands in, within the field. */
function lastTexel({ offset, texel, texels, side }: Axis, far: number): number {
  const column = Math.ceil(((far < side ? far : side) - offset) / texel - ON_BORDER);
  return column < 0 ? 0 : column < texels ? column : texels - 1;
}
