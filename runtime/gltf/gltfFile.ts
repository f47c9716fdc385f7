// A glTF 2.0 file as far as its bytes go: the GLB container, the JSON, and the buffers, embedded, in data URIs or in files of
// the project. Everything is checked here, before the library that decodes accessors (gltfMesh.ts) sees it: that one reads
// past ends in silence. After "glTF 2.0" by Khronos, sections 3.6 and 4.4.
import type { Assets } from '../assets/assets.js';
import { MoonscapeError, refuse, show } from '../errors.js';
import { identifyFile } from '../texture/identify.js';

/** A JSON object whose parts are still to be checked. */
export type Part = Readonly<Record<string, unknown>>;

export interface GltfFile {
  /** `<where>: <path>`, which every message begins with. */
  at: string;
  json: Part;
  /** The bytes of a buffer by its number; read once, at first need. */
  buffer(index: number): Promise<Uint8Array<ArrayBuffer>>;
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
const HEADER_BYTES = 12;
const CHUNK_HEADER_BYTES = 8;

/** Extensions that a file may require: they leave the triangles as plain glTF has them, or change their number formats alone. */
const KNOWN =
  /^KHR_(mesh_quantization|materials_.*|texture_.*|lights_.*|xmp.*)$|^EXT_(texture_.*|lights_.*)$/;

/** Reads a .gltf or a .glb, told apart by their content. `where` names the caller in errors. */
export async function readGltf(assets: Assets, where: string, path: string): Promise<GltfFile> {
  const bytes = await assets.read(where, path);
  const at = `${where}: ${path}`;
  const { text, rest } = isContainer(bytes) ? unpack(at, bytes) : { text: bytes, rest: null };
  const json = parse(at, text);
  checkAsset(at, json);
  const buffers = partsOf(at, json, 'buffers');
  const read: (Promise<Uint8Array<ArrayBuffer>> | undefined)[] = [];
  return {
    at,
    json,
    buffer: (index) => (read[index] ??= readBuffer({ assets, at, path, rest }, buffers[index], index)),
  };
}

/** The list `name` of a part, empty where it is left out; each item a JSON object. */
export function partsOf(at: string, part: Part, name: string): Part[] {
  const list = part[name] ?? [];
  if (!Array.isArray(list)) refuse(at, name, 'a list', list);
  return list.map((item, i) => asPart(at, `${name}[${i}]`, item));
}

export function asPart(at: string, name: string, value: unknown): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(at, name, 'a JSON object', value);
  return value as Part;
}

/** The number of an item of `list`, a whole number under its length. */
export function checkIndex(at: string, name: string, value: unknown, list: readonly unknown[]): number {
  const length = list.length;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value >= length)
    refuse(at, name, length === 0 ? 'left out, as there are none' : `an integer in 0..${length - 1}`, value);
  return value;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const isContainer = (bytes: Uint8Array) => bytes.length >= 4 && viewOf(bytes).getUint32(0, true) === MAGIC;

/** The JSON and the first binary chunk of a GLB. */
function unpack(at: string, bytes: Uint8Array): { text: Uint8Array; rest: Uint8Array | null } {
  const view = viewOf(bytes);
  if (bytes.length < HEADER_BYTES) throw new MoonscapeError(`${at} is cut: a GLB has a header of 12 bytes`);
  const version = view.getUint32(4, true);
  if (version !== 2) refuse(at, 'the version of its container', '2', version);
  const length = view.getUint32(8, true);
  if (length > bytes.length)
    throw new MoonscapeError(`${at} is cut: its header says ${length} bytes, and there are ${bytes.length}`);
  let text: Uint8Array | null = null;
  let rest: Uint8Array | null = null;
  for (let from = HEADER_BYTES; from < length;) {
    const start = from + CHUNK_HEADER_BYTES;
    const end = start <= length ? start + view.getUint32(from, true) : Infinity;
    if (end > length)
      throw new MoonscapeError(`${at} is cut: the chunk at byte ${from} runs past the end at byte ${length}`);
    const kind = view.getUint32(from + 4, true);
    if (text === null && kind !== JSON_CHUNK)
      throw new MoonscapeError(`${at}: the first chunk of a GLB must be its JSON, and this one is not`);
    if (kind === JSON_CHUNK) text ??= bytes.subarray(start, end);
    if (kind === BIN_CHUNK) rest ??= bytes.subarray(start, end);
    from = end;
  }
  if (text === null) throw new MoonscapeError(`${at}: a GLB must have a chunk of JSON, and this has none`);
  return { text, rest };
}

