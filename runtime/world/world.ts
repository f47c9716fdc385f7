// Entities and their components. bitecs keeps the slots, which components a slot has, and the queries over them; ids
// and handles are ours: an id is `generation · 2^20 + slot`, so that one kept past its entity's end is recognised.
// (bitecs 0.4's own versioned ids look a recycled one up under two different keys.)
import {
  addComponent,
  addEntity,
  createWorld,
  query as querySlots,
  removeComponent,
  removeEntity,
} from 'bitecs';
import { MoonscapeError, nearest, refuse, show } from '../errors.js';
import { Component, type ComponentType, type GuidLookup } from './component.js';
import { Entity, type EntityOptions } from './entity.js';
import { frameBounds } from './framing.js';
import { NATIVE_COMPONENTS } from './nativeComponents.js';
import { transformBounds, unite, vec3, type Bounds } from './vector.js';

/** Slots: the most entities alive at once. */
const SLOTS = 2 ** 20;
/** What the on-screen camera frames in a world with no model, metres around the origin. */
const EMPTY_BOUNDS: Bounds = { min: vec3(-4, 0, -4), max: vec3(4, 2, 4) };

/** What the world asks of the renderer's stores; without them guids are not checked and models have no bounds. */
export interface WorldAssets {
  meshes?: GuidLookup & { boundsOf(guid: string): Bounds | null };
  materials?: GuidLookup;
}

/** The entities of a scene. It lives as long as its runtime and needs no freeing. */
export class World {
  /** Component types by name: native ones first, then those registered since. */
  readonly componentTypes = new Map<string, ComponentType>();
  /** Width over height of the last picture, for framing; 16:9 before there is one. */
  aspect = 16 / 9;
  private readonly ecs = createWorld();
  private readonly tags = new Map<string, object>();
  private readonly bySlot: (Entity | undefined)[] = [];
  private readonly generations: number[] = [];
  private readonly lastNames: string[] = [];
  private readonly camera: Entity;
  private framing = false;

  constructor(private readonly assets: WorldAssets = {}) {
    for (const type of NATIVE_COMPONENTS) this.defineComponent(type);
    this.camera = this.createEntity('camera');
    this.addComponent(this.camera, 'Camera');
  }

  /** The on-screen camera, named `camera`: it frames the whole world until a script moves it. */
  get mainCamera(): Entity {
    return this.camera;
  }

  /** Makes an entity; a bad option is refused before anything is made. */
  createEntity(name = 'entity', options: EntityOptions = {}): Entity {
    if (typeof name !== 'string') refuse('entity.create', 'name', 'a string', name);
    const slot = addEntity(this.ecs);
    const generation = this.generations[slot] ?? 0;
    const entity = new Entity(this, generation * SLOTS + slot, name);
    try {
      if (slot >= SLOTS)
        throw new MoonscapeError(`entity.create: a world holds at most ${SLOTS - 1} entities`);
      entity.initialize(options);
    } catch (error) {
      removeEntity(this.ecs, slot);
      throw error;
    }
    this.bySlot[slot] = entity;
    this.attach(entity, this.componentTypes.get('Transform')!, {});
    return entity;
  }

  /** The first entity (by age of its slot) of a name, or null. */
  find(name: string): Entity | null {
    return this.bySlot.find((entity) => entity?.name === name) ?? null;
  }

  /** The entity of an id. One that was destroyed is an error that names it, an id never given out one that says so. */
  get(id: number, where = 'entity.get'): Entity {
    const slot = id % SLOTS;
    const entity = this.bySlot[slot];
    if (entity?.id === id) return entity;
    const generation = Math.floor(id / SLOTS);
    const next = this.generations[slot] ?? 0;
    if (!Number.isInteger(id) || id < 0 || generation >= next)
      throw new MoonscapeError(`${where}: no entity has the id ${show(id)}`);
    const name = generation === next - 1 ? `"${this.lastNames[slot]}" (${id})` : `of id ${id}`;
    throw new MoonscapeError(`${where}: the entity ${name} was destroyed`);
  }

  /** Whether an id is an entity that lives. */
  has(id: number): boolean {
    return this.bySlot[id % SLOTS]?.id === id;
  }

  /** All that live, in the order of their slots. */
  entities(): Entity[] {
    return this.bySlot.filter((entity) => entity !== undefined);
  }

  /** Destroys an entity and everything under it. The on-screen camera always exists. */
  destroy(entity: Entity): void {
    const where = 'entity:destroy';
    entity.checkAlive(where);
    if (this.camera.isWithin(entity))
      throw new MoonscapeError(
        entity === this.camera
          ? `${where}: the on-screen camera ${entity} always exists and cannot be destroyed`
          : `${where}: the on-screen camera hangs under ${entity}; give it another parent first`,
      );
    for (const child of entity.children) this.destroy(child);
    for (const name of [...entity.components.keys()].reverse()) this.dropComponent(entity, name);
    entity.parent = null;
    entity.destroyed = true;
    const slot = entity.id % SLOTS;
    this.bySlot[slot] = undefined;
    this.generations[slot] = Math.floor(entity.id / SLOTS) + 1;
    this.lastNames[slot] = entity.name;
    removeEntity(this.ecs, slot);
  }

