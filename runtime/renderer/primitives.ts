// Plane, box, sphere and cylinder in the engine's vertex layout: CPU arrays, wound counter-clockwise seen from outside, with
// normals, tangents (w: the handedness, as glTF has it) and uvs. Called by MeshStore.
import { checkFields, checkInteger, checkNumber } from '../errors.js';
import { checkVector, vec3, type Bounds, type VectorLike } from '../world/vector.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from './vertex.js';

export interface Geometry {
  /** Vertices of 23 words. */
  vertices: Float32Array<ArrayBuffer>;
  indices: Uint32Array<ArrayBuffer>;
  bounds: Bounds;
}

export interface PlaneOptions {
  /** Metres along X and Z, default 1. */
  width?: number;
  depth?: number;
  /** Cells along X and Z, default 1, at most 4096. */
  columns?: number;
  rows?: number;
}

export interface BoxOptions {
  /** Metres along X, Y and Z, default 1 each. */
  size?: VectorLike;
}

export interface SphereOptions {
  /** Metres, default 0.5. */
  radius?: number;
  /** Around the equator, 3..1024, default 32. */
  segments?: number;
  /** From pole to pole, 2..512, default 16. */
  rings?: number;
}

export interface CylinderOptions {
  /** Metres, default 0.5. */
  radius?: number;
  /** Metres at the upper end, at least 0, default `radius`; 0 makes a cone. */
  topRadius?: number;
  /** Metres along Y, default 1. */
  height?: number;
  /** Around the axis, 3..1024, default 32. */
  segments?: number;
}

type Triple = readonly [number, number, number];

/** Writes vertex `index`: place, normal and tangent (unit), uv (also as uv1), colour white, no joints. */
function put(
  vertices: Float32Array,
  index: number,
  vertex: { position: Triple; normal: Triple; tangent: Triple; uv: readonly [number, number] },
): void {
  const at = index * VERTEX_WORDS;
  vertices.set(vertex.position, at + VERTEX_OFFSET.position);
  vertices.set(vertex.normal, at + VERTEX_OFFSET.normal);
  vertices.set([...vertex.tangent, 1], at + VERTEX_OFFSET.tangent);
  vertices.set(vertex.uv, at + VERTEX_OFFSET.uv0);
  vertices.set(vertex.uv, at + VERTEX_OFFSET.uv1);
  vertices.fill(1, at + VERTEX_OFFSET.color, at + VERTEX_OFFSET.color + 4);
}

/** A flat grid in XZ around the origin, facing +Y; two triangles a cell, split from its −X +Z corner to its +X −Z corner. */
export function plane(options: PlaneOptions = {}): Geometry {
  const where = 'renderer.mesh.plane';
  checkFields(where, options, ['width', 'depth', 'columns', 'rows']);
  const width = checkNumber(where, 'width', options.width ?? 1, { above: 0 });
  const depth = checkNumber(where, 'depth', options.depth ?? 1, { above: 0 });
  const columns = checkInteger(where, 'columns', options.columns ?? 1, { min: 1, max: 4096 });
  const rows = checkInteger(where, 'rows', options.rows ?? 1, { min: 1, max: 4096 });
  const vertices = new Float32Array((columns + 1) * (rows + 1) * VERTEX_WORDS);
  const indices = new Uint32Array(columns * rows * 6);
  for (let row = 0; row <= rows; row++) {
    for (let column = 0; column <= columns; column++) {
      const [u, v] = [column / columns, row / rows];
      put(vertices, row * (columns + 1) + column, {
        position: [(u - 0.5) * width, 0, (v - 0.5) * depth],
        normal: [0, 1, 0],
        tangent: [1, 0, 0],
        uv: [u, v],
      });
    }
  }
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, at += 6) {
      const a = row * (columns + 1) + column;
      const c = a + columns + 1;
      indices.set([a, c, a + 1, a + 1, c, c + 1], at);
    }
  }
  return {
    vertices,
    indices,
    bounds: { min: vec3(-width / 2, 0, -depth / 2), max: vec3(width / 2, 0, depth / 2) },
  };
}

/** A face of the box: its normal, and the directions in which u and v run; right × up = normal, v runs down. */
const FACES: readonly { normal: Triple; right: Triple; up: Triple }[] = [
  { normal: [1, 0, 0], right: [0, 0, -1], up: [0, 1, 0] },
  { normal: [-1, 0, 0], right: [0, 0, 1], up: [0, 1, 0] },
  { normal: [0, 1, 0], right: [1, 0, 0], up: [0, 0, -1] },
  { normal: [0, -1, 0], right: [1, 0, 0], up: [0, 0, 1] },
  { normal: [0, 0, 1], right: [1, 0, 0], up: [0, 1, 0] },
  { normal: [0, 0, -1], right: [-1, 0, 0], up: [0, 1, 0] },
];

/** A box around the origin: 24 vertices, 12 triangles, each face with its own normals and the whole uv square. */
export function box(options: BoxOptions = {}): Geometry {
  const where = 'renderer.mesh.box';
  checkFields(where, options, ['size']);
  const size = checkVector(where, 'size', options.size ?? [1, 1, 1]);
  for (const axis of ['x', 'y', 'z'] as const) checkNumber(where, `size.${axis}`, size[axis], { above: 0 });
  const half: Triple = [size.x / 2, size.y / 2, size.z / 2];
  const vertices = new Float32Array(24 * VERTEX_WORDS);
  const indices = new Uint32Array(36);
  FACES.forEach(({ normal, right, up }, face) => {
    for (let corner = 0; corner < 4; corner++) {
      const [u, v] = [corner & 1, corner >> 1];
      const place = (axis: number) =>
        (normal[axis] + right[axis] * (2 * u - 1) + up[axis] * (1 - 2 * v)) * half[axis];
      put(vertices, face * 4 + corner, {
        position: [place(0), place(1), place(2)],
        normal,
        tangent: right,
        uv: [u, v],
      });
    }
    const a = face * 4;
    indices.set([a, a + 2, a + 1, a + 1, a + 2, a + 3], face * 6);
  });
  return { vertices, indices, bounds: { min: vec3(-half[0], -half[1], -half[2]), max: vec3(...half) } };
}

