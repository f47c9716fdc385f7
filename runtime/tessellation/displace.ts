// The CPU twin of the tessellation kernels: mirrors tessellated_vertex in shaders/include/tessellate.wgsl, in float32 throughout.
// Specs hold the two to each other; what a shared boundary takes from its owner is computed here (displacedCorner, displacedEdge).
import { VERTEX_OFFSET, VERTEX_WORDS } from '../renderer/vertex.js';
import {
  latticeOf,
  microOf,
  NO_PLAN,
  slopeSteps,
  stepsOf,
  type BakeJob,
  type Displacement,
  type HeightMap,
} from './bakeJob.js';
import {
  ALONE,
  COLLAPSED,
  ONE_COLOR,
  PARTICIPANT_WORDS,
  PATCH_OFFSET,
  PATCH_WORDS,
  SOURCE_OFFSET,
  SOURCE_WORDS,
  type SourceMesh,
} from './sourceMesh.js';

const f = Math.fround;

/** Three vertices of a source and their weights, which add up to 1: on an edge the third has none, at a corner the first has all. */
interface Blend {
  at: [number, number, number];
  weight: [number, number, number];
}

/** Where a lattice point stands. */
interface Spot {
  own: Blend;
  /** Of `groups`; -1 inside a patch. */
  group: number;
  /** The class that the patch's own vertices have there. */
  class: number;
  /** Along the group from its first corner, in steps of the level's lattice. */
  step: number;
}

/** A part of the source's vertices, blended: x · wx + y · wy + z · wz. */
function part(source: SourceMesh, { at, weight }: Blend, word: number): number {
  const { vertices } = source;
  const [a, b, c] = at;
  return f(
    f(f(vertices[a * SOURCE_WORDS + word] * weight[0]) + f(vertices[b * SOURCE_WORDS + word] * weight[1])) +
      f(vertices[c * SOURCE_WORDS + word] * weight[2]),
  );
}

type Triple = [number, number, number];

const triple = (source: SourceMesh, blend: Blend, word: number): Triple => [
  part(source, blend, word),
  part(source, blend, word + 1),
  part(source, blend, word + 2),
];

const dot = (a: Triple, b: Triple): number => f(f(f(a[0] * b[0]) + f(a[1] * b[1])) + f(a[2] * b[2]));

/** At length 1; a vector without a length stays as it is. */
function unit(v: Triple): Triple {
  const length = f(Math.sqrt(dot(v, v)));
  return length > 0 ? [f(v[0] / length), f(v[1] / length), f(v[2] / length)] : v;
}

/** The height at (u, v), between the four texels around it. */
export function heightAt({ data, width, height, clamp }: HeightMap, u: number, v: number): number {
  const [column, across] = texelOf(f(u), width, clamp);
  const [row, down] = texelOf(f(v), height, clamp);
  const [i0, i1] = [indexOf(column, width, clamp), indexOf(column + 1, width, clamp)];
  const [j0, j1] = [indexOf(row, height, clamp) * width, indexOf(row + 1, height, clamp) * width];
  const upper = f(f(data[j0 + i0] * f(1 - across)) + f(data[j0 + i1] * across));
  const lower = f(f(data[j1 + i0] * f(1 - across)) + f(data[j1 + i1] * across));
  return f(f(upper * f(1 - down)) + f(lower * down));
}

/** The texel whose centre lies at or below a coordinate, and the way to the next. */
function texelOf(coordinate: number, side: number, clamp: boolean): [texel: number, way: number] {
  const inside = clamp ? Math.min(Math.max(coordinate, 0), 1) : f(coordinate - Math.floor(coordinate));
  const place = f(f(inside * side) - 0.5);
  const texel = Math.floor(place);
  return [texel, f(place - texel)];
}

const indexOf = (texel: number, side: number, clamp: boolean): number => {
  if (clamp) return Math.min(Math.max(texel, 0), side - 1);
  return texel < 0 ? side - 1 : texel >= side ? 0 : texel;
};

/** Metres of the mesh's own space that a height moves a point along the unit direction `n`. */
function amount(height: number, n: Triple, { scale, stretch }: Displacement): number {
  const moved = f(height * f(scale));
  if (!stretch) return moved;
  const [xx, yy, zz, xy, xz, yz] = stretch;
  const row: Triple = [
    f(f(f(xx * n[0]) + f(xy * n[1])) + f(xz * n[2])),
    f(f(f(xy * n[0]) + f(yy * n[1])) + f(yz * n[2])),
    f(f(f(xz * n[0]) + f(yz * n[1])) + f(zz * n[2])),
  ];
  const length = f(Math.sqrt(dot(n, row)));
  return length > 0 ? f(moved / length) : 0;
}

