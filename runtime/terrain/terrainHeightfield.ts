// Opening ground: a `.terrainData`, a `.texture` or a texture in hand becomes a heightfield with both carriers, the
// pixels on the CPU and the same texels on the GPU. What the Lua module terrainHeightfield opens with.
import { checkFields, MoonscapeError, refuse } from '../errors.js';
import { checkLook, LOOK_FIELDS, type GroundLook } from '../renderer/groundLook.js';
import type { Assets } from '../assets/assets.js';
import type { Gpu } from '../gpu/gpu.js';
import { Texture } from '../texture/texture.js';
import type { MaterialStore } from '../renderer/materialStore.js';
import { FieldLayers, LayerSource } from './fieldLayers.js';
import { FieldTexels } from './fieldTexels.js';
import { checkLevel, FieldWater, type WaterLevel, type WaterSource } from './fieldWater.js';
import { Heightfield, type GroundSource, type RectOptions } from './heightfield.js';
import type { LayerOptions } from './layerList.js';
import { parseTerrainData, type TerrainData } from './terrainData.js';

export interface OpenOptions extends Omit<RectOptions, 'holes'>, GroundLook {
  /** A mask over the same rect, in hand or by path or guid: only the value 0 cuts. */
  holes?: Texture | string;
  /** Its water: a texture (surface, flow x, flow z, coverage; any texel count) in hand or by path or guid, or a level in metres. */
  water?: WaterReference;
  /** What the ground is drawn with; an empty list is none, also where the container has some. */
  layers?: readonly LayerOptions[];
}

/** What water is given as. */
export type WaterReference = Texture | string | WaterLevel;

/** What opening ground stands on. `fields` is kept as the list of what is open; without a renderer no layer can name a material's guid. */
export interface GroundEngine {
  gpu: Gpu;
  assets: Assets;
  fields?: Set<Heightfield>;
  renderer?: { materials: MaterialStore };
}

const WHERE = 'terrainHeightfield.open';
const AGAIN = 'terrainHeightfield.refresh';
const OPTIONS = ['size', 'origin', 'heightRange', 'holes', 'nodata', 'water', 'layers', ...LOOK_FIELDS];

/** Where the pixels come from, and what a container says of the rect they cover. */
interface Reference {
  /** `where` names the caller in errors. */
  read(where?: string): Promise<GroundSource>;
  /** The water that it is opened with. */
  water(where: string): Promise<WaterSource | null>;
  rect: RectOptions;
  /** The file that was opened, for messages. */
  name?: string;
  /** The container, read again, and its water; left out where there is none. */
  container?(where: string): Promise<TerrainData>;
  containerWater?(where: string): Promise<WaterSource | null>;
}

/**
 * Opens ground for queries and for drawing. `ground` is a texture (rgba32f, as terrain.toTexture makes it), or the path
 * or guid of a `.texture` or a `.terrainData`. A container brings its own size, origin and heightRange; an explicit
 * option outranks it. Errors (a missing file, a wrong format, no size anywhere, a field past the adapter's buffer
 * limit…) leave nothing open. The caller closes it.
 */
export async function openHeightfield(
  engine: GroundEngine,
  ground: Texture | string,
  options: OpenOptions = {},
): Promise<Heightfield> {
  const { gpu, assets, fields } = engine;
  checkFields(WHERE, options, OPTIONS);
  const { holes, water, layers, climate, snowLine, sandLine, ...explicit } = options;
  const look = checkLook(WHERE, { climate, snowLine, sandLine });
  const {
    read,
    rect,
    container,
    name,
    water: readWater,
    containerWater,
  } = await refer(assets, ground, { holes, water });
  const layerSource = new LayerSource(engine, layers, async (where) => (await container?.(where))?.layers);
  const source = await read(WHERE);
  const loaded = await layerSource.read(WHERE, layers);
  const wet = await readWater(WHERE);
  const where = name ? `${WHERE}: ${name}` : WHERE;
  const hf = Heightfield.fromTexture(
    source.texture,
    { ...rect, ...explicit, holes: source.holes },
    read,
    where,
  );
  try {
    hf.look = look;
    FieldTexels.attach(gpu, hf);
    FieldWater.attach(gpu, hf, wet, { read: readWater, container: containerWater });
    FieldLayers.attach(gpu, hf, layerSource, loaded);
  } catch (error) {
    hf.close();
    throw error;
  }
  fields?.add(hf);
  hf.onClose(() => void fields?.delete(hf));
  return hf;
}

