// Reads a text module (WGSL or Lua) and resolves WGSL's `#include "file"` lines: the one resolver, used by the
// bundler and by Node. An include is taken in once a file, where it is first named.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const INCLUDE = /^[ \t]*#include[ \t]+"([^"]+)"[ \t]*$/gm;

/** Returns the text of `path` with its includes in place; `seen` holds the files taken in so far. */
export function readText(path, seen = new Set()) {
  seen.add(resolve(path));
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.wgsl')) return text;
  return text.replace(INCLUDE, (line, name) => {
    const file = resolve(dirname(path), name);
    if (seen.has(file)) return '';
    try {
      return readText(file, seen);
    } catch (cause) {
      throw new Error(`${path}: ${line.trim()} names no readable file (${file})`, { cause });
    }
  });
}

/** True for the modules that are imported as text. */
export const isText = (path) => /\.(wgsl|lua)$/.test(path);
