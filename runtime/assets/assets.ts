// Files of a project as scripts name them: mounts, missing files, and textures by path and by guid. The host only sees
// paths that were resolved here.
import { MoonscapeError, refuse, show } from '../errors.js';
import { FileRefusal, type HostFiles } from '../host/host.js';
import { identifyFile } from '../texture/identify.js';
import { isTextureFile, readTexture, writeTexture } from '../texture/ktx.js';
import { decodePng } from '../texture/png.js';
import type { Texture } from '../texture/texture.js';
import { kindOf, mountPath, resolveFolder, resolvePath } from './assetPath.js';
import { carriesGuid, Guids, isGuid, listMounts } from './guids.js';

export { isGuid };

/** A file of the project: its path as scripts name it, what kind it is (see kindOf), and its guid if it carries one. */
export interface AssetEntry {
  path: string;
  kind: string;
  guid?: string;
}

/** The files of one project. */
export class Assets {
  readonly #files: HostFiles;
  readonly #guids: Guids;

  constructor(files: HostFiles) {
    this.#files = files;
    this.#guids = new Guids(files);
  }

  /** The host's path of a file that a script names; see resolvePath for what it refuses. */
  resolve(where: string, path: string): string {
    return resolvePath(where, path);
  }

  /** The whole file; a missing one is an error that names the path and the place that was looked at. */
  async read(where: string, path: string): Promise<Uint8Array> {
    const place = this.resolve(where, path);
    try {
      return await this.#files.read(place);
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      refuseCase(where, path, error);
      const missing = code === 'ENOENT' || code === 'ENOTDIR';
      const said = error instanceof Error ? error.message : String(error);
      const folder =
        place === path ? "in the project's folder" : `looked for ${place} in the project's folder`;
      const { remote } = this.#files;
      throw new MoonscapeError(
        missing
          ? `${where}: there is no file ${show(path)} (${remote ? said : folder})`
          : `${where}: ${path} cannot be read${remote ? '' : ` (${folder})`}: ${said}`,
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
      refuseCase(where, path, cause);
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
   * Writes a `.texture`. The file that it replaces hands its guid on, so that references to it hold; else a texture keeps its
   * own, unless that is the guid of a file elsewhere; else it gets a new one. Guid and path are set once the file stands.
   */
  async saveTexture(texture: Texture, path: string, where = 'texture.write'): Promise<string> {
    const place = this.resolve(where, path);
    if (!/\.texture$/i.test(place)) refuse(where, 'path', 'a file with the extension .texture', path);
    const guid =
      (await this.#guids.of(place)) ?? (await this.#ownGuid(texture, place)) ?? crypto.randomUUID();
    await this.write(where, path, writeTexture(texture, guid));
    texture.guid = guid;
    texture.path = path;
    this.remember(guid, path);
    return path;
  }

  /** Reads the texture of a guid. */
  async loadTextureByGuid(guid: string, where = 'texture.load'): Promise<Texture> {
    return this.loadTexture(await this.locate(where, guid), where);
  }

  /** The path of an asset that was named by its guid or by its path. A guid's file is looked into: the guid in it decides. */
  async locate(where: string, reference: string): Promise<string> {
    return isGuid(reference) ? this.#guids.locate(where, reference) : reference;
  }

  /** The path of a guid, or null where no file has it. */
  pathOf(where: string, guid: string): Promise<string | null> {
    return this.#guids.path(where, guid);
  }

  /** The guid that a file carries, or null: there is no file, or none in it. */
  guidOf(where: string, path: string): Promise<string | null> {
    return this.#guids.of(this.resolve(where, path));
  }

  /** Whether there is a file at a path, written as it is on disk. */
  async exists(where: string, path: string): Promise<boolean> {
    const place = this.resolve(where, path);
    try {
      await this.#files.read(place, 1);
      return true;
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (code === 'ENOENT' || code === 'ENOTDIR' || error instanceof FileRefusal) return false;
      throw new MoonscapeError(`${where}: ${path} cannot be read: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  /**
   * The files under the mounts by path, or those of a kind, or in a folder and below. A host that cannot list has those of
   * assets.json and those that scripts wrote.
   */
  async list(
    where: string,
    { kind, folder }: { kind?: string; folder?: string } = {},
  ): Promise<AssetEntry[]> {
    const within = folder === undefined ? '' : `${resolveFolder(where, folder)}/`;
    const places = this.#files.list ? await listMounts(this.#files) : await this.#listKnown(where);
    const entries: AssetEntry[] = [];
    for (const place of places) {
      const entry: AssetEntry = { path: mountPath(place), kind: kindOf(place) };
      if (!place.startsWith(within) || (kind !== undefined && kind !== entry.kind)) continue;
      const guid = carriesGuid(place) ? await this.#guids.of(place) : null;
      entries.push(guid === null ? entry : { ...entry, guid });
    }
    return entries;
  }

  /** The path of a guid that was read or written, without a look at the disk. */
  findGuid(guid: string): string | undefined {
    return this.#guids.find(guid);
  }

  /** Notes where the asset of a guid lies. */
  remember(guid: string, path: string): void {
    this.#guids.remember(guid, path);
  }

  async #listKnown(where: string): Promise<string[]> {
    const listed = (await this.#guids.listedPaths(where)).map((path) => this.resolve(where, path));
    return [...new Set([...listed, ...(await listMounts(this.#files))])].sort();
  }

  /** A texture's guid, unless the file that it came from still has it and is another than `place`. */
  async #ownGuid({ guid, path }: Texture, place: string): Promise<string | null> {
    if (guid === null || path === null) return guid;
    const home = this.resolve('texture.write', path);
    return home !== place && (await this.#guids.of(home)) === guid ? null : guid;
  }
}

/** A name whose letters are others on disk: it would be found on one machine and not on the next. */
function refuseCase(where: string, path: string, error: unknown): void {
  if (error instanceof FileRefusal && error.actual !== undefined)
    throw new MoonscapeError(
      `${where}: there is no file ${show(path)}: on disk it is ${show(mountPath(error.actual))}, and upper and lower case count`,
      { cause: error },
    );
}

function decodeImage(where: string, bytes: Uint8Array, path: string): Texture {
  const kind = identifyFile(bytes);
  if (kind !== 'PNG')
    throw new MoonscapeError(
      `${where}: ${path} must be a PNG or a .texture (KTX 2.0), ${kind === 'empty' ? 'but it is empty' : kind ? `but this is a ${kind}` : 'and it starts like neither'}`,
    );
  return decodePng(bytes, path, where);
}