  /** Registers a component type; a name that is taken is refused. */
  defineComponent(type: ComponentType): void {
    if (this.componentTypes.has(type.name))
      refuse('component.define', 'name', 'a name that is not taken', type.name);
    this.componentTypes.set(type.name, type);
    this.tags.set(type.name, {});
  }

  /** The type of a name; an unknown one is an error that names the nearest. */
  componentType(name: string, where = 'component'): ComponentType {
    const type = this.componentTypes.get(name);
    if (type) return type;
    const names = [...this.componentTypes.keys()];
    const near = typeof name === 'string' ? nearest(name, names) : undefined;
    throw new MoonscapeError(
      `${where}: there is no component ${show(name)}${near ? ` (did you mean "${near}"?)` : ''}; the components are ${names.join(', ')}`,
    );
  }

  /** Puts a component on an entity, its values checked. One it has already is refused. */
  addComponent(entity: Entity, name: string, values: Readonly<Record<string, unknown>> = {}): Component {
    const where = 'component.add';
    entity.checkAlive(where);
    const type = this.componentType(name, where);
    if (type.madeBy)
      throw new MoonscapeError(`${where}: ${name} is made by ${type.madeBy}; add a ${type.madeBy} instead`);
    if (entity.components.has(name))
      throw new MoonscapeError(`${where}: the entity ${entity} has a ${name} already`);
    return this.attach(entity, type, values);
  }

  /** The instance of a component, or null. */
  getComponent(entity: Entity, name: string, where = 'component.get'): Component | null {
    entity.checkAlive(where);
    this.componentType(name, where);
    return entity.components.get(name) ?? null;
  }

  hasComponent(entity: Entity, name: string): boolean {
    return this.getComponent(entity, name, 'component.has') !== null;
  }

  /** Takes a component off an entity; answers whether it was there. */
  removeComponent(entity: Entity, name: string): boolean {
    const where = 'component.remove';
    entity.checkAlive(where);
    const type = this.componentType(name, where);
    if (type.permanent)
      throw new MoonscapeError(`${where}: every entity has a ${name}; it cannot be removed`);
    if (type.madeBy)
      throw new MoonscapeError(`${where}: ${name} goes with the ${type.madeBy} that made it; remove that`);
    if (entity === this.camera && name === 'Camera')
      throw new MoonscapeError(`${where}: the on-screen camera ${entity} keeps its Camera`);
    return this.dropComponent(entity, name);
  }

  /** Names of an entity's components, in the order in which they were added. */
  listComponents(entity: Entity): string[] {
    entity.checkAlive('component.list');
    return [...entity.components.keys()];
  }

  /** The entities that have all the components named, in the order of their slots. */
  query(...names: string[]): Entity[] {
    if (names.length === 0) return this.entities();
    const tags = names.map((name) => {
      this.componentType(name, 'ecs.query');
      return this.tags.get(name)!;
    });
    const slots = Uint32Array.from(querySlots(this.ecs, tags)).sort();
    return Array.from(slots, (slot) => this.bySlot[slot]!);
  }

  /** The box around all models, in the world; null where there is none. What hangs under the on-screen camera does not count. */
  bounds(): Bounds | null {
    let box: Bounds | null = null;
    for (const entity of this.query('MeshInstance')) {
      if (entity.isWithin(this.camera)) continue;
      const mesh = entity.components.get('MeshInstance')!.get('mesh') as string;
      const own = this.assets.meshes?.boundsOf(mesh);
      if (own) box = unite(box, transformBounds(own, entity.worldMatrix));
    }
    return box;
  }

  /** Brings the on-screen camera's pose up to date before it is read. Entities call this. */
  settlePose(entity: Entity): void {
    if (!this.camera || this.camera.moved || this.framing || !entity.isWithin(this.camera)) return;
    this.framing = true;
    try {
      const camera = this.camera.components.get('Camera')!;
      const view = { fov: camera.number('fov'), near: camera.number('near'), aspect: this.aspect };
      this.camera.place(frameBounds(this.bounds() ?? EMPTY_BOUNDS, view));
    } finally {
      this.framing = false;
    }
  }

  /** Adds a component that another one makes (`madeBy`). For component types' own hooks. */
  makeComponent(entity: Entity, name: string, values: Readonly<Record<string, unknown>>): Component {
    return this.attach(entity, this.componentType(name), values);
  }

  /** Removes a component whatever its kind. For component types' own hooks. */
  dropComponent(entity: Entity, name: string): boolean {
    const instance = entity.components.get(name);
    if (!instance) return false;
    instance.type.onRemove?.(instance);
    instance.removed = true;
    entity.components.delete(name);
    removeComponent(this.ecs, entity.id % SLOTS, this.tags.get(name)!);
    return true;
  }

  private attach(entity: Entity, type: ComponentType, values: Readonly<Record<string, unknown>>): Component {
    const { meshes: mesh, materials: material } = this.assets;
    const instance = new Component(type, entity, values, { mesh, material });
    entity.components.set(type.name, instance);
    addComponent(this.ecs, entity.id % SLOTS, this.tags.get(type.name)!);
    type.onAdd?.(instance);
    return instance;
  }
}
