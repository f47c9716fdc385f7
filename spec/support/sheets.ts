// Tessellated quads that are drawn: entities whose corners are given in the world, baked by the kernels with or without what
// their neighbours ask, and a judge of rays against the triangles that came back from the GPU.
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { NO_PLAN, type BakeJob, type HeightMap } from '../../runtime/tessellation/bakeJob.js';
import { Boundaries, type BoundarySurface } from '../../runtime/tessellation/boundaries.js';
import { displacedAlong, displacedCorner } from '../../runtime/tessellation/displace.js';
import { SourceMesh } from '../../runtime/tessellation/sourceMesh.js';
import { TessellateKernels, type BakedBuffers } from '../../runtime/tessellation/tessellateKernels.js';
import type { Entity, EntityOptions } from '../../runtime/world/entity.js';
import type { Matrix, Vec3 } from '../../runtime/world/vector.js';
import { mat4d } from 'wgpu-matrix';
import { inWorld, type Place } from './boundaries.js';
import { sharedGpu } from './gpu.js';
import type { Scene } from './picture.js';

export interface SheetOptions {
  /** Four corners in the world, metres, counter-clockwise seen from the side that shows. */
  ring: readonly Place[];
  pose: EntityOptions;
  level: number;
  stitch?: boolean;
  /** Metres of the world a unit of height; heights lie in −1..1. */
  scale: number;
  heights: HeightMap;
  /** 0..1, as often as they are called: the order of vertices, triangles and their corners, the diagonal, uvs and normals. */
  random: () => number;
}

export interface Sheet {
  readonly entity: Entity;
  readonly surface: BoundarySurface;
  readonly job: Omit<BakeJob, 'plan'>;
}

/** A map of heights in −1..1 without any order. */
export function roughMap(side: number, random: () => number, clamp = false): HeightMap {
  const data = Float32Array.from({ length: side * side }, () => 2 * random() - 1);
  return { data, width: side, height: side, clamp, low: -1, high: 1 };
}

/** Makes an entity with a quad under it, not yet baked. Its uvs and normals are its own, so that neighbours disagree. */
export function sheet(scene: Scene, options: SheetOptions): Sheet {
  const { ring, pose, level, stitch = true, scale, heights, random } = options;
  const entity = scene.world.createEntity('sheet', pose);
  const matrix = entity.worldMatrix;
  const source = quadSource(ring, matrix, random);
  const stretch = stretchOf(matrix);
  const displacement = { heights, scale, stretch };
  return {
    entity,
    surface: {
      id: entity.id,
      matrix,
      level,
      stitch,
      version: 0,
      source,
      displacedCorner: (corner, out) => displacedCorner(source, corner, displacement, out),
      displacedEdge: (edge, n, out) => displacedAlong(source, edge, n, displacement, out),
    },
    job: { source, level, ...displacement },
  };
}

