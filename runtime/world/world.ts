// Entities and their components. bitecs keeps the slots, which components a slot has, and the queries over them; ids
// and handles are ours: an id is `generation · 2^20 + slot`, so that one kept past its entity's end is recognised.
// (bitecs 0.4's own versioned ids look a recycled one up under two different keys.) One class past 400 lines: entities, components
// and what stop brings back of both are kept in the same slots.
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
import { ONE, transformBounds, unite, vec3, ZERO, type Bounds } from './vector.js';

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
  /** Names of types that are registered once somebody asks for them: errors name these too. */
  readonly offered = new Set<string>();
  /** Width over height of the last picture, for framing; 16:9 before there is one. */
  aspect = 16 / 9;
  /** Ids of the entities whose meshes stand in the world: their own poses and their parents' do not move them. */
  readonly worldSpace = new Set<number>();
  private readonly ecs = createWorld();
  private readonly tags = new Map<string, object>();
  private readonly bySlot: (Entity | undefined)[] = [];
  private readonly generations: number[] = [];
  private readonly lastNames: string[] = [];
  private readonly camera: Entity;
  private framing = false;
  /** Entities made so far. */
  private made = 0;
  /** Parts that stop brings back: what their makers make again is they, so that handles to them hold. */
  returning: readonly Component[] = [];
  /** Entities whose slots nobody else gets, even once they are destroyed: stop gives them back to them. */
  private kept: ReadonlySet<Entity> | null = null;

  constructor(private readonly assets: WorldAssets = {}) {
    for (const type of NATIVE_COMPONENTS) this.defineComponent(type);
    this.camera = this.createEntity('camera');
    this.addComponent(this.camera, 'Camera');
  }

  /** The on-screen camera, named `camera`: it frames the whole world until a script moves it. */
  get mainCamera(): Entity {
    return this.camera;
  }

  /** Answers what gives the on-screen camera its name, pose and fields of now back, takes off what was added to it, and frees it of a parent. */
  rememberCamera(): () => void {
    const { camera } = this;
    const { name, moved } = camera;
    const pose = moved ? { position: camera.position, rotation: camera.rotation, scale: camera.scale } : {};
    const names = [...camera.components.keys()];
    const fields = camera.components.get('Camera')!.toRecord();
    return () => {
      camera.parent = null;
      camera.name = name;
      for (const added of [...camera.components.keys()].reverse())
        if (!names.includes(added)) this.dropComponent(camera, added);
      const instance = camera.components.get('Camera')!;
      for (const [field, value] of Object.entries(fields)) instance.set(field, value);
      camera.place({ position: ZERO, rotation: ZERO, scale: ONE, ...pose });
      // Unless it was placed, it frames whatever comes next, until that moves it.
      camera.moved = moved;
    };
  }

  /** Makes an entity; a bad option is refused before anything is made. */
  createEntity(name = 'entity', options: EntityOptions = {}): Entity {
    if (typeof name !== 'string') refuse('entity.create', 'name', 'a string', name);
    const slot = addEntity(this.ecs);
    const generation = this.generations[slot] ?? 0;
    const entity = new Entity(this, generation * SLOTS + slot, name, this.made++);
    try {
      if (slot >= SLOTS)
        throw new MoonscapeError(`entity.create: a world holds at most ${SLOTS - 1} entities`);
      entity.initialize(options);
    } catch (error) {
      removeEntity(this.ecs, slot);
      throw error;
    }
    this.bySlot[slot] = entity;
    this.attach(entity, this.makeInstance(entity, this.componentTypes.get('Transform')!, {}));
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
    // Asked for again by a hook of what goes with it.
    if (entity.leaving) return;
    entity.leaving = true;
    try {
      // A hook may have destroyed one of them, or hung it elsewhere.
      for (const child of entity.children)
        if (!child.destroyed && child.parent === entity) this.destroy(child);
      for (const name of [...entity.components.keys()].reverse()) this.dropComponent(entity, name);
    } finally {
      entity.leaving = false;
    }
    entity.parent = null;
    entity.destroyed = true;
    const slot = entity.id % SLOTS;
    this.bySlot[slot] = undefined;
    this.generations[slot] = Math.max(this.generations[slot] ?? 0, Math.floor(entity.id / SLOTS) + 1);
    this.lastNames[slot] = entity.name;
    if (!this.kept?.has(entity)) removeEntity(this.ecs, slot);
  }

  /** Keeps the slots of all that live now, so that `revive` can bring back those that are destroyed from now on. */
  keepSlots(): void {
    this.kept = new Set(this.entities());
  }

  /** Ends keepSlots: those that are still destroyed are gone for good. */
  releaseSlots(): void {
    for (const entity of this.kept ?? []) if (entity.destroyed) removeEntity(this.ecs, entity.id % SLOTS);
    this.kept = null;
  }

  /** Brings an entity back that was destroyed since keepSlots, under its id, bare but for its Transform. */
  revive(entity: Entity): void {
    if (!entity.destroyed || !this.kept?.has(entity)) return;
    entity.destroyed = false;
    this.bySlot[entity.id % SLOTS] = entity;
    this.attach(entity, new Component(this.componentTypes.get('Transform')!, entity, {}, {}));
  }

  /** Registers a component type; a name that is taken is refused. */
  defineComponent(type: ComponentType): void {
    if (this.componentTypes.has(type.name))
      refuse('component.define', 'name', 'a name that is not taken', type.name);
    this.componentTypes.set(type.name, type);
    this.tags.set(type.name, {});
  }

  /** Forgets a component type and takes its instances off: for the types of a scene that ends. */
  undefineComponent(name: string): void {
    if (!this.componentTypes.has(name)) return;
    for (const entity of this.query(name)) this.dropComponent(entity, name);
    this.componentTypes.delete(name);
    this.tags.delete(name);
  }

  /** The type of a name; an unknown one is an error that names the nearest. */
  componentType(name: string, where = 'component'): ComponentType {
    const type = this.componentTypes.get(name);
    if (type) return type;
    const names = [...new Set([...this.componentTypes.keys(), ...this.offered])];
    const near = typeof name === 'string' ? nearest(name, names) : undefined;
    throw new MoonscapeError(
      `${where}: there is no component ${show(name)}${near ? ` (did you mean "${near}"?)` : ''}; the components are ${names.join(', ')}`,
    );
  }

  /** Puts a component on an entity, its values checked. One it has already is refused. */
  addComponent(entity: Entity, name: string, values: Readonly<Record<string, unknown>> = {}): Component {
    const where = 'component.add';
    entity.checkStays(where);
    const type = this.componentType(name, where);
    if (type.madeBy)
      throw new MoonscapeError(`${where}: ${name} is made by ${type.madeBy}; add a ${type.madeBy} instead`);
    this.refuseSecond(where, entity, name);
    return this.attach(entity, this.makeInstance(entity, type, values));
  }

  /**
   * The part of adding that may wait: undefined where there is none. A rejection takes the component off again. Whoever adds
   * a component calls it once; until it has settled nothing else of the component is called.
   */
  begin(instance: Component): Promise<void> | undefined {
    const work = instance.type.begin?.(instance);
    if (!work) {
      instance.ready = true;
      return undefined;
    }
    return work.then(
      () => {
        instance.ready = true;
        if (!instance.removed) return;
        // Taken off while it waited: what it made goes now.
        instance.leaving = true;
        try {
          instance.type.onRemove?.(instance);
        } finally {
          instance.leaving = false;
        }
      },
      (error: unknown) => {
        if (!instance.removed) this.dropComponent(instance.entity, instance.type.name);
        throw error;
      },
    );
  }

  /** Sets a field, and answers the part of the change that may wait; a rejection puts the field back. */
  change(instance: Component, field: string, value: unknown): Promise<void> | undefined {
    const old = instance.get(field);
    instance.set(field, value);
    const refused = instance.get(field);
    const work = instance.ready ? instance.type.changed?.(instance, field) : undefined;
    return work?.catch((error: unknown) => {
      // Not set: what it was need not be right any more (a texture that is gone). One set since stays.
      if (!instance.removed && Object.is(instance.get(field), refused)) {
        instance.fill({ [field]: old });
        instance.type.onChange?.(instance, field);
      }
      throw error;
    });
  }

  /**
   * Puts the fields of an instance back to `values`, all of them before anything follows: they were right together, and need not
   * be one by one. A field that cannot be followed stays what it was; the error is handed to `failed`.
   */
  async putBack(
    instance: Component,
    values: Readonly<Record<string, unknown>>,
    failed: (error: unknown) => void,
  ): Promise<void> {
    const before = instance.toRecord();
    const changed = Object.keys(values).filter((name) => !Object.is(before[name], values[name]));
    instance.fill(values);
    for (const name of changed) {
      if (instance.removed) return;
      try {
        instance.type.onChange?.(instance, name);
        if (instance.ready) await instance.type.changed?.(instance, name);
      } catch (error) {
        instance.fill({ [name]: before[name] });
        failed(error);
      }
    }
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
    const { maker } = entity.components.get(name) ?? {};
    if (maker)
      throw new MoonscapeError(
        `${where}: this ${name} goes with the ${maker.type.name} that made it; remove that`,
      );
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
    for (const entity of this.query('MeshInstance'))
      if (!entity.isWithin(this.camera)) box = unite(box, this.boundsOf(entity));
    return box;
  }

  /** The box around an entity's model, in the world; null where it has none. */
  boundsOf(entity: Entity): Bounds | null {
    const mesh = entity.components.get('MeshInstance')?.get('mesh') as string | undefined;
    const own = mesh === undefined ? null : this.assets.meshes?.boundsOf(mesh);
    return own ? transformBounds(own, entity.meshMatrix) : null;
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
    return this.attachMade(this.makeInstance(entity, this.componentType(name), values));
  }

  /** Attaches what another component makes; while stop brings back, that is the one that was there. */
  private attachMade(made: Component): Component {
    const { entity, type, maker } = made;
    const former = this.returning.find(
      (each) => each.entity === entity && each.type === type && each.maker === maker && each.removed,
    );
    if (!former) return this.attach(entity, made);
    this.restoreComponent(former, made.toRecord());
    return former;
  }

  /** Adds a component that belongs to `maker`: on its entity, and gone with it. One that the entity has already is refused. */
  addPart(maker: Component, name: string, values: Readonly<Record<string, unknown>> = {}): Component {
    const where = `${maker.type.name}:make`;
    const { entity } = maker;
    entity.checkStays(where);
    if (maker.removed || maker.leaving)
      throw new MoonscapeError(`${where}: this ${maker.type.name} was removed from the entity ${entity}`);
    const type = this.componentType(name, where);
    this.refuseSecond(where, entity, name);
    const part = this.makeInstance(entity, type, values);
    part.maker = maker;
    return this.attachMade(part);
  }

  /** Removes a component whatever its kind, its parts before it. For component types' own hooks. */
  dropComponent(entity: Entity, name: string): boolean {
    const instance = entity.components.get(name);
    if (!instance || instance.leaving) return false;
    instance.leaving = true;
    for (const part of [...entity.components.values()].reverse())
      if (part.maker === instance) this.dropComponent(entity, part.type.name);
    try {
      if (instance.ready || !instance.type.begin) instance.type.onRemove?.(instance);
    } finally {
      instance.removed = true;
      instance.leaving = false;
      entity.components.delete(name);
      // Its own hook may have destroyed the entity.
      if (!entity.destroyed || this.kept?.has(entity)) this.untag(entity, name);
    }
    return true;
  }

  /** Puts an instance that was taken off back on its entity, with `values`. Call `begin` next. */
  restoreComponent(instance: Component, values: Readonly<Record<string, unknown>>): void {
    instance.removed = false;
    instance.ready = false;
    instance.fill(values);
    this.attach(instance.entity, instance);
  }

  private untag(entity: Entity, name: string): void {
    removeComponent(this.ecs, entity.id % SLOTS, this.tags.get(name)!);
  }

  private refuseSecond(where: string, entity: Entity, name: string): void {
    if (entity.components.has(name))
      throw new MoonscapeError(`${where}: the entity ${entity} has a ${name} already`);
  }

  private makeInstance(
    entity: Entity,
    type: ComponentType,
    values: Readonly<Record<string, unknown>>,
  ): Component {
    const { meshes: mesh, materials: material } = this.assets;
    return new Component(type, entity, values, { mesh, material });
  }

  private attach(entity: Entity, instance: Component): Component {
    const { type } = instance;
    entity.components.set(type.name, instance);
    addComponent(this.ecs, entity.id % SLOTS, this.tags.get(type.name)!);
    try {
      type.onAdd?.(instance);
    } catch (error) {
      instance.removed = true;
      entity.components.delete(type.name);
      this.untag(entity, type.name);
      throw error;
    }
    return instance;
  }
}
