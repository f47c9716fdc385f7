// Pixels on the CPU. Files become a Texture (png.ts, ktx.ts), scripts make one, the ground graph reads and writes it, and
// a heightfield takes its texels from it. Nothing here knows a GPU or a file.
import { checkFields, checkInteger, checkOneOf, MoonscapeError, refuse, show } from '../errors.js';

export const TEXTURE_FORMATS = ['r8', 'rg8', 'rgba8', 'r16', 'rg16', 'rgba16', 'r32f', 'rgba32f'] as const;
export type TextureFormat = (typeof TEXTURE_FORMATS)[number];
export type TexturePixels = Uint8Array | Uint16Array | Float32Array;

/** The longest side of a texture, in texels. */
export const MAX_SIDE = 65536;
/** The most texels of a texture: 2 GiB of rgba32f. */
export const MAX_TEXELS = 2 ** 27;

interface FormatFacts {
  channels: 1 | 2 | 4;
  /** Bits of one channel. */
  bits: 8 | 16 | 32;
  /** The greatest value of a channel; Infinity for the float formats. */
  maximum: number;
}

/** Channels, bits a channel and greatest value of each format. */
export const FORMAT_FACTS: Readonly<Record<TextureFormat, FormatFacts>> = {
  r8: { channels: 1, bits: 8, maximum: 255 },
  rg8: { channels: 2, bits: 8, maximum: 255 },
  rgba8: { channels: 4, bits: 8, maximum: 255 },
  r16: { channels: 1, bits: 16, maximum: 65535 },
  rg16: { channels: 2, bits: 16, maximum: 65535 },
  rgba16: { channels: 4, bits: 16, maximum: 65535 },
  r32f: { channels: 1, bits: 32, maximum: Infinity },
  rgba32f: { channels: 4, bits: 32, maximum: Infinity },
};

/** What the file held that a texture was read from. */
export interface TextureSource {
  /** Bits a channel, as in the file: 1, 2, 4, 8, 16 or 32. */
  bitDepth: number;
  /** Channels in the file, before anything was added (an RGB file has 3, a palette 1). */
  channels: number;
  /** In words: `PNG, 16-bit grey`. */
  kind: string;
}

export type TexelFunction = (col: number, row: number) => ArrayLike<number> | number;

export interface TextureOptions {
  /** Texels, 1..65536 a side and at most 2^27 in all. */
  width: number;
  height: number;
  format: TextureFormat;
  /** Row-major numbers, channels interleaved, or a function that answers a texel's channels. */
  data: ArrayLike<number> | TexelFunction;
}

export interface TextureUpdate {
  /** The first column and row that change; default 0. */
  col?: number;
  row?: number;
  /** How many columns and rows change; default up to the far edge. */
  width?: number;
  height?: number;
  data: ArrayLike<number> | TexelFunction;
}

/** Refuses sides that are not whole numbers in 1..65536 or that make more than 2^27 texels. */
export function checkSides(where: string, width: unknown, height: unknown): void {
  const columns = checkInteger(where, 'width', width, { min: 1, max: MAX_SIDE });
  const rows = checkInteger(where, 'height', height, { min: 1, max: MAX_SIDE });
  if (columns * rows > MAX_TEXELS)
    refuse(where, 'width × height', `at most ${MAX_TEXELS} texels`, columns * rows);
}

/** An array for `texels` texels of `format`, all zero. */
export function allocatePixels(format: TextureFormat, texels: number): TexturePixels {
  const { channels, bits } = FORMAT_FACTS[format];
  if (bits === 8) return new Uint8Array(texels * channels);
  return bits === 16 ? new Uint16Array(texels * channels) : new Float32Array(texels * channels);
}

/**
 * Pixels on the CPU, row-major, channels interleaved; whole-number formats hold their whole numbers (0..255, 0..65535).
 * Row 0 is the -Z (north) edge of ground made of it.
 */
export class Texture {
  readonly width: number;
  readonly height: number;
  readonly format: TextureFormat;
  readonly channels: 1 | 2 | 4;
  /** Set when the texture was read from or written to a `.texture`. */
  guid: string | null = null;
  path: string | null = null;
  /** Metres, `[width, depth]`, if recorded (terrain.to_texture does). */
  size: readonly [number, number] | null = null;
  source: TextureSource | null = null;
  /** Counts the updates. */
  revision = 0;
  /** The texture whose pixels these are too, so that its updates change them. */
  original: Texture | null = null;
  #data: TexturePixels | null;

  /** Takes `data` as it is, without a copy: for decoders. Scripts come in through `create`. */
  constructor(width: number, height: number, format: TextureFormat, data: TexturePixels) {
    this.width = width;
    this.height = height;
    this.format = format;
    this.channels = FORMAT_FACTS[format].channels;
    this.#data = data;
  }

