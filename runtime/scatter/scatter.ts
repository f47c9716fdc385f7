// Scatter: instances of a mesh over a heightfield, placed by rules and a seed, that follow the ground: an edit places
// only what it covers anew, a refresh, other water or other layers all of it, and a ground that closes takes them along. Owns the
// instances (CPU) and their buffers; drawn by runtime/renderer/scatterPass.ts.
import { checkInteger, checkOneOf, MoonscapeError, refuse, show } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { MaterialStore } from '../renderer/materialStore.js';
import type { MeshStore } from '../renderer/meshStore.js';
import { FieldLayers } from '../terrain/fieldLayers.js';
import type { Heightfield, Rect } from '../terrain/heightfield.js';
import { anglesOf, vec3, type Vec3 } from '../world/vector.js';
import { Instances, RECORD_WORDS } from './instances.js';
import { Placement } from './placement.js';
import { ScatterBuffers } from './scatterBuffers.js';
import { checkRules, DRAWN_BY, type Rules, type ScatterFields } from './scatterRules.js';

export type { ScatterFields };

/** What a scatter is made on. */
export interface ScatterEngine {
  gpu: Gpu;
  renderer: { meshes: MeshStore; materials: MaterialStore; scatters: Set<Scatter> };
}

/** An instance as a program sees it: enough to put an entity or a collider in its place. */
export interface ScatterInstance {
  /** World metres: its mesh's origin. */
  position: Vec3;
  /** Degrees, as an entity's. */
  rotation: Vec3;
  scale: number;
}

/** What the last edit, refresh or update placed anew. */
export interface ScatterWork {
  /** Cells whose rules were asked. */
  asked: number;
  /** Instances whose records changed. */
  changed: number;
  /** Bytes sent to the GPU. */
  bytes: number;
}

const CREATE = 'scatter.create';
const UPDATE = 'scatter.update';

/** Instances on one heightfield. Whoever creates it destroys it, or lets it go with its heightfield. */
export class Scatter {
  destroyed = false;
  rules: Rules;
  /** What the last placing did. */
  work: ScatterWork = { asked: 0, changed: 0, bytes: 0 };
  /** What the pass made for this scatter, freed with it. */
  binding: { destroy(): void } | null = null;
  buffers: ScatterBuffers;
  private fields: ScatterFields;
  private instances: Instances;
  private placing = false;
  /** What an edit covered whose filter failed: the next one places it too. */
  private owed: Rect | null = null;
  private readonly forget: (() => void)[];

  /** Places all at once; nothing waits. Errors leave nothing made. */
  static create(engine: ScatterEngine, hf: Heightfield, fields: ScatterFields): Scatter {
    hf.assertOpen(CREATE);
    return new Scatter(engine, hf, { ...fields });
  }

  private constructor(
    private readonly engine: ScatterEngine,
    readonly hf: Heightfield,
    fields: ScatterFields,
  ) {
    this.fields = fields;
    this.rules = this.check(CREATE, fields, fields);
    this.instances = this.place(CREATE, this.rules);
    hf.assertOpen(CREATE); // again: the filter may have closed it
    this.buffers = this.upload(CREATE, this.instances, null);
    engine.renderer.scatters.add(this);
    const again = () => this.placeAgain();
    this.forget = [
      hf.onEdit({
        ready: (where) => this.refuseWhilePlacing(where, 'edit the ground'),
        edited: ({ rect }) => this.follow(rect),
      }),
      hf.onRefresh(again),
      hf.water?.onChange(again) ?? (() => {}),
      FieldLayers.of(hf)?.onChange(again) ?? (() => {}),
      hf.onClose(() => this.destroy()),
    ];
  }

  /** Instances that stand. */
  get count(): number {
    return this.instances.count;
  }

  /** Live GPU bytes of it. */
  get bytes(): number {
    return this.buffers.bytes;
  }

