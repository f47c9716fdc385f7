// A ground's layers on the GPU: their weight textures, and their maps in two arrays of one size. Made by
// runtime/terrain/fieldLayers.ts, which frees them; drawn through layerBinding.ts.
import type { Gpu } from '../gpu/gpu.js';
import { createMapArray, createPlainTexture } from '../texture/gpuTexture.js';
import { colorOf, firstOf, plain, putChannel, slopesOf } from '../texture/mapPixels.js';
import { meanOf, resize, type FloatImage } from '../texture/mipChain.js';
import type { Texture } from '../texture/texture.js';
import type { Material, MaterialMaps } from './materialStore.js';

/** The longest side of a map on ground: larger ones are brought down to it. */
export const MAX_MAP_SIDE = 1024;
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
    readonly colors: GPUTexture,
    readonly matters: GPUTexture,
  ) {}

  /** Uploads the layers' weights and maps. `destroy` frees them. */
  static create(
    gpu: Gpu,
    layers: readonly LayerDescription[],
    weights: readonly WeightTexels[],
  ): LayerResources {
    const side = sideOf(layers.map(({ material }) => material.maps));
    const colors: FloatImage[] = [];
    const matters: FloatImage[] = [];
    const constants = layers.map(({ texture, channel, material }) => {
      const { albedo, emissive, roughness, metallic, tile, contrast, maps } = material;
      const color = colorImage(maps, side);
      const matter = matterImage(maps, side);
      return {
        albedo: [albedo.x, albedo.y, albedo.z],
        roughness,
        emissive: [emissive.x, emissive.y, emissive.z],
        metallic,
        // A part that is 0 everywhere stays so, whatever it is divided by.
        mean: color ? meanOf(color).map((part) => Math.max(part, 1e-4)) : [1, 1, 1],
        contrast: maps.displacementMap ? contrast : 0,
        perMetre: 1 / tile,
        colorSlice: color ? colors.push(color) - 1 : -1,
        matterSlice: matter ? matters.push(matter) - 1 : -1,
        relief: maps.normalMap ? 1 : 0,
        weight: texture < 0 ? REST : texture * 4 + channel,
        variation: maps.albedoMap ? 1 : 0,
      };
    });
    // What has none gets one texel, since a shader's bindings cannot be left out.
    const none = [plain(1, 1, [0, 0, 0, 0])];
    const array = (label: string, images: FloatImage[], kind: 'color' | 'matter') =>
      createMapArray(gpu, { label, images: images.length > 0 ? images : none, kind });
    const shown = weights.length > 0 ? weights : [{ width: 1, height: 1, data: new Uint8Array(4) }];
    return new LayerResources(
      gpu,
      constants,
      weights.length,
      [Math.max(...shown.map(({ width }) => width)), Math.max(...shown.map(({ height }) => height))],
      shown.map((texels, i) => createPlainTexture(gpu, `layer weights ${i + 1}`, texels)),
      array('layer colours', colors, 'color'),
      array('layer matter', matters, 'matter'),
    );
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const texture of [...this.weights, this.colors, this.matters]) this.gpu.free(texture);
  }
}

/** The side of all maps of a ground: the longest of any of them, as a power of two, at most MAX_MAP_SIDE. */
function sideOf(maps: readonly MaterialMaps[]): number {
  let longest = 1;
  for (const layer of maps)
    for (const { width, height } of Object.values(layer)) longest = Math.max(longest, width, height);
  return Math.min(MAX_MAP_SIDE, 2 ** Math.ceil(Math.log2(longest)));
}

/** Colour with the height in its fourth channel, or null where a layer has neither. */
function colorImage({ albedoMap, displacementMap }: MaterialMaps, side: number): FloatImage | null {
  if (!albedoMap && !displacementMap) return null;
  const image = albedoMap ? sized(colorOf(albedoMap), side) : plain(side, side, [1, 1, 1, 1]);
  putFirst(image, 3, displacementMap, side);
  return image;
}

/** Slopes, roughness and occlusion, or null where a layer has none of them. */
function matterImage(
  { normalMap, roughnessMap, occlusionMap }: MaterialMaps,
  side: number,
): FloatImage | null {
  if (!normalMap && !roughnessMap && !occlusionMap) return null;
  const image = normalMap ? sized(slopesOf(normalMap), side) : plain(side, side, [0, 0, 1, 1]);
  putFirst(image, 2, roughnessMap, side);
  putFirst(image, 3, occlusionMap, side);
  return image;
}

const sized = (image: FloatImage, side: number) => resize(image, side, side);

function putFirst(image: FloatImage, channel: number, texture: Texture | undefined, side: number): void {
  if (texture) putChannel(image, channel, sized(firstOf(texture), side), 0);
}
