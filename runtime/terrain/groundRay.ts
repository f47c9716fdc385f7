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
  return walk(hf, origin, direction, maxDistance);
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

/** One ray's way over the cells; u and v are places in texels from the first centre, t metres along the ray. */
function walk(hf: Heightfield, origin: Vec3, direction: Vec3, maxDistance: number): GroundHit | null {
  const { cpu, width, height } = hf;
  const { y } = origin;
  const dy = direction.y;
  const u = (origin.x - hf.minX) / hf.texelX - 0.5;
  const v = (origin.z - hf.minZ) / hf.texelZ - 0.5;
  const du = direction.x / hf.texelX;
  const dv = direction.z / hf.texelZ;
  const snap = snapOf(hf);

  // The stretch of the ray that can meet ground: over the rect, between the lowest and the highest ground.
  const { low, high } = hf.heightRange;
  const slack = RANGE_SLACK * (1 + Math.abs(low) + Math.abs(high)) + ONE_PLACE * Math.abs(y);
  const rim = 0.5 + 2 * snap;
  let start = Math.max(enters(u, du, -rim, width - 1 + rim), enters(v, dv, -rim, height - 1 + rim));
  start = Math.max(0, start, enters(y, dy, low - slack, high + slack));
  let end = Math.min(leaves(u, du, -rim, width - 1 + rim), leaves(v, dv, -rim, height - 1 + rim));
  end = Math.min(maxDistance, end, leaves(y, dy, low - slack, high + slack));
  if (!(start <= end)) return null;

  let t = start;
  let i = cellOf(u + du * t + snap, width);
  let j = cellOf(v + dv * t + snap, height);
  // Metres over the ground at t; not a number until it is known.
  let over = t === 0 ? y - hf.heightAt(origin.x, origin.z) : NaN;
  while (i >= -1 && i < width && j >= -1 && j < height) {
    const tu = du > 0 ? (i + 1 - u) / du : du < 0 ? (i - u) / du : Infinity;
    const tv = dv > 0 ? (j + 1 - v) / dv : dv < 0 ? (j - v) / dv : Infinity;
    const crossing = tu < tv ? tu : tv;
    const next = Math.max(t, crossing < end ? crossing : end);
    const solid = hf.mask === null || hf.cellHasGround(i, j);
    if (solid || next - t > ONE_PLACE * Math.max(1, t)) {
      const left = i < 0 ? 0 : i;
      const right = i + 1 < width ? i + 1 : width - 1;
      const top = (j < 0 ? 0 : j) * width;
      const bottom = (j + 1 < height ? j + 1 : height - 1) * width;
      const h00 = cpu[(top + left) * TEXEL_WORDS];
      const h10 = cpu[(top + right) * TEXEL_WORDS];
      const h01 = cpu[(bottom + left) * TEXEL_WORDS];
      const h11 = cpu[(bottom + right) * TEXEL_WORDS];
      const fx = clamp01(u + du * next - i);
      const fz = clamp01(v + dv * next - j);
      if (over !== over)
        over = y + dy * t - cellSurface(h00, h10, h01, h11, clamp01(u + du * t - i), clamp01(v + dv * t - j));
      // On the line through which it leaves the height is that line's own, whichever cell asks.
      let ground: number;
      if (crossing > end) ground = cellSurface(h00, h10, h01, h11, fx, fz);
      else if (tu <= tv) ground = du > 0 ? h10 + (h11 - h10) * fz : h00 + (h01 - h00) * fz;
      else ground = dv > 0 ? h01 + (h11 - h01) * fx : h00 + (h10 - h00) * fx;
      const leaving = y + dy * next - ground;
      if (solid) {
        const side0 = u + du * t - i + (v + dv * t - j) - 1;
        const side1 = u + du * next - i + (v + dv * next - j) - 1;
        // A rim strip is level across: its two triangles are one plane.
        const bent = side0 < 0 !== side1 < 0 && i >= 0 && j >= 0 && i + 1 < width && j + 1 < height;
        if (bent) {
          const middle = between(t, next, side0 / (side0 - side1));
          const overDiagonal = y + dy * middle - (h01 + (h10 - h01) * clamp01(u + du * middle - i));
          if (crosses(over, overDiagonal))
            return hitAt(hf, i, j, side0 >= 0, origin, direction, crossingOf(t, over, middle, overDiagonal));
          if (crosses(overDiagonal, leaving))
            return hitAt(
              hf,
              i,
              j,
              side1 >= 0,
              origin,
              direction,
              crossingOf(middle, overDiagonal, next, leaving),
            );
        } else if (crosses(over, leaving)) {
          return hitAt(hf, i, j, side0 >= 0, origin, direction, crossingOf(t, over, next, leaving));
        }
      }
      over = leaving;
    }
    if (crossing > end) return null;
    t = next;
    if (tu <= tv) i += du > 0 ? 1 : -1;
    else j += dv > 0 ? 1 : -1;
  }
  return null;
}

/** Where a ray enters the stretch least..most of an axis, metres along it; past every end where it never does. */
function enters(from: number, along: number, least: number, most: number): number {
  if (along === 0) return from < least || from > most ? Infinity : -Infinity;
  return ((along > 0 ? least : most) - from) / along;
}

/** Where it leaves that stretch. */
function leaves(from: number, along: number, least: number, most: number): number {
  return along === 0 ? Infinity : ((along > 0 ? most : least) - from) / along;
}

/** Whether a height over the ground that goes from one to another comes to the ground. */
const crosses = (from: number, to: number): boolean => (from > 0 ? to <= 0 : from === 0 || to >= 0);

const crossingOf = (t0: number, over0: number, t1: number, over1: number): number =>
  over0 === 0 ? t0 : between(t0, t1, over0 / (over0 - over1));

function hitAt(
  hf: Heightfield,
  i: number,
  j: number,
  far: boolean,
  origin: Vec3,
  direction: Vec3,
  distance: number,
): GroundHit {
  const point = {
    x: origin.x + direction.x * distance,
    y: origin.y + direction.y * distance,
    z: origin.z + direction.z * distance,
  };
  return { distance, point, normal: facing(normalOf(hf, i, j, far), direction) };
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
