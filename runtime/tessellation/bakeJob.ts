// What a bake is made from: a source, a level, how it is displaced, and what its neighbours ask of its outline. Plain data: the
// kernels (tessellateKernels.ts) and their CPU twin (displace.ts) read the same.
import { VERTEX_BYTES } from '../renderer/vertex.js';
import type { SourceMesh } from './sourceMesh.js';

/** Levels: 0 is a vertex at each corner of a patch, and each level more halves its edges. */
export const MAX_LEVEL = 6;

/** Heights to be sampled, f32, row-major, row 0 at v = 0. */
export interface HeightMap {
  readonly data: Float32Array<ArrayBuffer>;
  /** Texels. */
  readonly width: number;
  readonly height: number;
  /** Past its edges it has its edge's own height; without it, it repeats. */
  readonly clamp: boolean;
  /** The least and the greatest height. */
  readonly low: number;
  readonly high: number;
}

/** How points of a source are moved. */
export interface Displacement {
  /** Null moves nothing. */
  readonly heights: HeightMap | null;
  /** Metres of the world a unit of height; any sign. */
  readonly scale: number;
  /**
   * What an entity's matrix M makes of lengths, as xx, yy, zz, xy, xz, yz of Mᵀ · M: a direction n of the mesh is |M n| metres long
   * in the world. Null where M only turns and moves.
   */
  readonly stretch: Float32Array<ArrayBuffer> | null;
}

/** What neighbours ask of a surface's outline. The plan of a surface is another object whenever it says something else. */
export interface BoundaryPlan {
  /** The level of each edge group's lattice, at most the surface's own; null: its own everywhere. */
  readonly edgeLevels: Uint8Array | null;
  /** Of an edge group: 2^(its level) + 1 places of the mesh's own space, three numbers each, along the group. */
  readonly edgePlaces: ReadonlyMap<number, Float32Array>;
  /** Of a corner group: its place in the mesh's own space. */
  readonly cornerPlaces: ReadonlyMap<number, ArrayLike<number>>;
  /** How many edges lie on a coarser lattice than the surface's own. */
  readonly stitchedEdges: number;
}

export const NO_PLAN: BoundaryPlan = {
  edgeLevels: null,
  edgePlaces: new Map(),
  cornerPlaces: new Map(),
  stitchedEdges: 0,
};

export interface BakeJob extends Displacement {
  readonly source: SourceMesh;
  /** 0..MAX_LEVEL. */
  readonly level: number;
  readonly plan: BoundaryPlan;
}

/** Steps along a patch's edge. */
export const stepsOf = (level: number): number => 2 ** level;

/** Points of a patch's lattice. */
export const latticeOf = (level: number): number => ((stepsOf(level) + 1) * (stepsOf(level) + 2)) / 2;

/** Triangles that a patch becomes. */
export const microOf = (level: number): number => 4 ** level;

/** Bytes of the vertices and indices that `patches` patches become. */
export const outputBytes = (patches: number, level: number): number =>
  patches * (latticeOf(level) * VERTEX_BYTES + microOf(level) * 12);

/** The distance over which a height's slope is taken, along u and v: a texel, or a step of the lattice where that is longer. */
export function slopeSteps(source: SourceMesh, level: number, { width, height }: HeightMap) {
  const step = Math.fround(source.uvSide / stepsOf(level));
  return { u: Math.max(Math.fround(1 / width), step), v: Math.max(Math.fround(1 / height), step) };
}
