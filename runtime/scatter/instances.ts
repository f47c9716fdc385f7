// A scatter's instances on the CPU: numbered without gaps, each with its place in doubles and the record that the GPU
// reads. Placing anew fills the table in the order of cells; following an edit touches only the cells it covers: one
// that loses its instance gives its number to the last one, a new one is added at the end.
import type { Rect } from '../terrain/heightfield.js';
import { nowhere, type Placed, type Placement } from './placement.js';

/** Words of a record: ScatterInstance of shaders/include/scatter.wgsl. */
export const RECORD_WORDS = 8;

const LEAST = 64;
/** Room at first, before it is known how many stand: what costs little to clear. */
const FIRST = 2 ** 17;
/** Room for so many times the instances, so that edits seldom make the table grow. */
const SLACK = 1.25;

export class Instances {
  count = 0;
  /** x, y, z of each, world metres. */
  places = new Float64Array(0);
  /** Place from `origin`, scale, turn (x, y, z, w) of each. */
  records = new Float32Array(0);
  /** What records count from, world metres. */
  readonly origin: { readonly x: number; readonly y: number; readonly z: number };
  /** The cell of each instance, and the instance of each cell, -1 for none. */
  private cellOf = new Uint32Array(0);
  private readonly slotOf: Int32Array;
  /** Where a record is made. */
  private readonly fresh = new Float32Array(RECORD_WORDS);

  /** Places all. Throws what the placement's filter throws. */
  constructor(
    readonly placement: Placement,
    middleHeight: number,
  ) {
    const { part, cells } = placement;
    this.origin = { x: (part.minX + part.maxX) / 2, y: middleHeight, z: (part.minZ + part.maxZ) / 2 };
    this.slotOf = new Int32Array(cells).fill(-1);
    this.resize(Math.min(cells, FIRST));
    const placed = nowhere();
    for (let cell = 0; cell < cells; cell++) if (placement.stands(cell, placed)) this.add(cell, placed);
    this.resize(Math.max(LEAST, Math.ceil(this.count * SLACK)));
  }

  /** Instances that fit before the table grows. */
  get capacity(): number {
    return this.cellOf.length;
  }

  /**
   * Places the cells of a closed rect of world anew. Answers how many it asked, and the numbers whose records changed,
   * in ascending order. Nothing changes where the placement's filter throws.
   */
  follow(rect: Rect): { asked: number; changed: number[] } {
    const { placement } = this;
    const fresh: { cell: number; placed: Placed | null }[] = [];
    placement.visit(rect, (cell) => {
      const placed = nowhere();
      fresh.push({ cell, placed: placement.stands(cell, placed) ? placed : null });
    });
    const changed = new Set<number>();
    for (const { cell, placed } of fresh) {
      const slot = this.slotOf[cell];
      if (placed && slot >= 0) {
        if (this.write(slot, placed)) changed.add(slot);
      } else if (placed) {
        this.add(cell, placed);
        changed.add(this.count - 1);
      } else if (slot >= 0) {
        const last = --this.count;
        this.slotOf[cell] = -1;
        changed.delete(last);
        if (slot === last) continue;
        this.move(last, slot);
        changed.add(slot);
      }
    }
    return { asked: fresh.length, changed: [...changed].sort((a, b) => a - b) };
  }

  private add(cell: number, placed: Placed): void {
    if (this.count === this.capacity) this.resize(Math.max(LEAST, this.capacity * 2));
    this.slotOf[cell] = this.count;
    this.cellOf[this.count] = cell;
    this.write(this.count++, placed);
  }

  /** Gives the instance number `from` the number `to`. */
  private move(from: number, to: number): void {
    this.places.copyWithin(to * 3, from * 3, from * 3 + 3);
    this.records.copyWithin(to * RECORD_WORDS, from * RECORD_WORDS, (from + 1) * RECORD_WORDS);
    this.cellOf[to] = this.cellOf[from];
    this.slotOf[this.cellOf[to]] = to;
  }

  /** Answers whether the record is another than before. */
  private write(slot: number, { x, y, z, scale, turn }: Placed): boolean {
    const { places, records, origin, fresh } = this;
    places[slot * 3] = x;
    places[slot * 3 + 1] = y;
    places[slot * 3 + 2] = z;
    fresh[0] = x - origin.x;
    fresh[1] = y - origin.y;
    fresh[2] = z - origin.z;
    fresh[3] = scale;
    fresh[4] = turn[0];
    fresh[5] = turn[1];
    fresh[6] = turn[2];
    fresh[7] = turn[3];
    const at = slot * RECORD_WORDS;
    let other = false;
    for (let word = 0; word < RECORD_WORDS; word++) {
      if (records[at + word] === fresh[word]) continue;
      records[at + word] = fresh[word];
      other = true;
    }
    return other;
  }

  private resize(capacity: number): void {
    const { count } = this;
    const moved = <T extends Float64Array | Float32Array | Uint32Array>(
      from: T,
      into: T,
      words: number,
    ): T => {
      into.set(from.subarray(0, count * words));
      return into;
    };
    this.places = moved(this.places, new Float64Array(capacity * 3), 3);
    this.records = moved(this.records, new Float32Array(capacity * RECORD_WORDS), RECORD_WORDS);
    this.cellOf = moved(this.cellOf, new Uint32Array(capacity), 1);
  }
}
