// Meters a picture on the GPU (shaders/meter.wgsl) for cameras whose exposure is "picture", between the scene and the tone
// curve of the same frame. It takes to the first picture at once, and to later ones as an eye does, by the frames' lengths.
// Compiled once such a camera is there.
import source from '../../shaders/meter.wgsl';
import meteredSource from '../../shaders/include/metered.wgsl';
import meteringSource from '../../shaders/include/metering.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { layoutOf } from '../gpu/layouts.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { PICTURE_LIFT, PICTURE_USUAL } from './exposure.js';

/** Cells that a picture is cut into, at most. */
const COLUMNS = 160;
const ROWS = 90;
/** The kernels' workgroup: this many cells a side. */
const WORKGROUP = 8;
/** Seconds that are enough for any way of the exposure: at once. */
const AT_ONCE = 1e6;

export class MeterPass {
  readonly name = 'meter';
  /** shaders/include/metered.wgsl's block where nothing is metered: a factor of 1. */
  readonly plain: GPUBuffer;
  private readonly layout: GPUBindGroupLayout;
  private kernels: GPUComputePipeline[] | null = null;
  private made: { block: UniformBlock; histogram: GPUBuffer; metered: GPUBuffer } | null = null;
  private bound: { scene: GPUTexture; group: GPUBindGroup } | null = null;

  private readonly forgetRestore: () => void;

  constructor(private readonly gpu: Gpu) {
    this.forgetRestore = gpu.onRestore(() => this.reset());
    const { size } = layoutOf(meteredSource, 'Metered');
    const values = new Float32Array(size / 4);
    values.set([0, 1]);
    this.plain = gpu.createBufferWith('not metered', values, GPUBufferUsage.UNIFORM);
    const buffers = (['uniform', 'storage', 'storage'] as const).map((type, i) => ({
      binding: i + 1,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type },
    }));
    const texture = { sampleType: 'unfilterable-float' } as const;
    this.layout = gpu.device.createBindGroupLayout({
      label: 'meter',
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, texture }, ...buffers],
    });
  }

  /** Whether `ready` has come. */
  get compiled(): boolean {
    return this.kernels !== null;
  }

  async ready(): Promise<void> {
    if (this.kernels) return;
    const { gpu } = this;
    const layout = gpu.device.createPipelineLayout({ label: 'meter', bindGroupLayouts: [this.layout] });
    const module = gpu.shader('shaders/meter.wgsl', source);
    const adapt = { USUAL: PICTURE_USUAL, SHARE: PICTURE_LIFT.share, MOST: PICTURE_LIFT.most };
    this.kernels = await Promise.all([
      gpu.computePipeline('meter_count', { layout, compute: { module, entryPoint: 'meter_count' } }),
      gpu.computePipeline('meter_adapt', {
        layout,
        compute: { module, entryPoint: 'meter_adapt', constants: adapt },
      }),
    ]);
  }

  /** Forgets what was metered: the next picture is taken to at once. */
  reset(): void {
    if (!this.made) return;
    const { block, histogram, metered } = this.made;
    block.destroy();
    this.gpu.free(histogram);
    this.gpu.free(metered);
    this.made = null;
    this.bound = null;
  }

  /** Whether the last picture was metered. */
  get active(): boolean {
    return this.made !== null;
  }

  /** What the tone curve reads: of the last metered picture, or what changes nothing. */
  get factor(): GPUBuffer {
    return this.made?.metered ?? this.plain;
  }

  /**
   * Meters a picture. Answers how many dispatches that was.
   * @param scene linear radiance, resolved; @param dt seconds since the frame before
   */
  encode(encoder: GPUCommandEncoder, scene: GPUTexture, dt: number): number {
    const first = !this.made;
    const { block, histogram, metered } = (this.made ??= this.make());
    if (this.bound?.scene !== scene) {
      const buffers = [block.buffer, histogram, metered];
      const group = this.gpu.device.createBindGroup({
        label: 'meter',
        layout: this.layout,
        entries: [
          { binding: 0, resource: scene.createView() },
          ...buffers.map((buffer, i) => ({ binding: i + 1, resource: { buffer } })),
        ],
      });
      this.bound = { scene, group };
    }
    const { width, height } = scene;
    const cells = [Math.min(width, COLUMNS), Math.min(height, ROWS)];
    block.write({ size: [width, height], cells, dt: first ? AT_ONCE : dt });
    encoder.clearBuffer(histogram);
    const pass = encoder.beginComputePass({
      label: this.name,
      timestampWrites: this.gpu.timer?.writes(this.name),
    });
    pass.setBindGroup(0, this.bound.group);
    const [count, adapt] = this.kernels!;
    pass.setPipeline(count);
    pass.dispatchWorkgroups(Math.ceil(cells[0] / WORKGROUP), Math.ceil(cells[1] / WORKGROUP));
    pass.setPipeline(adapt);
    pass.dispatchWorkgroups(1);
    pass.end();
    return 2;
  }

  destroy(): void {
    this.forgetRestore();
    this.reset();
    this.gpu.free(this.plain);
  }

  private make() {
    const { STORAGE, UNIFORM, COPY_DST } = GPUBufferUsage;
    const { size } = layoutOf(meteredSource, 'Metered');
    return {
      block: new UniformBlock(this.gpu, 'metering', meteringSource, 'Metering'),
      histogram: this.gpu.createBuffer('histogram', layoutOf(source, 'Histogram').size, STORAGE | COPY_DST),
      metered: this.gpu.createBuffer('metered', Math.max(size, 16), STORAGE | UNIFORM),
    };
  }
}
