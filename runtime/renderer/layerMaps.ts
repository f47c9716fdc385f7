// The maps of a ground's layers on the GPU: two arrays of one size, a slice for each layer that has any. Making them takes the
// CPU a while, so that layers set or read again with the same maps share them: painting weights leaves them as they are.
import type { Gpu } from '../gpu/gpu.js';
import { createMapArray } from '../texture/gpuTexture.js';
import { colorOf, firstOf, plain, putChannel, slopesOf } from '../texture/mapPixels.js';
import { meanOf, resize, type FloatImage } from '../texture/mipChain.js';
import type { Texture } from '../texture/texture.js';
import { MAP_NAMES, type MaterialMaps } from './materialStore.js';

/** The longest side of a map on ground: larger ones are brought down to it. */
export const MAX_MAP_SIDE = 1024;

/** Where a layer's maps lie: slices, -1 where it has none, and the linear mean of its colours. */
export interface LayerSlices {
  color: number;
  matter: number;
  mean: readonly number[];
}

export class LayerMaps {
  private users = 1;

  private constructor(
    private readonly gpu: Gpu,
    /** By layer. */
    readonly slices: readonly LayerSlices[],
    readonly colors: GPUTexture,
    readonly matters: GPUTexture,
    private readonly key: readonly unknown[],
  ) {}

  /** Uploads the maps of each layer. `release` frees them. */
  static create(gpu: Gpu, maps: readonly MaterialMaps[]): LayerMaps {
    const side = sideOf(maps);
    const colors: FloatImage[] = [];
    const matters: FloatImage[] = [];
    const slices = maps.map((layer) => {
      const color = colorImage(layer, side);
      const matter = matterImage(layer, side);
      return {
        color: color ? colors.push(color) - 1 : -1,
        matter: matter ? matters.push(matter) - 1 : -1,
        mean: color ? meanOf(color) : [1, 1, 1],
      };
    });
    // What has none gets one texel, since a shader's bindings cannot be left out.
    const array = (label: string, images: FloatImage[], kind: 'color' | 'matter') =>
      createMapArray(gpu, { label, images: images.length > 0 ? images : [plain(1, 1, [0, 0, 0, 0])], kind });
    const [color, matter] = [
      array('layer colours', colors, 'color'),
      array('layer matter', matters, 'matter'),
    ];
    return new LayerMaps(gpu, slices, color, matter, keyOf(maps));
  }

  /** The same maps, held once more, if they are those of `maps` and have not changed since; else null. */
  reuse(maps: readonly MaterialMaps[]): LayerMaps | null {
    const key = keyOf(maps);
    if (key.length !== this.key.length || key.some((part, i) => part !== this.key[i])) return null;
    this.users++;
    return this;
  }

  /** Lets go of them; the last one to do so frees them. */
  release(): void {
    if (--this.users > 0) return;
    this.gpu.free(this.colors);
    this.gpu.free(this.matters);
  }
}

/** What tells maps apart: whose pixels they are, and how often those had changed. */
const keyOf = (maps: readonly MaterialMaps[]): unknown[] =>
  maps.flatMap((layer) => MAP_NAMES.flatMap((name) => [layer[name]?.data, layer[name]?.revision]));

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
