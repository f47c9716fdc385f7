// A mesh as tessellation reads it: its vertices on the CPU, and which corners and edges of its triangles (patches) meet. What
// stands at one place is one group, whatever its normals and uvs, so that displacement moves it to one place; the groups of edges
// that one patch uses are the outline. Read back once a mesh; the kernels get these arrays as they are (tessellateKernels.ts).
// Long because it is one build in steps that hand each other the same arrays.
import { MoonscapeError } from '../errors.js';
import type { Mesh } from '../renderer/meshStore.js';
import { VERTEX_BYTES, VERTEX_OFFSET, VERTEX_WORDS } from '../renderer/vertex.js';
import type { Bounds } from '../world/vector.js';
import { vec3 } from '../world/vector.js';
import { normalRanges } from './reach.js';
import { Weld } from './weld.js';

/** Words of a vertex here: SourceVertex of shaders/include/tessellate.wgsl. */
export const SOURCE_WORDS = 32;
/** Where each attribute starts, in words. `gradientU`, `gradientV`: how uv0 grows along the surface, a metre of the mesh's own space. */
export const SOURCE_OFFSET = {
  position: 0,
  normal: 4,
  tangent: 8,
  uv0: 12,
  uv1: 14,
  color: 16,
  weights: 20,
  gradientU: 24,
  joints: 27,
  gradientV: 28,
} as const;

/** More kinds of vertices than meet at a box's corner, or where two seams cross. */
const BUSY = 4;

/** In place of an edge group: both ends of a patch's edge stand at one place, and so does everything on it. */
export const COLLAPSED = 0xffffffff;

/** Words of a patch in `patches`: vertices 3, edges 3, corner groups 3, classes of its corners 3 and of its edges 3, flags. */
export const PATCH_WORDS = 16;
export const PATCH_OFFSET = {
  ...{ vertices: 0, edges: 3, corners: 6, cornerClasses: 9, edgeClasses: 12, flags: 15 },
} as const;
/** In place of a class: the group has one participant, which is the patch's own. */
export const ALONE = 0xffffffff;
/** Flags of a patch: its three vertices have one colour; none of them hangs on joints. */
export const ONE_COLOR = 1;
export const NO_JOINTS = 2;
/** Words of a participant: the two vertices that it runs between (the same one twice at a corner), its class, none. */
export const PARTICIPANT_WORDS = 4;

/**
 * Places are in the mesh's own space. A group is a corner group, numbered from 0, or an edge group, numbered from 0 among the
 * edges; in `groups` edge groups follow the `cornerCount` corner groups. Participants of a group are the different ways in which
 * patches meet there (by normal and uv, not one a patch), in the order in which patches name them: sums over them are the same
 * bits from every patch. Those of one class have the same normals, and are shaded alike. Edges run from their corner group of the
 * lower number to the one of the higher.
 */
export class SourceMesh {
  /** The box of each patch's normals: six numbers a patch, low x y z, high x y z (reach.ts). */
  readonly normals: Float32Array;

  private constructor(
    /** SOURCE_WORDS a vertex; only vertices that triangles name. */
    readonly vertices: Float32Array<ArrayBuffer>,
    readonly patchCount: number,
    /** PATCH_WORDS a patch. An edge is its group · 2, plus 1 if the patch runs along it backwards; or COLLAPSED. */
    readonly patches: Uint32Array<ArrayBuffer>,
    readonly cornerCount: number,
    readonly edgeCount: number,
    /** Two numbers a group, corners first: its first participant and how many there are. */
    readonly groups: Uint32Array<ArrayBuffer>,
    /** PARTICIPANT_WORDS each. */
    readonly participants: Uint32Array<ArrayBuffer>,
    /** The two corner groups of each edge group, the lower first. */
    readonly edgeCorners: Uint32Array<ArrayBuffer>,
    /** Edge groups that exactly one patch uses, ascending. A patch with two corners at one place uses none. */
    readonly outline: Uint32Array<ArrayBuffer>,
    /** The side, in uv0, of a square of two patches of the mean size. */
    readonly uvSide: number,
    /** Of the places of all vertices named. */
    readonly bounds: Bounds,
  ) {
    this.normals = normalRanges(this);
  }

