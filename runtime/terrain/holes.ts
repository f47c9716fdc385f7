// Where a heightfield has no ground. A mask is brought to the field's own texels once, when it is read, so that every
// later decision (hasGroundAt, the collider, a quad of the mesh) is one look-up by whole numbers.
import { MoonscapeError, refuse } from '../errors.js';
import type { Texture } from '../texture/texture.js';
import { TEXEL_WORDS } from './texels.js';

/** One byte a texel of the field, row-major: 0 cuts out the cell between texel centres (i, j) and (i + 1, j + 1). */
export interface HoleMask {
  width: number;
  height: number;
  data: Uint8Array;
}

/**
 * A holes texture as the mask of a field of `width` × `height` texels; only the value 0 of its first channel cuts.
 *
 * A mask of the field's own size is taken texel by texel. One of another size is sampled at the same places, which are
 * the centres of the field's texels over the rect that both cover: field column i reads mask column
 * floor((i + 1/2) × M / W), in whole numbers floor((2i + 1) M / 2W), which is i itself when M = W. So a mask's own
 * resolution never moves a hole by more than half a texel of the coarser of the two.
 */
export function readMask(where: string, texture: Texture, width: number, height: number): HoleMask {
  if (typeof texture !== 'object' || texture === null || typeof texture.width !== 'number')
    refuse(where, 'holes', 'a texture', texture);
  if (!(texture.width >= 1 && texture.height >= 1))
    throw new MoonscapeError(
      `${where}: holes must be a texture of at least 1 × 1 texels, got ${texture.width} × ${texture.height}`,
    );
  const { data: source, channels } = texture;
  const data = new Uint8Array(width * height);
  const columns = sampledAt(width, texture.width);
  const rows = sampledAt(height, texture.height);
  for (let j = 0; j < height; j++) {
    const row = rows[j] * texture.width;
    for (let i = 0; i < width; i++) data[j * width + i] = source[(row + columns[i]) * channels] === 0 ? 0 : 1;
  }
  return { width, height, data };
}

/** The mask column (or row) that each of a field's `texels` reads from a mask of `from`. */
function sampledAt(texels: number, from: number): Uint32Array {
  return Uint32Array.from({ length: texels }, (_, i) => Math.floor(((2 * i + 1) * from) / (2 * texels)));
}

/** Cuts out each texel whose coverage is 0, on top of `mask`. Returns null where nothing is cut. */
export function cutUncovered(mask: HoleMask | null, texture: Texture): HoleMask | null {
  const { width, height, data: source } = texture;
  let cut = mask;
  for (let texel = 0; texel < width * height; texel++) {
    if (source[texel * TEXEL_WORDS + 3] !== 0) continue;
    cut ??= { width, height, data: new Uint8Array(width * height).fill(1) };
    cut.data[texel] = 0;
  }
  return cut;
}
