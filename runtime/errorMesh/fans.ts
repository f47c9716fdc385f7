// Triangles of a quadtree's nodes: a fan around each node's centre that takes in every vertex which finer neighbours have on its edges,
// however much finer they are, so that no vertex stands on another node's edge without being its own. Indices name stops of the lattice.
//
//     0────1────2      top, right, bottom and left edge are each one triangle with the centre where the neighbour is
//     │\   │   /│      no finer, else one more for each vertex of it there. A node of level 1 that is split is its four
//     │ \  │  / │      cells, each two triangles that meet on the diagonal of heightAt.
//     3────4────5
//
// After the article's drawing algorithm; nodes cut at a far edge of the field have their centre elsewhere (nodeTree.ts).
import { HIDDEN_BIT } from './errorCut.js';
import { apexOf, type NodeTree } from './nodeTree.js';
import type { StopLattice } from './stopLattice.js';

/** Indices to begin with, unless told. */
const LEAST = 3 * 1024;

export class Fans {
  /** Three indices a triangle, counter-clockwise seen from above; the first `count` count. */
  indices: Uint32Array;
  count = 0;
  /** What `indices` held before `begin`. */
  private old: Uint32Array = new Uint32Array(0);
  private apex = 0;
  private previous = 0;
  private split = 0;

  /** @param flags a mark a node of the tree; those that are split have one mark of their own. @param room indices to begin with */
  constructor(
    private readonly lattice: StopLattice,
    private readonly tree: NodeTree,
    private readonly flags: Int32Array,
    room = LEAST,
  ) {
    this.indices = new Uint32Array(room);
  }

  /** Begins anew; what there was can be put again with `keep`. */
  begin(): void {
    const { indices } = this;
    this.indices = this.old.length > 0 ? this.old : new Uint32Array(LEAST);
    this.old = indices;
    this.count = 0;
  }

  /** Puts `count` indices from the ones before `begin`, from `first` on. */
  keep(first: number, count: number): void {
    const at = this.count;
    while (at + count > this.indices.length) this.grow();
    const { indices, old } = this;
    for (let k = 0; k < count; k++) indices[at + k] = old[first + k];
    this.count = at + count;
  }

  /** Puts a node that is not split. It must have ground all over. `split` is the mark of those that are. */
  putNode(level: number, ix: number, iz: number, split: number): void {
    const { tree } = this;
    const { cellsX, cellsZ } = tree;
    const fromX = ix << level;
    const fromZ = iz << level;
    const toX = Math.min(fromX + (1 << level), cellsX);
    const toZ = Math.min(fromZ + (1 << level), cellsZ);
    if (toX - fromX === 1 && toZ - fromZ === 1) return this.putCell(fromX, fromZ);
    this.split = split;
    const id = tree.id(level, ix, iz);
    const apexX = apexOf(fromX, toX);
    const apexZ = apexOf(fromZ, toZ);
    const { cols } = this.lattice;
    this.apex = apexZ * cols + apexX;
    const corner = fromZ * cols + fromX;
    const far = toZ * cols + toX;
    // Left edge, downwards; a centre on the far side has no triangle with that side.
    this.previous = corner;
    if (ix > 0 && this.isSplit(id - 1)) this.alongZ(level, ix - 1, iz, 1, fromX, true);
    this.put(toZ * cols + fromX);
    if (apexZ < toZ) {
      if (iz + 1 < tree.rows[level] && this.isSplit(id + tree.columns[level]))
        this.alongX(level, ix, iz + 1, 0, toZ, true);
      this.put(far);
    } else this.previous = far;
    if (apexX < toX) {
      if (ix + 1 < tree.columns[level] && this.isSplit(id + 1)) this.alongZ(level, ix + 1, iz, 0, toX, false);
      this.put(fromZ * cols + toX);
    } else this.previous = fromZ * cols + toX;
    if (iz > 0 && this.isSplit(id - tree.columns[level])) this.alongX(level, ix, iz - 1, 1, fromZ, false);
    this.put(corner);
  }

  /** Puts the cells of a node of level 1 that is split, those of them that have ground. */
  putCells(ix: number, iz: number): void {
    const { cellsX, cellsZ } = this.tree;
    const toX = Math.min(2 * ix + 2, cellsX);
    const toZ = Math.min(2 * iz + 2, cellsZ);
    for (let j = 2 * iz; j < toZ; j++) for (let i = 2 * ix; i < toX; i++) this.putCell(i, j);
  }

  private putCell(i: number, j: number): void {
    const { lattice } = this;
    if (!lattice.hasGround(i, j)) return;
    const corner = j * lattice.cols + i;
    const below = corner + lattice.cols;
    this.triangle(corner, below, corner + 1);
    this.triangle(corner + 1, below, below + 1);
  }

  /** Puts the vertices that a neighbour has on its edge at stop column `x`: on its `side` (0: −X, 1: +X), downwards or upwards. */
  private alongZ(level: number, ix: number, iz: number, side: number, x: number, down: boolean): void {
    const { tree } = this;
    if (!this.isSplit(tree.id(level, ix, iz))) return;
    const middle = (2 * iz + 1) << (level - 1);
    const whole = middle < tree.cellsZ;
    if (level === 1) {
      if (whole) this.put(middle * this.lattice.cols + x);
      return;
    }
    if (!whole) return this.alongZ(level - 1, 2 * ix + side, 2 * iz, side, x, down);
    this.alongZ(level - 1, 2 * ix + side, 2 * iz + (down ? 0 : 1), side, x, down);
    this.put(middle * this.lattice.cols + x);
    this.alongZ(level - 1, 2 * ix + side, 2 * iz + (down ? 1 : 0), side, x, down);
  }

  /** As alongZ, for an edge at stop row `z`, rightwards or leftwards. */
  private alongX(level: number, ix: number, iz: number, side: number, z: number, right: boolean): void {
    const { tree } = this;
    if (!this.isSplit(tree.id(level, ix, iz))) return;
    const middle = (2 * ix + 1) << (level - 1);
    const whole = middle < tree.cellsX;
    if (level === 1) {
      if (whole) this.put(z * this.lattice.cols + middle);
      return;
    }
    if (!whole) return this.alongX(level - 1, 2 * ix, 2 * iz + side, side, z, right);
    this.alongX(level - 1, 2 * ix + (right ? 0 : 1), 2 * iz + side, side, z, right);
    this.put(z * this.lattice.cols + middle);
    this.alongX(level - 1, 2 * ix + (right ? 1 : 0), 2 * iz + side, side, z, right);
  }

  private isSplit(id: number): boolean {
    return (this.flags[id] & ~HIDDEN_BIT) === this.split;
  }

  /** The next vertex along a node's rim: a triangle with the centre and the one before. */
  private put(vertex: number): void {
    this.triangle(this.apex, this.previous, vertex);
    this.previous = vertex;
  }

  private triangle(a: number, b: number, c: number): void {
    if (this.count + 3 > this.indices.length) this.grow();
    const at = this.count;
    this.indices[at] = a;
    this.indices[at + 1] = b;
    this.indices[at + 2] = c;
    this.count = at + 3;
  }

  private grow(): void {
    const larger = new Uint32Array(this.indices.length * 2);
    larger.set(this.indices);
    this.indices = larger;
  }
}
