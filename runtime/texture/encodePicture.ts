// A finished picture as a PNG file, quickly: pixels are stored as their differences to the left and packed by the host's
// own zlib where it has one. Textures that scripts write go through png.ts.
import { zlibSync } from 'fflate';
import { crc32 } from './checksum.js';

/** Packs bytes into a zlib stream. */
export type Deflate = (bytes: Uint8Array) => Uint8Array;

export interface Pixels {
  width: number;
  height: number;
  /** Rows from the top; as many samples a pixel as its length says: 1 (grey) or 4 (red, green, blue, alpha). Words make 16 bits a sample. */
  data: Uint8Array | Uint16Array;
  /** Is written into the file as its comment: printable ASCII. */
  comment?: string;
}

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
/** PNG's numbers for colour types. */
const GREY = 0;
const RGBA = 6;
/** PNG's filter number for differences to the pixel on the left. */
const SUB = 1;

/** @param deflate default: fflate's, at its quickest */
export function encodePicture(
  { width, height, data, comment }: Pixels,
  deflate: Deflate = (bytes) => zlibSync(bytes, { level: 1 }),
): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  const channels = data.length / (width * height);
  // Bits a sample, the colour type; the one packing, the one set of filters, not interlaced.
  header.set([data.BYTES_PER_ELEMENT * 8, channels === 1 ? GREY : RGBA, 0, 0, 0], 8);
  const bytes = data instanceof Uint16Array ? bigEndian(data) : data;
  const chunks = [
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', header),
    ...(comment === undefined ? [] : [chunk('tEXt', latin(`Comment\0${comment}`))]),
    chunk('IDAT', deflate(differences(height, channels * data.BYTES_PER_ELEMENT, bytes))),
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

const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** Words with their high byte first, as PNG has them. */
function bigEndian(words: Uint16Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 2);
  for (let i = 0; i < words.length; i++) {
    bytes[2 * i] = words[i] >> 8;
    bytes[2 * i + 1] = words[i];
  }
  return bytes;
}

/** Rows, each after its filter's number. `apart`: bytes of a pixel. */
function differences(height: number, apart: number, data: Uint8Array): Uint8Array {
  const length = data.length / height;
  const rows = new Uint8Array(height * (length + 1));
  for (let row = 0, from = 0, to = 0; row < height; row++) {
    rows[to++] = SUB;
    for (let i = 0; i < apart; i++) rows[to++] = data[from++];
    for (let i = apart; i < length; i++, from++) rows[to++] = data[from] - data[from - apart];
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
