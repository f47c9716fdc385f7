// Normals and tangents for meshes whose files have none. Flat normals, as glTF asks; tangents in the manner of MikkTSpace: those of
// a vertex's triangles by their uvs, laid across its normal and weighted by their angle there, with mirrored sides kept apart.
// Vertices of the same place, normal and uv count as one, so that a seam of doubled vertices does not show. Called by gltfMesh.ts.
import { VERTEX_OFFSET, VERTEX_WORDS } from '../renderer/vertex.js';

/** A mesh on the CPU: rows of 23 words, and three row numbers a triangle. */
export interface Rows {
  vertices: Float32Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
}

const { position: PLACE, normal: NORMAL, tangent: TANGENT, uv0: UV } = VERTEX_OFFSET;
/** The words that make two vertices one: place, normal and uv. */
const SAME_WORDS = [0, 1, 2, 3, 4, 5, UV, UV + 1];

/** The same triangles, each with vertices and a normal of its own. One without area faces +Y. */
export function withFlatNormals({ vertices, indices }: Rows): Rows {
  const own = new Float32Array(indices.length * VERTEX_WORDS);
  for (let i = 0; i < indices.length; i += 3) {
    for (let corner = i; corner < i + 3; corner++) {
      const from = indices[corner] * VERTEX_WORDS;
      own.set(vertices.subarray(from, from + VERTEX_WORDS), corner * VERTEX_WORDS);
    }
    const normal = unit(faceOf(own, i, i + 1, i + 2)) ?? [0, 1, 0];
    for (let corner = i; corner < i + 3; corner++) own.set(normal, corner * VERTEX_WORDS + NORMAL);
  }
  return { vertices: own, indices: Uint32Array.from(indices, (_, i) => i) };
}

/** Makes normals unit; one without a length becomes the mean of its triangles', by area. */
export function mendNormals({ vertices, indices }: Rows): void {
  const missing = new Map<number, number[]>();
  for (let row = 0; row * VERTEX_WORDS < vertices.length; row++) {
    const at = row * VERTEX_WORDS + NORMAL;
    const normal = unit([vertices[at], vertices[at + 1], vertices[at + 2]]);
    if (normal) vertices.set(normal, at);
    else missing.set(row, [0, 0, 0]);
  }
  if (missing.size === 0) return;
  for (let i = 0; i < indices.length; i += 3) {
    const face = faceOf(vertices, indices[i], indices[i + 1], indices[i + 2]);
    for (let corner = i; corner < i + 3; corner++) {
      const sum = missing.get(indices[corner]);
      if (sum) face.forEach((part, axis) => (sum[axis] += part));
    }
  }
  for (const [row, sum] of missing) vertices.set(unit(sum) ?? [0, 1, 0], row * VERTEX_WORDS + NORMAL);
}

/** Adds tangents by the uvs. A vertex between mirrored sides is doubled; one whose uvs say nothing takes any direction across its normal. */
export function withTangents({ vertices, indices }: Rows): Rows {
  const hands = handsOf({ vertices, indices });
  const split = splitByHand({ vertices, indices }, hands);
  const { group, count } = weld(split.rows.vertices, split.hand);
  const sums = new Float64Array(count * 3);
  for (let i = 0; i < indices.length; i += 3) if (hands[i / 3] !== 0) addTriangle(split.rows, i, group, sums);
  const rows = split.rows.vertices;
  for (let row = 0; row < group.length; row++) {
    const at = row * VERTEX_WORDS;
    const normal = [rows[at + NORMAL], rows[at + NORMAL + 1], rows[at + NORMAL + 2]];
    const sum = sums.subarray(group[row] * 3, group[row] * 3 + 3);
    rows.set(unit(across(sum, normal)) ?? anyAcross(normal), at + TANGENT);
    rows[at + TANGENT + 3] = split.hand[row] || 1;
  }
  return split.rows;
}

/** A unit vector across a unit normal. */
export function anyAcross([x, y, z]: ArrayLike<number> & Iterable<number>): number[] {
  return unit(Math.abs(y) < 0.9 ? [z, 0, -x] : [0, -z, y]) ?? [1, 0, 0];
}

/** The part of `v` across a unit normal. */
export function across(v: ArrayLike<number>, normal: ArrayLike<number>): number[] {
  const along = v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
  return [v[0] - normal[0] * along, v[1] - normal[1] * along, v[2] - normal[2] * along];
}

/** `v` at length 1, null where it has none. */
export function unit(v: readonly number[]): number[] | null {
  const length = Math.hypot(v[0], v[1], v[2]);
  return length > 1e-30 ? [v[0] / length, v[1] / length, v[2] / length] : null;
}

