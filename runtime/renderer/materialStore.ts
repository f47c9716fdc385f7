// Materials by guid: the factors and maps of metallic-roughness shading. A Model wears one (materialBinding.ts), and a layer
// of ground is made of one (layerResources.ts).
import { checkFields, checkNumber, checkOneOf, MoonscapeError, refuse } from '../errors.js';
import { checkMap, checkNormalMap, checkPairMap } from '../texture/mapPixels.js';
import { Texture } from '../texture/texture.js';
import { checkColor, vec3, type Vec3, type VectorLike } from '../world/vector.js';

/** The maps of a material. All are of 8 or 16 bits a channel. */
export const MAP_NAMES = [
  'albedoMap',
  'normalMap',
  'roughnessMap',
  'metallicMap',
  'metallicRoughnessMap',
  'occlusionMap',
  'emissiveMap',
  'displacementMap',
] as const;
export type MapName = (typeof MAP_NAMES)[number];
/** What a map shows outside 0..1 of a model's uvs: itself again, or its nearest edge. */
export const WRAPS = ['repeat', 'clamp'] as const;
export type Wrap = (typeof WRAPS)[number];
export type MaterialMaps = Partial<Record<MapName, Texture>>;

/** A map that is `false` is none: what an update takes one off with. */
export interface MaterialFields extends Partial<Record<MapName, Texture | false>> {
  /** Linear base colour, parts 0..1; default light grey (0.6), or white where there is an albedoMap. */
  albedo?: VectorLike;
  /** 0 (mirror) .. 1 (matte), default 0.7, or 1 where there is a roughnessMap or a metallicRoughnessMap. */
  roughness?: number;
  /** 0 (dielectric) .. 1 (metal), default 0, or 1 where there is a metallicMap or a metallicRoughnessMap. */
  metallic?: number;
  /** Linear radiance given off, parts of at least 0; default none, or 1 where there is an emissiveMap. A sunlit white wall is about 1. */
  emissive?: VectorLike;
  /** How a model's maps, the displacementMap too, go on outside 0..1 of its uvs; default `repeat`. Ground repeats them always. */
  wrap?: Wrap;
  /** Metres that a repeat of the maps takes on ground, above 0, default 4. */
  tile?: number;
  /** How sharply a layer of ground stands out of others by its displacementMap: doublings of its weight from the lowest to the highest, 0..32, default 8. */
  contrast?: number;
}

/** A material as the draws read it; `{ x, y, z }` of a colour are its red, green and blue. */
export interface Material {
  readonly guid: string;
  readonly albedo: Vec3;
  readonly roughness: number;
  readonly metallic: number;
  readonly emissive: Vec3;
  readonly wrap: Wrap;
  readonly tile: number;
  readonly contrast: number;
  /** They hold the pixels of the textures given, also when those are destroyed. */
  readonly maps: Readonly<MaterialMaps>;
  /** A model that wears it is drawn with maps. */
  readonly mapped: boolean;
  /** What a pass made for this material, freed with it. */
  binding: { destroy(): void } | null;
}

export const MATERIAL_FIELDS: readonly string[] = [
  ...['albedo', 'roughness', 'metallic', 'emissive', 'wrap', 'tile', 'contrast'],
  ...MAP_NAMES,
];

export class MaterialStore {
  /** Counts what is made, swapped and destroyed. */
  version = 0;
  /** What a mesh without ground shading wears where its Model names no material. */
  readonly standard: Material = checkMaterial('renderer.material.create', {});
  private readonly materials = new Map<string, Material>();
  /** The fields that each was given. */
  private readonly given = new Map<string, MaterialFields>();

  /** Makes a material; answers its guid. */
  create(fields: MaterialFields = {}): string {
    return this.restore(crypto.randomUUID(), fields);
  }

  /** As create, under the guid that it had before (in a scene file); one that stands under it has these fields alone from now on. */
  restore(guid: string, fields: MaterialFields): string {
    const material = checkMaterial('renderer.material.create', fields);
    this.version++;
    this.materials.get(guid)?.binding?.destroy();
    this.materials.set(guid, { ...material, guid });
    this.given.set(guid, { ...fields, ...material.maps });
    return guid;
  }

  /** Answers what puts the fields of the materials that stand now back, as far as they still stand then. */
  remember(): () => void {
    const before = new Map(this.given);
    return () => {
      for (const [guid, fields] of before) {
        if (!this.materials.has(guid) || this.given.get(guid) === fields) continue;
        this.restore(guid, fields);
        this.given.set(guid, fields);
      }
    };
  }

  /** The guids of all that stand. */
  guids(): string[] {
    return [...this.materials.keys()];
  }

