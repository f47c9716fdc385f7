// The entry of a program that embeds a scene: createRuntime opens a device and answers a PageRuntime, which runs scenes on a canvas,
// frame by frame while something moves, and tells what happens as events.
import { checkFields, checkNumber, MoonscapeError, refuse } from '../../runtime/errors.js';
import { createBrowserHost, type BrowserHost, type BrowserHostOptions } from '../../runtime/host/browser.js';
import type { Host } from '../../runtime/host/host.js';
import { CanvasTarget, isCanvas, type Canvas } from '../../runtime/renderer/canvasTarget.js';
import { Runtime, type RuntimeStats } from '../../runtime/runtime.js';
import { openLua, type Lua } from '../index.js';
import { Emitter, type EventName, type FrameInfo, type Listener } from './events.js';
import { FrameLoop } from './frameLoop.js';
import { LuaAccess } from './luaAccess.js';
import { Loading } from './loading.js';

export interface CreateRuntimeOptions extends Pick<BrowserHostOptions, 'storage' | 'fetch' | 'retries'> {
  /** Where pictures go. Without one nothing is shown, and `step` alone makes frames. */
  canvas?: Canvas;
  /** Address of the project's folder, relative to the page: what `/zero/source/…` and `require` are below. Default: the page's folder. */
  assets?: string | URL;
  /** The picture's pixels. Default: the canvas's own. */
  width?: number;
  height?: number;
  /** Use the software adapter even where there is a GPU. */
  software?: boolean;
  /** Milliseconds that one entry into Lua may run, waits excluded; null for no limit. Default 10000. */
  budgetMs?: number | null;
  /** Seed of math.random before a script sets its own. Default 0. */
  seed?: number;
  /** Draw every frame, also while nothing moves. Default false. */
  always?: boolean;
  /** A host of one's own in place of the browser's (createNodeHost of moonscape/node makes one for Node). */
  host?: Host;
}

/** A scene: the path of its script in the project, or its text and the name that messages call it by. */
export type SceneSource = string | { source: string; name?: string };

export interface RunOptions {
  /** Begin play once the script has ended. Default false. */
  play?: boolean;
}

const FIELDS: (keyof CreateRuntimeOptions)[] = [
  ...(['canvas', 'assets', 'width', 'height', 'software', 'budgetMs', 'seed', 'always', 'host'] as const),
  ...(['storage', 'fetch', 'retries'] as const),
];
const BUDGET_MS = 10_000;

/**
 * Opens a device and a world on it; rejects with NoAdapterError, which says what is missing, where there is none, and with a
 * MoonscapeError for options that cannot be. `destroy` it at the end.
 */
export async function createRuntime(options: CreateRuntimeOptions = {}): Promise<PageRuntime> {
  const where = 'createRuntime';
  checkFields(where, options, FIELDS);
  const { canvas, budgetMs = BUDGET_MS, software, assets, storage, fetch, retries } = options;
  if (canvas !== undefined && !isCanvas(canvas))
    refuse(where, 'canvas', 'a <canvas> or an OffscreenCanvas', canvas);
  if (budgetMs !== null) checkNumber(where, 'budgetMs', budgetMs, { above: 0 });
  const events = new Emitter();
  const loading = new Loading((progress) => events.emit('progress', progress));
  const http = { assets, storage, fetch, retries };
  const given = Object.fromEntries(Object.entries(http).filter(([, value]) => value !== undefined));
  const host = options.host ?? createBrowserHost({ ...given, loading: (download) => loading.note(download) });
  const engine = await Runtime.create({
    ...{ host, software, restorable: true },
    width: options.width ?? Math.max(canvas?.width ?? 1, 1),
    height: options.height ?? Math.max(canvas?.height ?? 1, 1),
  });
  try {
    const target = canvas ? new CanvasTarget(engine.gpu, canvas) : null;
    return new PageRuntime(engine, { ...options, budgetMs, software, events, loading, target });
  } catch (error) {
    await engine.destroy();
    throw error;
  }
}

interface Parts {
  events: Emitter;
  loading: Loading;
  target: CanvasTarget | null;
  budgetMs: number | null;
  software?: boolean;
  seed?: number;
  always?: boolean;
}

/** A world on a canvas, with scripts. Made by createRuntime. */
export class PageRuntime {
  /** Calls between the page and the scene's scripts. */
  readonly lua: LuaAccess;
  readonly #events: Emitter;
  readonly #loop: FrameLoop;
  readonly #parts: Parts;
  #scripts: Lua | null = null;
  /** Ends what waits for the scene that runs. */
  #end: ((error: Error) => void) | null = null;
  /** Scripts that run or wait: frames go on while they do. */
  #entered = 0;
  #isReady = false;
  #hidden = false;
  #inFlight: Promise<unknown>[] = [];
  #stepping: Promise<unknown> = Promise.resolve();
  /** When devices were lost, lately, milliseconds; and the way to the next device, while it is gone. */
  #losses: number[] = [];
  #recovering: Promise<void> | null = null;

