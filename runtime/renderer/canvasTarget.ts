// A canvas of a page (or of a worker) that shows pictures, byte for byte. Made by the page's runtime.
import { MoonscapeError, refuse } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { PICTURE_FORMAT } from './pass.js';

export type Canvas = HTMLCanvasElement | OffscreenCanvas;

/** Shows pictures on one canvas. `destroy` lets go of it; it keeps its last picture until something else draws on it. */
export class CanvasTarget {
  readonly #gpu: Gpu;
  readonly #context: GPUCanvasContext;

  /** Refuses what is no canvas, and a canvas that something else draws on. */
  constructor(
    gpu: Gpu,
    readonly canvas: Canvas,
  ) {
    this.#gpu = gpu;
    this.#context = contextOf(canvas);
    this.configure();
  }

  /** Takes the device in use: at first, and after another came in its place. */
  configure(): void {
    // The picture's own format: a copy, no pass, and the same bytes as a headless run writes.
    this.#context.configure({
      device: this.#gpu.realDevice,
      format: PICTURE_FORMAT,
      usage: GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
      alphaMode: 'opaque',
    });
  }

  /** Puts a picture on the canvas, which takes its size. */
  present(picture: GPUTexture): void {
    const { canvas } = this;
    const { width, height } = picture;
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const encoder = this.#gpu.device.createCommandEncoder({ label: 'present' });
    encoder.copyTextureToTexture({ texture: picture }, { texture: this.#context.getCurrentTexture() }, [
      width,
      height,
    ]);
    this.#gpu.device.queue.submit([encoder.finish()]);
  }

  destroy(): void {
    this.#context.unconfigure();
  }
}

/** Whether a value is a canvas, of this page or of another window. */
export function isCanvas(value: unknown): value is Canvas {
  return typeof (value as Canvas | undefined)?.getContext === 'function';
}

function contextOf(canvas: Canvas): GPUCanvasContext {
  if (!isCanvas(canvas)) refuse('createRuntime', 'canvas', 'a <canvas> or an OffscreenCanvas', canvas);
  let context: GPUCanvasContext | null;
  try {
    context = canvas.getContext('webgpu') as GPUCanvasContext | null;
  } catch (cause) {
    throw new MoonscapeError(
      'createRuntime: canvas was handed to a worker (transferControlToOffscreen); hand over the OffscreenCanvas there',
      { cause },
    );
  }
  if (!context)
    throw new MoonscapeError(
      'createRuntime: canvas must be one that nothing else draws on, got one that has a context of another kind',
    );
  return context;
}
