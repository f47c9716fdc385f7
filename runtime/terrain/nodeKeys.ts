// A table from a node (level, ix, iz) to a small whole number, on typed arrays: emptied by a stamp, grown by doubling,
// never an object a node. The cut finds its last entries by it and remembers what `keep` answered.

/** Level up to 255, ix and iz below 2^24 (the cut refuses trees past that). */
export class NodeKeys {
  count = 0;
  private stamp = 1;
  private mask: number;
  private stamps: Int32Array;
  private columns: Int32Array;
  private rows: Int32Array;
  private values: Int32Array;

  /** `capacity`: nodes it holds before it first grows. */
  constructor(capacity: number) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(4, capacity) * 2));
    this.mask = places - 1;
    this.stamps = new Int32Array(places);
    this.columns = new Int32Array(places);
    this.rows = new Int32Array(places);
    this.values = new Int32Array(places);
  }

  /** The number set for a node, or -1. */
  get(level: number, ix: number, iz: number): number {
    const place = this.find((level << 24) | ix, iz);
    return this.stamps[place] === this.stamp ? this.values[place] : -1;
  }

  /** Sets the number (0 or above) of a node. */
  set(level: number, ix: number, iz: number, value: number): void {
    if (this.count * 2 > this.mask) this.grow();
    this.put((level << 24) | ix, iz, value);
  }

  /** Forgets every node; keeps its room. */
  clear(): void {
    this.count = 0;
    if (++this.stamp < 2 ** 31 - 1) return;
    this.stamps.fill(0);
    this.stamp = 1;
  }

  private find(column: number, row: number): number {
    const { stamps, columns, rows, mask, stamp } = this;
    let hash = Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca6b);
    hash ^= hash >>> 15;
    let place = Math.imul(hash, 0xc2b2ae35) >>> 7;
    for (place &= mask; stamps[place] === stamp; place = (place + 1) & mask) {
      if (columns[place] === column && rows[place] === row) return place;
    }
    return place;
  }

  private put(column: number, row: number, value: number): void {
    const place = this.find(column, row);
    if (this.stamps[place] !== this.stamp) {
      this.stamps[place] = this.stamp;
      this.columns[place] = column;
      this.rows[place] = row;
      this.count++;
    }
    this.values[place] = value;
  }

  private grow(): void {
    const { stamps, columns, rows, values, stamp } = this;
    const places = stamps.length * 2;
    this.mask = places - 1;
    this.stamps = new Int32Array(places);
    this.columns = new Int32Array(places);
    this.rows = new Int32Array(places);
    this.values = new Int32Array(places);
    this.count = 0;
    for (let k = 0; k < stamps.length; k++) {
      if (stamps[k] === stamp) this.put(columns[k], rows[k], values[k]);
    }
  }
}