  /** The fields that were given, updates included. */
  fieldsOf(guid: string): MaterialFields {
    return (
      this.given.get(guid) ?? refuse('renderer.material', 'guid', 'the guid of a material that exists', guid)
    );
  }

  /** Swaps fields under the same guid; those left out stay. The maps' textures are read again where it is drawn; a ground that it is a layer of reads it at its next refresh or setLayers. */
  update(guid: string, fields: MaterialFields): void {
    const where = 'renderer.material.update';
    const old = this.get(guid, where);
    checkFields(where, fields, MATERIAL_FIELDS);
    const given = { ...this.given.get(guid), ...fields };
    const fresh = checkMaterial(where, given);
    old.binding?.destroy();
    this.version++;
    this.materials.set(guid, { ...fresh, guid });
    this.given.set(guid, { ...given, ...fresh.maps });
  }

  /** Whether any material has maps that models are drawn with. */
  anyMapped(): boolean {
    for (const { mapped } of this.materials.values()) if (mapped) return true;
    return false;
  }

  /** Forgets a material. Models that name it wear the standard one from then on. */
  destroy(guid: string): void {
    this.get(guid, 'renderer.material.destroy').binding?.destroy();
    this.version++;
    this.materials.delete(guid);
    this.given.delete(guid);
  }

  has(guid: string): boolean {
    return this.materials.has(guid);
  }

  /** The material of a guid; refuses one that is not there. */
  get(guid: string, where = 'renderer.material.get'): Material {
    const material = this.materials.get(guid);
    if (!material) refuse(where, 'guid', 'the guid of a material that exists', guid);
    return material;
  }

  /** The material of a guid, or undefined. */
  find(guid: string): Material | undefined {
    return this.materials.get(guid);
  }

  /** Frees every material, the standard one's block too. */
  destroyAll(): void {
    for (const guid of [...this.materials.keys()]) this.destroy(guid);
    this.standard.binding?.destroy();
    this.standard.binding = null;
  }
}

const GREY = vec3(0.6, 0.6, 0.6);
const WHITE = vec3(1, 1, 1);
const BLACK = vec3(0, 0, 0);

/** A material of a script's fields, of a new guid. Refuses what is not one of them, out of range, or no texture for a map. */
export function checkMaterial(where: string, fields: MaterialFields): Material {
  if (typeof fields !== 'object' || fields === null) refuse(where, 'fields', 'a table', fields);
  checkFields(where, fields, MATERIAL_FIELDS);
  const maps: MaterialMaps = {};
  for (const name of MAP_NAMES) {
    const texture = fields[name];
    if (texture !== undefined && texture !== false) maps[name] = takeMap(where, name, texture);
  }
  const pair = maps.metallicRoughnessMap;
  for (const name of ['roughnessMap', 'metallicMap'] as const)
    if (pair && maps[name]) refuse(where, name, 'left out where there is a metallicRoughnessMap', maps[name]);
  const color = (name: 'albedo' | 'emissive', standing: Vec3, max?: number) =>
    fields[name] === undefined ? standing : checkColor(where, name, fields[name], max);
  const unit = { min: 0, max: 1 };
  return {
    guid: crypto.randomUUID(),
    albedo: color('albedo', maps.albedoMap ? WHITE : GREY, 1),
    roughness: checkNumber(
      where,
      'roughness',
      fields.roughness ?? (maps.roughnessMap || pair ? 1 : 0.7),
      unit,
    ),
    metallic: checkNumber(where, 'metallic', fields.metallic ?? (maps.metallicMap || pair ? 1 : 0), unit),
    emissive: color('emissive', maps.emissiveMap ? WHITE : BLACK),
    wrap: checkOneOf(where, 'wrap', fields.wrap ?? 'repeat', WRAPS),
    tile: checkNumber(where, 'tile', fields.tile ?? 4, { above: 0, max: 1e6 }),
    contrast: checkNumber(where, 'contrast', fields.contrast ?? 8, { min: 0, max: 32 }),
    maps,
    mapped: Object.keys(maps).some((name) => name !== 'displacementMap'),
    binding: null,
  };
}

/** The texture of a map, held apart from the script's own, so that it stays when that one is destroyed. */
function takeMap(where: string, name: MapName, given: unknown): Texture {
  if (!(given instanceof Texture)) refuse(where, name, 'a texture', given);
  if (given.destroyed) throw new MoonscapeError(`${where}: the texture given as ${name} is destroyed`);
  const check =
    name === 'normalMap' ? checkNormalMap : name === 'metallicRoughnessMap' ? checkPairMap : checkMap;
  check(where, name, given);
  const { width, height, format, data } = given;
  const held = new Texture(width, height, format, data);
  held.revision = given.revision;
  held.original = given.original ?? given;
  held.path = given.path;
  held.guid = given.guid;
  return held;
}
