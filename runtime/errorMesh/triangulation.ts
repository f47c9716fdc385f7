// Triangles over a lattice of whole places that points are put into, one at a time, kept Delaunay by flipping edges. Half-edge e runs from
// corner e of its triangle to the next one; its opposite is another triangle's, −1 along the outline. Holes are outlines too.
// After Garland and Heckbert, "Fast Polygonal Approximation of Terrains and Height Fields" (CMU-CS-95-181), and the flips of Lawson.

/** Parts of the in-circle determinant that rounding may reach: nearer than this, four points count as on one circle. */
const ON_CIRCLE = 2 ** -40;

export class Triangulation {
  /** Places of the vertices; whole numbers under 2^20. */
  x: Int32Array;
  z: Int32Array;
  /** A number of the caller's for each vertex. */
  tag: Int32Array;
  vertices = 0;
  /** Three vertices a triangle, all turning the same way, and the opposite of each half-edge. */
  corners: Int32Array;
  opposite: Int32Array;
  triangles = 0;
  /** Triangles that changed since they were last taken from here, each once. */
  changed: Int32Array;
  changes = 0;
  private readonly marks: { of: Uint8Array };

  /** @param corners room for triangles, which it keeps. @param room vertices to begin with */
  constructor(corners: Int32Array, room: number) {
    this.x = new Int32Array(room);
    this.z = new Int32Array(room);
    this.tag = new Int32Array(room);
    this.corners = corners;
    this.opposite = new Int32Array(corners.length);
    this.changed = new Int32Array(Math.ceil(corners.length / 3));
    this.marks = { of: new Uint8Array(this.changed.length) };
  }

  /**
   * Begins with what was written: places and tags of vertices, corners and opposites of triangles. None counts as changed, and edges among
   * them are flipped only as vertices come beside them.
   */
  begin(vertices: number, triangles: number): void {
    this.vertices = vertices;
    this.triangles = triangles;
  }

  /** Puts a vertex into triangle `t`, inside it or on one of its edges, but on no vertex. Answers its number. */
  insert(t: number, x: number, z: number, tag: number): number {
    if (this.vertices === this.x.length) this.growVertices();
    while (this.triangles * 3 + 6 > this.corners.length) this.growTriangles();
    const vertex = this.vertices++;
    this.x[vertex] = x;
    this.z[vertex] = z;
    this.tag[vertex] = tag;
    const e = t * 3;
    const a = this.corners[e];
    const b = this.corners[e + 1];
    const c = this.corners[e + 2];
    if (this.turn(a, b, vertex) === 0) this.insertOn(e, vertex);
    else if (this.turn(b, c, vertex) === 0) this.insertOn(e + 1, vertex);
    else if (this.turn(c, a, vertex) === 0) this.insertOn(e + 2, vertex);
    else {
      const ab = this.opposite[e];
      const bc = this.opposite[e + 1];
      const ca = this.opposite[e + 2];
      const second = this.triangles++ * 3;
      const third = this.triangles++ * 3;
      this.set(e, a, b, vertex, ab, second + 2, third + 1);
      this.set(second, b, c, vertex, bc, third + 2, e + 1);
      this.set(third, c, a, vertex, ca, e + 2, second + 1);
      this.legalize(e);
      this.legalize(second);
      this.legalize(third);
    }
    return vertex;
  }

  /** Forgets which triangles changed. */
  settle(): void {
    const { of } = this.marks;
    for (let k = 0; k < this.changes; k++) of[this.changed[k]] = 0;
    this.changes = 0;
  }

  /** Splits the triangles at half-edge `e`, on which `vertex` lies. */
  private insertOn(e: number, vertex: number): void {
    const { corners, opposite } = this;
    const turn = e % 3;
    const t = e - turn;
    const next = turn === 2 ? t : e + 1;
    const last = turn === 0 ? e + 2 : e - 1;
    const a = corners[e];
    const b = corners[next];
    const c = corners[last];
    const bc = opposite[next];
    const ca = opposite[last];
    const other = opposite[e];
    const right = this.triangles++ * 3;
    if (other < 0) {
      this.set(t, c, a, vertex, ca, -1, right + 1);
      this.set(right, b, c, vertex, bc, t + 2, -1);
      this.legalize(t);
      this.legalize(right);
      return;
    }
    const otherTurn = other % 3;
    const u = other - otherTurn;
    const otherNext = otherTurn === 2 ? u : other + 1;
    const otherLast = otherTurn === 0 ? other + 2 : other - 1;
    const d = corners[otherLast];
    const ad = opposite[otherNext];
    const db = opposite[otherLast];
    const left = this.triangles++ * 3;
    // Around the vertex: c a, a d, d b, b c.
    this.set(t, c, a, vertex, ca, u + 2, right + 1);
    this.set(u, a, d, vertex, ad, left + 2, t + 1);
    this.set(left, d, b, vertex, db, right + 2, u + 1);
    this.set(right, b, c, vertex, bc, t + 2, left + 1);
    this.legalize(t);
    this.legalize(u);
    this.legalize(left);
    this.legalize(right);
  }

