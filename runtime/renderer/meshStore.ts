// Meshes by guid: which buffers a draw reads, which range, and the box it lies in. Models name a mesh by its guid, so
// that its buffers and range can be swapped underneath them. Buffers handed in stay their maker's; the primitives' own
// go with their mesh.
import type { Assets } from '../assets/assets.js';
import { checkFields, checkInteger, MoonscapeError, refuse } from '../errors.js';
import { GpuBuffer } from '../gpu/gpuBuffer.js';
import type { Gpu } from '../gpu/gpu.js';
import { checkBounds, vec3, type Bounds, type Vec3 } from '../world/vector.js';
import type { GroundLook } from './groundLook.js';
import type { LayerResources } from './layerResources.js';
import { box, cylinder, plane, sphere } from './primitives.js';
import type { BoxOptions, CylinderOptions, Geometry, PlaneOptions, SphereOptions } from './primitives.js';
import { VERTEX_BYTES, VERTEX_WORDS } from './vertex.js';

/** What the ground material needs to shade each pixel by the heightfield's own gradients. */
export interface GroundShading {
  /** Heightfield texels, `array<vec4f>`, rows × columns, row-major: height, d/dx, d/dz, coverage. Never freed here. */
  texels: GPUBuffer;
  /** Texels along X and Z. */
  width: number;
  height: number;
  /** The rect's −X, −Z corner and its sides, metres. */
  minX: number;
  minZ: number;
  sizeX: number;
  sizeZ: number;
  /** The declared height range, metres. */
  low: number;
  high: number;
  /** The ground's height at a place (metres), also past the rect: whether the camera is under it is asked each frame. */
  heightAt(x: number, z: number): number;
  /** The layers that the ground is drawn with now, null for the textures of bare ground. Asked each frame. */
  layers?(): LayerResources | null;
  /** What bare ground looks like; another look is another object. Asked each frame. */
  look?(): GroundLook;
  /** The nodes that the mesh is made of now, for views of them; left out where it is none of nodes. Asked each frame that shows them. */
  drawn?(): DrawnNodes;
}

/** What a ground's mesh is drawn as: the vertices of the node in slot s stand at s × nodeVerts² of its vertex buffer. */
export interface DrawnNodes {
  /** The first `count` of each are drawn; ix and iz count nodes of their level from the corner, coarseMask is 1 −X, 2 +X, 4 −Z, 8 +Z. */
  nodes: {
    readonly count: number;
    readonly slot: ArrayLike<number>;
    readonly level: ArrayLike<number>;
    readonly ix: ArrayLike<number>;
    readonly iz: ArrayLike<number>;
    readonly coarseMask: ArrayLike<number>;
  };
  /** Slots that there are. */
  slots: number;
  nodeVerts: number;
  maxLevel: number;
  /** Side of a level 0 node, metres. */
  rootSize: number;
  /** The cut's −X, −Z corner and its sides, metres. */
  cornerX: number;
  cornerZ: number;
  width: number;
  depth: number;
  /** What the cut was taken with, and from where in the world, metres. */
  lodFactor: number;
  camera: Readonly<Vec3>;
}

export interface MeshFields {
  vertexBuffer: GpuBuffer;
  /** Indices, u32, three a triangle, counter-clockwise seen from outside. */
  indexBuffer: GpuBuffer;
  /** Default 0. */
  firstIndex?: number;
  /** A multiple of 3; 0 draws nothing. Default: the rest of the buffer. */
  indexCount?: number;
  /** How many indices from the first one on cast shadows, a multiple of 3; more than are drawn add what only casts. Default: those drawn. */
  castCount?: number;
  /** The box of everything drawn, in the mesh's own space; what is outside the view by it is not drawn. */
  bounds?: Bounds;
  /** Draws the mesh with the ground material wherever a Model names no other. */
  ground?: GroundShading | null;
}

