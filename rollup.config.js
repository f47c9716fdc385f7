// Bundles the three entry points. The Lua VM goes in (patched, without its Node-only branches, so that Node and pages run
// the same code); every other package stays an import.
import commonjs from '@rollup/plugin-commonjs';
import resolve from '@rollup/plugin-node-resolve';
import esbuild from 'rollup-plugin-esbuild';
import { readFileSync } from 'node:fs';
import { isText, readText } from './scripts/text.mjs';

const manifest = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
const packages = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });

/** Imports `.wgsl` and `.lua` files as strings, with WGSL includes resolved. */
const text = () => ({
  name: 'text',
  load: (id) => (isText(id) ? { code: `export default ${JSON.stringify(readText(id))};`, map: null } : null),
});

export default {
  input: {
    moonscape: 'bindings/moonscape.ts',
    node: 'bindings/node.ts',
    cli: 'bindings/cli.ts',
  },
  output: {
    dir: 'dist',
    format: 'es',
    sourcemap: true,
    chunkFileNames: 'chunks/[name]-[hash].js',
    banner: (chunk) => (chunk.name === 'cli' ? '#!/usr/bin/env node' : ''),
  },
  external: (id) =>
    id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [
    text(),
    resolve({ browser: true, preferBuiltins: false }),
    commonjs({ ignoreDynamicRequires: true, strictRequires: true }),
    esbuild({ target: 'es2022', sourceMap: true }),
  ],
};