  /** Reads a mesh back from the GPU; refuses one that names vertices it has not, or whose places are not finite. */
  static async read(mesh: Mesh): Promise<SourceMesh> {
    const { guid, vertexBuffer, indexBuffer, firstIndex, indexCount } = mesh;
    const indices = await indexBuffer.read({ first: firstIndex, count: indexCount, type: 'u32' });
    const [low, high] = rangeOf(indices);
    const held = vertexBuffer.byteLength / VERTEX_BYTES;
    if (high >= held)
      throw new MoonscapeError(
        `Tessellation: the mesh ${guid} names vertex ${high}, and there are ${held} vertices`,
      );
    const words = await vertexBuffer.read({
      first: low * VERTEX_WORDS,
      count: (high - low + 1) * VERTEX_WORDS,
      type: 'u32',
    });
    return SourceMesh.of(
      guid,
      new Float32Array(words.buffer),
      indices.map((index) => index - low),
    );
  }

  /**
   * From vertices of the engine's layout (23 words each) and indices, three a triangle. `name` is what errors call the mesh.
   * Normals and tangents that are missing (zero, or not finite) are made from the triangles and the uvs.
   */
  static of(name: string, words: Float32Array<ArrayBuffer>, indices: Uint32Array): SourceMesh {
    const { vertices, triangles: given } = compact(name, words, indices);
    const count = vertices.length / SOURCE_WORDS;
    const bits = new Uint32Array(vertices.buffer);
    const places = numbered(bits, count, [SOURCE_OFFSET.position, 3]);
    fillNormals(vertices, given, places);
    const kinds = numbered(
      bits,
      count,
      [SOURCE_OFFSET.position, 3],
      [SOURCE_OFFSET.normal, 3],
      [SOURCE_OFFSET.uv0, 2],
    );
    const uvSide = fillGradients(vertices, given, kinds);
    const triangles = busiestFirst(given, places, kinds);
    const topology = connect(vertices, triangles, places, kinds);
    return new SourceMesh(
      vertices,
      triangles.length / 3,
      topology.patches,
      topology.cornerCount,
      topology.edgeCount,
      topology.groups,
      topology.participants,
      topology.edgeCorners,
      topology.outline,
      uvSide,
      boundsOf(vertices),
    );
  }

  /** A vertex that stands at a corner group. */
  cornerVertex(group: number): number {
    return this.participants[this.groups[group * 2] * PARTICIPANT_WORDS];
  }
}

function rangeOf(indices: Uint32Array): [low: number, high: number] {
  let [low, high] = [Infinity, -1];
  for (const index of indices) {
    if (index < low) low = index;
    if (index > high) high = index;
  }
  return indices.length === 0 ? [0, -1] : [low, high];
}

/** The vertices that are named, once each, in the order in which they are named first; laid out anew. */
function compact(name: string, words: Float32Array, indices: Uint32Array) {
  const numberOf = new Int32Array(words.length / VERTEX_WORDS).fill(-1);
  const triangles = new Uint32Array(indices.length);
  const order: number[] = [];
  indices.forEach((index, at) => {
    if (numberOf[index] < 0) numberOf[index] = order.push(index) - 1;
    triangles[at] = numberOf[index];
  });
  const vertices = new Float32Array(order.length * SOURCE_WORDS);
  const bits = new Uint32Array(vertices.buffer);
  const joints = new Uint32Array(words.buffer, words.byteOffset, words.length);
  const lengths = { position: 3, normal: 3, tangent: 4, uv0: 2, uv1: 2, color: 4, weights: 4 };
  const names = Object.keys(lengths) as (keyof typeof lengths)[];
  const parts = names.map((part) => [VERTEX_OFFSET[part], SOURCE_OFFSET[part], lengths[part]] as const);
  order.forEach((index, vertex) => {
    for (const [given, own, length] of parts) {
      const from = index * VERTEX_WORDS + given;
      const to = vertex * SOURCE_WORDS + own;
      for (let k = 0; k < length; k++) {
        const value = words[from + k];
        const finite = value - value === 0;
        if (!finite && given === VERTEX_OFFSET.position)
          throw new MoonscapeError(
            `Tessellation: the mesh ${name} has a vertex (${index}) whose position is not finite (${value})`,
          );
        // + 0: places are compared by their bits, and -0 is the same place as 0.
        vertices[to + k] = finite ? value + 0 : 0;
      }
    }
    bits[vertex * SOURCE_WORDS + SOURCE_OFFSET.joints] = joints[index * VERTEX_WORDS + VERTEX_OFFSET.joints];
  });
  return { vertices, triangles };
}

