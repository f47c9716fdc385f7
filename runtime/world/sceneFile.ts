// Scene files: the world as JSON, with entities, components and what these refer to (assets by path or guid, meshes of
// renderer.mesh by their recipe, materials by their fields). What scene.save and scene.load do.
import { MoonscapeError, refuse, show } from '../errors.js';
import { loadMapFiles } from '../renderer/materialFiles.js';
import type { MaterialFields } from '../renderer/materialStore.js';
import type { MeshRecipe } from '../renderer/meshStore.js';
import type { Runtime } from '../runtime.js';
import type { Component, FieldType } from './component.js';
import { Entity } from './entity.js';
import { emptyRecord, encode, encodeRecord, numberKeys } from './sceneValues.js';
import { checkVector, ONE, ZERO, type Vec3 } from './vector.js';

const VERSION = 1;
const PARTS = ['version', 'entities', 'meshes', 'materials'];
const ENTITY_PARTS = ['id', 'name', 'parent', 'camera', 'position', 'rotation', 'scale', 'components'];

interface EntityRecord {
  id: number;
  name: string;
  parent?: number;
  /** The on-screen camera; without a position it frames the world. */
  camera?: boolean;
  position?: number[];
  rotation?: number[];
  scale?: number[];
  components: Record<string, Record<string, unknown>>;
}

interface SceneRecord {
  version: 1;
  entities: EntityRecord[];
  meshes?: Record<string, MeshRecipe>;
  materials?: Record<string, Record<string, unknown>>;
}

/** Writes the world; answers `path`. Refused in play, and where something in it cannot be written: then no file is touched. */
export async function saveScene(runtime: Runtime, path: string): Promise<string> {
  const where = 'scene.save';
  refuseInPlay(runtime, where);
  checkPath(runtime, where, path);
  const record: SceneRecord = { version: VERSION, entities: [] };
  const entities = runtime.world.entities().filter(({ parent }) => parent === null);
  entities.sort((a, b) => a.order - b.order);
  // Parents before their children; the list grows while it is walked.
  for (const entity of entities) entities.push(...entity.children);
  const used = { mesh: new Set<string>(), material: new Set<string>() };
  for (const entity of entities) record.entities.push(entityRecord(where, entity, used));
  const { meshes, materials } = runtime.renderer;
  if (used.mesh.size > 0)
    record.meshes = Object.fromEntries([...used.mesh].map((guid) => [guid, meshes.recipeOf(guid)!]));
  const fieldsOf = (guid: string) => encodeRecord(`${where}: material ${guid}`, materials.fieldsOf(guid));
  if (used.material.size > 0)
    record.materials = Object.fromEntries([...used.material].map((guid) => [guid, fieldsOf(guid)]));
  return runtime.assets.write(where, path, new TextEncoder().encode(`${JSON.stringify(record, null, 2)}\n`));

  function entityRecord(
    where: string,
    entity: Entity,
    used: { mesh: Set<string>; material: Set<string> },
  ): EntityRecord {
    const isCamera = entity === runtime.world.mainCamera;
    const record: EntityRecord = { id: entity.id, name: entity.name, components: emptyRecord() };
    if (entity.parent) record.parent = entity.parent.id;
    if (isCamera) record.camera = true;
    if (!isCamera || entity.moved) {
      record.position = list(entity.position);
      record.rotation = list(entity.rotation);
      record.scale = list(entity.scale);
    }
    for (const instance of entity.components.values()) {
      const { type, maker } = instance;
      if (type.permanent || type.madeBy || type.transient || maker) continue;
      record.components[type.name] = componentRecord(where, instance, used);
    }
    return record;
  }

  function componentRecord(
    where: string,
    instance: Component,
    used: { mesh: Set<string>; material: Set<string> },
  ): Record<string, unknown> {
    const values = emptyRecord<unknown>();
    for (const field of instance.type.fields) {
      if (field.readOnly) continue;
      const value = instance.get(field.name);
      if (value === null) continue;
      const name = `${where}: ${instance.type.name}.${field.name} of the entity ${instance.entity}`;
      if (field.kind === 'mesh') {
        if (!runtime.renderer.meshes.recipeOf(value as string))
          throw new MoonscapeError(
            `${name} must be a mesh that a file can describe (renderer.mesh.plane, box, load, …; a terrain comes with a Terrain component), got ${show(value)}`,
          );
        used.mesh.add(value as string);
      }
      if (field.kind === 'material' && runtime.renderer.materials.has(value as string))
        used.material.add(value as string);
      if (field.kind === 'entity') values[field.name] = entityId(name, value);
      else if (field.kind === 'vector' || field.kind === 'color') values[field.name] = list(value as Vec3);
      else values[field.name] = encode(name, value);
      // Layers of ground name theirs inside a table.
      if (field.kind === 'table')
        for (const guid of stringsIn(values[field.name]))
          if (runtime.renderer.materials.has(guid)) used.material.add(guid);
    }
    return values;
  }
}