/** A mesh as the draws read it. */
export interface Mesh {
  readonly guid: string;
  readonly vertexBuffer: GpuBuffer;
  readonly indexBuffer: GpuBuffer;
  readonly firstIndex: number;
  readonly indexCount: number;
  readonly castCount: number;
  readonly bounds: Bounds;
  readonly ground: GroundShading | null;
  /** What a pass made for this mesh, freed with it or when `ground` is swapped. */
  binding: { destroy(): void } | null;
}

const FIELDS = ['vertexBuffer', 'indexBuffer', 'firstIndex', 'indexCount', 'castCount', 'bounds', 'ground'];

/** How a primitive was made, or a mesh of a file (`load`): the name of its function and its options, as plain data. */
export interface MeshRecipe {
  shape: string;
  options: Record<string, unknown>;
}

/** The primitives by name. */
const SHAPES: Readonly<Record<string, (options: never) => Geometry>> = { plane, box, sphere, cylinder };

/** The recipe of a mesh that came from a file. */
const LOAD = 'load';

export class MeshStore {
  /** Counts what is made, swapped and destroyed. */
  version = 0;
  private readonly meshes = new Map<string, Mesh>();
  private readonly recipes = new Map<string, MeshRecipe>();
  private readonly owned = new Map<string, GpuBuffer[]>();

  constructor(private readonly gpu: Gpu) {}

  /** Makes a mesh whose bounds are known; answers its guid. */
  createBounded(fields: MeshFields & { bounds: Bounds }): string {
    return this.add(check('renderer.mesh.create', fields));
  }

  /** Makes a mesh; bounds left out are computed once, by reading the vertices that its indices name back. */
  async create(fields: MeshFields): Promise<string> {
    const where = 'renderer.mesh.create';
    if (fields.bounds !== undefined) return this.add(check(where, fields));
    const known = check(where, { ...fields, bounds: { min: [0, 0, 0], max: [0, 0, 0] } as never });
    const bounds = await measure(where, known);
    return this.add({ ...known, bounds });
  }

  /** Swaps fields under the same guid; those left out stay (a new index buffer without a count: the rest of it). */
  update(guid: string, fields: Partial<MeshFields>): void {
    const where = 'renderer.mesh.update';
    const old = this.get(guid, where);
    checkFields(where, fields, FIELDS);
    const { firstIndex, indexCount, castCount } = old;
    const casting = fields.indexCount === undefined ? { castCount } : {};
    const range = fields.indexBuffer ? {} : { firstIndex, indexCount, ...casting };
    const { vertexBuffer, indexBuffer, bounds, ground } = old;
    const fresh = check(where, { vertexBuffer, indexBuffer, ...range, bounds, ground, ...fields });
    const binding = fresh.ground === old.ground ? old.binding : null;
    if (!binding) old.binding?.destroy();
    this.version++;
    this.meshes.set(guid, { guid, ...fresh, binding });
    this.recipes.delete(guid);
    const kept = this.owned.get(guid);
    if (!kept) return;
    const [stay, go] = [[], []] as [GpuBuffer[], GpuBuffer[]];
    for (const buffer of kept)
      (buffer === fresh.vertexBuffer || buffer === fresh.indexBuffer ? stay : go).push(buffer);
    this.owned.set(guid, stay);
    for (const buffer of go) buffer.destroy();
  }

  /** Forgets a mesh. Models that name it draw nothing from then on. */
  destroy(guid: string): void {
    this.get(guid, 'renderer.mesh.destroy').binding?.destroy();
    this.version++;
    this.meshes.delete(guid);
    this.recipes.delete(guid);
    for (const buffer of this.owned.get(guid) ?? []) buffer.destroy();
    this.owned.delete(guid);
  }

  has(guid: string): boolean {
    return this.meshes.has(guid);
  }

  /** The mesh of a guid; refuses one that is not there. */
  get(guid: string, where = 'renderer.mesh.get'): Mesh {
    const mesh = this.meshes.get(guid);
    if (!mesh) refuse(where, 'guid', 'the guid of a mesh that exists', guid);
    return mesh;
  }

  /** The mesh of a guid, or undefined. */
  find(guid: string): Mesh | undefined {
    return this.meshes.get(guid);
  }

