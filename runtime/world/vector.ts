// Points, directions, colours and boxes as the world keeps them: doubles, checked and frozen where a person's values come in.
import { mat4d } from 'wgpu-matrix';
import { checkFields, checkNumber, refuse } from '../errors.js';

/** A point or direction; metres unless said otherwise. */
export interface Vec3 {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** How a vector may be handed in: `{ x, y, z }` or `[x, y, z]`. */
export type VectorLike = Vec3 | readonly number[];

/** An axis-aligned box, `min` <= `max` on every axis. */
export interface Bounds {
  readonly min: Vec3;
  readonly max: Vec3;
}

/** A column-major 4×4 matrix of doubles. */
export type Matrix = Float64Array;

export const vec3 = (x: number, y: number, z: number): Vec3 => ({ x, y, z });

export const ZERO = Object.freeze(vec3(0, 0, 0));
export const ONE = Object.freeze(vec3(1, 1, 1));

/** Returns `value` as a vector of finite numbers; refuses anything else, naming the part. */
export function checkVector(where: string, name: string, value: unknown): Vec3 {
  if (typeof value !== 'object' || value === null) refuse(where, name, 'a vector { x, y, z }', value);
  if (Array.isArray(value) && value.length !== 3) refuse(where, name, 'three numbers', value);
  const record = value as Record<string, unknown>;
  const keys = Array.isArray(value) ? ['0', '1', '2'] : 'r' in record ? ['r', 'g', 'b'] : ['x', 'y', 'z'];
  const [x, y, z] = keys.map((key, i) => checkNumber(where, `${name}.${'xyz'[i]}`, record[key]));
  return Object.freeze(vec3(x, y, z));
}

/** Returns `value` as a linear colour, parts from 0 to `max`. */
export function checkColor(where: string, name: string, value: unknown, max = Infinity): Vec3 {
  const color = checkVector(where, name, value);
  for (const part of ['x', 'y', 'z'] as const)
    checkNumber(where, `${name}.${{ x: 'r', y: 'g', z: 'b' }[part]}`, color[part], {
      min: 0,
      max: max === Infinity ? undefined : max,
    });
  return color;
}

/** Returns `value` as a box; refuses one whose min passes its max. */
export function checkBounds(where: string, name: string, value: unknown): Bounds {
  if (typeof value !== 'object' || value === null) refuse(where, name, 'a box { min, max }', value);
  checkFields(where, value, ['min', 'max']);
  const box = value as Record<string, unknown>;
  const min = checkVector(where, `${name}.min`, box.min);
  const max = checkVector(where, `${name}.max`, box.max);
  for (const axis of ['x', 'y', 'z'] as const)
    if (min[axis] > max[axis]) refuse(where, `${name}.min.${axis}`, `at most ${max[axis]}`, min[axis]);
  return { min, max };
}

/** The smallest box around both; null is no box. */
export function unite(a: Bounds | null, b: Bounds | null): Bounds | null {
  if (!a || !b) return a ?? b;
  return {
    min: vec3(Math.min(a.min.x, b.min.x), Math.min(a.min.y, b.min.y), Math.min(a.min.z, b.min.z)),
    max: vec3(Math.max(a.max.x, b.max.x), Math.max(a.max.y, b.max.y), Math.max(a.max.z, b.max.z)),
  };
}

/** The axis-aligned box around `box` carried by an affine matrix (Arvo, Graphics Gems 1990: per axis, the extents' absolute sum). */
export function transformBounds({ min, max }: Bounds, m: Matrix): Bounds {
  const x = (min.x + max.x) / 2;
  const y = (min.y + max.y) / 2;
  const z = (min.z + max.z) / 2;
  const cx = m[0] * x + m[4] * y + m[8] * z + m[12];
  const cy = m[1] * x + m[5] * y + m[9] * z + m[13];
  const cz = m[2] * x + m[6] * y + m[10] * z + m[14];
  const a = (max.x - min.x) / 2;
  const b = (max.y - min.y) / 2;
  const c = (max.z - min.z) / 2;
  const ex = Math.abs(m[0]) * a + Math.abs(m[4]) * b + Math.abs(m[8]) * c;
  const ey = Math.abs(m[1]) * a + Math.abs(m[5]) * b + Math.abs(m[9]) * c;
  const ez = Math.abs(m[2]) * a + Math.abs(m[6]) * b + Math.abs(m[10]) * c;
  return { min: vec3(cx - ex, cy - ey, cz - ez), max: vec3(cx + ex, cy + ey, cz + ez) };
}

/** Length of the box's diagonal, metres. */
export const diagonal = ({ min, max }: Bounds): number =>
  Math.hypot(max.x - min.x, max.y - min.y, max.z - min.z);

/** Rotation by Euler angles in degrees, order XYZ (three.js's: Rx · Ry · Rz), with scale and place: T · R · S. */
export function composeMatrix(position: Vec3, rotation: Vec3, scale: Vec3): Matrix {
  const m = mat4d.translation([position.x, position.y, position.z]);
  mat4d.rotateX(m, (rotation.x * Math.PI) / 180, m);
  mat4d.rotateY(m, (rotation.y * Math.PI) / 180, m);
  mat4d.rotateZ(m, (rotation.z * Math.PI) / 180, m);
  mat4d.scale(m, [scale.x, scale.y, scale.z], m);
  return m;
}

/** Matrices a block. Each typed array with memory of its own counts as memory pressure: a thousand bodies would collect garbage all the time. */
const BLOCK = 32;
let block = new Float64Array(0);
let used = 0;

/** A matrix of zeros, out of a block that lives as long as one of its matrices. */
function nextMatrix(): Matrix {
  if (used === block.length) [block, used] = [new Float64Array(BLOCK * 16), 0];
  used += 16;
  return new Float64Array(block.buffer, (used - 16) * 8, 16);
}

/** Rotation by its three axes, with scale and place: T · R · S. */
export function composeAxes(position: Vec3, axes: readonly [Vec3, Vec3, Vec3], scale: Vec3): Matrix {
  const m = nextMatrix();
  const factors = [scale.x, scale.y, scale.z];
  for (let k = 0; k < 3; k++) {
    m[4 * k] = axes[k].x * factors[k];
    m[4 * k + 1] = axes[k].y * factors[k];
    m[4 * k + 2] = axes[k].z * factors[k];
  }
  m[12] = position.x;
  m[13] = position.y;
  m[14] = position.z;
  m[15] = 1;
  return m;
}

/** Columns of a matrix as unit vectors: its own X, Y and Z axes in the world. A column of length 0 stays 0. */
export function axesOf(m: Matrix): [Vec3, Vec3, Vec3] {
  return [0, 4, 8].map((at) => normalize(vec3(m[at], m[at + 1], m[at + 2]))) as [Vec3, Vec3, Vec3];
}

/** The Euler angles (degrees, order XYZ) of a rotation given by its three orthonormal columns. */
export function anglesOf([x, y, z]: readonly [Vec3, Vec3, Vec3]): Vec3 {
  const degrees = 180 / Math.PI;
  const angleX = Math.atan2(-z.y, z.z);
  const angleY = Math.atan2(z.x, Math.hypot(z.y, z.z));
  // The turn about Z is read off after the one about X is undone, so that looking along X, where the two are one, loses nothing.
  const [sin, cos] = [Math.sin(angleX), Math.cos(angleX)];
  const angleZ = Math.atan2(cos * x.y + sin * x.z, cos * y.y + sin * y.z);
  return vec3(angleX * degrees, angleY * degrees, angleZ * degrees);
}

export const dot = (a: Vec3, b: Vec3): number => a.x * b.x + a.y * b.y + a.z * b.z;

export const subtract = (a: Vec3, b: Vec3): Vec3 => vec3(a.x - b.x, a.y - b.y, a.z - b.z);

export const cross = (a: Vec3, b: Vec3): Vec3 =>
  vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);

/** `v` at length 1; the zero vector stays what it is. */
export function normalize(v: Vec3): Vec3 {
  const length = Math.hypot(v.x, v.y, v.z);
  return length === 0 ? v : vec3(v.x / length, v.y / length, v.z / length);
}

/** The orthonormal axes of something at `from` whose −Z looks at `to`, Y as upright as that allows. */
export function axesToward(from: Vec3, to: Vec3): [Vec3, Vec3, Vec3] {
  const back = normalize(subtract(from, to));
  const upright = Math.abs(back.y) > 0.999999 ? vec3(0, 0, -1) : vec3(0, 1, 0);
  const right = normalize(cross(upright, back));
  return [right, cross(back, right), back];
}