  /** World metres: what the records on the GPU count from. */
  get origin(): Vec3 {
    return this.instances.origin;
  }

  /**
   * Swaps fields; those left out stay, and `null` takes one back to its default. Other rules place all anew. Refused
   * fields leave everything as it was.
   */
  update(fields: { [Name in keyof ScatterFields]?: ScatterFields[Name] | null }): void {
    this.assertAlive(UPDATE);
    this.refuseWhilePlacing(UPDATE, 'update the scatter');
    const merged = { ...this.fields, ...fields } as Record<string, unknown>;
    for (const name of Object.keys(merged)) if (merged[name] === null) delete merged[name];
    const next = merged as unknown as ScatterFields;
    const rules = this.check(UPDATE, next, fields);
    if (Object.keys(fields).some((name) => !DRAWN_BY.includes(name))) {
      const instances = this.place(UPDATE, rules);
      this.assertAlive(UPDATE); // again: the filter may have destroyed it
      this.put(UPDATE, instances);
    }
    this.fields = next;
    this.rules = rules;
  }

  /**
   * Instance `number`, counted from 0. Numbers hold until the next edit, refresh or update.
   */
  instance(number: number): ScatterInstance {
    this.assertAlive('scatter.instance');
    const last = this.count - 1;
    checkInteger('scatter.instance', 'number', number, { min: 0, max: Math.max(last, 0) });
    if (last < 0) throw new MoonscapeError('scatter.instance: there are no instances');
    const { places, records } = this.instances;
    const turn = records.subarray(number * RECORD_WORDS + 4, (number + 1) * RECORD_WORDS);
    return {
      position: vec3(places[number * 3], places[number * 3 + 1], places[number * 3 + 2]),
      rotation: anglesOf(axesOfTurn(turn)),
      scale: records[number * RECORD_WORDS + 3],
    };
  }

  /** Places (x, y, z of each, world metres) and records (RECORD_WORDS of each) of all instances, as they stand; not to be changed. */
  table(): { readonly places: Float64Array; readonly records: Float32Array } {
    const { places, records, count } = this.instances;
    return { places: places.subarray(0, count * 3), records: records.subarray(0, count * RECORD_WORDS) };
  }

  /** How many instances the last frame drew. Waits for it. */
  async visible(): Promise<number> {
    this.assertAlive('scatter.visible');
    if (this.count === 0 || !this.engine.renderer.meshes.has(this.rules.mesh)) return 0;
    return new Uint32Array(await this.engine.gpu.read(this.buffers.list.indirect, 4, 4))[0];
  }

