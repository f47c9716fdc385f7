// Pictures beside the one on the screen: what may be asked of them, and how they become pixels. The renderer draws them.
import { checkFields, checkInteger, checkNumber, checkOneOf, refuse } from '../errors.js';

export const CAPTURE_CHANNELS = ['color', 'depth', 'normal'] as const;
export type CaptureChannel = (typeof CAPTURE_CHANNELS)[number];

/** What a capture shows; all of it may be left out. */
export interface CaptureOptions {
  /** Pixels, from 1 to the adapter's limit. With one side alone the other follows the picture's shape; default the picture's size. */
  width?: number;
  height?: number;
  /** What it shows; default "color". */
  channel?: CaptureChannel;
  /** Bits a channel, 8 or 16; default 8, of depth 16 alone. */
  bits?: 8 | 16;
  /** Of depth in a PNG: metres that a step stands for, 1e-6 to 1e6; default 0.1. */
  step?: number;
}

/** A capture whose options are checked. */
export interface CaptureRequest {
  width: number;
  height: number;
  channel: CaptureChannel;
  bits: 8 | 16;
  step: number;
}

/** The pixels of a capture, rows from the top. */
export interface Shot {
  width: number;
  height: number;
  channel: CaptureChannel;
  /**
   * color: rgba, sRGB, bytes or words. depth and normal: floats, four a pixel: the unit normal in world directions, and the depth
   * along the camera's view axis in metres; all 0 where nothing stands.
   */
  data: Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Float32Array<ArrayBuffer>;
}

/** Metres of a step of depth, where none is said: 16 bits reach 6.5 km. */
const STEP = 0.1;
const FIELDS = ['width', 'height', 'channel', 'bits', 'step'];

/**
 * Checks what a capture is asked for.
 * @param shown the picture on the screen; @param most pixels of a side
 */
export function checkCapture(
  where: string,
  options: CaptureOptions,
  shown: { width: number; height: number },
  most: number,
): CaptureRequest {
  checkFields(where, options, FIELDS);
  const channel = checkOneOf(where, 'channel', options.channel ?? 'color', CAPTURE_CHANNELS);
  const bits = options.bits ?? (channel === 'depth' ? 16 : 8);
  if (channel === 'depth' && bits !== 16) refuse(where, 'bits', '16 for the channel "depth"', bits);
  if (bits !== 8 && bits !== 16) refuse(where, 'bits', '8 or 16', bits);
  if (options.step !== undefined && channel !== 'depth')
    refuse(where, 'step', 'left out but for the channel "depth"', options.step);
  const step = checkNumber(where, 'step', options.step ?? STEP, { min: 1e-6, max: 1e6 });
  const range = { min: 1, max: most };
  const given = (name: 'width' | 'height') =>
    options[name] === undefined ? undefined : checkInteger(where, name, options[name], range);
  const [wide, high] = [given('width'), given('height')];
  /** The side that is left out, of the picture's shape: `other` is the one that is given. */
  const follow = (name: 'width' | 'height', other: 'width' | 'height') => {
    const side = Math.max(Math.round((options[other]! * shown[name]) / shown[other]), 1);
    if (side > most)
      refuse(
        where,
        other,
        `such that the ${name}, by the picture's shape ${side}, is at most ${most}`,
        options[other],
      );
    return side;
  };
  const width = wide ?? (high === undefined ? shown.width : follow('width', 'height'));
  const height = high ?? (wide === undefined ? shown.height : follow('height', 'width'));
  return { width, height, channel, bits, step };
}

/** Depth in whole steps, one a pixel: 0 where nothing stands, 65535 for all that is farther. */
export function depthSteps({ data }: Shot, step: number): Uint16Array<ArrayBuffer> {
  const steps = new Uint16Array(data.length / 4);
  for (let i = 0; i < steps.length; i++) {
    const depth = data[i * 4 + 3];
    if (depth > 0) steps[i] = Math.min(Math.max(Math.round(depth / step), 1), 65535);
  }
  return steps;
}

/** Depth in metres, one a pixel, 0 where nothing stands. */
export const depthMetres = ({ data }: Shot): Float32Array<ArrayBuffer> =>
  Float32Array.from({ length: data.length / 4 }, (_, i) => data[i * 4 + 3]);

/** Normals with -1..1 brought onto whole numbers, four a pixel: alpha is 0 where nothing stands, and the colour then the middle. */
export function normalColors(
  { data }: Shot,
  bits: 8 | 16,
): Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> {
  const most = 2 ** bits - 1;
  const colors = bits === 8 ? new Uint8Array(data.length) : new Uint16Array(data.length);
  for (let i = 0; i < data.length; i += 4) {
    for (let k = 0; k < 3; k++) colors[i + k] = Math.round((0.5 + 0.5 * data[i + k]) * most);
    colors[i + 3] = data[i + 3] > 0 ? most : 0;
  }
  return colors;
}

/** Normals as floats, four a pixel: x, y, z and 1, all 0 where nothing stands. */
export function normalFloats({ data }: Shot): Float32Array<ArrayBuffer> {
  const floats = Float32Array.from(data);
  for (let i = 3; i < floats.length; i += 4) floats[i] = floats[i] > 0 ? 1 : 0;
  return floats;
}
