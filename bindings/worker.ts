// The entry point `moonscape/worker`: a scene whose scripts and frames run off the page's own thread.
// eslint-disable-next-line @typescript-eslint/triple-slash-reference -- the declarations name Fengari's types, which go with them
/// <reference path="../types/fengari.d.ts" preserve="true" />
import { openWorkerRuntime } from './page/workerRuntime.js';
import type { CreateWorkerRuntimeOptions, WorkerRuntime } from './page/workerRuntime.js';

/** Opens a runtime in a worker; rejects as createRuntime does. `destroy` it at the end. */
export function createWorkerRuntime(options: CreateWorkerRuntimeOptions = {}): Promise<WorkerRuntime> {
  // In this form Vite and webpack find the worker's own file; elsewhere `worker` in the options brings one.
  return openWorkerRuntime(
    options,
    () => new Worker(new URL('./workerHost.js', import.meta.url), { type: 'module', name: 'moonscape' }),
  );
}

export { hostFunction } from './page/hostFunctions.js';
export type { CreateWorkerRuntimeOptions, WorkerLua, WorkerRuntime } from './page/workerRuntime.js';
