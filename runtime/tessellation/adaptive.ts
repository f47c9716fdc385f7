// Which level a surface needs on screen: its bounding sphere projected as the camera projects, and the level whose micro-triangles
// come out at the asked edge, held steady by a dead band. Called by the tessellation system for surfaces of mode "adaptive".
import type { View } from '../renderer/view.js';
import { dot, vec3, type Bounds, type Matrix, type Vec3 } from '../world/vector.js';

/** Seconds that lie at least between two changes of an adaptive level. */
export const LEVEL_SPACING = 0.125;
/** How far past the middle between two levels, in levels, a surface has to come until it changes: the band is twice as wide. */
const HALF_BAND = 0.25;
/** Area of a triangle with equal sides of length 1. */
const EQUILATERAL = Math.sqrt(3) / 4;

export interface Sphere {
  center: Vec3;
  radius: number;
}

/** A sphere around a box of a mesh's own space, carried by a matrix. */
export function sphereOf({ min, max }: Bounds, m: Matrix): Sphere {
  const [x, y, z] = [(min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2];
  const [a, b, c] = [(max.x - min.x) / 2, (max.y - min.y) / 2, (max.z - min.z) / 2];
  let radius = 0;
  // The farthest of the box's corners; opposite ones are equally far.
  for (const [sy, sz] of [
    [1, 1],
    [1, -1],
    [-1, 1],
    [-1, -1],
  ]) {
    const along = (row: number) => m[row] * a + m[4 + row] * b * sy + m[8 + row] * c * sz;
    radius = Math.max(radius, Math.hypot(along(0), along(1), along(2)));
  }
  const place = (row: number) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row];
  return { center: vec3(place(0), place(1), place(2)), radius };
}

/**
 * The radius that a sphere has on screen, in pixels: 0 where the view does not reach it, Infinity where the camera is in it.
 * @param height pixels of the picture
 */
export function radiusOnScreen(view: View, height: number, { center, radius }: Sphere): number {
  const { position, forward, near, sides, orthographic, halfHeight } = view;
  const from = vec3(center.x - position.x, center.y - position.y, center.z - position.z);
  if (dot(forward, from) + radius < near) return 0;
  for (const { normal, offset } of sides)
    if (dot(normal, from) + offset + radius * Math.hypot(normal.x, normal.y, normal.z) < 0) return 0;
  const half = height / 2 / halfHeight;
  if (orthographic) return radius * half;
  const behind = dot(from, from) - radius * radius;
  return behind > 0 ? (radius / Math.sqrt(behind)) * half : Infinity;
}

/**
 * The level, with its fraction, at which `patches` patches that together cover a disc of `radius` pixels have micro-triangles with
 * sides of `edge` pixels. −Infinity where they cover nothing, or where `edge` is not above 0.
 */
export function exactLevel(radius: number, patches: number, edge: number): number {
  if (!(radius > 0) || !(edge > 0) || patches === 0) return -Infinity;
  if (radius === Infinity) return Infinity;
  const side = Math.sqrt((Math.PI * radius * radius) / patches / EQUILATERAL);
  return Math.log2(side / edge);
}

/**
 * The level to be at: the nearest to `exact`, 0..ceiling. One that is active stays until the exact one has passed the middle to
 * another by a quarter of a level, so that a camera on the border of two holds one.
 * @param active null where there is none yet
 */
export function steadyLevel(exact: number, active: number | null, ceiling: number): number {
  const nearest = Math.min(Math.max(Math.round(exact), 0), ceiling);
  if (active === null || active > ceiling) return nearest;
  const held = Math.min(Math.max(exact, 0), ceiling);
  return Math.abs(held - active) < 0.5 + HALF_BAND ? active : nearest;
}
