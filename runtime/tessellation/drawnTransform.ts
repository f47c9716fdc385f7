// A mesh's matrix as shaders/include/object.wgsl places vertices with it: the linear part rounded to f32, the offset in two
// f32 parts, which is a double here. Carries places to the world and back in doubles, and says which steps of the world's
// coordinates an f32 coordinate of the mesh meets exactly. Used by boundaries.ts.
import type { Matrix } from '../world/vector.js';

/** Units in the last place of f32 numbers by their exponent field, 0..255. */
const ULPS = Float64Array.from({ length: 256 }, (_, exponent) => 2 ** (Math.max(exponent, 1) - 150));
const single = new Float32Array(1);
const bits = new Uint32Array(single.buffer);

/** One unit in the last place of `value` rounded to f32. */
export function ulp32(value: number): number {
  single[0] = value;
  return ULPS[(bits[0] >>> 23) & 255];
}

/** Whether a factor is ±2^k: it loses no bits of a product. */
function isPowerOfTwo(factor: number): boolean {
  single[0] = factor;
  return factor === single[0] && (bits[0] & 0x7fffff) === 0 && Math.abs(factor) > 2 ** -100;
}

/** How many steps on and back a place is looked for that all round to. */
const SEARCH = 4;

export class DrawnTransform {
  /** The linear part, columns, rounded to f32. */
  private readonly linear = new Float64Array(9);
  private readonly inverse = new Float64Array(9);
  /** Along each axis the world's coordinate is that of the mesh times ±2^k plus the offset: translations and mirrored ones. */
  readonly exact: boolean;
  /** There is a way back: the matrix is finite and flattens nothing. */
  readonly invertible: boolean;

  /** @param matrix mesh to world, column-major doubles; kept */
  constructor(private readonly matrix: Matrix) {
    const { linear: l, inverse } = this;
    for (let k = 0; k < 9; k++) l[k] = Math.fround(matrix[Math.floor(k / 3) * 4 + (k % 3)]);
    this.exact =
      [l[1], l[2], l[3], l[5], l[6], l[7]].every((part) => part === 0) &&
      [l[0], l[4], l[8]].every(isPowerOfTwo);
    inverse[0] = l[4] * l[8] - l[7] * l[5];
    inverse[1] = l[7] * l[2] - l[1] * l[8];
    inverse[2] = l[1] * l[5] - l[4] * l[2];
    inverse[3] = l[6] * l[5] - l[3] * l[8];
    inverse[4] = l[0] * l[8] - l[6] * l[2];
    inverse[5] = l[3] * l[2] - l[0] * l[5];
    inverse[6] = l[3] * l[7] - l[6] * l[4];
    inverse[7] = l[6] * l[1] - l[0] * l[7];
    inverse[8] = l[0] * l[4] - l[3] * l[1];
    const determinant = l[0] * inverse[0] + l[3] * inverse[1] + l[6] * inverse[2];
    for (let k = 0; k < 9; k++) inverse[k] /= determinant;
    this.invertible = inverse.every(Number.isFinite) && matrix.every(Number.isFinite);
  }

  /** Writes where the mesh's (x, y, z) is in the world to `out[at..at + 2]`. */
  toWorld(x: number, y: number, z: number, out: Float64Array, at = 0): void {
    const { linear: l, matrix: m } = this;
    out[at] = l[0] * x + l[3] * y + l[6] * z + m[12];
    out[at + 1] = l[1] * x + l[4] * y + l[7] * z + m[13];
    out[at + 2] = l[2] * x + l[5] * y + l[8] * z + m[14];
  }

  /** Writes the mesh's place of the world's (x, y, z) to `out[at..at + 2]`. */
  toLocal(x: number, y: number, z: number, out: Float32Array | Float64Array, at = 0): void {
    const { inverse: i, matrix: m } = this;
    const [dx, dy, dz] = [x - m[12], y - m[13], z - m[14]];
    out[at] = i[0] * dx + i[3] * dy + i[6] * dz;
    out[at + 1] = i[1] * dx + i[4] * dy + i[7] * dz;
    out[at + 2] = i[2] * dx + i[5] * dy + i[8] * dz;
  }

  /** Along a world axis: where the mesh's zero is, metres. */
  offset(axis: number): number {
    return this.matrix[12 + axis];
  }

  /** For an exact transform: metres along a world axis between the places near `world` that f32 coordinates of the mesh reach. */
  stepAt(axis: number, world: number): number {
    const factor = this.linear[axis * 4];
    return Math.abs(factor) * ulp32((world - this.matrix[12 + axis]) / factor);
  }

  /** For an exact transform: what an f32 coordinate of the mesh nearest to `world` is in the world, in f32. */
  nearest(axis: number, world: number): number {
    const factor = this.linear[axis * 4];
    const offset = this.matrix[12 + axis];
    return Math.fround(Math.fround((world - offset) / factor) * factor + offset);
  }
}

/**
 * Moves a place of the world to a near one that the exact transforms among `transforms` all reach with f32 coordinates of
 * their meshes: one that the mesh with the coarsest step reaches. Where the offsets differ by parts of a step (an offset of 0.1
 * beside one of 7) no place is reached by all, and one is taken that is an f32 number, to which place + offset of each rounds.
 * The answer does not depend on the order of `transforms`.
 */
export function settle(world: Float64Array, at: number, transforms: readonly DrawnTransform[]): void {
  const exact = transforms.filter((transform) => transform.exact);
  if (exact.length === 0) return;
  for (let axis = 0; axis < 3; axis++) {
    const value = world[at + axis];
    const steps = exact.map((transform) => transform.stepAt(axis, value));
    let [step, offset] = [0, 0];
    exact.forEach((transform, k) => {
      const there = transform.offset(axis);
      if (steps[k] > step || (steps[k] === step && there > offset)) [step, offset] = [steps[k], there];
    });
    const near = offset + Math.round((value - offset) / step) * step;
    const reached = exact.every((transform, k) => (transform.offset(axis) - offset) % steps[k] === 0);
    world[at + axis] = reached ? near : nearestSingle(axis, near, step, exact);
  }
}

/** The nearest f32 number to `near`, some steps on or back, to which the place of each mesh + its offset rounds; `near` if none is. */
function nearestSingle(axis: number, near: number, step: number, exact: readonly DrawnTransform[]): number {
  if (!exact.every((transform) => Math.fround(transform.offset(axis)) === transform.offset(axis)))
    return near;
  for (let k = 0; k <= 2 * SEARCH; k++) {
    const steps = k % 2 === 0 ? k / 2 : -(k + 1) / 2;
    const candidate = Math.fround(near + steps * step);
    if (exact.every((transform) => transform.nearest(axis, candidate) === candidate)) return candidate;
  }
  return near;
}
