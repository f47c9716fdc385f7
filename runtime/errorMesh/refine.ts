// Greedy insertion: puts the stop that lies farthest from its triangle into a triangulation, triangle by triangle, worst first, until no
// stop is farther than a bound. What errorMesh.simplify ends with; every stop is looked at in each triangle that holds it.
import type { StopLattice } from './stopLattice.js';
import type { Triangulation } from './triangulation.js';

/**
 * Triangles wait in bins by how far they are off, each bin's four times the last one's; the last takes all that are farther. Few bins, and from
 * each the newest first: what comes next lies near what came last, which counts for more than the order of errors does.
 */
const BINS = 24;
/** Twice the area, in places, of half a cell and of a whole one: a triangle with no stop but its corners, and one with another on a side's middle. */
const HALF_CELL = 4;
const CELL = 8;
/** Cells a side of the widest fan that is scanned as one: wider ones are few. */
const WIDEST = 64;
/** Places: rounding moves a row's ends by less, and a stop that is not on a side is farther from it. */
const SLACK = 1e-7;
/** Stops between two words of progress. */
const TOLD = 1 << 14;

export class Refiner {
  /** Metres: the farthest stop of each triangle, and which it is. */
  errors = new Float64Array(0);
  private worst = new Int32Array(0);
  // Doubly linked lists, one a bin; a triangle that is within the bound is in none (−1).
  private next = new Int32Array(0);
  private previous = new Int32Array(0);
  private bin = new Int8Array(0);
  private readonly heads = new Int32Array(BINS).fill(-1);
  private highest = -1;

  /** @param mesh its vertices' tags are stops of `lattice`. @param bound metres, above 0 */
  constructor(
    private readonly lattice: StopLattice,
    private readonly mesh: Triangulation,
    private readonly bound: number,
  ) {}

  /** Runs until all is within the bound. `progress` is told now and then how far off the worst stop may be, in metres. */
  run(progress?: (triangles: number, off: number) => void): void {
    const { mesh, lattice } = this;
    const { placeX, placeZ, cols } = lattice;
    if (this.errors.length < mesh.triangles) this.grow(Math.floor(mesh.corners.length / 3));
    for (let t = 0; t < mesh.triangles;) t = this.scanFan(t) ? t + 4 : this.scanOne(t);
    for (let t = 0; t < mesh.triangles; t++) if (this.errors[t] > this.bound) this.give(t);
    progress?.(mesh.triangles, this.bound * 4 ** (this.highest + 1));
    for (let turn = 1; this.highest >= 0; turn++) {
      if (progress && turn % TOLD === 0) progress(mesh.triangles, this.bound * 4 ** (this.highest + 1));
      const t = this.heads[this.highest];
      if (t < 0) {
        this.highest--;
        continue;
      }
      const stop = this.worst[t];
      mesh.insert(t, placeX[stop % cols], placeZ[(stop / cols) | 0], stop);
      this.look();
    }
  }

  /** Metres: the farthest that any stop is off. */
  get maxError(): number {
    let most = 0;
    for (let t = 0; t < this.mesh.triangles; t++) if (this.errors[t] > most) most = this.errors[t];
    return most;
  }

  /** Looks at the triangles that changed. */
  private look(): void {
    const { mesh } = this;
    if (this.errors.length < mesh.triangles) this.grow(Math.floor(mesh.corners.length / 3));
    for (let k = 0; k < mesh.changes; k++) {
      const t = mesh.changed[k];
      this.take(t);
      this.scan(t);
      if (this.errors[t] > this.bound) this.give(t);
    }
    mesh.settle();
  }

  private scanOne(t: number): number {
    this.scan(t);
    return t + 1;
  }

