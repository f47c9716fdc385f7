// The package as it is published: what `npm pack` puts into its tarball, installed in an empty project beside the dependencies that it
// declares and no others. Made once for all specs that ask.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './page.js';

let project: string | null = null;

/** The folder of the project; `node_modules/moonscape` is the package. Without a build there is nothing to pack. */
export function packedProject(): string {
  if (project) return project;
  for (const file of ['dist/cli.js', 'dist/esm/moonscape.js', 'dist/iife/moonscape.js', 'dist/types'])
    if (!existsSync(join(ROOT, file)))
      throw new Error(`${file} is not there: these specs judge what is built; npm run build makes it`);
  const folder = mkdtempSync(join(tmpdir(), 'moonscape-packed-'));
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [{ filename }] = JSON.parse(
    execFileSync('npm', pack, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  ) as { filename: string }[];
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', modules]);
  execFileSync('mv', [join(modules, 'package'), join(modules, 'moonscape')]);
  const { dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(modules, 'moonscape/package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), join(modules, name));
  }
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  return (project = folder);
}

if (typeof after === 'function')
  after(() => {
    if (project) rmSync(project, { recursive: true, force: true });
    project = null;
  });
