// The playground as it is built for a static host, in a real browser and in a folder of the host: driven by clicks and typing, on a
// desktop and on a phone; and npm run dev, which follows files.
import { expect } from 'chai';
import fc from 'fast-check';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { MoonscapeView } from '../../bindings/element.js';
import { linkOf, scriptOf } from '../../playground/share.js';
import { startDev } from '../../scripts/dev.js';
import { buildPlayground } from '../../scripts/playground.js';
import { sharedBrowser } from '../support/chromium.js';
import { canvasPicture, inPage, ROOT, type Answer, type PageOptions } from '../support/page.js';

let building: Promise<Record<string, Answer>> | null = null;

/** The built playground, as files of a site below /deep/. */
function playground(): Promise<Record<string, Answer>> {
  building ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'moonscape-playground-'));
    try {
      await buildPlayground(folder);
      const files: Record<string, Answer> = {};
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        if (entry.isFile() && !path.endsWith('.map'))
          files[`/deep${path.slice(folder.length)}`] = readFileSync(path);
      }
      return { ...files, '/deep/': files['/deep/index.html'] };
    } finally {
      rmSync(folder, { recursive: true });
    }
  })();
  return building;
}

/** A quick scene in place of the first example, so that what is tested comes soon. */
const QUICK = `local ground = terrain.noise { width = 17, height = 17, size = { 160, 160 }, amplitude = 20 }
entity.create("hills").component.add("Terrain", { texture = terrain.to_texture(ground) })
print("quick")`;
const EDITOR = '.cm-content';

const inPlayground = async <T>(
  work: (page: Page, console: string[]) => Promise<T>,
  { hash = '', ...options }: PageOptions & { hash?: string } = {},
): Promise<T> =>
  inPage(
    {
      ...options,
      files: { ...(await playground()), '/deep/project/first-ground.lua': QUICK },
      path: `/deep/${hash}`,
      context: { viewport: { width: 900, height: 500 }, reducedMotion: 'reduce', ...options.context },
    },
    async ({ page, console }) => {
      await ready(page);
      return work(page, console);
    },
  );

const ready = (page: Page) =>
  page.waitForFunction(
    () => (document.querySelector('moonscape-view') as MoonscapeView | null)?.ready,
    null,
    {
      timeout: 60_000,
    },
  );
const lines = (page: Page) => page.locator('#lines li').allInnerTexts();
const printed = (page: Page, text: string) =>
  page.locator('#lines li').filter({ hasText: text }).first().waitFor({ timeout: 30_000 });
const script = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));

/** Types a script in place of the one that stands. Signs that close themselves are typed over. */
async function type(page: Page, text: string): Promise<void> {
  await page.click(EDITOR);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
}

