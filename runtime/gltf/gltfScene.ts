// What a glTF file's scene draws: each primitive with the place that its node has, and the accessors that it reads, checked
// against the bytes that are there. After "glTF 2.0" by Khronos, sections 3.5 to 3.7.
import type { GLTF } from '@gltf-transform/core';
import { checkInteger, MoonscapeError, refuse } from '../errors.js';
import { asPart, checkIndex, partsOf, type GltfFile, type Part } from './gltfFile.js';

/** 16 numbers, column-major. */
export type Matrix = readonly number[];

/** How a primitive's corners make triangles. */
export type Topology = 'list' | 'strip' | 'fan';

export interface ScenePrimitive {
  /** `meshes[0].primitives[2]`, for messages. */
  name: string;
  topology: Topology;
  /** Numbers of SceneData.accessors, by semantic; POSITION is always there. */
  attributes: Readonly<Record<string, number>>;
  indices: number | null;
}

export interface SceneData {
  primitives: ScenePrimitive[];
  /** Each primitive of a node; one mesh may stand at several nodes. */
  placed: { primitive: ScenePrimitive; matrix: Matrix }[];
  /** What the primitives read, with the views and buffers that these need, numbered anew. */
  accessors: GLTF.IAccessor[];
  bufferViews: GLTF.IBufferView[];
  buffers: Uint8Array<ArrayBuffer>[];
}

const IDENTITY: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
/** By primitive.mode. */
const MODES: readonly (Topology | { name: string })[] = [
  { name: 'points' },
  { name: 'lines' },
  { name: 'a line loop' },
  { name: 'a line strip' },
  'list',
  'strip',
  'fan',
];
/** Which types an attribute may have. Others of a file are not read. */
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  POSITION: ['VEC3'],
  NORMAL: ['VEC3'],
  TANGENT: ['VEC4'],
  TEXCOORD_0: ['VEC2'],
  TEXCOORD_1: ['VEC2'],
  COLOR_0: ['VEC3', 'VEC4'],
  JOINTS_0: ['VEC4'],
  WEIGHTS_0: ['VEC4'],
};
const COMPONENTS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const COMPONENT_BYTES: Readonly<Record<number, number>> = {
  5120: 1,
  5121: 1,
  5122: 2,
  5123: 2,
  5125: 4,
  5126: 4,
};
const UNSIGNED: readonly number[] = [5121, 5123, 5125];
/** Elements of an accessor: past this no buffer of vertices holds them. */
const MOST_ELEMENTS = 2 ** 25;

/** Reads the scene of a file: its `scene`, else its first, else all nodes that nobody has for a child. */
export async function readScene(file: GltfFile): Promise<SceneData> {
  const reader = new SceneReader(file);
  const placed: SceneData['placed'] = [];
  for (const { mesh, matrix } of placedMeshes(file))
    for (const primitive of await reader.primitivesOf(mesh)) placed.push({ primitive, matrix });
  const { primitives, accessors, bufferViews, buffers } = reader;
  return { primitives, placed, accessors, bufferViews, buffers };
}