  /**
   * Flips edge `e` if the corner beyond it lies in its triangle's circle, and then the edges around. The two triangles become the ones on
   * the other diagonal:   c─────b       c─────b
   *                       │   ╱e│  →    │╲    │
   *                       │ ╱   │       │  ╲  │
   *                       a─────d       a─────d
   */
  private legalize(e: number): void {
    const other = this.opposite[e];
    if (other < 0) return;
    const { corners, opposite } = this;
    const turn = e % 3;
    const t = e - turn;
    const next = turn === 2 ? t : e + 1;
    const last = turn === 0 ? e + 2 : e - 1;
    const otherTurn = other % 3;
    const u = other - otherTurn;
    const otherNext = otherTurn === 2 ? u : other + 1;
    const otherLast = otherTurn === 0 ? other + 2 : other - 1;
    const a = corners[e];
    const b = corners[next];
    const c = corners[last];
    const d = corners[otherLast];
    if (!this.isInside(a, b, c, d)) return;
    const bc = opposite[next];
    const ca = opposite[last];
    const ad = opposite[otherNext];
    const db = opposite[otherLast];
    this.set(t, c, a, d, ca, ad, u + 2);
    this.set(u, d, b, c, db, bc, t + 2);
    // The two edges beyond the flipped one; those at c were looked at by whoever called.
    this.legalize(t + 1);
    this.legalize(u);
  }

  /** Whether d lies inside the circle of a, b, c by more than rounding. */
  private isInside(a: number, b: number, c: number, d: number): boolean {
    const { x, z } = this;
    const ax = x[a] - x[d];
    const az = z[a] - z[d];
    const bx = x[b] - x[d];
    const bz = z[b] - z[d];
    const cx = x[c] - x[d];
    const cz = z[c] - z[d];
    const aa = ax * ax + az * az;
    const bb = bx * bx + bz * bz;
    const cc = cx * cx + cz * cz;
    const pa = aa * (bx * cz - cx * bz);
    const pb = bb * (cx * az - ax * cz);
    const pc = cc * (ax * bz - bx * az);
    // Corners turn counter-clockwise seen from above, which is clockwise in (x, z).
    return -(pa + pb + pc) > (Math.abs(pa) + Math.abs(pb) + Math.abs(pc)) * ON_CIRCLE;
  }

  /** Twice the area of a, b, c; above 0 where they turn as the triangles do. */
  private turn(a: number, b: number, c: number): number {
    const { x, z } = this;
    return (z[b] - z[a]) * (x[c] - x[a]) - (x[b] - x[a]) * (z[c] - z[a]);
  }

  private set(e: number, a: number, b: number, c: number, ab: number, bc: number, ca: number): void {
    const { corners, opposite } = this;
    corners[e] = a;
    corners[e + 1] = b;
    corners[e + 2] = c;
    opposite[e] = ab;
    opposite[e + 1] = bc;
    opposite[e + 2] = ca;
    if (ab >= 0) opposite[ab] = e;
    if (bc >= 0) opposite[bc] = e + 1;
    if (ca >= 0) opposite[ca] = e + 2;
    this.mark(e / 3);
  }

  private mark(t: number): void {
    const { of } = this.marks;
    if (of[t]) return;
    of[t] = 1;
    this.changed[this.changes++] = t;
  }

  private growVertices(): void {
    this.x = larger(this.x);
    this.z = larger(this.z);
    this.tag = larger(this.tag);
  }

  private growTriangles(): void {
    this.corners = larger(this.corners);
    this.opposite = larger(this.opposite);
    this.changed = larger(this.changed);
    const of = new Uint8Array(this.marks.of.length * 2);
    of.set(this.marks.of);
    this.marks.of = of;
  }
}

function larger(list: Int32Array): Int32Array {
  const twice = new Int32Array(list.length * 2);
  twice.set(list);
  return twice;
}