/** What the participants of a spot make of it. */
interface Point {
  position: Triple;
  /** The slope of the height along the surface, for the class asked for, height a metre. */
  slope: Triple;
  height: number;
}

/** The participants of a group `step` of `steps` along it; a patch's own vertices inside it. */
function participantsOf(source: SourceMesh, spot: Spot, steps: number): { blend: Blend; class: number }[] {
  if (spot.group < 0 || spot.class === ALONE) return [{ blend: spot.own, class: spot.class }];
  const { groups, participants } = source;
  const [first, count] = [groups[spot.group * 2], groups[spot.group * 2 + 1]];
  return Array.from({ length: count }, (_, k) => {
    const [a, b, own] = participants.subarray(
      (first + k) * PARTICIPANT_WORDS,
      (first + k + 1) * PARTICIPANT_WORDS,
    );
    return { blend: along(a, b, spot.step, steps), class: own };
  });
}

const along = (a: number, b: number, step: number, steps: number): Blend => ({
  at: [a, b, b],
  weight: [f(1 - step / steps), f(step / steps), 0],
});

function pointOf(job: BakeJob, spot: Spot): Point {
  const { source, level, heights } = job;
  const list = participantsOf(source, spot, stepsOf(level));
  const steps = heights ? slopeSteps(source, level, heights) : null;
  const normal: Triple = [0, 0, 0];
  const slope: Triple = [0, 0, 0];
  let [sum, alike] = [0, 0];
  for (const { blend, class: own } of list) {
    const n = triple(source, blend, SOURCE_OFFSET.normal);
    for (let k = 0; k < 3; k++) normal[k] = f(normal[k] + n[k]);
    if (!heights) continue;
    const u = part(source, blend, SOURCE_OFFSET.uv0);
    const v = part(source, blend, SOURCE_OFFSET.uv0 + 1);
    sum = f(sum + heightAt(heights, u, v));
    if (own !== spot.class) continue;
    alike++;
    const { u: du, v: dv } = steps!;
    const byU = f(f(heightAt(heights, f(u + du), v) - heightAt(heights, f(u - du), v)) / f(2 * du));
    const byV = f(f(heightAt(heights, u, f(v + dv)) - heightAt(heights, u, f(v - dv))) / f(2 * dv));
    const toU = triple(source, blend, SOURCE_OFFSET.gradientU);
    const toV = triple(source, blend, SOURCE_OFFSET.gradientV);
    for (let k = 0; k < 3; k++) slope[k] = f(slope[k] + f(f(byU * toU[k]) + f(byV * toV[k])));
  }
  const height = f(sum / list.length);
  const direction = unit(normal);
  const moved = amount(height, direction, job);
  const base = triple(source, list[0].blend, SOURCE_OFFSET.position);
  const position = base.map((value, k) => f(value + f(direction[k] * moved))) as Triple;
  for (let k = 0; k < 3; k++) slope[k] = f(slope[k] / Math.max(alike, 1));
  return { position, slope, height };
}

/** Where a corner group stands once it is displaced by its surface alone, in the mesh's own space; into `out`, three numbers. */
export function displacedCorner(
  source: SourceMesh,
  group: number,
  surface: Displacement,
  out: Float32Array | number[],
): void {
  const vertex = source.cornerVertex(group);
  const spot = { own: along(vertex, vertex, 0, 1), group, class: -1, step: 0 };
  const { position } = pointOf({ ...surface, source, level: 0, plan: NO_PLAN }, spot);
  for (let k = 0; k < 3; k++) out[k] = position[k];
}

/** The same for the point `i` of `n` (a power of two) along an edge group, from its first corner; its ends are its corner groups' own. */
export function displacedEdge(
  source: SourceMesh,
  edgeGroup: number,
  i: number,
  n: number,
  surface: Displacement,
  out: Float32Array | number[],
): void {
  if (i === 0 || i === n) {
    displacedCorner(source, source.edgeCorners[edgeGroup * 2 + (i === 0 ? 0 : 1)], surface, out);
    return;
  }
  const group = source.cornerCount + edgeGroup;
  const level = Math.log2(n);
  const spot = { own: along(0, 0, i, n), group, class: -1, step: i };
  const { position } = pointOf({ ...surface, source, level, plan: NO_PLAN }, spot);
  for (let k = 0; k < 3; k++) out[k] = position[k];
}

/**
 * displacedEdge of the points 1..n − 1, three numbers each, into `out`: the same bits, and nothing allocated a point. What
 * neighbours take from owners is thousands of points a frame where levels follow the camera.
 */
