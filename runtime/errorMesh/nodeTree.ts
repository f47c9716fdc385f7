// The quadtree over the cells of a lattice, as numbers: level k has nodes of 2^k cells a side, from 1 (two cells) up to the root, and a
// node is the number `start[k] + iz × columns[k] + ix`. Nodes that lie past the field's far edges have no number; those that reach
// over one are cut there. Level 0, the cells themselves, has none either: a node of level 1 stands for its four.
export class NodeTree {
  /** Level of the root: 2^top cells span both axes. At least 1. */
  readonly top: number;
  readonly columns: Int32Array;
  readonly rows: Int32Array;
  readonly start: Int32Array;
  /** Nodes of all levels. */
  readonly count: number;

  constructor(
    readonly cellsX: number,
    readonly cellsZ: number,
  ) {
    this.top = Math.max(1, Math.ceil(Math.log2(Math.max(cellsX, cellsZ))));
    this.columns = new Int32Array(this.top + 1);
    this.rows = new Int32Array(this.top + 1);
    this.start = new Int32Array(this.top + 1);
    let count = 0;
    for (let level = 1; level <= this.top; level++) {
      this.columns[level] = Math.ceil(cellsX / 2 ** level);
      this.rows[level] = Math.ceil(cellsZ / 2 ** level);
      this.start[level] = count;
      count += this.columns[level] * this.rows[level];
    }
    this.count = count;
  }

  /** The number of a node, which must be one that there is. */
  id(level: number, ix: number, iz: number): number {
    return this.start[level] + iz * this.columns[level] + ix;
  }

  /** The number of the root. */
  get root(): number {
    return this.start[this.top];
  }
}

/**
 * Where a fan's centre stands along an axis of a node from stop `from` to stop `to`: in the middle, on the far side where a node that is cut
 * there is one cell wide, as it has no stop inside.
 */
export const apexOf = (from: number, to: number): number =>
  to - from === 1 ? to : from + ((to - from) >> 1);
