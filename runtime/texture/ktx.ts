// `.texture` files: KTX 2.0 with one level, through ktx-parse. Guid, size in metres and what the pixels came from stand
// in the key/value data; pixels travel bit for bit, under zlib where that makes the file smaller.
import { unzlibSync, zlibSync } from 'fflate';
import {
  createDefaultContainer,
  KHR_DF_CHANNEL_RGBSDA_ALPHA,
  KHR_DF_MODEL_RGBSDA,
  KHR_DF_SAMPLE_DATATYPE_FLOAT,
  KHR_DF_SAMPLE_DATATYPE_SIGNED,
  KHR_DF_TRANSFER_LINEAR,
  KHR_SUPERCOMPRESSION_NONE,
  KHR_SUPERCOMPRESSION_ZLIB,
  read,
  VK_FORMAT_R16G16B16A16_UNORM,
  VK_FORMAT_R16G16_UNORM,
  VK_FORMAT_R16_UNORM,
  VK_FORMAT_R32G32B32A32_SFLOAT,
  VK_FORMAT_R32_SFLOAT,
  VK_FORMAT_R8G8B8A8_UNORM,
  VK_FORMAT_R8G8_UNORM,
  VK_FORMAT_R8_UNORM,
  write,
} from 'ktx-parse';
import type { KTX2BasicFormatSample, KTX2Container, VKFormat } from 'ktx-parse';
import { MoonscapeError } from '../errors.js';
import { adler32 } from './checksum.js';
import { identifyFile } from './identify.js';
import {
  allocatePixels,
  FORMAT_FACTS,
  MAX_SIDE,
  MAX_TEXELS,
  Texture,
  TEXTURE_FORMATS,
  type TextureFormat,
  type TextureSource,
} from './texture.js';

const VK_FORMATS: Readonly<Record<TextureFormat, VKFormat>> = {
  r8: VK_FORMAT_R8_UNORM,
  rg8: VK_FORMAT_R8G8_UNORM,
  rgba8: VK_FORMAT_R8G8B8A8_UNORM,
  r16: VK_FORMAT_R16_UNORM,
  rg16: VK_FORMAT_R16G16_UNORM,
  rgba16: VK_FORMAT_R16G16B16A16_UNORM,
  r32f: VK_FORMAT_R32_SFLOAT,
  rgba32f: VK_FORMAT_R32G32B32A32_SFLOAT,
};
/** Identifier, header and the index entry of one level. */
const HEADER_BYTES = 12 + 17 * 4 + 3 * 8;
/** Bits of 1 and -1 as float32: the range that a float sample states. */
const FLOAT_ONE = 0x3f800000;
const FLOAT_MINUS_ONE = 0xbf800000 | 0;
/** Deflate makes at most this many bytes of one. */
const DEFLATE_MOST = 1032;
const KEY_GUID = 'moonscape.guid';
const KEY_SIZE = 'moonscape.size';
const KEY_SOURCE = 'moonscape.source';

/** Whether `bytes` start as a KTX 2.0 file. */
export const isTextureFile = (bytes: Uint8Array): boolean => identifyFile(bytes) === 'KTX 2.0';

/** The bytes of a `.texture` that holds `texture` under `guid`. */
export function writeTexture(texture: Texture, guid: string): Uint8Array {
  const { format, data } = texture;
  const { channels, bits } = FORMAT_FACTS[format];
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength) as Uint8Array<ArrayBuffer>;
  const packed = zlibSync(raw) as Uint8Array<ArrayBuffer>;
  const smaller = packed.length < raw.length;
  const container = createDefaultContainer();
  container.vkFormat = VK_FORMATS[format];
  container.typeSize = bits / 8;
  container.pixelWidth = texture.width;
  container.pixelHeight = texture.height;
  container.levelCount = 1;
  container.supercompressionScheme = smaller ? KHR_SUPERCOMPRESSION_ZLIB : KHR_SUPERCOMPRESSION_NONE;
  container.levels = [{ levelData: smaller ? packed : raw, uncompressedByteLength: raw.length }];
  const [descriptor] = container.dataFormatDescriptor;
  descriptor.colorModel = KHR_DF_MODEL_RGBSDA;
  descriptor.transferFunction = KHR_DF_TRANSFER_LINEAR;
  descriptor.bytesPlane = [(channels * bits) / 8, 0, 0, 0, 0, 0, 0, 0];
  descriptor.samples = Array.from({ length: channels }, (_, channel) => describeChannel(channel, bits));
  container.keyValue = { KTXorientation: 'rd', [KEY_GUID]: guid };
  if (texture.size) container.keyValue[KEY_SIZE] = JSON.stringify(texture.size);
  if (texture.source) container.keyValue[KEY_SOURCE] = JSON.stringify(texture.source);
  return write(container);
}