/** Replaces the script at once. */
async function paste(page: Page, text: string): Promise<void> {
  await page.click(EDITOR);
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

describe('playground', function () {
  this.timeout(120_000);

  it('shows the first example as it comes, from a folder of any static host', async () => {
    await inPlayground(async (page, console) => {
      expect(await script(page)).to.equal(QUICK);
      await printed(page, 'quick');
      const { width, height, data } = await canvasPicture(page, 'moonscape-view');
      expect(new Set(new Uint32Array(data.buffer, data.byteOffset, width * height)).size).to.be.above(300);
      expect(await page.locator('#examples option').count()).to.be.above(8);
      const licences = await page.evaluate(async () => (await fetch('LICENSES.txt')).text());
      for (const name of ['moonscape', '@codemirror/view', 'fengari', 'bitecs', '@lezer/highlight'])
        expect(licences).to.match(new RegExp(`^${name} \\d`, 'm'));
      expect(console.filter((line) => line.startsWith('error'))).to.deep.equal([]);
    });
  });

  it('runs what is typed by Ctrl+Enter, completes it from the definitions', async () => {
    await inPlayground(async (page) => {
      await type(page, 'local g = terrain.noi');
      await page.locator('.cm-tooltip-autocomplete li', { hasText: 'noise' }).waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.type(' { width = 4, height = 4 }\nprint(g.width * 2)');
      await page.keyboard.press('Control+Enter');
      await printed(page, '8');
      expect(await script(page)).to.equal(
        'local g = terrain.noise { width = 4, height = 4 }\nprint(g.width * 2)',
      );
    });
  });

  it('says where an error is; a click goes there, and the line is marked until it is changed', async () => {
    await inPlayground(async (page) => {
      await paste(page, 'print("one")\n\nterrain.noise { width = -1, height = 4 }\n');
      await page.click('#run');
      await printed(page, 'width must be an integer');
      expect(await page.locator('#state').innerText()).to.equal('stopped by an error');
      expect(await page.locator('.cm-lintRange-error').innerText()).to.equal(
        'terrain.noise { width = -1, height = 4 }',
      );
      await page.locator('.place').first().click();
      await page.keyboard.type('--');
      expect((await script(page)).split('\n')[2]).to.equal('--terrain.noise { width = -1, height = 4 }');
      expect(await page.locator('.cm-lintRange-error').count()).to.equal(0);
    });
  });

  it('plays, stops, and ends a scene', async () => {
    await inPlayground(async (page) => {
      await paste(page, 'scene.onUpdate(function() if scene.mode() == "play" then print("in play") end end)');
      await page.click('#run');
      await page.click('#play');
      await printed(page, 'in play');
      expect(await page.locator('#play').getAttribute('aria-pressed')).to.equal('true');
      await page.click('#stop');
      await page.locator('#play[aria-pressed=false]').waitFor();
      await page.click('#stop');
      const moving = () =>
        page.evaluate(() => (document.querySelector('moonscape-view') as MoonscapeView).runtime!.moving);
      expect(await moving(), 'nothing runs any more').to.equal(false);
    });
  });

  it('counts a line that comes again, and keeps no more than 500', async () => {
    await inPlayground(async (page) => {
      await paste(page, 'for i = 1, 700 do print(i) end for _ = 1, 9 do print("same") end');
      await page.click('#run');
      await printed(page, 'same');
      const all = await lines(page);
      expect(all).to.have.length(500);
      expect(all.at(-2)).to.equal('700');
      expect(await page.locator('#lines li').last().getAttribute('data-count')).to.equal('9');
      await page.click('#clear');
      expect(await lines(page)).to.deep.equal([]);
    });
  });

  it('shows wireframe and levels of detail, statistics, and another example', async () => {
    await inPlayground(async (page) => {
      const shaded = await canvasPicture(page, 'moonscape-view');
      for (const name of ['wireframe', 'lod']) {
        await page.selectOption('#look', name);
        await page.waitForTimeout(1500);
        const other = await canvasPicture(page, 'moonscape-view');
        const unlike = other.data.filter((value, i) => Math.abs(value - shaded.data[i]) > 12).length;
        expect(unlike / shaded.data.length, name).to.be.above(0.1);
      }
      await page.click('#stats');
      await page.waitForFunction(() => document.querySelectorAll('#overlay dd').length === 6);
      const stats = await page.locator('#overlay dl').innerText();
      expect(stats)
        .to.match(/draws\s+[1-9]/)
        .and.match(/triangles\s+[1-9]/)
        .and.match(/nodes\s+[1-9]/)
        .and.match(/MiB/);
      await page.selectOption('#examples', 'nodes.lua');
      await page.waitForFunction(() =>
        document.querySelector('.cm-line')?.textContent?.includes('fits on a hand'),
      );
      expect(page.url()).to.match(/#example=nodes\.lua$/);
      await page.waitForFunction(() =>
        document.querySelector<HTMLElement>('#state')!.innerText.startsWith('ran'),
      );
      expect(await page.locator('#look').inputValue(), 'what the scene itself chose').to.equal('lod');
    });
  });

  it('takes a heightmap that is dropped on it as the ground of a new script', async () => {
    await inPlayground(async (page) => {
      const drop = (name: string, bytes: readonly number[]) =>
        page.evaluate(
          ({ name, bytes }) => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([new Uint8Array(bytes)], name));
            for (const type of ['dragenter', 'dragover', 'drop'])
              document.body.dispatchEvent(
                new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
              );
          },
          { name, bytes },
        );
      await drop('my map.png', [...readFileSync(join(ROOT, 'examples/source/maunga-whau.png'))]);
      await printed(page, 'my map.png is here until the page is closed');
      expect(await script(page))
        .to.include('texture.load("source/my-map.png")')
        .and.include('87 by 61 texels');
      const box = await page.evaluate(() =>
        (document.querySelector('moonscape-view') as MoonscapeView).runtime!.engine.world.bounds()!,
      );
      expect(box.max.x - box.min.x).to.equal(870);
      expect(box.max.y - box.min.y).to.be.above(10);
      await drop('letter.doc', [1, 2, 3]);
      await printed(page, 'letter.doc cannot be read as ground');
      await drop('other.lua', [...Buffer.from('print("from a file")')]);
      await printed(page, 'from a file');
    });
  });

  it('makes a link that carries the script', async () => {
    const text = 'print("ein Gruß, 山")';
    const link = await inPlayground(async (page) => {
      await paste(page, text);
      await page.click('#share');
      await page.locator('#toast').waitFor();
      return page.url();
    });
    const { hash } = new URL(link);
    await inPlayground(
      async (page) => {
        expect(await script(page)).to.equal(text);
        await printed(page, 'ein Gruß, 山');
      },
      { hash },
    );
    await inPlayground(
      async (page) => {
        await printed(page, 'the link is not whole');
        expect(await script(page), 'the first example all the same').to.equal(QUICK);
      },
      { hash: hash.slice(0, -4) },
    );
  });

  it('carries any script in a link, and reads no other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 2000 }), async (text) => {
        const link = await linkOf(text, 'https://host/deep/?x=1#example=a');
        expect(new URL(link).hash).to.match(/^#lua=[\w-]*$/);
        expect(await scriptOf(link)).to.equal(text);
      }),
      { numRuns: 50 },
    );
    expect(await scriptOf('https://host/#example=a')).to.equal(null);
    for (const broken of ['#lua=', '#lua=%%', '#lua=AAAA', '#lua=____'])
      expect(
        await scriptOf(`https://host/${broken}`).then(
          () => 'read',
          (error: Error) => error.message,
        ),
      ).to.match(/not whole/);
  });

  for (const colorScheme of ['light', 'dark'] as const)
    it(`fits a phone, ${colorScheme}: one pane below the view, nothing wider than the screen`, async () => {
      await inPlayground(
        async (page) => {
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(wide).to.equal(360);
          expect(await page.locator('#output').isVisible()).to.equal(false);
          await page.tap('[data-tab=output]');
          expect(await page.locator('#code').isVisible()).to.equal(false);
          await printed(page, 'quick');
          const tall = await page.locator('moonscape-view').boundingBox();
          expect(tall!.height).to.be.above(200);
          for (const button of await page.locator('header button').all()) {
            const box = (await button.boundingBox())!;
            expect(Math.min(box.width, box.height), await button.innerText()).to.be.at.least(36);
          }
          const [red] = await page.evaluate(() =>
            getComputedStyle(document.querySelector('header')!).backgroundColor.match(/\d+/g)!.map(Number),
          );
          expect(red > 128).to.equal(colorScheme === 'light');
          await page.tap('#theme');
          const [turned] = await page.evaluate(() =>
            getComputedStyle(document.querySelector('header')!).backgroundColor.match(/\d+/g)!.map(Number),
          );
          expect(turned > 128).to.equal(colorScheme === 'dark');
        },
        {
          context: {
            ...{ viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true, colorScheme },
          },
        },
      );
    });

  it('npm run dev: runs a scene anew when a file of its project changes, and keeps the camera', async () => {
    const project = mkdtempSync(join(tmpdir(), 'moonscape-dev-spec-'));
    const scene = join(project, 'hills.lua');
    const text = (words: string) =>
      `${QUICK}\nlocal view = camera.main()\nview.position = { 20, 90, 120 } view:lookAt({ 0, 0, 0 })\nprint("${words}", require("word"))`;
    writeFileSync(scene, text('first'));
    writeFileSync(join(project, 'word.lua'), 'return "one"');
    const server = await startDev({ scene, port: 0 });
    const context = await (await sharedBrowser()).newContext({ reducedMotion: 'reduce' });
    try {
      const page = await context.newPage();
      await page.goto(server.address);
      await printed(page, 'first\tone');
      await ready(page);
      const pose = () =>
        page.evaluate(() =>
          Array.from(
            (document.querySelector('moonscape-view') as MoonscapeView).runtime!.engine.world.mainCamera
              .worldMatrix,
          ),
        );
      const placed = await pose();
      writeFileSync(scene, text('second'));
      await printed(page, 'second\tone');
      expect(await pose(), 'nobody moved it').to.deep.equal(placed);
      const box = (await page.locator('moonscape-view').boundingBox())!;
      await page.mouse.move(box.x + 100, box.y + 100);
      await page.mouse.down();
      await page.mouse.move(box.x + 160, box.y + 110, { steps: 3 });
      await page.mouse.up();
      await page.waitForTimeout(1500);
      const moved = await pose();
      expect(moved).to.not.deep.equal(placed);
      writeFileSync(join(project, 'word.lua'), 'return "two"');
      await printed(page, 'second\ttwo');
      await page.waitForFunction(() =>
        (document.querySelector('#state') as HTMLElement).innerText.startsWith('ran'),
      );
      (await pose()).forEach((value, i) => expect(value).to.be.closeTo(moved[i], 1e-9));
      expect((await fetch(`${server.address}project/..%2f..%2fetc/passwd`)).status).to.equal(404);
    } finally {
      await context.close();
      await server.close();
      rmSync(project, { recursive: true });
    }
  });

  it('npm run dev: names a scene that cannot be read', async () => {
    expect(
      await startDev({ scene: 'none.lua', port: 0 }).then(
        () => 'started',
        (error: Error) => error.message,
      ),
    ).to.equal('the scene none.lua cannot be read');
  });
});
