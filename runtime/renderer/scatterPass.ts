// Scatters: for each, three dispatches that list what the camera sees of it (shaders/scatter_cull.wgsl) and one indexed
// draw of that list (shaders/scatter.wgsl, scatter_maps.wgsl where its material has maps); and the same again for each of the
// sun's shadow maps, which has a list of its own. Its pipelines are compiled once there is a scatter that needs them.
// What a frame draws is known on the GPU alone: the triangles counted are those submitted, of all instances.
import cullSource from '../../shaders/scatter_cull.wgsl';
import drawSource from '../../shaders/scatter.wgsl';
import mapsSource from '../../shaders/scatter_maps.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { Scatter } from '../scatter/scatter.js';
import { dot, unite, type Bounds, type Vec3 } from '../world/vector.js';
import { planesOfCascade, type Cascade } from './cascades.js';
import type { Frame, FrameBinding } from './frame.js';
import { mappedLayout, MaterialBinding, materialLayout } from './materialBinding.js';
import type { Material, MaterialStore } from './materialStore.js';
import type { Mesh, MeshStore } from './meshStore.js';
import {
  DEPTH_FORMAT,
  SAMPLES,
  SCENE_FORMAT,
  shadeConstants,
  type PassStats,
  type ScenePass,
} from './pass.js';
import { ScatterBinding } from './scatterBinding.js';
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
/** Texels of a shadow map that the largest of a scatter's meshes must be across for it to cast onto that map. */
const LEAST_TEXELS = 1.5;

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
  /** For each cascade that it casts onto, its number. */
  cascades: number[];
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

  /** Box around all that instances may reach, on the grounds that they stand on; null where there are none. */
  bounds(): Bounds | null {
    let all: Bounds | null = null;
    for (const { hf, rules, count } of this.scatters) {
      if (count === 0 || !this.meshes.has(rules.mesh)) continue;
      const { min, max } = this.meshes.get(rules.mesh).bounds;
      const far = (axis: 'x' | 'y' | 'z') => Math.max(Math.abs(min[axis]), Math.abs(max[axis]));
      const reach = Math.hypot(far('x'), far('y'), far('z')) * rules.scale[1];
      const { low, high } = hf.heightRange;
      all = unite(all, {
        min: { x: hf.minX - reach, y: low - reach, z: hf.minZ - reach },
        max: { x: hf.maxX + reach, y: high + reach, z: hf.maxZ + reach },
      });
    }
    return all;
  }

  /** What the last prepare found to draw; after encode each has the camera's list of instances. */
  get listed(): readonly { scatter: Scatter; mesh: Mesh; binding: ScatterBinding }[] {
    return this.draws;
  }

  /** The layout of the bind group that its draws read instances by; null before anything is compiled. */
  get drawLayout(): GPUBindGroupLayout | null {
    return this.layouts?.draw ?? null;
  }

  prepare({ view, lit }: Frame, cascades: readonly Cascade[]): void {
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
      const radius = radiusOf(mesh);
      const fadeEnd = view.orthographic ? NEVER : maxDistanceOf(scatter, radius);
      const fade = { fadeStart: view.orthographic ? NEVER : fadeEnd * FADE_START, fadeEnd, radius };
      binding.write(scatter, mesh, view, { ...fade, planes: planesOf(view) });
      const onto = cascades.flatMap(({ texel }, k) =>
        2 * radius * scatter.rules.scale[1] >= LEAST_TEXELS * texel ? [k] : [],
      );
      for (const k of onto)
        binding.cascade(k, this.layouts!).write(scatter, mesh, view, {
          ...{ ...fade, planes: planesOfCascade(cascades[k]) },
        });
      this.draws.push({ scatter, mesh, material, binding, cascades: onto });
    }
  }

  encode(encoder: GPUCommandEncoder): number {
    if (this.draws.length === 0) return 0;
    const lists = this.draws.flatMap(({ scatter, binding, cascades }) =>
      [binding, ...cascades.map((k) => binding.cascades[k]!)].map((of) => ({ of, count: scatter.count })),
    );
    for (const { of, count } of lists) encoder.clearBuffer(of.lists.seen, 0, Math.ceil(count / 32) * 4);
    const pass = encoder.beginComputePass({
      label: 'scatter_cull',
      timestampWrites: this.gpu.timer?.writes('scatter_cull'),
    });
    // A kernel over all scatters, then the next: they need not wait for each other's.
    this.kernels.forEach((kernel, k) => {
      pass.setPipeline(kernel);
      for (const { of, count } of lists) {
        pass.setBindGroup(0, of.cull);
        pass.dispatchWorkgroups(KERNELS[k] === 'scatter_cull_scan' ? 1 : Math.ceil(count / WORKGROUP));
      }
    });
    pass.end();
    return lists.length * KERNELS.length;
  }

  /** Draws what casts onto a cascade, with shadowPass.ts's pipeline. Group 0 is bound already. */
  drawShadows(
    pass: GPURenderPassEncoder,
    cascade: number,
    pipeline: GPURenderPipeline,
    stats: PassStats,
  ): void {
    for (const { scatter, mesh, binding, cascades } of this.draws) {
      if (!cascades.includes(cascade)) continue;
      const { draw, lists } = binding.cascades[cascade]!;
      pass.setPipeline(pipeline);
      pass.setBindGroup(1, draw);
      pass.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      pass.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      pass.drawIndexedIndirect(lists.indirect, 0);
      stats.draws++;
      stats.triangles += (scatter.count * mesh.indexCount) / 3;
    }
  }

  /** Draws what the camera sees, with surveyPass.ts's pipeline. Group 0 is bound already. */
  drawSeen(pass: GPURenderPassEncoder, pipeline: GPURenderPipeline): void {
    for (const { scatter, mesh, binding } of this.draws) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(2, binding.draw);
      pass.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      pass.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      pass.drawIndexedIndirect(scatter.buffers.list.indirect, 0);
    }
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
      encoder.drawIndexedIndirect(scatter.buffers.list.indirect, 0);
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
        constants: shadeConstants(gpu, lit),
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
    const fresh = new ScatterBinding(this.gpu, this.layouts!, scatter.buffers);
    scatter.binding = fresh;
    return fresh;
  }
}

const list = ({ x, y, z }: Vec3) => [x, y, z];

function radiusOf({ bounds: { min, max } }: Mesh): number {
  return Math.hypot(max.x - min.x, max.y - min.y, max.z - min.z) / 2;
}

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
