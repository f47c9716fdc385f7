// Loading a ground's layers: what their list names becomes pixels of weights and checked materials, all of it or none.
// Called by fieldLayers.ts.
import { MoonscapeError, refuse } from '../errors.js';
import type { Assets } from '../assets/assets.js';
import { loadMaps } from '../renderer/materialFiles.js';
import { checkMaterial, type Material, type MaterialStore } from '../renderer/materialStore.js';
import { Texture } from '../texture/texture.js';
import { refuseModelMap, type LayerMaterial, type LayerOptions } from './layerList.js';

/** A weight texture of a heightfield: its own copy, 4 bytes a texel whatever the texture's channels. */
export interface WeightPixels {
  width: number;
  height: number;
  /** Row-major rgba, 0..255; channels that the texture lacks are 0. */
  data: Uint8Array<ArrayBuffer>;
}

export interface LoadedLayer {
  name: string;
  /** Index into `weights`, or -1: it lies where the others leave room. */
  texture: number;
  /** 0..3. */
  channel: number;
  material: Material;
}

export interface LoadedLayers {
  weights: WeightPixels[];
  layers: LoadedLayer[];
}

export interface LayerLoader {
  assets: Assets;
  /** The materials that guids name; without them a guid is refused. */
  materials: MaterialStore | null;
  /** The longest side of a weight texture. */
  maxSide: number;
}

/** Loads the textures of a checked list. A missing file, a wrong format, a channel that a texture lacks: each is named with its layer. */
export async function loadLayers(
  loader: LayerLoader,
  where: string,
  list: readonly LayerOptions[],
): Promise<LoadedLayers> {
  const files = new Map<string, Promise<Texture>>();
  const load = (name: string, reference: Texture | string): Texture | Promise<Texture> => {
    if (reference instanceof Texture) {
      if (reference.destroyed)
        throw new MoonscapeError(`${where}: the texture given as ${name} is destroyed`);
      return reference;
    }
    let file = files.get(reference);
    if (!file) files.set(reference, (file = loadFile(loader.assets, `${where}: ${name}`, reference)));
    return file;
  };
  const textures: Texture[] = [];
  const layers: LoadedLayer[] = [];
  for (const [i, { name, weights, channel = 1, material = {} }] of list.entries()) {
    const at = `layers[${i + 1}]`;
    let texture = -1;
    if (weights !== undefined) {
      const found = await load(`${at}.weights`, weights);
      checkWeights(loader, where, at, found, channel);
      texture = textures.includes(found) ? textures.indexOf(found) : textures.push(found) - 1;
    }
    const made = await materialOf(loader, where, `${at}.material`, material, load);
    layers.push({ name, texture, channel: channel - 1, material: made });
  }
  // Copied last, in one go: a script may have changed or destroyed one while others loaded.
  return { weights: textures.map((texture) => copyWeights(where, texture)), layers };
}

async function loadFile(assets: Assets, where: string, reference: string): Promise<Texture> {
  return assets.loadTexture(await assets.locate(where, reference), where);
}

function checkWeights(
  { maxSide }: LayerLoader,
  where: string,
  at: string,
  texture: Texture,
  channel: number,
): void {
  const { format, channels, width, height } = texture;
  if (format !== 'r8' && format !== 'rg8' && format !== 'rgba8')
    throw new MoonscapeError(`${where}: ${at}.weights must be r8, rg8 or rgba8, got ${texture.describe()}`);
  if (channel > channels)
    refuse(
      where,
      `${at}.channel`,
      `in 1..${channels}, as ${texture.describe()} has no more channels`,
      channel,
    );
  if (width > maxSide || height > maxSide)
    throw new MoonscapeError(
      `${where}: ${at}.weights must have sides of at most ${maxSide} texels on this adapter, got ${texture.describe()}`,
    );
}

async function materialOf(
  { materials }: LayerLoader,
  where: string,
  at: string,
  given: LayerMaterial | string,
  load: (name: string, reference: Texture | string) => Texture | Promise<Texture>,
): Promise<Material> {
  if (typeof given === 'string') {
    if (!materials?.has(given))
      refuse(where, at, 'the fields of a material or the guid of one that exists', given);
    const material = materials.get(given);
    for (const name of Object.keys(material.maps)) refuseModelMap(where, at, name);
    return material;
  }
  const fields = await loadMaps(given, (name, reference) => load(`${at}.${name}`, reference));
  return checkMaterial(`${where}: ${at}`, fields);
}

function copyWeights(where: string, texture: Texture): WeightPixels {
  if (texture.destroyed)
    throw new MoonscapeError(`${where}: a texture of weights was destroyed while others loaded`);
  const { width, height, channels, data: source } = texture;
  const data = new Uint8Array(width * height * 4);
  if (channels === 4) data.set(source);
  else
    for (let texel = 0; texel < width * height; texel++)
      for (let channel = 0; channel < channels; channel++)
        data[texel * 4 + channel] = source[texel * channels + channel];
  return { width, height, data };
}
