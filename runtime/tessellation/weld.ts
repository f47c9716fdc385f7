// Rows of words that are the same bits get the same number: how corners of triangles find each other by place. An open-addressing
// hash over typed arrays, for a string a row costs ten times as much. Called by SourceMesh.

export class Weld {
  /** How many different rows there are so far; they are numbered in the order in which they came. */
  count = 0;
  private readonly slots: Int32Array;
  private readonly rows: Uint32Array;

  /** @param width words a row; `most` the most rows that will come */
  constructor(
    private readonly width: number,
    most: number,
  ) {
    this.slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(most, 4) * 2))).fill(-1);
    this.rows = new Uint32Array(Math.max(most, 1) * width);
  }

  /** The number of the row of `words` that begins at `at`. */
  number(words: Uint32Array, at: number): number {
    const { width, slots, rows } = this;
    let hash = 0x811c9dc5;
    for (let k = 0; k < width; k++) {
      hash = Math.imul(hash ^ words[at + k], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const known = slots[slot];
      if (known < 0) {
        slots[slot] = this.count;
        for (let k = 0; k < width; k++) rows[this.count * width + k] = words[at + k];
        return this.count++;
      }
      let same = true;
      for (let k = 0; same && k < width; k++) same = rows[known * width + k] === words[at + k];
      if (same) return known;
    }
  }
}
