// Bundles what ships. The Lua VM goes in, patched and without what no script can reach, so that Node and pages run the same code.
//   dist/*.js      Node: the entry points and the command, in few files, as each costs time at the start
//   dist/esm/      bundlers and pages: a file a module, so that what a program does not use is left out of it
//   dist/iife/     a page without a bundler: one file for a plain <script>, and what it loads only where a scene needs it
import commonjs from '@rollup/plugin-commonjs';
import resolve from '@rollup/plugin-node-resolve';
import esbuild from 'rollup-plugin-esbuild';
import { readFileSync } from 'node:fs';
import { isText, packWgsl, PIECES, piecesModule, textModule } from './scripts/text.mjs';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const isPackage = (id, names = packages) => names.some((name) => id === name || id.startsWith(`${name}/`));
/** Large, and loaded by the scenes that need it alone: never a part of a file that every page loads. */
const RAPIER = '@dimforge/rapier3d-compat';
/** Asks for Node's files where nobody uses them, which bundlers for pages stumble over: it goes in, without that. */
const GLTF = '@gltf-transform/core';

/** Imports `.wgsl` and `.lua` files as strings; WGSL without comments, and what several shaders include once. */
const text = () => ({
  name: 'text',
  resolveId: (id) => (id.endsWith(PIECES) ? id : null),
  load(id) {
    const options = { specifier: String, pieces: true, pack: packWgsl };
    if (id.endsWith(PIECES)) return { code: piecesModule(id.slice(0, -PIECES.length), packWgsl), map: null };
    if (isText(id)) return { code: textModule(id, options), map: null };
    return null;
  },
});

/** Libraries of Lua that the sandbox opens to nobody. */
const CLOSED = /[\\/]fengari[\\/]src[\\/](liolib|loslib|loadlib|ldblib|fengarilib|linit)\.js$/;
const closeLibraries = () => ({
  name: 'closed libraries',
  load: (id) => (CLOSED.test(id) ? { code: 'module.exports = {};', map: null } : null),
});

/** Bundlers for pages refuse the names of Node's modules even where the line that has them never runs. */
const NODE_FILES = 'Promise.all([import("node:fs"), import("node:path")])';
const withoutNode = () => ({
  name: 'without Node',
  transform(code, id) {
    if (!id.includes(GLTF) || !id.endsWith('/dist/index.js')) return null;
    if (!code.includes(NODE_FILES)) this.error(`${GLTF} asks for Node's files in another way now`);
    return { code: code.replace(NODE_FILES, 'Promise.reject(new Error("no files here"))'), map: null };
  },
});

const plugins = (options = {}) => [
  text(),
  withoutNode(),
  closeLibraries(),
  resolve({ browser: true, preferBuiltins: false }),
  commonjs({ ignoreDynamicRequires: true, strictRequires: true }),
  esbuild({ target: 'es2022', sourceMap: true, ...options }),
];

const node = {
  input: { moonscape: 'bindings/moonscape.ts', node: 'bindings/node.ts', cli: 'bindings/cli.ts' },
  output: {
    dir: 'dist',
    format: 'es',
    sourcemap: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
    banner: (chunk) => (chunk.name === 'cli' ? '#!/usr/bin/env node' : ''),
  },
  external: (id) => id.startsWith('node:') || isPackage(id),
  plugins: plugins(),
};

const PAGE_ENTRIES = ['moonscape', 'element', 'worker', 'workerHost'];
const esm = {
  input: Object.fromEntries(PAGE_ENTRIES.map((name) => [name, `bindings/${name}.ts`])),
  output: {
    dir: 'dist/esm',
    format: 'es',
    sourcemap: true,
    preserveModules: true,
    preserveModulesRoot: '.',
    // npm leaves folders called node_modules out of what it packs.
    entryFileNames: ({ name }) =>
      PAGE_ENTRIES.includes(name) ? '[name].js' : `modules/${name.replace(/node_modules/g, 'packages')}.js`,
  },
  external: (id) => isPackage(id) && !isPackage(id, [GLTF]),
  treeshake: { moduleSideEffects: false },
  plugins: plugins(),
};

/** What the script's file loads later lies beside it. */
const besideScript = () => ({
  name: 'beside the script',
  renderDynamicImport: ({ targetModuleId }) =>
    targetModuleId ? null : { left: 'import(new URL(', right: ', scriptAddress).href)' },
});

const iife = [
  {
    input: 'bindings/script.ts',
    output: {
      file: 'dist/iife/moonscape.js',
      format: 'iife',
      name: 'moonscape',
      sourcemap: true,
      inlineDynamicImports: true,
      paths: { [RAPIER]: './rapier.js' },
      intro:
        "const scriptAddress = globalThis.document?.currentScript?.src || globalThis.location?.href || 'file:///';",
    },
    external: (id) => isPackage(id, [RAPIER]),
    plugins: [...plugins({ minify: true }), besideScript()],
  },
  {
    input: RAPIER,
    output: { file: 'dist/iife/rapier.js', format: 'es' },
    plugins: plugins({ minify: true }),
  },
];

export default [node, esm, ...iife].map((build) => ({ preserveSymlinks: true, ...build }));
