// Scatters: for each, three dispatches that list what the camera sees of it (shaders/scatter_cull.wgsl) and one indexed
// draw of that list (shaders/scatter.wgsl, scatter_maps.wgsl where its material has maps). Its pipelines are compiled once there
// is a scatter that needs them.
// What a frame draws is known on the GPU alone: the triangles counted are those submitted, of all instances.
import scatterSource from '../../shaders/include/scatter.wgsl';
import cullSource from '../../shaders/scatter_cull.wgsl';
import drawSource from '../../shaders/scatter.wgsl';
import mapsSource from '../../shaders/scatter_maps.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { Scatter } from '../scatter/scatter.js';
import type { ScatterBuffers } from '../scatter/scatterBuffers.js';
import { dot, subtract, type Vec3 } from '../world/vector.js';
import type { Frame, FrameBinding } from './frame.js';
import { mappedLayout, MaterialBinding, materialLayout } from './materialBinding.js';
import type { Material, MaterialStore } from './materialStore.js';
import type { Mesh, MeshStore } from './meshStore.js';
import { DEPTH_FORMAT, SAMPLES, SCENE_FORMAT, type PassStats, type ScenePass } from './pass.js';
import { VERTEX_LAYOUT } from './vertex.js';
import type { View } from './view.js';

const WORKGROUP = 256;
const KERNELS = ['scatter_cull', 'scatter_cull_scan', 'scatter_cull_list'] as const;
/** Diameters of a mesh at which it is some four pixels high in a picture of 1080 rows, seen through 60 degrees. */
const DIAMETERS = 250;
/** Where instances begin to thin out, as a part of the way to where none is left. */
const FADE_START = 0.6;
/** Parallel rays show things as large at any distance: nothing thins out. Far enough, and safe to calculate with. */
const NEVER = 1e30;

/** By what a material has. */
interface Pipelines {
  factors?: GPURenderPipeline;
  maps?: GPURenderPipeline;
}

interface Draw {
  scatter: Scatter;
  mesh: Mesh;
  material: Material;
  binding: ScatterBinding;
}

