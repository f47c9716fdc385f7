// Ground as texels: of a heightfield (rgba32f, height, gradient along X and Z, coverage), or of weights for layers.
import { MoonscapeError } from '../errors.js';
import { Texture } from '../texture/texture.js';
import { putGradientsX, putGradientsZ } from './gradient.js';
import { checkGround, type Ground } from './ground.js';
import { checkSameRect } from './groundVerbs.js';

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

/** One to four grounds whose heights are weights become the channels of an r8, rg8 or rgba8 texture, in their order. */
const WEIGHT_FORMATS = ['r8', 'rg8', 'rgba8', 'rgba8'] as const;

/**
 * Makes a texture of weights, as layers take them: 0..1 onto 0..255, the nearest; below 0 counts as 0, above 1 as 1, and no
 * data as 0. Three grounds leave the fourth channel 0. Records the size.
 */
export function toWeights(grounds: readonly Ground[]): Texture {
  const where = 'terrain.to_weights';
  if (grounds.length < 1 || grounds.length > 4)
    throw new MoonscapeError(`${where}: give one to four grounds, got ${grounds.length}`);
  grounds.forEach((ground, k) => {
    checkGround(where, `ground ${k + 1}`, ground);
    checkSameRect(where, grounds[0], ground);
  });
  const { width, height, size } = grounds[0];
  const format = WEIGHT_FORMATS[grounds.length - 1];
  const channels = format === 'r8' ? 1 : format === 'rg8' ? 2 : 4;
  const texels = new Uint8Array(width * height * channels);
  grounds.forEach(({ heights, coverage }, channel) => {
    for (let i = 0; i < heights.length; i++) {
      const weight = coverage && coverage[i] === 0 ? 0 : Math.min(1, Math.max(0, heights[i]));
      texels[i * channels + channel] = Math.round(255 * weight);
    }
  });
  const texture = new Texture(width, height, format, texels);
  texture.size = [size.width, size.depth];
  return texture;
}
