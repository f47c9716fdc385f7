// A raster of any encoding read as ground: the door of the ground graph.
import { checkFields, checkNumber, checkOneOf, MoonscapeError, refuse } from '../errors.js';
import { FORMAT_FACTS, Texture } from '../texture/texture.js';
import { checkFinite, checkGroundSize, makeGround, type Ground } from './ground.js';
import { fillNodata } from './nodata.js';
import { findWarnings, findZeroBorder, mapboxHeight, terrariumHeight } from './reportWarnings.js';

export const ENCODINGS = ['metres', 'gray', 'rgb24', 'mapbox', 'terrarium'] as const;
export type Encoding = (typeof ENCODINGS)[number];

const WHERE = 'terrain.from_texture';
const CHANNEL_LETTERS = ['r', 'g', 'b', 'a'] as const;
/** The greatest number of three 8-bit channels. */
const RGB24_MAXIMUM = 2 ** 24 - 1;

export interface FromTextureOptions {
  /** Default metres for the float formats; whole-number formats must say. */
  encoding?: Encoding;
  /** Metres of the least and the greatest stored number, for gray and rgb24. */
  range?: readonly [number, number];
  /** The channel that holds the heights of metres and gray: 1..4 or r, g, b, a; default the first. */
  channel?: number | string;
  /** Metres, `[width, depth]`; default what the texture records, else one metre a texel. */
  size?: readonly [number, number];
  /** Stored numbers (metres and gray) or heights in metres (the others) that mean no data. NaN is one such number. */
  nodata?: number | readonly number[];
}

/** How one texel becomes metres. */
interface Reading {
  encoding: Encoding;
  /** The channel asked for, counted from 0, or null. */
  channel: number | null;
  /** The number that nodata is compared with. */
  stored: (texel: number) => number;
  /** Metres of a stored number. */
  metres: (stored: number) => number;
  /** Metres a step of the stored number, 0 where it has none. */
  step: number;
}

/**
 * Reads `texture` as ground. The last channel of rg and rgba formats is alpha unless it is the one read. A texel of alpha
 * 0 or that is nodata gets coverage 0 and its nearest neighbour's height. Refuses a whole-number format without an
 * encoding, one with too few channels, a missing range, and heights that are not finite.
 */
export function fromTexture(texture: Texture, options: FromTextureOptions = {}): Ground {
  if (!(texture instanceof Texture)) refuse(WHERE, 'the first argument', 'a texture', texture);
  checkFields(WHERE, options, ['encoding', 'range', 'channel', 'size', 'nodata']);
  const { width, height, data } = texture;
  const reading = chooseReading(texture, options);
  const recorded = texture.size && { width: texture.size[0], depth: texture.size[1] };
  const size = checkGroundSize(WHERE, options.size, recorded ?? { width, depth: height });
  const nodata = checkNodata(options.nodata);
  const heights = new Float32Array(width * height);
  const coverage = readTexels(texture, reading, nodata, heights);
  checkFinite(WHERE, heights, width, 'say nodata = 0/0 to take NaN as no data');
  const bitDepth = texture.source?.bitDepth ?? FORMAT_FACTS[texture.format].bits;
  const [texelX, texelZ] = [size.width / width, size.depth / height];
  const raster = {
    encoding: reading.encoding,
    ...{ width, height, heights, coverage, samples: data, channels: texture.channels, bitDepth },
    channel: reading.channel,
    texel: Math.min(texelX, texelZ),
    step: reading.step,
  };
  if (coverage) fillNodata(WHERE, heights, coverage, width, texelX, texelZ);
  const zeroBorder = findZeroBorder(raster);
  const warnings = findWarnings({ ...raster, zeroBorder });
  const kind = texture.source?.kind ?? texture.format;
  const source = texture.path ? `${texture.path}: ${kind}` : kind;
  const origin = { source, encoding: reading.encoding, bitDepth, zeroBorder, warnings };
  return makeGround(WHERE, { width, height, size, heights, coverage }, origin);
}

/** Heights of every texel, and the coverage, or null where all have data. Heights without data are 0 so far. */
function readTexels(
  { data, channels }: Texture,
  { channel, stored, metres }: Reading,
  nodata: readonly number[],
  heights: Float32Array,
): Uint8Array | null {
  const alpha = channels > 1 && channel !== channels - 1 ? channels - 1 : null;
  let coverage: Uint8Array | null = null;
  for (let i = 0; i < heights.length; i++) {
    const value = stored(i);
    const missing =
      (alpha !== null && data[i * channels + alpha] === 0) || nodata.some((no) => Object.is(no, value));
    if (missing) (coverage ??= new Uint8Array(heights.length).fill(1))[i] = 0;
    else heights[i] = metres(value);
  }
  return coverage;
}

