// <moonscape-view> in a real browser: two lines of HTML show a scene; its properties, events, size, keyboard and mouse, what it says where
// something is wrong, and that nothing of it stays behind.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { MoonscapeView } from '../../bindings/element.js';
import { canvasPicture, inPage, type OpenPage, type PageOptions } from '../support/page.js';

const SCENE = `
local ground = terrain.noise { width = 33, height = 33, size = { 320, 320 }, amplitude = 30, seed = 5 }
entity.create("hills").component.add("Terrain", { texture = terrain.to_texture(ground) })
print("here")`;
const HEAD =
  '<!doctype html><style>body{margin:0}</style><script type="module" src="/moonscape/element.js"></script>';
/** Events are kept from before the element's script is there. */
const RECORDER = `<script>
  events = [];
  for (const name of ['ready', 'progress', 'error', 'print', 'frame', 'mode', 'resize', 'lost', 'restored'])
    addEventListener(name, (event) => event.target.localName === 'moonscape-view' &&
      events.push({ name, detail: event.detail instanceof Error ? event.detail.message : event.detail }), true);
</script>`;

interface Recorded {
  name: string;
  detail: unknown;
}

/** A page whose body is `html`, and files beside it. */
const withView = <T>(html: string, work: (open: OpenPage) => Promise<T>, options: PageOptions = {}) =>
  inPage(
    {
      ...options,
      files: { '/page.html': HEAD + RECORDER + html, '/scene.lua': SCENE, ...options.files },
      path: '/page.html',
    },
    work,
  );

const events = (page: Page): Promise<Recorded[]> => page.evaluate('events');
const named = async (page: Page, name: string) => (await events(page)).filter((event) => event.name === name);
/** Waits for `count` events of a name; an error that comes instead fails. */
async function until(page: Page, name: string, count = 1): Promise<void> {
  await page.waitForFunction(
    ([name, count]) => {
      const { events } = window as unknown as { events: Recorded[] };
      const of = (name: string) => events.filter((event) => event.name === name);
      return of(name).length >= count || of('error').length > 0;
    },
    [name, count] as const,
    { timeout: 60_000 },
  );
  const [error] = name === 'error' ? [] : await named(page, 'error');
  if (error) throw new Error(String(error.detail));
}
/** The first view of the page. */
const onView = <T>(page: Page, work: (view: MoonscapeView) => T) =>
  page.evaluate(`(${work.toString()})(document.querySelector('moonscape-view'))`) as Promise<Awaited<T>>;
const message = (page: Page) =>
  onView(page, (view) => {
    const text = view.shadowRoot!.querySelector('p')!;
    return text.hidden ? null : text.textContent;
  });
const pose = (page: Page) =>
  onView(page, (view) => Array.from(view.runtime!.engine.world.mainCamera.worldMatrix));
/** Waits until nothing moves in the first view and no frame came for a while; answers how many came. */
const rested = (page: Page) =>
  onView(page, async (view) => {
    const { engine } = view.runtime!;
    const moves = () => view.runtime!.moving || engine.input.pending;
    for (let before = -1; moves() || before !== engine.frames; await new Promise((go) => setTimeout(go, 300)))
      before = engine.frames;
    return (window as unknown as { events: Recorded[] }).events.filter(({ name }) => name === 'frame').length;
  });

