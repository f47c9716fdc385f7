// A ray against a heightfield's own triangles, in doubles: what physics.raycast answers for ground. Knows no physics engine.
//
// Straight down and up it is heightAt itself. Any other ray walks the cells under it (Amanatides and Woo, A Fast Voxel
// Traversal Algorithm, 1987) and looks where its height over the surface changes sign. That height is taken once at each
// place where the ray crosses a line between two triangles, from the line's own two texels, and both triangles use it: no
// rounding can lead a ray through the line between them. Rays meet the ground from above and from below.
import type { Heightfield } from './heightfield.js';
import { cellSurface } from './cell.js';
import { TEXEL_WORDS } from './texels.js';
import type { Vec3 } from '../world/vector.js';

/** Where a ray met ground. */
export interface GroundHit {
  /** Metres along the ray. */
  distance: number;
  point: Vec3;
  /** Unit normal of the triangle that was met, on the side that the ray came from. */
  normal: Vec3;
}

/** Stretches this short, metres a metre of distance, are one place: a ray through a corner of four cells crosses two lines there. */
const ONE_PLACE = 1e-12;
/** Heights are this much nearer than the range says, for the first cut of the ray: its end places are rounded. */
const RANGE_SLACK = 1e-6;

/**
 * The nearest ground along a ray, or null. Holes and what is outside the rect are no ground; a ray that starts on the ground
 * meets it at once.
 * @param direction of length 1
 * @param maxDistance metres, at least 0; default unlimited
 */
export function castGroundRay(
  hf: Heightfield,
  origin: Vec3,
  direction: Vec3,
  maxDistance = Infinity,
): GroundHit | null {
  hf.assertOpen('physics.raycast');
  if (direction.x === 0 && direction.z === 0) return castUpright(hf, origin, direction.y, maxDistance);
  return new Walk(hf, origin, direction, maxDistance).run();
}

function castUpright(hf: Heightfield, { x, y, z }: Vec3, dy: number, maxDistance: number): GroundHit | null {
  if (hf.groundState(x, z) !== 'ground') return null;
  const height = hf.heightAt(x, z);
  const distance = (height - y) * Math.sign(dy);
  if (!(distance >= 0 && distance <= maxDistance)) return null;
  const snap = snapOf(hf);
  const u = (x - hf.minX) / hf.texelX - 0.5;
  const v = (z - hf.minZ) / hf.texelZ - 0.5;
  const i = cellOf(u + snap, hf.width);
  const j = cellOf(v + snap, hf.height);
  const normal = normalOf(hf, i, j, u - i + (v - j) > 1);
  return { distance, point: { x, y: height, z }, normal: facing(normal, { x: 0, y: dy, z: 0 }) };
}

/** One ray's way over the cells, places in texels from the first centre. */
class Walk {
  private readonly snap: number;
  // The ray in texels: place at distance t is (u + du t, v + dv t).
  private readonly u: number;
  private readonly v: number;
  private readonly du: number;
  private readonly dv: number;

  constructor(
    private readonly hf: Heightfield,
    private readonly origin: Vec3,
    private readonly direction: Vec3,
    private readonly maxDistance: number,
  ) {
    this.snap = snapOf(hf);
    this.u = (origin.x - hf.minX) / hf.texelX - 0.5;
    this.v = (origin.z - hf.minZ) / hf.texelZ - 0.5;
    this.du = direction.x / hf.texelX;
    this.dv = direction.z / hf.texelZ;
  }