/** The strings in a value of JSON. */
function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) yield* stringsIn(item);
}

const entityId = (name: string, value: unknown): number => {
  const entity = value as Entity;
  entity.checkAlive(name);
  return entity.id;
};

const list = ({ x, y, z }: Vec3) => [x, y, z];

/** How the bindings take part in loading. */
export interface LoadHooks {
  /** Resolves once a component's definition is there, if there is one. */
  need(name: string): Promise<void> | undefined;
  made(entity: Entity): void;
  mesh(guid: string): void;
  material(guid: string): void;
}

/**
 * Makes the world what a scene file says: what was there goes, except the on-screen camera, which takes the file's pose and
 * components. Refused in play. Where anything in the file is wrong the world stays as it was.
 */
export async function loadScene(runtime: Runtime, path: string, hooks: LoadHooks): Promise<void> {
  const where = 'scene.load';
  refuseInPlay(runtime, where);
  checkPath(runtime, where, path);
  await runtime.turn(where, 'a scene file is just being loaded', () => load(runtime, where, path, hooks));
}

async function load(runtime: Runtime, where: string, path: string, hooks: LoadHooks): Promise<void> {
  const record = parse(where, path, await runtime.assets.readText(where, path));
  for (const { components } of record.entities)
    for (const name of Object.keys(components)) await hooks.need(name);
  const loading = new Loading(runtime, `${where}: ${path}`, hooks);
  const old = runtime.world.entities();
  try {
    await loading.makeResources(record);
    await loading.makeEntities(record);
    await loading.applyCamera();
  } catch (error) {
    await loading.undo();
    throw error;
  }
  const { mainCamera } = runtime.world;
  for (const entity of old) if (entity !== mainCamera && !entity.destroyed) entity.destroy();
}

class Loading {
  private readonly entities = new Map<number, Entity>();
  /** What gives each mesh and material back, or its fields. */
  private readonly resources: (() => void)[] = [];
  private camera: EntityRecord | null = null;
  /** What gives the on-screen camera back what it was. */
  private cameraBack: (() => Promise<void>) | null = null;

  constructor(
    private readonly runtime: Runtime,
    private readonly where: string,
    private readonly hooks: LoadHooks,
  ) {}

  /** Meshes and materials under the guids that the file knows them by; a material that stands already gets the file's fields. */
  async makeResources({ meshes = {}, materials = {} }: SceneRecord): Promise<void> {
    const { renderer, assets } = this.runtime;
    for (const [guid, recipe] of Object.entries(meshes)) {
      if (renderer.meshes.has(guid)) continue;
      await renderer.meshes.restore(this.where, guid, recipe, assets);
      this.hooks.mesh(guid);
      this.resources.push(() => renderer.meshes.destroy(guid));
    }
    for (const [guid, fields] of Object.entries(materials)) {
      const loaded = await loadMapFiles(assets, `${this.where}: material ${guid}`, fields as MaterialFields);
      if (renderer.materials.has(guid)) {
        const old = renderer.materials.fieldsOf(guid);
        renderer.materials.restore(guid, loaded);
        this.resources.push(() => renderer.materials.restore(guid, old));
        continue;
      }
      renderer.materials.restore(guid, loaded);
      this.hooks.material(guid);
      this.resources.push(() => renderer.materials.destroy(guid));
    }
  }

