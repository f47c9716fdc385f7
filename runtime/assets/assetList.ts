// `assets.json`: which path each guid of a project has, for pages, which cannot list a folder. What `moonscape assets` writes.
import { MoonscapeError } from '../errors.js';
import type { HostFiles } from '../host/host.js';
import { parseTerrainData } from '../terrain/terrainData.js';
import { checkTexture, isTextureFile } from '../texture/ktx.js';
import { mountPath } from './assetPath.js';
import { carriesGuid, GUID_LIST, isGuid, listMounts } from './guids.js';

export interface AssetList {
  /** Guid and path of each asset, by path. */
  assets: { guid: string; path: string }[];
  /** Textures without a guid (of another program): they have a path alone. */
  nameless: string[];
}

const WHERE = 'moonscape assets';

/** Reads every `.texture` and `.terrainData` under the mounts. Files that cannot be read, and a guid of two files, are one error that names all. */
export async function listAssets(files: HostFiles): Promise<AssetList> {
  const list: AssetList = { assets: [], nameless: [] };
  const faults: string[] = [];
  const owners = new Map<string, string>();
  for (const place of await listMounts(files)) {
    if (!carriesGuid(place)) continue;
    const path = mountPath(place);
    let guid: string | null;
    try {
      guid = await guidOf(files, place, path);
    } catch (error) {
      faults.push(
        error instanceof MoonscapeError
          ? error.message
          : `${WHERE}: ${path} cannot be read: ${(error as Error).message}`,
      );
      continue;
    }
    if (guid === null) {
      list.nameless.push(path);
      continue;
    }
    const owner = owners.get(guid.toLowerCase());
    if (owner !== undefined)
      faults.push(
        `${WHERE}: the guid ${guid} must be that of one file, got ${owner} and ${path}; give one of them a guid of its own`,
      );
    owners.set(guid.toLowerCase(), path);
    list.assets.push({ guid, path });
  }
  if (faults.length > 0) throw new MoonscapeError(faults.join('\n'));
  return list;
}

async function guidOf(files: HostFiles, place: string, path: string): Promise<string | null> {
  const bytes = await files.read(place);
  const guid =
    isTextureFile(bytes) || /\.texture$/i.test(path)
      ? checkTexture(bytes, path, WHERE)
      : parseTerrainData(bytes, path, WHERE).guid;
  if (guid !== null && !isGuid(guid))
    throw new MoonscapeError(`${WHERE}: ${path}: guid must be a guid as ${EXAMPLE}, got "${guid}"`);
  return guid;
}

const EXAMPLE = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** Writes `assets.json` into the project's folder, whole. */
export async function writeAssetList(files: HostFiles, { assets }: AssetList): Promise<void> {
  const paths = Object.fromEntries(assets.map(({ guid, path }) => [guid, path]));
  const bytes = new TextEncoder().encode(`${JSON.stringify(paths, null, 2)}\n`);
  await files.write(GUID_LIST, bytes).catch((cause: Error) => {
    throw new MoonscapeError(`${WHERE}: ${GUID_LIST} cannot be written: ${cause.message}`, { cause });
  });
}
