// A page's files: over HTTP from any static server, with failures that pass and failures that stay, and what scripts write in the
// browser's own file system.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { decodePng } from '../../runtime/texture/png.js';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { Texture } from '../../runtime/texture/texture.js';
import { withRuntime } from '../support/pageRuntime.js';
import type { Answer } from '../support/page.js';

const GUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const PNG = new Uint8Array(readFileSync('examples/source/maunga-whau.png'));

/** A `.texture` of one row of heights. */
function heights(guid: string): Uint8Array {
  const texture = new Texture(4, 1, 'r32f', Float32Array.of(1, 2, 3, 4));
  return writeTexture(texture, guid);
}

/** Runs a scene and answers how it ended. */
const run = (files: Record<string, Answer>, scene = 'scene.lua', runtime: Record<string, unknown> = {}) =>
  withRuntime({ files, runtime }, (page, { site }) =>
    page
      .evaluate(async (scene) => {
        const { runtime, events } = window.kept;
        const error = await runtime.run(scene).then(
          () => null,
          (error: Error) => error.message,
        );
        return { error, printed: events.filter(([name]) => name === 'print').map(([, line]) => line) };
      }, scene)
      .then((seen) => ({ ...seen, requests: site.requests })),
  );

/** Answers in turn, the last one for ever. */
function inTurn(...answers: ((response: ServerResponse) => void)[]): Answer {
  let at = 0;
  return (_, response) => answers[Math.min(at++, answers.length - 1)](response);
}
const text = (body: string) => (response: ServerResponse) => void response.writeHead(200).end(body);
const status =
  (code: number, headers = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end('<h1>no</h1>');

describe('files of a page', function () {
  this.timeout(120_000);

  it('are read below the folder that assets names, whatever the page’s own', async () => {
    const seen = await run(
      {
        '/sub/project/scene.lua': 'local m = require("modules.more") print(m.name)',
        '/sub/project/modules/more.lua': 'return { name = "more" }',
      },
      'scene.lua',
      { assets: 'sub/project' },
    );
    expect(seen).to.deep.include({ error: null, printed: ['more'] });
  });

  it('with names that an address would read otherwise arrive as they are written', async () => {
    const files = {
      '/source/höhe #1?.png': PNG,
      '/scene.lua': 'print(texture.load("/zero/source/höhe #1?.png").width)',
    };
    expect(await run(files)).to.deep.include({ error: null, printed: ['87'] });
  });

  it('that are HTML where a server has no such file are missing, for require and components too', async () => {
    const home: Answer = (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        .end('<!doctype html><p>home');
    const files = {
      '/scene.lua':
        'print(pcall(require, "gone")) print(pcall(entity.create("x").component.add, "Gone", {}))',
      '/html.lua': home,
      ...Object.fromEntries(
        ['/gone.lua', '/gone/init.lua', '/components/Gone.lua'].map((path) => [path, home]),
      ),
    };
    const seen = await run(files);
    expect(seen.error).to.equal(null);
    expect(seen.printed[0]).to.match(/^false\t.*module "gone".*not found|^false\t.*there is no module/i);
    expect(seen.printed[1]).to.match(/there is no component "Gone"/);
    expect((await run(files, 'html.lua')).error).to.match(
      /^runtime.run: there is no file "html.lua" \(http:.*\/html.lua answered with a page of HTML\)$/,
    );
  });

  it('are asked for again where the server fails for the moment, as long as it asks for', async () => {
    const begin = performance.now();
    const seen = await run({
      '/scene.lua': inTurn(status(503, { 'retry-after': '1' }), status(500), text('print("at last")')),
    });
    expect(seen).to.deep.include({ error: null, printed: ['at last'] });
    expect(seen.requests.filter((path) => path === '/scene.lua')).to.have.length(3);
    expect(performance.now() - begin).to.be.greaterThan(1000);
  });

  it('that break off in the middle are asked for again, whole', async () => {
    const broken = (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('print("ha', () => setTimeout(() => response.destroy(), 50));
    };
    const seen = await run({ '/scene.lua': inTurn(broken, text('print("whole")')) });
    expect(seen).to.deep.include({ error: null, printed: ['whole'] });
  });

  it('are given up after three tries, and not tried again where it would not help', async () => {
    const failing = await run({ '/scene.lua': inTurn(status(503)) });
    expect(failing.error).to.match(/scene.lua cannot be read: http.* answered 503 .*\(tried 3 times\)$/);
    const refused = await run({ '/scene.lua': inTurn(status(418)) });
    expect(refused.error).to.match(/answered 418/);
    expect(refused.requests.filter((path) => path === '/scene.lua')).to.have.length(1);
    const never = await run({}, 'scene.lua', { assets: 'http://127.0.0.1:9/', retries: 0 });
    expect(never.error).to.match(/cannot be fetched: there is no connection, or the server does not allow/);
  });

  it('that are corrupt are refused by what is wrong in them', async () => {
    const bad = PNG.slice();
    bad[bad.length >> 1] ^= 255;
    const load = 'texture.load("/zero/source/a.png")';
    expect((await run({ '/scene.lua': load, '/source/a.png': bad })).error).to.match(
      /^scene.lua:1: texture.load: \/zero\/source\/a.png/,
    );
    expect((await run({ '/scene.lua': load, '/source/a.png': PNG.slice(0, 500) })).error).to.match(/a.png/);
    expect((await run({ '/scene.lua': new Uint8Array([0x1b, 0x4c, 0xff]) })).error).to.match(/scene.lua/);
  });

  it('are no longer waited for when another scene runs', async () => {
    let closed = 0;
    const slow: Answer = (request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x');
      request.on('close', () => closed++);
    };
    const seen = await withRuntime(
      { files: { '/a.png': slow, '/scene.lua': 'texture.load("a.png")' } },
      (page) =>
        page.evaluate(async () => {
          const { runtime, rest } = window.kept;
          const first = runtime.run('scene.lua').catch((error: Error) => error.message);
          await rest(500);
          await runtime.run({ source: 'print("second")' });
          const said = await first;
          await rest(300);
          return said;
        }),
    );
    expect(seen).to.equal('runtime.run: another scene was run');
    expect(closed).to.equal(1);
  });

  it('are found by guid through assets.json, and among those that the page wrote', async () => {
    const files = {
      '/assets.json': JSON.stringify({ [GUID]: '/zero/source/deep/ground.texture' }),
      '/source/deep/ground.texture': heights(GUID),
      '/scene.lua': `local path = asset.path("${GUID}") print(path, texture.load(path).width)
        print(asset.path("00000000-0000-4000-8000-000000000000"))
        texture.write(texture.load(path), "/zero/source/made.texture")
        print(asset.path(asset.guid("/zero/source/made.texture")), #asset.list())`,
    };
    const seen = await run(files);
    expect(seen.error).to.equal(null);
    expect(seen.printed).to.deep.equal([
      '/zero/source/deep/ground.texture\t4',
      'nil',
      '/zero/source/made.texture\t2',
    ]);
  });

  it('hold the very samples that Node decodes, 16 bits of them', async () => {
    const { data } = decodePng(PNG, 'maunga-whau.png');
    const seen = await withRuntime({ files: { '/source/a.png': PNG } }, (page) =>
      page.evaluate(async () => {
        const { assets } = window.kept.runtime.engine;
        const { data, format } = await assets.loadTexture('/zero/source/a.png');
        return { data: Array.from(data as ArrayLike<number>), format };
      }),
    );
    expect(seen.data).to.deep.equal(Array.from(data as ArrayLike<number>));
    expect(seen.format).to.match(/16/);
  });

  it('are kept by the browser as their headers say', async () => {
    let asked = 0;
    const cached: Answer = (_, response) => {
      asked++;
      response.writeHead(200, { 'cache-control': 'max-age=3600' }).end('print("kept")');
    };
    const seen = await withRuntime({ files: { '/scene.lua': cached } }, (page) =>
      page.evaluate(async () => {
        const { runtime, events } = window.kept;
        await runtime.run('scene.lua');
        await runtime.run('scene.lua');
        return events.filter(([name]) => name === 'print').length;
      }),
    );
    expect([seen, asked]).to.deep.equal([2, 1]);
  });

  it('tell how far they are, to the end', async () => {
    const progress = await withRuntime(
      { files: { '/scene.lua': 'texture.load("/zero/source/a.png")', '/source/a.png': PNG } },
      (page) =>
        page.evaluate(async () => {
          const { runtime } = window.kept;
          const seen: { files: number; done: number; loaded: number; total: number }[] = [];
          runtime.on('progress', (progress) => seen.push(progress));
          await runtime.run('scene.lua');
          return seen;
        }),
    );
    const last = progress.at(-1)!;
    expect(last).to.deep.include({ files: 2, done: 2, loaded: last.total });
    expect(last.loaded).to.equal(PNG.length + 'texture.load("/zero/source/a.png")'.length);
    for (let i = 1; i < progress.length; i++)
      expect(progress[i].loaded).to.be.at.least(progress[i - 1].loaded);
  });

  describe('written by a scene', () => {
    const WRITE = `local t = terrain.to_texture(terrain.noise { width = 4, height = 4, size = { 4, 4 }, seed = 5 })
      print(texture.write(t, "/zero/source/made/a.texture"))`;
    const READ = 'print(texture.load("/zero/source/made/a.texture").width, #asset.list())';

    it('are there after a reload, before what the server has, and go when they are cleared', async () => {
      await withRuntime({ files: { '/write.lua': WRITE, '/read.lua': READ } }, async (page) => {
        const first = await page.evaluate(async () => {
          const { runtime, events } = window.kept;
          await runtime.run('write.lua');
          await runtime.run('read.lua');
          return events.filter(([name]) => name === 'print').map(([, line]) => line);
        });
        expect(first).to.deep.equal(['/zero/source/made/a.texture', '4\t1']);
        const second = await page.evaluate(async () => {
          const { runtime, moonscape } = window.kept;
          await runtime.destroy();
          const again = await moonscape.createRuntime({});
          const lines: string[] = [];
          again.on('print', (line) => lines.push(line));
          await again.run('read.lua');
          await again.clearStorage();
          await again.run('read.lua').catch((error: Error) => lines.push(error.message));
          await again.destroy();
          return lines as unknown[];
        });
        expect(second[0]).to.equal('4\t1');
        expect(second[1]).to.match(/there is no file "\/zero\/source\/made\/a.texture"/);
      });
    });

    it('are refused where the page says so, and over a folder', async () => {
      const none = await run({ '/scene.lua': WRITE }, 'scene.lua', { storage: false });
      expect(none.error).to.match(/scene.lua:2: texture.write: .* cannot be written .*storage: false/);
      const folder = await run({
        '/scene.lua': `${WRITE} texture.write(t, "/zero/source/made/a.texture/b.texture")`,
      });
      expect(folder.error).to.match(/a part of source\/made\/a.texture\/b.texture is a file, not a folder/);
    });
  });
});