  run(): GroundHit | null {
    const { hf, u, v, du, dv, snap } = this;
    const { width, height } = hf;
    const [start, end] = this.reach();
    if (!(start <= end)) return null;
    let t = start;
    let i = cellOf(u + du * t + snap, width);
    let j = cellOf(v + dv * t + snap, height);
    let over =
      t === 0 ? this.origin.y - hf.heightAt(this.origin.x, this.origin.z) : this.overCell(i, j, start);
    while (i >= -1 && i < width && j >= -1 && j < height) {
      const tu = du > 0 ? (i + 1 - u) / du : du < 0 ? (i - u) / du : Infinity;
      const tv = dv > 0 ? (j + 1 - v) / dv : dv < 0 ? (j - v) / dv : Infinity;
      const next = Math.max(t, Math.min(tu, tv, end));
      const solid = hf.cellHasGround(i, j);
      if (solid || next - t > ONE_PLACE * Math.max(1, t)) {
        const leaving =
          tu <= end && tu <= tv
            ? this.overColumn(du > 0 ? i + 1 : i, j, next)
            : tv <= end
              ? this.overRow(i, dv > 0 ? j + 1 : j, next)
              : this.overCell(i, j, next);
        const hit = solid ? this.inCell(i, j, t, over, next, leaving) : null;
        if (hit) return hit;
        over = leaving;
      }
      if (next >= end && tu > end && tv > end) return null;
      t = next;
      if (tu <= tv) i += du > 0 ? 1 : -1;
      else j += dv > 0 ? 1 : -1;
    }
    return null;
  }

  /** The stretch of the ray that can meet ground: over the rect, between the lowest and the highest ground. */
  private reach(): [number, number] {
    const { hf, origin, direction } = this;
    const { low, high } = hf.heightRange;
    const slack = RANGE_SLACK * (1 + Math.abs(low) + Math.abs(high)) + ONE_PLACE * Math.abs(origin.y);
    const rim = 2 * this.snap;
    let [start, end] = [0, this.maxDistance];
    const clip = (from: number, along: number, least: number, most: number) => {
      if (along === 0) {
        if (from < least || from > most) end = -1;
        return;
      }
      const a = (least - from) / along;
      const b = (most - from) / along;
      start = Math.max(start, Math.min(a, b));
      end = Math.min(end, Math.max(a, b));
    };
    clip(this.u, this.du, -0.5 - rim, hf.width - 0.5 + rim);
    clip(this.v, this.dv, -0.5 - rim, hf.height - 0.5 + rim);
    clip(origin.y, direction.y, low - slack, high + slack);
    return [start, end];
  }

  /** The crossing within a cell, entered at distance `t0` with `over0` metres over the ground, left at `t1` with `over1`. */
  private inCell(
    i: number,
    j: number,
    t0: number,
    over0: number,
    t1: number,
    over1: number,
  ): GroundHit | null {
    const { hf } = this;
    const side0 = this.side(i, j, t0);
    // A rim strip is level across: its two triangles are one plane.
    if (i >= 0 && j >= 0 && i < hf.width - 1 && j < hf.height - 1) {
      const side1 = this.side(i, j, t1);
      if (side0 < 0 !== side1 < 0) {
        const t = between(t0, t1, side0 / (side0 - side1));
        const over = this.overDiagonal(i, j, t);
        return (
          this.crossing(i, j, side0 >= 0, t0, over0, t, over) ??
          this.crossing(i, j, side1 >= 0, t, over, t1, over1)
        );
      }
    }
    return this.crossing(i, j, side0 >= 0, t0, over0, t1, over1);
  }

  /** Below 0 on the (0,0) side of a cell's diagonal. */
  private side(i: number, j: number, t: number): number {
    return this.u + this.du * t - i + (this.v + this.dv * t - j) - 1;
  }

  private crossing(
    i: number,
    j: number,
    far: boolean,
    t0: number,
    over0: number,
    t1: number,
    over1: number,
  ): GroundHit | null {
    if (over0 !== 0 && (over0 > 0 ? over1 > 0 : over1 < 0)) return null;
    const distance = over0 === 0 ? t0 : between(t0, t1, over0 / (over0 - over1));
    const { origin, direction } = this;
    return {
      distance,
      point: {
        x: origin.x + direction.x * distance,
        y: origin.y + direction.y * distance,
        z: origin.z + direction.z * distance,
      },
      normal: facing(normalOf(this.hf, i, j, far), direction),
    };
  }

