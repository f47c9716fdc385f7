// The two erosion kernels over the state of one run: pipelines, buffers and the order of dispatches. Owned by erode.ts, which
// says what to erode; this file knows how. The state goes to and fro between two buffers, so a step reads nothing that it writes.
import groundSource from '../../shaders/erode_ground.wgsl';
import flowSource from '../../shaders/erode_flow.wgsl';
import includeSource from '../../shaders/include/erode.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { layoutOf } from '../gpu/layouts.js';
import { StructView } from '../gpu/structView.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { erosionStep, type Erosion } from './erosion.js';

/** Invocations a workgroup: wide, as a row of texels lies in memory. */
const COLUMNS = 32;
const ROWS = 4;
/** Steps of one submit at most; `run` takes no more. */
export const MOST_BATCH = 64;

const STATE_BYTES = 16;
const WORD_BYTES = 4;

export class ErodeKernels {
  private readonly block: UniformBlock;
  private readonly own: GPUBuffer[];
  private readonly states: [GPUBuffer, GPUBuffer];
  private readonly flow: GPUBuffer;
  private readonly gone: GPUBuffer;
  private readonly steps: GPUBuffer;
  private readonly stride: number;
  private readonly runGroup: GPUBindGroup;
  private readonly flowGroups: GPUBindGroup[];
  private readonly groundGroups: GPUBindGroup[];
  /** Steps that are done or on their way. */
  private done = 0;

  private constructor(
    private readonly gpu: Gpu,
    private readonly pipelines: Pipelines,
    private readonly erosion: Erosion,
    state: Float32Array<ArrayBuffer>,
  ) {
    const { STORAGE, COPY_SRC, COPY_DST, UNIFORM } = GPUBufferUsage;
    const { device } = gpu;
    const texels = state.length / 4;
    this.stride = Math.max(gpu.limits.minUniformBufferOffsetAlignment, stepSize());
    this.block = new UniformBlock(gpu, 'erosion', includeSource, 'Erosion');
    this.block.write(erosion as unknown as Record<string, unknown>);
    this.steps = gpu.createBuffer('erosion steps', this.stride * MOST_BATCH, UNIFORM | COPY_DST);
    this.states = [
      gpu.createBufferWith('erosion state', state, STORAGE | COPY_SRC),
      gpu.createBuffer('erosion state', texels * STATE_BYTES, STORAGE | COPY_SRC),
    ];
    const rates = gpu.createBuffer('erosion rates', texels * WORD_BYTES, STORAGE);
    this.flow = gpu.createBuffer('erosion flow', texels * WORD_BYTES, STORAGE | COPY_SRC);
    this.gone = gpu.createBuffer('erosion gone', texels * WORD_BYTES, STORAGE | COPY_SRC);
    this.own = [this.block.buffer, this.steps, ...this.states, rates, this.flow, this.gone];

    const group = (label: string, layout: GPUBindGroupLayout, buffers: (GPUBuffer | GPUBufferBinding)[]) =>
      device.createBindGroup({
        label,
        layout,
        entries: buffers.map((buffer, binding) => ({
          binding,
          resource: 'buffer' in buffer ? buffer : { buffer },
        })),
      });
    const { layouts } = pipelines;
    this.runGroup = group('erosion', layouts.run, [
      this.block.buffer,
      { buffer: this.steps, size: stepSize() },
    ]);
    this.flowGroups = [0, 1].map((from) => group('erode_flow', layouts.flow, [this.states[from], rates]));
    this.groundGroups = [0, 1].map((from) =>
      group('erode_ground', layouts.ground, [
        ...[this.states[from], rates, this.states[1 - from], this.flow, this.gone],
      ]),
    );
  }

  /** Refuses texels whose state no buffer of the adapter holds. */
  static checkSize(gpu: Gpu, where: string, width: number, height: number): void {
    gpu.checkStorageSize(`${where}: the state of ${width}×${height} texels`, width * height * STATE_BYTES);
  }

  /** Compiles the kernels (once a device) and puts the state on it. `destroy` it. */
  static async create(gpu: Gpu, erosion: Erosion, state: Float32Array<ArrayBuffer>): Promise<ErodeKernels> {
    return new ErodeKernels(gpu, await compile(gpu), erosion, state);
  }

