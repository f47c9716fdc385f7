// Meshes that displacement tears where it is done carelessly: an icosphere whose uvs wrap, a closed cylinder whose seam has
// other heights on its two sides, and two quads with mirrored uvs. CPU arrays in the engine's layout, with exact twins: points
// that share a place share its bits.
import { GpuBuffer } from '../../runtime/gpu/gpuBuffer.js';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import type { Geometry } from '../../runtime/renderer/primitives.js';
import type { MeshStore } from '../../runtime/renderer/meshStore.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { vec3 } from '../../runtime/world/vector.js';

export interface SourceVertex {
  position: readonly number[];
  /** Unit. */
  normal: readonly number[];
  uv: readonly number[];
  /** Unit; default any direction across the normal. */
  tangent?: readonly number[];
  /** The tangent's w, default 1. */
  hand?: 1 | -1;
}

/** A mesh of corners, three a triangle, counter-clockwise from outside; equal ones become one vertex. */
export function geometryOf(corners: readonly SourceVertex[]): Geometry {
  const rows: number[][] = [];
  const known = new Map<string, number>();
  const indices = corners.map(({ position, normal, uv, tangent = across(normal), hand = 1 }) => {
    const row = new Array<number>(VERTEX_WORDS).fill(0);
    const put = (at: number, values: readonly number[]) =>
      values.forEach((value, i) => (row[at + i] = value));
    put(VERTEX_OFFSET.position, position);
    put(VERTEX_OFFSET.normal, normal);
    put(VERTEX_OFFSET.tangent, [...tangent, hand]);
    put(VERTEX_OFFSET.uv0, uv);
    put(VERTEX_OFFSET.uv1, uv);
    put(VERTEX_OFFSET.color, [1, 1, 1, 1]);
    const key = row.join();
    if (!known.has(key)) known.set(key, rows.push(row) - 1);
    return known.get(key)!;
  });
  const places = rows.map((row) => row.slice(0, 3).map(Math.fround));
  const end = (pick: (...values: number[]) => number) =>
    vec3(
      ...([0, 1, 2].map((axis) => pick(...places.map((place) => place[axis]))) as [number, number, number]),
    );
  return {
    vertices: Float32Array.from(rows.flat()),
    indices: Uint32Array.from(indices),
    bounds: { min: end(Math.min), max: end(Math.max) },
  };
}

/**
 * A sphere of 20 × 4^subdivisions triangles with smooth normals. u runs once around the Y axis, v from the +Y pole down; vertices
 * are doubled where u wraps and at the poles.
 */
export function icosphere(subdivisions = 1, radius = 1): Geometry {
  let triangles = ICOSAHEDRON;
  for (let i = 0; i < subdivisions; i++) triangles = triangles.flatMap(quarter);
  return geometryOf(
    triangles.flatMap((corners) => {
      const around = corners.map(([x, , z]) =>
        x === 0 && z === 0 ? null : 0.5 + Math.atan2(-z, x) / (2 * Math.PI),
      );
      const turns = around.filter((u) => u !== null);
      const wraps = Math.max(...turns) - Math.min(...turns) > 0.5;
      const us = around.map((u) => (u !== null && wraps && u < 0.5 ? u + 1 : u));
      const known = us.filter((u) => u !== null);
      // A pole has no u of its own: it takes the middle of its triangle's other corners.
      const middle = known.reduce((sum, u) => sum + u, 0) / known.length;
      return corners.map((normal, i) => {
        const u = us[i] ?? middle;
        const turn = (u - 0.5) * 2 * Math.PI;
        return {
          position: normal.map((part) => part * radius),
          normal,
          uv: [u, Math.acos(Math.max(-1, Math.min(1, normal[1]))) / Math.PI],
          tangent: [-Math.sin(turn), 0, -Math.cos(turn)],
        };
      });
    }),
  );
}

