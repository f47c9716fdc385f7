// A scene in a worker: the same picture and the same calls as on the page's own thread, a page that stays alive whatever a script does,
// and refusals by name for what cannot cross.
import { expect } from 'chai';
import pixelmatch from 'pixelmatch';
import type { Page } from 'playwright-core';
import { canvasPicture, inPage, type PageOptions } from '../support/page.js';
import { HEIGHT, WIDTH, withRuntime } from '../support/pageRuntime.js';

type WorkerModule = typeof import('../../bindings/worker.js');
type WorkerRuntime = Awaited<ReturnType<WorkerModule['createWorkerRuntime']>>;

const SCENE = `
  local hills = terrain.noise { width = 48, height = 48, size = { 64, 64 }, amplitude = 6, frequency = 2, seed = 3 }
  entity.create("land").component.add("Terrain", { texture = terrain.to_texture(hills) })
  print("made", ...)`;

/** Opens a page with a runtime in a worker as `window.worker`. */
const withWorker = <T>(options: PageOptions, work: (page: Page) => Promise<T>) =>
  inPage(options, async ({ page }) => {
    await page.evaluate(
      async ({ width, height }) => {
        const { createWorkerRuntime } = (await import('/moonscape/worker.js' as string)) as WorkerModule;
        const canvas = Object.assign(document.createElement('canvas'), { width, height });
        canvas.style.display = 'block';
        document.body.append(canvas);
        const runtime = await createWorkerRuntime({ canvas });
        Object.assign(window, { worker: runtime });
      },
      { width: WIDTH, height: HEIGHT },
    );
    const result = await work(page);
    await page.evaluate(() => (window as unknown as { worker: WorkerRuntime }).worker.destroy());
    return result;
  });

