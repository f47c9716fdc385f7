// Surfaces for specs of shared boundaries that need no GPU: quads whose corners are given in the world and whose transform,
// relief and triangle order are arbitrary; and a judge that compares every pair of corners.
import fc from 'fast-check';
import { mat4d } from 'wgpu-matrix';
import type { BoundarySurface } from '../../runtime/tessellation/boundaries.js';
import type { BoundaryPlan } from '../../runtime/tessellation/bakeJob.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { SOURCE_OFFSET, SOURCE_WORDS, SourceMesh } from '../../runtime/tessellation/sourceMesh.js';
import { composeMatrix, vec3, type Matrix } from '../../runtime/world/vector.js';

export type Place = readonly [number, number, number];

export interface QuadOptions {
  id: number;
  /** The four corners in the world, metres, in a ring. */
  ring: readonly Place[];
  matrix?: Matrix;
  level?: number;
  stitch?: boolean;
  /** Any number: another one displaces otherwise. */
  version?: number;
  /** Metres in the mesh. */
  relief?: number;
  /** Permutes vertices, triangles and their corners, and chooses the diagonal. */
  order?: number;
}

export interface Quad extends BoundarySurface {
  readonly options: QuadOptions;
}

/** Numbers spread evenly, where fc.double spreads exponents and most are as good as zero. */
export const evenly = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 2 ** 30 }).map((part) => min + ((max - min) * part) / 2 ** 30);

/** The matrix of a place, angles in degrees and scale. */
export const placed = (position: Place, rotation: Place = [0, 0, 0], scale: Place = [1, 1, 1]): Matrix =>
  composeMatrix(vec3(...position), vec3(...rotation), vec3(...scale));

/** The corners of a square of XZ whose low corner is (x, z), `side` metres. */
export const square = (x: number, z: number, side = 1): Place[] => [
  [x, 0, z],
  [x + side, 0, z],
  [x + side, 0, z + side],
  [x, 0, z + side],
];

/** 0 .. 1, from whole numbers. */
function random(...words: number[]): number {
  let h = 0x9e3779b9;
  for (const word of words) {
    h = Math.imul(h ^ word, 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35) ^ (h >>> 16);
  }
  return (h >>> 0) / 2 ** 32;
}

/** 0 .. count − 1 in an order of its own. */
const shuffled = (count: number, seed: number): number[] =>
  Array.from({ length: count }, (_, k) => k).sort((a, b) => random(seed, a) - random(seed, b));

/** A quad of two triangles: edges 0..4 in some order, one of them the diagonal, corners 0..3 in some order. */
export function quad(options: QuadOptions): Quad {
  const { id, ring, level = 1, stitch = true, version = 0, relief = 0.1, order = 0 } = options;
  const matrix = options.matrix ?? placed([0, 0, 0]);
  const inverse = mat4d.inverse(matrix);
  const at = shuffled(4, order);
  const words = new Float32Array(4 * VERTEX_WORDS);
  ring.forEach(([x, y, z], k) => {
    for (let axis = 0; axis < 3; axis++)
      words[at[k] * VERTEX_WORDS + axis] =
        inverse[axis] * x + inverse[4 + axis] * y + inverse[8 + axis] * z + inverse[12 + axis];
    words[at[k] * VERTEX_WORDS + VERTEX_OFFSET.normal + 1] = 1;
  });
  const [turn, cut] = [Math.floor(random(order, 1) * 3), random(order, 2) < 0.5 ? 1 : 0];
  const triangles = [0, 2].map((first) => [0, 1, 2].map((c) => at[(first + cut + ((c + turn) % 3)) % 4]));
  if (random(order, 3) < 0.5) triangles.reverse();
  const source = SourceMesh.of('quad', words, Uint32Array.from(triangles.flat()));
  const placeOf = (corner: number, axis: number) =>
    source.vertices[source.cornerVertex(corner) * SOURCE_WORDS + SOURCE_OFFSET.position + axis];
  const push = (seed: number[], out: Float32Array) => {
    for (let axis = 0; axis < 3; axis++) out[axis] += relief * (random(id, version, axis, ...seed) - 0.5);
  };
  return {
    options,
    id,
    matrix,
    level,
    stitch,
    version,
    source,
    displacedCorner(corner, out) {
      for (let axis = 0; axis < 3; axis++) out[axis] = placeOf(corner, axis);
      push([corner], out);
    },
    displacedEdge(edge, n, out) {
      for (let i = 1; i < n; i++) {
        const point = out.subarray(i * 3 - 3, i * 3);
        for (let axis = 0; axis < 3; axis++) {
          const [a, b] = [0, 1].map((end) => placeOf(source.edgeCorners[edge * 2 + end], axis));
          point[axis] = a + ((b - a) * i) / n;
        }
        push([100 + edge, i, n], point);
      }
    },
  };
}

/** Where the mesh's place `at` of `places` is in the world, by the entity's own matrix in doubles. */
export function inWorld(matrix: Matrix, places: ArrayLike<number>, at = 0): Place {
  const world = (axis: number) =>
    matrix[axis] * places[at] +
    matrix[4 + axis] * places[at + 1] +
    matrix[8 + axis] * places[at + 2] +
    matrix[12 + axis];
  return [world(0), world(1), world(2)];
}

