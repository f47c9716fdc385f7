// One struct of a shader in a uniform buffer: passes and kernels have one for each struct that they set.
import type { Gpu } from './gpu.js';
import { layoutOf } from './layouts.js';
import { StructView } from './structView.js';

/** Whoever makes it destroys it. */
export class UniformBlock {
  readonly buffer: GPUBuffer;
  private readonly view: StructView;

  /** @param code the text of the file that declares the struct, as its module exports it; `name` the struct's */
  constructor(
    private readonly gpu: Gpu,
    label: string,
    code: string,
    name: string,
  ) {
    this.view = new StructView(layoutOf(code, name));
    const { byteLength } = this.view.arrayBuffer;
    this.buffer = gpu.createBuffer(label, byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  }

  /** Sets fields by name and sends the block. */
  write(values: Readonly<Record<string, unknown>>): void {
    this.view.set(values);
    this.gpu.device.queue.writeBuffer(this.buffer, 0, this.view.arrayBuffer);
  }

  destroy(): void {
    this.gpu.free(this.buffer);
  }
}
