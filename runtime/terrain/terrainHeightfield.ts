// Opening ground: a `.terrainData`, a `.texture` or a texture in hand becomes a heightfield with both carriers, the
// pixels on the CPU and the same texels on the GPU. What the Lua module terrainHeightfield opens with.
import { checkFields, MoonscapeError, refuse } from '../errors.js';
import type { Assets } from '../assets/assets.js';
import type { Gpu } from '../gpu/gpu.js';
import { Texture } from '../texture/texture.js';
import { FieldTexels } from './fieldTexels.js';
import { Heightfield, type GroundSource, type RectOptions } from './heightfield.js';
import { parseTerrainData } from './terrainData.js';

export interface OpenOptions extends Omit<RectOptions, 'holes'> {
  /** A mask over the same rect, in hand or by path or guid: only the value 0 cuts. */
  holes?: Texture | string;
}

const WHERE = 'terrainHeightfield.open';
const AGAIN = 'terrainHeightfield.refresh';
const OPTIONS = ['size', 'origin', 'heightRange', 'holes', 'nodata'];

/** Where the pixels come from, and what a container says of the rect they cover. */
interface Reference {
  /** `where` names the caller in errors. */
  read(where?: string): Promise<GroundSource>;
  rect: RectOptions;
}

/**
 * Opens ground for queries and for drawing. `ground` is a texture (rgba32f, as terrain.toTexture makes it), or the path
 * or guid of a `.texture` or a `.terrainData`. A container brings its own size, origin and heightRange; an explicit
 * option outranks it. Errors (a missing file, a wrong format, no size anywhere, a field past the adapter's buffer
 * limit…) leave nothing open. The caller closes it.
 */
export async function openHeightfield(
  { gpu, assets }: { gpu: Gpu; assets: Assets },
  ground: Texture | string,
  options: OpenOptions = {},
): Promise<Heightfield> {
  checkFields(WHERE, options, OPTIONS);
  const { holes, ...explicit } = options;
  const { read, rect } = await refer(assets, ground, holes);
  const source = await read(WHERE);
  const hf = Heightfield.fromTexture(source.texture, { ...rect, ...explicit, holes: source.holes }, read);
  try {
    FieldTexels.attach(gpu, hf);
  } catch (error) {
    hf.close();
    throw error;
  }
  return hf;
}

async function refer(
  assets: Assets,
  ground: Texture | string,
  holes: Texture | string | undefined,
): Promise<Reference> {
  if (ground instanceof Texture) {
    return {
      rect: {},
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
  const { size, origin, heightRange } = await readContainer(WHERE);
  return {
    rect: { size, origin, heightRange },
    // Read again, the container may name other textures; the rect it covers stays what it was.
    read: async (where = AGAIN) => {
      const data = await readContainer(where);
      const texture = await textureOf(assets, where, `heightfield of ${path}`, data.heightfield);
      const mask = await textureOf(assets, where, `holes of ${path}`, holes ?? data.holes);
      return { texture: texture!, holes: mask };
    },
  };
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
  return assets.loadTexture(await assets.locate(where, reference), where);
}

function alive(where: string, name: string, texture: Texture): Texture {
  if (texture.destroyed) throw new MoonscapeError(`${where}: the texture given as ${name} is destroyed`);
  return texture;
}
