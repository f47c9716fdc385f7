// A PNG encoder for the specs, written from the specification over node:zlib alone, so that it can judge our decoder:
// every colour type and depth, every filter, palettes, transparency, Adam7, and files with faults on purpose.
import { crc32 as zlibCrc32, deflateSync } from 'node:zlib';

export interface PngImage {
  width: number;
  height: number;
  depth: 1 | 2 | 4 | 8 | 16;
  /** 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha. */
  colourType: 0 | 2 | 3 | 4 | 6;
  /** Row-major samples, samples of a pixel side by side, each in 0..2^depth - 1. */
  samples: ArrayLike<number>;
  interlaced?: boolean;
  /** The filter of a row, counted over all passes; default row mod 5. */
  filter?: (row: number) => number;
  palette?: number[];
  transparency?: number[];
  /** Further chunks, after IHDR. */
  extra?: Uint8Array[];
  /** Cuts the pixels into IDAT chunks of this many bytes. */
  split?: number;
  /** Changes the unpacked stream, to break it. */
  spoil?: (stream: Buffer) => Buffer;
}

const SAMPLES = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const PASSES = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/** One chunk: length, name, data, CRC. */
export function chunk(name: string, data: Uint8Array | number[]): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), Buffer.from(data)]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length - 4);
  const crc = Buffer.alloc(4);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

// node:zlib has crc32 since 20.15; the bitwise form stands in before that.
function crc32(bytes: Buffer): number {
  if (typeof zlibCrc32 === 'function') return zlibCrc32(bytes);
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return (crc ^ -1) >>> 0;
}

export function makePng(image: PngImage): Uint8Array {
  const { width, height, depth, colourType, interlaced = false } = image;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colourType, 0, 0, interlaced ? 1 : 0], 8);
  const passes = interlaced ? PASSES : [{ x: 0, y: 0, dx: 1, dy: 1 }];
  const rows: Buffer[] = [];
  for (const pass of passes) encodePass(image, pass, rows);
  const stream = Buffer.concat(rows);
  const packed = deflateSync(image.spoil ? image.spoil(stream) : stream);
  const split = image.split ?? packed.length;
  const parts = [Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]), chunk('IHDR', header)];
  parts.push(...(image.extra ?? []).map((bytes) => Buffer.from(bytes)));
  if (image.palette) parts.push(chunk('PLTE', image.palette));
  if (image.transparency) parts.push(chunk('tRNS', image.transparency));
  for (let at = 0; at < packed.length; at += split)
    parts.push(chunk('IDAT', packed.subarray(at, at + split)));
  parts.push(chunk('IEND', []));
  return new Uint8Array(Buffer.concat(parts));
}

function encodePass(image: PngImage, pass: (typeof PASSES)[number], rows: Buffer[]): void {
  const { width, height, depth, colourType, samples } = image;
  const perPixel = SAMPLES[colourType];
  let before: Buffer | null = null;
  for (let y = pass.y; y < height; y += pass.dy) {
    let bits = '';
    for (let x = pass.x; x < width; x += pass.dx) {
      for (let s = 0; s < perPixel; s++) {
        bits += samples[(y * width + x) * perPixel + s].toString(2).padStart(depth, '0');
      }
    }
    if (bits === '') return;
    bits = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0');
    const line = Buffer.from(bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2)));
    const filter = image.filter ? image.filter(rows.length) : rows.length % 5;
    rows.push(filterRow(line, before, filter, Math.max(1, (perPixel * depth) / 8)));
    before = line;
  }
}

function filterRow(line: Buffer, before: Buffer | null, filter: number, distance: number): Buffer {
  const out = Buffer.alloc(line.length + 1);
  out[0] = filter;
  for (let i = 0; i < line.length; i++) {
    const a = i >= distance ? line[i - distance] : 0;
    const b = before ? before[i] : 0;
    const c = before && i >= distance ? before[i - distance] : 0;
    const near = [a, b, c].map((value) => Math.abs(a + b - c - value));
    const paeth = near[0] <= near[1] && near[0] <= near[2] ? a : near[1] <= near[2] ? b : c;
    const predicted = [0, a, b, Math.floor((a + b) / 2), paeth][filter] ?? 0;
    out[i + 1] = (line[i] - predicted) & 255;
  }
  return out;
}
