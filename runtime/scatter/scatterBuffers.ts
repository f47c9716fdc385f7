// A scatter on the GPU: its instances' records, and what shaders/scatter_cull.wgsl needs for as many. Owned by a Scatter,
// which says what changed; read by runtime/renderer/scatterPass.ts.
import type { Gpu } from '../gpu/gpu.js';
import { RECORD_WORDS, type Instances } from './instances.js';

/** Unchanged records that are sent along rather than beginning another write. */
const MOST_GAP = 32;
/** Words of drawIndexedIndirect's arguments. */
const ARGUMENT_WORDS = 5;

/** Which of a scatter's instances an eye sees, as shaders/scatter_cull.wgsl lists them. Whoever makes one destroys it. */
export class ScatterList {
  /** A bit an instance: whether it is drawn. */
  readonly seen: GPUBuffer;
  /** For each word of `seen`, the bits before it. */
  readonly before: GPUBuffer;
  /** The numbers of the instances that are drawn, ascending. */
  readonly visible: GPUBuffer;
  /** What drawIndexedIndirect reads. */
  readonly indirect: GPUBuffer;

  constructor(
    private readonly gpu: Gpu,
    capacity: number,
  ) {
    const words = Math.ceil(capacity / 32);
    this.seen = makeBuffer(gpu, 'seen', words);
    this.before = makeBuffer(gpu, 'before', words);
    this.visible = makeBuffer(gpu, 'visible', capacity);
    this.indirect = makeBuffer(gpu, 'arguments', ARGUMENT_WORDS, GPUBufferUsage.INDIRECT);
  }

  get all(): GPUBuffer[] {
    return [this.seen, this.before, this.visible, this.indirect];
  }

  destroy(): void {
    for (const buffer of this.all) this.gpu.free(buffer);
  }
}

export class ScatterBuffers {
  /** Instances that fit. */
  readonly capacity: number;
  readonly instances: GPUBuffer;
  /** What the camera sees. */
  readonly list: ScatterList;

  /** Makes buffers for as many as `from` has room for, and sends all of them. `where` names the caller in errors. */
  constructor(
    private readonly gpu: Gpu,
    from: Instances,
    where: string,
  ) {
    this.capacity = Math.max(from.capacity, 1);
    gpu.checkStorageSize(`${where}: ${from.count} instances`, this.capacity * RECORD_WORDS * 4);
    this.instances = makeBuffer(gpu, 'instances', this.capacity * RECORD_WORDS);
    this.list = new ScatterList(gpu, this.capacity);
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
    return [this.instances, ...this.list.all];
  }
}

function makeBuffer(gpu: Gpu, label: string, words: number, usage = 0): GPUBuffer {
  const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
  return gpu.createBuffer(`scatter ${label}`, words * 4, STORAGE | COPY_DST | COPY_SRC | usage);
}
