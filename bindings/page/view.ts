// <moonscape-view src="scene.lua" assets="…" controls="orbit" autoplay poster="…">: a scene as an element of a page. It opens a runtime
// when it is attached and lets go of it when it is not; what happens comes as events. Importing it where there is no DOM is fine.
// One class past 400 lines: attributes, opening, events and their ends turn on the same few fields.
import { MoonscapeError } from '../../runtime/errors.js';
import { CONTROL_STYLES, type ControlStyle } from '../../runtime/controls/cameraControls.js';
import { createBrowserHost } from '../../runtime/host/browser.js';
import { listenTo } from '../../runtime/host/domInput.js';
import type { InputEvent } from '../../runtime/input/events.js';
import { followSize } from './canvasSize.js';
import { EVENT_NAMES, type RuntimeEvents } from './events.js';
import {
  createRuntime,
  type CreateRuntimeOptions,
  type PageRuntime,
  type SceneSource,
} from './pageRuntime.js';
import { ViewParts } from './viewParts.js';

/** The events of a view: a runtime's own, each a CustomEvent whose `detail` is what its listeners get. */
export type ViewEvents = { [K in keyof RuntimeEvents]: CustomEvent<RuntimeEvents[K]> };

/** An element whose listeners get the events of a view. */
interface ViewElement extends HTMLElement {
  addEventListener<K extends keyof ViewEvents>(
    type: K,
    listener: (event: ViewEvents[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

/** Where there is no DOM the class stands for nothing, so that a module that imports it can be loaded. */
const Base = (globalThis.HTMLElement ?? class {}) as { new (): ViewElement; prototype: ViewElement };

export interface ViewRunOptions {
  /** Begin play once the script has ended. Default: the attribute `autoplay`. */
  play?: boolean;
  /** The camera stays where a person moved it to. Default false. */
  keepCamera?: boolean;
}

export class MoonscapeView extends Base {
  static readonly observedAttributes = ['src', 'assets', 'controls', 'poster'];
  /** What the runtime is opened with beside what attributes say; set it before the view is attached. */
  options: Omit<CreateRuntimeOptions, 'canvas' | 'assets' | 'width' | 'height'> = {};
  readonly #parts: ViewParts;
  readonly #internals: ElementInternals;
  #opening: Promise<PageRuntime> | null = null;
  #attachment: object = {};
  /** Address of the project's folder that the runtime was opened with. */
  #base = '';
  /** Settles when nothing opens. */
  #last: Promise<unknown> = Promise.resolve();
  #runtime: PageRuntime | null = null;
  /** Told apart what is under way from what an attribute, another scene or a detach has overtaken. */
  #turn: object = {};
  #size: { width: number; height: number } | null = null;
  #release: (() => void)[] = [];
  #isReady = false;
  #seen = true;
  #paused = false;
  #scheduled = false;

  constructor() {
    super();
    this.#parts = new ViewParts(this.attachShadow({ mode: 'open' }));
    this.#internals = this.attachInternals();
    this.#internals.role = 'img';
    this.#internals.ariaLabel = 'landscape';
  }

  /** Address of the scene's script, relative to the page. Setting it runs another scene. */
  get src(): string {
    return this.getAttribute('src') ?? '';
  }

  set src(value: string) {
    this.setAttribute('src', value);
  }

  /** Address of the project's folder, relative to the page; default the folder of `src`. */
  get assets(): string {
    return this.getAttribute('assets') ?? '';
  }

  set assets(value: string) {
    this.setAttribute('assets', value);
  }

  /** How a person moves the camera; "none" without the attribute, "orbit" where it names none. A scene may choose another. */
  get controls(): ControlStyle {
    const value = this.getAttribute('controls');
    if (value === null) return 'none';
    return CONTROL_STYLES.find((style) => style === value.toLowerCase()) ?? 'orbit';
  }

  set controls(value: ControlStyle) {
    this.setAttribute('controls', value);
  }

  /** Begin play once the scene stands; not for people who ask for less motion. */
  get autoplay(): boolean {
    return this.hasAttribute('autoplay');
  }

  set autoplay(value: boolean) {
    this.toggleAttribute('autoplay', value);
  }

  /** Address of the picture that stands until there is one of the scene. */
  get poster(): string {
    return this.getAttribute('poster') ?? '';
  }

  set poster(value: string) {
    this.setAttribute('poster', value);
  }

  /** The runtime, once it is open; null before, after a failure and while detached. */
  get runtime(): PageRuntime | null {
    return this.#runtime;
  }

  /** Whether the scene stands and its first picture is shown. */
  get ready(): boolean {
    return this.#isReady;
  }

  get mode(): 'edit' | 'play' {
    return this.#runtime?.mode ?? 'edit';
  }

  /** Opens the runtime, or answers the one that is open. Rejects where the view is detached or there is no WebGPU. */
  open(): Promise<PageRuntime> {
    if (!this.isConnected)
      return Promise.reject(
        new MoonscapeError('moonscape-view.open: the view is in no page; attach it first'),
      );
    if (!this.#opening) {
      // One after the other: they share the canvas.
      const before = this.#last;
      const attachment = this.#attachment;
      this.#base = this.#addresses().base.href;
      this.#opening = before.then(() => this.#create(attachment));
      this.#last = this.#opening.catch(() => {});
    }
    return this.#opening;
  }

  /**
   * Runs a scene (a path in the project, or text) in place of the one before. Resolves once its script has ended; rejects with what
   * also comes as the event `error`.
   */
  async run(scene: SceneSource, { play, keepCamera = false }: ViewRunOptions = {}): Promise<void> {
    const turn = (this.#turn = {});
    this.#isReady = false;
    this.#parts.message = null;
    this.#parts.progress = true;
    try {
      const runtime = await this.open();
      if (turn !== this.#turn) return;
      const putBack = keepCamera ? runtime.engine.controls.keep() : null;
      // What the scene before chose goes with it.
      runtime.clear();
      runtime.engine.controls.style = this.controls;
      this.#resume();
      try {
        await runtime.run(scene, { play: play ?? (this.autoplay && !REDUCED?.matches) });
      } finally {
        if (turn === this.#turn) putBack?.();
        runtime.wake();
      }
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
      throw error;
    } finally {
      if (turn === this.#turn) this.#parts.progress = null;
    }
  }

  /** Runs the scene of `src` again. */
  async reload(options: ViewRunOptions = {}): Promise<void> {
    const { src, base } = this.#addresses();
    // Another project: its files come from elsewhere.
    if (this.#opening && base.href !== this.#base) this.#letGo();
    if (!src) throw new MoonscapeError('moonscape-view.reload: there is no src');
    if (src.href.startsWith(base.href))
      return this.run(decodeURIComponent(src.href.slice(base.href.length).split(/[?#]/)[0]), options);
    // A script outside of the project's folder: its text comes from its own place.
    const name = decodeURIComponent(src.pathname.slice(src.pathname.lastIndexOf('/') + 1));
    const turn = (this.#turn = {});
    let source: string;
    try {
      const host = createBrowserHost({ assets: new URL('.', src), storage: false });
      source = new TextDecoder('utf-8', { fatal: true }).decode(await host.files.read(name));
    } catch (cause) {
      const error = new MoonscapeError(`moonscape-view: ${(cause as Error).message}`, { cause });
      if (turn === this.#turn) this.#fail(error);
      throw error;
    }
    if (turn === this.#turn) await this.run({ source, name }, options);
  }

  /** Begins play: `stop` puts the world back as it is now. */
  async play(): Promise<void> {
    await (await this.open()).play();
  }

  /** Ends play and puts the world back as it was. */
  async stop(): Promise<void> {
    await (await this.open()).stop();
  }

  /** Holds frames back until `resume`. */
  pause(): void {
    this.#paused = true;
    this.#runtime?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#resume();
  }

  connectedCallback(): void {
    // Moved within the page: it goes on as it is.
    if (this.#release.length > 0) return;
    this.#parts.poster = this.getAttribute('poster');
    const { canvas } = this.#parts;
    this.#release.push(
      followSize(canvas, (width, height) => {
        this.#size = { width, height };
        this.#runtime?.resize(...this.#fitting());
      }),
      listenTo(this, {
        feed: (event) => this.#feed(event),
        size: () => this.#runtime?.engine.size ?? canvas,
        captures: () => this.#captures(),
      }),
      this.#watchSight(),
      this.#watchMotion(),
    );
    this.#schedule();
  }

  disconnectedCallback(): void {
    // Moved, unless it is still gone when whoever moves it is done.
    queueMicrotask(() => {
      if (!this.isConnected) this.#close();
    });
  }

  attributeChangedCallback(name: string, old: string | null, value: string | null): void {
    if (old === value) return;
    if (name === 'poster') this.#parts.poster = value;
    else if (name === 'controls') this.#chooseControls();
    else this.#schedule();
  }

  /** Runs the scene of `src` once all attributes that are just being set are set. */
  #schedule(): void {
    if (!this.isConnected || this.#release.length === 0) return;
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      // Who waits gets the error as an event.
      if (this.isConnected && this.src) this.reload().catch(() => {});
    });
  }

  #addresses(): { src: URL | null; base: URL } {
    const { src, assets, baseURI } = { src: this.src, assets: this.assets, baseURI: document.baseURI };
    const script = src ? new URL(src, baseURI) : null;
    const base = new URL(assets || '.', assets || !script ? baseURI : script);
    base.search = base.hash = '';
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    return { src: script, base };
  }

  /** @param attachment the one that the runtime is for: another, or none, may have taken its place by the time it is open */
  async #create(attachment: object): Promise<PageRuntime> {
    try {
      this.#checkAttached(attachment);
      const { width, height } = this.#size ?? { width: 0, height: 0 };
      const runtime = await createRuntime({
        ...this.options,
        canvas: this.#parts.canvas,
        assets: this.#base,
        ...(width > 0 && height > 0 ? { width, height } : {}),
      });
      if (attachment !== this.#attachment) {
        await runtime.destroy();
        this.#checkAttached(attachment);
      }
      this.#adopt(runtime);
      return runtime;
    } catch (error) {
      if (attachment === this.#attachment) this.#opening = null;
      throw error;
    }
  }

  #checkAttached(attachment: object): void {
    if (attachment !== this.#attachment)
      throw new MoonscapeError('moonscape-view: the view was detached while it opened');
  }

  #adopt(runtime: PageRuntime): void {
    this.#runtime = runtime;
    for (const name of EVENT_NAMES) runtime.on(name, (detail: unknown) => this.#tell(name, detail));
    runtime.on('ready', () => {
      this.#isReady = true;
      this.#parts.shown = true;
      this.#resume();
    });
    runtime.on('progress', ({ files, done, loaded, total }) => {
      if (!this.#isReady) this.#parts.progress = done < files && total > 0 ? loaded / total : true;
    });
    const { controls } = runtime.engine;
    controls.reducedMotion = REDUCED?.matches ?? false;
    controls.changed = () => this.#showControls();
    this.#chooseControls();
    if (this.#size) runtime.resize(...this.#fitting());
    this.#resume();
  }

  /** The size on screen, no larger than the adapter's pictures can be. */
  #fitting(): [number, number] {
    const { width, height } = this.#size!;
    const most = this.#runtime!.engine.gpu.limits.maxTextureDimension2D;
    const factor = Math.min(1, most / Math.max(width, height, 1));
    return [Math.floor(width * factor), Math.floor(height * factor)];
  }

  /** Sends an event on. A line or an error that nobody stops (`preventDefault`) goes to the console too. */
  #tell(name: keyof RuntimeEvents, detail: unknown): void {
    const stopped = !this.dispatchEvent(new CustomEvent(name, { detail, cancelable: CONSOLE.has(name) }));
    if (!stopped) CONSOLE.get(name)?.(detail);
  }

  #fail(error: unknown): void {
    this.#parts.message = (error as Error).message;
    this.#tell('error', error);
  }

  #feed(event: InputEvent): void {
    const runtime = this.#runtime;
    if (!runtime || runtime.destroyed) return;
    const { input, controls } = runtime.engine;
    input.feed(event);
    // What only hovers moves no camera, and scripts that ask are called each frame as it is.
    if (controls.style !== 'none' && (event.type !== 'move' || input.holding)) runtime.wake();
  }

  #captures(): boolean {
    return this.#runtime !== null && this.#runtime.engine.controls.style !== 'none';
  }

  #chooseControls(): void {
    if (this.#runtime) this.#runtime.engine.controls.style = this.controls;
    this.#showControls();
  }

  /** Says to the page and to assistive programs whether a person can do something here. */
  #showControls(): void {
    const captures = this.#captures();
    if (captures) this.#internals.states.add('captures');
    else this.#internals.states.delete('captures');
    this.#internals.role = captures ? 'application' : 'img';
    // Always for a click, by Tab where it is of use.
    if (!this.hasAttribute('tabindex') || this.#ownTabIndex) {
      this.#ownTabIndex = true;
      this.tabIndex = captures ? 0 : -1;
    }
  }

  #ownTabIndex = false;

  /** Frames rest while the view is scrolled out of sight, once its first one stands. */
  #watchSight(): () => void {
    const observer = new IntersectionObserver((entries) => {
      this.#seen = entries[entries.length - 1].isIntersecting;
      this.#resume();
    });
    observer.observe(this);
    return () => observer.disconnect();
  }

  #watchMotion(): () => void {
    const changed = () => {
      if (this.#runtime) this.#runtime.engine.controls.reducedMotion = REDUCED!.matches;
    };
    REDUCED?.addEventListener('change', changed);
    return () => REDUCED?.removeEventListener('change', changed);
  }

  /** Lets frames come where nothing holds them back, and holds them back where something does. */
  #resume(): void {
    const runtime = this.#runtime;
    if (!runtime || runtime.destroyed) return;
    const hold = this.#paused || (!this.#seen && this.#isReady);
    if (hold && !runtime.paused) runtime.pause();
    else if (!hold && runtime.paused) runtime.resume();
  }

  /** Lets go of the runtime, or of the one that is being opened. */
  #letGo(): void {
    this.#turn = {};
    this.#attachment = {};
    this.#opening = null;
    const runtime = this.#runtime;
    this.#runtime = null;
    this.#isReady = false;
    this.#parts.shown = false;
    this.#parts.progress = this.#parts.message = null;
    // Its end is nobody's to wait for; what fails in it fails on a device that is gone.
    runtime?.destroy().catch(() => {});
  }

  #close(): void {
    for (const end of this.#release.splice(0)) end();
    this.#size = null;
    this.#seen = true;
    this.#letGo();
    this.#showControls();
  }
}

const REDUCED = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)');

/** What happens to events that nobody stops. */
const CONSOLE = new Map<string, (detail: unknown) => void>([
  ['print', (line) => console.log(line)],
  ['warn', (line) => console.warn(line)],
  ['error', (error) => console.error(error)],
]);