export function displacedAlong(
  source: SourceMesh,
  edgeGroup: number,
  n: number,
  surface: Displacement,
  out: Float32Array,
): void {
  const { vertices, groups, participants, cornerCount } = source;
  const { heights } = surface;
  const [first, count] = [groups[(cornerCount + edgeGroup) * 2], groups[(cornerCount + edgeGroup) * 2 + 1]];
  const direction: Triple = [0, 0, 0];
  for (let i = 1; i < n; i++) {
    const [wa, wb] = [f(1 - i / n), f(i / n)];
    const blended = (a: number, b: number) =>
      f(f(f(vertices[a] * wa) + f(vertices[b] * wb)) + f(vertices[b] * 0));
    let [nx, ny, nz, sum] = [0, 0, 0, 0];
    for (let p = first; p < first + count; p++) {
      const a = participants[p * PARTICIPANT_WORDS] * SOURCE_WORDS;
      const b = participants[p * PARTICIPANT_WORDS + 1] * SOURCE_WORDS;
      const { normal, uv0 } = SOURCE_OFFSET;
      nx = f(nx + blended(a + normal, b + normal));
      ny = f(ny + blended(a + normal + 1, b + normal + 1));
      nz = f(nz + blended(a + normal + 2, b + normal + 2));
      if (heights)
        sum = f(sum + heightAt(heights, blended(a + uv0, b + uv0), blended(a + uv0 + 1, b + uv0 + 1)));
    }
    const length = f(Math.sqrt(f(f(f(nx * nx) + f(ny * ny)) + f(nz * nz))));
    direction[0] = length > 0 ? f(nx / length) : nx;
    direction[1] = length > 0 ? f(ny / length) : ny;
    direction[2] = length > 0 ? f(nz / length) : nz;
    const moved = amount(f(sum / count), direction, surface);
    const a = participants[first * PARTICIPANT_WORDS] * SOURCE_WORDS + SOURCE_OFFSET.position;
    const b = participants[first * PARTICIPANT_WORDS + 1] * SOURCE_WORDS + SOURCE_OFFSET.position;
    for (let k = 0; k < 3; k++) out[(i - 1) * 3 + k] = f(blended(a + k, b + k) + f(direction[k] * moved));
  }
}

/** Row and place in the row of point `k` of a patch's lattice: row r has r + 1 points, row 0 is the patch's first corner. */
export function latticePlace(k: number): [row: number, column: number] {
  const row = Math.floor((Math.sqrt(8 * k + 1) - 1) / 2);
  return [row, k - (row * (row + 1)) / 2];
}

/**
 * Which of a patch's points stand in a group:
 *
 *            0            edge 0 runs from corner 0 to corner 1 (column 0),
 *           / \           edge 1 from 1 to 2 (the last row),
 *       e0 /   \ e2       edge 2 from 2 to 0 (column = row)
 *         1 --- 2
 *           e1
 */
function spotOf({ source, level, plan }: BakeJob, patch: number, k: number): Spot {
  const n = stepsOf(level);
  const [row, column] = latticePlace(k);
  const { patches, cornerCount } = source;
  const words = patches.subarray(patch * PATCH_WORDS, (patch + 1) * PATCH_WORDS);
  const { vertices, edges, corners, cornerClasses, edgeClasses } = PATCH_OFFSET;
  const corner = (at: number): Spot => ({
    own: along(words[vertices + at], words[vertices + at], 0, n),
    group: words[corners + at],
    class: words[cornerClasses + at],
    step: 0,
  });
  if (row === 0) return corner(0);
  if (row === n && column === 0) return corner(1);
  if (row === n && column === n) return corner(2);
  const edge = column === 0 ? 0 : row === n ? 1 : column === row ? 2 : -1;
  if (edge < 0)
    return {
      own: {
        at: [words[vertices], words[vertices + 1], words[vertices + 2]],
        weight: [(n - row) / n, (row - column) / n, column / n],
      },
      ...{ group: -1, class: 0, step: 0 },
    };
  const entry = words[edges + edge];
  // Everything on an edge without a length stands at its corner.
  if (entry === COLLAPSED) return corner(edge);
  const [a, b] = [words[vertices + edge], words[vertices + ((edge + 1) % 3)]];
  const forward = edge === 0 ? row : edge === 1 ? column : n - row;
  const back = (entry & 1) === 1;
  const group = entry >>> 1;
  const shift = level - (plan.edgeLevels?.[group] ?? level);
  // On a coarser lattice a point stands at the coarse point before it.
  const step = ((back ? n - forward : forward) >> shift) << shift;
  if (step === 0) return corner(back ? (edge + 1) % 3 : edge);
  return {
    own: back ? along(b, a, step, n) : along(a, b, step, n),
    group: cornerCount + group,
    class: words[edgeClasses + edge],
    step,
  };
}

