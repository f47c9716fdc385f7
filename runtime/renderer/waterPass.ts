// Water (shaders/water.wgsl): one indexed draw for each standing water, blended over the finished scene, whose depth it
// tests and does not write. Nothing is compiled before there is one.
import source from '../../shaders/water.wgsl';
import waterSource from '../../shaders/include/water.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { dot, subtract, vec3, type Bounds } from '../world/vector.js';
import type { Frame, FrameBinding } from './frame.js';
import { hillsOf, type GroundLook } from './groundLook.js';
import type { MeshStore } from './meshStore.js';
import {
  DEPTH_FORMAT,
  SAMPLES,
  SCENE_FORMAT,
  shadeConstants,
  type PassStats,
  type ScenePass,
} from './pass.js';
import { VERTEX_LAYOUT } from './vertex.js';
import { sees, type View } from './view.js';
import { extinctionOf, type WaterLook } from './waterLook.js';

/** Texels on the GPU, `array<vec4f>`, rows × columns, row-major. Never freed here. */
export interface WaterTexels {
  texels: GPUBuffer;
  width: number;
  height: number;
}

/** A water as it is drawn. Whoever adds it takes it off again. */
export interface DrawnWater {
  /** The guid of its mesh, whose vertices stand in the world. */
  mesh: string;
  look: WaterLook;
  /** The −X, −Z corner and the sides of the rect that both textures cover, metres. */
  rect: { minX: number; minZ: number; width: number; depth: number };
  /** Height, d/dx, d/dz, coverage, and the range of the heights in metres. */
  ground: WaterTexels & { low: number; high: number };
  /** What the hills around look like that it mirrors. */
  hills(): GroundLook;
  /** Surface, flow x, flow z, coverage. */
  surface: WaterTexels;
  /** The surface at a place, metres, also past the rect: whether the camera is under it is asked each frame. */
  surfaceAt(x: number, z: number): number;
}

interface Binding {
  block: UniformBlock;
  group: GPUBindGroup;
}

/** Seconds after which the waves begin anew: what f32 can tell apart to a few milliseconds. */
const TIME_SPAN = 65536;

export class WaterPass implements ScenePass {
  readonly name = 'water';
  /** Seconds of the world: what moves the waves. */
  time = 0;
  private readonly layout: GPUBindGroupLayout;
  private pipeline: GPURenderPipeline | null = null;
  private readonly waters = new Map<DrawnWater, Binding | null>();
  private drawn: { water: DrawnWater; away: number }[] = [];

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly meshes: MeshStore,
  ) {
    const visibility = GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT;
    const types = ['uniform', 'read-only-storage', 'read-only-storage'] as const;
    this.layout = gpu.device.createBindGroupLayout({
      label: 'water',
      entries: types.map((type, binding) => ({
        binding,
        visibility: type === 'uniform' ? visibility : GPUShaderStage.FRAGMENT,
        buffer: { type },
      })),
    });
  }

  /** Has `water` drawn from the next frame on. Returns what takes it off again and frees what the pass made for it. */
  add(water: DrawnWater): () => void {
    this.waters.set(water, null);
    return () => {
      this.waters.get(water)?.block.destroy();
      this.waters.delete(water);
    };
  }

  needed(): boolean {
    return this.waters.size > 0;
  }

  /** The guids of the standing waters' meshes. */
  get standing(): string[] {
    return [...this.waters.keys()].map(({ mesh }) => mesh);
  }

  async ready(): Promise<void> {
    if (this.pipeline) return;
    const module = this.gpu.shader('shaders/water.wgsl', source);
    this.pipeline = await this.gpu.renderPipeline('water', {
      layout: this.gpu.device.createPipelineLayout({
        label: 'water',
        bindGroupLayouts: [this.frame.layout, this.layout],
      }),
      vertex: { module, entryPoint: 'water_vertex', buffers: [VERTEX_LAYOUT] },
      fragment: {
        module,
        entryPoint: 'water_fragment',
        constants: shadeConstants(this.gpu, false),
        targets: [
          {
            format: SCENE_FORMAT,
            // What it sends is added to what it lets through.
            blend: {
              color: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
              alpha: { srcFactor: 'one', dstFactor: 'one-minus-src-alpha' },
            },
          },
        ],
      },
      primitive: { topology: 'triangle-list', cullMode: 'none' },
      depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: false, depthCompare: 'greater' },
      multisample: { count: SAMPLES },
    });
  }

  warm(): null {
    return null;
  }

  prepare({ view }: Frame): void {
    this.drawn = [];
    for (const [water, binding] of this.waters) {
      const mesh = this.meshes.get(water.mesh);
      if (mesh.indexCount === 0 || !sees(view, mesh.bounds)) continue;
      const made = binding ?? this.bind(water);
      this.waters.set(water, made);
      made.block.write(this.values(water, view));
      this.drawn.push({ water, away: distanceTo(mesh.bounds, view) });
    }
    // What is blended is drawn from far to near.
    this.drawn.sort((a, b) => b.away - a.away);
  }

  draw(encoder: GPURenderPassEncoder): PassStats {
    const stats = { draws: 0, triangles: 0 };
    if (this.drawn.length === 0) return stats;
    encoder.setPipeline(this.pipeline!);
    for (const { water } of this.drawn) {
      const mesh = this.meshes.get(water.mesh);
      encoder.setBindGroup(1, this.waters.get(water)!.group);
      encoder.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      encoder.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      encoder.drawIndexed(mesh.indexCount, 1, mesh.firstIndex);
      stats.draws++;
      stats.triangles += mesh.indexCount / 3;
    }
    return stats;
  }

  destroy(): void {
    for (const binding of this.waters.values()) binding?.block.destroy();
    this.waters.clear();
    this.drawn = [];
    this.pipeline = null;
  }

  private bind({ ground, surface }: DrawnWater): Binding {
    const block = new UniformBlock(this.gpu, 'water', waterSource, 'Water');
    const texels = ({ texels: buffer, width, height }: WaterTexels) => ({
      buffer,
      size: width * height * 16,
    });
    const resources = [{ buffer: block.buffer }, texels(ground), texels(surface)];
    const group = this.gpu.device.createBindGroup({
      label: 'water',
      layout: this.layout,
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
    return { block, group };
  }

  private values(water: DrawnWater, { position }: View): Record<string, unknown> {
    const { look, rect, ground, surface } = water;
    const relief = Math.max(ground.high - ground.low, 0.01);
    const from = [-position.x, -position.y, -position.z];
    return {
      offsetHigh: from,
      offsetLow: from.map((part) => part - Math.fround(part)),
      time: this.time % TIME_SPAN,
      cameraHeight: position.y,
      color: [look.color.x, look.color.y, look.color.z],
      extinction: extinctionOf(look),
      waves: look.waves,
      foam: look.foam,
      fromCorner: [position.x - rect.minX, position.z - rect.minZ],
      extent: [rect.width, rect.depth],
      groundCount: [ground.width, ground.height],
      surfaceCount: [surface.width, surface.height],
      low: ground.low,
      relief,
      submerged: position.y < water.surfaceAt(position.x, position.z) ? 1 : 0,
      hills: hillsOf(water.hills(), ground.low, relief),
    };
  }
}

/** Metres from the camera to the middle of a box. */
function distanceTo({ min, max }: Bounds, { position }: View): number {
  const middle = vec3((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2);
  const way = subtract(middle, position);
  return Math.sqrt(dot(way, way));
}
