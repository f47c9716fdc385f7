// Turns as unit quaternions, and what of a matrix is a turn: what physics hands to entities and takes from them, in doubles.
import { cross, dot, normalize, vec3, type Matrix, type Vec3 } from './vector.js';

/** A unit quaternion. */
export interface Quaternion {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
}

/** Three columns. */
export type Columns = readonly [Vec3, Vec3, Vec3];

/** A linear map taken apart: first the stretch (upper triangular, its columns; a mirror is a number below 0 in it), then the turn. */
export interface Frame {
  readonly axes: Columns;
  readonly stretch: Columns;
}

/** The columns of a matrix's linear part. */
export const columnsOf = (m: Matrix): Columns => [
  vec3(m[0], m[1], m[2]),
  vec3(m[4], m[5], m[6]),
  vec3(m[8], m[9], m[10]),
];

/** Columns times a vector. */
export const apply = ([a, b, c]: Columns, { x, y, z }: Vec3): Vec3 =>
  vec3(a.x * x + b.x * y + c.x * z, a.y * x + b.y * y + c.y * z, a.z * x + b.z * y + c.z * z);

/** The transpose of columns times a vector: for the axes of a turn, the turn back. */
export const applyBack = ([a, b, c]: Columns, v: Vec3): Vec3 => vec3(dot(a, v), dot(b, v), dot(c, v));

/** The proper turn nearest to columns in the order of Gram and Schmidt; a column that is nothing gets what the others leave. */
export function orthonormal([a, b]: Columns): Columns {
  const x = length(a) > 0 ? normalize(a) : vec3(1, 0, 0);
  const along = dot(x, b);
  let y = normalize(vec3(b.x - along * x.x, b.y - along * x.y, b.z - along * x.z));
  if (length(y) === 0) y = normalize(cross(Math.abs(x.z) < 0.9 ? vec3(0, 0, 1) : vec3(0, 1, 0), x));
  return [x, y, cross(x, y)];
}

/** A matrix's turn and stretch: stretch first, then turn, is its linear part. */
export function frameOf(m: Matrix): Frame {
  const columns = columnsOf(m);
  const axes = orthonormal(columns);
  return {
    axes,
    stretch: [applyBack(axes, columns[0]), applyBack(axes, columns[1]), applyBack(axes, columns[2])],
  };
}

/** The axes of a turn. */
export function axesOfTurn({ x, y, z, w }: Quaternion): Columns {
  return [
    vec3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
    vec3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
    vec3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
  ];
}

/** The turn of three orthonormal axes, by its largest part first, so that none is read off a small difference. */
export function turnOfAxes([a, b, c]: Columns): Quaternion {
  const trace = a.x + b.y + c.z;
  if (trace > 0) return scaled(b.z - c.y, c.x - a.z, a.y - b.x, 1 + trace);
  if (a.x >= b.y && a.x >= c.z) return scaled(1 + a.x - b.y - c.z, a.y + b.x, c.x + a.z, b.z - c.y);
  if (b.y >= c.z) return scaled(a.y + b.x, 1 + b.y - a.x - c.z, b.z + c.y, c.x - a.z);
  return scaled(c.x + a.z, b.z + c.y, 1 + c.z - a.x - b.y, a.y - b.x);
}

/** The way from one turn to another, the short one, at `share` of it; even enough for the steps of a frame. */
export function turnBetween(from: Quaternion, to: Quaternion, share: number): Quaternion {
  const near = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
  const sign = near < 0 ? -1 : 1;
  const mix = (a: number, b: number) => a + (sign * b - a) * share;
  return scaled(mix(from.x, to.x), mix(from.y, to.y), mix(from.z, to.z), mix(from.w, to.w));
}

/** A turn whose length is 1 but for rounding, at length 1. */
export const unitTurn = ({ x, y, z, w }: Quaternion): Quaternion => scaled(x, y, z, w);

function scaled(x: number, y: number, z: number, w: number): Quaternion {
  const size = Math.hypot(x, y, z, w);
  return { x: x / size, y: y / size, z: z / size, w: w / size };
}

const length = (v: Vec3): number => Math.hypot(v.x, v.y, v.z);