  /** The guid of a mesh that draws from `buffer`, or undefined. */
  userOf(buffer: GpuBuffer): string | undefined {
    for (const { guid, vertexBuffer, indexBuffer } of this.meshes.values())
      if (vertexBuffer === buffer || indexBuffer === buffer) return guid;
    return undefined;
  }

  /** The box of a mesh, or null for a guid that is not there. */
  boundsOf(guid: string): Bounds | null {
    return this.meshes.get(guid)?.bounds ?? null;
  }

  /** Whether any mesh is ground that is drawn with layers now. */
  anyLayers(): boolean {
    for (const { ground } of this.meshes.values()) if (ground?.layers?.()) return true;
    return false;
  }

  /** Whether any mesh is ground that is drawn without layers now. */
  anyBareGround(): boolean {
    for (const { ground } of this.meshes.values()) if (ground && !ground.layers?.()) return true;
    return false;
  }

  /** How many meshes stand. */
  get count(): number {
    return this.meshes.size;
  }

  plane(options: PlaneOptions = {}): string {
    return this.primitive({ shape: 'plane', options: { ...options } });
  }

  box(options: BoxOptions = {}): string {
    return this.primitive({ shape: 'box', options: { ...options } });
  }

  sphere(options: SphereOptions = {}): string {
    return this.primitive({ shape: 'sphere', options: { ...options } });
  }

  cylinder(options: CylinderOptions = {}): string {
    return this.primitive({ shape: 'cylinder', options: { ...options } });
  }

  /**
   * Makes a mesh of all triangles of a glTF file's scene, each where its node places it; see loadGltf for what it refuses. What the
   * file says of materials is not read.
   * @param path a .gltf or .glb of the project
   */
  load(path: string, assets: Assets): Promise<string> {
    return this.loadAs('renderer.mesh.load', path, assets);
  }

  /** How a primitive or a file's mesh was made; undefined for a mesh of buffers, and for one whose buffers were swapped. */
  recipeOf(guid: string): MeshRecipe | undefined {
    return this.recipes.get(guid);
  }

  /** Makes a primitive again under the guid that it had, or a mesh from its file, as that is now. */
  async restore(where: string, guid: string, recipe: MeshRecipe, assets: Assets): Promise<void> {
    if (recipe?.shape === LOAD) {
      const path: unknown = recipe.options?.path;
      if (typeof path !== 'string') refuse(where, `the mesh ${guid}`, 'a load with the path of a file', path);
      await this.loadAs(`${where}: mesh ${guid}`, path, assets, guid);
      return;
    }
    if (!Object.hasOwn(SHAPES, recipe?.shape))
      refuse(
        where,
        `the mesh ${guid}`,
        `a shape of ${[...Object.keys(SHAPES), LOAD].join(', ')}`,
        recipe?.shape,
      );
    this.primitive(recipe, guid);
  }

  /** Frees every mesh. */
  destroyAll(): void {
    for (const guid of [...this.meshes.keys()]) this.destroy(guid);
  }

  private primitive(recipe: MeshRecipe, guid?: string): string {
    return this.stand(SHAPES[recipe.shape](recipe.options as never), recipe.shape, recipe, guid);
  }

  /** The reader of files comes with the first one. */
  private async loadAs(where: string, path: string, assets: Assets, guid?: string): Promise<string> {
    const { loadGltf } = await import('../gltf/gltfMesh.js');
    const geometry = await loadGltf(assets, where, path);
    return this.stand(geometry, path, { shape: LOAD, options: { path } }, guid);
  }

