// Files of a project as scripts name them: mounts, missing files, and textures by path and by guid. The host only sees
// paths that were resolved here.
import { MoonscapeError, refuse, show } from '../errors.js';
import type { HostFiles } from '../host/host.js';
import { decodePng } from '../texture/png.js';
import { isTextureFile, readGuid, readTexture, writeTexture } from '../texture/ktx.js';
import { identifyFile } from '../texture/identify.js';
import type { Texture } from '../texture/texture.js';

/** `/zero/source/…` is the project's `source/` folder. */
const MOUNTS: readonly { prefix: string; folder: string }[] = [{ prefix: '/zero/source', folder: 'source' }];
/** In the project's folder: a JSON object of guid -> path, for hosts that cannot list a folder. */
const GUID_LIST = 'assets.json';
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a reference to an asset is a guid; otherwise it is a path. */
export const isGuid = (reference: string): boolean => GUID.test(reference);

/** The files of one project. */
export class Assets {
  readonly #files: HostFiles;
  readonly #paths = new Map<string, string>();
  #listed: Promise<void> | null = null;

  constructor(files: HostFiles) {
    this.#files = files;
  }

  /**
   * The host's path of a file that a script names. Refuses an empty path, `..` that leaves the mount, other absolute
   * paths, addresses with a scheme, backslashes and NUL.
   */
  resolve(where: string, path: string): string {
    if (typeof path !== 'string' || path === '') refuse(where, 'path', 'the name of a file', path);
    if (path.includes('\0')) refuse(where, 'path', 'free of NUL characters', path);
    if (path.includes('\\')) refuse(where, 'path', 'written with / between folders, not \\', path);
    if (/^[a-z][a-z0-9+.-]*:/i.test(path)) refuse(where, 'path', ALLOWED, path);
    const mount = MOUNTS.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`));
    if (!mount && path.startsWith('/')) refuse(where, 'path', ALLOWED, path);
    const inside: string[] = [];
    for (const part of (mount ? path.slice(mount.prefix.length) : path).split('/')) {
      if (part === '..') {
        if (inside.pop() === undefined)
          refuse(where, 'path', `inside ${mount ? mount.prefix : "the project's folder"}`, path);
      } else if (part !== '' && part !== '.') inside.push(part);
    }
    if (inside.length === 0 || /(^|\/)\.{0,2}$/.test(path))
      refuse(where, 'path', 'the name of a file, not of a folder', path);
    return (mount ? [mount.folder, ...inside] : inside).join('/');
  }

  /** The whole file; a missing one is an error that names the path and the place that was looked at. */
  async read(where: string, path: string): Promise<Uint8Array> {
    const place = this.resolve(where, path);
    try {
      return await this.#files.read(place);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      const looked =
        place === path ? "in the project's folder" : `looked for ${place} in the project's folder`;
      throw new MoonscapeError(
        code === 'ENOENT' || code === 'ENOTDIR'
          ? `${where}: there is no file ${show(path)} (${looked})`
          : `${where}: ${path} cannot be read (${looked}): ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      );
    }
  }

  /** The file as UTF-8 text, without a byte order mark; other bytes are an error. */
  async readText(where: string, path: string): Promise<string> {
    const bytes = await this.read(where, path);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch (cause) {
      throw new MoonscapeError(`${where}: ${path} is not UTF-8 text`, { cause });
    }
  }

  /** Replaces the file whole, making its folders; answers `path`. */
  async write(where: string, path: string, bytes: Uint8Array): Promise<string> {
    const place = this.resolve(where, path);
    try {
      await this.#files.write(place, bytes);
    } catch (cause) {
      throw new MoonscapeError(
        `${where}: ${path} cannot be written (at ${place} in the project's folder): ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    }
    return path;
  }

  /** Reads a PNG or a `.texture`, told apart by their content. The caller owns the texture. */
  async loadTexture(path: string, where = 'texture.load'): Promise<Texture> {
    const bytes = await this.read(where, path);
    const texture = isTextureFile(bytes) ? readTexture(bytes, path, where) : decodeImage(where, bytes, path);
    texture.path = path;
    if (texture.guid) this.remember(texture.guid, path);
    return texture;
  }

  /**
   * Writes a `.texture`. A texture without a guid takes that of the `.texture` it replaces, so that references to it
   * hold, or else a new one. Guid and path are set once the file stands.
   */
  async saveTexture(texture: Texture, path: string, where = 'texture.write'): Promise<string> {
    const place = this.resolve(where, path);
    if (!/\.texture$/i.test(place)) refuse(where, 'path', 'a file with the extension .texture', path);
    const guid = texture.guid ?? (await this.#guidOf(place)) ?? crypto.randomUUID();
    await this.write(where, path, writeTexture(texture, guid));
    texture.guid = guid;
    texture.path = path;
    this.remember(guid, path);
    return path;
  }

  /** Reads the texture of a guid: one seen before, or one that assets.json lists. */
  async loadTextureByGuid(guid: string, where = 'texture.load'): Promise<Texture> {
    return this.loadTexture(await this.locate(where, guid), where);
  }

  /** The path of an asset that was named by its guid or by its path. */
  async locate(where: string, reference: string): Promise<string> {
    if (!isGuid(reference)) return reference;
    if (!this.findGuid(reference)) await (this.#listed ??= this.#readList(where));
    const path = this.findGuid(reference);
    if (path) return path;
    throw new MoonscapeError(
      `${where}: no asset with the guid ${reference} was loaded or written yet, and ${GUID_LIST} lists none`,
    );
  }

  /** The path of a guid seen so far, or listed in assets.json if that was read. */
  findGuid(guid: string): string | undefined {
    return this.#paths.get(guid.toLowerCase());
  }

  /** Notes where the asset of a guid lies. */
  remember(guid: string, path: string): void {
    this.#paths.set(guid.toLowerCase(), path);
  }

  async #guidOf(place: string): Promise<string | null> {
    try {
      return readGuid(await this.#files.read(place));
    } catch {
      // No file there yet, or one that cannot be read: it has no guid to keep.
      return null;
    }
  }

  async #readList(where: string): Promise<void> {
    let text: string;
    try {
      text = new TextDecoder().decode(await this.#files.read(GUID_LIST));
    } catch {
      // The list is optional, and may be written later.
      this.#listed = null;
      return;
    }
    let list: unknown;
    try {
      list = JSON.parse(text);
    } catch (cause) {
      throw new MoonscapeError(`${where}: ${GUID_LIST} is not JSON: ${(cause as Error).message}`, { cause });
    }
    for (const [guid, path] of Object.entries(list ?? {})) {
      if (!isGuid(guid) || typeof path !== 'string')
        refuse(where, `${GUID_LIST}: ${show(guid)}`, 'a guid with a path', path);
      if (!this.findGuid(guid)) this.remember(guid, path);
    }
  }
}

const ALLOWED =
  "a path under /zero/source/ or, without a leading slash, one relative to the project's folder";

function decodeImage(where: string, bytes: Uint8Array, path: string): Texture {
  const kind = identifyFile(bytes);
  if (kind !== 'PNG')
    throw new MoonscapeError(
      `${where}: ${path} must be a PNG or a .texture (KTX 2.0), ${kind === 'empty' ? 'but it is empty' : kind ? `but this is a ${kind}` : 'and it starts like neither'}`,
    );
  return decodePng(bytes, path, where);
}