  /** Metres over the line of column `k` between rows `j` and `j + 1`. */
  private overColumn(k: number, j: number, t: number): number {
    return this.overEdge(t, heightOf(this.hf, k, j), heightOf(this.hf, k, j + 1), this.v + this.dv * t - j);
  }

  /** Metres over the line of row `k` between columns `i` and `i + 1`. */
  private overRow(i: number, k: number, t: number): number {
    return this.overEdge(t, heightOf(this.hf, i, k), heightOf(this.hf, i + 1, k), this.u + this.du * t - i);
  }

  private overDiagonal(i: number, j: number, t: number): number {
    const share = this.u + this.du * t - i;
    return this.overEdge(t, heightOf(this.hf, i, j + 1), heightOf(this.hf, i + 1, j), share);
  }

  private overEdge(t: number, from: number, to: number, share: number): number {
    const s = clamp01(share);
    return this.origin.y + this.direction.y * t - (from + (to - from) * s);
  }

  /** Metres over the surface at a place inside a cell. */
  private overCell(i: number, j: number, t: number): number {
    const { hf } = this;
    const [h00, h10] = [heightOf(hf, i, j), heightOf(hf, i + 1, j)];
    const [h01, h11] = [heightOf(hf, i, j + 1), heightOf(hf, i + 1, j + 1)];
    const fx = clamp01(this.u + this.du * t - i);
    const fz = clamp01(this.v + this.dv * t - j);
    return this.origin.y + this.direction.y * t - cellSurface(h00, h10, h01, h11, fx, fz);
  }
}

/** How far, in texels, rounding may have moved a place; as a heightfield's own queries allow it (fieldRect.ts). */
function snapOf(hf: Heightfield): number {
  const along = (min: number, max: number, texel: number, texels: number) =>
    8 * 2 ** -53 * (Math.max(Math.abs(min), Math.abs(max)) / texel + texels);
  return Math.max(
    along(hf.minX, hf.maxX, hf.texelX, hf.width),
    along(hf.minZ, hf.maxZ, hf.texelZ, hf.height),
  );
}

/** The cell of a place along an axis of `texels`: -1 and texels - 1 are the strips along the rim. */
const cellOf = (place: number, texels: number): number =>
  Math.min(Math.max(Math.floor(place), -1), texels - 1);

/** Metres: the height of the texel nearest to (i, j). */
function heightOf({ cpu, width, height }: Heightfield, i: number, j: number): number {
  const column = i < 0 ? 0 : i < width ? i : width - 1;
  const row = j < 0 ? 0 : j < height ? j : height - 1;
  return cpu[(row * width + column) * TEXEL_WORDS];
}

/** The upward unit normal of a cell's triangle: the one at its (0,0) corner, or the `far` one. */
function normalOf(hf: Heightfield, i: number, j: number, far: boolean): Vec3 {
  const [h10, h01] = [heightOf(hf, i + 1, j), heightOf(hf, i, j + 1)];
  const corner = far ? heightOf(hf, i + 1, j + 1) : heightOf(hf, i, j);
  const x = (far ? h01 - corner : corner - h10) / hf.texelX;
  const z = (far ? h10 - corner : corner - h01) / hf.texelZ;
  const length = Math.hypot(x, 1, z);
  return { x: x / length, y: 1 / length, z: z / length };
}

/** A normal turned to the side that a ray comes from. */
function facing({ x, y, z }: Vec3, direction: Vec3): Vec3 {
  const away = x * direction.x + y * direction.y + z * direction.z > 0;
  return away ? { x: -x, y: -y, z: -z } : { x, y, z };
}

const clamp01 = (value: number) => (value > 0 ? (value < 1 ? value : 1) : 0);

const between = (from: number, to: number, share: number) => from + (to - from) * clamp01(share);
