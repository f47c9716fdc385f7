// Everything solid: an indexed draw for each entity that has a MeshInstance, or one for a row of them that look alike
// (shaders/ground.wgsl for meshes of ground, ground_layers.wgsl where it has layers, model.wgsl for the rest, model_maps.wgsl
// where its material has maps), from one storage buffer of objects that a draw finds by its instance number. Pipelines that
// only some worlds need are compiled when the first one comes (readyFor).
import { makeStructuredView, type StructuredView } from 'webgpu-utils';
import groundSource from '../../shaders/ground.wgsl';
import layersSource from '../../shaders/ground_layers.wgsl';
import objectSource from '../../shaders/include/object.wgsl';
import modelSource from '../../shaders/model.wgsl';
import mapsSource from '../../shaders/model_maps.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { reflect } from '../gpu/uniformBlock.js';
import type { Entity } from '../world/entity.js';
import { transformBounds, type Matrix } from '../world/vector.js';
import type { Frame, FrameBinding } from './frame.js';
import { GroundBinding, groundLayouts } from './groundBinding.js';
import { mappedLayout, MaterialBinding, materialLayout } from './materialBinding.js';
import type { Material, MaterialStore } from './materialStore.js';
import type { Mesh, MeshStore } from './meshStore.js';
import { DEPTH_FORMAT, SAMPLES, SCENE_FORMAT, type PassStats, type ScenePass } from './pass.js';
import { VERTEX_LAYOUT } from './vertex.js';
import { sees, type View } from './view.js';

/** The fields of shaders/include/object.wgsl's Object. */
type ObjectViews = Record<'linear' | 'normal' | 'offsetHigh' | 'offsetLow', Float32Array>;

type Pipelines = Record<'ground' | 'model' | 'mirrored', GPURenderPipeline>;

/** What only some worlds draw with. */
type Extra = 'layered' | 'mapped' | 'mappedMirrored';

interface Draw {
  mesh: Mesh;
  /** Null: the ground material. */
  material: Material | null;
  matrix: Matrix;
  mirrored: boolean;
}

/** Whether two draws differ by their matrices alone: entities that follow each other and look alike are one draw. */
const alike = (a: Draw, b: Draw) =>
  a.mesh === b.mesh && a.material === b.material && a.mirrored === b.mirrored;

/** At least the size of every block that `warm` binds. */
const NOTHING_BYTES = 1024;