  /** @param engine the world, the renderer and all the rest, for programs that go below scripts; call `wake` after changing it */
  constructor(
    readonly engine: Runtime,
    parts: Parts,
  ) {
    this.#parts = parts;
    this.#events = parts.events;
    this.lua = new LuaAccess(() => this.wake());
    engine.live = (error) => this.#fail(error);
    engine.gpu.onLost((reason) => void this.#recover(reason));
    engine.onPlay({
      begin: () => this.#changeMode('play'),
      ended: () => this.#changeMode('edit'),
    });
    this.#loop = new FrameLoop({
      host: engine.host,
      draw: async (dt) => {
        await this.#frame(dt).catch((error: unknown) => {
          // A frame that the loss of the device broke off is drawn again on the next one.
          if (this.engine.gpu.lost === null) this.#fail(error);
        });
      },
      moving: () => this.moving,
    });
  }

  /** The canvas that shows the pictures, or null. */
  get canvas(): Canvas | null {
    return this.#parts.target?.canvas ?? null;
  }

  get mode(): 'edit' | 'play' {
    return this.engine.mode;
  }

  get destroyed(): boolean {
    return this.engine.destroyed;
  }

  /** Whether frames are held back by `pause`. */
  get paused(): boolean {
    return this.#loop.paused;
  }

  /** Whether another frame is due though nobody woke the runtime: a callback runs each frame, it plays, waters move, something loads. */
  get moving(): boolean {
    if (this.engine.destroyed || this.#hidden || this.engine.gpu.lost !== null) return false;
    return (
      this.#parts.always === true ||
      this.#entered > 0 ||
      !this.engine.still ||
      (this.#scripts?.animated ?? false)
    );
  }

  /** Has `listener` called at each event of that name; returns what takes it off. */
  on<K extends EventName>(name: K, listener: Listener<K>): () => void {
    return this.#events.on(name, listener);
  }

  /**
   * Runs a scene in place of the one before, which goes with all that its scripts made; resolves once its script has ended, waits
   * included. Frames are drawn meanwhile and from then on. Rejects with the script's LuaError, or where the file cannot be read; what
   * the script made until then stays to be seen.
   */
  async run(scene: SceneSource, { play = false }: RunOptions = {}): Promise<void> {
    const where = 'runtime.run';
    this.#assertAlive(where);
    const text = sceneText(where, scene);
    this.#close(new MoonscapeError(`${where}: another scene was run`));
    const ended = new Promise<never>((_, reject) => (this.#end = reject));
    ended.catch(() => {});
    this.#isReady = false;
    const { budgetMs, seed } = this.#parts;
    const scripts = openLua(this.engine, {
      print: (line) => this.#say('print', line),
      warn: (line) => this.#say('warn', line),
      report: (lines) => this.#events.emit('report', lines),
      failed: (error) => this.#fail(error),
      ...{ budgetMs: budgetMs ?? undefined, seed },
    });
    this.#scripts = scripts;
    this.lua.attach(scripts);
    await this.#enter(async () => {
      const source =
        text.source ?? (await Promise.race([ended, this.engine.assets.readText(where, text.name)]));
      await Promise.race([ended, scripts.run(source, text.name)]);
      if (play && this.engine.mode === 'edit') await Promise.race([ended, this.engine.play()]);
    });
    if (this.#scripts === scripts) this.#isReady = true;
  }

  /** Ends the scene that runs and takes away all that its scripts made. */
  clear(): void {
    this.#assertAlive('runtime.clear');
    this.#close(new MoonscapeError('the scene was closed'));
    this.wake();
  }

  /** Begins play: `stop` puts the world back as it is now. */
  play(): Promise<void> {
    return this.#enter(() => this.engine.play());
  }

  /** Ends play and puts the world back as it was. */
  stop(): Promise<void> {
    return this.#enter(() => this.engine.stop());
  }

  /** Holds frames back until `resume`; `step` still makes them. */
  pause(): void {
    this.#loop.pause();
  }

  /** Lets frames come again. */
  resume(): void {
    this.#assertAlive('runtime.resume');
    this.#loop.resume();
  }

  /** Makes one frame of `dt` seconds now; resolves once it is on the canvas. */
  step(dt = 1 / 60): Promise<FrameInfo> {
    const frame = this.#stepping.catch(() => {}).then(() => this.#frame(dt, true));
    this.#stepping = frame;
    return frame as Promise<FrameInfo>;
  }

  /** A frame is due: something outside scripts changed the world. */
  wake(): void {
    if (!this.engine.destroyed) this.#loop.wake();
  }

  /** The picture's size from the next frame on, pixels. A side of 0 (a view that is not seen) holds frames back. */
  resize(width: number, height: number): void {
    this.#assertAlive('runtime.resize');
    for (const [name, side] of Object.entries({ width, height }))
      if (!(Number.isInteger(side) && side >= 0))
        refuse('runtime.resize', name, 'a whole number of pixels from 0 on', side);
    this.#hidden = width === 0 || height === 0;
    if (this.#hidden) return;
    const { size } = this.engine;
    if (size.width === width && size.height === height) return this.wake();
    this.engine.resize(width, height);
    this.#events.emit('resize', { width, height });
    this.wake();
  }

  /** What the last frame drew, and what stands. */
  stats(): RuntimeStats {
    return this.engine.stats();
  }

  /** The last frame as a PNG file's bytes. */
  picture(): Promise<Uint8Array> {
    return this.engine.picture();
  }

  /** Forgets the files that scripts of this project wrote in the browser. */
  async clearStorage(): Promise<void> {
    const { host } = this.engine;
    if ('clearStorage' in host) await (host as BrowserHost).clearStorage();
  }

  /** Ends the scene and lets go of the device and of the canvas. A second time does nothing. */
  async destroy(): Promise<void> {
    if (this.engine.destroyed) return;
    this.#loop.pause();
    this.#close(new MoonscapeError('the runtime is destroyed'));
    this.#parts.target?.destroy();
    await this.engine.destroy();
    this.#events.clear();
  }

  /** One frame, and not before the device has taken the one before the last. */
  async #frame(dt: number, stepped = false): Promise<FrameInfo | null> {
    this.#assertAlive('runtime.step');
    if (this.#inFlight.length >= FRAMES_AHEAD) await this.#inFlight.shift();
    if (stepped) await this.#recovering;
    if (this.engine.destroyed || (this.#hidden && !stepped)) return null;
    if (this.engine.gpu.lost !== null) return null;
    const { host, gpu } = this.engine;
    const begin = host.now();
    await this.engine.show(dt, (picture) => this.#parts.target?.present(picture));
    this.#inFlight.push(gpu.device.queue.onSubmittedWorkDone());
    this.#scripts?.check();
    const { frames: frame, time } = this.engine;
    const info: FrameInfo = { frame, dt, time, ms: host.now() - begin };
    this.#events.emit('frame', info);
    if (this.#isReady) {
      this.#isReady = false;
      this.#events.emit('ready', info);
    }
    return info;
  }

  /** Opens another device in place of the lost one; the scene comes back on it as it was. */
  async #recover(reason: string): Promise<void> {
    if (this.engine.destroyed) return;
    this.#events.emit('lost', reason);
    const begin = this.engine.host.now();
    this.#losses = this.#losses.filter((time) => begin - time < LOSSES_WITHIN_MS);
    this.#losses.push(begin);
    if (this.#losses.length > MOST_LOSSES) {
      const seconds = LOSSES_WITHIN_MS / 1000;
      this.#fail(
        new MoonscapeError(
          `the GPU device was lost ${this.#losses.length} times within ${seconds} s, the last time as ${reason}`,
        ),
      );
      return;
    }
    const work = (async () => {
      const { gpu, host } = this.engine;
      const adapter = await host.requestAdapter({ software: this.#parts.software });
      if (this.engine.destroyed) return;
      await gpu.reopen(adapter);
      if (this.engine.destroyed || gpu.lost !== null) return;
      this.#parts.target?.configure();
      this.#inFlight = [];
      this.#events.emit('restored', undefined);
      this.wake();
    })();
    this.#recovering = work.catch((error: unknown) => this.#fail(error));
    await this.#recovering;
  }

  /** Has frames drawn while `work` goes on, and one after it. */
  async #enter<T>(work: () => Promise<T>): Promise<T> {
    this.#entered++;
    this.wake();
    try {
      return await work();
    } finally {
      this.#entered--;
      this.wake();
    }
  }

  #close(reason: Error): void {
    const { host } = this.engine;
    if ('cancel' in host) (host as BrowserHost).cancel(reason);
    this.#end?.(reason);
    this.#end = null;
    this.lua.attach(null);
    const scripts = this.#scripts;
    this.#scripts = null;
    scripts?.close();
    this.#parts.loading.reset();
  }

  #changeMode(mode: 'edit' | 'play'): void {
    this.#events.emit('mode', mode);
    this.wake();
  }

  /** A line goes to its listeners, and to the console where there are none. */
  #say(event: 'print' | 'warn', line: string): void {
    if (this.#events.has(event)) this.#events.emit(event, line);
    else this.engine.host[event](line);
  }

  #fail(cause: unknown): void {
    const error =
      cause instanceof MoonscapeError
        ? cause
        : new MoonscapeError(cause instanceof Error ? `internal fault: ${cause.message}` : String(cause), {
            cause,
          });
    if (this.#events.has('error')) this.#events.emit('error', error);
    else console.error(error);
  }

  #assertAlive(where: string): void {
    if (this.engine.destroyed) throw new MoonscapeError(`${where}: the runtime is destroyed`);
  }
}

/** So many losses within so many milliseconds are given up on: what is drawn itself may be why. */
const MOST_LOSSES = 5;
const LOSSES_WITHIN_MS = 60_000;
/** Frames whose commands the device may still have before it when the next begins. */
const FRAMES_AHEAD = 2;

/** A scene's text and name; a path has no text yet. */
function sceneText(where: string, scene: SceneSource): { source?: string; name: string } {
  if (typeof scene === 'string') return { name: scene };
  const { source, name = 'scene.lua' } = scene ?? {};
  if (typeof source !== 'string') refuse(where, 'scene', 'a path, or { source, name }', scene);
  return { source, name };
}