/** A closed cylinder around Y, whose u runs 0..1.5 around its side: a repeating map has other heights on the seam's two sides. */
export function seamedCylinder(segments = 8, radius = 1, height = 2): Geometry {
  const corners: SourceVertex[] = [];
  const direction = (segment: number) => {
    const turn = ((segment % segments) / segments) * 2 * Math.PI;
    return [Math.cos(turn), -Math.sin(turn)];
  };
  const side = (segment: number, end: number): SourceVertex => {
    const [x, z] = direction(segment);
    const [u, y] = [(1.5 * segment) / segments, height * (0.5 - end)];
    return { position: [x * radius, y, z * radius], normal: [x, 0, z], uv: [u, end], tangent: [z, 0, -x] };
  };
  const cap = (up: 1 | -1, segment: number | null): SourceVertex => {
    const [x, z] = segment === null ? [0, 0] : direction(segment);
    return {
      position: [x * radius, (up * height) / 2, z * radius],
      normal: [0, up, 0],
      uv: [0.5 + x / 2, 0.5 + (up * z) / 2],
      tangent: [1, 0, 0],
    };
  };
  for (let i = 0; i < segments; i++) {
    corners.push(side(i, 0), side(i, 1), side(i + 1, 0), side(i + 1, 0), side(i, 1), side(i + 1, 1));
    corners.push(cap(1, null), cap(1, i), cap(1, i + 1), cap(-1, null), cap(-1, i + 1), cap(-1, i));
  }
  return geometryOf(corners);
}

/** Two flat quads in XZ that meet at x = 0, facing +Y: u grows away from the line on both sides, and the tangents are mirrored. */
export function mirroredQuads(side = 1): Geometry {
  const corner = (x: number, z: number, half: 1 | -1): SourceVertex => ({
    position: [x * side, 0, (z - 0.5) * side],
    normal: [0, 1, 0],
    uv: [Math.abs(x), z],
    tangent: [half, 0, 0],
    hand: half,
  });
  const quad = (half: 1 | -1) => {
    const [west, east] = half === 1 ? [0, 1] : [-1, 0];
    const at = (x: number, z: number) => corner(x, z, half);
    return [at(west, 0), at(west, 1), at(east, 0), at(east, 0), at(west, 1), at(east, 1)];
  };
  return geometryOf([...quad(-1), ...quad(1)]);
}

/** Puts a mesh on the GPU; `free` takes it and its buffers off again. */
export function standGeometry(
  gpu: Gpu,
  meshes: MeshStore,
  { vertices, indices, bounds }: Geometry,
): { guid: string; free(): void } {
  const vertexBuffer = GpuBuffer.create(gpu, { data: vertices, label: 'source vertices' });
  const indexBuffer = GpuBuffer.create(gpu, { data: indices, label: 'source indices' });
  const guid = meshes.createBounded({ vertexBuffer, indexBuffer, bounds });
  const free = () => {
    if (meshes.has(guid)) meshes.destroy(guid);
    vertexBuffer.destroy();
    indexBuffer.destroy();
  };
  return { guid, free };
}

type Triangle = readonly (readonly number[])[];

const unit = (v: readonly number[]): number[] => {
  const length = Math.hypot(...v);
  return v.map((part) => part / length);
};

/** A direction across a unit normal. */
function across([x, y, z]: readonly number[]): number[] {
  return Math.abs(y) < 0.9 ? unit([z, 0, -x]) : unit([0, -z, y]);
}

/** Both sides of an edge add its ends in either order to the same sum, so that they find the same middle. */
const middleOf = (a: readonly number[], b: readonly number[]) => unit(a.map((part, i) => part + b[i]));

function quarter([a, b, c]: Triangle): Triangle[] {
  const [ab, bc, ca] = [middleOf(a, b), middleOf(b, c), middleOf(c, a)];
  return [
    [a, ab, ca],
    [ab, b, bc],
    [ca, bc, c],
    [ab, bc, ca],
  ];
}

/** Twenty triangles, counter-clockwise from outside: a pole, five corners around it, five around the other, the other pole. */
const ICOSAHEDRON: readonly Triangle[] = (() => {
  const ring = (y: number, shift: number) =>
    [0, 1, 2, 3, 4].map((i) => {
      const turn = ((i + shift) / 5) * 2 * Math.PI;
      return unit([Math.cos(turn) * 2, y, -Math.sin(turn) * 2]);
    });
  const [north, south] = [
    [0, 1, 0],
    [0, -1, 0],
  ];
  const [upper, lower] = [ring(1, 0), ring(-1, 0.5)];
  return [0, 1, 2, 3, 4].flatMap((i): Triangle[] => {
    const next = (i + 1) % 5;
    return [
      [north, upper[i], upper[next]],
      [upper[i], lower[i], upper[next]],
      [upper[next], lower[i], lower[next]],
      [south, lower[next], lower[i]],
    ];
  });
})();
