// glTF files for specs, written byte by byte: accessors of any format into one buffer, the JSON around them, and the three ways in
// which a file carries its buffer.
import { Buffer } from 'node:buffer';
import { Assets } from '../../runtime/assets/assets.js';
import { loadGltf } from '../../runtime/gltf/gltfMesh.js';
import type { Geometry } from '../../runtime/renderer/primitives.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { Files } from './layers.js';

type Json = Record<string, unknown>;

const BYTES: Readonly<Record<number, number>> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const SIZES: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

export interface AccessorFormat {
  type?: 'SCALAR' | 'VEC2' | 'VEC3' | 'VEC4';
  /** 5120 byte, 5121 unsigned byte, 5122 short, 5123 unsigned short, 5125 unsigned int, 5126 float (default). */
  component?: number;
  normalized?: boolean;
  /** Bytes from element to element; default tight. */
  stride?: number;
}

export class GltfWriter {
  readonly accessors: Json[] = [];
  readonly bufferViews: Json[] = [];
  private bytes: number[] = [];

  /** Writes values into a view of their own; answers its number. */
  view(values: readonly number[], { type = 'VEC3', component = 5126, stride }: AccessorFormat = {}): number {
    while (this.bytes.length % 4 !== 0) this.bytes.push(0xee);
    const [size, width] = [SIZES[type], BYTES[component]];
    const step = stride ?? size * width;
    const count = values.length / size;
    const view = new DataView(new ArrayBuffer((count - 1) * step + size * width));
    values.forEach((value, i) => {
      const at = Math.floor(i / size) * step + (i % size) * width;
      if (component === 5126) view.setFloat32(at, value, true);
      else if (width === 1) view.setUint8(at, value);
      else if (width === 2) view.setUint16(at, value, true);
      else view.setUint32(at, value, true);
    });
    const byteOffset = this.bytes.length;
    for (let i = 0; i < view.byteLength; i++) this.bytes.push(view.getUint8(i));
    return (
      this.bufferViews.push({
        ...{ buffer: 0, byteOffset, byteLength: view.byteLength },
        ...(stride ? { byteStride: stride } : {}),
      }) - 1
    );
  }

  /** Writes values as an accessor; answers its number. */
  accessor(values: readonly number[], format: AccessorFormat = {}): number {
    const { type = 'VEC3', component = 5126, normalized } = format;
    const bufferView = this.view(values, format);
    return (
      this.accessors.push({
        ...{ bufferView, type, componentType: component, count: values.length / SIZES[type] },
        ...(normalized ? { normalized } : {}),
        ...(type === 'VEC3' ? rangeOf(values) : {}),
      }) - 1
    );
  }

  /** The JSON around primitives: one mesh at one node, unless `more` says otherwise. */
  json(primitives: Json[], more: Json = {}): Json {
    return {
      asset: { version: '2.0' },
      scene: 0,
      scenes: [{ nodes: [0] }],
      nodes: [{ mesh: 0 }],
      meshes: [{ primitives }],
      accessors: this.accessors,
      bufferViews: this.bufferViews,
      buffers: [{ byteLength: this.bytes.length }],
      ...more,
    };
  }

  get data(): Uint8Array {
    return Uint8Array.from(this.bytes);
  }
}

/** What glTF asks of an accessor of places. */
function rangeOf(values: readonly number[]): { min: number[]; max: number[] } {
  const [min, max] = [[0, 1, 2].map(() => Infinity), [0, 1, 2].map(() => -Infinity)];
  values.forEach((value, i) => {
    min[i % 3] = Math.min(min[i % 3], value);
    max[i % 3] = Math.max(max[i % 3], value);
  });
  return { min, max };
}

/** A .gltf whose buffer is named by `uri`, or written into it. */
export function textFile(json: Json, buffer: Uint8Array | string): Uint8Array {
  const uri =
    typeof buffer === 'string'
      ? buffer
      : `data:application/octet-stream;base64,${Buffer.from(buffer).toString('base64')}`;
  return new TextEncoder().encode(
    JSON.stringify({ ...json, buffers: [{ ...(json.buffers as Json[])[0], uri }] }),
  );
}

/** A .glb of a JSON chunk and, where there are `bytes`, a binary one. */
export function container(json: Json, bytes: Uint8Array | null, version = 2): Uint8Array {
  const chunk = (kind: number, data: Uint8Array, filler: number) => {
    const padded = Math.ceil(data.length / 4) * 4;
    const out = new Uint8Array(8 + padded).fill(filler);
    new DataView(out.buffer).setUint32(0, padded, true);
    new DataView(out.buffer).setUint32(4, kind, true);
    out.set(data, 8);
    return out;
  };
  const chunks = [chunk(0x4e4f534a, new TextEncoder().encode(JSON.stringify(json)), 0x20)];
  if (bytes) chunks.push(chunk(0x004e4942, bytes, 0));
  const length = chunks.reduce((sum, { length }) => sum + length, 12);
  const out = new Uint8Array(length);
  const view = new DataView(out.buffer);
  [0x46546c67, version, length].forEach((word, i) => view.setUint32(i * 4, word, true));
  let at = 12;
  for (const part of chunks) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Loads a file that stands in memory beside `others`. */
export async function load(
  file: Uint8Array,
  others: Record<string, Uint8Array> = {},
  path = 'models/a.gltf',
) {
  const files = new Files();
  files.stored.set(path.replace('/zero/source', 'source'), file);
  for (const [name, bytes] of Object.entries(others)) files.stored.set(name, bytes);
  return loadGltf(new Assets(files), 'renderer.mesh.load', path);
}

export const SQUARE = [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0];
export const CORNERS = [0, 1, 2, 0, 2, 3];

/** A square in XY that faces +Z, of places and indices alone. */
export function square(format: AccessorFormat = { component: 5123 }) {
  const writer = new GltfWriter();
  const attributes: Json = { POSITION: writer.accessor(SQUARE) };
  const indices = writer.accessor(CORNERS, { type: 'SCALAR', ...format });
  return { writer, primitive: { attributes, indices } as Json };
}

/** An attribute of one vertex. */
export const part = ({ vertices }: Geometry, row: number, name: keyof typeof VERTEX_OFFSET, count: number) =>
  Array.from(
    vertices.subarray(
      row * VERTEX_WORDS + VERTEX_OFFSET[name],
      row * VERTEX_WORDS + VERTEX_OFFSET[name] + count,
    ),
  );
/** An attribute of every vertex. */
export const column = (geometry: Geometry, name: keyof typeof VERTEX_OFFSET, count: number) =>
  Array.from({ length: geometry.vertices.length / VERTEX_WORDS }, (_, row) =>
    part(geometry, row, name, count),
  );
/** What the file of a whole geometry would be, tangents left out unless asked. */
export function fileOf(shape: Geometry, { normals = true, tangents = false } = {}) {
  const writer = new GltfWriter();
  const attributes: Json = {
    POSITION: writer.accessor(column(shape, 'position', 3).flat()),
    TEXCOORD_0: writer.accessor(column(shape, 'uv0', 2).flat(), { type: 'VEC2' }),
  };
  if (normals) attributes.NORMAL = writer.accessor(column(shape, 'normal', 3).flat());
  if (tangents) attributes.TANGENT = writer.accessor(column(shape, 'tangent', 4).flat(), { type: 'VEC4' });
  const indices = writer.accessor([...shape.indices], { type: 'SCALAR', component: 5125 });
  return container(writer.json([{ attributes, indices }]), writer.data);
}