  /** Submits the next `count` steps (1..MOST_BATCH) of a run of `steps` in all. */
  run(count: number, steps: number): void {
    const { device } = this.gpu;
    const [columns, rows] = this.erosion.texels;
    this.writeSteps(count, steps);
    const encoder = device.createCommandEncoder({ label: 'erosion' });
    const pass = encoder.beginComputePass({
      label: 'erosion',
      timestampWrites: this.gpu.timer?.writes('erosion'),
    });
    for (let k = 0; k < count; k++) {
      const from = (this.done + k) % 2;
      pass.setBindGroup(0, this.runGroup, [k * this.stride]);
      for (const [pipeline, group] of [
        [this.pipelines.flow, this.flowGroups[from]],
        [this.pipelines.ground, this.groundGroups[from]],
      ] as const) {
        pass.setPipeline(pipeline);
        pass.setBindGroup(1, group);
        pass.dispatchWorkgroups(Math.ceil(columns / COLUMNS), Math.ceil(rows / ROWS));
      }
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    this.done += count;
  }

  /** The state after the steps so far, as firstState makes it, with flow and what ran off. */
  async read(): Promise<{ state: Float32Array; flow: Float32Array; gone: Float32Array }> {
    const floats = async (buffer: GPUBuffer) => new Float32Array(await this.gpu.read(buffer));
    const state = await floats(this.states[this.done % 2]);
    return { state, flow: await floats(this.flow), gone: await floats(this.gone) };
  }

  destroy(): void {
    for (const buffer of this.own) this.gpu.free(buffer);
  }

  private writeSteps(count: number, steps: number): void {
    const bytes = new ArrayBuffer(this.stride * count);
    const view = new StructView(layoutOf(includeSource, 'ErosionStep'));
    for (let k = 0; k < count; k++) {
      view.set({ ...erosionStep(this.done + k, steps) });
      new Uint8Array(bytes, k * this.stride).set(new Uint8Array(view.arrayBuffer));
    }
    this.gpu.device.queue.writeBuffer(this.steps, 0, bytes);
  }
}

const stepSize = () => layoutOf(includeSource, 'ErosionStep').size;

interface Pipelines {
  flow: GPUComputePipeline;
  ground: GPUComputePipeline;
  layouts: { run: GPUBindGroupLayout; flow: GPUBindGroupLayout; ground: GPUBindGroupLayout };
}

const compiled = new WeakMap<Gpu, Promise<Pipelines>>();

/** Compiles the kernels when the first run asks for them. */
function compile(gpu: Gpu): Promise<Pipelines> {
  const known = compiled.get(gpu);
  if (known) return known;
  const made = makePipelines(gpu);
  compiled.set(gpu, made);
  made.catch(() => compiled.delete(gpu));
  return made;
}

async function makePipelines(gpu: Gpu): Promise<Pipelines> {
  const { device } = gpu;
  const layout = (label: string, buffers: GPUBufferBindingLayout[]) =>
    device.createBindGroupLayout({
      label,
      entries: buffers.map((buffer, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer })),
    });
  const [read, write]: GPUBufferBindingLayout[] = [{ type: 'read-only-storage' }, { type: 'storage' }];
  const layouts = {
    run: layout('erosion', [{ type: 'uniform' }, { type: 'uniform', hasDynamicOffset: true }]),
    flow: layout('erode_flow', [read, write]),
    ground: layout('erode_ground', [read, read, write, write, write]),
  };
  const kernel = (entryPoint: 'erode_flow' | 'erode_ground', code: string, own: GPUBindGroupLayout) =>
    gpu.computePipeline(entryPoint, {
      layout: device.createPipelineLayout({ label: entryPoint, bindGroupLayouts: [layouts.run, own] }),
      compute: {
        module: gpu.shader(`${entryPoint}.wgsl`, code),
        entryPoint,
        constants: { COLUMNS, ROWS },
      },
    });
  const [flow, ground] = await Promise.all([
    kernel('erode_flow', flowSource, layouts.flow),
    kernel('erode_ground', groundSource, layouts.ground),
  ]);
  return { flow, ground, layouts };
}