function describeChannel(channel: number, bits: number): KTX2BasicFormatSample {
  const float = bits === 32;
  return {
    bitOffset: channel * bits,
    bitLength: bits - 1,
    channelType:
      (channel === 3 ? KHR_DF_CHANNEL_RGBSDA_ALPHA : channel) |
      (float ? KHR_DF_SAMPLE_DATATYPE_FLOAT | KHR_DF_SAMPLE_DATATYPE_SIGNED : 0),
    samplePosition: [0, 0, 0, 0],
    sampleLower: float ? FLOAT_MINUS_ONE : 0,
    sampleUpper: float ? FLOAT_ONE : 2 ** bits - 1,
  };
}

/** Reads a `.texture`; `path` and `where` are for messages. Takes KTX 2.0 files of other writers too, of our formats. */
export function readTexture(bytes: Uint8Array, path: string, where = 'texture.load'): Texture {
  const fail: Fail = failFor(where, path);
  const container = parseContainer(bytes, fail);
  const { pixelWidth: width, pixelHeight: height } = container;
  const format = TEXTURE_FORMATS.find((name) => VK_FORMATS[name] === container.vkFormat);
  if (!format)
    return fail(
      `vkFormat must be one of ${TEXTURE_FORMATS.map((name) => `${VK_FORMATS[name]} (${name})`).join(', ')}, got ${container.vkFormat}`,
    );
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_TEXELS)
    fail(`width and height must be 1..${MAX_SIDE} and at most ${MAX_TEXELS} texels, got ${width}×${height}`);
  if (container.pixelDepth > 0 || container.layerCount > 0 || container.faceCount !== 1)
    fail(
      `must be one plain picture, got depth ${container.pixelDepth}, ${container.layerCount} layers, ${container.faceCount} faces`,
    );
  if (
    container.supercompressionScheme !== KHR_SUPERCOMPRESSION_ZLIB &&
    container.supercompressionScheme !== KHR_SUPERCOMPRESSION_NONE
  )
    fail(`supercompression must be none (0) or zlib (3), got ${container.supercompressionScheme}`);
  const { levelData } = container.levels[0];
  const { channels, bits } = FORMAT_FACTS[format];
  const packed = container.supercompressionScheme === KHR_SUPERCOMPRESSION_ZLIB;
  // Before the pixels' memory is asked for: a few bytes must not be able to claim gigabytes.
  if (packed && (width * height * channels * bits) / 8 > levelData.length * DEFLATE_MOST)
    fail(
      `${width}×${height} texels of ${format} cannot come out of ${levelData.length} bytes of compressed pixels`,
    );
  if (!packed && levelData.length !== (width * height * channels * bits) / 8)
    fail(
      `${width}×${height} texels of ${format} must be ${(width * height * channels * bits) / 8} bytes, got ${levelData.length}`,
    );
  const pixels = allocatePixels(format, width * height);
  const raw = new Uint8Array(pixels.buffer);
  if (packed) inflateInto(raw, levelData, fail);
  else raw.set(levelData);
  const texture = new Texture(width, height, format, pixels);
  readKeys(texture, container, fail);
  return texture;
}

/**
 * The guid that a `.texture` carries, or null where there is none. `bytes` may be the first part of a file; `undefined` says
 * that they end before the key/value data does. Bytes that are no `.texture` have no guid.
 */
