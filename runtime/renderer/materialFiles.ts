// The maps of a material that are named by path or guid: loaded before the material is made, which takes textures only.
import type { Assets } from '../assets/assets.js';
import type { Texture } from '../texture/texture.js';
import { MAP_NAMES, type MapName, type MaterialFields } from './materialStore.js';

/** MaterialFields whose maps may also be paths and guids. */
export type NamedMaterialFields = Omit<MaterialFields, MapName> &
  Partial<Record<MapName, Texture | string | false>>;

/** Whether a map of `fields` has to be loaded. */
export const namesMaps = (fields: NamedMaterialFields): boolean =>
  MAP_NAMES.some((name) => typeof fields[name] === 'string');

/** `fields` with textures where it names them. `load` gets the map's name and its path or guid. */
export async function loadMaps(
  fields: NamedMaterialFields,
  load: (name: MapName, reference: string) => Texture | Promise<Texture>,
): Promise<MaterialFields> {
  const loaded: NamedMaterialFields = { ...fields };
  for (const name of MAP_NAMES) {
    const reference = fields[name];
    if (typeof reference === 'string') loaded[name] = await load(name, reference);
  }
  return loaded as MaterialFields;
}

/** loadMaps from the project's files; `where` names the caller in errors. */
export const loadMapFiles = (
  assets: Assets,
  where: string,
  fields: NamedMaterialFields,
): Promise<MaterialFields> =>
  loadMaps(fields, async (name, reference) =>
    assets.loadTexture(await assets.locate(`${where}: ${name}`, reference), `${where}: ${name}`),
  );
