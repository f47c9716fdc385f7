// Files that a page wrote, in the browser's own file system for the site (OPFS): what a scene saves stands before what the
// server has under the same path. Used by browser.ts.
import { FileRefusal, type HostFiles } from './host.js';

/** One folder of OPFS. Nothing is made before the first write. */
export class OpfsFiles {
  #root: Promise<FileSystemDirectoryHandle | null> | null = null;

  /** @param folder its name; projects of one site keep apart by it */
  constructor(private readonly folder: string) {}

  /** The file, or null where the page wrote none of that path. */
  async read(path: string, length?: number): Promise<Uint8Array | null> {
    const folder = await this.#open(path, false);
    const handle = await folder?.getFileHandle(nameOf(path)).catch(ignoreMissing);
    if (!handle) return null;
    const file = await handle.getFile();
    return new Uint8Array(await (length === undefined ? file : file.slice(0, length)).arrayBuffer());
  }

  /** Replaces the file whole: what is written stands only once all of it does. */
  readonly write: HostFiles['write'] = async (path, bytes) => {
    const folder = await this.#open(path, true);
    const handle = await folder!.getFileHandle(nameOf(path), { create: true }).catch(refuseFolder(path));
    if (!handle.createWritable)
      throw new Error(
        'this browser cannot write to its own file system from a page (createWritable is missing)',
      );
    const stream = await handle.createWritable();
    try {
      await stream.write(bytes as Uint8Array<ArrayBuffer>);
    } catch (error) {
      await stream.abort();
      throw error;
    }
    await stream.close();
  };

  /** Paths of the files that the page wrote, in a folder and below. */
  async list(folder: string): Promise<string[]> {
    const found: string[] = [];
    const handle = await this.#open(`${folder}/.`, false);
    if (handle) await listInto(found, handle, folder);
    return found.sort();
  }

  /** Forgets every file that the page wrote. */
  async clear(): Promise<void> {
    const root = await storage()?.getDirectory();
    await root?.removeEntry(this.folder, { recursive: true }).catch(ignoreMissing);
    this.#root = null;
  }

  /** The folder of a file, made where `create` says so; else null where it is not there. */
  async #open(path: string, create: boolean): Promise<FileSystemDirectoryHandle | null> {
    let folder = await this.#rootFolder(create);
    for (const name of path.split('/').slice(0, -1))
      folder =
        (await folder
          ?.getDirectoryHandle(name, { create })
          .catch(create ? refuseFile(path) : ignoreMissing)) ?? null;
    return folder;
  }

  #rootFolder(create: boolean): Promise<FileSystemDirectoryHandle | null> {
    const open = async () => {
      const found = storage();
      if (found)
        return (await (await found.getDirectory()).getDirectoryHandle(this.folder, { create })) ?? null;
      if (create) throw new Error('this page has no file system of its own (it needs https, or localhost)');
      return null;
    };
    if (create) return (this.#root = open());
    this.#root ??= open().catch(() => null);
    return this.#root;
  }
}

/** The site's storage; sandboxed and insecure pages have none. */
const storage = (): StorageManager | null =>
  typeof navigator !== 'undefined' && typeof navigator.storage?.getDirectory === 'function'
    ? navigator.storage
    : null;

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

function ignoreMissing(error: unknown): null {
  const { name } = error as Error;
  if (name === 'NotFoundError' || name === 'TypeMismatchError') return null;
  throw error;
}

const refuseFolder = (path: string) => (error: unknown) => {
  if ((error as Error).name === 'TypeMismatchError') throw new FileRefusal(`${path} is a folder, not a file`);
  throw error;
};

const refuseFile = (path: string) => (error: unknown) => {
  if ((error as Error).name === 'TypeMismatchError')
    throw new FileRefusal(`a part of ${path} is a file, not a folder`);
  throw error;
};

/** What the library of the DOM leaves out: a folder is iterated by name. */
type Listed = FileSystemDirectoryHandle & AsyncIterable<[name: string, handle: FileSystemHandle]>;

async function listInto(found: string[], folder: FileSystemDirectoryHandle, path: string): Promise<void> {
  for await (const [name, handle] of folder as Listed) {
    if (handle.kind === 'file') found.push(`${path}/${name}`);
    else await listInto(found, handle as FileSystemDirectoryHandle, `${path}/${name}`);
  }
}