export class ScatterPass implements ScenePass {
  readonly name = 'scatter';
  /** The scatters that stand. */
  readonly scatters = new Set<Scatter>();
  private layouts: Record<'cull' | 'draw' | 'material' | 'mapped', GPUBindGroupLayout> | null = null;
  private kernels: GPUComputePipeline[] = [];
  /** For the sun alone, and for a world with point or spot lights. */
  private readonly pipelines: { plain: Pipelines; lit: Pipelines } = { plain: {}, lit: {} };
  private draws: Draw[] = [];

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly meshes: MeshStore,
    private readonly materials: MaterialStore,
  ) {}

  needed(): boolean {
    return this.scatters.size > 0;
  }

  async ready(lit: boolean): Promise<void> {
    const { gpu } = this;
    this.layouts ??= makeLayouts(gpu);
    const layout = gpu.device.createPipelineLayout({
      label: 'scatter_cull',
      bindGroupLayouts: [this.layouts.cull],
    });
    const [factors, ...kernels] = await Promise.all([
      this.makePipeline('scatter', drawSource, lit),
      ...KERNELS.map((entryPoint) =>
        gpu.computePipeline(entryPoint, {
          layout,
          compute: {
            module: gpu.shader('shaders/scatter_cull.wgsl', cullSource),
            entryPoint,
            constants: entryPoint === 'scatter_cull_scan' ? { SCAN_WORKGROUP: WORKGROUP } : { WORKGROUP },
          },
        }),
      ),
    ]);
    this.kernels = kernels;
    this.pipelines[lit ? 'lit' : 'plain'].factors = factors;
  }

  async readyFor(_all: boolean, lit: boolean): Promise<void> {
    const pipelines = this.pipelines[lit ? 'lit' : 'plain'];
    if (pipelines.maps || ![...this.scatters].some((scatter) => this.materialOf(scatter).mapped)) return;
    this.layouts ??= makeLayouts(this.gpu);
    pipelines.maps = await this.makePipeline('scatter_maps', mapsSource, lit);
  }

  warm(): null {
    return null;
  }

  prepare({ view, lit }: Frame): void {
    this.draws = [];
    for (const scatter of this.scatters) {
      const { mesh: guid } = scatter.rules;
      if (scatter.count === 0 || !this.meshes.has(guid)) continue;
      const mesh = this.meshes.get(guid);
      if (mesh.indexCount === 0) continue;
      for (const buffer of [mesh.vertexBuffer, mesh.indexBuffer])
        buffer.checkAlive(`renderer.render: the mesh of the scatter ${scatter.describe()}`);
      const material = this.materialOf(scatter);
      if (material.mapped && !this.pipelines[lit ? 'lit' : 'plain'].maps)
        throw new MoonscapeError(
          'renderer.render: await renderer.ready(world) first, for its materials with maps',
        );
      material.binding ??= new MaterialBinding(this.gpu, this.layouts!.material, material);
      const binding = this.bindingOf(scatter);
      binding.write(scatter, mesh, view);
      this.draws.push({ scatter, mesh, material, binding });
    }
  }

  encode(encoder: GPUCommandEncoder): number {
    if (this.draws.length === 0) return 0;
    for (const { scatter } of this.draws)
      encoder.clearBuffer(scatter.buffers.seen, 0, Math.ceil(scatter.count / 32) * 4);
    const pass = encoder.beginComputePass({
      label: 'scatter_cull',
      timestampWrites: this.gpu.timer?.writes('scatter_cull'),
    });
    // A kernel over all scatters, then the next: they need not wait for each other's.
    this.kernels.forEach((kernel, k) => {
      pass.setPipeline(kernel);
      for (const { scatter, binding } of this.draws) {
        pass.setBindGroup(0, binding.cull);
        pass.dispatchWorkgroups(
          KERNELS[k] === 'scatter_cull_scan' ? 1 : Math.ceil(scatter.count / WORKGROUP),
        );
      }
    });
    pass.end();
    return this.draws.length * KERNELS.length;
  }

  draw(encoder: GPURenderPassEncoder, { lit }: Frame): PassStats {
    const stats = { draws: 0, triangles: 0 };
    if (this.draws.length === 0) return stats;
    const { factors, maps } = this.pipelines[lit ? 'lit' : 'plain'];
    for (const { scatter, mesh, material, binding } of this.draws) {
      const worn = material.binding as MaterialBinding;
      encoder.setPipeline(material.mapped ? maps! : factors!);
      encoder.setBindGroup(1, material.mapped ? worn.mappedGroup(this.layouts!.mapped) : worn.group);
      encoder.setBindGroup(2, binding.draw);
      encoder.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      encoder.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      encoder.drawIndexedIndirect(scatter.buffers.indirect, 0);
      stats.draws++;
      stats.triangles += (scatter.count * mesh.indexCount) / 3;
    }
    return stats;
  }

  destroy(): void {
    for (const scatter of [...this.scatters]) scatter.destroy();
  }

  private materialOf({ rules: { material } }: Scatter): Material {
    const { materials } = this;
    return material !== null && materials.has(material) ? materials.get(material) : materials.standard;
  }

  private makePipeline(
    name: 'scatter' | 'scatter_maps',
    code: string,
    lit: boolean,
  ): Promise<GPURenderPipeline> {
    const { gpu } = this;
    const { material, mapped, draw } = this.layouts!;
    const module = gpu.shader(`shaders/${name}.wgsl`, code);
    const feature = name === 'scatter' ? material : mapped;
    return gpu.renderPipeline(`${name}${lit ? ', lit' : ''}`, {
      layout: gpu.device.createPipelineLayout({
        label: name,
        bindGroupLayouts: [this.frame.layout, feature, draw],
      }),
      vertex: { module, entryPoint: `${name}_vertex`, buffers: [VERTEX_LAYOUT] },
      fragment: {
        module,
        entryPoint: `${name}_fragment`,
        targets: [{ format: SCENE_FORMAT }],
        constants: { LOCAL_LIGHTS: lit ? 1 : 0 },
      },
      primitive: { topology: 'triangle-list', cullMode: 'back', frontFace: 'ccw' },
      depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'greater' },
      multisample: { count: SAMPLES },
    });
  }

  private bindingOf(scatter: Scatter): ScatterBinding {
    const old = scatter.binding as ScatterBinding | null;
    if (old?.buffers === scatter.buffers) return old;
    old?.destroy();
    const { cull, draw } = this.layouts!;
    const fresh = new ScatterBinding(this.gpu, cull, draw, scatter.buffers);
    scatter.binding = fresh;
    return fresh;
  }
}

