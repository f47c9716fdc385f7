// The outer form of a PNG: signature, chunks with their lengths and CRCs, and the header's promises. Every fault is an
// error with the byte offset it stands at, so that png.ts only ever sees a whole file. (PNG specification, 3rd edition)
import { MoonscapeError } from '../errors.js';
import { crc32 } from './checksum.js';
import { identifyFile } from './identify.js';
import { MAX_SIDE, MAX_TEXELS } from './texture.js';

export const GREY = 0;
export const RGB = 2;
export const PALETTE = 3;
const GREY_ALPHA = 4;
const RGB_ALPHA = 6;

/** Samples a pixel and the depths that the specification allows, by colour type. */
const COLOUR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[]; name: string }>> = {
  [GREY]: { samples: 1, depths: [1, 2, 4, 8, 16], name: 'grey' },
  [RGB]: { samples: 3, depths: [8, 16], name: 'RGB' },
  [PALETTE]: { samples: 1, depths: [1, 2, 4, 8], name: 'palette' },
  [GREY_ALPHA]: { samples: 2, depths: [8, 16], name: 'grey and alpha' },
  [RGB_ALPHA]: { samples: 4, depths: [8, 16], name: 'RGB and alpha' },
};
/** Deflate packs at most 1032 bytes into one. */
const MOST_INFLATION = 1032;

/** What a PNG's chunks say, the pixels still packed. */
export interface PngParts {
  width: number;
  height: number;
  /** Bits a sample: 1, 2, 4, 8 or 16. */
  depth: number;
  colourType: number;
  /** Samples a pixel in the file. */
  samples: number;
  interlaced: boolean;
  /** RGB triples, or null where there is none. */
  palette: Uint8Array | null;
  /** The tRNS chunk: palette alphas, or the 16-bit colour key; null where there is none. */
  transparency: Uint8Array | null;
  /** The zlib stream. */
  packed: Uint8Array;
  /** Bytes that the zlib stream must inflate to, filter bytes included. */
  unpackedLength: number;
  /** In words: `PNG, 16-bit grey, interlaced`. */
  kind: string;
}

/** One of the pictures that a PNG's stream holds: all of it, or a pass of Adam7. */
export interface PngPass {
  /** The first column and row, and the steps between columns and rows. */
  col: number;
  row: number;
  colStep: number;
  rowStep: number;
  width: number;
  height: number;
}

const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The passes of a picture in their order in the stream, empty ones left out. */
export function pngPasses(width: number, height: number, interlaced: boolean): PngPass[] {
  if (!interlaced) return [{ col: 0, row: 0, colStep: 1, rowStep: 1, width, height }];
  return ADAM7.map(([col, row, colStep, rowStep]) => ({
    col,
    row,
    colStep,
    rowStep,
    width: Math.ceil((width - col) / colStep),
    height: Math.ceil((height - row) / rowStep),
  })).filter((pass) => pass.width > 0 && pass.height > 0);
}

/** Bytes of a row of `width` pixels, without its filter byte. */
export const pngRowBytes = (width: number, { samples, depth }: { samples: number; depth: number }): number =>
  Math.ceil((width * samples * depth) / 8);

type Fail = (text: string) => never;

/** Walks the chunks of a PNG. `fail` throws an error that names the file. */
export function readPngParts(bytes: Uint8Array, fail: Fail): PngParts {
  const kind = identifyFile(bytes);
  if (kind === 'empty') fail('is empty');
  if (kind !== 'PNG') fail(kind ? `is not a PNG, this is a ${kind}` : notPng(bytes));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let parts: PngParts | null = null;
  const packed: Uint8Array[] = [];
  for (let at = 8, ended = false; !ended;) {
    if (at + 12 > bytes.length) fail(`is cut short: it ends at byte ${bytes.length}, before its IEND chunk`);
    const length = view.getUint32(at);
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    if (!/^[A-Za-z]{4}$/.test(name)) fail(`has no chunk at byte ${at}, where one must be`);
    const end = at + 12 + length;
    if (end > bytes.length)
      fail(
        `is cut short: its ${name} chunk at byte ${at} ends at byte ${end}, the file at byte ${bytes.length}`,
      );
    if (crc32(bytes.subarray(at + 4, end - 4)) !== view.getUint32(end - 4))
      fail(`is damaged: the CRC of its ${name} chunk at byte ${at} does not match`);
    const data = bytes.subarray(at + 8, end - 4);
    if (parts === null) {
      if (name !== 'IHDR') fail(`must begin with an IHDR chunk, got ${name} at byte ${at}`);
      parts = readHeader(data, fail);
    } else {
      takeChunk(parts, packed, name, data, at, fail);
      ended = name === 'IEND';
    }
    at = end;
  }
  if (parts === null || packed.length === 0) return fail('has no pixels: there is no IDAT chunk');
  if (parts.colourType === PALETTE && !parts.palette)
    fail('has no PLTE chunk, which a palette picture needs');
  parts.packed = concat(packed);
  if (parts.unpackedLength > parts.packed.length * MOST_INFLATION + MOST_INFLATION)
    fail(
      `is cut short: ${parts.packed.length} packed bytes cannot hold its ${parts.width}×${parts.height} pixels`,
    );
  return parts;
}

