// A scene that runs in a worker, as its page holds it: the same calls as PageRuntime, each answered by a promise. The page stays alive
// whatever a script does, and `destroy` ends it in any case. Made by createWorkerRuntime of moonscape/worker.
import { checkFields, checkOneOf, MoonscapeError, refuse } from '../../runtime/errors.js';
import type { InputEvent } from '../../runtime/input/events.js';
import type { RuntimeStats } from '../../runtime/runtime.js';
import { Emitter, EVENT_NAMES, type EventName, type FrameInfo, type Listener } from './events.js';
import { isTyped, type AnyFunction, type TypedFunction } from './hostFunctions.js';
import { checkRegistration, type HostFunctions } from './luaAccess.js';
import type { RunOptions, SceneSource } from './pageRuntime.js';
import { checkCopyable, errorData, errorOf } from './workerProtocol.js';
import type { ErrorData, FromWorker, Outcome, ToWorker, WorkerOptions } from './workerProtocol.js';

export interface CreateWorkerRuntimeOptions extends WorkerOptions {
  /** Where pictures go. It is handed to the worker for good: nothing else can draw on it, also after `destroy`. */
  canvas?: HTMLCanvasElement | OffscreenCanvas;
  /** The worker, where a bundler or a policy wants it made by the page: one that runs `moonscape/worker-host`. */
  worker?: Worker;
}

const FIELDS: (keyof CreateWorkerRuntimeOptions)[] = [
  ...(['canvas', 'worker', 'assets', 'width', 'height', 'software'] as const),
  ...(['budgetMs', 'seed', 'always', 'storage', 'retries'] as const),
];
/** A worker that has not answered `destroy` by then is busy with a script without end. */
const PATIENCE_MS = 1000;

/** Opens a runtime in a worker that `makeWorker` makes, unless the options bring one; rejects as createRuntime does. */
export async function openWorkerRuntime(
  options: CreateWorkerRuntimeOptions,
  makeWorker: () => Worker,
): Promise<WorkerRuntime> {
  const where = 'createWorkerRuntime';
  checkFields(where, options, FIELDS);
  const { canvas, worker, assets, ...rest } = options;
  if (typeof Worker === 'undefined' && !worker)
    throw new MoonscapeError(`${where}: there are no workers here; it runs in a page`);
  const base = new URL(assets ?? '.', globalThis.document?.baseURI ?? globalThis.location?.href).href;
  const offscreen = canvas ? offscreenOf(where, canvas) : null;
  const size = { width: canvas?.width, height: canvas?.height };
  const runtime = new WorkerRuntime(worker ?? makeWorker());
  try {
    await runtime.open(offscreen, { ...(canvas ? size : {}), ...rest, assets: base });
    return runtime;
  } catch (error) {
    await runtime.destroy();
    throw error;
  }
}

function offscreenOf(where: string, canvas: HTMLCanvasElement | OffscreenCanvas): OffscreenCanvas {
  if (typeof OffscreenCanvas !== 'undefined' && canvas instanceof OffscreenCanvas) return canvas;
  if (typeof (canvas as HTMLCanvasElement).transferControlToOffscreen !== 'function')
    refuse(where, 'canvas', 'a <canvas> or an OffscreenCanvas', canvas);
  try {
    return (canvas as HTMLCanvasElement).transferControlToOffscreen();
  } catch (cause) {
    throw new MoonscapeError(
      `${where}: canvas must be one that nothing draws on and that was not handed to a worker before`,
      { cause },
    );
  }
}

type Call = { resolve: (value: never) => void; reject: (error: Error) => void };

export class WorkerRuntime {
  readonly lua: WorkerLua;
  readonly #worker: Worker;
  readonly #events = new Emitter();
  readonly #listened = new Set<EventName>();
  readonly #calls = new Map<number, Call>();
  readonly #functions = new Map<string, AnyFunction | TypedFunction>();
  #last = 0;
  #destroyed = false;
  #mode: 'edit' | 'play' = 'edit';

  constructor(worker: Worker) {
    this.#worker = worker;
    this.lua = new WorkerLua(
      (method, args) => this.#do(method, args),
      (name, f) => {
        this.#functions.set(name, f);
        this.#send({ kind: 'register', name, parameters: isTyped(f) ? f.parameters : null });
      },
    );
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => this.#take(data));
    worker.addEventListener('error', ({ message }) =>
      this.#end(new MoonscapeError(`the worker failed: ${message || 'its script does not load'}`)),
    );
  }

  /** Opens the runtime; called once, by openWorkerRuntime. */
  open(canvas: OffscreenCanvas | null, options: WorkerOptions): Promise<void> {
    const opened = this.#ask((id) => ({ kind: 'open', id, canvas, options }), canvas ? [canvas] : []);
    this.#listen('mode');
    this.#events.on('mode', (mode) => (this.#mode = mode));
    return opened as Promise<void>;
  }

  get mode(): 'edit' | 'play' {
    return this.#mode;
  }

  get destroyed(): boolean {
    return this.#destroyed;
  }

  /** As PageRuntime.on. */
  on<K extends EventName>(name: K, listener: Listener<K>): () => void {
    checkOneOf('runtime.on', 'name', name, EVENT_NAMES);
    this.#listen(name);
    return this.#events.on(name, listener);
  }

