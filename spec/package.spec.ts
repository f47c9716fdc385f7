// What `npm pack` ships, read off the build: declarations that resolve where only the package is installed, and the
// licences of what is bundled. Needs the build, as `npm test` makes it.
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const text = (path: string) => readFileSync(path, 'utf8');
/** A script without its comments. */
const code = (path: string) => text(path).replace(/\/\*[^]*?\*\//g, '');
const manifest = JSON.parse(text('package.json')) as {
  files: string[];
  exports: Record<string, string | Record<string, string>>;
  dependencies: Record<string, string>;
};
const under = (folder: string, ending: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
const packed = (path: string) => manifest.files.some((name) => path === name || path.startsWith(`${name}/`));

const licenceOf = (name: string) => {
  const folder = `node_modules/${name}`;
  return text(
    join(
      folder,
      readdirSync(folder).find((file) => /^licen[cs]e/i.test(file))!,
    ),
  ).trim();
};

/** What a built file imports when it loads, files and packages, with all that these import. */
function loadedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  for (const [, id] of code(file).matchAll(/^(?:import|export)\b[^;]*?['"]([^'"]+)['"];/gm))
    if (id.startsWith('.')) loadedBy(join(dirname(file), id), seen);
    else seen.add(id);
  return [...seen];
}

describe('package', () => {
  it('has the files that its manifest names', () => {
    const entries = Object.values(manifest.exports).flatMap((to) =>
      typeof to === 'string' ? [to] : Object.values(to),
    );
    expect([...manifest.files, ...entries].filter((name) => !existsSync(name))).to.deep.equal([]);
  });

  it('declares itself with nothing that a program which installs it has not got', () => {
    const missing: string[] = [];
    const declared = new Set(Object.keys(manifest.dependencies));
    const files = under('dist/types', '.d.ts');
    expect(files).to.include('dist/types/bindings/node.d.ts');
    for (const file of files)
      for (const [, path] of text(file).matchAll(/^\/\/\/ <reference path="(.*?)"/gm)) {
        const target = relative('.', join(dirname(file), path));
        if (!packed(target) || !existsSync(target)) missing.push(`${file}: ${path}`);
        else for (const [, name] of text(target).matchAll(/^declare module '(.*?)'/gm)) declared.add(name);
      }
    for (const file of files)
      for (const [, name] of text(file).matchAll(/(?:from |import\()'([^.'][^']*)'/g))
        if (!declared.has(name) && !name.startsWith('node:')) missing.push(`${file}: ${name}`);
    expect(missing).to.deep.equal([]);
  });

  for (const [what, name, inEsm] of [
    ['the physics engine', '@dimforge/rapier3d-compat', true],
    ['the reader of glTF', '@gltf-transform/core', false],
  ] as const)
    it(`has ${what} outside, and imports it where something needs it, never at the start`, () => {
      expect(manifest.dependencies).to.have.property(name);
      const [esm, others] = ['dist/esm', 'dist'].map((folder) => under(folder, '.js'));
      const node = others.filter((file) => !/^dist\/(esm|iife)\//.test(file));
      const importing = (files: string[]) =>
        files.filter((file) => text(file).includes(`import('${name}')`)).length;
      expect(importing(node)).to.equal(1);
      // The reader's package names files of Node that bundlers for pages refuse, so that there it goes in without them.
      expect(importing(esm)).to.equal(inEsm ? 1 : 0);
      const entries = [
        'moonscape.js',
        'node.js',
        'cli.js',
        'esm/moonscape.js',
        'esm/element.js',
        'esm/worker.js',
      ];
      const atStart = new Set(entries.flatMap((entry) => loadedBy(join('dist', entry))));
      expect([...atStart].filter((id) => id.startsWith(name))).to.deep.equal([]);
      expect([...atStart].some((id) => id.startsWith('fflate'))).to.equal(true);
    });

  it('names no module of Node where pages and their bundlers look', () => {
    const files = [...under('dist/esm', '.js'), ...under('dist/iife', '.js')];
    const naming = files.filter((file) =>
      /(from|import\(|require\()\s*['"](node:|fs['"]|path['"])/.test(code(file)),
    );
    expect(naming).to.deep.equal([]);
  });

  it('has the licence of each package whose code is in dist/', () => {
    const bundled = new Set<string>();
    for (const map of under('dist', '.js.map')) {
      const { sources } = JSON.parse(text(map)) as { sources: string[] };
      for (const source of sources) {
        const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1];
        if (name) bundled.add(name);
      }
    }
    // A file of its own, whose map is left out for its size.
    bundled.add('@dimforge/rapier3d-compat');
    expect([...bundled]).to.include.members(['fengari', 'bitecs', '@gltf-transform/core']);
    for (const name of bundled) expect(text('THIRD_PARTY.md')).to.include(licenceOf(name));
  });
});