/** The bind groups and the uniform block of one scatter. */
class ScatterBinding {
  readonly cull: GPUBindGroup;
  readonly draw: GPUBindGroup;
  private readonly block: UniformBlock;
  private readonly drawArguments = new Uint32Array(3);

  constructor(
    private readonly gpu: Gpu,
    cullLayout: GPUBindGroupLayout,
    drawLayout: GPUBindGroupLayout,
    readonly buffers: ScatterBuffers,
  ) {
    this.block = new UniformBlock(gpu, 'scatter', scatterSource, 'Scatter');
    const group = (label: string, layout: GPUBindGroupLayout, bound: GPUBuffer[]) =>
      gpu.device.createBindGroup({
        label,
        layout,
        entries: bound.map((buffer, binding) => ({ binding, resource: { buffer } })),
      });
    const { instances, seen, before, visible, indirect } = buffers;
    this.cull = group('scatter_cull', cullLayout, [
      this.block.buffer,
      instances,
      seen,
      before,
      visible,
      indirect,
    ]);
    this.draw = group('scatter', drawLayout, [this.block.buffer, instances, visible]);
  }

  /** Sends what a frame changes: where the camera is, what it sees, and the mesh's range. */
  write(scatter: Scatter, { bounds, firstIndex, indexCount }: Mesh, view: View): void {
    const { min, max } = bounds;
    const center = { x: (min.x + max.x) / 2, y: (min.y + max.y) / 2, z: (min.z + max.z) / 2 };
    const radius = Math.hypot(max.x - center.x, max.y - center.y, max.z - center.z);
    const offset = list(subtract(scatter.origin, view.position));
    const fadeEnd = view.orthographic ? NEVER : maxDistanceOf(scatter, radius);
    this.block.write({
      offsetHigh: offset,
      offsetLow: offset.map((value) => value - Math.fround(value)),
      count: scatter.count,
      fadeStart: view.orthographic ? NEVER : fadeEnd * FADE_START,
      fadeEnd,
      center: list(center),
      radius,
      planes: planesOf(view),
    });
    if (this.drawArguments[0] === indexCount && this.drawArguments[2] === firstIndex) return;
    // The kernel writes the number of instances between these two.
    this.drawArguments[0] = indexCount;
    this.drawArguments[2] = firstIndex;
    this.gpu.device.queue.writeBuffer(this.buffers.indirect, 0, this.drawArguments);
  }

  destroy(): void {
    this.block.destroy();
  }
}

const list = ({ x, y, z }: Vec3) => [x, y, z];

/** Metres past which a scatter draws nothing. `radius` is its mesh's. */
export function maxDistanceOf({ rules }: Scatter, radius: number): number {
  return Math.min(rules.maxDistance ?? DIAMETERS * 2 * radius * rules.scale[1], NEVER);
}

/** The sides of what is seen and the near plane, unit, as shaders/include/scatter.wgsl reads them. */
export function planesOf({ sides, forward, near }: View): number[][] {
  const planes = sides.map(({ normal, offset }) => {
    const length = Math.sqrt(dot(normal, normal));
    return [...list(normal).map((part) => part / length), offset / length];
  });
  return [...planes, [...list(forward), -near]];
}

function makeLayouts(gpu: Gpu) {
  const { COMPUTE, VERTEX } = GPUShaderStage;
  const layout = (label: string, visibility: number, types: GPUBufferBindingType[]) =>
    gpu.device.createBindGroupLayout({
      label,
      entries: types.map((type, binding) => ({ binding, visibility, buffer: { type } })),
    });
  const read = 'read-only-storage';
  return {
    cull: layout('scatter_cull', COMPUTE, ['uniform', read, 'storage', 'storage', 'storage', 'storage']),
    draw: layout('scatter', VERTEX, ['uniform', read, read]),
    material: materialLayout(gpu),
    mapped: mappedLayout(gpu),
  };
}