/** Numbers `count` vertices so that those whose parts, [first word, words] each, are the same bits have the same number. */
function numbered(bits: Uint32Array, count: number, ...parts: [first: number, words: number][]): Uint32Array {
  const width = parts.reduce((sum, [, words]) => sum + words, 0);
  const weld = new Weld(width, count);
  const row = new Uint32Array(width);
  const numbers = new Uint32Array(count);
  for (let vertex = 0; vertex < count; vertex++) {
    let at = 0;
    for (const [first, words] of parts)
      for (let k = 0; k < words; k++) row[at++] = bits[vertex * SOURCE_WORDS + first + k];
    numbers[vertex] = weld.number(row, 0);
  }
  return numbers;
}

type Triple = [number, number, number];

const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

/** From vertex `a` to vertex `b`. */
function side(vertices: Float32Array, a: number, b: number): Triple {
  const [from, to] = [a * SOURCE_WORDS, b * SOURCE_WORDS];
  return [
    vertices[to] - vertices[from],
    vertices[to + 1] - vertices[from + 1],
    vertices[to + 2] - vertices[from + 2],
  ];
}

/** A vertex without a normal takes the mean of the triangles at its place, by their areas. */
function fillNormals(vertices: Float32Array, triangles: Uint32Array, places: Uint32Array): void {
  const count = places.length;
  const missing = new Uint8Array(count);
  let some = false;
  for (let vertex = 0; vertex < count; vertex++) {
    const at = vertex * SOURCE_WORDS + SOURCE_OFFSET.normal;
    if (Math.hypot(vertices[at], vertices[at + 1], vertices[at + 2]) > 0) continue;
    missing[vertex] = 1;
    some = true;
  }
  if (!some) return;
  const sums = new Float64Array(count * 3);
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [triangles[at], triangles[at + 1], triangles[at + 2]];
    const face = cross(side(vertices, a, b), side(vertices, a, c));
    for (const vertex of [a, b, c]) for (let k = 0; k < 3; k++) sums[places[vertex] * 3 + k] += face[k];
  }
  for (let vertex = 0; vertex < count; vertex++) {
    if (!missing[vertex]) continue;
    const sum = sums.subarray(places[vertex] * 3, places[vertex] * 3 + 3);
    const length = Math.hypot(...sum);
    for (let k = 0; k < 3; k++)
      vertices[vertex * SOURCE_WORDS + SOURCE_OFFSET.normal + k] = length > 0 ? sum[k] / length : 0;
  }
}

/**
 * Gives each vertex the gradients of u and v along the surface: the mean, by area, of the triangles that meet at vertices of its
 * kind (place, normal and uv), so that shading has no seam where the source has none. A tangent that is missing follows u.
 */
function fillGradients(vertices: Float32Array, triangles: Uint32Array, kinds: Uint32Array): number {
  const sums = new Float64Array(kinds.length * 7);
  let uvArea = 0;
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [triangles[at], triangles[at + 1], triangles[at + 2]];
    const [p, q] = [side(vertices, a, b), side(vertices, a, c)];
    const face = cross(p, q);
    const double = Math.hypot(...face);
    const uv = (vertex: number, k: 0 | 1) => vertices[vertex * SOURCE_WORDS + SOURCE_OFFSET.uv0 + k];
    const [du, dv] = ([0, 1] as const).map((k) => [uv(b, k) - uv(a, k), uv(c, k) - uv(a, k)]);
    uvArea += Math.abs(du[0] * dv[1] - du[1] * dv[0]) / 2;
    if (!(double > 0)) continue;
    // The vector in the triangle's plane whose dot products with the two sides are the two differences, times twice the area.
    const [toP, toQ] = [cross(q, face), cross(face, p)];
    for (const vertex of [a, b, c]) {
      const sum = kinds[vertex] * 7;
      sums[sum + 6] += double;
      for (let k = 0; k < 3; k++) {
        sums[sum + k] += (du[0] * toP[k] + du[1] * toQ[k]) / double;
        sums[sum + 3 + k] += (dv[0] * toP[k] + dv[1] * toQ[k]) / double;
      }
    }
  }
  for (let vertex = 0; vertex < kinds.length; vertex++) {
    const sum = kinds[vertex] * 7;
    const at = vertex * SOURCE_WORDS;
    const weight = sums[sum + 6];
    for (let k = 0; k < 3 && weight > 0; k++) {
      vertices[at + SOURCE_OFFSET.gradientU + k] = sums[sum + k] / weight;
      vertices[at + SOURCE_OFFSET.gradientV + k] = sums[sum + 3 + k] / weight;
    }
    fillTangent(vertices, at);
  }
  return triangles.length === 0 ? 0 : Math.sqrt((2 * uvArea) / (triangles.length / 3));
}

