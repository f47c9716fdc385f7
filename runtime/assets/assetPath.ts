// Paths as scripts write them, turned into paths of the project. Everything that could leave a mount, or mean one file here
// and another on the next machine, is refused before a host sees it.
import { refuse } from '../errors.js';

/** `/zero/source/…` is the project's `source/` folder. */
export const MOUNTS: readonly { prefix: string; folder: string }[] = [
  { prefix: '/zero/source', folder: 'source' },
];

const ALLOWED =
  "a path under /zero/source/ or, without a leading slash, one relative to the project's folder";
/** Names that Windows keeps for its devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
// eslint-disable-next-line no-control-regex -- they are what it looks for
const CONTROL = /[\0-\x1f]/;
/** A percent escape, which a server or a browser may undo into a dot or a slash. */
const ESCAPE = /%[0-9a-f]{2}/i;

/**
 * The path relative to the project's root of a file that a script names. Refused: an empty path, `..` that leaves the mount,
 * other absolute paths, drive letters and addresses, backslashes, control characters, percent escapes, and names that
 * Windows would read otherwise.
 */
export function resolvePath(where: string, path: string): string {
  if (typeof path !== 'string' || path === '') refuse(where, 'path', 'the name of a file', path);
  if (path.includes('\0')) refuse(where, 'path', 'free of NUL characters', path);
  if (CONTROL.test(path)) refuse(where, 'path', 'free of control characters', path);
  if (path.includes('\\')) refuse(where, 'path', 'written with / between folders, not \\', path);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) refuse(where, 'path', ALLOWED, path);
  if (path.includes(':')) refuse(where, 'path', 'free of colons, which Windows keeps for itself', path);
  if (ESCAPE.test(path)) refuse(where, 'path', 'the plain name, without percent escapes as %2E', path);
  const mount = MOUNTS.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
  if (!mount && path.startsWith('/')) refuse(where, 'path', ALLOWED, path);
  const inside: string[] = [];
  for (const part of (mount ? path.slice(mount.prefix.length) : path).split('/')) {
    if (part === '..') {
      if (inside.pop() === undefined)
        refuse(where, 'path', `inside ${mount ? mount.prefix : "the project's folder"}`, path);
    } else if (part !== '' && part !== '.') {
      if (/[. ]$/.test(part))
        refuse(where, 'path', 'of names that do not end in a dot or a space, which Windows drops', path);
      if (DEVICE.test(part)) refuse(where, 'path', 'free of the names of Windows devices', path);
      inside.push(part);
    }
  }
  if (inside.length === 0 || /(^|\/)\.{0,2}$/.test(path))
    refuse(where, 'path', 'the name of a file, not of a folder', path);
  return (mount ? [mount.folder, ...inside] : inside).join('/');
}

/** A path of the project as scripts write it: under its mount where it has one. */
export function mountPath(place: string): string {
  const mount = MOUNTS.find(({ folder }) => place.startsWith(`${folder}/`));
  return mount ? mount.prefix + place.slice(mount.folder.length) : place;
}

/** As resolvePath, for a folder: that of a mount itself may be named, and a slash may end it. */
export function resolveFolder(where: string, path: string): string {
  const bare = path.length > 1 ? path.replace(/\/+$/, '') : path;
  return MOUNTS.find(({ prefix }) => prefix === bare)?.folder ?? resolvePath(where, bare);
}

/** What kind of file a path names: `texture`, `terrainData`, or else its extension in lower case. */
export function kindOf(path: string): string {
  const extension = /\.([^./]+)$/.exec(path)?.[1].toLowerCase() ?? '';
  return extension === 'terraindata' ? 'terrainData' : extension;
}
