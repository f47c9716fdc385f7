// One tessellated entity: what it is to be made from (its shape), what stands, and what its component reports. The tessellation
// system refreshes it each frame and bakes what is due; boundaries read its shape.
import type { Material } from '../renderer/materialStore.js';
import type { Mesh } from '../renderer/meshStore.js';
import type { Texture } from '../texture/texture.js';
import type { Component } from '../world/component.js';
import type { Entity } from '../world/entity.js';
import { unite, vec3, type Bounds, type Matrix } from '../world/vector.js';
import type { Screen, Sphere } from './adaptive.js';
import type { BoundaryPlan, Displacement } from './bakeJob.js';
import { latticeOf, microOf, NO_PLAN } from './bakeJob.js';
import { displacedAlong, displacedCorner } from './displace.js';
import { displacedBounds } from './reach.js';
import type { HeightEntry, SourceEntry } from './resources.js';
import type { SourceMesh } from './sourceMesh.js';
import { leastStretch } from './stretch.js';
import type { BakedBuffers } from './tessellateKernels.js';
import type { TessellationReport, TessellationStatus } from './tessellation.js';

/** What a bake is made from, but for its neighbours. Another object whenever any of it is another. */
export interface Shape extends Displacement {
  readonly mesh: Mesh;
  readonly entry: SourceEntry;
  readonly source: SourceMesh;
  readonly heightEntry: HeightEntry | null;
  readonly level: number;
  /** The box of the displaced source. */
  readonly bounds: Bounds;
}

/** What stands in the MeshInstance. */
export interface Baked {
  readonly shape: Shape;
  readonly plan: BoundaryPlan;
  readonly guid: string;
  readonly buffers: BakedBuffers;
}

/** The fields as they were last read. */
export interface Settings {
  level: number;
  clamped: boolean;
  scale: number;
  adaptive: boolean;
  rejected: boolean;
  screenError: number;
}

export class TessellatedSurface {
  /** Its fields were set since they were last read. */
  dirty = true;
  settings: Settings = {
    ...{ level: 0, clamped: false, scale: 0 },
    ...{ adaptive: false, rejected: false, screenError: 0 },
  };
  stitch = true;
  /** It keeps what stands, whatever it is asked for: its mode is unknown, or it would be too large. */
  frozen = false;
  status: TessellationStatus = '';
  /** What it was last refreshed from, with the counts that tell whether any of it has changed. */
  model: Component | null = null;
  drawn: Component | null = null;
  readonly seen = { model: -1, drawn: -1, meshes: -1, materials: -1 };
  mesh: Mesh | null = null;
  material: Material | undefined = undefined;
  texture: Texture | null = null;
  revision = -1;
  /** Held while it is used. */
  entry: SourceEntry | null = null;
  heightEntry: HeightEntry | null = null;
  stretch: Float32Array<ArrayBuffer> | null = null;
  placed: Matrix | null = null;
  /** What is to stand; null while there is nothing that could. */
  shape: Shape | null = null;
  baked: Baked | null = null;
  /** What its neighbours ask of what is to stand. */
  plan: BoundaryPlan = NO_PLAN;
  /** Around what is to stand, in the world; null until it is asked for. */
  sphere: Sphere | null = null;
  /** Its adaptive level was worked out for this screen, and is not waiting to change. */
  steadyOn: Screen | null = null;
  /** Counts the shapes. */
  version = 0;
  /** Seconds of the runtime at which its adaptive level changed last. */
  levelChanged = -Infinity;

  constructor(readonly instance: Component) {}

  get entity(): Entity {
    return this.instance.entity;
  }

  get id(): number {
    return this.instance.entity.id;
  }

  get matrix(): Matrix {
    return this.placed!;
  }

  get level(): number {
    return this.shape!.level;
  }

  get source(): SourceMesh {
    return this.shape!.source;
  }

  displacedCorner(corner: number, out: Float32Array): void {
    displacedCorner(this.source, corner, this.shape!, out);
  }

  displacedEdge(edge: number, n: number, out: Float32Array): void {
    displacedAlong(this.source, edge, n, this.shape!, out);
  }

  report(): TessellationReport {
    const { status, baked } = this;
    const level = baked?.shape.level ?? 0;
    const patches = baked?.shape.source.patchCount ?? 0;
    return {
      status,
      activeLevel: level,
      outputTriangles: patches * microOf(level),
      outputVertices: patches * latticeOf(level),
      stitchedEdges: baked?.plan.stitchedEdges ?? 0,
    };
  }
}

/** The box of a source that is displaced so, in its own space; never too small. */
export function shapeBounds(source: SourceMesh, { heights, scale, stretch }: Displacement): Bounds {
  const reach = scale / leastStretch(stretch);
  const ends = heights ? [heights.low * reach, heights.high * reach] : [0, 0];
  return displacedBounds(source, { low: Math.min(0, ...ends), high: Math.max(0, ...ends) });
}

/** The box of a bake: its shape's, and the places that neighbours gave it. */
export function bakedBounds({ bounds }: Shape, plan: BoundaryPlan): Bounds {
  let box: Bounds = bounds;
  const include = (places: ArrayLike<number>) => {
    for (let at = 0; at < places.length; at += 3) {
      const place = vec3(places[at], places[at + 1], places[at + 2]);
      box = unite(box, { min: place, max: place })!;
    }
  };
  plan.edgePlaces.forEach(include);
  plan.cornerPlaces.forEach(include);
  return box;
}
