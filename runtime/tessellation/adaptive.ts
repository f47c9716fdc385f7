// Which level a surface needs on screen: its bounding sphere projected as the camera projects, and the level whose micro-triangles
// come out at the asked edge, held steady by a dead band. Called by the tessellation system for surfaces of mode "adaptive".
import type { View } from '../renderer/view.js';
import { vec3, type Bounds, type Matrix, type Vec3 } from '../world/vector.js';

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
    radius = Math.max(radius, along(0) ** 2 + along(1) ** 2 + along(2) ** 2);
  }
  const place = (row: number) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row];
  return { center: vec3(place(0), place(1), place(2)), radius: Math.sqrt(radius) };
}

/** What a camera sees, made once a frame: asked for each adaptive surface, so plain numbers. */
export class Screen {
  /** Pixels of a metre at 1 m for perspective, anywhere for parallel rays. */
  private readonly scale: number;
  /** The near side and the four others: a unit normal and an offset each; above 0 is within. */
  private readonly sides: Float64Array;

  /** @param height pixels of the picture from its upper to its lower edge */
  constructor(
    private readonly view: View,
    height: number,
  ) {
    const { forward, near, halfHeight, sides } = view;
    this.scale = height / 2 / halfHeight;
    this.sides = Float64Array.from(
      [{ normal: forward, offset: -near }, ...sides].flatMap(({ normal: { x, y, z }, offset }) =>
        [x, y, z, offset].map((part) => part / Math.sqrt(x * x + y * y + z * z)),
      ),
    );
  }

  /** Whether everything is seen from here as from `other`. */
  sees(other: Screen): boolean {
    const { position: a, orthographic } = this.view;
    const b = other.view.position;
    if (a.x !== b.x || a.y !== b.y || a.z !== b.z || orthographic !== other.view.orthographic) return false;
    return this.scale === other.scale && this.sides.every((part, i) => part === other.sides[i]);
  }

  /** The radius that a sphere has in the picture, in pixels: 0 where the view does not reach it, Infinity where the camera is in it. */
  radius({ center, radius }: Sphere): number {
    const { view, sides, scale } = this;
    const x = center.x - view.position.x;
    const y = center.y - view.position.y;
    const z = center.z - view.position.z;
    for (let at = 0; at < sides.length; at += 4)
      if (sides[at] * x + sides[at + 1] * y + sides[at + 2] * z + sides[at + 3] + radius < 0) return 0;
    if (view.orthographic) return radius * scale;
    const behind = x * x + y * y + z * z - radius * radius;
    return behind > 0 ? (radius / Math.sqrt(behind)) * scale : Infinity;
  }
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
