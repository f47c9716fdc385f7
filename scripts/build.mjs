// Builds dist/: the bundles by rollup and the type declarations by tsc.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
for (const args of [
  ['node_modules/rollup/dist/bin/rollup', '-c', '--silent'],
  ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'],
]) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
chmodSync(new URL('../dist/cli.js', import.meta.url), 0o755);
