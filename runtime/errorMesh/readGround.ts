// Ground from its file without a GPU: what `moonscape export` meshes. Reads what terrainHeightfield.open reads, but for water and layers.
import type { Assets } from '../assets/assets.js';
import { Heightfield } from '../terrain/heightfield.js';
import { parseTerrainData } from '../terrain/terrainData.js';

/** Opens a `.terrainData` or a `.texture` (rgba32f, with a recorded size); `where` names the caller in errors. The caller closes it. */
export async function readGround(assets: Assets, path: string, where: string): Promise<Heightfield> {
  const load = async (reference: string, name: string) =>
    assets.loadTexture(await assets.locate(`${where}: ${name}`, reference), `${where}: ${name}`);
  if (!/\.terraindata$/i.test(path))
    return Heightfield.fromTexture(await assets.loadTexture(path, where), {}, undefined, `${where}: ${path}`);
  const data = parseTerrainData(await assets.read(where, path), path, where);
  const { size, origin, heightRange } = data;
  const texture = await load(data.heightfield, `heightfield of ${path}`);
  const holes = data.holes === undefined ? {} : { holes: await load(data.holes, `holes of ${path}`) };
  return Heightfield.fromTexture(
    texture,
    { size, origin, heightRange, ...holes },
    undefined,
    `${where}: ${path}`,
  );
}
