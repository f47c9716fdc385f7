// A scatter on the GPU: its instances' records, and what shaders/scatter_cull.wgsl needs for as many. Owned by a Scatter,
// which says what changed; read by runtime/renderer/scatterPass.ts.
import type { Gpu } from '../gpu/gpu.js';
import { RECORD_WORDS, type Instances } from './instances.js';

/** Unchanged records that are sent along rather than beginning another write. */
const MOST_GAP = 32;
/** Words of drawIndexedIndirect's arguments. */
const ARGUMENT_WORDS = 5;

export class ScatterBuffers {
  /** Instances that fit. */
  readonly capacity: number;
  readonly instances: GPUBuffer;
  /** A bit an instance: whether it is drawn. */
  readonly seen: GPUBuffer;
  /** For each word of `seen`, the bits before it. */
  readonly before: GPUBuffer;
  /** The numbers of the instances that are drawn, ascending. */
  readonly visible: GPUBuffer;
  /** What drawIndexedIndirect reads. */
  readonly indirect: GPUBuffer;

  /** Makes buffers for as many as `from` has room for, and sends all of them. `where` names the caller in errors. */
  constructor(
    private readonly gpu: Gpu,
    from: Instances,
    where: string,
  ) {
    const { STORAGE, COPY_DST, COPY_SRC, INDIRECT } = GPUBufferUsage;
    this.capacity = Math.max(from.capacity, 1);
    gpu.checkStorageSize(`${where}: ${from.count} instances`, this.capacity * RECORD_WORDS * 4);
    const words = Math.ceil(this.capacity / 32);
    const make = (label: string, count: number, usage = 0) =>
      gpu.createBuffer(`scatter ${label}`, count * 4, STORAGE | COPY_DST | COPY_SRC | usage);
    this.instances = make('instances', this.capacity * RECORD_WORDS);
    this.seen = make('seen', words);
    this.before = make('before', words);
    this.visible = make('visible', this.capacity);
    this.indirect = make('arguments', ARGUMENT_WORDS, INDIRECT);
    this.sendAll(from);
  }

  get bytes(): number {
    return this.all.reduce((sum, { size }) => sum + size, 0);
  }

  sendAll(from: Instances): void {
    if (from.count > 0) this.send(from, 0, from.count);
  }

  /** Sends the records with these numbers, ascending; a write a run of near ones. Answers the bytes written. */
  sendSome(from: Instances, numbers: readonly number[]): number {
    let bytes = 0;
    for (let k = 0; k < numbers.length;) {
      const first = numbers[k];
      let end = first + 1;
      while (++k < numbers.length && numbers[k] <= end + MOST_GAP) end = numbers[k] + 1;
      bytes += this.send(from, first, end - first);
    }
    return bytes;
  }

  destroy(): void {
    for (const buffer of this.all) this.gpu.free(buffer);
  }

  private send({ records }: Instances, first: number, count: number): number {
    const at = first * RECORD_WORDS;
    this.gpu.device.queue.writeBuffer(this.instances, at * 4, records, at, count * RECORD_WORDS);
    return count * RECORD_WORDS * 4;
  }

  private get all(): GPUBuffer[] {
    return [this.instances, this.seen, this.before, this.visible, this.indirect];
  }
}
