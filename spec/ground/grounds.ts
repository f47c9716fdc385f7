// Grounds and small helpers that the ground specs share.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { fromTexture } from '../../runtime/terrain/fromTexture.js';
import type { Ground } from '../../runtime/terrain/ground.js';
import { Texture } from '../../runtime/texture/texture.js';

/** Ground of the heights that `height(col, row)` answers, each as float32. */
export function groundOf(
  width: number,
  height: number,
  heightAt: (col: number, row: number) => number,
  size?: [number, number],
): Ground {
  return fromTexture(Texture.create({ width, height, format: 'r32f', data: heightAt }), { size });
}

/** The plane base + x·slopeX + z·slopeZ, x and z in metres from the rect's corner, at texel centres. */
export function plane(
  width: number,
  height: number,
  size: [number, number],
  [base, slopeX, slopeZ]: [number, number, number],
): Ground {
  const [texelX, texelZ] = [size[0] / width, size[1] / height];
  const at = (col: number, row: number) =>
    base + (col + 0.5) * texelX * slopeX + (row + 0.5) * texelZ * slopeZ;
  return groundOf(width, height, at, size);
}

/** Any ground of up to `side` texels a side: hills, steps, plateaus and far-off heights; -0 is 0. */
export const anyGround = (side: number) =>
  fc.tuple(fc.integer({ min: 1, max: side }), fc.integer({ min: 1, max: side })).chain(([width, height]) =>
    fc
      .array(fc.oneof(fc.constantFrom(0, 1, -1, 1e6), fc.float({ min: -1000, max: 1000, noNaN: true })), {
        minLength: width * height,
        maxLength: width * height,
      })
      .map((heights) => groundOf(width, height, (col, row) => heights[row * width + col] + 0)),
  );

/** sha256 of the heights' little-endian float32 bytes. */
export const hashOf = ({ heights }: Ground): string =>
  createHash('sha256')
    .update(new Uint8Array(heights.buffer, heights.byteOffset, heights.byteLength))
    .digest('hex');