/**
 * Gives an open heightfield other water, or none (null or left out). It is read now and at each refresh from now on; what
 * draws it has followed when this resolves. An error (a missing file, a wrong format…) leaves the water as it was.
 */
export async function setWater(
  { assets }: { assets: Assets },
  hf: Heightfield,
  water?: WaterReference | null,
): Promise<void> {
  const where = 'terrainHeightfield.setWater';
  await FieldWater.of(hf, where).set((again) => waterOf(assets, again, 'water', water ?? undefined), where);
}

/**
 * As setWater, for what the ground itself has: resetWater goes back to it from now on. Left out it is what the .terrainData says,
 * whatever open was given, and none where there is no container. Water that setWater gave stays over it.
 */
export async function setOwnWater(
  { assets }: { assets: Assets },
  hf: Heightfield,
  water?: WaterReference,
): Promise<void> {
  const where = 'terrainHeightfield.setOwnWater';
  const read = (again: string) => waterOf(assets, again, 'water', water);
  await FieldWater.of(hf, where).setOwn(water === undefined ? null : read, where);
}

async function refer(
  assets: Assets,
  ground: Texture | string,
  { holes, water }: Pick<OpenOptions, 'holes' | 'water'>,
): Promise<Reference> {
  const given = (where: string) => waterOf(assets, where, 'water', water);
  if (ground instanceof Texture) {
    return {
      rect: {},
      water: given,
      read: async (where = AGAIN) => ({
        texture: alive(where, 'ground', ground),
        holes: await textureOf(assets, where, 'holes', holes),
      }),
    };
  }
  if (typeof ground !== 'string')
    refuse(WHERE, 'ground', 'a texture, or the path or guid of a .texture or a .terrainData', ground);
  const path = await assets.locate(WHERE, ground);
  if (!/\.terraindata$/i.test(path)) {
    return {
      rect: {},
      name: path,
      water: given,
      read: async (where = AGAIN) => ({
        texture: await assets.loadTexture(path, where),
        holes: await textureOf(assets, where, 'holes', holes),
      }),
    };
  }
  const readContainer = async (where: string) => {
    const data = parseTerrainData(await assets.read(where, path), path, where);
    assets.remember(data.guid, path);
    return data;
  };
  const containerWater = async (where: string) =>
    waterOf(assets, where, `water of ${path}`, (await readContainer(where)).water);
  const { size, origin, heightRange } = await readContainer(WHERE);
  return {
    rect: { size, origin, heightRange },
    name: path,
    // Read again, the container may name other textures; the rect it covers stays what it was.
    read: async (where = AGAIN) => {
      const data = await readContainer(where);
      const texture = await textureOf(assets, where, `heightfield of ${path}`, data.heightfield);
      const mask = await textureOf(assets, where, `holes of ${path}`, holes ?? data.holes);
      for (const part of [texture, mask]) refuseBorrowedGuid(where, path, data.guid, part);
      return { texture: texture!, holes: mask };
    },
    container: readContainer,
    containerWater,
    water: water === undefined ? containerWater : given,
  };
}

async function waterOf(
  assets: Assets,
  where: string,
  name: string,
  reference: WaterReference | undefined,
): Promise<WaterSource | null> {
  if (typeof reference !== 'object' || reference === null || reference instanceof Texture)
    return (await textureOf(assets, where, name, reference)) ?? null;
  return checkLevel(where, reference);
}

async function textureOf(
  assets: Assets,
  where: string,
  name: string,
  reference: Texture | string | undefined,
): Promise<Texture | undefined> {
  if (reference === undefined) return undefined;
  if (reference instanceof Texture) return alive(where, name, reference);
  if (typeof reference !== 'string') refuse(where, name, 'a texture, a path or a guid', reference);
  const path = await assets.locate(`${where}: ${name}`, reference);
  if (/\.terraindata$/i.test(path)) refuse(where, name, 'a texture, not a .terrainData', path);
  return assets.loadTexture(path, `${where}: ${name}`);
}

/** A container that was given the guid of its own texture could not be told from it. */
function refuseBorrowedGuid(where: string, path: string, guid: string, texture: Texture | undefined): void {
  if (texture?.guid?.toLowerCase() === guid.toLowerCase())
    refuse(`${where}: ${path}`, 'guid', `one of its own, not that of ${texture.describe()}`, guid);
}

function alive(where: string, name: string, texture: Texture): Texture {
  if (texture.destroyed) throw new MoonscapeError(`${where}: the texture given as ${name} is destroyed`);
  return texture;
}
