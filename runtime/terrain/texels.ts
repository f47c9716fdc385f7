// The texels of a heightfield on their way in: what a texture must be to stand as ground, the check of every number,
// the height range they span and the copy that a heightfield keeps. Called by heightfield.ts alone.
import { MoonscapeError, refuse, show } from '../errors.js';
import type { Texture } from '../texture/texture.js';

/** Words a texel: height in metres, gradient along X and Z in metres a metre, coverage. */
export const TEXEL_WORDS = 4;

/** Heights in metres, `low` at most `high`. */
export interface HeightRange {
  low: number;
  high: number;
}

/** Refuses a texture that is not ground as terrain.to_texture writes it. */
export function checkGroundTexture(where: string, texture: Texture): void {
  if (typeof texture !== 'object' || texture === null || typeof texture.format !== 'string')
    refuse(where, 'ground', 'a texture', texture);
  if (texture.format !== 'rgba32f')
    throw new MoonscapeError(
      `${where}: the texture's format must be rgba32f (height, two gradients, coverage), got ${texture.format}` +
        `${texture.path === null ? '' : ` (${texture.path})`}; ` +
        'read it as ground with terrain.from_texture and write that with terrain.to_texture',
    );
}

/**
 * Reads every texel once: refuses numbers that are not finite, and heights outside `declared`, each with its count and
 * first place. Returns the range of the heights.
 */
export function scanTexels(where: string, texture: Texture, declared: HeightRange | null): HeightRange {
  const { width, data } = texture;
  let low = Infinity;
  let high = -Infinity;
  // A sum is finite only if all four are; one that overflows is looked at again, number by number.
  for (let at = 0; at < data.length; at += TEXEL_WORDS) {
    const height = data[at];
    if ((height + data[at + 1] + data[at + 2] + data[at + 3]) * 0 !== 0) checkAllFinite(where, texture);
    if (height < low) low = height;
    if (height > high) high = height;
  }
  if (declared && (low < Math.fround(declared.low) || high > Math.fround(declared.high)))
    refuseOutside(where, width, data, declared);
  return { low, high };
}

function checkAllFinite(where: string, { width, data }: Texture): void {
  let count = 0;
  let first = -1;
  for (let texel = 0; texel * TEXEL_WORDS < data.length; texel++) {
    const at = texel * TEXEL_WORDS;
    let channel = 0;
    while (channel < TEXEL_WORDS && Number.isFinite(data[at + channel])) channel++;
    if (channel === TEXEL_WORDS) continue;
    if (count++ === 0) first = at + channel;
  }
  if (count === 0) return;
  const texel = Math.floor(first / TEXEL_WORDS);
  throw new MoonscapeError(
    `${where}: every number of the texels must be finite, got ${count} ${count === 1 ? 'texel' : 'texels'} with one ` +
      `that is not, the first at column ${texel % width}, row ${Math.floor(texel / width)} ` +
      `(channel ${'RGBA'[first % TEXEL_WORDS]} is ${data[first]})`,
  );
}

function refuseOutside(where: string, width: number, data: ArrayLike<number>, declared: HeightRange): never {
  const low = Math.fround(declared.low);
  const high = Math.fround(declared.high);
  let count = 0;
  let first = -1;
  for (let at = 0; at < data.length; at += TEXEL_WORDS) {
    if (data[at] >= low && data[at] <= high) continue;
    if (count++ === 0) first = at;
  }
  const texel = first / TEXEL_WORDS;
  throw new MoonscapeError(
    `${where}: heightRange { ${declared.low}, ${declared.high} } must hold every height, got ${count} outside it, ` +
      `the first at column ${texel % width}, row ${Math.floor(texel / width)} (${data[first]} m)`,
  );
}

/**
 * Copies the texture's texels into `into`. `recorded` is the size in metres the gradients were taken for: where the
 * rect they stand over differs, they are scaled to it, so that they stay metres a metre.
 */
export function copyTexels(
  into: Float32Array,
  texture: Texture,
  recorded: readonly [number, number] | null,
  size: readonly [number, number],
): void {
  into.set(texture.data);
  if (!recorded) return;
  const alongX = recorded[0] / size[0];
  const alongZ = recorded[1] / size[1];
  if (alongX === 1 && alongZ === 1) return;
  for (let at = 0; at < into.length; at += TEXEL_WORDS) {
    into[at + 1] *= alongX;
    into[at + 2] *= alongZ;
  }
}

/** Refuses a texture of another size than the heightfield was opened with. */
export function checkSameSides(where: string, texture: Texture, width: number, height: number): void {
  if (texture.width !== width || texture.height !== height)
    throw new MoonscapeError(
      `${where}: the texture must still have ${width} × ${height} texels, got ${show(texture.width)} × ` +
        `${show(texture.height)}; open it as a new heightfield`,
    );
}