  /** As PageRuntime.run. */
  run(scene: SceneSource, options: RunOptions = {}): Promise<void> {
    return this.#do('run', [scene, options]);
  }

  clear(): Promise<void> {
    return this.#do('clear', []);
  }

  play(): Promise<void> {
    return this.#do('play', []);
  }

  stop(): Promise<void> {
    return this.#do('stop', []);
  }

  pause(): Promise<void> {
    return this.#do('pause', []);
  }

  resume(): Promise<void> {
    return this.#do('resume', []);
  }

  step(dt = 1 / 60): Promise<FrameInfo> {
    return this.#do('step', [dt]);
  }

  wake(): Promise<void> {
    return this.#do('wake', []);
  }

  resize(width: number, height: number): Promise<void> {
    return this.#do('resize', [width, height]);
  }

  /** What a person did, for scripts (`input`) and camera controls. */
  feed(event: InputEvent): Promise<void> {
    return this.#do('feed', [event]);
  }

  stats(): Promise<RuntimeStats> {
    return this.#do('stats', []);
  }

  picture(): Promise<Uint8Array> {
    return this.#do('picture', []);
  }

  clearStorage(): Promise<void> {
    return this.#do('clearStorage', []);
  }

  /** Ends the scene and the worker, at the latest a second from now, whatever the script does. A second time does nothing. */
  async destroy(): Promise<void> {
    if (this.#destroyed) return;
    const done = this.#do('destroy', []).catch(() => {});
    await Promise.race([done, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    this.#end(new MoonscapeError('the runtime is destroyed'));
  }

  #end(error: MoonscapeError): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#worker.terminate();
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
    this.#events.clear();
  }

  #do<T>(method: string, args: unknown[]): Promise<T> {
    if (this.#destroyed)
      return Promise.reject(new MoonscapeError(`runtime.${method}: the runtime is destroyed`));
    try {
      args.forEach((arg, i) => checkCopyable(`runtime.${method}: argument ${i + 1}`, arg));
    } catch (error) {
      return Promise.reject(error as Error);
    }
    return this.#ask((id) => ({ kind: 'do', id, method, args })) as Promise<T>;
  }

  #ask(message: (id: number) => ToWorker, transfer: Transferable[] = []): Promise<unknown> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#send(message(id), transfer);
    });
  }

  #send(message: ToWorker, transfer: Transferable[] = []): void {
    if (!this.#destroyed) this.#worker.postMessage(message, transfer);
  }

  #listen(name: EventName): void {
    if (this.#listened.has(name)) return;
    this.#listened.add(name);
    this.#send({ kind: 'listen', name });
  }

  #take(message: FromWorker): void {
    if (message.kind === 'event') {
      const value = message.name === 'error' ? errorOf(message.value as ErrorData) : message.value;
      this.#events.emit(message.name, value as never);
    } else if (message.kind === 'call') void this.#answer(message);
    else {
      const call = this.#calls.get(message.id);
      this.#calls.delete(message.id);
      if (message.outcome.ok) call?.resolve(message.outcome.value as never);
      else call?.reject(errorOf(message.outcome.error));
    }
  }

  /** A script called a function of the page. */
  async #answer({ call, name, args }: Extract<FromWorker, { kind: 'call' }>): Promise<void> {
    let outcome: Outcome;
    try {
      const f = this.#functions.get(name);
      const value = await (f && (isTyped(f) ? f.call : f))?.(...(args as never[]));
      checkCopyable(`what ${name} answers`, value);
      outcome = { ok: true, value };
    } catch (error) {
      const data = errorData(error);
      const known = error instanceof MoonscapeError;
      outcome = { ok: false, error: known ? data : { ...data, message: `${name}: ${data.message}` } };
    }
    this.#send({ kind: 'answer', call, outcome });
  }
}

/** As LuaAccess, over the worker: what is read comes as a promise. Only data crosses: no functions of scripts, no objects of the engine. */
export class WorkerLua {
  readonly #do: <T>(method: string, args: unknown[]) => Promise<T>;
  readonly #register: (name: string, f: AnyFunction | TypedFunction) => void;

  constructor(
    work: <T>(method: string, args: unknown[]) => Promise<T>,
    register: (name: string, f: AnyFunction | TypedFunction) => void,
  ) {
    this.#do = work;
    this.#register = register;
  }

  async call(name: string, ...args: unknown[]): Promise<unknown> {
    return (await this.callMulti(name, ...args))[0];
  }

  callMulti(name: string, ...args: unknown[]): Promise<unknown[]> {
    return this.#do('lua.callMulti', [name, ...args]);
  }

  get(name: string): Promise<unknown> {
    return this.#do('lua.get', [name]);
  }

  set(name: string, value: unknown): Promise<void> {
    return this.#do('lua.set', [name, value]);
  }

  /** As LuaAccess.register; the script waits for the page's answer. */
  register(name: string, functions: AnyFunction | TypedFunction | HostFunctions): void {
    checkRegistration(name, functions);
    if (typeof functions === 'function' || isTyped(functions)) this.#register(name, functions);
    else for (const [key, f] of Object.entries(functions)) this.register(`${name}.${key}`, f);
  }

  unregister(name: string): Promise<void> {
    return this.#do('lua.unregister', [name]);
  }
}
