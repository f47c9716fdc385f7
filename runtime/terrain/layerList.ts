// A ground's layers as scripts and `.terrainData` write them, checked as far as they can be without their files: names,
// channels, bounds and materials. fieldLayers.ts loads what is named; terrainData.ts and writeTerrainData.ts keep it.
import { checkFields, checkInteger, MoonscapeError, refuse, show } from '../errors.js';
import { checkMaterial, MAP_NAMES, MATERIAL_FIELDS, type MapName } from '../renderer/materialStore.js';
import type { NamedMaterialFields } from '../renderer/materialFiles.js';
import { Texture } from '../texture/texture.js';

/** Layers of one ground, and the weight textures that they share. As in shaders/include/ground_layers.wgsl. */
export const MAX_LAYERS = 16;
export const MAX_WEIGHT_TEXTURES = 4;

/** The fields of a material whose maps may also be named by path or guid. */
export type LayerMaterial = NamedMaterialFields;

export interface LayerOptions {
  /** What layersAt calls it; no other layer's. */
  name: string;
  /** The texture (r8, rg8 or rgba8) that holds its weights, 0..255, over the rect. Only the first layer may have none. */
  weights?: Texture | string;
  /** Which channel of it, 1..4; default 1. */
  channel?: number;
  /** The fields of a material, or the guid of one that renderer.material.create made; default a grey one. */
  material?: LayerMaterial | string;
}

/** The same in a file: every texture by path or guid, the material written out. */
export interface TerrainDataLayer extends LayerOptions {
  weights?: string;
  material?: Omit<LayerMaterial, MapName> & Partial<Record<MapName, string>>;
}

/** The maps that ground does not read. */
const MODEL_MAPS: readonly string[] = ['metallicMap', 'metallicRoughnessMap', 'emissiveMap'];
const FIELDS = ['name', 'weights', 'channel', 'material'];

/**
 * Refuses a list that no ground can have. An empty one is no layers.
 * @param files in a file: textures must be named, and the material written out
 */
export function checkLayerList(where: string, value: unknown, files = false): LayerOptions[] {
  if (isEmptyTable(value)) return [];
  if (!Array.isArray(value)) refuse(where, 'layers', 'a list of layers', value);
  if (value.length > MAX_LAYERS)
    refuse(where, 'layers', `a list of at most ${MAX_LAYERS} layers`, value.length);
  const layers = value.map((layer, i) => checkLayer(where, `layers[${i + 1}]`, layer, files));
  const textures = new Set<unknown>();
  layers.forEach(({ name, weights, channel = 1 }, i) => {
    const twin = layers.findIndex((other) => other.name === name);
    if (twin < i)
      throw new MoonscapeError(
        `${where}: layers[${i + 1}].name must be its own, got ${show(name)}, as layers[${twin + 1}] has`,
      );
    if (weights === undefined) {
      if (i > 0)
        refuse(
          where,
          `layers[${i + 1}].weights`,
          'a texture, a path or a guid (only the first layer may have none)',
          weights,
        );
      return;
    }
    textures.add(weights);
    const other = layers.findIndex((layer) => layer.weights === weights && (layer.channel ?? 1) === channel);
    if (other < i)
      throw new MoonscapeError(
        `${where}: layers[${i + 1}].channel must be another than that of layers[${other + 1}], whose weights are the same texture, got ${channel}`,
      );
  });
  if (textures.size > MAX_WEIGHT_TEXTURES)
    refuse(where, 'layers', `of at most ${MAX_WEIGHT_TEXTURES} weight textures in all`, textures.size);
  return layers;
}

function checkLayer(where: string, at: string, value: unknown, files: boolean): LayerOptions {
  if (!isRecord(value)) refuse(where, at, 'a layer { name, weights, channel, material }', value);
  checkFields(`${where}: ${at}`, value, FIELDS);
  const { name, weights, channel, material } = value as Record<string, unknown>;
  if (typeof name !== 'string' || name === '') refuse(where, `${at}.name`, 'a name', name);
  if (weights !== undefined) checkReference(where, `${at}.weights`, weights, files);
  if (channel !== undefined) checkInteger(where, `${at}.channel`, channel, { min: 1, max: 4 });
  if (material !== undefined) checkLayerMaterial(where, `${at}.material`, material, files);
  return value as unknown as LayerOptions;
}

function checkLayerMaterial(where: string, at: string, material: unknown, files: boolean): void {
  if (typeof material === 'string' && !files) return;
  if (!isRecord(material))
    refuse(
      where,
      at,
      files ? 'the fields of a material' : 'the fields of a material or the guid of one',
      material,
    );
  const inside = `${where}: ${at}`;
  checkFields(inside, material, MATERIAL_FIELDS);
  const fields = material as Record<string, unknown>;
  for (const name of MAP_NAMES) {
    const map = fields[name];
    if (map === undefined || (map === false && !files)) continue;
    checkReference(where, `${at}.${name}`, map, files);
    refuseModelMap(where, at, name);
  }
  const numbers = Object.entries(fields).filter(([name]) => !(MAP_NAMES as readonly string[]).includes(name));
  checkMaterial(inside, Object.fromEntries(numbers));
}

/** Refuses the maps that only models have. */
export function refuseModelMap(where: string, at: string, name: string): void {
  if (!MODEL_MAPS.includes(name)) return;
  const instead = name === 'metallicRoughnessMap' ? 'metallic and a roughnessMap' : name.replace('Map', '');
  throw new MoonscapeError(
    `${where}: ${at} must be without ${name}, which only models have; ground takes ${instead} alone`,
  );
}

function checkReference(where: string, name: string, value: unknown, files: boolean): void {
  if (typeof value === 'string' && value !== '') return;
  if (!files && value instanceof Texture) {
    if (value.destroyed) throw new MoonscapeError(`${where}: the texture given as ${name} is destroyed`);
    return;
  }
  refuse(where, name, files ? 'the path or guid of a texture' : 'a texture, a path or a guid', value);
}

/** Scripts' empty tables come as records. */
const isEmptyTable = (value: unknown) => isRecord(value) && Object.keys(value).length === 0;

/** A plain table: no list, handle or function. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
