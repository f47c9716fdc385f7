// Materials by guid: the factors of metallic-roughness shading and the uniform block that a draw binds.
import { checkFields, checkNumber, refuse } from '../errors.js';
import { checkColor, vec3, type Vec3, type VectorLike } from '../world/vector.js';

export interface MaterialFields {
  /** Linear base colour, parts 0..1; default light grey (0.6). */
  albedo?: VectorLike;
  /** 0 (mirror) .. 1 (matte), default 0.7. */
  roughness?: number;
  /** 0 (dielectric) .. 1 (metal), default 0. */
  metallic?: number;
  /** Linear radiance given off, parts of at least 0; default none. A sunlit white wall is about 1. */
  emissive?: VectorLike;
}

/** A material as the draws read it; `{ x, y, z }` of a colour are its red, green and blue. */
export interface Material {
  readonly guid: string;
  readonly albedo: Vec3;
  readonly roughness: number;
  readonly metallic: number;
  readonly emissive: Vec3;
  /** What a pass made for this material, freed with it. */
  binding: { destroy(): void } | null;
}

const FIELDS = ['albedo', 'roughness', 'metallic', 'emissive'];

export class MaterialStore {
  /** What a mesh without ground shading wears where its Model names no material. */
  readonly standard: Material = check('renderer.material.create', {}, null);
  private readonly materials = new Map<string, Material>();
  /** The fields that each was given. */
  private readonly given = new Map<string, MaterialFields>();

  /** Makes a material; answers its guid. */
  create(fields: MaterialFields = {}): string {
    return this.restore(crypto.randomUUID(), fields);
  }

  /** As create, under the guid that it had before (in a scene file). */
  restore(guid: string, fields: MaterialFields): string {
    const material = check('renderer.material.create', fields, null);
    this.materials.set(guid, { ...material, guid });
    this.given.set(guid, { ...fields });
    return guid;
  }

  /** Answers what puts the fields of the materials that stand now back, as far as they still stand then. */
  remember(): () => void {
    const before = new Map(this.given);
    return () => {
      for (const [guid, fields] of before) {
        if (!this.materials.has(guid) || this.given.get(guid) === fields) continue;
        this.materials.get(guid)!.binding?.destroy();
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

  /** Swaps fields under the same guid; those left out stay. */
  update(guid: string, fields: MaterialFields): void {
    const old = this.get(guid, 'renderer.material.update');
    const fresh = check('renderer.material.update', fields, old);
    old.binding?.destroy();
    this.materials.set(guid, { ...fresh, guid });
    this.given.set(guid, { ...this.given.get(guid), ...fields });
  }

  /** Forgets a material. Models that name it wear the standard one from then on. */
  destroy(guid: string): void {
    this.get(guid, 'renderer.material.destroy').binding?.destroy();
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

  /** Frees every material, the standard one's block too. */
  destroyAll(): void {
    for (const guid of [...this.materials.keys()]) this.destroy(guid);
    this.standard.binding?.destroy();
    this.standard.binding = null;
  }
}

const GREY = vec3(0.6, 0.6, 0.6);
const BLACK = vec3(0, 0, 0);

function check(where: string, fields: MaterialFields, old: Material | null): Material {
  checkFields(where, fields, FIELDS);
  const { albedo, roughness, metallic, emissive } = fields;
  return {
    guid: crypto.randomUUID(),
    albedo: albedo === undefined ? (old?.albedo ?? GREY) : checkColor(where, 'albedo', albedo, 1),
    roughness: checkNumber(where, 'roughness', roughness ?? old?.roughness ?? 0.7, { min: 0, max: 1 }),
    metallic: checkNumber(where, 'metallic', metallic ?? old?.metallic ?? 0, { min: 0, max: 1 }),
    emissive: emissive === undefined ? (old?.emissive ?? BLACK) : checkColor(where, 'emissive', emissive),
    binding: null,
  };
}
