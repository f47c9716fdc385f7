// A material's maps as floats: what a script's textures say of colour, height, slope, roughness and occlusion, ready to be
// brought to size and to the GPU. Whole-number formats only: a map's numbers stand for 0..1.
import { MoonscapeError } from '../errors.js';
import type { FloatImage } from './mipChain.js';
import { decode, decodeSrgb } from './srgb.js';
import { FORMAT_FACTS, type Texture } from './texture.js';

/** The least upward part of a normal: what tilts further is taken to tilt so far. */
const LEAST_UP = 0.1;

/** Refuses a texture whose numbers do not stand for 0..1. */
export function checkMap(where: string, name: string, texture: Texture): Texture {
  if (FORMAT_FACTS[texture.format].bits === 32)
    throw new MoonscapeError(
      `${where}: ${name} must be of 8 or 16 bits a channel (r8, rg8, rgba8, r16, rg16, rgba16), got ${texture.describe()}`,
    );
  return texture;
}

/** Refuses a normal map without three channels. */
export function checkNormalMap(where: string, name: string, texture: Texture): Texture {
  checkMap(where, name, texture);
  if (texture.channels < 4)
    throw new MoonscapeError(
      `${where}: ${name} must have x, y and z in the first three channels of rgba8 or rgba16, got ${texture.describe()}`,
    );
  return texture;
}

/** Refuses a map of roughness and metal without a green and a blue channel. */
export function checkPairMap(where: string, name: string, texture: Texture): Texture {
  checkMap(where, name, texture);
  if (texture.channels < 4)
    throw new MoonscapeError(
      `${where}: ${name} must have roughness in green and metal in blue of rgba8 or rgba16, got ${texture.describe()}`,
    );
  return texture;
}

/** An image of `width` × `height` texels, all four channels of each being `texel`. */
export function plain(width: number, height: number, texel: readonly number[]): FloatImage {
  const data = new Float32Array(width * height * 4);
  for (let at = 0; at < data.length; at++) data[at] = texel[at & 3];
  return { width, height, data };
}

/** Linear colour, decoded from sRGB; one or two channels are grey. The fourth channel is 1. */
export function colorOf(texture: Texture): FloatImage {
  const { width, height, channels, data: source } = texture;
  const { maximum, bits } = FORMAT_FACTS[texture.format];
  const linear = bits === 8 ? decodeSrgb : (value: number) => decode(value / maximum);
  const image = plain(width, height, [0, 0, 0, 1]);
  const parts = channels === 4 ? [0, 1, 2] : [0, 0, 0];
  for (let from = 0, at = 0; at < image.data.length; from += channels, at += 4)
    for (let part = 0; part < 3; part++) image.data[at + part] = linear(source[from + parts[part]]);
  return image;
}

/** The first channel of `texture`, 0..1, in every channel. */
export const firstOf = (texture: Texture): FloatImage => channelOf(texture, 0);

/** A channel of `texture`, counted from 0, as 0..1 in every channel. */
export function channelOf(texture: Texture, channel: number): FloatImage {
  const { width, height, channels, data: source } = texture;
  const { maximum } = FORMAT_FACTS[texture.format];
  const image = plain(width, height, [0, 0, 0, 0]);
  for (let from = 0, at = 0; at < image.data.length; from += channels, at += 4)
    image.data.fill(source[from + channel] / maximum, at, at + 4);
  return image;
}

/** The slopes of a normal map in the first two channels; green points up the picture, as glTF has it. The others are 1. */
export function slopesOf(texture: Texture): FloatImage {
  const { width, height, channels, data: source } = texture;
  const { maximum } = FORMAT_FACTS[texture.format];
  // The middle number of an even count is 0: 128 of 0..255.
  const middle = (maximum + 1) / 2;
  const image = plain(width, height, [0, 0, 1, 1]);
  for (let from = 0, at = 0; at < image.data.length; from += channels, at += 4) {
    const x = source[from] - middle;
    const y = source[from + 1] - middle;
    const z = Math.max(source[from + 2] - middle, LEAST_UP * middle);
    image.data[at] = x / z;
    image.data[at + 1] = y / z;
  }
  return image;
}

/** Puts channel `from` of `source` into channel `into` of `image`; both have the same sides. */
export function putChannel(image: FloatImage, into: number, source: FloatImage, from: number): void {
  for (let at = 0; at < image.data.length; at += 4) image.data[at + into] = source.data[at + from];
}