  async makeEntities({ entities }: SceneRecord): Promise<void> {
    const { world } = this.runtime;
    for (const record of entities) {
      if (record.camera) {
        this.camera = record;
        this.entities.set(record.id, world.mainCamera);
        continue;
      }
      const { position, rotation, scale } = record;
      const entity = world.createEntity(record.name, { position, rotation, scale } as never);
      this.entities.set(record.id, entity);
      this.hooks.made(entity);
    }
    for (const record of entities) {
      const parent = record.parent === undefined ? null : this.entities.get(record.parent)!;
      if (parent && !record.camera) this.entities.get(record.id)!.parent = parent;
    }
    for (const record of entities) {
      if (record.camera) this.checkCamera(record);
      else await this.addComponents(record, Object.keys(record.components));
    }
  }

  /** The on-screen camera's part of the file, last: it is the one entity that both worlds have. */
  async applyCamera(): Promise<void> {
    const { camera, runtime } = this;
    const { mainCamera: entity } = runtime.world;
    this.cameraBack = this.rememberCamera();
    entity.parent = camera?.parent === undefined ? null : this.entities.get(camera.parent)!;
    if (!camera) return;
    entity.name = camera.name;
    if (camera.position) entity.position = camera.position as never;
    if (camera.rotation) entity.rotation = camera.rotation as never;
    if (camera.scale) entity.scale = camera.scale as never;
    entity.moved = camera.position !== undefined;
    const { Camera = {}, ...others } = camera.components;
    const fields = entity.components.get('Camera')!;
    for (const { name } of fields.type.fields) fields.set(name, Camera[name]);
    for (const { type } of this.ownComponents()) runtime.world.dropComponent(entity, type.name);
    await this.addComponents(camera, Object.keys(others));
  }

  /** What scripts put on the on-screen camera, the last first. */
  private ownComponents(): Component[] {
    const { components } = this.runtime.world.mainCamera;
    return [...components.values()]
      .filter(({ type, maker }) => type.name !== 'Camera' && !type.permanent && !type.madeBy && !maker)
      .reverse();
  }

  private rememberCamera(): () => Promise<void> {
    const { world } = this.runtime;
    const { mainCamera: entity } = world;
    const { name, parent, moved } = entity;
    const { position, rotation, scale } = moved ? entity : { position: ZERO, rotation: ZERO, scale: ONE };
    const fields = entity.components.get('Camera')!;
    const values = fields.toRecord();
    const own = this.ownComponents().map((instance) => ({ instance, values: instance.toRecord() }));
    return async () => {
      for (const { type } of this.ownComponents()) world.dropComponent(entity, type.name);
      for (const [field, value] of Object.entries(values)) fields.set(field, value);
      entity.name = name;
      entity.parent = parent;
      entity.place({ position, rotation, scale });
      entity.moved = moved;
      for (const { instance, values } of own.reverse()) {
        world.restoreComponent(instance, values);
        await world.begin(instance);
      }
    };
  }

  /** Gives everything back; the file's own error is the one that counts. */
  async undo(): Promise<void> {
    const { mainCamera } = this.runtime.world;
    await this.cameraBack?.().catch(() => undefined);
    for (const entity of this.entities.values())
      if (entity !== mainCamera && !entity.destroyed) entity.destroy();
    for (const giveBack of this.resources.reverse()) giveBack();
  }

  /** The camera's components tried out on an entity that goes again. */
  private checkCamera({ components, position, rotation, scale }: EntityRecord): void {
    const { world } = this.runtime;
    const trial = world.createEntity('camera', { position, rotation, scale } as never);
    try {
      for (const [name, values] of Object.entries(components))
        world.addComponent(trial, name, this.decode(world.componentType(name, this.where).fields, values));
    } finally {
      trial.destroy();
    }
  }

