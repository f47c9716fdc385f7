// The textures of one picture size: the multisampled scene and its depth, the resolved scene, and the picture.
import { checkInteger } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { DEEP_FORMAT, DEPTH_FORMAT, PICTURE_FORMAT, SAMPLES, SCENE_FORMAT } from './pass.js';

/** Bytes of a picture's pixel, by its bits a channel. */
export const PICTURE_BYTES = { 8: 4, 16: 8 } as const;

export class Targets {
  readonly scene: GPUTexture;
  readonly depth: GPUTexture;
  readonly resolved: GPUTexture;
  /** sRGB, 8 or 16 bits a channel, alpha whole. */
  readonly picture: GPUTexture;
  private began: Targets['attachments'] | null = null;

  /** Refuses a side that the adapter cannot hold, naming its limit. */
  constructor(
    private readonly gpu: Gpu,
    readonly width: number,
    readonly height: number,
    bits: 8 | 16 = 8,
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
    this.picture = texture(
      'picture',
      bits === 8 ? PICTURE_FORMAT : DEEP_FORMAT,
      PICTURE_BYTES[bits],
      RENDER_ATTACHMENT | TEXTURE_BINDING | COPY_SRC,
    );
  }

  /** What a pass into the multisampled scene begins with: everything cleared, resolved at its end. Its views are made once. */
  get attachments(): Pick<GPURenderPassDescriptor, 'colorAttachments' | 'depthStencilAttachment'> {
    return (this.began ??= {
      colorAttachments: [
        {
          view: this.scene.createView(),
          resolveTarget: this.resolved.createView(),
          clearValue: [0, 0, 0, 0],
          loadOp: 'clear',
          storeOp: 'discard',
        },
      ],
      depthStencilAttachment: {
        view: this.depth.createView(),
        depthClearValue: 0,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      },
    });
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

/** Bytes that are brought back at a time. */
const READBACK_BYTES = 64 * 2 ** 20;

/**
 * A texture's texels, rows from the top. Rows of a copy are padded to 256 bytes, which come off here; large textures come in
 * bands of rows.
 */
export async function readTexels(
  gpu: Gpu,
  texture: GPUTexture,
  bytesPerTexel: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = texture;
  const rowBytes = width * bytesPerTexel;
  const bytesPerRow = Math.ceil(rowBytes / 256) * 256;
  const rows = Math.min(height, Math.max(1, Math.floor(READBACK_BYTES / bytesPerRow)));
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  const staging = gpu.createBuffer('picture readback', bytesPerRow * rows, usage);
  const texels = new Uint8Array(rowBytes * height);
  try {
    for (let top = 0; top < height; top += rows) {
      const count = Math.min(rows, height - top);
      const encoder = gpu.device.createCommandEncoder({ label: 'picture readback' });
      const from = { texture, origin: [0, top] };
      encoder.copyTextureToBuffer(from, { buffer: staging, bytesPerRow }, [width, count]);
      gpu.device.queue.submit([encoder.finish()]);
      await gpu.wait(staging.mapAsync(GPUMapMode.READ));
      const padded = new Uint8Array(staging.getMappedRange());
      for (let row = 0; row < count; row++)
        texels.set(padded.subarray(row * bytesPerRow, row * bytesPerRow + rowBytes), (top + row) * rowBytes);
      staging.unmap();
    }
    return texels;
  } finally {
    gpu.free(staging);
  }
}
