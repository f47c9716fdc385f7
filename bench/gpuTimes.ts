// GPU time of kernels by timestamps, in rounds that take turns, and the plain fills that they are held against. Shared by the
// benches of kernels that write vertices.
import type { Gpu } from '../runtime/gpu/gpu.js';
import { PassTimer } from '../runtime/gpu/passTimer.js';
import fillSource from './fill.wgsl';

const ROUNDS = 40;
const WARM = 20;

/**
 * Two kernels that write `bytes`: a word and four words an invocation. `fresh`: each run into a buffer of its own, which WebGPU clears
 * first, inside the time that is taken; for kernels that make what they write into.
 */
export async function makeFills(gpu: Gpu, bytes: number, { fresh = false } = {}) {
  const create = () => gpu.createBuffer('fill', bytes, GPUBufferUsage.STORAGE);
  const standing = fresh ? null : create();
  const module = gpu.shader('fill.wgsl', fillSource);
  const fill = async (entryPoint: string, binding: number, words: number) => {
    const pipeline = await gpu.computePipeline(entryPoint, {
      layout: 'auto',
      compute: { module, entryPoint },
    });
    const bind = (buffer: GPUBuffer) =>
      gpu.device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding, resource: { buffer } }],
      });
    const group = standing && bind(standing);
    const groups = Math.ceil(bytes / 4 / words / 256);
    return () => {
      const own = standing ? null : create();
      const encoder = gpu.device.createCommandEncoder();
      const pass = encoder.beginComputePass({ timestampWrites: gpu.timer?.writes(entryPoint) });
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group ?? bind(own!));
      pass.dispatchWorkgroups(Math.min(groups, 65535), Math.ceil(groups / 65535));
      pass.end();
      gpu.device.queue.submit([encoder.finish()]);
      gpu.free(own);
    };
  };
  const runs = [await fill('fill_words', 0, 1), await fill('fill_vectors', 1, 4)];
  return { runs, free: () => gpu.free(standing) };
}

export interface Kernel {
  label: string;
  /** Submits one pass that asks `gpu.timer` for its writes. */
  start(): void;
}

/**
 * GPU nanoseconds of each kernel, in rounds that take turns. `again`: each runs several times in a row and the first
 * ones do not count, so that its buffer lies in the cache where it fits. Else another buffer is written before each.
 */
export async function timeEach(gpu: Gpu, kernels: Kernel[], again: boolean): Promise<Map<string, number[]>> {
  const timer = (gpu.timer = new PassTimer(gpu));
  const flush = await makeFills(gpu, (gpu.software ? 1 : 128) * 2 ** 20);
  const times = new Map(kernels.map(({ label }) => [label, [] as number[]]));
  const [warm, rounds] = gpu.software ? [1, 4] : [WARM, ROUNDS];
  for (let round = 0; round < warm + rounds; round++) {
    for (const { label, start } of kernels) {
      if (again) for (let run = 0; run < 4; run++) start();
      else {
        flush.runs[1]();
        start();
      }
      const passes = await timer.read();
      if (round >= warm) times.get(label)!.push(...passes.slice(again ? 2 : 1).map(({ ns }) => ns));
    }
  }
  gpu.timer = null;
  timer.destroy();
  flush.free();
  return times;
}