/** The direction on the surface in which u grows and v stays, where the vertex at word `at` has no tangent. */
function fillTangent(vertices: Float32Array, at: number): void {
  const own = at + SOURCE_OFFSET.tangent;
  if (vertices[own] !== 0 || vertices[own + 1] !== 0 || vertices[own + 2] !== 0) return;
  const read = (offset: number) => [...vertices.subarray(at + offset, at + offset + 3)] as Triple;
  const [normal, u, v] = [SOURCE_OFFSET.normal, SOURCE_OFFSET.gradientU, SOURCE_OFFSET.gradientV].map(read);
  const along = cross(v, normal);
  const length = Math.hypot(...along);
  if (!(length > 0)) return;
  const turn = along[0] * u[0] + along[1] * u[1] + along[2] * u[2] < 0 ? -1 : 1;
  for (let k = 0; k < 3; k++) vertices[at + SOURCE_OFFSET.tangent + k] = (turn * along[k]) / length;
  vertices[at + SOURCE_OFFSET.tangent + 3] = turn;
}

/**
 * Triangles at whose corners many kinds of vertices meet (a sphere's poles) before the others, else as they are: a point there is
 * a long sum, which a GPU does meanwhile if it begins with it.
 */
function busiestFirst(triangles: Uint32Array, places: Uint32Array, kinds: Uint32Array): Uint32Array {
  // A kind stands at one place: how many there are at each.
  const seen = new Uint8Array(kinds.length);
  const met = new Uint32Array(kinds.length);
  places.forEach((place, vertex) => {
    if (seen[kinds[vertex]] === 0) met[place]++;
    seen[kinds[vertex]] = 1;
  });
  if (!met.some((count) => count > BUSY)) return triangles;
  const busy: number[] = [];
  const rest: number[] = [];
  for (let at = 0; at < triangles.length; at += 3) {
    const own = [triangles[at], triangles[at + 1], triangles[at + 2]];
    (own.some((vertex) => met[places[vertex]] > BUSY) ? busy : rest).push(...own);
  }
  return Uint32Array.from(busy.concat(rest));
}

/** Groups, their participants and classes, and the outline. */
function connect(
  vertices: Float32Array<ArrayBuffer>,
  triangles: Uint32Array,
  places: Uint32Array,
  kinds: Uint32Array,
) {
  const patchCount = triangles.length / 3;
  const cornerCount = places.reduce((most, place) => Math.max(most, place + 1), 0);
  const patches = new Uint32Array(patchCount * PATCH_WORDS);
  const edges = new Weld(2, patchCount * 3);
  const edgeCorners: number[] = [];
  const uses: number[] = [];
  // Who meets at a group, by the numbers of the kinds of its vertices: found again by a small list a group, most are of one.
  const corners = new Meeting(cornerCount, vertices, kinds);
  const along = new Meeting(0, vertices, kinds);
  const pair = new Uint32Array(2);
  const [own, groups] = [new Uint32Array(3), new Uint32Array(3)];
  for (let patch = 0; patch < patchCount; patch++) {
    const at = patch * PATCH_WORDS;
    for (let k = 0; k < 3; k++) {
      own[k] = triangles[patch * 3 + k];
      groups[k] = places[own[k]];
    }
    const whole = groups[0] !== groups[1] && groups[1] !== groups[2] && groups[2] !== groups[0];
    for (let k = 0; k < 3; k++) {
      const next = (k + 1) % 3;
      patches[at + PATCH_OFFSET.vertices + k] = own[k];
      patches[at + PATCH_OFFSET.corners + k] = groups[k];
      patches[at + PATCH_OFFSET.cornerClasses + k] = corners.join(groups[k], own[k], own[k]);
      if (groups[k] === groups[next]) {
        patches[at + PATCH_OFFSET.edges + k] = COLLAPSED;
        continue;
      }
      const back = groups[k] > groups[next];
      const from = back ? next : k;
      const to = back ? k : next;
      pair[0] = groups[from];
      pair[1] = groups[to];
      const edge = edges.number(pair, 0);
      if (edge === uses.length) {
        uses.push(0);
        edgeCorners.push(pair[0], pair[1]);
        along.add();
      }
      if (whole) uses[edge]++;
      patches[at + PATCH_OFFSET.edges + k] = edge * 2 + (back ? 1 : 0);
      patches[at + PATCH_OFFSET.edgeClasses + k] = along.join(edge, own[from], own[to]);
    }
  }
  const total = corners.total + along.total;
  const members = new Uint32Array((cornerCount + uses.length) * 2);
  const participants = new Uint32Array(total * PARTICIPANT_WORDS);
  along.write(members, cornerCount, participants, corners.write(members, 0, participants, 0));
  markPatches(vertices, patches, cornerCount, members);
  return {
    patches,
    cornerCount,
    edgeCount: uses.length,
    groups: members,
    participants,
    edgeCorners: Uint32Array.from(edgeCorners),
    outline: Uint32Array.from(uses.keys()).filter((edge) => uses[edge] === 1),
  };
}