/** The place that a plan gives a spot, or null. */
function planned({ source, level, plan }: BakeJob, { group, step }: Spot): ArrayLike<number> | null {
  if (group < 0) return null;
  if (group < source.cornerCount) return plan.cornerPlaces.get(group) ?? null;
  const edge = group - source.cornerCount;
  const at = step >> (level - (plan.edgeLevels?.[edge] ?? level));
  return plan.edgePlaces.get(edge)?.subarray(at * 3, at * 3 + 3) ?? null;
}

/** Vertex `k` of a patch's lattice as the kernels write it: VERTEX_WORDS words into `out`. */
export function tessellatedVertex(
  job: BakeJob,
  patch: number,
  k: number,
  out: Float32Array<ArrayBuffer>,
): void {
  const { source } = job;
  const spot = spotOf(job, patch, k);
  const point = pointOf(job, spot);
  out.set(planned(job, spot) ?? point.position, VERTEX_OFFSET.position);
  const n = unit(triple(source, spot.own, SOURCE_OFFSET.normal));
  const moved = amount(1, n, job);
  const lean = dot(point.slope, n);
  const normal = unit(
    n.map((value, k) => f(value - f(moved * f(point.slope[k] - f(lean * n[k]))))) as Triple,
  );
  out.set(normal, VERTEX_OFFSET.normal);
  const t = triple(source, spot.own, SOURCE_OFFSET.tangent);
  const share = dot(normal, n);
  const slide = share > 0 ? f(dot(normal, t) / share) : 0;
  out.set(unit(t.map((value, k) => f(value - f(slide * n[k]))) as Triple), VERTEX_OFFSET.tangent);
  const [a] = spot.own.at;
  out[VERTEX_OFFSET.tangent + 3] = source.vertices[a * SOURCE_WORDS + SOURCE_OFFSET.tangent + 3];
  const first: Blend = { at: [a, a, a], weight: [1, 0, 0] };
  const oneColor = (source.patches[patch * PATCH_WORDS + PATCH_OFFSET.flags] & ONE_COLOR) !== 0;
  for (const [from, to, words, blend] of [
    [SOURCE_OFFSET.uv0, VERTEX_OFFSET.uv0, 2, spot.own],
    [SOURCE_OFFSET.uv1, VERTEX_OFFSET.uv1, 2, spot.own],
    [SOURCE_OFFSET.color, VERTEX_OFFSET.color, 4, oneColor ? first : spot.own],
  ] as const)
    for (let word = 0; word < words; word++) out[to + word] = part(source, blend, from + word);
  // Joints cannot be blended: they and their weights are those of the nearest vertex, of equals the first.
  const { at, weight } = spot.own;
  let nearest = weight[1] > weight[0] ? 1 : 0;
  if (weight[2] > weight[nearest]) nearest = 2;
  const from = at[nearest] * SOURCE_WORDS;
  for (let word = 0; word < 4; word++)
    out[VERTEX_OFFSET.weights + word] = source.vertices[from + SOURCE_OFFSET.weights + word];
  const [to, bits] = [new Uint32Array(out.buffer, out.byteOffset), new Uint32Array(source.vertices.buffer)];
  to[VERTEX_OFFSET.joints] = bits[from + SOURCE_OFFSET.joints];
}

/** Micro-triangle `t` of a patch's n²: three points of its lattice. Row r of them has 2 r + 1, every other one upside down. */
export function microTriangle(t: number): Triple {
  const row = Math.floor(Math.sqrt(t));
  const place = t - row * row;
  const column = place >> 1;
  const above = (row * (row + 1)) / 2 + column;
  const below = above + row + 1;
  return (place & 1) === 0 ? [above, below, below + 1] : [above, below + 1, above + 1];
}

/** All that the kernels write for a job: vertices and indices. For specs and for small meshes; it is slow. */
export function tessellate(job: BakeJob): {
  vertices: Float32Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
} {
  const { source, level } = job;
  const [lattice, micro] = [latticeOf(level), microOf(level)];
  const vertices = new Float32Array(source.patchCount * lattice * VERTEX_WORDS);
  const indices = new Uint32Array(source.patchCount * micro * 3);
  for (let patch = 0; patch < source.patchCount; patch++) {
    for (let k = 0; k < lattice; k++) {
      const at = (patch * lattice + k) * VERTEX_WORDS;
      tessellatedVertex(job, patch, k, vertices.subarray(at, at + VERTEX_WORDS));
    }
    for (let t = 0; t < micro; t++)
      indices.set(
        microTriangle(t).map((k) => patch * lattice + k),
        (patch * micro + t) * 3,
      );
  }
  return { vertices, indices };
}