  /** Scans the four triangles from `t` on at once if they are the whole fan of a square off the rim; answers whether they are. */
  private scanFan(t: number): boolean {
    const { corners, tag, triangles } = this.mesh;
    const e = 3 * t;
    const apex = corners[e];
    const a = corners[e + 1];
    if (t + 4 > triangles || corners[e + 9] !== apex || corners[e + 11] !== a) return false;
    if (corners[e + 3] !== apex || corners[e + 6] !== apex) return false;
    const b = corners[e + 2];
    const c = corners[e + 5];
    const d = corners[e + 8];
    if (!this.isInner(a) || !this.isInner(c)) return false;
    const { cols, heights } = this.lattice;
    const side = tag[c] - tag[b];
    if (tag[b] - tag[a] !== side * cols || side > WIDEST || (side & (side - 1)) !== 0) return false;
    const top = heights[tag[apex]];
    this.scanQuarter(t, tag[a], cols, 1, side, top);
    this.scanQuarter(t + 1, tag[b], 1, -cols, side, top);
    this.scanQuarter(t + 2, tag[c], -cols, -1, side, top);
    this.scanQuarter(t + 3, tag[d], -1, cols, side, top);
    return true;
  }

  /** Scans a fan's triangle over `side` cells from stop `from`, `along` between stops of its side and `inward` between rows toward the centre, which is at height `top`. */
  private scanQuarter(
    t: number,
    from: number,
    along: number,
    inward: number,
    side: number,
    top: number,
  ): void {
    const { heights } = this.lattice;
    const begin = heights[from];
    const slope = (heights[from + side * along] - begin) / side;
    const half = side >> 1;
    const rise = (top - begin) / half;
    let error = 0;
    let worst = from;
    for (let row = 0; row < half; row++) {
      let at = from + row * (along + inward);
      let value = begin + row * rise;
      let count = side - 2 * row;
      if (row === 0) {
        at += along;
        value += slope;
        count -= 2;
      }
      for (; count >= 0; count--) {
        const off = Math.abs(value - heights[at]);
        if (off > error) {
          error = off;
          worst = at;
        }
        at += along;
        value += slope;
      }
    }
    this.errors[t] = error;
    this.worst[t] = worst;
  }

