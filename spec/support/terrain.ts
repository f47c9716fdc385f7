// Fields, meshes and their vertices read back: what the terrain's GPU specs stand on.
import type { Gpu } from '../../runtime/gpu/gpu.js';
import { MeshStore } from '../../runtime/renderer/meshStore.js';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { TerrainMesh, type TerrainMeshOptions } from '../../runtime/terrain/terrainMesh.js';
import type { TerrainNode } from '../../runtime/terrain/terrainNodes.js';
import { Texture } from '../../runtime/texture/texture.js';

/** A ground's height in metres at texel (i, j). */
export type HeightOf = (i: number, j: number) => number;

/** Ground of three kinds, by texel; deterministic. */
export const GROUNDS: Record<'flat' | 'hilly' | 'stepped', HeightOf> = {
  flat: () => 12.5,
  hilly: (i, j) => 18 * Math.sin(i * 0.21) * Math.cos(j * 0.17) + 3 * Math.sin(i * 1.3 + j * 0.9),
  stepped: (i, j) => (((i >> 2) ^ (j >> 2)) & 1) * 1000,
};

/** An rgba32f texture of W × H texels with central differences as gradients, as terrain.toTexture makes it. */
export function fieldTexture(
  width: number,
  height: number,
  heightOf: HeightOf,
  size: readonly [number, number],
): Texture {
  const h = (i: number, j: number) =>
    Math.fround(heightOf(Math.min(Math.max(i, 0), width - 1), Math.min(Math.max(j, 0), height - 1)));
  const along = (i: number, count: number) => Math.min(i + 1, count - 1) - Math.max(i - 1, 0) || 1;
  const texture = Texture.create({
    width,
    height,
    format: 'rgba32f',
    data: (i: number, j: number) => [
      h(i, j),
      (h(i + 1, j) - h(i - 1, j)) / (along(i, width) * (size[0] / width)),
      (h(i, j + 1) - h(i, j - 1)) / (along(j, height) * (size[1] / height)),
      1,
    ],
  });
  texture.size = size;
  return texture;
}

/** An open heightfield on the device. */
export function openField(gpu: Gpu, texture: Texture, options: RectOptions = {}): Heightfield {
  const hf = Heightfield.fromTexture(texture, options);
  FieldTexels.attach(gpu, hf);
  return hf;
}

/** A terrain mesh with a mesh store of its own; `dispatches` counts. */
export async function makeMesh(gpu: Gpu, hf: Heightfield, options: TerrainMeshOptions) {
  const counter = { dispatches: 0 };
  const meshes = new MeshStore(gpu);
  const renderer = { meshes, countDispatch: (count: number) => void (counter.dispatches += count) };
  const mesh = await TerrainMesh.create({ gpu, renderer }, hf, options);
  return { mesh, meshes, counter };
}

/** The pool, read back: words of vertex (i, j) of a node. */
export class PoolReading {
  private constructor(
    readonly nodes: TerrainNode[],
    readonly nodeVerts: number,
    readonly words: Float32Array,
    readonly bits: Uint32Array,
    readonly indices: Uint32Array,
  ) {}

  /** @param nodes what is drawn, in the order of the run; default the cut's */
  static async of(mesh: TerrainMesh, nodes = mesh.nodes()): Promise<PoolReading> {
    const stride = (mesh.nodeVerts - 1) ** 2 * 6;
    const slots = nodes.reduce((most, { slot }) => Math.max(most, slot + 1), 0);
    const words = await mesh.vertexBuffer.read({ count: slots * mesh.nodeVerts ** 2 * VERTEX_WORDS });
    const indices = await mesh.indexBuffer.read({ count: nodes.length * stride, type: 'u32' });
    return new PoolReading(nodes, mesh.nodeVerts, words, new Uint32Array(words.buffer), indices);
  }

  /** First word of vertex (i, j) of the node in `slot`. */
  at(slot: number, i: number, j: number): number {
    return ((slot * this.nodeVerts + j) * this.nodeVerts + i) * VERTEX_WORDS;
  }

  position(slot: number, i: number, j: number): [number, number, number] {
    const at = this.at(slot, i, j);
    return [this.words[at], this.words[at + 1], this.words[at + 2]];
  }

  /** The bits of position, gradient's normal and uv0: what must agree where two nodes meet. */
  key(slot: number, i: number, j: number): string {
    const at = this.at(slot, i, j);
    return this.bits.subarray(at, at + VERTEX_WORDS).join();
  }
}
