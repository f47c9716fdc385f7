// The textures of one picture size: the multisampled scene and its depth, the resolved scene, and the picture.
import { checkInteger } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { DEPTH_FORMAT, PICTURE_FORMAT, SAMPLES, SCENE_FORMAT } from './pass.js';

export class Targets {
  readonly scene: GPUTexture;
  readonly depth: GPUTexture;
  readonly resolved: GPUTexture;
  /** sRGB bytes, alpha 255. */
  readonly picture: GPUTexture;

  /** Refuses a side that the adapter cannot hold, naming its limit. */
  constructor(
    private readonly gpu: Gpu,
    readonly width: number,
    readonly height: number,
  ) {
    const { RENDER_ATTACHMENT, TEXTURE_BINDING, COPY_SRC } = GPUTextureUsage;
    const texture = (
      label: string,
      format: GPUTextureFormat,
      bytes: number,
      usage: number,
      sampleCount = 1,
    ) => gpu.createTexture({ label, size: [width, height], format, usage, sampleCount }, bytes);
    this.scene = texture('scene', SCENE_FORMAT, 8, RENDER_ATTACHMENT, SAMPLES);
    this.depth = texture('depth', DEPTH_FORMAT, 4, RENDER_ATTACHMENT, SAMPLES);
    this.resolved = texture('resolved scene', SCENE_FORMAT, 8, RENDER_ATTACHMENT | TEXTURE_BINDING);
    this.picture = texture('picture', PICTURE_FORMAT, 4, RENDER_ATTACHMENT | TEXTURE_BINDING | COPY_SRC);
  }

  /** Refuses a picture's side that is no whole number or that the adapter cannot hold. */
  static check(gpu: Gpu, width: number, height: number): void {
    const max = gpu.limits.maxTextureDimension2D;
    checkInteger('renderer.render', 'width', width, { min: 1, max });
    checkInteger('renderer.render', 'height', height, { min: 1, max });
  }

  destroy(): void {
    for (const texture of [this.scene, this.depth, this.resolved, this.picture]) this.gpu.free(texture);
  }
}

/** The picture's pixels, rgba8, rows from the top; rows of a copy are padded to 256 bytes and come off here. */
export async function readPicture(gpu: Gpu, picture: GPUTexture): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = picture;
  const bytesPerRow = Math.ceil((width * 4) / 256) * 256;
  const staging = gpu.createBuffer(
    'picture readback',
    bytesPerRow * height,
    GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  );
  try {
    const encoder = gpu.device.createCommandEncoder({ label: 'picture readback' });
    encoder.copyTextureToBuffer({ texture: picture }, { buffer: staging, bytesPerRow }, [width, height]);
    gpu.device.queue.submit([encoder.finish()]);
    await gpu.wait(staging.mapAsync(GPUMapMode.READ));
    const padded = new Uint8Array(staging.getMappedRange());
    const pixels = new Uint8Array(width * height * 4);
    for (let row = 0; row < height; row++)
      pixels.set(padded.subarray(row * bytesPerRow, row * bytesPerRow + width * 4), row * width * 4);
    return pixels;
  } finally {
    gpu.free(staging);
  }
}