export class ForwardPass implements ScenePass {
  readonly name = 'forward';
  /** Bytes of an entry of `objects`. */
  private readonly objectBytes = reflect(objectSource).structs.Object.size;
  private readonly layouts: Record<
    'object' | 'ground' | 'layered' | 'material' | 'mapped',
    GPUBindGroupLayout
  >;
  /** For the sun alone, and for a world with point or spot lights. */
  private readonly pipelines: { plain?: Pipelines; lit?: Pipelines } = {};
  private readonly extras: Record<'plain' | 'lit', Partial<Record<Extra, GPURenderPipeline>>> = {
    plain: {},
    lit: {},
  };
  private objects: { buffer: GPUBuffer; group: GPUBindGroup; view: StructuredView; capacity: number } | null =
    null;
  private draws: Draw[] = [];

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly meshes: MeshStore,
    private readonly materials: MaterialStore,
  ) {
    const object = gpu.device.createBindGroupLayout({
      label: 'object',
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { type: 'read-only-storage' } }],
    });
    this.layouts = {
      object,
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
    encoder.setBindGroup(2, group(layouts.object, [0]));
    encoder.setPipeline(ground);
    encoder.setBindGroup(1, group(layouts.ground, [0, 1]));
    encoder.drawIndexed(3);
    encoder.setPipeline(model);
    encoder.setBindGroup(1, group(layouts.material, [0]));
    encoder.drawIndexed(3);
    return nothing;
  }

  prepare(frame: Frame): void {
    this.draws = [];
    for (const entity of frame.world.query('MeshInstance')) {
      const draw = this.drawOf(entity, frame.view);
      if (draw) this.draws.push(draw);
    }
    if (this.draws.length === 0) return;
    const objects = this.ensureObjects(this.draws.length);
    this.draws.forEach((draw, i) => {
      writeObject(objects.view.views[i], draw.matrix, frame.view);
      this.prepareBinding(draw, frame);
    });
    const bytes = this.objectBytes * this.draws.length;
    this.gpu.device.queue.writeBuffer(objects.buffer, 0, objects.view.arrayBuffer, 0, bytes);
  }

  draw(encoder: GPURenderPassEncoder, { lit }: Frame): PassStats {
    const { ground, model, mirrored: mirror } = this.pipelines[lit ? 'lit' : 'plain']!;
    const extras = this.extras[lit ? 'lit' : 'plain'];
    const stats = { draws: 0, triangles: 0 };
    if (!this.objects || this.draws.length === 0) return stats;
    encoder.setBindGroup(2, this.objects.group);
    for (let first = 0, next = 0; first < this.draws.length; first = next) {
      const { mesh, material, mirrored } = this.draws[first];
      while (next < this.draws.length && alike(this.draws[first], this.draws[next])) next++;
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
    this.gpu.free(this.objects?.buffer);
    this.objects = null;
  }

  /** What an entity draws, or null if it draws nothing: no such mesh, an empty range, out of view, or flattened to nothing. */
  private drawOf(entity: Entity, view: View): Draw | null {
    const fields = entity.components.get('MeshInstance')!;
    const guid = fields.get('mesh') as string;
    if (!this.meshes.has(guid)) return null;
    const mesh = this.meshes.get(guid);
    if (mesh.indexCount === 0) return null;
    const matrix = entity.meshMatrix;
    const determinant = determinantOf(matrix);
    if (determinant === 0 || !sees(view, transformBounds(mesh.bounds, matrix))) return null;
    for (const buffer of [mesh.vertexBuffer, mesh.indexBuffer])
      buffer.checkAlive(`renderer.render: the mesh of the entity ${entity}`);
    const name = fields.get('material') as string | null;
    const material =
      name !== null && this.materials.has(name)
        ? this.materials.get(name)
        : mesh.ground
          ? null
          : this.materials.standard;
    return { mesh, material, matrix, mirrored: determinant < 0 };
  }

  private prepareBinding({ mesh, material }: Draw, { view, lit }: Frame): void {
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
    if ((mesh.binding as GroundBinding | null)?.layers !== layers) {
      mesh.binding?.destroy();
      mesh.binding = new GroundBinding(this.gpu, this.layouts, mesh.ground!, layers);
    }
    (mesh.binding as GroundBinding).write(view);
  }

  private ensureObjects(count: number) {
    if (this.objects && this.objects.capacity >= count) return this.objects;
    this.gpu.free(this.objects?.buffer);
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(count, 16)));
    const buffer = this.gpu.createBuffer(
      'objects',
      capacity * this.objectBytes,
      GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
    );
    const group = this.gpu.device.createBindGroup({
      label: 'objects',
      layout: this.layouts.object,
      entries: [{ binding: 0, resource: { buffer } }],
    });
    const view = makeStructuredView(
      reflect(objectSource).storages.objects,
      new ArrayBuffer(capacity * this.objectBytes),
    );
    return (this.objects = { buffer, group, view, capacity });
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
    return this.gpu.renderPipeline(`${name}, ${frontFace}${lit ? ', lit' : ''}`, {
      layout: this.gpu.device.createPipelineLayout({
        label: name,
        bindGroupLayouts: [this.frame.layout, feature, this.layouts.object],
      }),
      vertex: { module, entryPoint: `${name}_vertex`, buffers: [VERTEX_LAYOUT] },
      fragment: {
        module,
        entryPoint: `${name}_fragment`,
        targets: [{ format: SCENE_FORMAT }],
        constants: {
          LOCAL_LIGHTS: lit ? 1 : 0,
          ...(name === 'ground_layers' ? { ANISOTROPIC: this.gpu.software ? 0 : 1 } : {}),
        },
      },
      primitive: { topology: 'triangle-list', cullMode, frontFace },
      depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'greater' },
      multisample: { count: SAMPLES },
    });
  }
}

function determinantOf(m: Matrix): number {
  return (
    m[0] * (m[5] * m[10] - m[6] * m[9]) -
    m[4] * (m[1] * m[10] - m[2] * m[9]) +
    m[8] * (m[1] * m[6] - m[2] * m[5])
  );
}

/** Fills one entry of `objects`: the matrix split as shaders/include/object.wgsl reads it. */
function writeObject(entry: ObjectViews, m: Matrix, { position }: View): void {
  const { linear, normal, offsetHigh, offsetLow } = entry;
  const sign = Math.sign(determinantOf(m));
  for (let column = 0; column < 3; column++) {
    // The cofactors of a column are the cross product of the other two: the inverse transpose times the determinant.
    const a = ((column + 1) % 3) * 4;
    const b = ((column + 2) % 3) * 4;
    for (let row = 0; row < 3; row++) {
      const j = (row + 1) % 3;
      const k = (row + 2) % 3;
      linear[column * 4 + row] = m[column * 4 + row];
      normal[column * 4 + row] = sign * (m[a + j] * m[b + k] - m[a + k] * m[b + j]);
    }
    const eye = column === 0 ? position.x : column === 1 ? position.y : position.z;
    const offset = m[12 + column] - eye;
    offsetHigh[column] = offset;
    offsetLow[column] = offset - Math.fround(offset);
  }
}
