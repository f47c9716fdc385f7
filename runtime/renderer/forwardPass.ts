// Everything solid: an indexed draw for each entity that has a MeshInstance, or one for a row of them that look alike
// (shaders/ground.wgsl for meshes of ground, ground_layers.wgsl where it has layers, model.wgsl for the rest, model_maps.wgsl
// where its material has maps), from the objects of solids.ts. Pipelines that only some worlds need are compiled when the
// first one comes (readyFor).
import groundSource from '../../shaders/ground.wgsl';
import layersSource from '../../shaders/ground_layers.wgsl';
import modelSource from '../../shaders/model.wgsl';
import mapsSource from '../../shaders/model_maps.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { Frame, FrameBinding } from './frame.js';
import { samplersOf } from '../texture/gpuTexture.js';
import { GroundBinding, groundLayouts } from './groundBinding.js';
import { mappedLayout, MaterialBinding, materialLayout } from './materialBinding.js';
import { GroundTextures } from './groundTextures.js';
import type { MaterialStore } from './materialStore.js';
import type { MeshStore } from './meshStore.js';
import {
  DEPTH_FORMAT,
  SAMPLES,
  SCENE_FORMAT,
  shadeConstants,
  type PassStats,
  type ScenePass,
} from './pass.js';
import type { Solid, Solids } from './solids.js';
import { VERTEX_LAYOUT } from './vertex.js';

type Pipelines = Record<'ground' | 'model' | 'mirrored', GPURenderPipeline>;

/** What only some worlds draw with. */
type Extra = 'layered' | 'mapped' | 'mappedMirrored';

/** Whether two draws differ by their matrices alone: entities that follow each other and look alike are one draw. */
const alike = (a: Solid, b: Solid) =>
  a.mesh === b.mesh && a.material === b.material && a.mirrored === b.mirrored;

/** At least the size of every block that `warm` binds. */
const NOTHING_BYTES = 2048;

