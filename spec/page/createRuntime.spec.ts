// createRuntime in a real browser: a scene on a canvas is the picture that Node makes of it, frames come while something moves and
// stop when nothing does, and what cannot be is refused with nothing left behind.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import pixelmatch from 'pixelmatch';
import { openLua } from '../../bindings/index.js';
import { createNodeHost } from '../../runtime/host/node.js';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { Runtime } from '../../runtime/runtime.js';
import { canvasPicture, filesOf, inPage } from '../support/page.js';
import { HEIGHT, WIDTH, withRuntime } from '../support/pageRuntime.js';

/** The browser's Dawn is another version than Node's: edges may fall differently. */
const PIXELS_ALLOWED = 0.002;
const BALL = `
ball = entity.create("ball", { position = { 0, 0, 0 } })
ball.component.add("Model", { mesh = renderer.mesh.sphere { radius = 1 } })
`;

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

  describe('frames', () => {
    it('stop when nothing moves, come again when it does, and one comes after a change from outside', async () => {
      const counts = await withRuntime({}, (page) =>
        page.evaluate(async (ball) => {
          const { runtime, rest, shown } = window.kept;
          let count = 0;
          runtime.on('frame', () => count++);
          const during = async (work: () => unknown) => {
            await work();
            await rest(500);
            const before = count;
            await rest(500);
            return count - before;
          };
          const still = await during(() => runtime.run({ source: ball }));
          const before = count;
          await Promise.all([shown(), runtime.lua.set('anything', 1)]);
          await rest(300);
          const woken = count - before;
          const turning = await during(() =>
            runtime.run({
              source: `${ball} scene.onUpdate(function(dt) ball.rotation = { 0, scene.time() * 90, 0 } end)`,
            }),
          );
          const playing = await during(async () => {
            await runtime.run({ source: ball });
            await runtime.play();
          });
          const stopped = await during(() => runtime.stop());
          const { moving } = runtime;
          return { still, woken, turning, playing, stopped, moving };
        }, BALL),
      );
      expect(counts).to.include({ still: 0, woken: 1, stopped: 0, moving: false });
      expect(counts.turning).to.be.greaterThan(3);
      expect(counts.playing).to.be.greaterThan(3);
    });

    it('are held back by pause, made by step, and go on with resume', async () => {
      const seen = await withRuntime({}, (page) =>
        page.evaluate(async () => {
          const { runtime, rest, shown } = window.kept;
          let count = 0;
          runtime.on('frame', () => count++);
          await runtime.run({ source: 'at = 0 scene.onUpdate(function(dt) at = at + dt end)' });
          await shown();
          runtime.pause();
          await rest(100);
          const [before, at] = [count, runtime.lua.get('at') as number];
          await rest(300);
          const held = count - before;
          const info = await runtime.step(0.25);
          const moved = (runtime.lua.get('at') as number) - at;
          const [, second] = await Promise.all([runtime.step(0.5), runtime.step(0.5)]);
          const stepped = count - before;
          runtime.resume();
          await shown();
          return {
            held,
            moved,
            dt: info.dt,
            apart: second.frame - info.frame,
            stepped,
            paused: runtime.paused,
          };
        }),
      );
      expect(seen).to.deep.equal({ held: 0, moved: 0.25, dt: 0.25, apart: 2, stepped: 3, paused: false });
    });

    it('go on while a callback waits, which is not entered again before its end', async () => {
      const seen = await withRuntime(
        { files: { '/a.png': readFileSync('examples/source/maunga-whau.png') } },
        (page) =>
          page.evaluate(async () => {
            const { runtime, shown } = window.kept;
            const waits: ((value: unknown) => void)[] = [];
            runtime.lua.register('slow', () => new Promise((resolve) => waits.push(resolve)));
            await runtime.run({
              source:
                'entered, done = 0, 0 scene.onUpdate(function() entered = entered + 1 slow() done = done + 1 end)',
            });
            for (let i = 0; i < 5; i++) await shown();
            const during = [runtime.lua.get('entered'), runtime.lua.get('done')];
            waits[0](undefined);
            for (let i = 0; i < 3; i++) await shown();
            const after = [runtime.lua.get('entered'), runtime.lua.get('done')];
            return { during, after };
          }),
      );
      expect(seen).to.deep.equal({ during: [1, 0], after: [2, 1] });
    });
  });

  it('tells what happens in its order', async () => {
    const events = await withRuntime({}, (page) =>
      page.evaluate(async () => {
        const { runtime, events } = window.kept;
        const ready = new Promise((resolve) => runtime.on('ready', resolve));
        await runtime.run({ source: 'print("one", 2)' }, { play: true });
        await ready;
        await runtime.stop();
        runtime.resize(100, 50);
        return events.map(([name, value]) => (name === 'ready' ? name : [name, value]));
      }),
    );
    expect(events).to.deep.equal([
      ['print', 'one\t2'],
      ['mode', 'play'],
      'ready',
      ['mode', 'edit'],
      ['resize', { width: 100, height: 50 }],
    ]);
  });

  it('takes a size from the next frame on, 300 in a second, and none at all while a side is 0', async () => {
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async (ball) => {
        const { runtime, canvas, rest, shown } = window.kept;
        let count = 0;
        runtime.on('frame', () => count++);
        await runtime.run({ source: ball });
        await shown();
        const bytes = runtime.engine.gpu.bytes;
        for (let i = 0; i < 300; i++) {
          runtime.resize(1 + ((i * 7) % 200), 1 + ((i * 13) % 150));
          if (i % 3 === 0) await rest(3);
        }
        runtime.resize(0, 0);
        await rest(400);
        const before = count;
        runtime.wake();
        await rest(300);
        const hidden = count - before;
        runtime.resize(240, 135);
        await shown();
        await rest(200);
        return { hidden, size: [canvas.width, canvas.height], leaked: runtime.engine.gpu.bytes - bytes };
      }, BALL),
    );
    expect(seen).to.deep.equal({ hidden: 0, size: [WIDTH, HEIGHT], leaked: 0 });
  });

  it('runs one scene in the place of another, which leaves nothing behind', async () => {
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async (ball) => {
        const { runtime, shown } = window.kept;
        await runtime.run({ source: '' });
        await shown();
        const bytes = [];
        for (let i = 0; i < 4; i++) {
          await runtime.run({ source: ball });
          await shown();
          bytes.push(runtime.engine.gpu.bytes);
        }
        // One that waits for ever is let go of by the next.
        runtime.lua.register('never', () => new Promise(() => {}));
        const stuck = runtime.run({ source: 'never()' }).catch((error: Error) => error.message);
        await shown();
        await runtime.run({ source: 'second = true' });
        runtime.clear();
        const left = runtime.engine.world.entities().length;
        return { same: new Set(bytes).size, stuck: await stuck, left };
      }, BALL),
    );
    expect(seen).to.deep.equal({ same: 1, stuck: 'runtime.run: another scene was run', left: 1 });
  });

  describe('refuses', () => {
    const refusals = (work: (runtime: Window['kept']) => Promise<unknown>[]) =>
      withRuntime({ files: { '/page.html': '<!doctype html>', '/app.lua': '<!doctype html><p>' } }, (page) =>
        page.evaluate(async (code) => {
          const work = (0, eval)(code) as (kept: Window['kept']) => Promise<unknown>[];
          const outcomes = await Promise.allSettled(work(window.kept));
          return outcomes.map((each) =>
            each.status === 'rejected'
              ? `${(each.reason as Error).name}: ${(each.reason as Error).message}`
              : 'fine',
          );
        }, String(work)),
      );

    it('options that cannot be, by name', async () => {
      const errors = await refusals(({ moonscape: { createRuntime } }) => [
        createRuntime({ canvs: 1 } as never),
        createRuntime({ canvas: {} } as never),
        createRuntime({ canvas: document.createElement('canvas'), width: 0 }),
        createRuntime({ budgetMs: -1 }),
        createRuntime({ assets: 'http://[' }),
        (async () => {
          const canvas = document.createElement('canvas');
          canvas.getContext('2d');
          await createRuntime({ canvas });
        })(),
        (async () => {
          const canvas = document.createElement('canvas');
          canvas.transferControlToOffscreen();
          await createRuntime({ canvas });
        })(),
      ]);
      const said = [
        /^MoonscapeError: createRuntime: there is no field "canvs" \(did you mean "canvas"\?\)/,
        /createRuntime: canvas must be a <canvas> or an OffscreenCanvas, got/,
        /width must be an integer of at least 1, got 0/,
        /createRuntime: budgetMs must be a finite number above 0, got -1/,
        /createRuntime: assets must be the address of a folder, got "http:\/\/\["/,
        /canvas must be one that nothing else draws on, got one that has a context of another kind/,
        /canvas was handed to a worker/,
      ];
      said.forEach((rule, i) => expect(errors[i]).to.match(rule));
      expect(errors).to.have.length(said.length);
    });

    it('scenes that are not there, are no Lua, or fail, and stays usable', async () => {
      const errors = await refusals(({ runtime }) => [
        (async () => {
          await runtime.run('missing.lua');
        })(),
        (async () => {
          await new Promise((resolve) => setTimeout(resolve, 200));
          await runtime.run(7 as never);
        })(),
        (async () => {
          await new Promise((resolve) => setTimeout(resolve, 400));
          await runtime.run({ source: 'x = = 1', name: 'broken.lua' });
        })(),
        (async () => {
          await new Promise((resolve) => setTimeout(resolve, 600));
          await runtime.run({ source: 'local t = nil\nprint(t.x)', name: 'fails.lua' });
        })(),
        (async () => {
          await new Promise((resolve) => setTimeout(resolve, 800));
          await runtime.run('../secret.lua');
        })(),
        (async () => {
          await new Promise((resolve) => setTimeout(resolve, 1000));
          await runtime.run({ source: 'good = 1' });
          if (runtime.lua.get('good') !== 1) throw new Error('not run');
        })(),
      ]);
      expect(errors[0]).to.match(
        /^MoonscapeError: runtime.run: there is no file "missing.lua" \(http:\/\/127.0.0.1:\d+\/missing.lua answered 404 Not Found\)$/,
      );
      expect(errors[1]).to.match(/runtime.run: scene must be a path, or \{ source, name \}, got 7/);
      expect(errors[2]).to.match(/^LuaError: broken.lua:1: unexpected symbol near '='/);
      expect(errors[3]).to.match(/^LuaError: fails.lua:2: attempt to index a nil value/);
      expect(errors[4]).to.match(/path must be inside the project's folder, got "..\/secret.lua"/);
      expect(errors[5]).to.equal('fine');
    });

    it('anything after destroy, and frees the canvas for another runtime', async () => {
      const seen = await inPage({}, ({ page }) =>
        page.evaluate(async () => {
          const { createRuntime } = (await import('/moonscape/moonscape.js' as string)) as Moonscape;
          const canvas = document.createElement('canvas');
          const first = await createRuntime({ canvas });
          await first.destroy();
          await first.destroy();
          const errors = await Promise.allSettled([
            first.run({ source: '' }),
            first.step(),
            (async () => first.resize(1, 1))(),
            first.play(),
            (async () => first.lua.get('x'))(),
          ]);
          first.wake();
          const second = await createRuntime({ canvas });
          await second.run({ source: '' });
          const info = await second.step();
          await second.destroy();
          const said = errors.map((each) =>
            each.status === 'rejected' ? (each.reason as Error).message : 'fine',
          );
          return { said, frame: info.frame > 0 };
        }),
      );
      expect(seen.said).to.deep.equal([
        'runtime.run: the runtime is destroyed',
        'runtime.step: the runtime is destroyed',
        'runtime.resize: the runtime is destroyed',
        'scene.play: the runtime is destroyed',
        'runtime.lua.get: no scene runs yet; runtime.run begins one',
      ]);
      expect(seen.frame).to.equal(true);
    });

    it('a page without WebGPU, or one that gets no adapter, and says what is missing', async () => {
      const message = (hide: string) =>
        inPage({}, async ({ page }) => {
          await page.addInitScript(hide);
          await page.reload();
          return page.evaluate(async () => {
            const { createRuntime } = (await import('/moonscape/moonscape.js' as string)) as Moonscape;
            return createRuntime({ canvas: document.createElement('canvas') }).catch(
              (error: Error) => `${error.name}: ${error.message}`,
            );
          });
        });
      expect(
        await message(`Object.defineProperty(Navigator.prototype, 'gpu', { value: undefined })`),
      ).to.match(/^NoAdapterError: this browser has no WebGPU: Chrome/);
      expect(await message(`GPU.prototype.requestAdapter = async () => null`)).to.match(
        /^NoAdapterError: the browser has WebGPU but gives no adapter/,
      );
    });
  });

  it('tells the error of a callback once, stops that one and goes on with the others', async () => {
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async () => {
        const { runtime, events, shown } = window.kept;
        await runtime.run({
          source: `count = 0
            scene.onUpdate(function() error("bad") end)
            scene.onUpdate(function() count = count + 1 end)`,
          name: 'two.lua',
        });
        for (let i = 0; i < 4; i++) await shown();
        return { errors: events.filter(([name]) => name === 'error'), count: runtime.lua.get('count') };
      }),
    );
    expect(seen.errors).to.deep.equal([['error', 'two.lua:2: bad']]);
    expect(seen.count).to.be.at.least(4);
  });

  it('ends a script that runs without end, and goes on', async () => {
    const message = await withRuntime({ runtime: { budgetMs: 200 } }, (page) =>
      page.evaluate(async () => {
        const { runtime } = window.kept;
        const endless = runtime.run({ source: 'while true do end', name: 'endless.lua' });
        const said = await endless.catch((error: Error) => `${error.name}: ${error.message}`);
        await runtime.run({ source: '' });
        await runtime.step();
        return said;
      }),
    );
    expect(message).to.match(/^Abort: endless.lua:1: /);
  });
});
