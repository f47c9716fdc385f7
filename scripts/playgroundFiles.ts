// What the playground is made of at build time: the definitions that it completes from, and the examples with their first words.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LuaSource } from '../playground/luaCats.js';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** An example as the playground lists it. */
export interface Example {
  /** Its file in examples/. */
  file: string;
  title: string;
  /** Its first comment. */
  about: string;
}

/** Definition files: the globals, the components that ship and the modules. */
export function librarySources(): LuaSource[] {
  const read = (folder: string, module?: (name: string) => string): LuaSource[] =>
    readdirSync(join(ROOT, folder))
      .filter((file) => file.endsWith('.lua'))
      .sort()
      .map((file) => ({
        text: readFileSync(join(ROOT, folder, file), 'utf8'),
        ...(module ? { module: module(file.slice(0, -'.lua'.length)) } : {}),
      }));
  const system = 'lua/terrainSystem/modules';
  return [...read('lua/library'), ...read(system, (name) => `~terrainSystem.modules.${name}`)];
}

/** Examples in the order in which they are offered: the first ones first, then by name. */
export function listExamples(first: readonly string[] = ['first-ground', 'alpine']): Example[] {
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return readdirSync(join(ROOT, 'examples'))
    .filter((file) => file.endsWith('.lua'))
    .map((file) => file.slice(0, -'.lua'.length))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => {
      const text = readFileSync(join(ROOT, 'examples', `${name}.lua`), 'utf8');
      const about = (/^(?:--.*\n)+/.exec(text)?.[0] ?? '')
        .replace(/^-- ?/gm, '')
        .replaceAll('\n', ' ')
        .trim();
      const title = name.replaceAll('-', ' ');
      return { file: `${name}.lua`, title: title[0].toUpperCase() + title.slice(1), about };
    });
}
