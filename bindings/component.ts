// Components as scripts hold them: `entity.component` (add, get, has, remove, list) and the instance that add and get answer. The
// fields come from each component's own description (runtime/world/component.ts), so a new native component needs nothing here.
import { lua } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import type { Component, ComponentType, FieldType } from '../runtime/world/component.js';
import type { Entity } from '../runtime/world/entity.js';
import type { Vec3 } from '../runtime/world/vector.js';
import { pushVectorValue } from './values.js';
import { arg, defineHandle, nameFunction, push, type HandleType } from './vm/index.js';

const handles = new WeakMap<ComponentType, HandleType<Component>>();

/** Pushes the handle of a component instance: its fields can be read and set, and are checked. */
export function pushComponent(L: lua_State, instance: Component): void {
  handleFor(instance.type).push(L, instance);
}

function handleFor(type: ComponentType): HandleType<Component> {
  let handle = handles.get(type);
  if (handle) return handle;
  const each = <T>(make: (field: FieldType) => T) =>
    Object.fromEntries(type.fields.map((field) => [field.name, make(field)]));
  handle = defineHandle<Component>(type.name, {
    getters: each((field) => (self, L) => pushField(L, field, self.get(field.name))),
    setters: each((field) => (self, L, index) => self.set(field.name, arg.value(L, index))),
    describe: ({ entity }) => `${type.name} of the entity ${entity}`,
    stale: ({ removed, entity }) =>
      removed &&
      (entity.destroyed
        ? `the entity ${entity} was destroyed`
        : `this component was removed from the entity ${entity}`),
  });
  handles.set(type, handle);
  return handle;
}

function pushField(L: lua_State, { kind }: FieldType, value: unknown): void {
  if (value !== null && (kind === 'vector' || kind === 'color')) pushVectorValue(L, value as Vec3);
  else push(L, value);
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
        pushComponent(L, world.addComponent(entity, name, fields));
        return 1;
      },
      get(L) {
        const instance = world.getComponent(entity, arg.string(L, 1, 'name'));
        if (instance) pushComponent(L, instance);
        else lua.lua_pushnil(L);
        return 1;
      },
      has(L) {
        lua.lua_pushboolean(L, world.hasComponent(entity, arg.string(L, 1, 'name')));
        return 1;
      },
      remove(L) {
        lua.lua_pushboolean(L, world.removeComponent(entity, arg.string(L, 1, 'name')));
        return 1;
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
