// Maps on the GPU: arrays of rgba8 pictures of one size with all their mip levels, and the samplers that read them. Used for
// a ground's layers (runtime/renderer/layerResources.ts) and a model's maps (materialBinding.ts); whoever makes one frees it.
import type { Gpu } from '../gpu/gpu.js';
import { levelCount, mipChain, type FloatImage, type PixelKind } from './mipChain.js';

export interface MapArrayOptions {
  label: string;
  /** One picture a slice, at least one, all of the same sides. */
  images: readonly FloatImage[];
  kind: PixelKind;
}

/** A counted texture of images.length slices, its levels uploaded: sRGB for `color`, else linear. `gpu.free` frees it. */
export function createMapArray(gpu: Gpu, { label, images, kind }: MapArrayOptions): GPUTexture {
  const { width, height } = images[0];
  const texture = gpu.createTexture(
    {
      label,
      size: [width, height, images.length],
      mipLevelCount: levelCount(width, height),
      format: kind === 'color' ? 'rgba8unorm-srgb' : 'rgba8unorm',
      usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
    },
    4,
  );
  images.forEach((image, slice) => {
    mipChain(image, kind).forEach((level, mipLevel) => {
      gpu.device.queue.writeTexture(
        { texture, mipLevel, origin: [0, 0, slice] },
        level.data,
        { bytesPerRow: level.width * 4 },
        [level.width, level.height],
      );
    });
  });
  return texture;
}

/** A counted rgba8 texture of one level, linear: what is read between texels as it is. */
export function createPlainTexture(
  gpu: Gpu,
  label: string,
  { width, height, data }: { width: number; height: number; data: Uint8Array<ArrayBuffer> },
): GPUTexture {
  const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST;
  const texture = gpu.createTexture({ label, size: [width, height], format: 'rgba8unorm', usage }, 4);
  gpu.device.queue.writeTexture({ texture }, data, { bytesPerRow: width * 4 }, [width, height]);
  return texture;
}

/** How many steps along a grazing view one look-up may take. A CPU adapter pays for each. */
const ANISOTROPY = { hardware: 8, software: 1 };
/** The same of `sparing`: with 8 the textures of bare ground take half as long again, and nobody sees it. */
const SPARING = { hardware: 2, software: 1 };

const samplers = new WeakMap<Gpu, Samplers>();

export interface Samplers {
  /** Reads maps at any distance and angle, again and again. */
  repeated: GPUSampler;
  /** As `repeated`, for what is read in several sizes anyway: it may blur a little where the view grazes. */
  sparing: GPUSampler;
  /** As `repeated`, with the nearest edge outside 0..1. */
  edged: GPUSampler;
  /** Reads between texels of one level. */
  clamped: GPUSampler;
}

/** The device's samplers. */
export function samplersOf(gpu: Gpu): Samplers {
  let found = samplers.get(gpu);
  if (!found) {
    const linear = { magFilter: 'linear', minFilter: 'linear' } as const;
    const repeat = { addressModeU: 'repeat', addressModeV: 'repeat' } as const;
    const kind = gpu.software ? 'software' : 'hardware';
    const maxAnisotropy = ANISOTROPY[kind];
    const maps = { label: 'maps', ...linear, mipmapFilter: 'linear', maxAnisotropy } as const;
    found = {
      repeated: gpu.device.createSampler({ ...maps, ...repeat }),
      sparing: gpu.device.createSampler({ ...maps, ...repeat, maxAnisotropy: SPARING[kind] }),
      edged: gpu.device.createSampler(maps),
      clamped: gpu.device.createSampler({ label: 'clamped', ...linear }),
    };
    samplers.set(gpu, found);
  }
  return found;
}