/** The largest magnitude that takes part in carrying a place to the world: what its rounding is measured by. */
export function magnitude(matrix: Matrix, places: ArrayLike<number>, at = 0): number {
  let most = 0;
  for (let row = 0; row < 3; row++) {
    let sum = 0;
    for (let column = 0; column < 3; column++)
      sum += Math.abs(matrix[column * 4 + row] * places[at + column]);
    most = Math.max(most, sum);
  }
  return Math.max(most, ...inWorld(matrix, places, at).map(Math.abs));
}

/** What every pair of corners says about one surface's boundary. */
export interface Verdict {
  /** Ids of the surfaces that share a corner with it. */
  sharers: Set<number>;
  /** By its shared corners, in the ring's order: the owner's id. */
  corners: Map<number, number>;
  /** By its shared edges, in the ring's order: the owner's id and level. */
  edges: Map<number, { owner: number; level: number }>;
  stitchedEdges: number;
}

const GRID = 1e-4;
const one = (a: Place, b: Place) =>
  a.every((_, k) => Math.round(a[k] / GRID) === Math.round(b[k] / GRID)) ||
  a.every((_, k) => Math.abs(a[k] - b[k]) < 0.45 * GRID);

/** Judges all quads by their rings in the world: all pairs, joined until nothing changes. */
export function judge(quads: readonly Quad[]): Map<number, Verdict> {
  const corners = quads.flatMap(({ options: { ring } }, q) => ring.map((at, k) => ({ q, k, at })));
  const group = corners.map((_, index) => index);
  for (let again = true; again;) {
    again = false;
    for (let a = 0; a < corners.length; a++)
      for (let b = 0; b < a; b++)
        if (group[a] !== group[b] && one(corners[a].at, corners[b].at)) {
          const [low, high] = [Math.min(group[a], group[b]), Math.max(group[a], group[b])];
          group.forEach((g, k) => g === high && (group[k] = low));
          again = true;
        }
  }
  const groupOf = (q: number, k: number) => group[q * 4 + (k % 4)];
  const takes = (q: number) => quads[q].stitch;
  const first = (all: readonly number[]) =>
    [...all].sort(
      (a, b) =>
        quads[a].level - quads[b].level || Number(takes(a)) - Number(takes(b)) || quads[a].id - quads[b].id,
    )[0];
  const verdicts = new Map<number, Verdict>();
  quads.forEach((quad, q) => {
    const verdict: Verdict = { sharers: new Set(), corners: new Map(), edges: new Map(), stitchedEdges: 0 };
    verdicts.set(quad.id, verdict);
    for (let k = 0; k < 4; k++) {
      const at = quads.flatMap((_, p) =>
        [0, 1, 2, 3].some((c) => groupOf(p, c) === groupOf(q, k)) ? [p] : [],
      );
      for (const p of at) if (p !== q) verdict.sharers.add(quads[p].id);
      const along = quads.flatMap((_, p) =>
        [0, 1, 2, 3].some((c) => {
          const [a, b, from, to] = [groupOf(p, c), groupOf(p, c + 1), groupOf(q, k), groupOf(q, k + 1)];
          return from !== to && ((a === from && b === to) || (a === to && b === from));
        })
          ? [p]
          : [],
      );
      if (!takes(q)) continue;
      if (at.length > 1) verdict.corners.set(k, quads[first(at)].id);
      if (along.length < 2) continue;
      const owner = quads[first(along)];
      verdict.edges.set(k, { owner: owner.id, level: owner.level });
      if (owner.level < quad.level) verdict.stitchedEdges++;
    }
  });
  return verdicts;
}

/** Where a plan puts the boundary, in the ring's order: corner and edge places in the mesh, edges along the ring. */
export function alongRing({ source, options: { ring }, matrix }: Quad, plan: BoundaryPlan) {
  const corners = new Map<number, ArrayLike<number>>();
  const edges = new Map<number, Float32Array>();
  // Which corner of the ring a corner group is: the nearest.
  const nearest = (group: number): number => {
    const at = inWorld(matrix, source.vertices, source.cornerVertex(group) * SOURCE_WORDS);
    const far = ring.map((place) => Math.hypot(...place.map((part, k) => part - at[k])));
    return far.indexOf(Math.min(...far));
  };
  for (const [group, place] of plan.cornerPlaces) corners.set(nearest(group), place);
  for (const [edge, places] of plan.edgePlaces) {
    const [from, to] = [0, 1].map((end) => nearest(source.edgeCorners[edge * 2 + end]));
    const forward = to === (from + 1) % 4;
    const points = Array.from({ length: places.length / 3 }, (_, i) => places.subarray(i * 3, i * 3 + 3));
    if (!forward) points.reverse();
    edges.set(forward ? from : to, Float32Array.from(points.flatMap((point) => [...point])));
  }
  return { corners, edges };
}