export function readGuid(bytes: Uint8Array): string | null | undefined {
  if (!isTextureFile(bytes)) return null;
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = view.getUint32(56, true);
  const end = first + view.getUint32(60, true);
  if (end > bytes.length) return undefined;
  // Entries of a length, a key, a NUL and a value, each padded to four bytes.
  for (let at = first; at + 4 <= end;) {
    const length = view.getUint32(at, true);
    const entry = bytes.subarray(at + 4, Math.min(at + 4 + length, end));
    const split = entry.indexOf(0);
    if (split >= 0 && new TextDecoder().decode(entry.subarray(0, split)) === KEY_GUID)
      return plainText(new TextDecoder().decode(entry.subarray(split + 1)));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return null;
}

/** The guid of a whole `.texture`, whose parts are held against its length; its pixels are left packed. Errors as of readTexture. */
export function checkTexture(bytes: Uint8Array, path: string, where: string): string | null {
  return textOf(parseContainer(bytes, failFor(where, path)), KEY_GUID);
}

type Fail = (text: string, cause?: unknown) => never;

function failFor(where: string, path: string): Fail {
  return (text, cause) => {
    throw new MoonscapeError(`${where}: ${path}${text.startsWith('is ') ? '' : ':'} ${text}`, { cause });
  };
}

/** ktx-parse reads where the header points, so what it points at is held against the file's length here. */
function parseContainer(bytes: Uint8Array, fail: Fail): KTX2Container {
  if (!isTextureFile(bytes)) fail(bytes.length === 0 ? 'is empty' : 'is not a KTX 2.0 file');
  if (bytes.length < HEADER_BYTES)
    fail(`is cut short: it ends at byte ${bytes.length}, inside its header of ${HEADER_BYTES} bytes`);
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const levels = Math.max(header.getUint32(40, true), 1);
  const ends: [string, number][] = [
    ['its level index', 80 + levels * 24],
    ['its format descriptor', header.getUint32(48, true) + header.getUint32(52, true)],
    ['its key/value data', header.getUint32(56, true) + header.getUint32(60, true)],
    ['its pixels', Number(header.getBigUint64(80, true)) + Number(header.getBigUint64(88, true))],
  ];
  for (const [part, end] of ends) {
    if (end > bytes.length) fail(`is cut short: it ends at byte ${bytes.length}, ${part} at byte ${end}`);
  }
  try {
    // A copy whose buffer ends where the file does, so that nothing is read past it.
    return read(bytes.slice());
  } catch (cause) {
    return fail(`is a broken KTX 2.0 file: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function inflateInto(target: Uint8Array, packed: Uint8Array, fail: Fail): void {
  // One byte more than is wanted, so that too much is seen as well.
  const out = new Uint8Array(target.length + 1);
  let length = 0;
  try {
    length = unzlibSync(packed, { out }).length;
  } catch (cause) {
    fail(
      `its compressed pixels are broken: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
  if (length !== target.length)
    fail(
      `its pixels must inflate to ${target.length} bytes, got ${length > target.length ? 'more' : length}`,
    );
  target.set(out.subarray(0, length));
  const tail = new DataView(packed.buffer, packed.byteOffset + packed.length - 4, 4);
  if (adler32(target) !== tail.getUint32(0)) fail('the checksum of its compressed pixels does not match');
}

function readKeys(texture: Texture, container: KTX2Container, fail: Fail): void {
  texture.guid = textOf(container, KEY_GUID);
  const size = jsonOf(container, KEY_SIZE, fail);
  if (size !== null) {
    if (!Array.isArray(size) || size.length !== 2 || !size.every((side) => Number.isFinite(side) && side > 0))
      fail(`${KEY_SIZE} must be two lengths in metres, got ${JSON.stringify(size)}`);
    texture.size = [(size as number[])[0], (size as number[])[1]];
  }
  const source = jsonOf(container, KEY_SOURCE, fail) as TextureSource | null;
  if (source !== null) {
    const { bitDepth, channels, kind } = source;
    if (!Number.isInteger(bitDepth) || !Number.isInteger(channels) || typeof kind !== 'string')
      fail(`${KEY_SOURCE} must name bitDepth, channels and kind, got ${JSON.stringify(source)}`);
    texture.source = { bitDepth, channels, kind };
  }
}

/** A key's text without its closing NUL, or null where the key is missing. */
function textOf(container: KTX2Container, key: string): string | null {
  const value = Object.hasOwn(container.keyValue, key) ? container.keyValue[key] : undefined;
  if (value === undefined) return null;
  return plainText(typeof value === 'string' ? value : new TextDecoder().decode(value));
}

const plainText = (text: string) => text.replace(/\0+$/, '') || null;

function jsonOf(container: KTX2Container, key: string, fail: Fail): unknown {
  const text = textOf(container, key);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    return fail(`${key} must be JSON, got ${text}`, cause);
  }
}
