// `npm test`: types, lint and format first, then the build, then the specs. Everything it needs is in the lock file.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const steps = [
  ['types', 'node_modules/typescript/bin/tsc', '--noEmit'],
  ['lint', 'node_modules/eslint/bin/eslint.js', '.'],
  ['format', 'node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', '.'],
  ['build', 'scripts/build.mjs'],
  ['specs', 'node_modules/mocha/bin/mocha.js', 'spec/**/*.spec.ts', ...process.argv.slice(2)],
];
for (const [name, ...args] of steps) {
  const { status, signal } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status === 0) continue;
  if (name !== 'specs')
    console.error(`npm test: ${name} failed${signal ? ` (${signal})` : ''}, so the specs were not run`);
  process.exit(status ?? 1);
}
