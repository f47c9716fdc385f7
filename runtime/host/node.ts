// The Node host: Dawn through the `webgpu` package, files of a project folder, stdout and stderr.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { deflateSync } from 'node:zlib';
import { NoAdapterError } from '../errors.js';
import type { AdapterOptions, Host } from './host.js';
import { projectFiles } from './projectFiles.js';
import { hasSoftware, SOFTWARE_PACKAGE, useSoftwareDriver } from './software.js';

export interface NodeHostOptions {
  /** The project's folder; every path that a script names is under it. */
  project: string;
  print?: (line: string) => void;
  warn?: (line: string) => void;
}

/**
 * Dawn's objects in use. Dawn aborts the process if one is collected while a device of it lives, and keeps the process
 * from ending while one is held. A set's methods are beyond a bundler's dead-store removal, which a variable is not.
 */
const instances = new Set<GPU>();

/** Makes the host of a headless run. `close` it at the end, or the process may never exit. */
export function createNodeHost(options: NodeHostOptions): Host {
  const held = new Set<GPU>();
  return {
    files: projectFiles(resolve(options.project)),
    async requestAdapter({ software = false }: AdapterOptions = {}) {
      const { gpu, adapter } = await openAdapter(software);
      held.add(gpu);
      instances.add(gpu);
      return adapter;
    },
    rest,
    deflate: (bytes) => deflateSync(bytes, { level: 1 }),
    now: () => performance.now(),
    print: options.print ?? ((line) => process.stdout.write(`${line}\n`)),
    warn: options.warn ?? ((line) => process.stderr.write(`${line}\n`)),
    close() {
      for (const gpu of held) instances.delete(gpu);
      held.clear();
    },
  };
}

const NAP_MS = 0.5;
const nap = new Int32Array(new SharedArrayBuffer(4));

/** Works that are awaited now, and whether a turn that sleeps is to come. */
let awaited = 0;
let sleeping = false;

/**
 * Dawn asks for the end of work in every turn of the event loop, as fast as it turns: a third of two processors, taken
 * from the threads that draw. While any work goes on, each turn sleeps a little.
 */
async function rest<T>(work: Promise<T>): Promise<T> {
  awaited++;
  if (!sleeping) setImmediate(sleep);
  sleeping = true;
  try {
    return await work;
  } finally {
    awaited--;
  }
}

function sleep(): void {
  sleeping = awaited > 0;
  if (!sleeping) return;
  Atomics.wait(nap, 0, 0, NAP_MS);
  setImmediate(sleep);
}

/** Timestamps are for benches: exact ones, not rounded to 100 µs. */
const DAWN_FLAGS = ['disable-dawn-features=timestamp_quantization'];

type WebGpuModule = typeof import('webgpu');

async function openAdapter(software: boolean): Promise<{ gpu: GPU; adapter: GPUAdapter }> {
  let webgpu: WebGpuModule;
  try {
    webgpu = await import('webgpu');
  } catch (cause) {
    const missing = (cause as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';
    const install = `npm install webgpu${hasSoftware ? ` (without a GPU also ${SOFTWARE_PACKAGE})` : ''}`;
    const wrong = missing
      ? `is not installed: ${install}`
      : `does not load here: ${(cause as Error).message}`;
    throw new NoAdapterError(`WebGPU in Node comes from the package "webgpu", which ${wrong}`, { cause });
  }
  for (const [name, value] of Object.entries(webgpu.globals)) {
    if (!(name in globalThis))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  // First what the machine has, then the software driver. Where there is none for this platform, the message below.
  const softwareFirst = hasSoftware && (software || !hasVulkanLoader());
  for (const useSoftware of softwareFirst ? [true] : [false, true]) {
    if (useSoftware && !hasSoftware) break;
    if (useSoftware) useSoftwareDriver();
    const gpu = webgpu.create([...DAWN_FLAGS]);
    const adapter = await gpu.requestAdapter({
      powerPreference: 'high-performance',
      forceFallbackAdapter: software && !hasSoftware,
    });
    if (adapter) return { gpu, adapter };
  }
  throw new NoAdapterError(
    `no WebGPU adapter on this machine (${process.platform} ${process.arch}): install a GPU driver with Vulkan, Metal or D3D12`,
  );
}

/** Whether the dynamic linker would find a Vulkan loader; Dawn complains on stderr where it would not. */
export function hasVulkanLoader(): boolean {
  const folders = (process.env.LD_LIBRARY_PATH ?? '').split(':').filter(Boolean);
  if (folders.some((folder) => existsSync(join(folder, 'libvulkan.so.1')))) return true;
  try {
    return readFileSync('/etc/ld.so.cache').includes('libvulkan.so.1');
  } catch {
    return true;
  }
}
