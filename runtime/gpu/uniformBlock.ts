// A uniform block whose layout is read out of the shader that declares it, with its buffer: passes and kernels have one
// for each struct that they set.
import { makeShaderDataDefinitions, makeStructuredView } from 'webgpu-utils';
import type { ShaderDataDefinitions, StructuredView } from 'webgpu-utils';
import type { Gpu } from './gpu.js';

const reflected = new Map<string, ShaderDataDefinitions>();

/** The structs and bindings of a shader's text, parsed once. Needs WebGPU's globals, so it is not called while modules load. */
export function reflect(code: string): ShaderDataDefinitions {
  let definitions = reflected.get(code);
  if (!definitions) reflected.set(code, (definitions = makeShaderDataDefinitions(code)));
  return definitions;
}

/** One struct of a shader in a uniform buffer, written by field names. Whoever makes it destroys it. */
export class UniformBlock {
  readonly buffer: GPUBuffer;
  private readonly view: StructuredView;

  /** @param code the text that declares the struct, best no more: parsing takes its time; `name` the struct's */
  constructor(
    private readonly gpu: Gpu,
    label: string,
    code: string,
    name: string,
  ) {
    this.view = makeStructuredView(reflect(code).structs[name]);
    const { byteLength } = this.view.arrayBuffer;
    this.buffer = gpu.createBuffer(label, byteLength, GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST);
  }

  /** Sets fields by name and sends the block. */
  write(values: Record<string, unknown>): void {
    this.view.set(values);
    this.gpu.device.queue.writeBuffer(this.buffer, 0, this.view.arrayBuffer);
  }

  destroy(): void {
    this.gpu.free(this.buffer);
  }
}
