// How fast it is and what is drawn, over the view: a graph of the last frames, and what the renderer counts.
import type { PageRuntime } from '../bindings/page/pageRuntime.js';

/** Frames in the graph, a pixel column each. */
const FRAMES = 120;
const HEIGHT = 36;
/** Milliseconds from the graph's foot to its top. */
const TOP_MS = 50;
/** Lines across: 60 and 30 frames a second. */
const LINES = [1000 / 60, 1000 / 30];
/** Milliseconds between two changes of the words. */
const PAUSE_MS = 250;

export class StatsOverlay {
  readonly #canvas: HTMLCanvasElement;
  readonly #words: HTMLElement;
  readonly #intervals = new Float32Array(FRAMES);
  #count = 0;
  #last = 0;
  #said = 0;

  constructor(private readonly element: HTMLElement) {
    this.#canvas = element.querySelector('canvas')!;
    this.#words = element.querySelector('dl')!;
    this.#canvas.width = FRAMES;
    this.#canvas.height = HEIGHT;
  }

  get shown(): boolean {
    return !this.element.hidden;
  }

  set shown(shown: boolean) {
    this.element.hidden = !shown;
    this.#last = 0;
  }

  /** A frame was drawn; `ms`: what scripts and commands took of it. */
  frame(runtime: PageRuntime, ms: number): void {
    if (!this.shown) return;
    const now = performance.now();
    const interval = now - this.#last;
    // The first frame after a rest has no interval.
    if (interval < 500) this.#intervals[this.#count++ % FRAMES] = interval;
    this.#last = now;
    if (now - this.#said < PAUSE_MS) return;
    this.#said = now;
    this.#draw();
    this.#say(runtime, ms);
  }

  #draw(): void {
    const context = this.#canvas.getContext('2d')!;
    const style = getComputedStyle(this.element);
    context.clearRect(0, 0, FRAMES, HEIGHT);
    context.fillStyle = style.getPropertyValue('--graph-line');
    for (const ms of LINES) context.fillRect(0, HEIGHT - Math.round((ms / TOP_MS) * HEIGHT), FRAMES, 1);
    context.fillStyle = style.getPropertyValue('--graph');
    const first = Math.max(0, this.#count - FRAMES);
    for (let i = first; i < this.#count; i++) {
      const tall = Math.min(1, this.#intervals[i % FRAMES] / TOP_MS) * HEIGHT;
      context.fillRect(FRAMES - this.#count + i, HEIGHT - tall, 1, tall);
    }
  }

  #say({ engine }: PageRuntime, ms: number): void {
    const { draws, triangles, bytes } = engine.stats();
    const nodes = [...engine.terrains].reduce((sum, terrain) => sum + terrain.stats().nodes, 0);
    const kept = Math.min(this.#count, FRAMES);
    const sorted = this.#intervals.slice(0, kept).sort();
    const median = sorted[kept >> 1] ?? 0;
    const rows: [string, string][] = [
      ['frame', kept > 0 ? `${median.toFixed(1)} ms` : '–'],
      ['script + draw', `${ms.toFixed(1)} ms`],
      ['draws', String(draws)],
      ['triangles', triangles.toLocaleString('en')],
      ['nodes', String(nodes)],
      ['GPU', `${(bytes / 2 ** 20).toFixed(1)} MiB`],
    ];
    this.#words.replaceChildren(...rows.flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
  }
}

function make(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}
