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
/** Share of a unit in the last place up to which a place is met: what doubles lose on the way. */
const MET = 1 / 1024;
/** How many times worse it is to err inward than outward. */
const INWARD = 10;
/** Units in the last place, of the largest coordinate, that leaning outward may cost along an axis. */
const MOST = 1.25;

/** x, y, z. */
export type Direction = readonly [number, number, number];

export class DrawnTransform {
  /** The linear part, columns, rounded to f32. */
  private readonly linear = new Float64Array(9);
  private readonly inverse = new Float64Array(9);
  /** Of the mesh, where `toMesh` is at. */
  private readonly place = new Float64Array(3);
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

  /**
   * Writes the mesh's place of the world's place `world[at..at + 2]` to `out[at..at + 2]`, in f32. Where that is not met exactly,
   * the place is one that lies rather outward of it (`outward`: unit, of the world) than inward or beside: surfaces that go
   * on from each other then overlap by what they cannot meet in, where they would stand apart by it.
   */
  toMesh(world: Float64Array, out: Float32Array, at: number, outward: Direction): void {
    const { inverse: i, matrix: m, place } = this;
    const [dx, dy, dz] = [world[at] - m[12], world[at + 1] - m[13], world[at + 2] - m[14]];
    for (let k = 0; k < 3; k++) {
      place[k] = i[k] * dx + i[k + 3] * dy + i[k + 6] * dz;
      out[at + k] = place[k];
    }
    if (!this.meets(world, out, at)) this.lean(out, at, outward);
  }

  /** Moves `out[at..at + 2]`, nearest to `place`, by up to a unit in the last place along each axis so that it errs outward. */
  private lean(out: Float32Array, at: number, [ux, uy, uz]: Direction): void {
    const { linear: l, place } = this;
    const [x, y, z] = [out[at], out[at + 1], out[at + 2]];
    const [stepX, stepY, stepZ] = [ulp32(x), ulp32(y), ulp32(z)];
    const most = MOST * ulp32(this.magnitude(x, y, z));
    let least = Infinity;
    for (let c = 0; c < 27; c++) {
      const nextX = x + ((c % 3) - 1) * stepX;
      const nextY = y + ((((c / 3) | 0) % 3) - 1) * stepY;
      const nextZ = z + (((c / 9) | 0) - 1) * stepZ;
      const [px, py, pz] = [nextX - place[0], nextY - place[1], nextZ - place[2]];
      const ex = l[0] * px + l[3] * py + l[6] * pz;
      const ey = l[1] * px + l[4] * py + l[7] * pz;
      const ez = l[2] * px + l[5] * py + l[8] * pz;
      const over = ex * ux + ey * uy + ez * uz;
      const squared = ex * ex + ey * ey + ez * ez;
      const beside = Math.sqrt(Math.max(0, squared - over * over));
      // As far outward as beside, so that it overlaps seen from 45° as well; of those the nearest.
      const cost = Math.sqrt(squared) + INWARD * Math.max(0, beside - over);
      if (cost >= least || (c !== 13 && Math.max(Math.abs(ex), Math.abs(ey), Math.abs(ez)) > most)) continue;
      least = cost;
      out[at] = nextX;
      out[at + 1] = nextY;
      out[at + 2] = nextZ;
    }
  }

  /** The largest number that takes part in carrying a place to the world: what rounding is measured by. */
  private magnitude(x: number, y: number, z: number): number {
    const { linear: l, matrix: m } = this;
    let most = 0;
    for (let k = 0; k < 3; k++) {
      const [a, b, c] = [l[k] * x, l[k + 3] * y, l[k + 6] * z];
      most = Math.max(most, Math.abs(a) + Math.abs(b) + Math.abs(c), Math.abs(a + b + c + m[12 + k]));
    }
    return most;
  }

  /** Whether `out[at..at + 2]` is at `world[at..at + 2]`: in what doubles tell apart, or in f32 where that is what was settled on. */
  private meets(world: Float64Array, out: Float32Array, at: number): boolean {
    const { place } = this;
    for (let k = 0; k < 3; k++) {
      if (Math.abs(place[k] - out[at + k]) <= ulp32(place[k]) * MET) continue;
      if (!this.exact || this.nearest(k, world[at + k]) !== world[at + k]) return false;
    }
    return true;
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
