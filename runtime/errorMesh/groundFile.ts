// A simplified ground as a file for other programs: glTF 2.0 in one binary (.glb), by @gltf-transform/core, or Wavefront OBJ as text. Positions in
// metres, Y up, north (−Z) first; normals are the surface's own, texture places run over the rect from its −X, −Z corner.
import { Document, WebIO } from '@gltf-transform/core';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../renderer/vertex.js';
import type { SimplifiedGround } from './simplify.js';
import { verticesOf } from './vertices.js';

/** Lines of text that are put into bytes at a time. */
const LINES = 4096;
/** Up to so many vertices indices of two bytes will do. */
const SHORT = 65535;

/** The bytes of a .glb: one node at the rect's centre, so that single floats hold ground far from the origin, with one mesh. */
export async function groundToGlb(mesh: SimplifiedGround, name: string): Promise<Uint8Array> {
  const { lattice, stops, indices } = mesh;
  const { minX, minZ, maxX, maxZ } = lattice.field;
  const [x, z] = [(minX + maxX) / 2, (minZ + maxZ) / 2];
  const words = verticesOf(lattice, stops);
  const positions = new Float32Array(stops.length * 3);
  for (let k = 0; k < stops.length; k++) {
    positions[3 * k] = lattice.worldX[stops[k] % lattice.cols] - x;
    positions[3 * k + 1] = lattice.heights[stops[k]];
    positions[3 * k + 2] = lattice.worldZ[Math.floor(stops[k] / lattice.cols)] - z;
  }
  const document = new Document();
  document.getRoot().getAsset().generator = 'moonscape';
  const buffer = document.createBuffer();
  const accessor = (type: 'VEC2' | 'VEC3' | 'SCALAR', data: Float32Array | Uint16Array | Uint32Array) =>
    document
      .createAccessor()
      .setType(type)
      .setArray(data as Float32Array<ArrayBuffer>)
      .setBuffer(buffer);
  const material = document.createMaterial('ground').setRoughnessFactor(0.95).setMetallicFactor(0);
  material.setBaseColorFactor([0.42, 0.4, 0.34, 1]);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', positions))
    .setAttribute('NORMAL', accessor('VEC3', partOf(words, VERTEX_OFFSET.normal, 3)))
    .setAttribute('TEXCOORD_0', accessor('VEC2', partOf(words, VERTEX_OFFSET.uv0, 2)))
    .setIndices(accessor('SCALAR', stops.length <= SHORT ? Uint16Array.from(indices) : indices))
    .setMaterial(material);
  const node = document.createNode(name).setTranslation([x, 0, z]);
  node.setMesh(document.createMesh(name).addPrimitive(primitive));
  document.createScene(name).addChild(node);
  return new WebIO().writeBinary(document);
}

/** The bytes of a .obj, whose texture places run upwards, as that format has them. */
export function groundToObj(mesh: SimplifiedGround, name: string): Uint8Array {
  const { lattice, stops, indices } = mesh;
  const words = verticesOf(lattice, stops);
  const text = new TextBytes();
  text.line(`# ${stops.length} vertices, ${indices.length / 3} triangles, metres, Y up`);
  text.line(`o ${name.replace(/\s+/g, '_') || 'ground'}`);
  for (const stop of stops) {
    const x = lattice.worldX[stop % lattice.cols];
    const z = lattice.worldZ[Math.floor(stop / lattice.cols)];
    text.line(`v ${x} ${lattice.heights[stop]} ${z}`);
  }
  const number = (word: number) => Number(words[word].toFixed(6));
  for (let at = 0; at < words.length; at += VERTEX_WORDS) {
    const uv = at + VERTEX_OFFSET.uv0;
    text.line(`vt ${number(uv)} ${Number((1 - words[uv + 1]).toFixed(6))}`);
  }
  for (let at = VERTEX_OFFSET.normal; at < words.length; at += VERTEX_WORDS)
    text.line(`vn ${number(at)} ${number(at + 1)} ${number(at + 2)}`);
  const corner = (k: number) => {
    const vertex = indices[k] + 1;
    return `${vertex}/${vertex}/${vertex}`;
  };
  for (let k = 0; k < indices.length; k += 3) text.line(`f ${corner(k)} ${corner(k + 1)} ${corner(k + 2)}`);
  return text.bytes();
}

/** `count` words of each vertex from `first` on. */
function partOf(words: Float32Array, first: number, count: number): Float32Array {
  const part = new Float32Array((words.length / VERTEX_WORDS) * count);
  for (let at = first, k = 0; at < words.length; at += VERTEX_WORDS)
    for (let c = 0; c < count; c++) part[k++] = words[at + c];
  return part;
}

/** Lines as UTF-8, in pieces: all of a large mesh would be longer than a string may be. */
class TextBytes {
  private readonly pieces: Uint8Array[] = [];
  private lines: string[] = [];

  line(text: string): void {
    this.lines.push(text);
    if (this.lines.length >= LINES) this.flush();
  }

  bytes(): Uint8Array {
    this.flush();
    const all = new Uint8Array(this.pieces.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const piece of this.pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return all;
  }

  private flush(): void {
    if (this.lines.length > 0) this.pieces.push(new TextEncoder().encode(`${this.lines.join('\n')}\n`));
    this.lines = [];
  }
}
