// Greedy insertion: puts the stop that lies farthest from its triangle into a triangulation, triangle by triangle, worst first, until no
// stop is farther than a bound. What errorMesh.simplify ends with; every stop is looked at in each triangle that holds it.
import type { StopLattice } from './stopLattice.js';
import type { Triangulation } from './triangulation.js';

/**
 * Triangles wait in bins by how far they are off, each bin's four times the last one's; the last takes all that are farther. Few bins, and from
 * each the newest first: what comes next lies near what came last, which counts for more than the order of errors does.
 */
const BINS = 24;
/** Twice the area of half a cell, in places: a triangle that holds no stop but its corners. */
const HALF_CELL = 4;
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
    this.look();
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
    if (this.errors.length < mesh.corners.length / 3) this.grow(mesh.corners.length / 3);
    for (let k = 0; k < mesh.changes; k++) {
      const t = mesh.changed[k];
      this.take(t);
      this.scan(t);
      if (this.errors[t] > this.bound) this.give(t);
    }
    mesh.settle();
  }

  /** Finds a triangle's farthest stop. */
  private scan(t: number): void {
    const { corners, x, z, tag } = this.mesh;
    const { heights, cols, rows, placeZ } = this.lattice;
    let a = corners[3 * t];
    let b = corners[3 * t + 1];
    let c = corners[3 * t + 2];
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
    const far = 2 * cols - 4;
    const least = Math.min(ax, ax + bx, ax + cx);
    const most = Math.max(ax, ax + bx, ax + cx);
    if (least > 0 && most < far && Math.abs(area) === HALF_CELL && az > 0 && az + cz < 2 * rows - 4) {
      this.errors[t] = 0;
      return;
    }
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

  /** Puts a triangle into its bin. */
  private give(t: number): void {
    const bin = Math.min(BINS - 1, Math.floor(Math.log2(this.errors[t] / this.bound) / 2));
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
