// Lint, with the layer rule: bindings -> runtime -> shaders, lua and spec above all. A layer never imports one above it.
import js from '@eslint/js';
import globals from 'globals';
import tseslint from 'typescript-eslint';

/** Forbids imports that match any of `groups`, saying why. */
const forbid = (groups, why, extra = []) => ({
  'no-restricted-imports': ['error', { patterns: [{ group: groups, message: why }, ...extra] }],
});
const ABOVE_RUNTIME = [
  '**/bindings/**',
  '**/lua/**',
  '**/spec/**',
  '**/bench/**',
  '**/examples/**',
  'fengari',
  'fengari/**',
];
const NODE_ONLY = {
  group: ['node:*'],
  message: 'only runtime/host/ and the Node entry points may know the host',
};

export default tseslint.config(
  { ignores: ['dist/', 'out/', 'node_modules/'] },
  js.configs.recommended,
  ...tseslint.configs.recommended,
  {
    languageOptions: { globals: { ...globals.node } },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: ['runtime/**/*.ts'],
    rules: forbid(ABOVE_RUNTIME, 'runtime/ knows nothing of Lua or of what drives it', [NODE_ONLY]),
  },
  {
    files: ['runtime/host/**/*.ts'],
    rules: forbid(ABOVE_RUNTIME, 'runtime/ knows nothing of Lua or of what drives it'),
  },
  {
    files: ['bindings/**/*.ts'],
    rules: forbid(['**/spec/**', '**/bench/**'], 'bindings/ is below the specs', [NODE_ONLY]),
  },
  {
    files: ['bindings/node.ts', 'bindings/cli.ts', 'bindings/cli/**/*.ts'],
    rules: forbid(['**/spec/**', '**/bench/**'], 'bindings/ is below the specs'),
  },
  {
    files: ['bench/*.mjs'],
    languageOptions: {
      globals: { GPUBufferUsage: 'readonly', GPUTextureUsage: 'readonly', GPUMapMode: 'readonly' },
    },
  },
  { files: ['spec/**/*.ts'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
  { files: ['scripts/**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