describe('createWorkerRuntime', function () {
  this.timeout(180_000);

  it('shows the picture that a runtime of the page’s own thread shows', async () => {
    const files = { '/scene.lua': SCENE };
    const own = await withRuntime({ files }, async (page) => {
      await page.evaluate(async () => {
        await window.kept.runtime.run('scene.lua');
        await window.kept.runtime.step(0);
      });
      return canvasPicture(page);
    });
    const seen = await withWorker({ files }, async (page) => {
      const events = await page.evaluate(async () => {
        const { worker } = window as unknown as { worker: WorkerRuntime };
        const events: unknown[] = [];
        worker.on('print', (line) => events.push(line));
        const ready = new Promise((resolve) => worker.on('ready', resolve));
        await worker.run('scene.lua', { play: true });
        await ready;
        events.push(worker.mode, (await worker.stats()).draws > 1, (await worker.picture()).length > 500);
        await worker.stop();
        events.push(worker.mode);
        await worker.pause();
        events.push((await worker.step(0)).frame > 0);
        return events;
      });
      expect(events).to.deep.equal(['made', 'play', true, true, 'edit', true]);
      return canvasPicture(page);
    });
    const unlike = pixelmatch(own.data, seen.data, null, WIDTH, HEIGHT, { threshold: 0.01, includeAA: true });
    expect([seen.width, seen.height, unlike]).to.deep.equal([WIDTH, HEIGHT, 0]);
  });

  it('carries calls both ways, and refuses what cannot cross by name', async () => {
    const seen = await withWorker({}, (page) =>
      page.evaluate(async () => {
        const { worker } = window as unknown as { worker: WorkerRuntime };
        const { hostFunction } = (await import('/moonscape/worker.js' as string)) as WorkerModule;
        const said = (work: Promise<unknown>) =>
          work.then(String, (error: Error) => `${error.name}: ${error.message}`);
        worker.lua.register(
          'shop.price',
          hostFunction(['string', 'integer?'], async (item, count = 1) => item.length * count),
        );
        worker.lua.register('angry', () => {
          throw new Error('no');
        });
        await worker.run({
          source: `function buy(n) return shop.price("axe", n), { n, list = { 1, 2 } } end
            function wrong() return shop.price(5) end
            function scold() angry() end
            function thing() return entity.create("x") end
            level = 3`,
          name: 'shop.lua',
        });
        await worker.lua.set('level', 4);
        return {
          bought: await worker.lua.callMulti('buy', 2),
          level: await worker.lua.get('level'),
          said: [
            await said(worker.lua.call('wrong')),
            await said(worker.lua.call('scold')),
            await said(worker.lua.call('thing')),
            await said(worker.lua.call('buy', () => 1)),
            await said(worker.lua.call('buy', new Date())),
            await said(worker.run('gone.lua')),
            await said(worker.run({ source: 'x = = 1', name: 'bad.lua' })),
            await said(worker.resize(-1, 5)),
          ],
        };
      }),
    );
    expect(seen.bought).to.deep.equal([6, { 1: 2, list: [1, 2] }]);
    expect(seen.level).to.equal(4);
    const rules = [
      /^LuaError: shop.lua:2: shop.price: argument 1 must be a string, got 5$/,
      /^LuaError: shop.lua:3: angry: no$/,
      /^MoonscapeError: what comes back must be .*Entity/,
      /^MoonscapeError: runtime.lua.callMulti: argument 2 must be numbers.*got a function/,
      /^MoonscapeError: runtime.lua.callMulti: argument 2 must be plain data.*got a Date/,
      /^MoonscapeError: runtime.run: there is no file "gone.lua" \(http.*404/,
      /^LuaError: bad.lua:1: unexpected symbol/,
      /^MoonscapeError: runtime.resize: width must be a whole number of pixels/,
    ];
    rules.forEach((rule, i) => expect(seen.said[i]).to.match(rule));
  });

  it('leaves the page alive while a script runs without end, and ends it', async () => {
    const seen = await withWorker({}, (page) =>
      page.evaluate(async () => {
        const { worker } = window as unknown as { worker: WorkerRuntime };
        const endless = worker.run({ source: 'while true do end' }).catch((error: Error) => error.message);
        let turns = 0;
        const clock = setInterval(() => turns++, 10);
        await new Promise((resolve) => setTimeout(resolve, 500));
        clearInterval(clock);
        const begin = performance.now();
        await worker.destroy();
        const took = performance.now() - begin;
        const after = await worker.step().catch((error: Error) => error.message);
        return { turns, took, said: await endless, after, destroyed: worker.destroyed };
      }),
    );
    expect(seen.turns).to.be.greaterThan(10);
    expect(seen.took).to.be.lessThan(5000);
    expect(seen).to.include({
      said: 'the runtime is destroyed',
      after: 'runtime.step: the runtime is destroyed',
      destroyed: true,
    });
  });

  it('refuses options that cannot be, and says what is missing', async () => {
    const said = await inPage({}, ({ page }) =>
      page.evaluate(async () => {
        const { createWorkerRuntime } = (await import('/moonscape/worker.js' as string)) as WorkerModule;
        const taken = document.createElement('canvas');
        taken.getContext('2d');
        const outcomes = await Promise.allSettled([
          createWorkerRuntime({ canvs: 1 } as never),
          createWorkerRuntime({ canvas: {} as never }),
          createWorkerRuntime({ canvas: taken }),
          createWorkerRuntime({ budgetMs: -1 }),
          createWorkerRuntime({ worker: new Worker('/gone.js') }),
        ]);
        return outcomes.map((each) => (each.status === 'rejected' ? (each.reason as Error).message : 'fine'));
      }),
    );
    const rules = [
      /there is no field "canvs"/,
      /createWorkerRuntime: canvas must be a <canvas> or an OffscreenCanvas/,
      /createWorkerRuntime: canvas must be one that nothing draws on/,
      /budgetMs must be a finite number above 0, got -1/,
      /the worker failed: its script does not load/,
    ];
    rules.forEach((rule, i) => expect(said[i]).to.match(rule));
  });
});
