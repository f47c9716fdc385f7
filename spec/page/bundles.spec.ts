// What is published, as people use it: one file in a plain <script> under a strict policy, three bundlers without configuration, and
// every entry point of the packed package in an empty project. Needs the build, as `npm test` makes it.
import { expect } from 'chai';
import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { canvasPicture, inPage, ROOT, type Answer } from '../support/page.js';
import { packedProject } from '../support/packed.js';
import { pixel, type Rgb } from '../support/picture.js';

const SCENE = `
local ground = terrain.noise { width = 64, height = 64, size = { 640, 640 }, amplitude = 60, seed = 4 }
entity.create("land").component.add("Terrain", { texture = terrain.to_texture(ground) })
print("scene made")
`;
/** Gzipped bytes that the element's page loads: a bound that is to fall, not to rise. */
const PAGE_BYTES = 310_000;
/** What a sample does: its page has a canvas, its scene lies beside it. */
const SAMPLE = `
import { createRuntime } from 'moonscape';
const runtime = await createRuntime({ canvas: document.querySelector('canvas') });
runtime.on('ready', () => (document.title = 'ready'));
await runtime.run('scene.lua');
`;
const page = (script: string) =>
  `<!doctype html><title>sample</title><canvas width="120" height="80"></canvas>${script}`;

const read = (path: string) => readFileSync(join(ROOT, path));
const filesIn = (folder: string, at: string): Record<string, Answer> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [at + file.slice(folder.length), readFileSync(file)]),
  );

/** Waits for a sample's first picture and holds it to be a landscape: sky above, ground below, neither flat. */
async function expectLandscape(page: Page): Promise<void> {
  await page.waitForFunction(() => document.title === 'ready', null, { timeout: 60_000 });
  const picture = await canvasPicture(page);
  expect([picture.width, picture.height]).to.deep.equal([120, 80]);
  const sky = pixel(picture, 60, 4);
  const ground = pixel(picture, 60, 70);
  expect(sky[2], 'blue above').to.be.greaterThan(sky[0]);
  const blueness = ([red, , blue]: Rgb) => blue - red;
  expect(blueness(sky) - blueness(ground), 'sky and ground differ').to.be.greaterThan(10);
  expect(new Set(picture.data).size).to.be.greaterThan(40);
}

