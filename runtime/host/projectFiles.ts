// The files of a project's folder on this machine's disk, for the Node host and the command. A path is walked name by name
// against what the folders list, so that letters count on every file system and no link leads out of the project.
import { constants, type Dirent } from 'node:fs';
import { mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { FileRefusal, type HostFiles } from './host.js';
import { writeWhole } from './writeWhole.js';

/** Not on every platform: a link put in a file's place between the walk and the opening is not followed. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Files under `root`. The folder need not be there yet. */
export function projectFiles(root: string): HostFiles {
  return {
    async read(path, length) {
      const { file, missing } = await walk(root, path);
      if (missing.length > 0) throw absent(path);
      return readFile(file, path, length);
    },
    async write(path, bytes) {
      await mkdir(root, { recursive: true });
      const { file, missing } = await walk(root, path);
      if (missing.length === 0 && !(await stat(file)).isFile())
        throw new FileRefusal(`${path} is a folder or a device, not a file`);
      // Where folders are missing `file` is the last one that is there.
      const folders = join(file, ...missing.slice(0, -1));
      if (missing.length > 1) await mkdir(folders, { recursive: true });
      await writeWhole(missing.length === 0 ? file : join(folders, missing[missing.length - 1]), bytes);
    },
    async list(folder) {
      const { file, missing } = await walk(root, folder);
      const found: string[] = [];
      if (missing.length === 0) await listInto(found, await realRoot(root), file, folder, []);
      return found.sort();
    },
  };
}

/** The real place of the longest part of `path` that is there, and the names after it that are not. */
async function walk(root: string, path: string): Promise<{ file: string; missing: string[] }> {
  const top = await realRoot(root);
  const names = path.split('/').filter(Boolean);
  const actual: string[] = [];
  let file = top;
  for (const [at, name] of names.entries()) {
    const entry = findEntry(await entriesOf(file), name);
    if (!entry) {
      refuseOtherCase(path, [...actual, ...names.slice(at)]);
      return { file, missing: names.slice(at) };
    }
    actual.push(entry.name);
    file = await follow(top, join(file, entry.name), entry, actual.join('/'));
  }
  refuseOtherCase(path, actual);
  return { file, missing: [] };
}

/** The project's folder, links followed; as it was given while it is not there. */
const realRoot = (root: string): Promise<string> => realpath(root).catch(() => resolve(root));

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}

/** The entry of a name, or else one that a file system which ignores case (or how accents are composed) takes for it. */
function findEntry(entries: readonly Dirent[], name: string): Dirent | undefined {
  const folded = fold(name);
  return entries.find((entry) => entry.name === name) ?? entries.find((entry) => fold(entry.name) === folded);
}

const fold = (name: string) => name.normalize('NFC').toLowerCase();

function refuseOtherCase(path: string, actual: readonly string[]): void {
  const real = actual.join('/');
  if (real !== path.split('/').filter(Boolean).join('/'))
    throw new FileRefusal(`on disk it is written ${real}, and letters count`, real);
}

/** Where an entry leads; a link out of the project, or to nowhere, is refused. */
async function follow(top: string, file: string, entry: Dirent, path: string): Promise<string> {
  if (!entry.isSymbolicLink()) return file;
  const target = await realpath(file).catch(() => null);
  if (target === null) throw new FileRefusal(`${path} is a link that leads nowhere`);
  if (!isInside(top, target)) throw new FileRefusal(`${path} is a link that leads out of the project`);
  return target;
}

const isInside = (top: string, file: string) => file === top || file.startsWith(withSeparator(top));
const withSeparator = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);

async function readFile(file: string, path: string, length?: number): Promise<Uint8Array> {
  // Without waiting for the other end of a pipe, should one lie there.
  const handle = await open(file, constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = await regular(handle, path);
    if (length === undefined || size <= length) return new Uint8Array(await handle.readFile());
    const bytes = new Uint8Array(length);
    const { bytesRead } = await handle.read(bytes, 0, length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function regular(handle: Awaited<ReturnType<typeof open>>, path: string) {
  const facts = await handle.stat();
  if (!facts.isFile())
    throw new FileRefusal(`${path} is a ${facts.isDirectory() ? 'folder' : 'device'}, not a file`);
  return facts;
}

/** Adds the files below `folder`; links are followed within the project, but not round in a circle. */
async function listInto(
  found: string[],
  top: string,
  folder: string,
  path: string,
  above: readonly string[],
): Promise<void> {
  if (above.includes(folder)) return;
  for (const entry of await entriesOf(folder)) {
    const name = `${path}/${entry.name}`;
    const file = await follow(top, join(folder, entry.name), entry, name).catch(() => null);
    if (file === null) continue;
    const facts = entry.isSymbolicLink() ? await stat(file) : entry;
    if (facts.isDirectory()) await listInto(found, top, file, name, [...above, folder]);
    else if (facts.isFile()) found.push(name);
  }
}

const absent = (path: string) =>
  Object.assign(new Error(`ENOENT: there is no file ${path}`), { code: 'ENOENT' });
