// Everything solid in a frame: what each entity with a MeshInstance draws, whether the camera sees it, and onto which of the
// sun's maps it casts. One storage buffer holds where they stand (shaders/include/placement.wgsl); draws of forwardPass.ts and
// shadowPass.ts find an entry by its instance number.
import objectSource from '../../shaders/include/placement.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { layoutOf } from '../gpu/layouts.js';
import { viewsOf } from '../gpu/structView.js';
import type { Entity } from '../world/entity.js';
import { transformBounds, type Bounds, type Matrix } from '../world/vector.js';
import { casts, type Cascade } from './cascades.js';
import type { Frame } from './frame.js';
import type { Material, MaterialStore } from './materialStore.js';
import type { Mesh, MeshStore } from './meshStore.js';
import { sees, type View } from './view.js';

export interface Solid {
  entity: Entity;
  mesh: Mesh;
  /** Null: the ground material. */
  material: Material | null;
  matrix: Matrix;
  /** In the world. */
  bounds: Bounds;
  mirrored: boolean;
  /** A bit a cascade that it casts onto. */
  casts: number;
}

/** The fields of shaders/include/placement.wgsl's Object. */
type ObjectViews = Record<'linear' | 'normal' | 'offsetHigh' | 'offsetLow', Float32Array>;

export class Solids {
  readonly layout: GPUBindGroupLayout;
  /** By their number in the buffer: first those that the camera sees, then those that only cast. In the world's order. */
  list: Solid[] = [];
  /** How many of them the camera sees. */
  seen = 0;
  private unseen: Solid[] = [];
  /** Bytes of an entry of `objects`. */
  private readonly objectBytes = layoutOf(objectSource, 'Object').size;
  private objects: {
    buffer: GPUBuffer;
    group: GPUBindGroup;
    bytes: ArrayBuffer;
    views: ObjectViews[];
    capacity: number;
  } | null = null;

  constructor(
    private readonly gpu: Gpu,
    private readonly meshes: MeshStore,
    private readonly materials: MaterialStore,
  ) {
    this.layout = gpu.device.createBindGroupLayout({
      label: 'object',
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { type: 'read-only-storage' } }],
    });
  }

  /** The bind group of the buffer; null while nothing was ever drawn. */
  get group(): GPUBindGroup | null {
    return this.objects?.group ?? null;
  }

  /** Lists a frame's: what the camera sees, and what it does not. */
  gather({ world, view }: Frame): void {
    this.list = [];
    this.unseen = [];
    for (const entity of world.query('MeshInstance')) {
      const solid = this.solidOf(entity);
      if (solid) (sees(view, solid.bounds) ? this.list : this.unseen).push(solid);
    }
    this.seen = this.list.length;
  }

  /** After gather: adds what only casts to the list, and sends where all of it stands. */
  place({ view }: Frame, cascades: readonly Cascade[]): void {
    if (cascades.length > 0) {
      for (const solid of this.list) solid.casts = ontoWhich(solid, cascades);
      for (const solid of this.unseen) if ((solid.casts = ontoWhich(solid, cascades))) this.list.push(solid);
    }
    this.unseen = [];
    for (const { mesh, entity } of this.list)
      for (const buffer of [mesh.vertexBuffer, mesh.indexBuffer])
        buffer.checkAlive(`renderer.render: the mesh of the entity ${entity}`);
    if (this.list.length === 0) return;
    const objects = this.ensureObjects(this.list.length);
    this.list.forEach(({ matrix }, i) => writeObject(objects.views[i], matrix, view));
    const bytes = this.objectBytes * this.list.length;
    this.gpu.device.queue.writeBuffer(objects.buffer, 0, objects.bytes, 0, bytes);
  }

  destroy(): void {
    this.gpu.free(this.objects?.buffer);
    this.objects = null;
  }

  /** What an entity draws, or null if it draws nothing: no such mesh, an empty range, flattened to nothing. */
  private solidOf(entity: Entity): Solid | null {
    const fields = entity.components.get('MeshInstance')!;
    const guid = fields.get('mesh') as string;
    if (!this.meshes.has(guid)) return null;
    const mesh = this.meshes.get(guid);
    if (mesh.indexCount === 0 && mesh.castCount === 0) return null;
    const matrix = entity.meshMatrix;
    const determinant = determinantOf(matrix);
    if (determinant === 0) return null;
    const name = fields.get('material') as string | null;
    const material =
      name !== null && this.materials.has(name)
        ? this.materials.get(name)
        : mesh.ground
          ? null
          : this.materials.standard;
    const bounds = transformBounds(mesh.bounds, matrix);
    return { entity, mesh, material, matrix, bounds, mirrored: determinant < 0, casts: 0 };
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
      layout: this.layout,
      entries: [{ binding: 0, resource: { buffer } }],
    });
    const layout = layoutOf(objectSource, 'Object');
    const bytes = new ArrayBuffer(capacity * layout.size);
    const views = Array.from(
      { length: capacity },
      (_, i) => viewsOf(layout, bytes, i * layout.size) as unknown as ObjectViews,
    );
    return (this.objects = { buffer, group, bytes, views, capacity });
  }
}

function ontoWhich({ bounds }: Solid, cascades: readonly Cascade[]): number {
  let onto = 0;
  for (let k = 0; k < cascades.length; k++) if (casts(cascades[k], bounds)) onto |= 1 << k;
  return onto;
}

function determinantOf(m: Matrix): number {
  return (
    m[0] * (m[5] * m[10] - m[6] * m[9]) -
    m[4] * (m[1] * m[10] - m[2] * m[9]) +
    m[8] * (m[1] * m[6] - m[2] * m[5])
  );
}

/** Fills one entry of `objects`: the matrix split as shaders/include/placement.wgsl reads it. */
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
