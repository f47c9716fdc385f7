// A glTF file as one mesh: every primitive of its scene where its node places it, in the engine's vertices. Accessors are decoded by
// @gltf-transform/core, which is loaded with the first file. Called by MeshStore.load.
import type { Accessor } from '@gltf-transform/core';
import type { Assets } from '../assets/assets.js';
import { MoonscapeError, refuse } from '../errors.js';
import type { Geometry } from '../renderer/primitives.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../renderer/vertex.js';
import { vec3 } from '../world/vector.js';
import { readGltf } from './gltfFile.js';
import { readScene, type Matrix, type SceneData, type ScenePrimitive, type Topology } from './gltfScene.js';
import {
  across,
  anyAcross,
  mendNormals,
  unit,
  withFlatNormals,
  withTangents,
  type Rows,
} from './tangents.js';

/** Reads all triangles of a file's scene. Refuses a file that is cut or wrong, naming it and the part; `where` names the caller. */
export async function loadGltf(assets: Assets, where: string, path: string): Promise<Geometry> {
  const file = await readGltf(assets, where, path);
  const scene = await readScene(file);
  const read = await decode(file.at, scene);
  const local = new Map(scene.primitives.map((primitive) => [primitive, rowsOf(file.at, primitive, read)]));
  const geometry = merge(
    scene.placed.map(({ primitive, matrix }) => place(file.at, primitive, local.get(primitive)!, matrix)),
  );
  if (geometry.indices.length === 0)
    throw new MoonscapeError(`${file.at} must have triangles in its scene, and there are none`);
  return geometry;
}

/** Numbers by the number of their accessor, with how many an element has. */
type Read = (accessor: number) => { values: ArrayLike<number>; size: number };

/** Hands the checked parts to the library, as a document of accessors alone. */
async function decode(at: string, { accessors, bufferViews, buffers }: SceneData): Promise<Read> {
  const { Logger, WebIO } = await import('@gltf-transform/core');
  const uri = (index: number) => `${index}.bin`;
  let list: Accessor[];
  try {
    const document = await new WebIO().setLogger(new Logger(Logger.Verbosity.SILENT)).readJSON({
      json: {
        asset: { version: '2.0' },
        buffers: buffers.map(({ byteLength }, i) => ({ byteLength, uri: uri(i) })),
        bufferViews,
        accessors,
      },
      resources: Object.fromEntries(buffers.map((bytes, i) => [uri(i), bytes])),
    });
    list = document.getRoot().listAccessors();
  } catch (cause) {
    throw new MoonscapeError(`${at} cannot be decoded: ${(cause as Error).message}`, { cause });
  }
  return (index) => {
    const accessor = list[index];
    const size = accessor.getElementSize();
    const raw = accessor.getArray()!;
    if (!accessor.getNormalized()) return { values: raw, size };
    const values = new Float32Array(raw.length);
    const element: number[] = [];
    for (let i = 0; i < accessor.getCount(); i++) values.set(accessor.getElement(i, element), i * size);
    return { values, size };
  };
}

/** A primitive's vertices and triangles in its own space, with normals and tangents. */
function rowsOf(at: string, primitive: ScenePrimitive, read: Read): Rows {
  const { name, attributes } = primitive;
  const values = (semantic: string) => {
    if (attributes[semantic] === undefined) return null;
    const found = read(attributes[semantic]);
    for (let i = 0; i < found.values.length; i++)
      if (!Number.isFinite(found.values[i]))
        throw new MoonscapeError(
          `${at}: ${name}.attributes.${semantic} must be finite, and element ${Math.floor(i / found.size)} holds ${found.values[i]}`,
        );
    return found;
  };
  const positions = values('POSITION')!;
  const count = positions.values.length / 3;
  const vertices = new Float32Array(count * VERTEX_WORDS);
  const put = (found: ReturnType<typeof values>, offset: number) => {
    if (!found) return;
    const { values: from, size } = found;
    for (let i = 0; i < count; i++)
      for (let part = 0; part < size; part++)
        vertices[i * VERTEX_WORDS + offset + part] = from[i * size + part];
  };
  for (let i = 0; i < count; i++)
    vertices.fill(1, i * VERTEX_WORDS + VERTEX_OFFSET.color, i * VERTEX_WORDS + VERTEX_OFFSET.color + 4);
  const uv = values('TEXCOORD_0');
  put(positions, VERTEX_OFFSET.position);
  put(values('NORMAL'), VERTEX_OFFSET.normal);
  put(uv, VERTEX_OFFSET.uv0);
  put(values('TEXCOORD_1') ?? uv, VERTEX_OFFSET.uv1);
  put(values('COLOR_0'), VERTEX_OFFSET.color);
  const joints = values('JOINTS_0');
  const weights = values('WEIGHTS_0');
  if (joints && weights) {
    put(weights, VERTEX_OFFSET.weights);
    putJoints(at, name, vertices, joints.values);
  }
  const rows = { vertices, indices: trianglesOf(at, primitive, read, count) };
  // As glTF asks, tangents count only beside normals.
  if (attributes.NORMAL === undefined) return withTangents(withFlatNormals(rows));
  mendNormals(rows);
  const tangents = values('TANGENT');
  if (!tangents) return withTangents(rows);
  put(tangents, VERTEX_OFFSET.tangent);
  for (let i = 0; i < count; i++) {
    const word = i * VERTEX_WORDS + VERTEX_OFFSET.tangent;
    const normal = vertices.subarray(i * VERTEX_WORDS + 3, i * VERTEX_WORDS + 6);
    vertices.set(unit(across(vertices.subarray(word, word + 3), normal)) ?? anyAcross(normal), word);
    vertices[word + 3] = vertices[word + 3] < 0 ? -1 : 1;
  }
  return rows;
}

