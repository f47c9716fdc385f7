// Whole-number hashes of a scatter's cells: what is random about a place comes from its cell and the seed alone, so that
// the same scene gives the same bytes and an edit moves nothing elsewhere. PCG in four dimensions, from Jarzynski and
// Olano, "Hash Functions for GPU Rendering" (JCGT 9(3), 2020): each output bit turns on every input bit.

/** Four words, each of 32 bits, unsigned. */
export type Words = Uint32Array;

/** Writes the hash of four whole numbers (taken modulo 2^32) to `out[0..3]`, which it returns. */
export function hashCell(out: Words, a: number, b: number, c: number, d: number): Words {
  let x = (Math.imul(a, 1664525) + 1013904223) | 0;
  let y = (Math.imul(b, 1664525) + 1013904223) | 0;
  let z = (Math.imul(c, 1664525) + 1013904223) | 0;
  let w = (Math.imul(d, 1664525) + 1013904223) | 0;
  x = (x + Math.imul(y, w)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  w = (w + Math.imul(y, z)) | 0;
  x ^= x >>> 16;
  y ^= y >>> 16;
  z ^= z >>> 16;
  w ^= w >>> 16;
  x = (x + Math.imul(y, w)) | 0;
  y = (y + Math.imul(z, x)) | 0;
  z = (z + Math.imul(x, y)) | 0;
  w = (w + Math.imul(y, z)) | 0;
  out[0] = x;
  out[1] = y;
  out[2] = z;
  out[3] = w;
  return out;
}

/** A word as a number in 0 (inclusive) .. 1 (exclusive). */
export const unit = (word: number): number => word / 2 ** 32;