function parse(at: string, bytes: Uint8Array): Part {
  const kind = identifyFile(bytes);
  const first = /\S/.exec(new TextDecoder().decode(bytes.subarray(0, 64)).replace(/^\uFEFF/, ''))?.[0];
  if (first !== '{')
    throw new MoonscapeError(
      `${at} must be a glTF 2.0 file (.gltf or .glb), ${bytes.length === 0 || kind === 'empty' ? 'but it is empty' : kind ? `but this is a ${kind}` : 'and it starts like neither'}`,
    );
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text) as Part;
  } catch (cause) {
    throw new MoonscapeError(
      `${at} must hold its description in JSON, but ${cause instanceof SyntaxError ? cause.message : 'it is not UTF-8 text'}`,
      { cause },
    );
  }
}

function checkAsset(at: string, json: Part): void {
  const { version, minVersion } = asPart(at, 'asset', json.asset);
  if (typeof version !== 'string' || !/^2\.\d+$/.test(version)) refuse(at, 'asset.version', '"2.0"', version);
  if (minVersion !== undefined && minVersion !== '2.0') refuse(at, 'asset.minVersion', '"2.0"', minVersion);
  const required = json.extensionsRequired ?? [];
  if (!Array.isArray(required)) refuse(at, 'extensionsRequired', 'a list', required);
  for (const name of required as unknown[])
    if (typeof name !== 'string' || !KNOWN.test(name))
      throw new MoonscapeError(
        `${at} needs the glTF extension ${show(name)}, which is not read here; export the model without it`,
      );
}

interface Surroundings {
  assets: Assets;
  at: string;
  path: string;
  /** The binary chunk of a GLB. */
  rest: Uint8Array | null;
}

async function readBuffer(
  { assets, at, path, rest }: Surroundings,
  part: Part,
  index: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = `buffers[${index}]`;
  const { uri, byteLength } = part;
  if (typeof byteLength !== 'number' || !Number.isInteger(byteLength) || byteLength < 1)
    refuse(at, `${name}.byteLength`, 'an integer of at least 1', byteLength);
  let bytes: Uint8Array;
  if (uri === undefined) {
    if (index !== 0 || rest === null)
      throw new MoonscapeError(
        `${at}: ${name} has no data: it names no uri, and ${rest === null ? 'the file has no binary chunk' : 'only the first buffer is the binary chunk'}`,
      );
    bytes = rest;
  } else if (typeof uri !== 'string') refuse(at, `${name}.uri`, 'a string', uri);
  else if (/^data:/i.test(uri)) bytes = decodeDataUri(at, `${name}.uri`, uri);
  else bytes = await assets.read(`${at}: ${name}`, besides(at, `${name}.uri`, path, uri));
  if (bytes.length < byteLength)
    throw new MoonscapeError(`${at}: ${name} must have ${byteLength} bytes, and there are ${bytes.length}`);
  return new Uint8Array(bytes.subarray(0, byteLength));
}

/** The path of a file that a uri names from the folder of `path`; what it may not name is for Assets to refuse. */
function besides(at: string, name: string, path: string, uri: string): string {
  let file: string;
  try {
    file = decodeURIComponent(uri);
  } catch {
    refuse(at, name, 'a uri with whole percent escapes', uri);
  }
  if (file.startsWith('/') || /^[a-z][a-z0-9+.-]*:/i.test(file))
    refuse(at, name, "a data uri, or a file relative to the model's own folder", uri);
  return path.slice(0, path.lastIndexOf('/') + 1) + file;
}

function decodeDataUri(at: string, name: string, uri: string): Uint8Array {
  const comma = uri.indexOf(',');
  if (comma < 0 || !/;base64$/i.test(uri.slice(0, comma)))
    refuse(at, name, 'a data uri in base64', uri.slice(0, 40));
  try {
    return Uint8Array.from(atob(uri.slice(comma + 1)), (letter) => letter.charCodeAt(0));
  } catch {
    refuse(at, name, 'a data uri in base64, and its text is none', uri.slice(0, 40));
  }
}
