// Sources before they reach the parser, which nothing can interrupt.
import { MoonscapeError } from '../../runtime/errors.js';

/** Longest source of a file, in characters: a scene is a few kilobytes, and the parser takes seconds for 20 MB. */
const MAX_FILE = 4 * 1024 * 1024;
/** Longest chunk that a script may `load`, in bytes. */
export const MAX_LOAD = 1024 * 1024;

/** `source` as the parser takes it: without a byte order mark, its `#!` line blanked. Refuses one that is too long or is bytecode. */
export function checkSource(source: string, name: string): string {
  if (source.length > MAX_FILE)
    throw new MoonscapeError(
      `${name}: a Lua source may be at most ${MAX_FILE} characters long, this one has ${source.length}; keep data in a texture or a file`,
    );
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  if (text.startsWith('\x1b'))
    throw new MoonscapeError(`${name}: this is compiled Lua; only Lua source can be run`);
  return text.startsWith('#') ? `--${text}` : text;
}
