// The bind groups and the uniform block of one scatter as one eye sees it: the camera's, which is made with it, or that of one
// of the sun's shadow maps, made at first need with a list of its own. Made and asked by scatterPass.ts.
import scatterSource from '../../shaders/include/scatter.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { Scatter } from '../scatter/scatter.js';
import { ScatterList, type ScatterBuffers } from '../scatter/scatterBuffers.js';
import { subtract } from '../world/vector.js';
import type { Mesh } from './meshStore.js';
import type { View } from './view.js';

type Layouts = Record<'cull' | 'draw', GPUBindGroupLayout>;

/** What an eye sees of a scatter: fields of shaders/include/scatter.wgsl. */
export interface ScatterSight {
  fadeStart: number;
  fadeEnd: number;
  radius: number;
  planes: number[][];
}

export class ScatterBinding {
  readonly cull: GPUBindGroup;
  readonly draw: GPUBindGroup;
  /** By the number of the cascade; null or missing for those that never had any of it. */
  readonly cascades: (ScatterBinding | null)[] = [];
  private readonly block: UniformBlock;
  private readonly drawArguments = new Uint32Array(3);

  /** @param lists what is listed goes here; the camera's own by default */
  constructor(
    private readonly gpu: Gpu,
    { cull, draw }: Layouts,
    readonly buffers: ScatterBuffers,
    readonly lists: ScatterList = buffers.list,
  ) {
    this.block = new UniformBlock(gpu, 'scatter', scatterSource, 'Scatter');
    const group = (label: string, layout: GPUBindGroupLayout, bound: GPUBuffer[]) =>
      gpu.device.createBindGroup({
        label,
        layout,
        entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
    const { seen, before, visible, indirect } = lists;
    const { buffer } = this.block;
    this.cull = group('scatter_cull', cull, [buffer, buffers.instances, seen, before, visible, indirect]);
    this.draw = group('scatter', draw, [buffer, buffers.instances, visible]);
  }

  /** What a cascade sees of the same instances. */
  cascade(number: number, layouts: Layouts): ScatterBinding {
    return (this.cascades[number] ??= new ScatterBinding(
      this.gpu,
      layouts,
      this.buffers,
      new ScatterList(this.gpu, this.buffers.capacity),
    ));
  }

  /** Sends what a frame changes: where the camera is, what is seen, and the mesh's range. */
  write(scatter: Scatter, { bounds, firstIndex, indexCount }: Mesh, view: View, sight: ScatterSight): void {
    const { min, max } = bounds;
    const { x, y, z } = subtract(scatter.origin, view.position);
    const offset = [x, y, z];
    this.block.write({
      offsetHigh: offset,
      offsetLow: offset.map((value) => value - Math.fround(value)),
      count: scatter.count,
      center: [(min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2],
      ...sight,
    });
    if (this.drawArguments[0] === indexCount && this.drawArguments[2] === firstIndex) return;
    // The kernel writes the number of instances between these two.
    this.drawArguments[0] = indexCount;
    this.drawArguments[2] = firstIndex;
    this.gpu.device.queue.writeBuffer(this.lists.indirect, 0, this.drawArguments);
  }

  destroy(): void {
    this.block.destroy();
    for (const cascade of this.cascades) {
      cascade?.lists.destroy();
      cascade?.destroy();
    }
    this.cascades.length = 0;
  }
}