function notPng(bytes: Uint8Array): string {
  const start = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `is not a PNG: it must begin with 89 50 4e 47 0d 0a 1a 0a, got ${start}`;
}

function readHeader(data: Uint8Array, fail: Fail): PngParts {
  if (data.length !== 13) fail(`has an IHDR chunk of ${data.length} bytes, it must have 13`);
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  const [width, height] = [view.getUint32(0), view.getUint32(4)];
  const [depth, colourType, compression, filter, interlace] = data.subarray(8);
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_TEXELS)
    fail(`width and height must be 1..${MAX_SIDE} and at most ${MAX_TEXELS} pixels, got ${width}×${height}`);
  const colour = COLOUR_TYPES[colourType];
  if (!colour) return fail(`colour type must be 0, 2, 3, 4 or 6, got ${colourType}`);
  if (!colour.depths.includes(depth))
    fail(`bit depth of a ${colour.name} picture must be one of ${colour.depths.join(', ')}, got ${depth}`);
  if (compression !== 0) fail(`compression method must be 0, got ${compression}`);
  if (filter !== 0) fail(`filter method must be 0, got ${filter}`);
  if (interlace > 1) fail(`interlace method must be 0 or 1, got ${interlace}`);
  const form = { samples: colour.samples, depth };
  const passes = pngPasses(width, height, interlace === 1);
  return {
    width,
    height,
    colourType,
    ...form,
    interlaced: interlace === 1,
    palette: null,
    transparency: null,
    packed: data,
    unpackedLength: passes.reduce((sum, pass) => sum + pass.height * (1 + pngRowBytes(pass.width, form)), 0),
    kind: `PNG, ${depth}-bit ${colour.name}${interlace === 1 ? ', interlaced' : ''}`,
  };
}

/** Takes what matters of a chunk after the header. Colour profiles and gamma are passed over: samples stay as they are. */
function takeChunk(
  parts: PngParts,
  packed: Uint8Array[],
  name: string,
  data: Uint8Array,
  at: number,
  fail: Fail,
): void {
  const { colourType, depth } = parts;
  switch (name) {
    case 'IHDR':
      return fail(`has a second IHDR chunk at byte ${at}`);
    case 'PLTE':
      if (data.length % 3 !== 0 || data.length === 0 || data.length > 768)
        fail(
          `has a PLTE chunk of ${data.length} bytes at byte ${at}, it must have 3 for each of 1..256 colours`,
        );
      if (colourType === PALETTE && data.length / 3 > 2 ** depth)
        fail(`has ${data.length / 3} colours at byte ${at}, at most ${2 ** depth} with ${depth} bits`);
      parts.palette = data;
      break;
    case 'tRNS':
      checkTransparency(parts, data, at, fail);
      parts.transparency = data;
      break;
    case 'IDAT':
      packed.push(data);
      break;
    case 'IEND':
      break;
    default:
      // A capital first letter marks a chunk without which the picture cannot be understood.
      if (name[0] < 'a') fail(`has an unknown critical chunk ${name} at byte ${at}`);
  }
}

function checkTransparency(
  { colourType, palette }: PngParts,
  data: Uint8Array,
  at: number,
  fail: Fail,
): void {
  if (colourType === PALETTE) {
    if (!palette) return fail(`has its tRNS chunk at byte ${at} before a PLTE chunk`);
    if (data.length > palette.length / 3)
      fail(`has ${data.length} alphas for ${palette.length / 3} colours, in its tRNS chunk at byte ${at}`);
    return;
  }
  const expected = colourType === GREY ? 2 : colourType === RGB ? 6 : 0;
  if (expected === 0) fail(`has a tRNS chunk at byte ${at}, which a picture with alpha must not have`);
  if (data.length !== expected)
    fail(`has a tRNS chunk of ${data.length} bytes at byte ${at}, it must have ${expected}`);
}

function concat(arrays: Uint8Array[]): Uint8Array {
  if (arrays.length === 1) return arrays[0];
  const whole = new Uint8Array(arrays.reduce((sum, array) => sum + array.length, 0));
  let at = 0;
  for (const array of arrays) {
    whole.set(array, at);
    at += array.length;
  }
  return whole;
}

/** An error thrower for the file at `path`. */
export const failFor =
  (where: string, path: string): Fail =>
  (text) => {
    throw new MoonscapeError(`${where}: ${path} ${text}`);
  };
