// A lost device: the page goes on with another one, and every kind of thing that a scene may hold is there again, to the byte.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { canvasPicture, filesOf } from '../support/page.js';
import { largestDifference } from '../support/picture.js';
import { HEIGHT, WIDTH, withRuntime } from '../support/pageRuntime.js';

/** Takes the device away and waits until the scene is on another one. */
const lose = (page: Page) =>
  page.evaluate(async () => {
    const { runtime } = window.kept;
    const restored = new Promise((resolve) => runtime.on('restored', () => resolve(undefined)));
    runtime.engine.gpu.device.destroy();
    await restored;
  });

/** The canvas once nothing is under way. */
async function settled(page: Page): Promise<Awaited<ReturnType<typeof canvasPicture>>> {
  await page.evaluate(async () => {
    const { runtime, rest } = window.kept;
    // What a frame begins (a bake) is seen by a later one.
    for (let round = 0; round < 4; round++) {
      await runtime.step(0);
      while (!runtime.engine.still) await rest(20);
    }
    await runtime.step(0);
    await runtime.engine.gpu.settle();
    await rest(100);
  });
  return canvasPicture(page);
}

/** Scenes that hold what kernels and the processor make in every way. */
const SCENES: Record<string, string> = {
  'ground, shadows and a ball': readFileSync('examples/first-ground.lua', 'utf8'),
  'layers with maps': readFileSync('examples/layers.lua', 'utf8'),
  'scattered things': readFileSync('examples/scatter.lua', 'utf8'),
  'tessellated surfaces': readFileSync('examples/tessellation.lua', 'utf8'),
};

describe('a lost device', function () {
  this.timeout(240_000);

  for (const [what, source] of Object.entries(SCENES))
    it(`gives ${what} back as they were`, async () => {
      await withRuntime({ files: filesOf('examples') }, async (page) => {
        await page.evaluate(async (source) => {
          const { runtime } = window.kept;
          runtime.pause();
          await runtime.run({ source });
        }, source);
        const before = await settled(page);
        const bytes = await page.evaluate(() => window.kept.runtime.engine.gpu.bytes);
        expect(new Set(before.data).size).to.be.greaterThan(40);
        await lose(page);
        const after = await settled(page);
        expect([after.width, after.height]).to.deep.equal([WIDTH, HEIGHT]);
        expect(largestDifference(before, after)).to.equal(0);
        // Once more, and the scene is alive: what is edited after is drawn as edited.
        await lose(page);
        expect(largestDifference(before, await settled(page))).to.equal(0);
        const seen = await page.evaluate(() => ({
          bytes: window.kept.runtime.engine.gpu.bytes,
          events: window.kept.events
            .map(([name]) => name)
            .filter((name) => name !== 'print' && name !== 'ready'),
        }));
        expect(seen.bytes).to.equal(bytes);
        expect(seen.events).to.deep.equal(['lost', 'restored', 'lost', 'restored']);
      });
    });

  it('between frames of a scene that moves is a pause: scripts keep their state, and edits go on', async () => {
    const source = `
      local heights = terrain.noise { width = 32, height = 32, size = { 64, 64 }, amplitude = 4, seed = 2 }
      hf = entity.create("land").component.add("Terrain", { texture = terrain.to_texture(heights) }):heightfield()
      count = 0
      scene.onUpdate(function() count = count + 1 end)
      function dig() hf:setHeights(10, 10, 4, 4, { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 }) return hf:heightAt(-10, -10) end`;
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async (source) => {
        const { runtime, shown, events } = window.kept;
        await runtime.run({ source });
        await shown();
        const before = runtime.lua.get('count') as number;
        const restored = new Promise((resolve) => runtime.on('restored', () => resolve(undefined)));
        runtime.engine.gpu.device.destroy();
        const dug = await runtime.lua.call('dig').catch((error: Error) => error.message);
        await restored;
        for (let i = 0; i < 3; i++) await shown();
        const after = runtime.lua.get('count') as number;
        const { draws } = runtime.stats();
        return { grew: after - before, dug, draws, errors: events.filter(([name]) => name === 'error') };
      }, source),
    );
    expect(seen.errors).to.deep.equal([]);
    expect(seen.grew).to.be.greaterThan(2);
    expect(seen.draws).to.be.greaterThan(1);
    expect(seen.dug).not.to.match(/lost/);
  });

  it('during a load, before the first frame, and twice in a row, ends in the same picture', async () => {
    const files = filesOf('examples');
    const source = readFileSync('examples/first-ground.lua', 'utf8');
    const pictures = [];
    for (const losses of [[], [30], [150, 200]]) {
      pictures.push(
        await withRuntime({ files }, async (page) => {
          await page.evaluate(
            async ({ source, losses }) => {
              const { runtime, rest } = window.kept;
              let live = 0;
              runtime.on('restored', () => live++);
              const running = runtime.run({ source });
              for (const pause of losses) {
                await rest(pause);
                runtime.engine.gpu.device.destroy();
              }
              await running;
              while (runtime.engine.gpu.lost !== null || live < Math.min(losses.length, 1)) await rest(20);
              runtime.pause();
            },
            { source, losses },
          );
          return settled(page);
        }),
      );
    }
    for (const picture of pictures.slice(1)) expect(largestDifference(pictures[0], picture)).to.equal(0);
  });

  it('that cannot be replaced, or is lost again and again, is told once as an error', async () => {
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async () => {
        const { runtime, events, rest } = window.kept;
        await runtime.run({ source: '' });
        for (let i = 0; i < 6; i++) {
          const restored = new Promise((resolve) => runtime.on('restored', () => resolve(undefined)));
          runtime.engine.gpu.device.destroy();
          await Promise.race([restored, rest(3000)]);
        }
        return events.filter(([name]) => name === 'error').map(([, message]) => message);
      }),
    );
    expect(seen).to.have.length(1);
    expect(seen[0]).to.match(/^the GPU device was lost 6 times within 60 s, the last time as destroyed/);
  });
});
