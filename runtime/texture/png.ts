// PNG pixels, exactly as stored: no colour management, no gamma, no low byte dropped. Decoding is our own over fflate:
// fast-png 8 (which encodes here) reads interlaced pictures of under 8 bits wrongly, answers with half a picture
// where the stream is too short, and inflates colour profiles that nobody asked for.
import { unzlibSync } from 'fflate';
import { encode } from 'fast-png';
import { MoonscapeError } from '../errors.js';
import { adler32 } from './checksum.js';
import {
  failFor,
  GREY,
  PALETTE,
  pngPasses,
  pngRowBytes,
  readPngParts,
  RGB,
  type PngParts,
  type PngPass,
} from './pngChunks.js';
import { FORMAT_FACTS, Texture, type TextureFormat, type TexturePixels } from './texture.js';

/**
 * Decodes a PNG of any kind. Grey stays one channel (1, 2 and 4 bits as their own small numbers in r8), grey with alpha
 * or with a colour key is rg, everything else rgba with the format's maximum where the file has no alpha.
 * Errors name `path`, what is wrong and the byte offset where it is known.
 */
export function decodePng(bytes: Uint8Array, path: string, where = 'texture.load'): Texture {
  const fail = failFor(where, path);
  const parts = readPngParts(bytes, fail);
  const samples = readSamples(parts, fail);
  const { width, height, depth, colourType } = parts;
  const { format, data } = arrange(parts, samples, fail);
  const texture = new Texture(width, height, format, data);
  texture.path = path;
  // A palette's colours have 8 bits, whatever its indices have.
  const bitDepth = colourType === PALETTE ? 8 : depth;
  texture.source = { bitDepth, channels: parts.samples, kind: parts.kind };
  return texture;
}

/** Encodes an 8- or 16-bit texture; float formats are refused. */
export function encodePng(texture: Texture): Uint8Array {
  const { width, height, channels, data } = texture;
  const { bits } = FORMAT_FACTS[texture.format];
  if (bits === 32 || data instanceof Float32Array)
    throw new MoonscapeError(`texture.encodePng: format must be of 8 or 16 bits, got "${texture.format}"`);
  return encode({ width, height, channels, depth: bits, data });
}

type Fail = ReturnType<typeof failFor>;

/** Every sample of the picture, row-major, samples of a pixel side by side. */
function readSamples(parts: PngParts, fail: Fail): Uint8Array | Uint16Array {
  const stream = inflate(parts, fail);
  const { width, height, samples, depth } = parts;
  const target = new (depth === 16 ? Uint16Array : Uint8Array)(width * height * samples);
  const distance = Math.max(1, (samples * depth) / 8);
  let at = 0;
  for (const pass of pngPasses(width, height, parts.interlaced)) {
    const rowBytes = pngRowBytes(pass.width, parts);
    let above: Uint8Array = new Uint8Array(rowBytes);
    for (let j = 0; j < pass.height; j++) {
      const row = stream.subarray(at + 1, at + 1 + rowBytes);
      if (!unfilter(stream[at], row, above, distance))
        fail(`is damaged: row ${pass.row + j * pass.rowStep} has the unknown filter ${stream[at]}`);
      scatterRow(target, row, pass, j, parts);
      above = row;
      at += 1 + rowBytes;
    }
  }
  return target;
}