  /** Makes a texture of a script's numbers; a value that the format cannot hold is refused with its place. */
  static create(options: TextureOptions): Texture {
    const where = 'texture.create';
    checkFields(where, options, ['width', 'height', 'format', 'data']);
    const { width, height } = options;
    checkSides(where, width, height);
    const format = checkOneOf(where, 'format', options.format, TEXTURE_FORMATS);
    return new Texture(width, height, format, collectTexels(where, width, height, format, options.data));
  }

  get data(): TexturePixels {
    if (!this.#data) throw new MoonscapeError(`texture: ${this.describe()} is destroyed`);
    return this.#data;
  }

  get destroyed(): boolean {
    return this.#data === null;
  }

  /** For messages: `the 87×61 r16 texture source/maunga-whau.png`. */
  describe(): string {
    return `the ${this.width}×${this.height} ${this.format} texture${this.path ? ` ${this.path}` : ''}`;
  }

  /** The channel values of a texel. */
  read(col: number, row: number): number[] {
    checkInteger('texture.read', 'col', col, { min: 0, max: this.width - 1 });
    checkInteger('texture.read', 'row', row, { min: 0, max: this.height - 1 });
    const at = (row * this.width + col) * this.channels;
    return Array.from(this.data.subarray(at, at + this.channels));
  }

  /** Replaces a rectangle of texels; nothing changes if any value is refused. */
  update(options: TextureUpdate): void {
    const where = 'texture.update';
    const target = this.data;
    checkFields(where, options, ['col', 'row', 'width', 'height', 'data']);
    const col = checkInteger(where, 'col', options.col ?? 0, { min: 0, max: this.width - 1 });
    const row = checkInteger(where, 'row', options.row ?? 0, { min: 0, max: this.height - 1 });
    const width = options.width ?? this.width - col;
    const height = options.height ?? this.height - row;
    checkInteger(where, 'width', width, { min: 1, max: this.width - col });
    checkInteger(where, 'height', height, { min: 1, max: this.height - row });
    const texels = collectTexels(where, width, height, this.format, options.data);
    const run = width * this.channels;
    for (let j = 0; j < height; j++) {
      target.set(texels.subarray(j * run, (j + 1) * run), ((row + j) * this.width + col) * this.channels);
    }
    this.revision++;
  }

  /** Lets go of the pixels. Using the texture afterwards is an error; a second destroy is not. */
  destroy(): void {
    this.#data = null;
  }
}

/** `width` × `height` texels of `data`, checked and copied. */
function collectTexels(
  where: string,
  width: number,
  height: number,
  format: TextureFormat,
  data: unknown,
): TexturePixels {
  const { channels, maximum } = FORMAT_FACTS[format];
  if (typeof data === 'function') return callTexels(where, width, height, format, data as TexelFunction);
  const values = data as ArrayLike<number>;
  if (typeof data !== 'object' || data === null || typeof values.length !== 'number')
    refuse(where, 'data', 'a list of numbers or a function', data);
  const length = width * height * channels;
  if (values.length !== length)
    refuse(where, 'data', `${length} numbers (${width}×${height} texels of ${format})`, values.length);
  const pixels = allocatePixels(format, width * height);
  for (let i = 0; i < length; i++) {
    const value = values[i];
    if (!holds(value, maximum)) refuseValue(where, width, channels, maximum, i, value);
  }
  pixels.set(values);
  return pixels;
}

/** Asks `texel` for every texel, row by row. */
function callTexels(
  where: string,
  width: number,
  height: number,
  format: TextureFormat,
  texel: TexelFunction,
): TexturePixels {
  const { channels, maximum } = FORMAT_FACTS[format];
  const pixels = allocatePixels(format, width * height);
  let at = 0;
  for (let row = 0; row < height; row++) {
    for (let col = 0; col < width; col++) {
      const answer = texel(col, row);
      const values = typeof answer === 'number' ? [answer] : answer;
      if (typeof values !== 'object' || values === null || values.length !== channels)
        refuse(where, `data(${col}, ${row})`, channels === 1 ? 'a number' : `${channels} numbers`, answer);
      for (let channel = 0; channel < channels; channel++, at++) {
        if (!holds(values[channel], maximum))
          refuseValue(where, width, channels, maximum, at, values[channel]);
        pixels[at] = values[channel];
      }
    }
  }
  return pixels;
}

const holds = (value: unknown, maximum: number): boolean =>
  typeof value === 'number' &&
  (maximum === Infinity || (Number.isInteger(value) && value >= 0 && value <= maximum));

function refuseValue(
  where: string,
  width: number,
  channels: number,
  maximum: number,
  at: number,
  value: unknown,
): never {
  const texel = Math.floor(at / channels);
  const rule = maximum === Infinity ? 'a number' : `a whole number in 0..${maximum}`;
  throw new MoonscapeError(
    `${where}: data at column ${texel % width}, row ${Math.floor(texel / width)}, channel ${(at % channels) + 1} ` +
      `must be ${rule}, got ${show(value)}`,
  );
}
