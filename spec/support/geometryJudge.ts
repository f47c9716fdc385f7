// Judges of a mesh on the CPU that know only its triangles: what its tangents ought to be by the derivatives of its uvs, and
// which edges no second triangle shares.
import type { Geometry } from '../../runtime/renderer/primitives.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';

type Triangles = Pick<Geometry, 'vertices' | 'indices'>;

export interface TangentVerdict {
  /** Corners of triangles in all, and those whose triangle has a derivative (uvs of some area). */
  corners: number;
  judged: number;
  /** The largest angle between a tangent and the way u grows, both laid across the corner's normal. */
  worstDegrees: number;
  /** Corners whose normal × tangent × w points the way v grows. */
  wrongHands: number;
  /** How far a tangent's length is from 1, and its part along the normal from 0. */
  worstLength: number;
  worstSlant: number;
}

/** Holds each corner's tangent to its own triangle's dP/du, as glTF has it: w so that normal × tangent × w is the way v falls. */
export function judgeTangents({ vertices, indices }: Triangles): TangentVerdict {
  const found = { corners: 0, judged: 0, worstDegrees: 0, wrongHands: 0, worstLength: 0, worstSlant: 0 };
  const at = (index: number, word: number, count: number) =>
    Array.from(vertices.subarray(index * VERTEX_WORDS + word, index * VERTEX_WORDS + word + count));
  for (let i = 0; i < indices.length; i += 3) {
    const corner = [...indices.subarray(i, i + 3)];
    const [a, b, c] = corner.map((index) => at(index, VERTEX_OFFSET.position, 3));
    const [ta, tb, tc] = corner.map((index) => at(index, VERTEX_OFFSET.uv0, 2));
    const [e, f] = [minus(b, a), minus(c, a)];
    const [du1, dv1, du2, dv2] = [tb[0] - ta[0], tb[1] - ta[1], tc[0] - ta[0], tc[1] - ta[1]];
    const area = du1 * dv2 - du2 * dv1;
    found.corners += 3;
    if (Math.abs(area) < 1e-12) continue;
    const alongU = e.map((part, k) => (part * dv2 - f[k] * dv1) / area);
    const alongV = f.map((part, k) => (part * du1 - e[k] * du2) / area);
    for (const index of corner) {
      const normal = at(index, VERTEX_OFFSET.normal, 3);
      const [x, y, z, hand] = at(index, VERTEX_OFFSET.tangent, 4);
      const tangent = [x, y, z];
      const flat = alongU.map((part, k) => part - normal[k] * dot(alongU, normal));
      const cosine = dot(flat, tangent) / (Math.hypot(...flat) * Math.hypot(...tangent));
      found.judged++;
      found.worstDegrees = Math.max(found.worstDegrees, (Math.acos(Math.min(1, cosine)) * 180) / Math.PI);
      found.worstLength = Math.max(found.worstLength, Math.abs(Math.hypot(...tangent) - 1));
      found.worstSlant = Math.max(found.worstSlant, Math.abs(dot(normal, tangent)));
      if (dot(cross(normal, tangent), alongV) * hand >= 0) found.wrongHands++;
    }
  }
  return found;
}

/** Edges that are not walked once each way, by the bits of their ends' places. */
export function unmatchedEdges({ vertices, indices }: Triangles): number {
  const edges = new Map<string, number>();
  const key = (index: number) =>
    Array.from(vertices.subarray(index * VERTEX_WORDS, index * VERTEX_WORDS + 3), (part) => part + 0).join();
  const walk = (from: string, to: string) => {
    const [name, way] = from < to ? [`${from}|${to}`, 1] : [`${to}|${from}`, -1];
    edges.set(name, (edges.get(name) ?? 0) + way);
  };
  for (let i = 0; i < indices.length; i += 3)
    for (let k = 0; k < 3; k++) walk(key(indices[i + k]), key(indices[i + ((k + 1) % 3)]));
  return [...edges.values()].filter((count) => count !== 0).length;
}

const minus = (a: number[], b: number[]) => a.map((part, k) => part - b[k]);
const dot = (a: number[], b: number[]) => a.reduce((sum, part, k) => sum + part * b[k], 0);
const cross = (a: number[], b: number[]) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
