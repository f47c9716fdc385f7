// What a collider is made of: its shape at its entity's scale, as Rapier describes it, and what holds it.
import type { ColliderDesc } from '@dimforge/rapier3d-compat';
import { apply, type Columns } from '../world/rotation.js';
import { vec3, ZERO, type Vec3 } from '../world/vector.js';
import type { ShapeSpec } from './physicsComponents.js';
import type { Rapier } from './rapier.js';

/** The triangles of a mesh, in its own space. */
export interface MeshTriangles {
  /** x, y, z of each vertex, metres. */
  points: Float32Array;
  indices: Uint32Array;
}

/** A shape about its own middle, turned as its entity is, metres of world. */
export interface Solid {
  /** Solids of one key are alike. */
  readonly key: string;
  /** The box that holds it: its middle and half its sides. */
  readonly middle: Vec3;
  readonly half: Vec3;
  /** Of a ball about its place that holds it. */
  readonly radius: number;
  /** Null where a mesh is so flat that it has no hull. */
  describe(rapier: Rapier): ColliderDesc | null;
}

/** Metres: what is thinner than this is squashed to nothing. */
const LEAST = 1e-6;

/**
 * The solid of a shape under its entity's stretch. A sphere takes the greatest of the three factors, a capsule and a cylinder the
 * greater of the two across; a mesh is stretched as it is drawn. Null where nothing is left of it.
 * @param mesh the triangles of shape mesh, with a name for these very triangles
 * @param hull whether a mesh is its convex hull
 */
export function solidOf(
  spec: ShapeSpec,
  stretch: Columns,
  mesh: { name: string; triangles: MeshTriangles } | null,
  hull: boolean,
): Solid | null {
  const [sx, sy, sz] = [stretch[0].x, stretch[1].y, stretch[2].z].map(Math.abs);
  switch (spec.shape) {
    case 'box': {
      const half = vec3((spec.size.x * sx) / 2, (spec.size.y * sy) / 2, (spec.size.z * sz) / 2);
      return simple('box', half, Math.hypot(half.x, half.y, half.z), (rapier) =>
        rapier.ColliderDesc.cuboid(half.x, half.y, half.z),
      );
    }
    case 'sphere': {
      const radius = spec.radius * Math.max(sx, sy, sz);
      return simple('sphere', vec3(radius, radius, radius), radius, (rapier) =>
        rapier.ColliderDesc.ball(radius),
      );
    }
    case 'capsule': {
      const radius = spec.radius * Math.max(sx, sz);
      const straight = Math.max((spec.height * sy) / 2 - radius, 0);
      const half = vec3(radius, straight + radius, radius);
      if (straight < LEAST)
        return simple('sphere', vec3(radius, radius, radius), radius, (rapier) =>
          rapier.ColliderDesc.ball(radius),
        );
      return simple('capsule', half, half.y, (rapier) => rapier.ColliderDesc.capsule(straight, radius));
    }
    case 'cylinder': {
      const radius = spec.radius * Math.max(sx, sz);
      const half = vec3(radius, (spec.height * sy) / 2, radius);
      return simple('cylinder', half, Math.hypot(radius, half.y), (rapier) =>
        rapier.ColliderDesc.cylinder(half.y, radius),
      );
    }
    case 'mesh':
      return mesh && meshSolid(mesh.name, mesh.triangles, stretch, hull);
  }
}

function simple(name: string, half: Vec3, radius: number, describe: Solid['describe']): Solid | null {
  if (!(Math.min(half.x, half.y, half.z) >= LEAST)) return null;
  return { key: `${name} ${half.x} ${half.y} ${half.z}`, middle: ZERO, half, radius, describe };
}

function meshSolid(name: string, triangles: MeshTriangles, stretch: Columns, hull: boolean): Solid | null {
  const points = new Float32Array(triangles.points.length);
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  let radius = 0;
  for (let at = 0; at < points.length; at += 3) {
    const [x, y, z] = triangles.points.subarray(at, at + 3);
    const p = apply(stretch, vec3(x, y, z));
    [p.x, p.y, p.z].forEach((place, axis) => {
      points[at + axis] = place;
      low[axis] = Math.min(low[axis], place);
      high[axis] = Math.max(high[axis], place);
    });
    radius = Math.max(radius, Math.hypot(p.x, p.y, p.z));
  }
  const indices = solidTriangles(points, triangles.indices);
  if (indices.length === 0) return null;
  const numbers = stretch.map(({ x, y, z }) => `${x} ${y} ${z}`).join(' ');
  const flat = high.some((most, axis) => most - low[axis] < LEAST);
  return {
    key: `${hull ? 'hull' : 'mesh'} ${name} ${numbers}`,
    middle: vec3((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2),
    half: vec3((high[0] - low[0]) / 2, (high[1] - low[1]) / 2, (high[2] - low[2]) / 2),
    radius,
    describe: (rapier) =>
      hull
        ? flat
          ? null
          : rapier.ColliderDesc.convexHull(points)
        : rapier.ColliderDesc.trimesh(points, indices, rapier.TriMeshFlags.FIX_INTERNAL_EDGES),
  };
}

/** The triangles that have three places: the engine makes nothing good of others. */
function solidTriangles(points: Float32Array, indices: Uint32Array): Uint32Array {
  const same = (a: number, b: number) =>
    points[3 * a] === points[3 * b] &&
    points[3 * a + 1] === points[3 * b + 1] &&
    points[3 * a + 2] === points[3 * b + 2];
  const kept: number[] = [];
  for (let at = 0; at + 2 < indices.length; at += 3) {
    const [a, b, c] = indices.subarray(at, at + 3);
    if (!same(a, b) && !same(b, c) && !same(a, c)) kept.push(a, b, c);
  }
  return Uint32Array.from(kept);
}
