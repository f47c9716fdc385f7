// Whether an emitted mesh is closed: edges, by the places of their ends, that exactly one triangle uses.
import { VERTEX_WORDS } from '../renderer/vertex.js';
import { Weld } from './weld.js';

/**
 * Edges of a mesh of the engine's vertices that exactly one of its triangles uses, by places that are the same bits. A triangle
 * with two corners at one place is a line and counts for nothing. 0 for a closed surface; for an open one, what its outline has.
 */
export function unmatchedEdges(
  vertices: Float32Array<ArrayBuffer>,
  indices: Uint32Array,
  indexCount = indices.length,
): number {
  const count = vertices.length / VERTEX_WORDS;
  // + 0 makes -0 the same place as 0.
  const bits = new Uint32Array(Float32Array.from(vertices, (value) => value + 0).buffer);
  const weld = new Weld(3, count);
  const place = new Uint32Array(count);
  for (let vertex = 0; vertex < count; vertex++) place[vertex] = weld.number(bits, vertex * VERTEX_WORDS);
  const edges = new Weld(2, indexCount);
  const uses = new Uint32Array(indexCount);
  const pair = new Uint32Array(2);
  for (let at = 0; at < indexCount; at += 3) {
    const corners = [place[indices[at]], place[indices[at + 1]], place[indices[at + 2]]];
    if (corners[0] === corners[1] || corners[1] === corners[2] || corners[2] === corners[0]) continue;
    for (let k = 0; k < 3; k++) {
      const [a, b] = [corners[k], corners[(k + 1) % 3]];
      [pair[0], pair[1]] = [Math.min(a, b), Math.max(a, b)];
      uses[edges.number(pair, 0)]++;
    }
  }
  return uses.subarray(0, edges.count).reduce((sum, times) => sum + (times === 1 ? 1 : 0), 0);
}