/** Says of each patch what spares the kernels a look: where it is alone, and whether it has one colour. */
function markPatches(vertices: Float32Array, patches: Uint32Array, cornerCount: number, groups: Uint32Array) {
  const bits = new Uint32Array(vertices.buffer);
  const { weights, joints } = SOURCE_OFFSET;
  const isFree = (at: number) =>
    bits[at + joints] === 0 && [0, 1, 2, 3].every((k) => bits[at + weights + k] === 0);
  const { corners, cornerClasses, edges, edgeClasses, flags } = PATCH_OFFSET;
  for (let at = 0; at < patches.length; at += PATCH_WORDS) {
    for (let k = 0; k < 3; k++) {
      if (groups[patches[at + corners + k] * 2 + 1] === 1) patches[at + cornerClasses + k] = ALONE;
      const edge = patches[at + edges + k];
      if (edge !== COLLAPSED && groups[(cornerCount + (edge >>> 1)) * 2 + 1] === 1)
        patches[at + edgeClasses + k] = ALONE;
    }
    const [a, b, c] = [0, 1, 2].map((k) => patches[at + k] * SOURCE_WORDS + SOURCE_OFFSET.color);
    let same = true;
    for (let k = 0; k < 4; k++)
      same &&= vertices[a + k] === vertices[b + k] && vertices[a + k] === vertices[c + k];
    if (same) patches[at + flags] |= ONE_COLOR;
    if ([0, 1, 2].every((k) => isFree(patches[at + k] * SOURCE_WORDS))) patches[at + flags] |= NO_JOINTS;
  }
}

/** The participants of groups of one sort, as patches name them. */
class Meeting {
  total = 0;
  /** Three numbers a participant: its two vertices and its class. */
  private readonly lists: number[][];

  constructor(
    count: number,
    private readonly vertices: Float32Array<ArrayBuffer>,
    private readonly kinds: Uint32Array,
  ) {
    this.lists = Array.from({ length: count }, () => []);
  }

  add(): void {
    this.lists.push([]);
  }

  /** Has a patch that runs from vertex `a` to vertex `b` take part in a group; answers its class. */
  join(group: number, a: number, b: number): number {
    const { kinds } = this;
    const list = this.lists[group];
    let like = -1;
    for (let at = 0; at < list.length; at += 3) {
      if (kinds[list[at]] === kinds[a] && kinds[list[at + 1]] === kinds[b]) return list[at + 2];
      if (like < 0 && this.alike(list[at], a) && this.alike(list[at + 1], b)) like = list[at + 2];
    }
    const own = like < 0 ? list.length / 3 : like;
    list.push(a, b, own);
    this.total++;
    return own;
  }

  /** Writes all groups from `firstGroup` on, participants from `first` on; answers the participant after them. */
  write(groups: Uint32Array, firstGroup: number, participants: Uint32Array, first: number): number {
    let at = first;
    this.lists.forEach((list, group) => {
      groups[(firstGroup + group) * 2] = at;
      groups[(firstGroup + group) * 2 + 1] = list.length / 3;
      for (let k = 0; k < list.length; k += 3, at++)
        participants.set([list[k], list[k + 1], list[k + 2]], at * PARTICIPANT_WORDS);
    });
    return at;
  }

  /** Whether two vertices have the same normal. */
  private alike(a: number, b: number): boolean {
    const [p, q] = [a * SOURCE_WORDS + SOURCE_OFFSET.normal, b * SOURCE_WORDS + SOURCE_OFFSET.normal];
    const { vertices } = this;
    return (
      vertices[p] === vertices[q] &&
      vertices[p + 1] === vertices[q + 1] &&
      vertices[p + 2] === vertices[q + 2]
    );
  }
}

function boundsOf(vertices: Float32Array): Bounds {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let at = 0; at < vertices.length; at += SOURCE_WORDS) {
    for (let k = 0; k < 3; k++) {
      low[k] = Math.min(low[k], vertices[at + k]);
      high[k] = Math.max(high[k], vertices[at + k]);
    }
  }
  if (vertices.length === 0) return { min: vec3(0, 0, 0), max: vec3(0, 0, 0) };
  return { min: vec3(low[0], low[1], low[2]), max: vec3(high[0], high[1], high[2]) };
}
