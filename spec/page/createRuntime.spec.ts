// createRuntime in a real browser: a scene on a canvas is the picture that Node makes of it, frames come while something moves and
// stop when nothing does, and what cannot be is refused with nothing left behind.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { openLua } from '../../bindings/index.js';
import { createNodeHost } from '../../runtime/host/node.js';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { Runtime } from '../../runtime/runtime.js';
import { canvasPicture, filesOf, inPage, type PageOptions } from '../support/page.js';

const WIDTH = 240;
const HEIGHT = 135;
/** The browser's Dawn is another version than Node's: edges may fall differently. */
const PIXELS_ALLOWED = 0.002;

/** What Node draws of an example. */
async function nodePicture(name: string): Promise<Picture> {
  const host = createNodeHost({ project: 'examples' });
  const runtime = await Runtime.create({ host, software: true, width: WIDTH, height: HEIGHT });
  const lua = openLua(runtime);
  try {
    await lua.run(readFileSync(`examples/${name}`, 'utf8'), name);
    await runtime.frame(1 / 60);
    return await runtime.renderer.readPixels();
  } finally {
    lua.close();
    await runtime.destroy();
  }
}

/** Opens a runtime on a canvas of the page and keeps it as `window.kept.runtime`. */
const open = (page: Page, options: object = {}) =>
  page.evaluate(
    async ({ options, width, height }) => {
      const { createRuntime } = (await import('/moonscape/moonscape.js' as string)) as Moonscape;
      const canvas = Object.assign(document.createElement('canvas'), { width, height });
      canvas.style.display = 'block';
      document.body.append(canvas);
      window.kept = { runtime: await createRuntime({ canvas, ...options }) };
    },
    { options, width: WIDTH, height: HEIGHT },
  );

/** A page with a runtime on a canvas. */
const withRuntime = <T>(options: PageOptions & { runtime?: object }, work: (page: Page) => Promise<T>) =>
  inPage(options, async ({ page }) => {
    await open(page, options.runtime);
    return work(page);
  });

describe('createRuntime', function () {
  this.timeout(120_000);

  it('shows on a canvas what Node draws of the same scene', async () => {
    const node = await nodePicture('first-ground.lua');
    const seen = await withRuntime({ files: filesOf('examples') }, async (page) => {
      await page.evaluate(async () => {
        const { runtime } = window.kept;
        const ready = new Promise((resolve) => runtime.on('ready', resolve));
        await runtime.run('first-ground.lua');
        await ready;
      });
      return canvasPicture(page);
    });
    expect([seen.width, seen.height]).to.deep.equal([WIDTH, HEIGHT]);
    const unlike = pixelmatch(node.data, seen.data, null, WIDTH, HEIGHT, {
      threshold: 0.02,
      includeAA: true,
    });
    expect(unlike).to.be.at.most(WIDTH * HEIGHT * PIXELS_ALLOWED);
  });
});