/** Four joint numbers of a byte each, in one word. */
function putJoints(
  at: string,
  name: string,
  vertices: Float32Array<ArrayBuffer>,
  joints: ArrayLike<number>,
): void {
  const bytes = new Uint8Array(vertices.buffer);
  for (let i = 0; i < joints.length; i++) {
    if (joints[i] > 255)
      refuse(
        at,
        `${name}.attributes.JOINTS_0`,
        'of numbers in 0..255, which is what a vertex holds',
        joints[i],
      );
    bytes[((i >> 2) * VERTEX_WORDS + VERTEX_OFFSET.joints) * 4 + (i & 3)] = joints[i];
  }
}

/** Three vertices a triangle. Strips and fans are taken apart, without the triangles that only turn them around. */
function trianglesOf(
  at: string,
  { name, indices, topology }: ScenePrimitive,
  read: Read,
  count: number,
): Uint32Array<ArrayBuffer> {
  const corners =
    indices === null
      ? Uint32Array.from({ length: count }, (_, i) => i)
      : Uint32Array.from(read(indices).values);
  for (let i = 0; i < corners.length; i++)
    if (corners[i] >= count)
      throw new MoonscapeError(
        `${at}: ${name}.indices: element ${i} names vertex ${corners[i]}, and there are ${count} vertices`,
      );
  if (topology === 'list') {
    if (corners.length % 3 !== 0)
      refuse(
        at,
        `${name}${indices === null ? '.attributes.POSITION' : '.indices'}`,
        'of a multiple of 3 elements',
        corners.length,
      );
    return corners;
  }
  const triangles: number[] = [];
  for (let i = 0; i + 2 < corners.length; i++) {
    const [a, b, c] = CORNERS[topology](i).map((corner) => corners[corner]);
    if (a !== b && b !== c && c !== a) triangles.push(a, b, c);
  }
  return Uint32Array.from(triangles);
}

/** Which corners make triangle i, as glTF orders them. */
const CORNERS: Readonly<Record<Exclude<Topology, 'list'>, (i: number) => number[]>> = {
  strip: (i) => [i, i + 1 + (i % 2), i + 2 - (i % 2)],
  fan: (i) => [i + 1, i + 2, 0],
};

/** A primitive's rows where a node places them. A mirroring node turns triangles around and changes the tangents' hand. */
function place(at: string, { name }: ScenePrimitive, { vertices, indices }: Rows, m: Matrix): Rows {
  const placed = vertices.slice();
  // The normals' matrix: cofactors, which are the inverse's transpose but for the size and, where it mirrors, the sign.
  const cofactor = (i: number, j: number) => {
    const [a, b, c, d] = [(i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3];
    return m[c * 4 + a] * m[d * 4 + b] - m[d * 4 + a] * m[c * 4 + b];
  };
  const cofactors = Array.from({ length: 9 }, (_, k) => cofactor(k % 3, Math.floor(k / 3)));
  const determinant = m[0] * cofactors[0] + m[4] * cofactors[3] + m[8] * cofactors[6];
  const mirrors = determinant < 0;
  const turn = (v: Float32Array, by: readonly number[], columns: number) =>
    [0, 1, 2].map((row) => by[row] * v[0] + by[columns + row] * v[1] + by[2 * columns + row] * v[2]);
  for (let from = 0; from < placed.length; from += VERTEX_WORDS) {
    const part = (offset: number) => vertices.subarray(from + offset, from + offset + 3);
    const spot = turn(part(VERTEX_OFFSET.position), m, 4).map((value, axis) =>
      Math.fround(value + m[12 + axis]),
    );
    if (!spot.every(Number.isFinite))
      throw new MoonscapeError(`${at}: ${name} stands past what float32 holds, at ${spot.join(', ')}`);
    const facing = turn(part(VERTEX_OFFSET.normal), cofactors, 3).map((value) => (mirrors ? -value : value));
    const normal = unit(facing) ?? [0, 1, 0];
    const tangent = unit(across(turn(part(VERTEX_OFFSET.tangent), m, 4), normal)) ?? anyAcross(normal);
    placed.set(spot, from + VERTEX_OFFSET.position);
    placed.set(normal, from + VERTEX_OFFSET.normal);
    placed.set(tangent, from + VERTEX_OFFSET.tangent);
    if (mirrors) placed[from + VERTEX_OFFSET.tangent + 3] *= -1;
  }
  if (!mirrors) return { vertices: placed, indices };
  const turned = indices.slice();
  for (let i = 0; i < turned.length; i += 3)
    [turned[i + 1], turned[i + 2]] = [indices[i + 2], indices[i + 1]];
  return { vertices: placed, indices: turned };
}

/** All parts one after the other, and the box of what their triangles use. */
function merge(parts: readonly Rows[]): Geometry {
  const total = (list: 'vertices' | 'indices') => parts.reduce((sum, part) => sum + part[list].length, 0);
  const vertices = new Float32Array(total('vertices'));
  const indices = new Uint32Array(total('indices'));
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let [words, corners] = [0, 0];
  for (const part of parts) {
    vertices.set(part.vertices, words);
    const first = words / VERTEX_WORDS;
    for (const row of part.indices) {
      for (let axis = 0; axis < 3; axis++) {
        const place = part.vertices[row * VERTEX_WORDS + axis];
        low[axis] = Math.min(low[axis], place);
        high[axis] = Math.max(high[axis], place);
      }
      indices[corners++] = first + row;
    }
    words += part.vertices.length;
  }
  const bounds = { min: vec3(low[0], low[1], low[2]), max: vec3(high[0], high[1], high[2]) };
  return { vertices, indices, bounds };
}
