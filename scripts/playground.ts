// Builds the playground into a folder that any static host serves (npm run playground [FOLDER = out/playground]), and makes the
// bundler that npm run dev keeps going.
import { build, type BuildOptions, type Plugin } from 'esbuild';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readApi } from '../playground/luaCats.js';
import { librarySources, listExamples, ROOT } from './playgroundFiles.js';
import { isText, packWgsl, PIECES, piecesModule, textModule } from './text.mjs';

const PIECES_NAME = /\?pieces$/;

/** Shaders, Lua, and what the playground knows from the sources. */
const sources: Plugin = {
  name: 'sources',
  setup({ onLoad, onResolve }) {
    // What shaders include goes in once, without comments, as in the bundles that ship.
    onResolve({ filter: PIECES_NAME }, ({ path }) => ({ path, namespace: 'pieces' }));
    onLoad({ filter: /.*/, namespace: 'pieces' }, ({ path }) => ({
      contents: piecesModule(path.slice(0, -PIECES.length), packWgsl),
      loader: 'js',
      watchFiles: [path.slice(0, -PIECES.length)],
    }));
    onLoad({ filter: /\.(wgsl|lua)$/ }, ({ path }) =>
      isText(path)
        ? {
            contents: textModule(path, { specifier: String, pieces: true, pack: packWgsl }),
            ...{ loader: 'js', resolveDir: ROOT, watchFiles: [path] },
          }
        : undefined,
    );
    onResolve({ filter: /^playground:data$/ }, ({ path }) => ({ path, namespace: 'playground' }));
    onLoad({ filter: /.*/, namespace: 'playground' }, () => ({
      contents: `export const api = ${JSON.stringify(readApi(librarySources()))};
        export const examples = ${JSON.stringify(listExamples())};`,
      loader: 'js',
      watchDirs: ['examples', 'lua/library', 'lua/terrainSystem/modules'].map((folder) => join(ROOT, folder)),
    }));
  },
};

/** How the page is bundled into `outdir`. */
export const bundleOptions = (outdir: string): BuildOptions => ({
  absWorkingDir: ROOT,
  entryPoints: { main: 'playground/main.ts', playground: 'playground/playground.css' },
  ...{ bundle: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2022' },
  ...{ outdir, chunkNames: 'chunks/[name]-[hash]', logLevel: 'warning', external: ['node:*'] },
  plugins: [sources],
});

/** Builds the whole page into `outdir`: what was there goes. */
export async function buildPlayground(outdir: string): Promise<void> {
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    ...bundleOptions(outdir),
    minify: true,
    sourcemap: true,
    metafile: true,
  });
  writeFileSync(join(outdir, 'LICENSES.txt'), licencesOf(Object.keys(metafile.inputs)));
  cpSync(join(ROOT, 'playground/index.html'), join(outdir, 'index.html'));
  cpSync(join(ROOT, 'examples'), join(outdir, 'project'), { recursive: true });
  writeFileSync(join(outdir, 'config.json'), '{}\n');
}

/** The licences of the packages that bundled files come from, and our own. */
function licencesOf(files: readonly string[]): string {
  const packages = new Set<string>();
  for (const file of files) {
    const [, folder] = /^(.*node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file) ?? [];
    if (folder) packages.add(folder);
  }
  const texts = [ROOT, ...[...packages].sort().map((folder) => resolve(ROOT, folder))].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
      string,
      string
    >;
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    if (!file) throw new Error(`the package ${name}, whose code is in the playground, has no licence file`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const outdir = resolve(process.argv[2] ?? join(ROOT, 'out/playground'));
  await buildPlayground(outdir);
  console.log(`the playground is in ${outdir}`);
}
