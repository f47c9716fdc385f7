// A page with a runtime on a canvas, for specs of createRuntime. What a spec hands to page.evaluate finds them as `window.kept`.
import type { Page } from 'playwright-core';
import type { PageRuntime } from '../../bindings/moonscape.js';
import { inPage, type OpenPage, type PageOptions } from './page.js';

export const WIDTH = 240;
export const HEIGHT = 135;

export interface RuntimePageOptions extends PageOptions {
  /** Options of createRuntime, but for the canvas. */
  runtime?: Record<string, unknown>;
}

/** Opens a page with a runtime on a canvas of WIDTH×HEIGHT, has `work` done, and destroys it. Errors that it tells must be expected by the spec. */
export function withRuntime<T>(
  options: RuntimePageOptions,
  work: (page: Page, open: OpenPage) => Promise<T>,
): Promise<T> {
  return inPage(options, async (open) => {
    const { page } = open;
    await page.evaluate(
      async ({ options, width, height }) => {
        const moonscape = (await import('/moonscape/moonscape.js' as string)) as Moonscape;
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        canvas.style.display = 'block';
        document.body.append(canvas);
        const runtime = await moonscape.createRuntime({ canvas, ...options });
        const events: [string, unknown][] = [];
        const names = ['ready', 'print', 'warn', 'error', 'mode', 'resize', 'lost', 'restored'] as const;
        for (const name of names)
          runtime.on(name, (value: unknown) =>
            events.push([name, value instanceof Error ? value.message : (value ?? null)]),
          );
        const shown = () => new Promise((resolve) => runtime.on('frame', resolve));
        const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
        window.kept = { moonscape, runtime, canvas, events, shown, rest };
      },
      { options: options.runtime ?? {}, width: WIDTH, height: HEIGHT },
    );
    const result = await work(page, open);
    await page.evaluate(() => window.kept.runtime.destroy());
    return result;
  });
}

/** What stands in a page of withRuntime. */
export interface Kept {
  moonscape: Moonscape;
  runtime: PageRuntime;
  canvas: HTMLCanvasElement;
  /** Every event but frame, progress and report, with what it told. */
  events: [name: string, value: unknown][];
  /** Resolves at the next frame. */
  shown(): Promise<unknown>;
  rest(ms: number): Promise<unknown>;
  /** What a spec leaves for its next step. */
  [name: string]: unknown;
}

declare global {
  interface Window {
    kept: Kept;
  }
}