describe('moonscape-view', function () {
  this.timeout(120_000);

  it('shows a scene with two lines, and says what happens', async () => {
    await withView('<moonscape-view src="scene.lua"></moonscape-view>', async ({ page, console }) => {
      await until(page, 'ready');
      const { width, height, data } = await canvasPicture(page, 'moonscape-view');
      expect([width, height], '16:9 where nothing says otherwise').to.deep.equal([400, 225]);
      const colours = new Set(new Uint32Array(data.buffer, data.byteOffset, width * height));
      expect(colours.size, 'a picture, not a plane').to.be.above(500);
      expect((await named(page, 'print')).map(({ detail }) => detail)).to.deep.equal(['here']);
      expect(
        console.filter((line) => line === 'log: here'),
        'nobody stopped it',
      ).to.have.length(1);
      const [ready] = await named(page, 'ready');
      expect(ready.detail).to.include.keys('frame', 'dt', 'time', 'ms');
      const progress = (await named(page, 'progress')).map(({ detail }) => detail as { done: number });
      expect(progress[progress.length - 1].done).to.equal(1);
      expect(await named(page, 'error')).to.deep.equal([]);
      expect(await onView(page, (view) => [view.ready, view.mode, view.runtime!.mode])).to.deep.equal([
        ...[true, 'edit', 'edit'],
      ]);
      const before = await rested(page);
      await page.waitForTimeout(500);
      expect((await named(page, 'frame')).length, 'no frame while nothing moves').to.equal(before);
    });
  });

  it('is loaded where there is no DOM, and says nothing', async () => {
    expect(globalThis).to.not.have.property('HTMLElement');
    expect((await import('../../bindings/element.js')).MoonscapeView).to.be.a('function');
  });

  it('reads and writes its attributes as properties', async () => {
    await withView(
      '<moonscape-view></moonscape-view>',
      async ({ page }) => {
        const read = await onView(page, (view) => {
          const all = () => [view.src, view.assets, view.controls, view.autoplay, view.poster];
          const before = all();
          const values = ['orbit', '', 'fly', 'MAP', 'nonsense', 'none'].map((value) => {
            view.setAttribute('controls', value);
            return view.controls;
          });
          Object.assign(view, {
            src: 'a.lua',
            assets: 'b/',
            controls: 'map',
            autoplay: true,
            poster: 'c.png',
          });
          return { before, after: all(), values, html: view.outerHTML };
        });
        expect(read.before).to.deep.equal(['', '', 'none', false, '']);
        expect(read.values).to.deep.equal(['orbit', 'orbit', 'fly', 'map', 'orbit', 'none']);
        expect(read.after).to.deep.equal(['a.lua', 'b/', 'map', true, 'c.png']);
        for (const text of ['src="a.lua"', 'assets="b/"', 'controls="map"', 'autoplay=""', 'poster="c.png"'])
          expect(read.html).to.include(text);
      },
      { expected: /./ },
    );
  });

  it('runs another scene when src is set, in the same runtime, or in a new one for another project', async () => {
    await withView(
      '<moonscape-view src="scene.lua" assets="."></moonscape-view>',
      async ({ page }) => {
        await until(page, 'ready');
        await onView(page, (view) => {
          (window as unknown as { first: unknown }).first = view.runtime;
          view.src = 'other/second.lua';
          view.src = 'other/third.lua';
        });
        await until(page, 'ready', 2);
        const same = () =>
          onView(page, (view) => view.runtime === (window as unknown as { first: unknown }).first);
        expect(await same()).to.equal(true);
        await onView(page, (view) => (view.assets = 'other'));
        await until(page, 'ready', 3);
        expect(await same()).to.equal(false);
        const printed = (await named(page, 'print')).map(({ detail }) => detail);
        expect(printed, 'a scene that was overtaken does not run').to.deep.equal(['here', 'root', 'other']);
      },
      {
        files: {
          '/other/second.lua': 'print("second")',
          '/other/third.lua': 'print(require("where"))',
          '/where.lua': 'return "root"',
          '/other/where.lua': 'return "other"',
        },
      },
    );
  });

  it('takes the project from assets, and a script from elsewhere', async () => {
    await withView(
      '<moonscape-view src="scripts/a.lua" assets="project"></moonscape-view>',
      async ({ page }) => {
        await until(page, 'ready');
        expect((await named(page, 'print')).map(({ detail }) => detail)).to.deep.equal(['from the project']);
      },
      {
        files: {
          '/scripts/a.lua': 'print(require("words"))',
          '/project/words.lua': 'return "from the project"',
        },
      },
    );
  });

  describe('size', () => {
    const sizes = (page: Page) =>
      onView(page, (view) => {
        const { width, height } = view.shadowRoot!.querySelector('canvas')!;
        return [width, height];
      });

    it('is of device pixels, exactly, at an odd zoom', async () => {
      await withView(
        // Zoomed as a page is on a screen of 1.25 device pixels a CSS pixel: the emulated ratio does not reach layout.
        '<style>html{zoom:1.25}</style><moonscape-view src="scene.lua" style="width:201px;height:99px"></moonscape-view>',
        async ({ page }) => {
          await until(page, 'ready');
          await rested(page);
          const canvas = await sizes(page);
          const exact = await onView(page, (view) => {
            return new Promise<number[]>((resolve) => {
              new ResizeObserver(
                (
                  [
                    {
                      devicePixelContentBoxSize: [box],
                    },
                  ],
                  observer,
                ) => {
                  observer.disconnect();
                  resolve([box.inlineSize, box.blockSize]);
                },
              ).observe(view.shadowRoot!.querySelector('canvas')!, { box: 'device-pixel-content-box' });
            });
          });
          expect(canvas).to.deep.equal(exact);
          expect(canvas).to.deep.equal([251, 124]);
        },
      );
    });

    it('is 16:9 in a container without a height, and follows its container', async () => {
      await withView(
        '<div style="width:320px"><moonscape-view src="scene.lua" style="height:100%"></moonscape-view></div>',
        async ({ page }) => {
          await until(page, 'ready');
          expect(await sizes(page)).to.deep.equal([320, 180]);
          await page.evaluate(
            () => (document.querySelector('div')!.style.cssText = 'width:160px;height:60px'),
          );
          await page.waitForFunction(
            () =>
              document.querySelector('moonscape-view')!.shadowRoot!.querySelector('canvas')!.width === 160,
          );
          expect(await sizes(page)).to.deep.equal([160, 60]);
        },
      );
    });

    it('may be nothing: no frame is drawn until there is something to be seen', async () => {
      await withView(
        '<moonscape-view src="scene.lua" style="width:0;height:0"></moonscape-view>',
        async ({ page }) => {
          await until(page, 'print');
          await page.waitForTimeout(300);
          expect(await named(page, 'frame')).to.have.length(0);
          await onView(page, (view) => (view.style.cssText = 'width:160px;height:90px'));
          await until(page, 'ready');
          await onView(page, (view) => (view.hidden = true));
          const before = await rested(page);
          await onView(page, (view) => view.runtime!.wake());
          await page.waitForTimeout(300);
          expect((await named(page, 'frame')).length).to.equal(before);
          await onView(page, (view) => (view.hidden = false));
          await page.waitForFunction(
            (before) =>
              (window as unknown as { events: Recorded[] }).events.filter(({ name }) => name === 'frame')
                .length > before,
            before,
          );
          expect(await sizes(page)).to.deep.equal([160, 90]);
        },
      );
    });

    it('takes 300 changes in a second and ends at the last', async () => {
      await withView('<moonscape-view src="scene.lua"></moonscape-view>', async ({ page }) => {
        await until(page, 'ready');
        await onView(page, async (view) => {
          for (let i = 1; i <= 300; i++) {
            view.style.cssText = `width:${100 + i}px;height:${50 + (i % 40)}px`;
            if (i % 3 === 0) await new Promise((go) => setTimeout(go, 10));
          }
          view.style.cssText = 'width:222px;height:111px';
        });
        await rested(page);
        expect(await sizes(page)).to.deep.equal([222, 111]);
        expect(await named(page, 'error')).to.deep.equal([]);
      });
    });
  });

  describe('under a person’s hands', () => {
    const VIEW = '<moonscape-view src="scene.lua" controls style="height:200px"></moonscape-view>';
    /** Without gliding there are fewer frames to wait for. */
    const STILL: PageOptions = { context: { reducedMotion: 'reduce' } };
    const drag = async (page: Page, dx: number, dy: number) => {
      await page.mouse.move(200, 100);
      await page.mouse.down();
      await page.mouse.move(200 + dx, 100 + dy, { steps: 5 });
      await page.mouse.up();
      await rested(page);
    };

    it('turns by a drag, goes nearer by the wheel, shifts by an arrow, and comes to rest', async () => {
      await withView(
        VIEW,
        async ({ page }) => {
          await until(page, 'ready');
          await rested(page);
          const start = await pose(page);
          await drag(page, 40, 10);
          const turned = await pose(page);
          expect(turned).to.not.deep.equal(start);
          await page.mouse.wheel(0, -200);
          await rested(page);
          const nearer = await pose(page);
          expect(
            nearer.slice(0, 12).map((v) => v.toFixed(6)),
            'no turn',
          ).to.deep.equal(turned.slice(0, 12).map((v) => v.toFixed(6)));
          expect(nearer[13]).to.be.below(turned[13]);
          expect(
            await onView(page, (view) => document.activeElement === view),
            'a click focuses it',
          ).to.equal(true);
          await page.keyboard.down('ArrowRight');
          await page.waitForTimeout(200);
          await page.keyboard.up('ArrowRight');
          await rested(page);
          expect(await pose(page)).to.not.deep.equal(nearer);
          expect(await page.evaluate(() => scrollY), 'the page did not scroll').to.equal(0);
        },
        STILL,
      );
    });

    it('turns by a finger and goes nearer by two', async () => {
      await withView(
        VIEW,
        async ({ page }) => {
          await until(page, 'ready');
          await rested(page);
          const touch = await page.context().newCDPSession(page);
          const send = (type: string, ...points: [number, number][]) =>
            touch.send('Input.dispatchTouchEvent', {
              type: type as 'touchStart',
              touchPoints: points.map(([x, y], id) => ({ x, y, id })),
            });
          const start = await pose(page);
          await send('touchStart', [200, 100]);
          for (let i = 1; i <= 5; i++) await send('touchMove', [200 + 8 * i, 100]);
          await send('touchEnd');
          await rested(page);
          const turned = await pose(page);
          expect(turned[0]).to.not.be.closeTo(start[0], 0.01);
          expect(turned[13], 'as high as before').to.be.closeTo(start[13], 1e-6);
          await send('touchStart', [180, 100], [220, 100]);
          for (let i = 1; i <= 5; i++) await send('touchMove', [180 - 8 * i, 100], [220 + 8 * i, 100]);
          await send('touchEnd');
          await rested(page);
          expect((await pose(page))[13]).to.be.below(turned[13] - 1);
        },
        { context: { hasTouch: true, ...STILL.context } },
      );
    });

    it('is reached by Tab with controls alone, and named for assistive programs', async () => {
      await withView(
        '<button>a</button><moonscape-view src="scene.lua" controls aria-label="The hills"></moonscape-view><moonscape-view></moonscape-view><button>b</button>',
        async ({ page }) => {
          await until(page, 'ready');
          const order: string[] = [];
          for (let i = 0; i < 3; i++) {
            await page.keyboard.press('Tab');
            order.push(
              await page.evaluate(
                () => document.activeElement!.textContent || document.activeElement!.localName,
              ),
            );
          }
          expect(order).to.deep.equal(['a', 'moonscape-view', 'b']);
          const cdp = await page.context().newCDPSession(page);
          const { nodes } = await cdp.send('Accessibility.getFullAXTree');
          const seen = nodes
            .map(({ role, name }) => `${role?.value} ${name?.value}`)
            .filter((text) => /^(application|img|image) /.test(text));
          expect(seen).to.deep.equal(['application The hills', 'image landscape']);
        },
      );
    });

    it('does not glide and does not begin to play for people who ask for less motion', async () => {
      await withView(
        '<moonscape-view src="scene.lua" controls autoplay style="height:200px"></moonscape-view>',
        async ({ page }) => {
          await until(page, 'ready');
          await rested(page);
          expect(await onView(page, (view) => view.mode)).to.equal('edit');
          const { length: before } = await named(page, 'frame');
          await page.mouse.move(200, 100);
          await page.mouse.down();
          await page.mouse.move(240, 100);
          await page.mouse.up();
          await rested(page);
          const { length: after } = await named(page, 'frame');
          expect(after - before, 'as many frames as events, and one to see that it rests').to.be.below(6);
          await onView(page, (view) => view.play());
          expect(await onView(page, (view) => view.mode), 'asked to, it plays').to.equal('play');
        },
        STILL,
      );
    });

    it('plays by itself with autoplay', async () => {
      await withView('<moonscape-view src="scene.lua" autoplay></moonscape-view>', async ({ page }) => {
        await until(page, 'ready');
        expect(await onView(page, (view) => view.mode)).to.equal('play');
        expect((await named(page, 'mode')).map(({ detail }) => detail)).to.deep.equal(['play']);
        await onView(page, (view) => view.stop());
        expect(await onView(page, (view) => view.mode)).to.equal('edit');
      });
    });

    it('lets a scene choose the controls and read keys, and the page what to do with lines', async () => {
      await withView(
        '<script>addEventListener("print", (e) => e.preventDefault(), true)</script><moonscape-view src="keys.lua" style="height:200px"></moonscape-view>',
        async ({ page, console }) => {
          await until(page, 'ready');
          expect(
            await onView(page, (view) => [view.runtime!.engine.controls.style, view.tabIndex]),
          ).to.deep.equal([...['map', 0]]);
          await page.mouse.click(100, 50);
          await page.keyboard.press('k');
          await until(page, 'print', 2);
          expect((await named(page, 'print')).map(({ detail }) => detail)).to.deep.equal([
            'mouseLeft at 100.0 50.0',
            'k',
          ]);
          expect(console.filter((line) => !line.startsWith('info:'))).to.deep.equal([]);
        },
        {
          files: {
            '/keys.lua': `camera.setControls("map")
              scene.onUpdate(function()
                local p = input.pointer()
                if input.wasPressed("mouseLeft") then print("mouseLeft at", p.x, p.y) end
                if input.wasPressed("k") then print("k") end
              end)`.replace('print("mouseLeft at", p.x, p.y)', 'print("mouseLeft at " .. p.x .. " " .. p.y)'),
          },
        },
      );
    });
  });

  describe('where something is wrong', () => {
    const poster = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';
    const VIEW = `<moonscape-view src="scene.lua" poster="${poster}"></moonscape-view>`;
    const withInit = (script: string, html: string, work: (open: OpenPage) => Promise<void>) =>
      withView(`<script>${script}</script>${html}`, work);

    it('says in plain words that there is no WebGPU, over the poster', async () => {
      await withInit(
        'Object.defineProperty(navigator, "gpu", { value: undefined })',
        VIEW,
        async ({ page }) => {
          await until(page, 'error');
          expect(await message(page)).to.match(/this browser has no WebGPU/);
          expect(
            await onView(page, (view) => [view.runtime, view.shadowRoot!.querySelector('img')!.hidden]),
          ).to.deep.equal([...[null, false]]);
        },
      );
    });

    it('says that an adapter was refused', async () => {
      await withInit('navigator.gpu.requestAdapter = async () => null', VIEW, async ({ page }) => {
        await until(page, 'error');
        expect(await message(page)).to.match(/gives no adapter/);
      });
    });

    const CASES: [what: string, files: PageOptions['files'], message: RegExp][] = [
      [
        'a scene that is not there',
        { '/scene.lua': (_, response) => void response.writeHead(404).end() },
        /scene\.lua.*404/,
      ],
      [
        'a page of HTML in place of the scene',
        {
          '/scene.lua': (_, response) =>
            void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
        },
        /page of HTML/,
      ],
      [
        'a fault in the script',
        { '/scene.lua': '\nterrain.noise { width = -1, height = 4 }' },
        /^scene\.lua:2: terrain\.noise: width must be/,
      ],
      [
        'a corrupt asset',
        { '/scene.lua': 'texture.load("a.png")', '/a.png': 'no picture' },
        /^scene\.lua:1: texture\.load: a\.png must be/,
      ],
    ];
    for (const [what, files, text] of CASES)
      it(`says it of ${what}`, async () => {
        await withView(
          VIEW,
          async ({ page, console }) => {
            await until(page, 'error');
            expect(await message(page)).to.match(text);
            expect((await named(page, 'error'))[0].detail).to.match(text);
            expect(console.some((line) => line.startsWith('error:'))).to.equal(true);
            // Another scene is as good as a first one.
            await page.evaluate('events.length = 0');
            await onView(page, (view) => view.run({ source: 'print("better")' }));
            expect(await message(page)).to.equal(null);
            await until(page, 'ready');
          },
          { files },
        );
      });

    it('keeps to a strict Content-Security-Policy', async () => {
      await inPage(
        {
          path: '/page.html',
          files: {
            '/page.html': `<!doctype html><script type="module" src="/moonscape/element.js"></script><moonscape-view src="scene.lua" controls></moonscape-view>`,
            '/scene.lua': SCENE,
          },
          headers: {
            'content-security-policy':
              "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; require-trusted-types-for 'script'",
          },
        },
        async ({ page, console }) => {
          await page.waitForFunction(
            () => (document.querySelector('moonscape-view') as MoonscapeView | null)?.ready,
          );
          expect(console.filter((line) => /Content Security Policy|Refused/.test(line))).to.deep.equal([]);
        },
      );
    });
  });

  describe('coming and going', () => {
    /** Counts devices that are made and those that live, in the page. */
    const COUNTER = `<script>
      made = 0; living = 0;
      const request = GPUAdapter.prototype.requestDevice;
      GPUAdapter.prototype.requestDevice = async function (...args) {
        const device = await request.apply(this, args);
        made++; living++;
        device.lost.then(() => living--);
        return device;
      };
    </script>`;

    it('leaves nothing behind: 200 times attached and detached, at any moment of its opening', async () => {
      await withView(`${COUNTER}<main></main>`, async ({ page }) => {
        const cdp = await page.context().newCDPSession(page);
        const counted = async () => {
          await cdp.send('HeapProfiler.collectGarbage');
          const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
          const { usedSize } = await cdp.send('Runtime.getHeapUsage');
          return { nodes, jsEventListeners, usedSize };
        };
        const cycle = (from: number, to: number) =>
          page.evaluate(
            async ([from, to]) => {
              const view = document.createElement('moonscape-view') as MoonscapeView;
              view.setAttribute('controls', '');
              view.src = 'scene.lua';
              const failed: string[] = [];
              view.addEventListener('error', (event) => failed.push(event.detail.message));
              for (let i = from; i < to; i++) {
                document.querySelector('main')!.append(view);
                if (i % 20 === 0)
                  await new Promise((go) => view.addEventListener('ready', go, { once: true }));
                else await new Promise((go) => setTimeout(go, (i * 7) % 40));
                view.remove();
                await new Promise((go) => setTimeout(go));
              }
              return failed;
            },
            [from, to] as const,
          );
        const settled = () =>
          page.waitForFunction(() => (window as unknown as { living: number }).living === 0);
        // What stays for good is there after the first few.
        expect(await cycle(0, 21)).to.deep.equal([]);
        await settled();
        const before = await counted();
        expect(await cycle(21, 200)).to.deep.equal([]);
        await settled();
        const after = await counted();
        expect(await page.evaluate('made')).to.be.above(10);
        expect(after.nodes - before.nodes).to.be.at.most(20);
        expect(after.jsEventListeners - before.jsEventListeners).to.be.at.most(5);
        expect(after.usedSize - before.usedSize, 'heap').to.be.below(4e6);
      });
    });

    it('goes on when it is moved within the page', async () => {
      await withView(
        `${COUNTER}<main></main><moonscape-view src="scene.lua"></moonscape-view>`,
        async ({ page }) => {
          await until(page, 'ready');
          await onView(page, (view) => {
            (window as unknown as { first: unknown }).first = view.runtime;
            document.querySelector('main')!.append(view);
          });
          await page.waitForTimeout(100);
          expect(
            await onView(
              page,
              (view) => view.runtime === (window as unknown as { first: unknown }).first && view.ready,
            ),
          ).to.equal(true);
          expect(await page.evaluate('made')).to.equal(1);
        },
      );
    });

    it('says nothing when two are removed while they load', async () => {
      let answer: () => void = () => {};
      await withView(
        `${COUNTER}<moonscape-view src="slow.lua"></moonscape-view><moonscape-view src="slow.lua"></moonscape-view>`,
        async ({ page, site, console }) => {
          await page.waitForFunction(() => (window as unknown as { living: number }).living === 2);
          while (!site.requests.includes('/slow.lua')) await page.waitForTimeout(20);
          await page.evaluate(() =>
            document.querySelectorAll('moonscape-view').forEach((view) => view.remove()),
          );
          await page.waitForFunction(() => (window as unknown as { living: number }).living === 0);
          answer();
          await page.waitForTimeout(200);
          expect(await named(page, 'error')).to.deep.equal([]);
          expect(console.filter((line) => !line.startsWith('info:'))).to.deep.equal([]);
        },
        { files: { '/slow.lua': (_, response) => void (answer = () => response.end('print(1)')) } },
      );
    });

    it('draws several on one page, each its own, and none that is scrolled out of sight', async () => {
      const one = (scene: string) =>
        `<moonscape-view src="${scene}" style="width:100px;height:60px"></moonscape-view>`;
      await withView(
        `${one('a.lua')}${one('b.lua')}<div style="height:3000px"></div>${one('a.lua')}`,
        async ({ page }) => {
          await until(page, 'ready', 3);
          const printed = (await named(page, 'print')).map(({ detail }) => detail);
          expect(printed.sort()).to.deep.equal(['a', 'a', 'b']);
          const count = () =>
            page.evaluate(() =>
              [...document.querySelectorAll('moonscape-view')].map((view) => view.runtime!.engine.frames),
            );
          await page.waitForTimeout(300);
          const before = await count();
          await page.waitForTimeout(500);
          const after = await count();
          expect(after[0]).to.be.above(before[0]);
          expect(after[1]).to.be.above(before[1]);
          expect(after[2], 'out of sight').to.equal(before[2]);
          await page.evaluate(() => scrollTo(0, 1e5));
          await page.waitForFunction(
            (frames) => document.querySelectorAll('moonscape-view')[2].runtime!.engine.frames > frames,
            after[2],
          );
        },
        {
          files: {
            '/a.lua': 'print("a") scene.onUpdate(function() end)',
            '/b.lua': 'print("b") scene.onUpdate(function() end)',
          },
        },
      );
    });

    it('is there again, and under a person’s hands, after its device was lost', async () => {
      await withView(
        '<moonscape-view src="scene.lua" controls style="height:200px"></moonscape-view>',
        async ({ page }) => {
          await until(page, 'ready');
          await rested(page);
          const before = await canvasPicture(page, 'moonscape-view');
          await onView(page, (view) => view.runtime!.engine.gpu.device.destroy());
          await until(page, 'restored');
          await rested(page);
          const after = await canvasPicture(page, 'moonscape-view');
          expect(after.data.findIndex((value, i) => value !== before.data[i])).to.equal(-1);
          const placed = await pose(page);
          await page.mouse.move(200, 100);
          await page.mouse.wheel(0, -200);
          await rested(page);
          expect(await pose(page)).to.not.deep.equal(placed);
        },
        { context: { reducedMotion: 'reduce' } },
      );
    });

    it('shows its poster until the scene stands', async () => {
      let answer: () => void = () => {};
      await withView(
        '<moonscape-view src="slow.lua" poster="/poster.png"></moonscape-view>',
        async ({ page, site }) => {
          const poster = () =>
            onView(page, (view) => {
              const { hidden, src } = view.shadowRoot!.querySelector('img')!;
              return [hidden, src.slice(-11)];
            });
          while (!site.requests.includes('/slow.lua')) await page.waitForTimeout(20);
          expect(await poster()).to.deep.equal([false, '/poster.png']);
          expect(await onView(page, (view) => view.shadowRoot!.querySelector('progress')!.hidden)).to.equal(
            false,
          );
          answer();
          await until(page, 'ready');
          expect((await poster())[0]).to.equal(true);
          expect(await onView(page, (view) => view.shadowRoot!.querySelector('progress')!.hidden)).to.equal(
            true,
          );
        },
        {
          files: {
            '/slow.lua': (_, response) => void (answer = () => response.end(SCENE)),
            '/poster.png': '',
          },
        },
      );
    });

    it('keeps the camera that a person placed when a scene is run anew, and no other', async () => {
      await withView(
        '<moonscape-view src="placed.lua" controls style="height:200px"></moonscape-view>',
        async ({ page }) => {
          await until(page, 'ready');
          const placed = await pose(page);
          await onView(page, (view) => view.reload({ keepCamera: true }));
          expect(await pose(page)).to.deep.equal(placed);
          await page.mouse.move(200, 100);
          await page.mouse.down();
          await page.mouse.move(240, 90);
          await page.mouse.up();
          await rested(page);
          const moved = await pose(page);
          await onView(page, (view) => view.reload({ keepCamera: true }));
          (await pose(page)).forEach((value, i) => expect(value).to.be.closeTo(moved[i], 1e-9));
          await onView(page, (view) => view.reload());
          expect(await pose(page)).to.deep.equal(placed);
        },
        {
          files: {
            '/placed.lua': `${SCENE} camera.main().position = { 10, 90, 140 } camera.main():lookAt({ 0, 0, 0 })`,
          },
        },
      );
    });
  });
});
