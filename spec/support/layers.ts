// Layered ground for specs: files in memory, ground opened with layers, and standing in a scene.
import { Assets } from '../../runtime/assets/assets.js';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import type { HostFiles } from '../../runtime/host/host.js';
import { MaterialStore } from '../../runtime/renderer/materialStore.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { openHeightfield, type OpenOptions } from '../../runtime/terrain/terrainHeightfield.js';
import { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { Texture, type TextureFormat } from '../../runtime/texture/texture.js';
import type { Scene } from './picture.js';
import { fieldTexture, type HeightOf } from './terrain.js';

/** Files in memory. */
export class Files implements HostFiles {
  readonly stored = new Map<string, Uint8Array>();

  async read(path: string): Promise<Uint8Array> {
    const bytes = this.stored.get(path);
    if (!bytes) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    return bytes.slice();
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    this.stored.set(path, bytes);
  }
}

/** What ground is opened with: a device, files in memory and materials. */
export function layerEngine(gpu: Gpu, materials = new MaterialStore()) {
  const files = new Files();
  return { gpu, files, assets: new Assets(files), renderer: { materials } };
}

/** Flat ground of 8 × 8 texels over `size` metres. */
export const flatTexture = (size: readonly [number, number] = [64, 64]) => fieldTexture(8, 8, () => 0, size);

export function openLayered(
  engine: ReturnType<typeof layerEngine>,
  layers: OpenOptions['layers'],
  options: OpenOptions = {},
  ground = flatTexture(),
): Promise<Heightfield> {
  return openHeightfield(engine, ground, { ...options, layers });
}

/** A texture of pseudo-random bytes; the same for the same seed. */
export function noisy(width: number, height: number, format: TextureFormat, seed = 1): Texture {
  let state = seed * 2654435761;
  const channels = format === 'rgba8' ? 4 : format === 'rg8' ? 2 : 1;
  const data = Array.from({ length: width * height * channels }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 24;
  });
  return Texture.create({ width, height, format, data });
}

/** A texture of one value everywhere. */
export const even = (format: TextureFormat, ...texel: number[]): Texture =>
  Texture.create({ width: 1, height: 1, format, data: texel });

/** Stands a heightfield in a scene; answers what takes it away again, the heightfield with it. */
export async function stand(scene: Scene, gpu: Gpu, hf: Heightfield): Promise<() => void> {
  const mesh = await TerrainMesh.create({ gpu, renderer: scene.renderer }, hf, {
    camera: { x: hf.origin.x, y: 10, z: hf.origin.z },
    nodeVerts: 5,
    maxNodes: 64,
  });
  const entity = scene.model(mesh.mesh);
  return () => {
    entity.destroy();
    mesh.destroy();
    hf.close();
  };
}

/** A field whose height follows metres from its centre. */
export function slopeTexture(
  texels: number,
  size: number,
  heightAt: (x: number, z: number) => number,
): Texture {
  const metres = (index: number) => ((index + 0.5) / texels - 0.5) * size;
  const heightOf: HeightOf = (i, j) => heightAt(metres(i), metres(j));
  return fieldTexture(texels, texels, heightOf, [size, size]);
}