/** The meshes that the scene's nodes carry, by number, with their nodes' matrices in the scene. */
function placedMeshes({ at, json }: GltfFile): { mesh: number; matrix: Matrix }[] {
  const [nodes, meshes] = [partsOf(at, json, 'nodes'), partsOf(at, json, 'meshes')];
  const childrenOf = (part: Part, name: string, list: 'children' | 'nodes'): number[] => {
    const children = part[list] ?? [];
    if (!Array.isArray(children)) refuse(at, `${name}.${list}`, 'a list', children);
    return children.map((child, i) => checkIndex(at, `${name}.${list}[${i}]`, child, nodes));
  };
  const placed: { mesh: number; matrix: Matrix }[] = [];
  const seen = new Set<number>();
  const open = rootsOf({ at, json }, nodes, childrenOf).map((index) => ({ index, parent: IDENTITY }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { index, parent } = next;
    const name = `nodes[${index}]`;
    if (seen.has(index))
      throw new MoonscapeError(`${at}: ${name} has two parents, or stands among its own children`);
    seen.add(index);
    const matrix = multiply(parent, matrixOf(at, name, nodes[index]));
    const { mesh, skin } = nodes[index];
    // The joints of a skinned mesh place it, not its node.
    if (mesh !== undefined)
      placed.push({
        mesh: checkIndex(at, `${name}.mesh`, mesh, meshes),
        matrix: skin === undefined ? matrix : IDENTITY,
      });
    const children = childrenOf(nodes[index], name, 'children');
    for (const child of children.reverse()) open.push({ index: child, parent: matrix });
  }
  return placed;
}

function rootsOf(
  { at, json }: Pick<GltfFile, 'at' | 'json'>,
  nodes: Part[],
  childrenOf: (part: Part, name: string, list: 'children' | 'nodes') => number[],
): number[] {
  const scenes = partsOf(at, json, 'scenes');
  const given = json.scene === undefined ? 0 : checkIndex(at, 'scene', json.scene, scenes);
  if (scenes.length > 0) return childrenOf(scenes[given], `scenes[${given}]`, 'nodes').reverse();
  const children = new Set(nodes.flatMap((node, i) => childrenOf(node, `nodes[${i}]`, 'children')));
  return nodes.flatMap((_, i) => (children.has(i) ? [] : [i])).reverse();
}

/** A node's own matrix, or that of its translation, rotation (a quaternion) and scale. */
function matrixOf(at: string, name: string, node: Part): Matrix {
  const numbers = (part: string, standing: Matrix): Matrix => {
    const list = node[part] ?? standing;
    if (!Array.isArray(list) || list.length !== standing.length || !list.every(Number.isFinite))
      refuse(at, `${name}.${part}`, `a list of ${standing.length} finite numbers`, list);
    return list as number[];
  };
  if (node.matrix !== undefined) return numbers('matrix', IDENTITY);
  const [tx, ty, tz] = numbers('translation', [0, 0, 0]);
  const [x, y, z, w] = numbers('rotation', [0, 0, 0, 1]);
  const [sx, sy, sz] = numbers('scale', [1, 1, 1]);
  const column = (a: number, b: number, c: number, s: number) => [a * s, b * s, c * s, 0];
  return [
    ...column(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), sx),
    ...column(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), sy),
    ...column(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), sz),
    ...[tx, ty, tz, 1],
  ];
}

function multiply(a: Matrix, b: Matrix): Matrix {
  return IDENTITY.map((_, i) => {
    const [row, column] = [i & 3, i & ~3];
    let sum = 0;
    for (let k = 0; k < 4; k++) sum += a[k * 4 + row] * b[column + k];
    return sum;
  });
}

/** Takes primitives, and what they read, out of a file: each mesh, accessor, view and buffer once. */
class SceneReader {
  readonly primitives: ScenePrimitive[] = [];
  readonly accessors: GLTF.IAccessor[] = [];
  readonly bufferViews: GLTF.IBufferView[] = [];
  readonly buffers: Uint8Array<ArrayBuffer>[] = [];
  private readonly meshes = new Map<number, ScenePrimitive[]>();
  private readonly numbers = { accessors: new Map<number, number>(), views: new Map<number, number>() };
  private readonly bufferNumbers = new Map<number, number>();
  private readonly lists: Readonly<Record<'meshes' | 'accessors' | 'bufferViews' | 'buffers', Part[]>>;

  constructor(private readonly file: GltfFile) {
    const list = (name: string) => partsOf(file.at, file.json, name);
    this.lists = {
      meshes: list('meshes'),
      accessors: list('accessors'),
      bufferViews: list('bufferViews'),
      buffers: list('buffers'),
    };
  }