/** A triangle's normal, twice its area long. */
function faceOf(vertices: Float32Array, a: number, b: number, c: number): number[] {
  const edge = (to: number, axis: number) =>
    vertices[to * VERTEX_WORDS + PLACE + axis] - vertices[a * VERTEX_WORDS + PLACE + axis];
  const [ux, uy, uz] = [edge(b, 0), edge(b, 1), edge(b, 2)];
  const [vx, vy, vz] = [edge(c, 0), edge(c, 1), edge(c, 2)];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

/** For each triangle 1 where its uvs lie as the picture is seen from outside, -1 where they are mirrored, 0 where they have no area. */
function handsOf({ vertices, indices }: Rows): Int8Array {
  return Int8Array.from({ length: indices.length / 3 }, (_, triangle) => {
    const [a, b, c] = [0, 1, 2].map((k) => indices[triangle * 3 + k] * VERTEX_WORDS + UV);
    const area =
      (vertices[b] - vertices[a]) * (vertices[c + 1] - vertices[a + 1]) -
      (vertices[c] - vertices[a]) * (vertices[b + 1] - vertices[a + 1]);
    // v runs down the picture, so that counter-clockwise has a negative area.
    return Number.isFinite(area) ? -Math.sign(area) : 0;
  });
}

/** Doubles the vertices that triangles of both hands use. A triangle of none goes with the first. */
function splitByHand({ vertices, indices }: Rows, hands: Int8Array): { rows: Rows; hand: Int8Array } {
  const count = vertices.length / VERTEX_WORDS;
  const first = new Int8Array(count);
  const twins = new Map<number, number>();
  indices.forEach((row, corner) => {
    const hand = hands[Math.floor(corner / 3)];
    if (first[row] === 0) first[row] = hand;
    else if (hand !== 0 && hand !== first[row] && !twins.has(row)) twins.set(row, count + twins.size);
  });
  const all = new Float32Array((count + twins.size) * VERTEX_WORDS);
  all.set(vertices);
  const hand = new Int8Array(count + twins.size);
  hand.set(first);
  for (const [row, twin] of twins) {
    all.copyWithin(twin * VERTEX_WORDS, row * VERTEX_WORDS, (row + 1) * VERTEX_WORDS);
    hand[twin] = -first[row];
  }
  const own = indices.map((row, corner) => {
    const wanted = hands[Math.floor(corner / 3)];
    return wanted !== 0 && wanted !== first[row] ? twins.get(row)! : row;
  });
  return { rows: { vertices: all, indices: own }, hand };
}

/** Adds a triangle's dP/du to the sums of its corners' groups. Scalars throughout: arrays here would be most of a load's time. */
function addTriangle({ vertices, indices }: Rows, i: number, group: Uint32Array, sums: Float64Array): void {
  for (let k = 0; k < 3; k++) {
    const corner = indices[i + k];
    const row = corner * VERTEX_WORDS;
    const next = indices[i + ((k + 1) % 3)] * VERTEX_WORDS;
    const last = indices[i + ((k + 2) % 3)] * VERTEX_WORDS;
    const dv1 = vertices[next + UV + 1] - vertices[row + UV + 1];
    const dv2 = vertices[last + UV + 1] - vertices[row + UV + 1];
    const area =
      (vertices[next + UV] - vertices[row + UV]) * dv2 - (vertices[last + UV] - vertices[row + UV]) * dv1;
    const turn = Math.sign(area);
    const [nx, ny, nz] = [vertices[row + NORMAL], vertices[row + NORMAL + 1], vertices[row + NORMAL + 2]];
    // The two sides across the normal, and dP/du from them, but for its length.
    let [ex, ey, ez] = [
      vertices[next] - vertices[row],
      vertices[next + 1] - vertices[row + 1],
      vertices[next + 2] - vertices[row + 2],
    ];
    let [fx, fy, fz] = [
      vertices[last] - vertices[row],
      vertices[last + 1] - vertices[row + 1],
      vertices[last + 2] - vertices[row + 2],
    ];
    const [alongE, alongF] = [ex * nx + ey * ny + ez * nz, fx * nx + fy * ny + fz * nz];
    [ex, ey, ez] = [ex - nx * alongE, ey - ny * alongE, ez - nz * alongE];
    [fx, fy, fz] = [fx - nx * alongF, fy - ny * alongF, fz - nz * alongF];
    const [tx, ty, tz] = [
      (ex * dv2 - fx * dv1) * turn,
      (ey * dv2 - fy * dv1) * turn,
      (ez * dv2 - fz * dv1) * turn,
    ];
    const lengths = Math.sqrt((ex * ex + ey * ey + ez * ez) * (fx * fx + fy * fy + fz * fz));
    const length = Math.sqrt(tx * tx + ty * ty + tz * tz);
    if (!(lengths > 0) || !(length > 0)) continue;
    const cosine = (ex * fx + ey * fy + ez * fz) / lengths;
    const weight = Math.acos(Math.min(1, Math.max(-1, cosine))) / length;
    const at = group[corner] * 3;
    sums[at] += tx * weight;
    sums[at + 1] += ty * weight;
    sums[at + 2] += tz * weight;
  }
}

/** Numbers vertices so that those of one place, normal, uv and hand have one number: a hash table with open addressing. */
function weld(vertices: Float32Array<ArrayBuffer>, hand: Int8Array): { group: Uint32Array; count: number } {
  const words = new Uint32Array(vertices.buffer, vertices.byteOffset, vertices.length);
  const group = new Uint32Array(hand.length);
  const mask = 2 ** Math.ceil(Math.log2(hand.length * 2 + 1)) - 1;
  const table = new Int32Array(mask + 1).fill(-1);
  // -0 and 0 are one place.
  const word = (row: number, k: number) => {
    const bits = words[row * VERTEX_WORDS + SAME_WORDS[k]];
    return bits === 0x80000000 ? 0 : bits;
  };
  const same = (a: number, b: number) => {
    if (hand[a] !== hand[b]) return false;
    for (let k = 0; k < SAME_WORDS.length; k++) if (word(a, k) !== word(b, k)) return false;
    return true;
  };
  let count = 0;
  for (let row = 0; row < hand.length; row++) {
    let hash = hand[row] + 2;
    for (let k = 0; k < SAME_WORDS.length; k++)
      hash = Math.imul(hash ^ word(row, k), 0x01000193) ^ (hash >>> 15);
    let slot = hash & mask;
    while (table[slot] >= 0 && !same(table[slot], row)) slot = (slot + 1) & mask;
    if (table[slot] < 0) {
      table[slot] = row;
      group[row] = count++;
    } else group[row] = group[table[slot]];
  }
  return { group, count };
}
