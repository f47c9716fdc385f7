// Where the outlines of surfaces meet: their corners in world space, kept in a spatial hash, and those that stand on one
// place of a 0.1 mm grid joined. Filled by boundaries.ts. Costs what changes, not what stands.

/** Metres between the grid's points. */
export const GRID = 1e-4;
/**
 * Metres along each axis within which two corners are one though rounding has put them on two points of the grid. Under half
 * a cell it reaches one neighbouring cell along each axis, so that eight cells hold all that a corner may join.
 */
export const SLACK = 0.49 * GRID;

interface Point {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A corner of an outline in the world, metres; `C` is the corners' own type. */
export interface OutlineCorner<C> extends Point {
  /** Which corners stand where it stands; null while it is in no hash. */
  place: OutlinePlace<C> | null;
}

/** Corners that stand on one place: each within reach of another of them. */
export interface OutlinePlace<C> {
  readonly corners: C[];
}

const cellOf = (metres: number): number => Math.round(metres / GRID);

/** Cells whose hashes are equal share a bucket: what is in it is compared by place, so that this costs time alone. */
const bucketOf = (x: number, y: number, z: number): number =>
  Math.imul(x, 0x8da6b343) ^ Math.imul(y, 0xd8163841) ^ Math.imul(z, 0xcb1ab31f);

/** Whether two corners are one: on one point of the grid, or so near that only rounding parts them. */
export function meet(a: Point, b: Point): boolean {
  if (Math.abs(a.x - b.x) <= SLACK && Math.abs(a.y - b.y) <= SLACK && Math.abs(a.z - b.z) <= SLACK)
    return true;
  return cellOf(a.x) === cellOf(b.x) && cellOf(a.y) === cellOf(b.y) && cellOf(a.z) === cellOf(b.z);
}

export class OutlineHash<C extends OutlineCorner<C>> {
  private readonly buckets = new Map<number, C[]>();
  private count = 0;

  /** How many corners it holds. */
  get size(): number {
    return this.count;
  }

  /**
   * Takes corners out and puts others in, then joins anew what that touches.
   * @param leaving corners that are in it; afterwards their `place` is null
   * @param coming corners that are not
   * @returns every corner in it whose place another corner left or came to, the coming ones included
   */
  exchange(leaving: readonly C[], coming: readonly C[]): Set<C> {
    const touched = new Set<C>();
    for (const corner of leaving) for (const member of corner.place!.corners) touched.add(member);
    for (const corner of leaving) {
      this.remove(corner);
      touched.delete(corner);
    }
    for (const corner of coming) this.insert(corner);
    for (const corner of coming) {
      touched.add(corner);
      this.visit(corner, (other) => {
        if (other.place) for (const member of other.place.corners) touched.add(member);
      });
    }
    // Nothing untouched is within reach of what is touched, so places are found by walking from the touched alone.
    for (const corner of touched) corner.place = null;
    for (const corner of touched) if (!corner.place) this.join(corner);
    return touched;
  }

  private join(first: C): void {
    const place: OutlinePlace<C> = { corners: [first] };
    first.place = place;
    // The walk goes on over the corners that it adds.
    for (const corner of place.corners)
      this.visit(corner, (other) => {
        if (other.place) return;
        other.place = place;
        place.corners.push(other);
      });
  }

  /** Calls `found` for every other corner that meets `corner`, for some more than once. */
  private visit(corner: C, found: (other: C) => void): void {
    const x = cellOf(corner.x);
    const y = cellOf(corner.y);
    const z = cellOf(corner.z);
    // Along each axis the cell itself and the one on whose side of it the corner stands.
    const sideX = corner.x < x * GRID ? -1 : 1;
    const sideY = corner.y < y * GRID ? -1 : 1;
    const sideZ = corner.z < z * GRID ? -1 : 1;
    for (let k = 0; k < 8; k++) {
      const bucket = this.buckets.get(
        bucketOf(x + (k & 1) * sideX, y + ((k >> 1) & 1) * sideY, z + (k >> 2) * sideZ),
      );
      if (!bucket) continue;
      for (const other of bucket) if (other !== corner && meet(corner, other)) found(other);
    }
  }

  private insert(corner: C): void {
    const key = bucketOf(cellOf(corner.x), cellOf(corner.y), cellOf(corner.z));
    const bucket = this.buckets.get(key);
    if (bucket) bucket.push(corner);
    else this.buckets.set(key, [corner]);
    this.count++;
  }

  private remove(corner: C): void {
    const key = bucketOf(cellOf(corner.x), cellOf(corner.y), cellOf(corner.z));
    const bucket = this.buckets.get(key)!;
    const last = bucket.pop()!;
    if (last !== corner) bucket[bucket.indexOf(corner)] = last;
    if (bucket.length === 0) this.buckets.delete(key);
    corner.place = null;
    this.count--;
  }
}
