// One device for all specs, opened when the first asks for it, and checks around what a spec does on it. It is the
// machine's GPU where there is one, else the software adapter; MOONSCAPE_SOFTWARE=1 asks for the latter.
import { createNodeHost } from '../../runtime/host/node.js';
import type { Host } from '../../runtime/host/host.js';
import { Gpu } from '../../runtime/gpu/gpu.js';

/** Whether specs run on the software adapter though the machine may have a GPU. */
export const SOFTWARE = process.env.MOONSCAPE_SOFTWARE === '1';

let host: Host | null = null;
let opening: Promise<Gpu> | null = null;

/** The shared device. Specs free what they make on it, and leave it open. */
export function sharedGpu(): Promise<Gpu> {
  opening ??= (async () => {
    host = createNodeHost({ project: '.' });
    return Gpu.open(await host.requestAdapter({ software: SOFTWARE }));
  })();
  return opening;
}

/** Runs `work` with the shared device inside a validation and an out-of-memory scope, and throws what they caught. */
export async function cleanly<T>(work: (gpu: Gpu) => T | Promise<T>): Promise<T> {
  const gpu = await sharedGpu();
  const { device } = gpu;
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  let result: T;
  try {
    result = await work(gpu);
  } finally {
    await device.queue.onSubmittedWorkDone();
    const errors = [await device.popErrorScope(), await device.popErrorScope()];
    const found = errors.find((error) => error !== null);
    // eslint-disable-next-line no-unsafe-finally -- the device's complaint explains a failure better than its outcome
    if (found) throw new Error(`the device complained: ${found.message}`);
  }
  await gpu.settle();
  return result;
}

/** Runs `work` cleanly and throws if it leaves GPU bytes behind. */
export function freeing<T>(work: (gpu: Gpu) => T | Promise<T>): Promise<T> {
  return cleanly(async (gpu) => {
    const before = gpu.bytes;
    const result = await work(gpu);
    if (gpu.bytes !== before) throw new Error(`${gpu.bytes - before} GPU bytes were not given back`);
    return result;
  });
}

/** A root hook of mocha: the device goes, and then the host, so that the process may end. */
export async function closeSharedGpu(): Promise<void> {
  if (!opening) return;
  await (await opening).destroy();
  opening = null;
  host?.close();
  host = null;
}

if (typeof after === 'function') after(closeSharedGpu);
