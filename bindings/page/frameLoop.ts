// When a page draws: before each picture of the screen while something moves, and not at all while nothing does. A page that rests
// asks the browser for no frame.
import type { Host } from '../../runtime/host/host.js';

/** Seconds that a frame moves the scene on at most: a page that was hidden goes on where it was. */
const LONGEST_FRAME = 0.1;
const MS_PER_FRAME = 1000 / 60;

export interface FrameLoopOptions {
  host: Pick<Host, 'nextFrame' | 'now'>;
  /** Draws a frame of `dt` seconds. It does not reject. */
  draw: (dt: number) => Promise<void>;
  /** Whether another frame is due though nobody woke the loop. Asked after each. */
  moving: () => boolean;
}

export class FrameLoop {
  readonly #options: FrameLoopOptions;
  #takeBack: (() => void) | null = null;
  #drawing = false;
  #woken = false;
  #paused = false;
  /** When the last frame began, milliseconds; null where none came just before. */
  #last: number | null = null;

  constructor(options: FrameLoopOptions) {
    this.#options = options;
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** A frame is due: something changed. */
  wake(): void {
    this.#woken = true;
    this.#request();
  }

  /** No frame is drawn until `resume`. */
  pause(): void {
    this.#paused = true;
    this.#last = null;
    this.#takeBack?.();
    this.#takeBack = null;
  }

  resume(): void {
    this.#paused = false;
    this.wake();
  }

  #request(): void {
    if (this.#paused || this.#drawing || this.#takeBack) return;
    const { nextFrame = later } = this.#options.host;
    this.#takeBack = nextFrame(() => {
      this.#takeBack = null;
      void this.#frame();
    });
  }

  async #frame(): Promise<void> {
    const { host, draw, moving } = this.#options;
    const now = host.now();
    // The first frame after a rest takes a screen's: nobody waited for it.
    const dt = this.#last === null ? 1 / 60 : Math.min((now - this.#last) / 1000, LONGEST_FRAME);
    this.#last = now;
    this.#woken = false;
    this.#drawing = true;
    try {
      await draw(dt);
    } finally {
      this.#drawing = false;
    }
    if (this.#woken || moving()) this.#request();
    else this.#last = null;
  }
}

function later(callback: () => void): () => void {
  const clock = setTimeout(callback, MS_PER_FRAME);
  return () => clearTimeout(clock);
}
