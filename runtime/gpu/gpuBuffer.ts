// A buffer that scripts and features hold: vertices, indices or plain words, usable by draws and by kernels. Made by
// terrainMesh, by renderer.buffer and by the primitives; whoever creates one destroys it.
import { checkInteger, checkOneOf, MoonscapeError, refuse } from '../errors.js';
import type { Gpu } from './gpu.js';

/** How the words of a buffer are read: `f32` single floats, `u32` whole numbers in 0..2^32-1. */
const WORD_TYPES = ['f32', 'u32'] as const;
export type WordType = (typeof WORD_TYPES)[number];

export interface GpuBufferOptions {
  /** Bytes, a positive multiple of 4. Either this or `data`. */
  size?: number;
  /** What the buffer holds from the start; a typed array as it is, other lists as words of `type`. */
  data?: ArrayLike<number>;
  /** Default `f32`, or the typed array's own. */
  type?: WordType;
  /** Shown in GPU messages. Default `buffer`. */
  label?: string;
  /** Usages beside the default ones (storage, vertex, index, copies both ways). */
  usage?: GPUBufferUsageFlags;
}

/** 32-bit words on the GPU. Whoever creates one destroys it; a destroyed one refuses reads and writes. */
export class GpuBuffer {
  destroyed = false;
  /** How often its words were written, here or by a kernel: what was made from them is good while this stays. */
  writes = 0;

  private constructor(
    readonly gpu: Gpu,
    readonly buffer: GPUBuffer,
    readonly byteLength: number,
    readonly label: string,
  ) {}

  /** Makes a buffer, filled with zeros or with `data`. Refuses a size that the adapter cannot hold, by name. */
  static create(gpu: Gpu, options: GpuBufferOptions): GpuBuffer {
    const { label = 'buffer', usage = 0 } = options;
    const flags =
      GPUBufferUsage.STORAGE |
      GPUBufferUsage.VERTEX |
      GPUBufferUsage.INDEX |
      GPUBufferUsage.COPY_SRC |
      GPUBufferUsage.COPY_DST |
      usage;
    if ((options.data === undefined) === (options.size === undefined))
      throw new MoonscapeError('renderer.buffer.create: give either size (bytes) or data');
    if (options.data === undefined) {
      if (options.type !== undefined) checkOneOf('renderer.buffer.create', 'type', options.type, WORD_TYPES);
      const size = checkInteger('renderer.buffer.create', 'size', options.size, { min: 4 });
      if (size % 4 !== 0) refuse('renderer.buffer.create', 'size', 'a multiple of 4 bytes', size);
      gpu.checkStorageSize(`renderer.buffer.create: the buffer "${label}"`, size);
      return new GpuBuffer(gpu, gpu.createBuffer(label, size, flags), size, label);
    }
    const words = toWords('renderer.buffer.create', options.data, options.type);
    if (words.length === 0)
      throw new MoonscapeError('renderer.buffer.create: data must be at least one number, got none');
    gpu.checkStorageSize(`renderer.buffer.create: the buffer "${label}"`, words.byteLength);
    return new GpuBuffer(gpu, gpu.createBufferWith(label, words, flags), words.byteLength, label);
  }

  /** Words that the buffer holds. */
  get words(): number {
    return this.byteLength / 4;
  }

  /**
   * Reads words back; waits for what was submitted before.
   * @param options.first first word, from 0 (default 0)
   * @param options.count number of words (default: the rest)
   * @param options.type default `f32`
   */
  async read(options: { first?: number; count?: number; type: 'u32' }): Promise<Uint32Array<ArrayBuffer>>;
  async read(options?: { first?: number; count?: number; type?: 'f32' }): Promise<Float32Array<ArrayBuffer>>;
  async read(options?: {
    first?: number;
    count?: number;
    type?: WordType;
  }): Promise<Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>;
  async read({ first = 0, count, type = 'f32' }: { first?: number; count?: number; type?: WordType } = {}) {
    const where = 'renderer.buffer.read';
    this.checkAlive(where);
    checkOneOf(where, 'type', type, WORD_TYPES);
    checkInteger(where, 'first', first, { min: 0, max: this.words });
    const words = checkInteger(where, 'count', count ?? this.words - first, {
      min: 0,
      max: this.words - first,
    });
    const bytes = words === 0 ? new ArrayBuffer(0) : await this.gpu.read(this.buffer, first * 4, words * 4);
    return type === 'f32' ? new Float32Array(bytes) : new Uint32Array(bytes);
  }

  /** Writes `data` from word `first` on (default 0); data that would pass the end is refused. */
  write({ first = 0, data, type }: { first?: number; data: ArrayLike<number>; type?: WordType }): void {
    const where = 'renderer.buffer.write';
    this.checkAlive(where);
    checkInteger(where, 'first', first, { min: 0, max: this.words });
    const words = toWords(where, data, type);
    if (first + words.length > this.words)
      refuse(where, 'data', `at most ${this.words - first} words from word ${first} on`, words.length);
    if (words.length === 0) return;
    this.gpu.device.queue.writeBuffer(this.buffer, first * 4, words);
    this.writes++;
  }

  /** Says that a kernel, or a copy, has written to it. */
  written(): void {
    this.writes++;
  }

  /** Frees it; nothing happens the second time. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.gpu.free(this.buffer);
  }

  /** Refuses the use of a destroyed buffer, naming the function and the buffer. */
  checkAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: the buffer "${this.label}" is destroyed`);
  }
}

function toWords(
  where: string,
  data: ArrayLike<number>,
  type?: WordType,
): Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> {
  if (type !== undefined) checkOneOf(where, 'type', type, WORD_TYPES);
  if (data instanceof Float32Array && type !== 'u32') return data as Float32Array<ArrayBuffer>;
  if (data instanceof Uint32Array && type !== 'f32') return data as Uint32Array<ArrayBuffer>;
  const whole = type === 'u32';
  for (let i = 0; i < data.length; i++) {
    const value: unknown = data[i];
    const good = whole
      ? Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffffffff
      : typeof value === 'number';
    if (!good)
      refuse(where, `number ${i + 1} of data`, whole ? 'an integer in 0..4294967295' : 'a number', value);
  }
  return whole ? Uint32Array.from(data) : Float32Array.from(data);
}
