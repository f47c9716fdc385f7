// A picture at every size down to one texel, as textures on the GPU hold it. What is averaged is what adds up: colours as
// linear light, normals as the slopes they stand for, whose mean is the slope of the smoothed surface; bytes hold sRGB and
// unit normals again. Each size is taken from floats, so that rounding does not add up from level to level.
import { encodeSrgb } from './srgb.js';

/**
 * How four channels become bytes. `color`: sRGB, the fourth as it is; `matter`: the first two are slopes (metres a metre along
 * u and against v) and become the x and y of the unit normal, 128 being 0, the others are as they are; `linear`: all as they are.
 */
export type PixelKind = 'color' | 'matter' | 'linear';

/** Row-major floats, four a texel: linear 0..1, but for the slopes. */
export interface FloatImage {
  width: number;
  height: number;
  data: Float32Array;
}

export interface MipLevel {
  width: number;
  height: number;
  /** rgba8, row-major. */
  data: Uint8Array<ArrayBuffer>;
}

/** How many levels a texture of these sides has, the last of one texel. */
export const levelCount = (width: number, height: number): number =>
  Math.floor(Math.log2(Math.max(width, height))) + 1;

/** All levels of `image`, the first its own size, each side halved (rounded down) from one to the next. */
export function mipChain(image: FloatImage, kind: PixelKind): MipLevel[] {
  const levels = [encode(image, kind)];
  let last = image;
  while (last.width > 1 || last.height > 1) {
    last = shrink(last, Math.max(1, last.width >> 1), Math.max(1, last.height >> 1));
    levels.push(encode(last, kind));
  }
  return levels;
}

/** `image` at other sides: averaged by area where it shrinks, bilinear where it grows: across its repeats, or within its edges. */
export function resize(image: FloatImage, width: number, height: number, repeats = true): FloatImage {
  const across = resampleRows(image, width, repeats);
  return height === image.height ? across : transpose(resampleRows(transpose(across), height, repeats));
}

/** The mean of the first three channels. */
export function meanOf({ width, height, data }: FloatImage): [number, number, number] {
  const sum: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < data.length; at += 4)
    for (let part = 0; part < 3; part++) sum[part] += data[at + part];
  return sum.map((part) => part / (width * height)) as [number, number, number];
}

/** Halves where the sides are even, the common case; else by area. */
function shrink(image: FloatImage, width: number, height: number): FloatImage {
  if (image.width !== width * 2 || image.height !== height * 2) return resize(image, width, height);
  const { data } = image;
  const row = image.width * 4;
  const halved = new Float32Array(width * height * 4);
  for (let j = 0, at = 0; j < height; j++) {
    for (let from = 2 * j * row, i = 0; i < width; i++, from += 8) {
      for (let channel = from; channel < from + 4; channel++, at++)
        halved[at] =
          0.25 * (data[channel] + data[channel + 4] + data[channel + row] + data[channel + row + 4]);
    }
  }
  return { width, height, data: halved };
}

/** Each row at `width` texels. */
function resampleRows(image: FloatImage, width: number, repeats: boolean): FloatImage {
  const { height, data } = image;
  if (width === image.width) return image;
  const shares = width < image.width ? shrinking(image.width, width) : growing(image.width, width, repeats);
  const out = new Float32Array(width * height * 4);
  for (let j = 0; j < height; j++) {
    const row = j * image.width * 4;
    for (const { to, from, part } of shares) {
      const [into, at] = [(j * width + to) * 4, row + from * 4];
      for (let channel = 0; channel < 4; channel++) out[into + channel] += part * data[at + channel];
    }
  }
  return { width, height, data: out };
}

/** What part of texel `from` goes into texel `to`. */
interface Share {
  to: number;
  from: number;
  part: number;
}

function shrinking(from: number, to: number): Share[] {
  const shares: Share[] = [];
  const step = from / to;
  for (let i = 0; i < to; i++) {
    const [low, high] = [i * step, (i + 1) * step];
    for (let k = Math.floor(low); k < high && k < from; k++) {
      const part = (Math.min(k + 1, high) - Math.max(k, low)) / step;
      if (part > 0) shares.push({ to: i, from: k, part });
    }
  }
  return shares;
}

function growing(from: number, to: number, repeats: boolean): Share[] {
  const inside = (texel: number) =>
    repeats ? (texel + from) % from : Math.min(Math.max(texel, 0), from - 1);
  const shares: Share[] = [];
  for (let i = 0; i < to; i++) {
    const place = ((i + 0.5) * from) / to - 0.5;
    const low = Math.floor(place);
    const part = place - low;
    shares.push({ to: i, from: inside(low), part: 1 - part }, { to: i, from: inside(low + 1), part });
  }
  return shares;
}

function transpose({ width, height, data }: FloatImage): FloatImage {
  const turned = new Float32Array(data.length);
  for (let j = 0; j < height; j++) {
    for (let i = 0; i < width; i++) {
      const [at, to] = [(j * width + i) * 4, (i * height + j) * 4];
      for (let channel = 0; channel < 4; channel++) turned[to + channel] = data[at + channel];
    }
  }
  return { width: height, height: width, data: turned };
}

function encode({ width, height, data }: FloatImage, kind: PixelKind): MipLevel {
  const bytes = new Uint8Array(width * height * 4);
  for (let at = 0; at < data.length; at += 4) {
    if (kind === 'color') {
      for (let part = at; part < at + 3; part++) bytes[part] = encodeSrgb(data[part]);
    } else if (kind === 'matter') {
      const up = 1 / Math.hypot(data[at], data[at + 1], 1);
      bytes[at] = toByte(data[at] * up * 127 + 128);
      bytes[at + 1] = toByte(data[at + 1] * up * 127 + 128);
      bytes[at + 2] = toByte(data[at + 2] * 255);
    } else {
      for (let part = at; part < at + 3; part++) bytes[part] = toByte(data[part] * 255);
    }
    bytes[at + 3] = toByte(data[at + 3] * 255);
  }
  return { width, height, data: bytes };
}

const toByte = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
