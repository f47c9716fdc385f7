// The triangles of meshes on the CPU, for colliders of shape mesh: read back from the GPU when one first asks, kept as long as one
// asks, and read again when the mesh under the guid is another.
import { MoonscapeError } from '../errors.js';
import type { Mesh, MeshStore } from '../renderer/meshStore.js';
import { VERTEX_WORDS } from '../renderer/vertex.js';
import type { MeshTriangles } from './solid.js';

interface Entry {
  mesh: Mesh;
  /** A name for these very triangles. */
  name: string;
  triangles: MeshTriangles;
}

const NOTHING: MeshTriangles = { points: new Float32Array(0), indices: new Uint32Array(0) };

/** What it needs of the renderer. */
export type MeshLookup = Pick<MeshStore, 'has' | 'get'>;

export class MeshTrianglesCache {
  private readonly entries = new Map<string, Entry>();
  private reads = 0;

  constructor(private readonly meshes: MeshLookup) {}

  /** The triangles of a guid as its mesh is now; null where there is no such mesh, undefined where they are not read yet. */
  get(guid: string): { name: string; triangles: MeshTriangles } | null | undefined {
    if (!this.meshes.has(guid)) return null;
    const entry = this.entries.get(guid);
    if (!entry || entry.mesh !== this.meshes.get(guid)) return undefined;
    return { name: entry.name, triangles: entry.triangles };
  }

  /** Reads a mesh back. One that is destroyed on the way is nothing. */
  async read(guid: string): Promise<void> {
    if (this.get(guid) !== undefined) return;
    const mesh = this.meshes.get(guid);
    const { vertexBuffer, indexBuffer, firstIndex: first, indexCount: count } = mesh;
    const [words, indices] = await Promise.all([
      vertexBuffer.read({ type: 'f32' }),
      indexBuffer.read({ first, count, type: 'u32' }),
    ]);
    const vertices = words.length / VERTEX_WORDS;
    const points = new Float32Array(vertices * 3);
    for (let vertex = 0; vertex < vertices; vertex++)
      points.set(words.subarray(vertex * VERTEX_WORDS, vertex * VERTEX_WORDS + 3), vertex * 3);
    const entry = { mesh, name: `${guid} ${++this.reads}`, triangles: NOTHING };
    // Said once: what cannot be collided with is nothing from then on.
    this.entries.set(guid, entry);
    entry.triangles = compact(guid, points, indices);
  }

  /** Forgets all meshes but those named. */
  keep(guids: ReadonlySet<string>): void {
    for (const guid of this.entries.keys()) if (!guids.has(guid)) this.entries.delete(guid);
  }
}

/** Only the points that indices name: a buffer may hold other meshes too. */
function compact(guid: string, points: Float32Array, indices: Uint32Array): MeshTriangles {
  const places = new Map<number, number>();
  const compacted = new Uint32Array(indices.length);
  indices.forEach((index, at) => {
    const place = points.subarray(index * 3, index * 3 + 3);
    if (place.length < 3 || !place.every(Number.isFinite))
      throw new MoonscapeError(
        `Collider: the mesh ${guid} must have finite places to collide with, got ${place.length < 3 ? 'none' : `{ ${place.join(', ')} }`} for vertex ${index}`,
      );
    if (!places.has(index)) places.set(index, places.size);
    compacted[at] = places.get(index)!;
  });
  const kept = new Float32Array(places.size * 3);
  for (const [index, at] of places) kept.set(points.subarray(index * 3, index * 3 + 3), at * 3);
  return { points: kept, indices: compacted };
}
