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
const OPTIONS = ['size', 'origin', 'heightRange', 'holes', 'nodata'];

/** Where the pixels come from, and what a container says of the rect they cover. */
interface Reference {
  read(): Promise<GroundSource>;
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
  const source = await read();
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
      read: async () => ({
        texture: alive('ground', ground),
        holes: await textureOf(assets, 'holes', holes),
      }),
    };
  }
  if (typeof ground !== 'string')
    refuse(WHERE, 'ground', 'a texture, or the path or guid of a .texture or a .terrainData', ground);
  const path = await assets.locate(WHERE, ground);
  if (!/\.terraindata$/i.test(path)) {
    return {
      rect: {},
      read: async () => ({
        texture: await assets.loadTexture(path, WHERE),
        holes: await textureOf(assets, 'holes', holes),
      }),
    };
  }
  const readContainer = async () => {
    const data = parseTerrainData(await assets.read(WHERE, path), path);
    assets.remember(data.guid, path);
    return data;
  };
  const { size, origin, heightRange } = await readContainer();
  return {
    rect: { size, origin, heightRange },
    // Read again, the container may name other textures; the rect it covers stays what it was.
    read: async () => {
      const data = await readContainer();
      const texture = await textureOf(assets, `heightfield of ${path}`, data.heightfield);
      return { texture: texture!, holes: await textureOf(assets, `holes of ${path}`, holes ?? data.holes) };
    },
  };
}

async function textureOf(
  assets: Assets,
  name: string,
  reference: Texture | string | undefined,
): Promise<Texture | undefined> {
  if (reference === undefined) return undefined;
  if (reference instanceof Texture) return alive(name, reference);
  if (typeof reference !== 'string') refuse(WHERE, name, 'a texture, a path or a guid', reference);
  return assets.loadTexture(await assets.locate(WHERE, reference), WHERE);
}

function alive(name: string, texture: Texture): Texture {
  if (texture.destroyed) throw new MoonscapeError(`${WHERE}: the texture given as ${name} is destroyed`);
  return texture;
}