export class ForwardPass implements ScenePass {
  readonly name = 'forward';
  private readonly layouts: Record<'ground' | 'layered' | 'material' | 'mapped', GPUBindGroupLayout>;
  /** For the sun alone, and for a world with point or spot lights. */
  private readonly pipelines: { plain?: Pipelines; lit?: Pipelines } = {};
  private readonly extras: Record<'plain' | 'lit', Partial<Record<Extra, GPURenderPipeline>>> = {
    plain: {},
    lit: {},
  };
  /** Makes the textures of bare ground, once there has been some. */
  private makeTextures: (() => GroundTextures) | null = null;
  /** While bare ground is drawn: the textures, and by how many bindings. */
  private textures: GroundTextures | null = null;
  private textureUsers = 0;
  /** One texel, bound where nothing is drawn. */
  private blank: GPUTexture | null = null;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly meshes: MeshStore,
    private readonly materials: MaterialStore,
    private readonly solids: Solids,
  ) {
    this.layouts = {
      ...groundLayouts(gpu),
      material: materialLayout(gpu),
      mapped: mappedLayout(gpu),
    };
  }

  async ready(lit: boolean): Promise<void> {
    const [ground, model, mirrored] = await Promise.all([
      // Ground is drawn from below too, dark; a body's inside never shows.
      this.makePipeline('ground', groundSource, 'none', 'ccw', lit),
      this.makePipeline('model', modelSource, 'back', 'ccw', lit),
      this.makePipeline('model', modelSource, 'back', 'cw', lit),
    ]);
    this.pipelines[lit ? 'lit' : 'plain'] = { ground, model, mirrored };
  }

  async readyFor(all: boolean, lit: boolean): Promise<void> {
    const extras = this.extras[lit ? 'lit' : 'plain'];
    if (all || this.meshes.anyBareGround()) this.makeTextures ??= await GroundTextures.maker(this.gpu);
    if (all || this.meshes.anyLayers())
      extras.layered ??= await this.makePipeline('ground_layers', layersSource, 'none', 'ccw', lit);
    if (extras.mapped || !(all || this.materials.anyMapped())) return;
    const maps = (frontFace: GPUFrontFace) =>
      this.makePipeline('model_maps', mapsSource, 'back', frontFace, lit);
    [extras.mapped, extras.mappedMirrored] = await Promise.all([maps('ccw'), maps('cw')]);
  }

  warm(encoder: GPURenderPassEncoder): GPUBuffer {
    const { ground, model } = this.pipelines.plain!;
    const { gpu, layouts } = this;
    const { VERTEX, INDEX, UNIFORM, STORAGE } = GPUBufferUsage;
    // All zero: three vertices in one place, which cover no pixel.
    const nothing = gpu.createBuffer('warm-up', NOTHING_BYTES, VERTEX | INDEX | UNIFORM | STORAGE);
    const group = (layout: GPUBindGroupLayout, bindings: number[]) =>
      gpu.device.createBindGroup({
        label: 'warm-up',
        layout,
        entries: bindings.map((binding) => ({ binding, resource: { buffer: nothing } })),
      });
    encoder.setVertexBuffer(0, nothing);
    encoder.setIndexBuffer(nothing, 'uint32');
    encoder.setBindGroup(2, group(this.solids.layout, [0]));
    encoder.setPipeline(ground);
    encoder.setBindGroup(1, this.nothingOfGround(nothing));
    encoder.drawIndexed(3);
    encoder.setPipeline(model);
    encoder.setBindGroup(1, group(layouts.material, [0]));
    encoder.drawIndexed(3);
    return nothing;
  }

  prepare(frame: Frame): void {
    const { list, seen } = this.solids;
    for (let i = 0; i < seen; i++) this.prepareBinding(list[i], frame);
  }

  draw(encoder: GPURenderPassEncoder, { lit }: Frame): PassStats {
    const { ground, model, mirrored: mirror } = this.pipelines[lit ? 'lit' : 'plain']!;
    const extras = this.extras[lit ? 'lit' : 'plain'];
    const stats = { draws: 0, triangles: 0 };
    const { list, seen, group: objects } = this.solids;
    if (seen === 0) return stats;
    encoder.setBindGroup(2, objects!);
    for (let first = 0, next = 0; first < seen; first = next) {
      const { mesh, material, mirrored } = list[first];
      while (next < seen && alike(list[first], list[next])) next++;
      const binding = (material ?? mesh).binding as GroundBinding | MaterialBinding;
      const mapped = material?.mapped;
      if (mapped) encoder.setPipeline(mirrored ? extras.mappedMirrored! : extras.mapped!);
      else if (material) encoder.setPipeline(mirrored ? mirror : model);
      else encoder.setPipeline((binding as GroundBinding).layers ? extras.layered! : ground);
      const group = mapped ? (binding as MaterialBinding).mappedGroup(this.layouts.mapped) : binding.group;
      encoder.setBindGroup(1, group);
      encoder.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      encoder.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      encoder.drawIndexed(mesh.indexCount, next - first, mesh.firstIndex, 0, first);
      stats.draws++;
      stats.triangles += ((next - first) * mesh.indexCount) / 3;
    }
    return stats;
  }

  destroy(): void {
    this.gpu.free(this.blank);
  }

  /** Group 1 of ground that shows nothing. */
  private nothingOfGround(buffer: GPUBuffer): GPUBindGroup {
    const { gpu } = this;
    this.blank ??= gpu.createTexture(
      { label: 'warm-up', size: [1, 1], format: 'rgba8unorm', usage: GPUTextureUsage.TEXTURE_BINDING },
      4,
    );
    const view = this.blank.createView({ dimension: '2d-array' });
    return gpu.device.createBindGroup({
      label: 'warm-up',
      layout: this.layouts.ground,
      entries: [
        ...[0, 1, 2].map((binding) => ({ binding, resource: { buffer } })),
        ...[3, 4].map((binding) => ({ binding, resource: view })),
        { binding: 5, resource: samplersOf(gpu).repeated },
      ],
    });
  }

  /** The textures, held for one binding until that lets go of them. */
  private useTextures(): { textures: GroundTextures; release: () => void } {
    const textures = (this.textures ??= this.makeTextures!());
    this.textureUsers++;
    const release = () => {
      if (--this.textureUsers > 0) return;
      textures.destroy();
      this.textures = null;
    };
    return { textures, release };
  }

  private prepareBinding({ mesh, material }: Solid, { view, lit }: Frame): void {
    if (material) {
      if (material.mapped && !this.extras[lit ? 'lit' : 'plain'].mapped)
        throw new MoonscapeError(
          'renderer.render: await renderer.ready(world) first, for its materials with maps',
        );
      material.binding ??= new MaterialBinding(this.gpu, this.layouts.material, material);
      return;
    }
    const layers = mesh.ground!.layers?.() ?? null;
    if (layers && !this.extras[lit ? 'lit' : 'plain'].layered)
      throw new MoonscapeError(
        'renderer.render: await renderer.ready(world) first, for its layers of ground',
      );
    if (!layers && !this.makeTextures)
      throw new MoonscapeError('renderer.render: await renderer.ready(world) first, for its bare ground');
    if ((mesh.binding as GroundBinding | null)?.layers !== layers) {
      mesh.binding?.destroy();
      mesh.binding = new GroundBinding(this.gpu, this.layouts, mesh.ground!, layers ?? this.useTextures());
    }
    (mesh.binding as GroundBinding).write(view);
  }

  private makePipeline(
    name: 'ground' | 'ground_layers' | 'model' | 'model_maps',
    code: string,
    cullMode: GPUCullMode,
    frontFace: GPUFrontFace,
    lit: boolean,
  ): Promise<GPURenderPipeline> {
    const module = this.gpu.shader(`shaders/${name}.wgsl`, code);
    const { ground, layered, material, mapped } = this.layouts;
    const feature = { ground, ground_layers: layered, model: material, model_maps: mapped }[name];
    const full = name === 'ground' ? { FULL: this.gpu.software ? 0 : 1 } : undefined;
    return this.gpu.renderPipeline(`${name}, ${frontFace}${lit ? ', lit' : ''}`, {
      layout: this.gpu.device.createPipelineLayout({
        label: name,
        bindGroupLayouts: [this.frame.layout, feature, this.solids.layout],
      }),
      vertex: {
        module,
        entryPoint: `${name}_vertex`,
        buffers: [VERTEX_LAYOUT],
        constants: full,
      },
      fragment: {
        module,
        entryPoint: `${name}_fragment`,
        targets: [{ format: SCENE_FORMAT }],
        constants: {
          ...shadeConstants(this.gpu, lit),
          ...(name === 'ground_layers' ? { ANISOTROPIC: this.gpu.software ? 0 : 1 } : {}),
          ...full,
        },
      },
      primitive: { topology: 'triangle-list', cullMode, frontFace },
      depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'greater' },
      multisample: { count: SAMPLES },
    });
  }
}