  /** Finds a triangle's farthest stop. */
  private scan(t: number): void {
    const { corners, x, z, tag } = this.mesh;
    const { heights, cols, placeZ } = this.lattice;
    let a = corners[3 * t];
    let b = corners[3 * t + 1];
    let c = corners[3 * t + 2];
    const ab = x[b] - x[a];
    const ac = x[c] - x[a];
    const down = z[b] - z[a];
    const far = 2 * cols - 4;
    const twice = Math.abs(ab * (z[c] - z[a]) - ac * down);
    if (twice <= CELL && this.isInner(a) && this.isInner(b) && this.isInner(c)) {
      this.errors[t] = 0;
      if (twice === HALF_CELL) return;
      // A side has a stop in its middle where it is an even number of cells long along both axes.
      if (((ab | down) & 3) !== 0) {
        const other = a;
        a = c;
        if (((ac | (z[c] - z[other])) & 3) === 0) b = other;
      }
      const middle = (tag[a] + tag[b]) >> 1;
      this.errors[t] = Math.abs((heights[tag[a]] + heights[tag[b]]) / 2 - heights[middle]);
      this.worst[t] = middle;
      return;
    }
    // By rising z: a, b, c.
    let swap = a;
    if (z[b] < z[a]) {
      a = b;
      b = swap;
    }
    if (z[c] < z[a]) {
      swap = a;
      a = c;
      c = swap;
    }
    if (z[c] < z[b]) {
      swap = b;
      b = c;
      c = swap;
    }
    const ax = x[a];
    const az = z[a];
    const ah = heights[tag[a]];
    const bx = x[b] - ax;
    const bz = z[b] - az;
    const bh = heights[tag[b]] - ah;
    const cx = x[c] - ax;
    const cz = z[c] - az;
    const ch = heights[tag[c]] - ah;
    const area = bx * cz - cx * bz;
    const part = 1 / area;
    const gx = (bh * cz - ch * bz) * part;
    const gz = (ch * bx - bh * cx) * part;
    const step = 2 * gx;
    let error = 0;
    let worst = 0;
    // How far the three sides go along X a row, the one from a to c on one side of the row, the other two on the other.
    const long = cz > 0 ? cx / cz : cx;
    const upper = bz > 0 ? bx / bz : 0;
    const lower = cz > bz ? (cx - bx) / (cz - bz) : 0;
    // A corner that is alone on its row is all that there is of the triangle on it.
    const first = ((tag[a] / cols) | 0) + (bz > 0 ? 1 : 0);
    const last = ((tag[c] / cols) | 0) - (cz > bz ? 1 : 0);
    for (let j = first; j <= last; j++) {
      const dz = placeZ[j] - az;
      const one = ax + (cz > 0 ? dz * long : cx);
      const other = dz < bz ? ax + dz * upper : ax + bx + (dz - bz) * lower;
      const low = (one < other ? one : other) - SLACK;
      const high = (one < other ? other : one) + SLACK;
      // Stops lie at odd places, but for the rim's.
      let i = low < 0 ? 0 : low > far - 1 ? cols - 1 : ((low + 1) >> 1) + 1;
      let end = high < 1 ? 0 : high > far ? cols - 1 : (high + 1) >> 1;
      const base = ah + gz * dz - gx * ax;
      const row = j * cols;
      if (i === 0) {
        const off = Math.abs(base - heights[row]);
        if (off > error) {
          error = off;
          worst = row;
        }
        i = 1;
      }
      if (end === cols - 1) {
        const off = Math.abs(base + gx * far - heights[row + end]);
        if (off > error) {
          error = off;
          worst = row + end;
        }
        end--;
      }
      let value = base + gx * (2 * i - 1);
      for (let at = row + i; at <= row + end; at++) {
        const off = Math.abs(value - heights[at]);
        if (off > error) {
          error = off;
          worst = at;
        }
        value += step;
      }
    }
    // A corner is off by rounding alone.
    if (worst === tag[a] || worst === tag[b] || worst === tag[c]) error = 0;
    this.errors[t] = error;
    this.worst[t] = worst;
  }

  /** Whether a vertex lies off the rim, where stops are two places apart. */
  private isInner(vertex: number): boolean {
    const { x, z } = this.mesh;
    const { cols, rows } = this.lattice;
    return x[vertex] > 0 && z[vertex] > 0 && x[vertex] < 2 * cols - 4 && z[vertex] < 2 * rows - 4;
  }

  /** Puts a triangle into its bin. */
  private give(t: number): void {
    const times = this.errors[t] / this.bound;
    const bin =
      times < 2 ** 30 ? (31 - Math.clz32(times)) >> 1 : Math.min(BINS - 1, Math.floor(Math.log2(times) / 2));
    const head = this.heads[bin];
    this.bin[t] = bin;
    this.next[t] = head;
    this.previous[t] = -1;
    if (head >= 0) this.previous[head] = t;
    this.heads[bin] = t;
    if (bin > this.highest) this.highest = bin;
  }

  /** Takes a triangle out of its bin, if it is in one. */
  private take(t: number): void {
    const bin = this.bin[t];
    if (bin < 0) return;
    const next = this.next[t];
    const previous = this.previous[t];
    if (previous >= 0) this.next[previous] = next;
    else this.heads[bin] = next;
    if (next >= 0) this.previous[next] = previous;
    this.bin[t] = -1;
  }

  private grow(room: number): void {
    const bin = new Int8Array(room).fill(-1);
    bin.set(this.bin);
    this.bin = bin;
    const errors = new Float64Array(room);
    errors.set(this.errors);
    this.errors = errors;
    for (const list of ['worst', 'next', 'previous'] as const) {
      const longer = new Int32Array(room);
      longer.set(this[list]);
      this[list] = longer;
    }
  }
}
