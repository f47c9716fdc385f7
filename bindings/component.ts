// Components as scripts hold them: `entity.component` (add, get, has, remove, list) and the instance that add and get answer. The
// fields come from each component's own description (runtime/world/component.ts), so a new native component needs nothing here.
import { lua } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import type { Component, ComponentType, FieldType } from '../runtime/world/component.js';
import type { Entity } from '../runtime/world/entity.js';
import type { Vec3 } from '../runtime/world/vector.js';
import type { World } from '../runtime/world/world.js';
import { contextOf, waitFor } from './context.js';
import type { ScriptType } from './scriptComponents.js';
import { tessellation } from './tessellation.js';
import { PLACE, pushPair, pushVectorValue } from './values.js';
import {
  arg,
  checkCanWait,
  defineHandle,
  nameFunction,
  push,
  pushInteger,
  type Bindings,
  type HandleType,
} from './vm/index.js';

/** Methods that native components have, by the component's name. */
const METHODS: Readonly<Record<string, Record<string, (self: Component, L: lua_State) => number>>> = {
  Tessellation: tessellation,
};

const handles = new WeakMap<ComponentType, HandleType<Component>>();

/** Pushes the handle of a component instance: its fields can be read and set, and are checked. */
export function pushComponent(L: lua_State, instance: Component): void {
  handleFor(instance.type).push(L, instance);
}

type Getters = Record<string, (self: Component, L: lua_State) => void>;

function handleFor(type: ComponentType): HandleType<Component> {
  let handle = handles.get(type);
  if (handle) return handle;
  const each = <T>(make: (field: FieldType) => T) =>
    Object.fromEntries(type.fields.map((field) => [field.name, make(field)]));
  const script = 'hooks' in type ? (type as ScriptType) : null;
  const entity: Getters = { entity: ({ entity }, L) => push(L, entity) };
  handle = defineHandle<Component>(type.name, {
    getters: {
      ...entity,
      ...(script ? scriptGetters(script) : {}),
      ...each((field) => (self: Component, L: lua_State) => pushField(L, field, self.get(field.name))),
    },
    setters: each((field) => (self, L, index) => setField(L, self, field.name, arg.value(L, index))),
    methods: script ? { make } : (METHODS[type.name] ?? {}),
    describe: ({ entity }) => `${type.name} of the entity ${entity}`,
    stale: ({ removed, leaving, entity }) =>
      removed &&
      !leaving &&
      (entity.destroyed
        ? `the entity ${entity} was destroyed`
        : `this component was removed from the entity ${entity}`),
  });
  handles.set(type, handle);
  return handle;
}

/** What a component written in Lua has besides its fields: `state`, and its methods. */
function scriptGetters({ methods }: ScriptType): Getters {
  const state: Getters = { state: (self, L) => contextOf(L).components.pushState(L, self) };
  return { ...state, ...Object.fromEntries(Array.from(methods, ([name, f]) => [name, (_, L) => f.push(L)])) };
}

/** self:make(name, fields?) -> instance: adds a component that belongs to this one, and goes with it. May wait. */
function make(self: Component, L: lua_State): number {
  const name = arg.string(L, 2, 'name');
  const { fields } = arg.options(L, 3, 'fields');
  const { world } = self.entity;
  return withType(L, name, (L) => begun(L, world, world.addPart(self, name, fields)));
}

function setField(L: lua_State, instance: Component, name: string, value: unknown): void {
  // Asked first: a field must not be left changed where its change cannot be waited for.
  if (instance.type.changed && instance.ready) checkCanWait(L);
  const work = instance.entity.world.change(instance, name, value);
  if (work) waitFor(L, () => work);
}

function pushField(L: lua_State, { kind, names = PLACE }: FieldType, value: unknown): void {
  if (value === null) lua.lua_pushnil(L);
  else if (kind === 'vector' || kind === 'color') pushVectorValue(L, value as Vec3);
  else if (kind === 'integer') pushInteger(L, value as number);
  else if (kind === 'pair') pushPair(L, names, ...(value as readonly [number, number]));
  else push(L, value);
}

/** Goes on once the definition of a component is loaded, if it has to be; at once otherwise. */
function withType(L: lua_State, name: string, then: (L: lua_State) => number): number {
  const loading = contextOf(L).components.need(name);
  return loading ? waitFor(L, () => loading, then) : then(L);
}

/** Answers an instance that was just added, once its onAdd has ended. */
function begun(L: lua_State, world: World, instance: Component): number {
  const deliver = (L: lua_State) => (pushComponent(L, instance), 1);
  if (instance.type.begin)
    try {
      checkCanWait(L);
    } catch (error) {
      world.dropComponent(instance.entity, instance.type.name);
      throw error;
    }
  const work = world.begin(instance);
  return work ? waitFor(L, () => work, deliver) : deliver(L);
}

/** `entity.component`. Its functions are called with a dot: `e.component.add("Model", { mesh = … })`. */
class EntityComponents {
  readonly functions: Record<'add' | 'get' | 'has' | 'remove' | 'list', CFunction>;

  constructor(readonly entity: Entity) {
    const { world } = entity;
    this.functions = {
      add(L) {
        const name = arg.string(L, 1, 'name');
        const { fields } = arg.options(L, 2, 'fields');
        return withType(L, name, (L) => begun(L, world, world.addComponent(entity, name, fields)));
      },
      get(L) {
        const name = arg.string(L, 1, 'name');
        return withType(L, name, (L) => {
          const instance = world.getComponent(entity, name);
          if (instance) pushComponent(L, instance);
          else lua.lua_pushnil(L);
          return 1;
        });
      },
      has(L) {
        const name = arg.string(L, 1, 'name');
        return withType(L, name, (L) => {
          lua.lua_pushboolean(L, world.hasComponent(entity, name));
          return 1;
        });
      },
      remove(L) {
        const name = arg.string(L, 1, 'name');
        return withType(L, name, (L) => {
          lua.lua_pushboolean(L, world.removeComponent(entity, name));
          return 1;
        });
      },
      list(L) {
        push(L, world.listComponents(entity));
        return 1;
      },
    };
    for (const [name, f] of Object.entries(this.functions)) nameFunction(f, `component.${name}`);
  }
}

const getFunction = (name: keyof EntityComponents['functions']) => (self: EntityComponents, L: lua_State) =>
  lua.lua_pushcfunction(L, self.functions[name]);

const componentsHandle = defineHandle('component table', {
  kind: EntityComponents,
  module: 'component',
  getters: {
    add: getFunction('add'),
    get: getFunction('get'),
    has: getFunction('has'),
    remove: getFunction('remove'),
    list: getFunction('list'),
  },
  describe: ({ entity }) => `components of the entity ${entity}`,
});

const tables = new WeakMap<Entity, EntityComponents>();

/** Pushes `entity.component`. */
export function pushComponents(L: lua_State, entity: Entity): void {
  let table = tables.get(entity);
  if (!table) tables.set(entity, (table = new EntityComponents(entity)));
  componentsHandle.push(L, table);
}

/** The Lua table `component`. */
export const component: Bindings = {
  /** define(name, { fields?, onAdd?, onStart?, onUpdate?, onFrame?, onChange?, onRemove?, methods… }) */
  define(L: lua_State) {
    const name = arg.string(L, 1, 'name');
    if (lua.lua_type(L, 2) !== lua.LUA_TTABLE) arg.table(L, 2, 'definition');
    contextOf(L).components.define(L, 'component.define', name, 2);
    return 0;
  },
};
