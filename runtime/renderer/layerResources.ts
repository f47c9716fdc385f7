// A ground's layers on the GPU: their weight textures, their maps and their constants. Made by runtime/terrain/fieldLayers.ts,
// which frees them; drawn through layerBinding.ts.
import type { Gpu } from '../gpu/gpu.js';
import { createPlainTexture } from '../texture/gpuTexture.js';
import { LayerMaps } from './layerMaps.js';
import type { Material } from './materialStore.js';

/** As REST of shaders/include/ground_layers.wgsl. */
const REST = 16;

export interface LayerDescription {
  /** Index of its weight texture, or -1. */
  texture: number;
  /** 0..3. */
  channel: number;
  material: Material;
}

/** What a draw sends of a layer, beside what follows the camera: fields of GroundLayer in shaders/include/ground_layers.wgsl. */
export interface LayerConstants {
  albedo: number[];
  roughness: number;
  emissive: number[];
  metallic: number;
  mean: number[];
  contrast: number;
  perMetre: number;
  colorSlice: number;
  matterSlice: number;
  relief: number;
  weight: number;
  variation: number;
}

export interface WeightTexels {
  width: number;
  height: number;
  data: Uint8Array<ArrayBuffer>;
}

export class LayerResources {
  destroyed = false;

  private constructor(
    private readonly gpu: Gpu,
    readonly constants: readonly LayerConstants[],
    /** How many of `weights` hold weights. */
    readonly weightCount: number,
    /** Texels of the finest weight texture along X and Z. */
    readonly finest: readonly [number, number],
    readonly weights: readonly GPUTexture[],
    readonly maps: LayerMaps,
  ) {}

  /** Uploads the layers' weights and maps, taking over the maps of `before` where they are the same. `destroy` frees them. */
  static create(
    gpu: Gpu,
    layers: readonly LayerDescription[],
    weights: readonly WeightTexels[],
    before: LayerResources | null = null,
  ): LayerResources {
    const own = layers.map(({ material }) => material.maps);
    const maps = before?.maps.reuse(own) ?? LayerMaps.create(gpu, own);
    const constants = layers.map(({ texture, channel, material }, i) => {
      const { albedo, emissive, roughness, metallic, tile, contrast } = material;
      const { color, matter, mean } = maps.slices[i];
      return {
        albedo: [albedo.x, albedo.y, albedo.z],
        roughness,
        emissive: [emissive.x, emissive.y, emissive.z],
        metallic,
        // A part that is 0 everywhere stays so, whatever it is divided by.
        mean: mean.map((part) => Math.max(part, 1e-4)),
        contrast: material.maps.displacementMap ? contrast : 0,
        perMetre: 1 / tile,
        colorSlice: color,
        matterSlice: matter,
        relief: material.maps.normalMap ? 1 : 0,
        weight: texture < 0 ? REST : texture * 4 + channel,
        variation: material.maps.albedoMap ? 1 : 0,
      };
    });
    // Without weights there is one texel, since a shader's bindings cannot be left out.
    const shown = weights.length > 0 ? weights : [{ width: 1, height: 1, data: new Uint8Array(4) }];
    return new LayerResources(
      gpu,
      constants,
      weights.length,
      [Math.max(...shown.map(({ width }) => width)), Math.max(...shown.map(({ height }) => height))],
      shown.map((texels, i) => createPlainTexture(gpu, `layer weights ${i + 1}`, texels)),
      maps,
    );
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const texture of this.weights) this.gpu.free(texture);
    this.maps.release();
  }
}
