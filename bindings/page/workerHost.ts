// A runtime in a worker: it does what the page's WorkerRuntime asks for, and tells it what happens. Served by bindings/workerHost.ts and,
// in the one file for plain scripts, by bindings/script.ts.
import { MoonscapeError, refuse } from '../../runtime/errors.js';
import type { InputEvent } from '../../runtime/input/events.js';
import { hostFunction } from './hostFunctions.js';
import { createRuntime, type PageRuntime, type RunOptions, type SceneSource } from './pageRuntime.js';
import {
  checkCopyable,
  errorData,
  errorOf,
  type FromWorker,
  type Outcome,
  type ToWorker,
} from './workerProtocol.js';

/** A worker's own side of its channel. */
export interface WorkerScope {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<ToWorker>) => void): void;
}

type Methods = Readonly<Record<string, (runtime: PageRuntime, ...args: never[]) => unknown>>;

/** What a page may have done, by name. */
const METHODS: Methods = {
  run: (runtime, scene: SceneSource, options?: RunOptions) => runtime.run(scene, options),
  clear: (runtime) => runtime.clear(),
  play: (runtime) => runtime.play(),
  stop: (runtime) => runtime.stop(),
  pause: (runtime) => runtime.pause(),
  resume: (runtime) => runtime.resume(),
  step: (runtime, dt?: number) => runtime.step(dt),
  wake: (runtime) => runtime.wake(),
  resize: (runtime, width: number, height: number) => runtime.resize(width, height),
  stats: (runtime) => runtime.stats(),
  picture: (runtime) => runtime.picture(),
  clearStorage: (runtime) => runtime.clearStorage(),
  destroy: (runtime) => runtime.destroy(),
  feed(runtime, event: InputEvent) {
    runtime.engine.input.feed(event);
    runtime.wake();
  },
  'lua.callMulti': (runtime, name: string, ...args: unknown[]) => runtime.lua.callMulti(name, ...args),
  'lua.get': (runtime, name: string) => runtime.lua.get(name),
  'lua.set': (runtime, name: string, value: unknown) => runtime.lua.set(name, value),
  'lua.unregister': (runtime, name: string) => runtime.lua.unregister(name),
};

export const METHOD_NAMES = Object.keys(METHODS);

/** Answers a page for as long as the worker lives. */
export function serve(scope: WorkerScope): void {
  let opening: Promise<PageRuntime> | null = null;
  let calls = 0;
  const waiting = new Map<number, (outcome: Outcome) => void>();

  const answer = async (id: number, work: () => unknown) => {
    let outcome: Outcome;
    try {
      const value = await work();
      checkCopyable('what comes back', value);
      outcome = { ok: true, value };
    } catch (error) {
      outcome = { ok: false, error: errorData(error) };
    }
    scope.postMessage({ kind: 'done', id, outcome });
  };

  /** A function of the page: the script waits for what it answers. */
  const callPage = (name: string, args: unknown[]): Promise<unknown> => {
    args.forEach((arg, i) => checkCopyable(`argument ${i + 1} of ${name}`, arg));
    const call = ++calls;
    return new Promise((resolve, reject) => {
      waiting.set(call, (outcome) => (outcome.ok ? resolve(outcome.value) : reject(errorOf(outcome.error))));
      scope.postMessage({ kind: 'call', call, name, args });
    });
  };

  const opened = (): Promise<PageRuntime> =>
    opening ?? Promise.reject(new MoonscapeError('createWorkerRuntime: the worker was not opened'));

  scope.addEventListener('message', ({ data }) => {
    if (data.kind === 'open') {
      opening = createRuntime({ ...data.options, ...(data.canvas ? { canvas: data.canvas } : {}) });
      void answer(data.id, async () => void (await opening));
    } else if (data.kind === 'do') {
      const method = METHODS[data.method];
      void answer(data.id, async () => {
        if (!method) refuse('worker', 'method', `one of ${METHOD_NAMES.join(', ')}`, data.method);
        return method(await opened(), ...(data.args as never[]));
      });
    } else if (data.kind === 'listen') {
      const { name } = data;
      // Where it could not be opened, whoever opened it is told.
      opened().then(
        (runtime) =>
          runtime.on(name, (value: unknown) =>
            scope.postMessage({
              kind: 'event',
              name,
              value: value instanceof Error ? errorData(value) : value,
            }),
          ),
        () => undefined,
      );
    } else if (data.kind === 'register') {
      const { name, parameters } = data;
      const call = (...args: unknown[]) => callPage(name, args);
      void opened().then(({ lua }) => lua.register(name, parameters ? hostFunction(parameters, call) : call));
    } else {
      waiting.get(data.call)?.(data.outcome);
      waiting.delete(data.call);
    }
  });
}