describe('bundles', function () {
  this.timeout(180_000);

  describe('one file in a plain <script>', () => {
    const script = `<script src="lib/moonscape.js"></script><script src="app.js"></script>`;
    const app = `moonscape.createRuntime({ canvas: document.querySelector('canvas') }).then(async (runtime) => {
      runtime.on('ready', () => (document.title = 'ready'));
      globalThis.runtime = runtime;
      await runtime.run('scene.lua');
    });`;
    const files = () => ({
      '/deep/index.html': page(script),
      '/deep/app.js': app,
      '/deep/scene.lua': SCENE,
      '/deep/lib/moonscape.js': read('dist/iife/moonscape.js'),
      '/deep/lib/rapier.js': read('dist/iife/rapier.js'),
    });

    it('shows a scene under a policy that allows the site’s own files and nothing evaluated', async () => {
      const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'";
      const options = {
        files: files(),
        path: '/deep/index.html',
        headers: { 'content-security-policy': policy },
      };
      await inPage(options, async ({ page, site, console }) => {
        await expectLandscape(page);
        expect(site.requests).not.to.include('/deep/lib/rapier.js');
        expect(console.filter((line) => line.startsWith('error'))).to.deep.equal([]);
      });
    });

    it('shows a scene by two lines of HTML, under the strictest policy', async () => {
      const html =
        '<script src="lib/moonscape.js"></script>\n<moonscape-view src="scene.lua" controls></moonscape-view>';
      const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";
      await inPage(
        {
          files: { ...files(), '/deep/index.html': `<!doctype html>${html}` },
          path: '/deep/index.html',
          headers: { 'content-security-policy': policy },
        },
        async ({ page, console }) => {
          await page.waitForFunction(() => document.querySelector('moonscape-view')?.ready, null, {
            timeout: 60_000,
          });
          expect(console.filter((line) => line.startsWith('error'))).to.deep.equal([]);
        },
      );
    });

    it('runs a scene in a worker, which is the same file again, under the same policy', async () => {
      const policy = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'";
      const app = `moonscape.createWorkerRuntime({ canvas: document.querySelector('canvas') }).then(async (runtime) => {
        runtime.on('ready', () => (document.title = 'ready'));
        await runtime.run('scene.lua');
      });`;
      const headers = { 'content-security-policy': policy };
      await inPage(
        { files: { ...files(), '/deep/app.js': app }, path: '/deep/index.html', headers },
        ({ page }) => expectLandscape(page),
      );
    });

    it('loads the physics engine from beside it once a body needs it', async () => {
      const body = `local e = entity.create("ball", { position = { 0, 100, 0 } })
        e.component.add("RigidBody") e.component.add("Collider", { shape = "sphere", radius = 1 })`;
      await inPage(
        { files: { ...files(), '/deep/scene.lua': `${SCENE}${body}` }, path: '/deep/index.html' },
        async ({ page, site }) => {
          await expectLandscape(page);
          const fallen = await page.evaluate(async () => {
            const { runtime } = globalThis as unknown as {
              runtime: Awaited<ReturnType<Moonscape['createRuntime']>>;
            };
            await runtime.play();
            runtime.pause();
            const ball = runtime.engine.world.find('ball')!;
            for (let i = 0; i < 200 && ball.position.y === 100; i++) await runtime.step(1 / 30);
            return 100 - ball.position.y;
          });
          expect(fallen).to.be.greaterThan(0);
          expect(site.requests).to.include('/deep/lib/rapier.js');
        },
      );
    });
  });

  // Not minified, as Rapier's bytes alone would take minutes.
  describe('a sample built without configuration, served below a folder', () => {
    const project = () => {
      const folder = packedProject();
      mkdirSync(join(folder, 'src'), { recursive: true });
      writeFileSync(join(folder, 'src/index.js'), SAMPLE);
      writeFileSync(join(folder, 'index.html'), page('<script type="module" src="/src/index.js"></script>'));
      return folder;
    };
    const serve = (files: Record<string, Answer>) =>
      inPage(
        { files: { ...files, '/deep/app/scene.lua': SCENE }, path: '/deep/app/index.html' },
        ({ page }) => expectLandscape(page),
      );

    it('by esbuild', async () => {
      const folder = project();
      await build({
        ...{ absWorkingDir: folder, entryPoints: ['src/index.js'], outdir: 'esbuild', logLevel: 'silent' },
        ...{ bundle: true, splitting: true, format: 'esm' },
      });
      await serve({
        ...filesIn(join(folder, 'esbuild'), '/deep/app'),
        '/deep/app/index.html': page('<script type="module" src="index.js"></script>'),
      });
    });

    it('by Vite', async () => {
      const folder = project();
      const { build } = await import('vite');
      await build({ root: folder, base: './', logLevel: 'silent', build: { outDir: 'vite', minify: false } });
      await serve(filesIn(join(folder, 'vite'), '/deep/app'));
    });

    it('by webpack', async () => {
      const folder = project();
      const webpack = createRequire(import.meta.url)('webpack') as typeof import('webpack');
      await new Promise<void>((resolve, reject) =>
        webpack(
          {
            context: folder,
            mode: 'production',
            optimization: { minimize: false },
            output: { path: join(folder, 'webpack') },
            entry: './src/index.js',
          },
          (error, stats) => {
            if (error || stats?.hasErrors()) reject(error ?? new Error(stats!.toString('errors-only')));
            else resolve();
          },
        ),
      );
      await serve({
        ...filesIn(join(folder, 'webpack'), '/deep/app'),
        '/deep/app/index.html': page('<script type="module" src="main.js"></script>'),
      });
    });
  });

  describe('the packed package', () => {
    const inNode = (source: string, ...options: string[]) => {
      const folder = packedProject();
      writeFileSync(join(folder, 'run.js'), source);
      return execFileSync(process.execPath, [...options, 'run.js'], { cwd: folder, encoding: 'utf8' }).trim();
    };

    it('is imported in Node, where createRuntime says what is missing and asks for nothing before', () => {
      const said = inNode(`import { createRuntime, cellHeight } from 'moonscape';
        console.log(cellHeight(0, 1, 2, 3, 0.5, 0.25));
        await createRuntime({}).catch((error) => console.log(error.name + ': ' + error.message));
        await createRuntime({ assets: 'http://localhost/' }).catch((error) => console.log(error.name + ': ' + error.message));`);
      const [height, first, second] = said.split('\n');
      expect(Number(height)).to.be.closeTo(1, 1e-9);
      expect(first).to.match(
        /^MoonscapeError: createRuntime: there is no page here.*in Node use moonscape\/node/,
      );
      expect(second).to.match(/^NoAdapterError: this browser has no WebGPU/);
    });

    it('runs a scene headless through moonscape/node, and by its command', () => {
      const said = inNode(`import { createNodeHost, createRuntime, NoAdapterError } from 'moonscape/node';
        import { NoAdapterError as same } from 'moonscape';
        const runtime = await createRuntime({ host: createNodeHost({ project: '.' }), software: true, width: 32, height: 18 });
        await runtime.run({ source: ${JSON.stringify(SCENE)} });
        await runtime.step();
        const { draws } = runtime.stats();
        console.log(draws > 1, (await runtime.picture()).length > 500, NoAdapterError === same);
        await runtime.destroy();`);
      expect(said.split('\n').slice(-2)).to.deep.equal(['scene made', 'true true true']);
      const folder = packedProject();
      writeFileSync(join(folder, 'scene.lua'), SCENE);
      const args = [
        'node_modules/moonscape/dist/cli.js',
        'run',
        'scene.lua',
        '--size',
        '32x18',
        '--software',
      ];
      expect(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })).to.match(
        /^scene made$/m,
      );
    });

    it('has types for programs under either resolution', () => {
      const folder = packedProject();
      writeFileSync(
        join(folder, 'program.ts'),
        `import { createRuntime, hostFunction, type PageRuntime, type RuntimeEvents } from 'moonscape';
        import { createNodeHost } from 'moonscape/node';
        export async function start(canvas: HTMLCanvasElement): Promise<PageRuntime> {
          const runtime = await createRuntime({ canvas, assets: 'scenes/', host: createNodeHost({ project: '.' }) });
          runtime.on('frame', ({ dt }: RuntimeEvents['frame']) => dt.toFixed(2));
          runtime.lua.register('price', hostFunction(['string', 'integer?'], (item, count) => item.length * (count ?? 1)));
          // @ts-expect-error there is no such event
          runtime.on('frames', () => {});
          // @ts-expect-error an integer is no string
          hostFunction(['integer'], (count) => count.length);
          return runtime;
        }`,
      );
      for (const [module, resolution] of [
        ['esnext', 'bundler'],
        ['nodenext', 'nodenext'],
      ]) {
        const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
        const flags = [
          '--strict',
          '--noEmit',
          '--target',
          'es2022',
          '--module',
          module,
          '--moduleResolution',
          resolution,
        ];
        const libraries = [
          '--lib',
          'es2023,dom',
          '--typeRoots',
          join(ROOT, 'node_modules/@types'),
          '--types',
          'node',
        ];
        execFileSync(process.execPath, [tsc, ...flags, ...libraries, 'program.ts'], {
          cwd: folder,
          encoding: 'utf8',
        });
      }
    });

    it('has a page load no more than it did before it shows ground, and no physics with it', async () => {
      const { outputFiles, metafile } = await build({
        stdin: { contents: `import 'moonscape/element'`, resolveDir: packedProject() },
        ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', outdir: '/' },
        ...{ minify: true, write: false, metafile: true, external: ['@dimforge/*'] },
      });
      // What the entry imports at its start, and what that does.
      const { outputs } = metafile;
      const loaded = new Set<string>();
      const load = (path: string) => {
        if (loaded.has(path)) return;
        loaded.add(path);
        for (const { kind, path: next } of outputs[path].imports)
          if (kind === 'import-statement' && next in outputs) load(next);
      };
      load(Object.keys(outputs).find((path) => path.endsWith('stdin.js'))!);
      const files = outputFiles.filter(({ path }) =>
        [...loaded].some((name) => path.endsWith(basename(name))),
      );
      expect(files).to.have.length(loaded.size);
      const bytes = files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0);
      expect(bytes).to.be.within(50_000, PAGE_BYTES);
    });

    it('leaves out of a program what it does not use', async () => {
      const bytesOf = async (source: string) => {
        const { outputFiles } = await build({
          stdin: { contents: source, resolveDir: packedProject() },
          ...{
            bundle: true,
            splitting: true,
            format: 'esm',
            platform: 'browser',
            minify: true,
            write: false,
            outdir: '/',
          },
        });
        const main = outputFiles.find(({ path }) => path.endsWith('stdin.js'))!;
        return { size: gzipSync(main.contents, { level: 9 }).length, text: main.text };
      };
      const cell = await bytesOf(`export { cellHeight } from 'moonscape'`);
      expect(cell.size).to.be.lessThan(400);
      const noise = await bytesOf(`export { noise } from 'moonscape'`);
      expect(noise.text).not.to.match(/luaL_|createRenderPipeline/);
      expect(noise.size).to.be.lessThan(8_000);
    });
  });
});
