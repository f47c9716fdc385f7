// What an entity's matrix makes of lengths, so that displacement is metres of the world whatever the entity is scaled by.
import type { Matrix } from '../world/vector.js';

/** Shares under which a matrix is taken to leave lengths alone, or to stretch as it did before. */
const SAME = 1e-6;

/** xx, yy, zz, xy, xz, yz of Mᵀ · M. Null where M leaves lengths alone, and where it flattens, so that there is nothing to be seen. */
export function stretchOf(m: Matrix): Float32Array<ArrayBuffer> | null {
  const of = (a: number, b: number) => m[a] * m[b] + m[a + 1] * m[b + 1] + m[a + 2] * m[b + 2];
  const parts = [of(0, 0), of(4, 4), of(8, 8), of(0, 4), of(0, 8), of(4, 8)];
  const most = Math.max(parts[0], parts[1], parts[2]);
  const across = Math.max(...parts.slice(3).map(Math.abs));
  if (across < SAME && parts.slice(0, 3).every((part) => Math.abs(part - 1) < SAME)) return null;
  if (!(leastSquare(parts) > most * 1e-18)) return null;
  return Float32Array.from(parts, (part) => (Math.abs(part) < most * 1e-7 ? 0 : part));
}

/** Whether two stretches differ by no more than the rounding of a turn. */
export function alikeStretch(a: Float32Array | null, b: Float32Array | null): boolean {
  if (!a || !b) return a === b;
  const most = Math.max(a[0], a[1], a[2]);
  return a.every((part, k) => Math.abs(part - b[k]) <= SAME * most);
}

/** The least factor by which a stretch multiplies a length. */
export const leastStretch = (stretch: Float32Array | null): number =>
  stretch ? Math.sqrt(Math.max(leastSquare([...stretch]), 0)) : 1;

/** The least eigenvalue of a symmetric 3×3 matrix (Smith, CACM 4(4), 1961). */
function leastSquare([xx, yy, zz, xy, xz, yz]: number[]): number {
  const off = xy * xy + xz * xz + yz * yz;
  if (off === 0) return Math.min(xx, yy, zz);
  const mean = (xx + yy + zz) / 3;
  const [a, b, c] = [xx - mean, yy - mean, zz - mean];
  const p = Math.sqrt((a * a + b * b + c * c + 2 * off) / 6);
  const half = (a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)) / (2 * p * p * p);
  const angle = Math.acos(Math.min(Math.max(half, -1), 1)) / 3;
  return mean + 2 * p * Math.cos(angle + (2 * Math.PI) / 3);
}