function inflate({ packed, unpackedLength }: PngParts, fail: Fail): Uint8Array {
  // One byte more than is wanted, so that too much is seen as well.
  const out = new Uint8Array(unpackedLength + 1);
  let length = 0;
  try {
    length = unzlibSync(packed, { out }).length;
  } catch (cause) {
    fail(`is damaged: its pixels do not inflate (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  if (length !== unpackedLength)
    fail(
      `is damaged: its pixels must inflate to ${unpackedLength} bytes, got ${length > unpackedLength ? 'more' : length}`,
    );
  const stream = out.subarray(0, length);
  const tail = new DataView(packed.buffer, packed.byteOffset + packed.length - 4, 4);
  if (adler32(stream) !== tail.getUint32(0)) fail('is damaged: the checksum of its pixels does not match');
  return stream;
}

/** Undoes a row's filter in place. `distance`: bytes to the same byte of the pixel before. False for an unknown filter. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, distance: number): boolean {
  const { length } = row;
  switch (filter) {
    case 0:
      return true;
    case 1:
      for (let i = distance; i < length; i++) row[i] += row[i - distance];
      return true;
    case 2:
      for (let i = 0; i < length; i++) row[i] += above[i];
      return true;
    case 3:
      for (let i = 0; i < Math.min(distance, length); i++) row[i] += above[i] >> 1;
      for (let i = distance; i < length; i++) row[i] += (row[i - distance] + above[i]) >> 1;
      return true;
    case 4:
      // Left of the first pixel all is 0, so that Paeth's choice is the byte above.
      for (let i = 0; i < Math.min(distance, length); i++) row[i] += above[i];
      for (let i = distance; i < length; i++)
        row[i] += paeth(row[i - distance], above[i], above[i - distance]);
      return true;
    default:
      return false;
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const toLeft = Math.abs(up - upLeft);
  const toUp = Math.abs(left - upLeft);
  const toUpLeft = Math.abs(left + up - 2 * upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

/** Puts row `j` of a pass where its pixels stand in the picture. */
function scatterRow(
  target: Uint8Array | Uint16Array,
  row: Uint8Array,
  pass: PngPass,
  j: number,
  { width, samples, depth }: PngParts,
): void {
  const first = ((pass.row + j * pass.rowStep) * width + pass.col) * samples;
  const step = pass.colStep * samples;
  if (depth === 8 && step === samples) {
    target.set(row, first);
    return;
  }
  for (let i = 0, to = first; i < pass.width; i++, to += step) {
    for (let s = 0; s < samples; s++) {
      const n = i * samples + s;
      if (depth === 16) target[to + s] = (row[2 * n] << 8) | row[2 * n + 1];
      else if (depth === 8) target[to + s] = row[n];
      else {
        // Several samples a byte, the first in the high bits.
        const bit = n * depth;
        target[to + s] = (row[bit >> 3] >> (8 - depth - (bit & 7))) & ((1 << depth) - 1);
      }
    }
  }
}

/** Samples as a texture's channels: palettes looked up, colour keys made alpha, RGB widened to rgba. */
function arrange(
  parts: PngParts,
  samples: Uint8Array | Uint16Array,
  fail: Fail,
): { format: TextureFormat; data: TexturePixels } {
  const { colourType, depth, transparency } = parts;
  const bits = depth === 16 ? '16' : '8';
  if (colourType === PALETTE) return { format: 'rgba8', data: lookUp(parts, samples, fail) };
  if (colourType !== RGB && !(colourType === GREY && transparency)) {
    const letters = ({ 1: 'r', 2: 'rg', 4: 'rgba' } as const)[parts.samples as 1 | 2 | 4];
    return { format: `${letters}${bits}`, data: samples };
  }
  const key = transparency ? readKey(transparency, depth) : null;
  return { format: colourType === RGB ? `rgba${bits}` : `rg${bits}`, data: addAlpha(parts, samples, key) };
}

/** The colour key's samples. Of the 16 bits in the file only the picture's own depth counts. */
function readKey(transparency: Uint8Array, depth: number): number[] {
  const view = new DataView(transparency.buffer, transparency.byteOffset, transparency.length);
  return Array.from({ length: transparency.length / 2 }, (_, i) => view.getUint16(i * 2) & (2 ** depth - 1));
}

/** Widens pixels by an alpha: the format's maximum, 0 where all samples are the key's. */
function addAlpha(
  { samples: count, depth }: PngParts,
  samples: Uint8Array | Uint16Array,
  key: number[] | null,
): TexturePixels {
  const pixels = samples.length / count;
  const wide = new (depth === 16 ? Uint16Array : Uint8Array)(pixels * (count + 1));
  const opaque = depth === 16 ? 65535 : 255;
  for (let i = 0, from = 0, to = 0; i < pixels; i++, to++) {
    let keyed = key !== null;
    for (let s = 0; s < count; s++, from++, to++) {
      wide[to] = samples[from];
      if (key !== null && samples[from] !== key[s]) keyed = false;
    }
    wide[to] = keyed ? 0 : opaque;
  }
  return wide;
}

function lookUp({ palette, transparency, width }: PngParts, indices: Uint8Array | Uint16Array, fail: Fail) {
  const colours = palette ?? new Uint8Array(0);
  const count = colours.length / 3;
  const rgba = new Uint8Array(indices.length * 4);
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i];
    if (index >= count)
      fail(
        `is damaged: the pixel at column ${i % width}, row ${Math.floor(i / width)} has the colour ${index} of ${count} (counted from 0)`,
      );
    rgba[i * 4] = colours[index * 3];
    rgba[i * 4 + 1] = colours[index * 3 + 1];
    rgba[i * 4 + 2] = colours[index * 3 + 2];
    rgba[i * 4 + 3] = transparency && index < transparency.length ? transparency[index] : 255;
  }
  return rgba;
}
