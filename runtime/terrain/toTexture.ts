// Ground as the texels of a heightfield: rgba32f, height, gradient along X and Z, coverage.
import { Texture } from '../texture/texture.js';
import { putGradientsX, putGradientsZ } from './gradient.js';
import { checkGround, type Ground } from './ground.js';

/**
 * Makes the rgba32f texture of a ground: R metres, G and B the gradient along X and Z in metres a metre (central
 * differences, one-sided at the rim, 0 across a single texel), A 1 with data and 0 without. Records the size.
 */
export function toTexture(ground: Ground): Texture {
  checkGround('terrain.to_texture', 'the first argument', ground);
  const { width, height, heights, coverage, size } = ground;
  const texels = new Float32Array(width * height * 4);
  for (let at = 0; at < width * height; at++) {
    texels[at * 4] = heights[at];
    texels[at * 4 + 3] = coverage ? coverage[at] : 1;
  }
  const grid = { texels, width, height, texelX: size.width / width, texelZ: size.depth / height };
  const all = { col: 0, row: 0, cols: width, rows: height };
  putGradientsX(grid, all);
  putGradientsZ(grid, all);
  const texture = new Texture(width, height, 'rgba32f', texels);
  texture.size = [size.width, size.depth];
  return texture;
}