/** A sphere around the origin: rings of latitude from the +Y pole down; a seam of doubled vertices where u wraps. */
export function sphere(options: SphereOptions = {}): Geometry {
  const where = 'renderer.mesh.sphere';
  checkFields(where, options, ['radius', 'segments', 'rings']);
  const radius = checkNumber(where, 'radius', options.radius ?? 0.5, { above: 0 });
  const segments = checkInteger(where, 'segments', options.segments ?? 32, { min: 3, max: 1024 });
  const rings = checkInteger(where, 'rings', options.rings ?? 16, { min: 2, max: 512 });
  const vertices = new Float32Array((segments + 1) * (rings + 1) * VERTEX_WORDS);
  const indices: number[] = [];
  for (let ring = 0; ring <= rings; ring++) {
    const polar = (ring / rings) * Math.PI;
    // The poles and the seam are exact, so that doubled vertices are the same bits and the sphere is closed.
    const [sin, cos] =
      ring === 0 || ring === rings ? [0, ring === 0 ? 1 : -1] : [Math.sin(polar), Math.cos(polar)];
    for (let segment = 0; segment <= segments; segment++) {
      const turn = ((segment % segments) / segments) * 2 * Math.PI;
      const normal: Triple = [sin * Math.cos(turn), cos, -sin * Math.sin(turn)];
      put(vertices, ring * (segments + 1) + segment, {
        position: [normal[0] * radius, normal[1] * radius, normal[2] * radius],
        normal,
        tangent: [-Math.sin(turn), 0, -Math.cos(turn)],
        uv: [segment / segments, ring / rings],
      });
    }
  }
  for (let ring = 0; ring < rings; ring++) {
    for (let segment = 0; segment < segments; segment++) {
      const a = ring * (segments + 1) + segment;
      const c = a + segments + 1;
      if (ring > 0) indices.push(a, c, a + 1);
      if (ring < rings - 1) indices.push(a + 1, c, c + 1);
    }
  }
  const bounds = { min: vec3(-radius, -radius, -radius), max: vec3(radius, radius, radius) };
  return { vertices, indices: Uint32Array.from(indices), bounds };
}

/** A cylinder or cone around the Y axis and the origin, closed by flat ends; u runs around its side and v down it, a seam of doubled vertices where u wraps. */
export function cylinder(options: CylinderOptions = {}): Geometry {
  const where = 'renderer.mesh.cylinder';
  checkFields(where, options, ['radius', 'topRadius', 'height', 'segments']);
  const radius = checkNumber(where, 'radius', options.radius ?? 0.5, { above: 0 });
  const topRadius = checkNumber(where, 'topRadius', options.topRadius ?? radius, { min: 0 });
  const height = checkNumber(where, 'height', options.height ?? 1, { above: 0 });
  const segments = checkInteger(where, 'segments', options.segments ?? 32, { min: 3, max: 1024 });
  const ends = [
    { y: height / 2, r: topRadius, up: 1 },
    { y: -height / 2, r: radius, up: -1 },
  ];
  const caps = ends.filter(({ r }) => r > 0);
  const vertices = new Float32Array((2 * (segments + 1) + caps.length * (segments + 1)) * VERTEX_WORDS);
  const indices: number[] = [];
  // The seam is exact, and caps have their sides' own places, so that it is closed bit for bit.
  const around = (segment: number) => {
    const turn = ((segment % segments) / segments) * 2 * Math.PI;
    return [Math.cos(turn), -Math.sin(turn)];
  };
  const slant = Math.hypot(height, radius - topRadius);
  ends.forEach(({ y, r }, end) => {
    for (let segment = 0; segment <= segments; segment++) {
      const [x, z] = around(segment);
      put(vertices, end * (segments + 1) + segment, {
        position: [x * r, y, z * r],
        normal: [(x * height) / slant, (radius - topRadius) / slant, (z * height) / slant],
        tangent: [z, 0, -x],
        uv: [segment / segments, end],
      });
    }
  });
  for (let a = 0; a < segments; a++) {
    const c = a + segments + 1;
    if (topRadius > 0) indices.push(a, c, a + 1);
    indices.push(a + 1, c, c + 1);
  }
  caps.forEach(({ y, r, up }, cap) => {
    const middle = (2 + cap) * (segments + 1);
    const corner = (index: number, x: number, z: number) =>
      put(vertices, index, {
        position: [x * r, y, z * r],
        normal: [0, up, 0],
        tangent: [1, 0, 0],
        uv: [0.5 + x / 2, 0.5 + (up * z) / 2],
      });
    corner(middle, 0, 0);
    for (let segment = 0; segment < segments; segment++) {
      const [x, z] = around(segment);
      corner(middle + 1 + segment, x, z);
      const [from, to] = [middle + 1 + segment, middle + 1 + ((segment + 1) % segments)];
      indices.push(middle, up > 0 ? from : to, up > 0 ? to : from);
    }
  });
  const reach = Math.max(radius, topRadius);
  const bounds = { min: vec3(-reach, -height / 2, -reach), max: vec3(reach, height / 2, reach) };
  return { vertices, indices: Uint32Array.from(indices), bounds };
}