  /** Puts a mesh on the GPU, in buffers of its own. */
  private stand(
    { vertices, indices, bounds }: Geometry,
    label: string,
    recipe: MeshRecipe,
    guid?: string,
  ): string {
    const buffers: GpuBuffer[] = [];
    const buffer = (data: Float32Array | Uint32Array, what: string) => {
      const made = GpuBuffer.create(this.gpu, { data, label: `${label} ${what}` });
      buffers.push(made);
      return made;
    };
    try {
      const fields = { vertexBuffer: buffer(vertices, 'vertices'), indexBuffer: buffer(indices, 'indices') };
      const made = this.add(check('renderer.mesh.create', { ...fields, bounds }), guid);
      this.owned.set(made, buffers);
      this.recipes.set(made, recipe);
      return made;
    } catch (error) {
      for (const made of buffers) made.destroy();
      throw error;
    }
  }

  private add(checked: Checked, guid: string = crypto.randomUUID()): string {
    this.version++;
    this.meshes.set(guid, { guid, ...checked, binding: null });
    return guid;
  }
}

type Checked = Omit<Mesh, 'guid' | 'binding'>;

function check(where: string, fields: MeshFields): Checked {
  checkFields(where, fields, FIELDS);
  const { vertexBuffer, indexBuffer, ground = null } = fields;
  for (const [name, buffer] of Object.entries({ vertexBuffer, indexBuffer })) {
    if (!(buffer instanceof GpuBuffer)) refuse(where, name, 'a buffer of renderer.buffer.create', buffer);
    buffer.checkAlive(`${where}: ${name}`);
  }
  if (vertexBuffer.byteLength % VERTEX_BYTES !== 0)
    refuse(
      where,
      'vertexBuffer',
      `a whole number of vertices (${VERTEX_WORDS} words each)`,
      vertexBuffer.words,
    );
  const total = indexBuffer.words;
  const firstIndex = checkInteger(where, 'firstIndex', fields.firstIndex ?? 0, { min: 0, max: total });
  const rest = total - firstIndex;
  const indexCount = checkInteger(where, 'indexCount', fields.indexCount ?? rest, { min: 0, max: rest });
  if (indexCount % 3 !== 0) refuse(where, 'indexCount', 'a multiple of 3', indexCount);
  const castCount = checkInteger(where, 'castCount', fields.castCount ?? indexCount, { min: 0, max: rest });
  if (castCount % 3 !== 0) refuse(where, 'castCount', 'a multiple of 3', castCount);
  const bounds = checkBounds(where, 'bounds', fields.bounds);
  if (ground !== null) checkGround(where, ground);
  return { vertexBuffer, indexBuffer, firstIndex, indexCount, castCount, bounds, ground };
}

function checkGround(where: string, ground: GroundShading): void {
  const width = checkInteger(where, 'ground.width', ground.width, { min: 1 });
  const height = checkInteger(where, 'ground.height', ground.height, { min: 1 });
  if (ground.texels.size < width * height * 16)
    refuse(
      where,
      'ground.texels',
      `at least ${width * height * 16} bytes (width × height × 16)`,
      ground.texels.size,
    );
}

/** The box of the vertices that a mesh's range names, read back from the GPU. Refuses an index past the vertices and a place that is not finite. */
async function measure(where: string, mesh: Checked): Promise<Bounds> {
  const { vertexBuffer, indexBuffer, firstIndex, indexCount } = mesh;
  const [words, indices] = await Promise.all([
    vertexBuffer.read({ type: 'f32' }),
    indexBuffer.read({ first: firstIndex, count: indexCount, type: 'u32' }),
  ]);
  const vertices = words.length / VERTEX_WORDS;
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] >= vertices)
      throw new MoonscapeError(
        `${where}: index ${firstIndex + i} names vertex ${indices[i]}, and there are ${vertices} vertices`,
      );
    for (let axis = 0; axis < 3; axis++) {
      const place = words[indices[i] * VERTEX_WORDS + axis];
      if (!Number.isFinite(place))
        throw new MoonscapeError(`${where}: the position of vertex ${indices[i]} is not finite (${place})`);
      low[axis] = Math.min(low[axis], place);
      high[axis] = Math.max(high[axis], place);
    }
  }
  if (indices.length === 0) return { min: vec3(0, 0, 0), max: vec3(0, 0, 0) };
  return { min: vec3(low[0], low[1], low[2]), max: vec3(high[0], high[1], high[2]) };
}