  async primitivesOf(mesh: number): Promise<ScenePrimitive[]> {
    const known = this.meshes.get(mesh);
    if (known) return known;
    const { at } = this.file;
    const made: ScenePrimitive[] = [];
    const parts = partsOf(at, this.lists.meshes[mesh], 'primitives');
    for (const [i, part] of parts.entries())
      made.push(await this.primitive(`meshes[${mesh}].primitives[${i}]`, part));
    this.meshes.set(mesh, made);
    this.primitives.push(...made);
    return made;
  }

  private async primitive(name: string, part: Part): Promise<ScenePrimitive> {
    const { at } = this.file;
    const mode = checkInteger(at, `${name}.mode`, part.mode ?? 4, { min: 0, max: 6 });
    const topology = MODES[mode];
    if (typeof topology !== 'string')
      throw new MoonscapeError(`${at}: ${name} is of ${topology.name}; a mesh is made of triangles alone`);
    const given = asPart(at, `${name}.attributes`, part.attributes);
    if (given.POSITION === undefined) refuse(at, `${name}.attributes.POSITION`, 'given', undefined);
    const attributes: Record<string, number> = {};
    for (const [semantic, types] of Object.entries(ATTRIBUTES)) {
      if (given[semantic] === undefined) continue;
      const label = `${name}.attributes.${semantic}`;
      const number = await this.accessor(label, given[semantic], types);
      attributes[semantic] = number;
      const [own, all] = [number, attributes.POSITION].map((i) => this.accessors[i].count);
      if (own !== all) refuse(at, label, `of as many elements as POSITION has (${all})`, own);
    }
    let indices: number | null = null;
    if (part.indices !== undefined) {
      indices = await this.accessor(`${name}.indices`, part.indices, ['SCALAR']);
      const { componentType, normalized } = this.accessors[indices];
      if (!UNSIGNED.includes(componentType) || normalized)
        refuse(
          at,
          `${name}.indices`,
          'of whole numbers without sign (5121, 5123 or 5125), not normalized',
          componentType,
        );
    }
    return { name, topology, attributes, indices };
  }

  /** Checks an accessor of the file and takes it; answers its new number. `label` is what names it. */
  private async accessor(label: string, value: unknown, types: readonly string[]): Promise<number> {
    const { at, json } = this.file;
    const list = this.lists.accessors;
    const index = checkIndex(at, label, value, list);
    const known = this.numbers.accessors.get(index);
    const part = list[index];
    const type = part.type as GLTF.AccessorType;
    if (!types.includes(type)) refuse(at, `${label}: accessors[${index}].type`, types.join(' or '), type);
    if (known !== undefined) return known;
    const name = `accessors[${index}]`;
    const count = checkInteger(at, `${name}.count`, part.count, { min: 1, max: MOST_ELEMENTS });
    const componentType = checkComponent(at, name, part.componentType);
    const element = COMPONENTS[type] * COMPONENT_BYTES[componentType];
    const made: GLTF.IAccessor = { type, count, componentType, normalized: part.normalized === true };
    if (part.bufferView !== undefined) Object.assign(made, await this.range(name, part, { count, element }));
    if (part.sparse !== undefined) made.sparse = await this.sparse(name, asPart(at, name, part.sparse), made);
    else if (part.bufferView === undefined && hasDraco(json))
      throw new MoonscapeError(
        `${at}: ${name} has its data in KHR_draco_mesh_compression alone, which is not read here`,
      );
    const number = this.accessors.push(made) - 1;
    this.numbers.accessors.set(index, number);
    return number;
  }

  /** Where elements lie, checked against the view's length; the offset is always given. */
  private async range(
    name: string,
    part: Part,
    { count, element }: { count: number; element: number },
  ): Promise<{ bufferView: number; byteOffset: number }> {
    const { at } = this.file;
    const views = this.lists.bufferViews;
    const index = checkIndex(at, `${name}.bufferView`, part.bufferView, views);
    const bufferView = await this.view(index, views[index]);
    const byteOffset = checkInteger(at, `${name}.byteOffset`, part.byteOffset ?? 0, { min: 0 });
    const { byteLength, byteStride = element } = this.bufferViews[bufferView];
    const end = byteOffset + (count - 1) * byteStride + element;
    if (end > byteLength)
      throw new MoonscapeError(
        `${at}: ${name} runs to byte ${end} of bufferViews[${index}], which has ${byteLength}`,
      );
    return { bufferView, byteOffset };
  }

