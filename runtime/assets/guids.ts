// Where the assets of guids lie. A guid is looked up among the files that this project read or wrote, in assets.json, and on
// hosts that can list folders in the files themselves; whatever a list says, the guid that stands in the file decides.
import { MoonscapeError, refuse, show } from '../errors.js';
import type { HostFiles } from '../host/host.js';
import { isTextureFile, readGuid } from '../texture/ktx.js';
import { mountPath, MOUNTS, resolvePath } from './assetPath.js';

/** In the project's folder: a JSON object of guid -> path, for hosts that cannot list a folder. */
export const GUID_LIST = 'assets.json';
/** Files that carry a guid. */
const CARRIES_GUID = /\.(texture|terraindata)$/i;
const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** The guid of a file stands in its first bytes, mostly. */
const HEAD_BYTES = 65536;

/** Whether a reference to an asset is a guid; otherwise it is a path. */
export const isGuid = (reference: string): boolean => GUID.test(reference);

/** Whether a file's name says that it carries a guid. */
export const carriesGuid = (path: string): boolean => CARRIES_GUID.test(path);

/** The guid in the bytes of a `.texture` or a `.terrainData`; null where there is none, undefined where they end too soon to say. */
export function guidIn(bytes: Uint8Array): string | null | undefined {
  if (isTextureFile(bytes)) return readGuid(bytes);
  try {
    const { guid } = (JSON.parse(new TextDecoder().decode(bytes)) ?? {}) as { guid?: unknown };
    return typeof guid === 'string' && isGuid(guid) ? guid : null;
  } catch {
    return undefined;
  }
}

/** The guids of one project. */
export class Guids {
  /** By guid in lower case. */
  private readonly seen = new Map<string, string>();
  private listed: Promise<Map<string, string>> | null = null;
  private scanned = new Map<string, string[]>();

  constructor(private readonly files: HostFiles) {}

  /** The path of a guid that was read or written, without a look at the disk. */
  find(guid: string): string | undefined {
    return this.seen.get(guid.toLowerCase());
  }

  /** Notes where the asset of a guid lies. */
  remember(guid: string, path: string): void {
    this.seen.set(guid.toLowerCase(), path);
  }

  /** The guid that the file at a project path carries now; null where there is no file, or none in it. */
  async of(place: string): Promise<string | null> {
    try {
      const head = await this.files.read(place, HEAD_BYTES);
      const guid = guidIn(head);
      // A head that ends too soon is that of a longer file, or of a broken one.
      return (guid === undefined ? guidIn(await this.files.read(place)) : guid) ?? null;
    } catch {
      return null;
    }
  }

  /** The path of a guid's asset, as its file says; null where there is none. Two files of one guid are an error. */
  async path(where: string, guid: string): Promise<string | null> {
    return (await this.search(where, guid)).path;
  }

  /** As `path`, where there has to be one: the error says where it was looked for. */
  async locate(where: string, guid: string): Promise<string> {
    const { path, notes } = await this.search(where, guid);
    if (path !== null) return path;
    throw new MoonscapeError(`${where}: there is no asset with the guid ${guid}: ${notes.join('; ')}`);
  }

  /** The paths that assets.json lists. */
  async listedPaths(where: string): Promise<string[]> {
    return [...(await this.list(where)).values()];
  }

  private async search(where: string, guid: string): Promise<{ path: string | null; notes: string[] }> {
    const wanted = guid.toLowerCase();
    const holds = async (path: string) => (await this.of(resolvePath(where, path)))?.toLowerCase() === wanted;
    const seen = this.find(guid);
    if (seen !== undefined && (await holds(seen))) return { path: seen, notes: [] };
    const notes = [
      seen === undefined ? 'none was read or written yet' : await this.differs(where, seen, 'it was'),
    ];
    const listed = (await this.list(where)).get(wanted);
    if (listed !== undefined && (await holds(listed))) {
      this.remember(guid, listed);
      return { path: listed, notes };
    }
    notes.push(
      listed === undefined
        ? `${GUID_LIST} lists none`
        : `${await this.differs(where, listed, `${GUID_LIST} says that it is`)} (moonscape assets makes the list anew)`,
    );
    if (!this.files.list && !this.files.listWritten) return { path: null, notes };
    const found = await this.scan(where, wanted);
    if (found !== null) this.remember(guid, found);
    if (!this.files.list) notes.push('no file that was written here has it');
    else
      notes.push(
        `no .texture and no .terrainData under ${MOUNTS.map(({ prefix }) => prefix).join(' or ')} has it`,
      );
    return { path: found, notes };
  }

  /** Says what is at a path where a guid was expected and is not. */
  private async differs(where: string, path: string, said: string): Promise<string> {
    const held = await this.of(resolvePath(where, path));
    return `${said} ${path}, which ${held ? `has the guid ${held}` : 'is not there or has none'}`;
  }

  /** Looks into the files of the mounts: first where the last look found the guid, then into all of them again. */
  private async scan(where: string, wanted: string): Promise<string | null> {
    const known = this.scanned.get(wanted);
    if (known?.length === 1 && (await this.of(resolvePath(where, known[0])))?.toLowerCase() === wanted)
      return known[0];
    this.scanned = new Map();
    for (const place of await listMounts(this.files)) {
      if (!carriesGuid(place)) continue;
      const guid = (await this.of(place))?.toLowerCase();
      if (guid) this.scanned.set(guid, [...(this.scanned.get(guid) ?? []), mountPath(place)]);
    }
    const found = this.scanned.get(wanted) ?? [];
    if (found.length > 1)
      throw new MoonscapeError(
        `${where}: the guid ${wanted} must be that of one file, got ${found.join(' and ')}; give all but one a guid of their own`,
      );
    return found[0] ?? null;
  }

  /** What assets.json lists, by guid in lower case; it is read once, but one that is not there is looked for again. */
  private list(where: string): Promise<Map<string, string>> {
    this.listed ??= this.readList(where).catch((error: unknown) => {
      this.listed = null;
      throw error;
    });
    return this.listed;
  }

  private async readList(where: string): Promise<Map<string, string>> {
    let bytes: Uint8Array;
    try {
      bytes = await this.files.read(GUID_LIST);
    } catch {
      // The list is optional, and may be written later.
      this.listed = null;
      return new Map();
    }
    let list: unknown;
    try {
      list = JSON.parse(new TextDecoder().decode(bytes));
    } catch (cause) {
      throw new MoonscapeError(`${where}: ${GUID_LIST} is not JSON: ${(cause as Error).message}`, { cause });
    }
    if (typeof list !== 'object' || list === null || Array.isArray(list))
      refuse(where, GUID_LIST, 'an object of guids with their paths', list);
    for (const [guid, path] of Object.entries(list)) {
      if (!isGuid(guid) || typeof path !== 'string')
        refuse(where, `${GUID_LIST}: ${show(guid)}`, 'a guid with a path', path);
    }
    return new Map(
      Object.entries(list as Record<string, string>).map(([guid, path]) => [guid.toLowerCase(), path]),
    );
  }
}

/** The project paths of every file under the mounts, sorted; of a host that cannot list, those that scripts wrote. */
export async function listMounts(files: HostFiles): Promise<string[]> {
  const list = (folder: string) => files.list?.(folder) ?? files.listWritten?.(folder) ?? [];
  const lists = await Promise.all(MOUNTS.map(({ folder }) => list(folder)));
  return lists.flat().sort();
}
