// The file for a plain <script>: everything of `moonscape`, <moonscape-view>, and createWorkerRuntime, whose worker is this file again.
import { openWorkerRuntime } from './page/workerRuntime.js';
import type { CreateWorkerRuntimeOptions, WorkerRuntime } from './page/workerRuntime.js';
import { serve, type WorkerScope } from './page/workerHost.js';

/** The address that this file came from; the build sets it (rollup.config.js). */
declare const scriptAddress: string;

const WORKER_NAME = 'moonscape';

/** Opens a runtime in a worker; rejects as createRuntime does. `destroy` it at the end. */
export function createWorkerRuntime(options: CreateWorkerRuntimeOptions = {}): Promise<WorkerRuntime> {
  return openWorkerRuntime(options, () => new Worker(scriptAddress, { name: WORKER_NAME }));
}

if (typeof document === 'undefined' && (globalThis as { name?: unknown }).name === WORKER_NAME)
  serve(globalThis as unknown as WorkerScope);

export * from './moonscape.js';
export * from './element.js';