  private async view(index: number, part: Part): Promise<number> {
    const known = this.numbers.views.get(index);
    if (known !== undefined) return known;
    const { at } = this.file;
    const name = `bufferViews[${index}]`;
    const number = checkIndex(at, `${name}.buffer`, part.buffer, this.lists.buffers);
    const byteOffset = checkInteger(at, `${name}.byteOffset`, part.byteOffset ?? 0, { min: 0 });
    const byteLength = checkInteger(at, `${name}.byteLength`, part.byteLength, { min: 1 });
    if (part.byteStride !== undefined)
      checkInteger(at, `${name}.byteStride`, part.byteStride, { min: 4, max: 252 });
    const bytes = await this.file.buffer(number);
    if (byteOffset + byteLength > bytes.length)
      throw new MoonscapeError(
        `${at}: ${name} runs to byte ${byteOffset + byteLength} of buffers[${number}], which has ${bytes.length}`,
      );
    let buffer = this.bufferNumbers.get(number);
    if (buffer === undefined) this.bufferNumbers.set(number, (buffer = this.buffers.push(bytes) - 1));
    const made: GLTF.IBufferView = { buffer, byteOffset, byteLength };
    if (part.byteStride !== undefined) made.byteStride = part.byteStride as number;
    const view = this.bufferViews.push(made) - 1;
    this.numbers.views.set(index, view);
    return view;
  }

  /** The overriding values of an accessor: how many, for which elements, and what. */
  private async sparse(name: string, part: Part, accessor: GLTF.IAccessor): Promise<GLTF.IAccessorSparse> {
    const { at } = this.file;
    const count = checkInteger(at, `${name}.sparse.count`, part.count, { min: 1, max: accessor.count });
    const [indices, values] = (['indices', 'values'] as const).map((key) =>
      asPart(at, `${name}.sparse.${key}`, part[key]),
    );
    const componentType = checkComponent(at, `${name}.sparse.indices`, indices.componentType);
    if (!UNSIGNED.includes(componentType))
      refuse(at, `${name}.sparse.indices.componentType`, '5121, 5123 or 5125', componentType);
    const element = COMPONENT_BYTES[componentType];
    const where = await this.range(`${name}.sparse.indices`, indices, { count, element });
    const size = COMPONENTS[accessor.type] * COMPONENT_BYTES[accessor.componentType];
    const what = await this.range(`${name}.sparse.values`, values, { count, element: size });
    const { buffer, byteOffset = 0 } = this.bufferViews[where.bufferView];
    const bytes = this.buffers[buffer].subarray(byteOffset + where.byteOffset);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < count; i++) {
      const index =
        element === 1
          ? view.getUint8(i)
          : element === 2
            ? view.getUint16(i * 2, true)
            : view.getUint32(i * 4, true);
      if (index >= accessor.count)
        throw new MoonscapeError(
          `${at}: ${name}.sparse overrides element ${index}, and there are ${accessor.count}`,
        );
    }
    return { count, indices: { ...where, componentType }, values: what };
  }
}

function checkComponent(at: string, name: string, value: unknown): GLTF.AccessorComponentType {
  if (COMPONENT_BYTES[value as number] === undefined)
    refuse(at, `${name}.componentType`, `one of ${Object.keys(COMPONENT_BYTES).join(', ')}`, value);
  return value as GLTF.AccessorComponentType;
}

const hasDraco = ({ extensionsUsed }: Part): boolean =>
  Array.isArray(extensionsUsed) && extensionsUsed.includes('KHR_draco_mesh_compression');
