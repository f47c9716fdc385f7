// Writing a `.terrainData`: what it names is looked at first, so that a file on disk can be opened. What terrain.write calls.
import { MoonscapeError, refuse } from '../errors.js';
import type { Assets } from '../assets/assets.js';
import { MAX_SIDE, Texture } from '../texture/texture.js';
import { checkWaterTexture } from './fieldWater.js';
import { checkRectOptions } from './fieldRect.js';
import { readMask } from './holes.js';
import { loadLayers } from './layerFiles.js';
import { checkLayerList, type LayerOptions, type TerrainDataLayer } from './layerList.js';
import { formatTerrainData, parseTerrainData } from './terrainData.js';
import { checkGroundTexture, scanTexels } from './texels.js';

export interface WriteTerrainOptions {
  /** The rgba32f texture: one that was written or loaded, or the path or guid of one. */
  heightfield: Texture | string;
  /** Metres, { width, depth }; default: the size that the texture records. */
  size?: readonly [number, number];
  /** The rect's centre, metres; default { 0, 0 }. */
  origin?: readonly [number, number];
  /** Metres, { low, high }, which must hold every height; default: read off the pixels. */
  heightRange?: readonly [number, number];
  /** The mask: one that was written or loaded, or the path or guid of one. Only the value 0 cuts. */
  holes?: Texture | string;
  /** The water (rgba32f): one that was written or loaded, or the path or guid of one. */
  water?: Texture | string;
  /** What the ground is drawn with, textures as above, materials written out. */
  layers?: readonly LayerOptions[];
}

const WHERE = 'terrain.write';

/**
 * Writes the container at `path` (`….terrainData`) and answers `path`. A file that is replaced hands its guid on. Errors
 * (a texture with no file behind it, heights outside the range, no size anywhere…) write nothing.
 */
export async function writeTerrainData(
  assets: Assets,
  path: string,
  options: WriteTerrainOptions,
): Promise<string> {
  const place = assets.resolve(WHERE, path);
  if (!/\.terraindata$/i.test(place)) refuse(WHERE, 'path', 'a file with the extension .terrainData', path);
  const { heightfield, holes, water, layers, ...rect } = options;
  const ground = await find(assets, 'heightfield', heightfield);
  checkGroundTexture(WHERE, ground.texture);
  const { size, origin, declared } = checkRectOptions(WHERE, rect, ground.texture);
  const { low, high } = declared ?? scanTexels(WHERE, ground.texture, null);
  if (declared) scanTexels(WHERE, ground.texture, declared);
  const mask = holes === undefined ? null : await find(assets, 'holes', holes);
  if (mask) readMask(WHERE, mask.texture, 1, 1);
  const wet = water === undefined ? null : await find(assets, 'water', water);
  if (wet) checkWaterTexture(WHERE, wet.texture);
  const kept = layers === undefined ? [] : await nameLayers(assets, layers);
  const guid = (await guidOf(assets, path)) ?? crypto.randomUUID();
  const data = {
    version: 1 as const,
    guid,
    size: [size[0], size[1]] as [number, number],
    origin: [origin[0], origin[1]] as [number, number],
    heightRange: [low, high] as [number, number],
    heightfield: ground.name,
    ...(mask ? { holes: mask.name } : {}),
    ...(wet ? { water: wet.name } : {}),
    ...(kept.length > 0 ? { layers: kept } : {}),
  };
  await assets.write(WHERE, path, formatTerrainData(data));
  assets.remember(guid, path);
  return path;
}

/** A texture and the name under which a file can refer to it: its path, which needs no list to be found by, or its guid. */
async function find(
  assets: Assets,
  name: string,
  reference: unknown,
): Promise<{ texture: Texture; name: string }> {
  if (typeof reference === 'string') {
    const texture = await assets.loadTexture(await assets.locate(WHERE, reference), WHERE);
    return { texture, name: reference };
  }
  if (!(reference instanceof Texture))
    refuse(WHERE, name, 'a texture, or the path or guid of one', reference);
  return { texture: reference, name: nameOf(name, reference) };
}

function nameOf(name: string, texture: Texture): string {
  const known = texture.path ?? texture.guid;
  if (known === null)
    throw new MoonscapeError(
      `${WHERE}: ${name} must be a texture with a file, got ${texture.describe()}; write it with texture.write first`,
    );
  return known;
}

/** The layers as a file holds them, once all that they name was loaded and looks right. */
async function nameLayers(assets: Assets, layers: readonly LayerOptions[]): Promise<TerrainDataLayer[]> {
  const list = checkLayerList(WHERE, layers);
  list.forEach(({ material }, i) => {
    if (typeof material === 'string')
      refuse(
        WHERE,
        `layers[${i + 1}].material`,
        'written out, as the guid of a material ends with its scene',
        material,
      );
  });
  await loadLayers({ assets, materials: null, maxSide: MAX_SIDE }, WHERE, list);
  return list.map(({ material, ...layer }, i) => {
    const named = (name: string, value: unknown) =>
      value instanceof Texture ? nameOf(`layers[${i + 1}].${name}`, value) : value;
    const fields = Object.entries((material ?? {}) as object).filter(([, value]) => value !== false);
    return {
      ...layer,
      ...(layer.weights === undefined ? {} : { weights: named('weights', layer.weights) }),
      ...(material === undefined
        ? {}
        : {
            material: Object.fromEntries(
              fields.map(([name, value]) => [name, named(`material.${name}`, value)]),
            ),
          }),
    } as TerrainDataLayer;
  });
}

async function guidOf(assets: Assets, path: string): Promise<string | null> {
  try {
    return parseTerrainData(await assets.read(WHERE, path), path).guid;
  } catch {
    // No file there yet, or one that cannot be read: it has no guid to keep.
    return null;
  }
}
