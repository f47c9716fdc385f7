// GPU time of passes, by timestamps. A bench puts one on a device (`gpu.timer`), passes ask it for their writes, and
// `read` answers what each took. Costs nothing where there is none.
import { MoonscapeError } from '../errors.js';
import type { Gpu } from './gpu.js';

/** GPU time of one pass, in the order of encoding. */
export interface PassTime {
  label: string;
  ns: number;
}

export class PassTimer {
  private readonly queries: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private labels: string[] = [];

  /** @param passes how many passes fit between two reads; those past it are not timed */
  constructor(
    private readonly gpu: Gpu,
    private readonly passes = 64,
  ) {
    if (!gpu.timestamps) throw new MoonscapeError('PassTimer: this adapter has no timestamp queries');
    this.queries = gpu.device.createQuerySet({ label: 'pass times', type: 'timestamp', count: passes * 2 });
    this.resolved = gpu.createBuffer(
      'pass times',
      passes * 16,
      GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    );
  }

  /** What a pass named `label` puts into its descriptor's `timestampWrites`. */
  writes(label: string): GPUComputePassTimestampWrites | undefined {
    if (this.labels.length === this.passes) return undefined;
    const first = this.labels.push(label) * 2 - 2;
    return { querySet: this.queries, beginningOfPassWriteIndex: first, endOfPassWriteIndex: first + 1 };
  }

  /** The passes submitted since the last read, and starts over. */
  async read(): Promise<PassTime[]> {
    const { gpu, labels } = this;
    this.labels = [];
    if (labels.length === 0) return [];
    const encoder = gpu.device.createCommandEncoder({ label: 'pass times' });
    encoder.resolveQuerySet(this.queries, 0, labels.length * 2, this.resolved, 0);
    gpu.device.queue.submit([encoder.finish()]);
    const times = new BigUint64Array(await gpu.read(this.resolved, 0, labels.length * 16));
    return labels.map((label, pass) => ({ label, ns: Number(times[pass * 2 + 1] - times[pass * 2]) }));
  }

  destroy(): void {
    this.queries.destroy();
    this.gpu.free(this.resolved);
  }
}
