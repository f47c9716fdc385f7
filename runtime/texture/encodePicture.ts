// A finished picture as a PNG file, quickly: pixels are stored as their differences to the left and packed by the host's
// own zlib where it has one. Textures that scripts write go through png.ts.
import { zlibSync } from 'fflate';
import { crc32 } from './checksum.js';

/** Packs bytes into a zlib stream. */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const CHANNELS = 4;
/** PNG's filter number for differences to the pixel on the left. */
const SUB = 1;

/**
 * @param data rgba, 8 bits, width × height × 4 bytes, rows from the top
 * @param deflate default: fflate's, at its quickest
 */
export function encodePicture(
  { width, height, data }: { width: number; height: number; data: Uint8Array },
  deflate: Deflate = (bytes) => zlibSync(bytes, { level: 1 }),
): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  // 8 bits a sample, red, green, blue and alpha; the one packing, the one set of filters, not interlaced.
  header.set([8, 6, 0, 0, 0], 8);
  const chunks = [
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('IDAT', deflate(differences(width, height, data))),
    chunk('IEND', new Uint8Array(0)),
  ];
  const file = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of chunks) {
    file.set(bytes, at);
    at += bytes.length;
  }
  return file;
}

/** Rows, each after its filter's number. */
function differences(width: number, height: number, data: Uint8Array): Uint8Array {
  const length = width * CHANNELS;
  const rows = new Uint8Array(height * (length + 1));
  for (let row = 0, from = 0, to = 0; row < height; row++) {
    rows[to++] = SUB;
    for (let i = 0; i < CHANNELS; i++) rows[to++] = data[from++];
    for (let i = CHANNELS; i < length; i++, from++) rows[to++] = data[from] - data[from - CHANNELS];
  }
  return rows;
}

/** Length, name, content, and the checksum of the name and the content. */
function chunk(name: string, content: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(content.length + 12);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, content.length);
  for (let i = 0; i < 4; i++) bytes[4 + i] = name.charCodeAt(i);
  bytes.set(content, 8);
  view.setUint32(bytes.length - 4, crc32(bytes.subarray(4, bytes.length - 4)));
  return bytes;
}
