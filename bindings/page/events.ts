// What a page's runtime tells whoever listens. A plain emitter rather than the DOM's: it is typed, and runs in workers and in Node.
import { checkOneOf, type MoonscapeError } from '../../runtime/errors.js';

/** A scene's downloads so far. */
export interface Progress {
  /** Files asked for, and how many of them have come. */
  files: number;
  done: number;
  /** Bytes that have come, and those that were announced; a server need not announce any. */
  loaded: number;
  total: number;
}

/** A picture that went on the canvas. */
export interface FrameInfo {
  /** Pictures of this runtime so far. */
  frame: number;
  /** Seconds that it moved the scene on, and seconds of the scene so far. */
  dt: number;
  time: number;
  /** Milliseconds that scripts and drawing commands took. */
  ms: number;
}

/** Each event with what its listeners get. */
export interface RuntimeEvents {
  /** The scene's script has ended and its first picture is on the canvas. */
  ready: FrameInfo;
  progress: Progress;
  /** A line that a script printed. */
  print: string;
  /** A line of a warning. */
  warn: string;
  /** The load report of a ground that was read from a texture, as lines for a person. */
  report: string[];
  /** What no call can throw: a callback of the scene failed, a capture could not be written, the device refused a command. */
  error: MoonscapeError;
  frame: FrameInfo;
  mode: 'edit' | 'play';
  resize: { width: number; height: number };
  /** The device is lost (why); another is being opened. */
  lost: string;
  /** The scene is back on another device. */
  restored: undefined;
}

export type EventName = keyof RuntimeEvents;
export type Listener<K extends EventName> = (value: RuntimeEvents[K]) => void;

const NAMES: Record<EventName, true> = {
  ready: true,
  progress: true,
  print: true,
  warn: true,
  report: true,
  error: true,
  frame: true,
  mode: true,
  resize: true,
  lost: true,
  restored: true,
};

export const EVENT_NAMES = Object.keys(NAMES) as EventName[];

export class Emitter {
  readonly #listeners = new Map<EventName, Set<Listener<never>>>();

  /** Adds a listener; returns what takes it off. An event that there is not is refused. */
  on<K extends EventName>(name: K, listener: Listener<K>): () => void {
    checkOneOf('runtime.on', 'name', name, EVENT_NAMES);
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener as Listener<never>));
    return () => void listeners.delete(listener as Listener<never>);
  }

  /** Whether anybody listens. */
  has(name: EventName): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /** Calls the listeners in the order of their adding. What one throws goes to the console and stops no other. */
  emit<K extends EventName>(name: K, value: RuntimeEvents[K]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])])
      try {
        (listener as Listener<K>)(value);
      } catch (error) {
        console.error(error);
      }
  }

  clear(): void {
    this.#listeners.clear();
  }
}