function quadSource(ring: readonly Place[], matrix: Matrix, random: () => number): SourceMesh {
  const inverse = mat4d.inverse(matrix);
  const [a, b, d] = [ring[0], ring[1], ring[3]];
  const [p, q] = [b, d].map((end) => end.map((part, k) => part - a[k]));
  const up = [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
  const length = Math.hypot(...up);
  const at = [0, 1, 2, 3].sort(() => random() - 0.5);
  const words = new Float32Array(4 * VERTEX_WORDS);
  const [turnUv, spread] = [Math.floor(random() * 4), 0.5 + random()];
  ring.forEach((place, k) => {
    const word = at[k] * VERTEX_WORDS;
    words.set(inWorld(inverse, place), word + VERTEX_OFFSET.position);
    const lean = up.map((part) => part / length + 0.3 * (random() - 0.5));
    // A normal goes back to the mesh by the transpose, as it comes from there by the inverse transpose.
    const local = [0, 1, 2].map((c) => [0, 1, 2].reduce((sum, r) => sum + matrix[c * 4 + r] * lean[r], 0));
    const size = Math.hypot(...local);
    words.set(
      local.map((part) => part / size),
      word + VERTEX_OFFSET.normal,
    );
    const corner = (k + turnUv) % 4;
    words.set(
      [spread * (corner === 1 || corner === 2 ? 1 : 0), spread * (corner > 1 ? 1 : 0)],
      word + VERTEX_OFFSET.uv0,
    );
  });
  const cut = random() < 0.5 ? 1 : 0;
  // A mirrored mesh shows the side from which its triangles run clockwise in the world.
  const mirrored = mat4d.determinant(matrix) < 0;
  const triangles = [0, 2].map((first) => {
    const turn = Math.floor(random() * 3);
    const corners = [0, 1, 2].map((c) => at[(first + cut + ((c + turn) % 3)) % 4]);
    return mirrored ? corners.reverse() : corners;
  });
  if (random() < 0.5) triangles.reverse();
  return SourceMesh.of('sheet', words, Uint32Array.from(triangles.flat()));
}

function stretchOf(m: Matrix): Float32Array<ArrayBuffer> {
  const product = (a: number, b: number) =>
    m[a * 4] * m[b * 4] + m[a * 4 + 1] * m[b * 4 + 1] + m[a * 4 + 2] * m[b * 4 + 2];
  return Float32Array.of(
    product(0, 0),
    product(1, 1),
    product(2, 2),
    product(0, 1),
    product(0, 2),
    product(1, 2),
  );
}

/** A baked sheet: its buffers, and the words that they hold. */
export interface Baked {
  readonly sheet: Sheet;
  readonly buffers: BakedBuffers;
  readonly words: Float32Array;
  readonly indices: Uint32Array;
}

/** Bakes sheets with the kernels, one after the other's wishes if `shared`, and gives each entity its mesh. */
export async function bake(scene: Scene, sheets: readonly Sheet[], shared: boolean): Promise<Baked[]> {
  const gpu = await sharedGpu();
  const kernels = await TessellateKernels.of(gpu);
  const boundaries = new Boundaries();
  boundaries.update(sheets.map(({ surface }) => surface));
  const inputs = sheets.map(({ surface, job }) => ({
    job: { ...job, plan: shared ? boundaries.planOf(surface.id) : NO_PLAN },
    source: kernels.upload(job.source),
    heights: kernels.uploadHeights(job.heights!),
  }));
  const outputs = kernels.bake(inputs);
  const baked: Baked[] = [];
  for (const [k, buffers] of outputs.entries()) {
    const { vertexBuffer, indexBuffer, indexCount } = buffers;
    const words = (await vertexBuffer.read({ type: 'f32' })) as Float32Array;
    const indices = (await indexBuffer.read({ count: indexCount, type: 'u32' })) as Uint32Array;
    baked.push({ sheet: sheets[k], buffers, words, indices });
    const mesh = await scene.renderer.meshes.create({ vertexBuffer, indexBuffer, indexCount });
    scene.world.addComponent(sheets[k].entity, 'Model', { mesh });
  }
  for (const { source, heights } of inputs) {
    source.destroy();
    gpu.free(heights);
  }
  return baked;
}

/** Takes sheets out of the world, and frees what was baked. */
export function unbake(scene: Scene, baked: readonly Baked[]): void {
  for (const { sheet, buffers } of baked) {
    const mesh = sheet.entity.components.get('Model')!.get('mesh') as string;
    sheet.entity.destroy();
    scene.renderer.meshes.destroy(mesh);
    buffers.vertexBuffer.destroy();
    buffers.indexBuffer.destroy();
  }
}

/** The drawn triangles in the world, counter-clockwise seen from the side that shows. */
export function trianglesOf(baked: readonly Baked[]): Place[][] {
  return baked.flatMap(({ sheet, words, indices }) => {
    const matrix = sheet.entity.worldMatrix;
    const places = Array.from(indices, (index) => inWorld(matrix, words, index * VERTEX_WORDS));
    const mirrored = mat4d.determinant(matrix) < 0;
    return Array.from({ length: places.length / 3 }, (_, t) => {
      const corners = places.slice(t * 3, t * 3 + 3);
      return mirrored ? corners.reverse() : corners;
    });
  });
}

/** What doubles lose of a volume of some cubic metres. */
const ROUNDING = 1e-13;

/** Whether a ray meets a triangle that shows its front. */
export function hits(triangles: readonly Place[][], from: Vec3, direction: Vec3): boolean {
  const d: Place = [direction.x, direction.y, direction.z];
  return triangles.some((corners) => {
    const [a, b, c] = corners.map(([x, y, z]): Place => [x - from.x, y - from.y, z - from.z]);
    const sides = [triple(d, a, b), triple(d, b, c), triple(d, c, a)];
    return sides.every((side) => side < ROUNDING) && triple(a, b, c) < 0;
  });
}

/** a · (b × c) */
const triple = (a: Place, b: Place, c: Place): number =>
  a[0] * (b[1] * c[2] - b[2] * c[1]) +
  a[1] * (b[2] * c[0] - b[0] * c[2]) +
  a[2] * (b[0] * c[1] - b[1] * c[0]);