  private async addComponents({ id, components }: EntityRecord, names: string[]): Promise<void> {
    const { world } = this.runtime;
    const entity = this.entities.get(id)!;
    for (const name of names) {
      const type = world.componentType(name, this.where);
      const values = this.decode(type.fields, components[name]);
      await world.begin(world.addComponent(entity, name, values));
    }
  }

  /** Entities by their number in the file; everything else is the component's to check. */
  private decode(fields: readonly FieldType[], values: Record<string, unknown>): Record<string, unknown> {
    const decoded: Record<string, unknown> = { ...values };
    for (const { name, kind } of fields) {
      if (!Object.hasOwn(decoded, name)) continue;
      if (kind === 'table' || kind === 'any') decoded[name] = numberKeys(decoded[name]);
      if (kind !== 'entity') continue;
      const entity = this.entities.get(decoded[name] as number);
      decoded[name] = entity ?? refuse(this.where, name, 'the id of an entity of the file', decoded[name]);
    }
    return decoded;
  }
}

function refuseInPlay(runtime: Runtime, where: string): void {
  runtime.assertSettled(where);
  if (runtime.mode === 'play')
    throw new MoonscapeError(
      `${where}: the scene plays, and a file holds what it is in edit; call scene.stop first`,
    );
}

function checkPath(runtime: Runtime, where: string, path: string): void {
  const place = runtime.assets.resolve(where, path);
  if (!/\.(scene|json)$/i.test(place))
    refuse(where, 'path', 'a file with the extension .scene or .json', path);
}

/** The file's record, its shape checked; what components hold is theirs to check. */
function parse(where: string, path: string, text: string): SceneRecord {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    const said = text === '' ? 'it is empty' : (cause as Error).message;
    throw new MoonscapeError(`${where}: ${path} must be a scene file in JSON, but ${said}`, { cause });
  }
  const at = `${where}: ${path}`;
  const record = asRecord(at, 'the file', json);
  if (record.version !== VERSION) {
    const later = typeof record.version === 'number' && record.version > VERSION;
    refuse(
      at,
      'version',
      `${VERSION}${later ? ', the latest that this Moonscape reads' : ''}`,
      record.version,
    );
  }
  onlyParts(at, record, PARTS);
  const { entities, meshes, materials } = record;
  if (!Array.isArray(entities)) refuse(at, 'entities', 'a list', entities);
  const ids = new Set<number>();
  let cameras = 0;
  for (const [i, item] of (entities as unknown[]).entries()) {
    const name = `${at}: entities[${i + 1}]`;
    const entity = asRecord(at, `entities[${i + 1}]`, item);
    onlyParts(name, entity, ENTITY_PARTS);
    if (typeof entity.id !== 'number' || ids.has(entity.id))
      refuse(name, 'id', 'a number that no other entity has', entity.id);
    if (typeof entity.name !== 'string') refuse(name, 'name', 'a string', entity.name);
    if (entity.parent !== undefined && !ids.has(entity.parent as number))
      refuse(name, 'parent', 'the id of an entity that stands before it', entity.parent);
    for (const part of ['position', 'rotation', 'scale'])
      if (entity[part] !== undefined) checkVector(name, part, entity[part] as never);
    if (entity.camera === true) cameras++;
    const components = asRecord(name, 'components', entity.components);
    for (const [key, values] of Object.entries(components)) asRecord(name, key, values);
    ids.add(entity.id);
  }
  if (cameras > 1) refuse(at, 'entities', 'a list with one camera at most', cameras);
  for (const [key, part] of Object.entries({ meshes, materials }))
    if (part !== undefined) asRecord(at, key, part);
  return record as unknown as SceneRecord;
}

function asRecord(where: string, name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(where, name, 'a JSON object', value);
  return value as Record<string, unknown>;
}

function onlyParts(where: string, record: Record<string, unknown>, parts: readonly string[]): void {
  for (const key of Object.keys(record))
    if (!parts.includes(key)) refuse(where, key, `left out: the parts are ${parts.join(', ')}`, record[key]);
}