  /** Frees it; nothing happens the second time. The heightfield stays open. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    for (const forget of this.forget) forget();
    this.engine.renderer.scatters.delete(this);
    this.binding?.destroy();
    this.binding = null;
    this.buffers.destroy();
  }

  describe(): string {
    return `${this.rules.mesh} on ${this.hf.describe()}`;
  }

  /** Throws where it is destroyed; `where` is `<module>.<function>` of the caller. */
  assertAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: this scatter is destroyed (${this.describe()})`);
  }

  /** Checks all fields; of those that name a mesh or a material only the `given` ones have to name one that stands, for others may have gone since. */
  private check(where: string, fields: ScatterFields, given: Record<string, unknown> | ScatterFields): Rules {
    const rules = checkRules(where, fields);
    const { meshes, materials } = this.engine.renderer;
    if ('mesh' in given && !meshes.has(rules.mesh))
      refuse(where, 'mesh', 'the guid of a mesh that exists', rules.mesh);
    if ('material' in given && rules.material !== null && !materials.has(rules.material))
      refuse(where, 'material', 'the guid of a material that exists', rules.material);
    if (rules.layer !== null && ('layer' in given || where === CREATE)) {
      const names = FieldLayers.of(this.hf)?.names ?? [];
      if (names.length === 0)
        throw new MoonscapeError(
          `${where}: layer must be left out, as this ground has no layers, got ${show(rules.layer)}`,
        );
      checkOneOf(where, 'layer', rules.layer, names);
    }
    return rules;
  }

  /** Places all by `rules`. What a filter throws is thrown on. */
  private place(where: string, rules: Rules): Instances {
    const { low, high } = this.hf.heightRange;
    return this.whilePlacing(() => {
      const placement = new Placement(where, this.hf, rules, weightOf(this.hf, rules.layer));
      const instances = new Instances(placement, (low + high) / 2);
      if (instances.count > rules.max)
        throw new MoonscapeError(
          `${where}: max must be at least the number of instances, which is ${instances.count}, got ${rules.max}; ` +
            'raise it, or lower density',
        );
      return instances;
    });
  }

  /** Has other instances from now on. */
  private put(where: string, instances: Instances): void {
    this.buffers = this.upload(where, instances, this.buffers);
    this.instances = instances;
    this.owed = null;
  }

  /** Sends all instances, into `old` if they fit there. */
  private upload(where: string, instances: Instances, old: ScatterBuffers | null): ScatterBuffers {
    const { count } = instances;
    this.work = { asked: instances.placement.cells, changed: count, bytes: count * RECORD_WORDS * 4 };
    if (old && count <= old.capacity && old.capacity <= 4 * Math.max(count, 64)) {
      old.sendAll(instances);
      return old;
    }
    const fresh = new ScatterBuffers(this.engine.gpu, instances, where);
    old?.destroy();
    return fresh;
  }

  /** After an edit within `rect`. More instances than `max` are let stand: the ground has changed already. */
  private follow(rect: Rect): void {
    const due = (this.owed = around(this.owed ?? rect, rect));
    const { asked, changed } = this.whilePlacing(() => this.instances.follow(due));
    if (this.destroyed) return; // by its filter
    this.owed = null;
    if (this.instances.count > this.buffers.capacity) {
      this.buffers = this.upload('terrainHeightfield.setHeights', this.instances, this.buffers);
      this.work = { ...this.work, asked, changed: changed.length };
      return;
    }
    this.work = { asked, changed: changed.length, bytes: this.buffers.sendSome(this.instances, changed) };
  }

  /** After a refresh, and where there is other water or there are other layers. */
  private placeAgain(): void {
    const where = 'terrainHeightfield.refresh';
    const instances = this.place(where, { ...this.rules, max: Infinity });
    if (!this.destroyed) this.put(where, instances);
  }

  private whilePlacing<T>(work: () => T): T {
    this.placing = true;
    try {
      return work();
    } finally {
      this.placing = false;
    }
  }

  private refuseWhilePlacing(where: string, what: string): void {
    if (this.placing) throw new MoonscapeError(`${where}: filter must not ${what} that it is asked for`);
  }
}

/** The smallest rect around two. */
const around = (a: Rect, b: Rect): Rect => ({
  minX: Math.min(a.minX, b.minX),
  minZ: Math.min(a.minZ, b.minZ),
  maxX: Math.max(a.maxX, b.maxX),
  maxZ: Math.max(a.maxZ, b.maxZ),
});

/** The share of a layer at a place; of one that the ground has no more, none. */
function weightOf(hf: Heightfield, layer: string | null): ((x: number, z: number) => number) | null {
  if (layer === null) return null;
  const layers = FieldLayers.of(hf);
  const names = layers?.names ?? [];
  const index = names.indexOf(layer);
  const shares = new Float64Array(names.length);
  return index < 0 ? () => 0 : (x, z) => layers!.weightsInto(x, z, shares)[index];
}

/** The columns of a unit quaternion's matrix. */
function axesOfTurn([x, y, z, w]: ArrayLike<number> & Iterable<number>): [Vec3, Vec3, Vec3] {
  return [
    vec3(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)),
    vec3(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)),
    vec3(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)),
  ];
}