function chooseReading(texture: Texture, options: FromTextureOptions): Reading {
  const { format, data, channels } = texture;
  const { bits } = FORMAT_FACTS[format];
  if (options.encoding === undefined && bits < 32)
    throw new MoonscapeError(
      `${WHERE}: encoding must be given for a texture of whole numbers (${format}), got nothing; it is one of ${ENCODINGS.map((name) => `"${name}"`).join(', ')}`,
    );
  const encoding = checkOneOf(WHERE, 'encoding', options.encoding ?? 'metres', ENCODINGS);
  const single = encoding === 'metres' || encoding === 'gray';
  const ranged = encoding === 'gray' || encoding === 'rgb24';
  if (!single) checkThreeChannels(texture, encoding);
  if (encoding === 'gray' && bits === 32)
    refuse(
      WHERE,
      'encoding',
      `"metres" for ${format}, which has no greatest number for gray to map`,
      encoding,
    );
  if (!ranged && options.range !== undefined)
    refuse(WHERE, 'range', `left out with encoding "${encoding}", which is in metres already`, options.range);
  if (!single && options.channel !== undefined)
    refuse(WHERE, 'channel', `left out with encoding "${encoding}", which takes three`, options.channel);
  const channel = options.channel === undefined ? null : checkChannel(options.channel, channels);
  const first = channel ?? 0;
  const oneChannel = (i: number) => data[i * channels + first];
  const whole = (i: number) => data[i * 4] * 65536 + data[i * 4 + 1] * 256 + data[i * 4 + 2];
  const height = (of: typeof mapboxHeight) => (i: number) =>
    Math.fround(of(data[i * 4], data[i * 4 + 1], data[i * 4 + 2]));
  const same = (value: number) => value;
  switch (encoding) {
    case 'metres':
      return { encoding, channel, stored: oneChannel, metres: same, step: bits === 32 ? 0 : 1 };
    case 'gray': {
      const maximum = grayMaximum(texture);
      const [low, high] = checkRange(encoding, options.range);
      const metres = (value: number) => spread(low, high, value, maximum);
      return { encoding, channel, stored: oneChannel, metres, step: (high - low) / maximum };
    }
    case 'rgb24': {
      const [low, high] = checkRange(encoding, options.range);
      const metres = (value: number) => spread(low, high, value, RGB24_MAXIMUM);
      // Nodata of this encoding is a height, as people read it off the ground.
      return { encoding, channel, stored: (i) => Math.fround(metres(whole(i))), metres: same, step: 0 };
    }
    case 'mapbox':
      return { encoding, channel, stored: height(mapboxHeight), metres: same, step: 0 };
    case 'terrarium':
      return { encoding, channel, stored: height(terrariumHeight), metres: same, step: 0 };
  }
}

/** The place of `value` of 0..maximum in low..high, exact at both ends. */
const spread = (low: number, high: number, value: number, maximum: number): number =>
  value === maximum ? high : low + ((high - low) * value) / maximum;

/** Grey files of 1, 2 and 4 bits keep their small numbers, so their own greatest one is white. */
function grayMaximum({ source, format }: Texture): number {
  return source && source.bitDepth < 8 ? 2 ** source.bitDepth - 1 : FORMAT_FACTS[format].maximum;
}

function checkThreeChannels({ format, channels }: Texture, encoding: Encoding): void {
  if (channels < 3)
    throw new MoonscapeError(
      `${WHERE}: encoding "${encoding}" needs three channels (r, g, b), got ${channels === 1 ? 'one' : 'two'} (${format}); one channel is read as "gray" with a range, or as "metres"`,
    );
  if (format !== 'rgba8')
    throw new MoonscapeError(
      `${WHERE}: encoding "${encoding}" needs channels of 8 bits (rgba8), got ${format}`,
    );
}

function checkChannel(channel: unknown, channels: number): number {
  const letter = CHANNEL_LETTERS.indexOf(channel as 'r');
  const index = letter >= 0 ? letter : Number.isInteger(channel) ? (channel as number) - 1 : -1;
  if (index < 0 || index >= channels) {
    const letters = CHANNEL_LETTERS.slice(0, channels).join(', ');
    refuse(WHERE, 'channel', `one of ${letters}, or its number in 1..${channels}`, channel);
  }
  return index;
}

function checkRange(encoding: Encoding, range: unknown): [number, number] {
  if (!Array.isArray(range) || range.length !== 2)
    refuse(WHERE, 'range', `{ low, high } in metres with encoding "${encoding}"`, range);
  const low = checkNumber(WHERE, 'range low', range[0]);
  return [low, checkNumber(WHERE, 'range high', range[1], { above: low })];
}

/** Nodata values as float32, where that is what they are compared with; -0 counts as 0. */
function checkNodata(nodata: unknown): readonly number[] {
  if (nodata === undefined || nodata === null) return [];
  const values: unknown[] = Array.isArray(nodata) ? nodata : [nodata];
  return values.flatMap((value) => {
    if (typeof value !== 'number') return refuse(WHERE, 'nodata', 'a number or a list of numbers', nodata);
    return value === 0 ? [0, -0] : [Math.fround(value)];
  });
}
