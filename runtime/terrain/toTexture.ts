// Ground as the texels of a heightfield: rgba32f, height, gradient along X and Z, coverage.
import { Texture } from '../texture/texture.js';
import { checkGround, type Ground } from './ground.js';

/**
 * Makes the rgba32f texture of a ground: R metres, G and B the gradient along X and Z in metres a metre (central
 * differences, one-sided at the rim, 0 across a single texel), A 1 with data and 0 without. Records the size.
 */
export function toTexture(ground: Ground): Texture {
  checkGround('terrain.to_texture', 'the first argument', ground);
  const { width, height, heights, coverage, size } = ground;
  const texels = new Float32Array(width * height * 4);
  const texelX = size.width / width;
  const texelZ = size.depth / height;
  for (let row = 0, at = 0; row < height; row++) {
    const north = row > 0 ? width : 0;
    const south = row < height - 1 ? width : 0;
    const runZ = ((north + south) / width) * texelZ;
    for (let col = 0; col < width; col++, at++) {
      const west = col > 0 ? 1 : 0;
      const east = col < width - 1 ? 1 : 0;
      const runX = (west + east) * texelX;
      texels[at * 4] = heights[at];
      texels[at * 4 + 1] = runX > 0 ? (heights[at + east] - heights[at - west]) / runX : 0;
      texels[at * 4 + 2] = runZ > 0 ? (heights[at + south] - heights[at - north]) / runZ : 0;
      texels[at * 4 + 3] = coverage ? coverage[at] : 1;
    }
  }
  const texture = new Texture(width, height, 'rgba32f', texels);
  texture.size = [size.width, size.depth];
  return texture;
}
