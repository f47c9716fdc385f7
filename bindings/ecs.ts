// The Lua table `ecs`: components by entity id, and queries over all entities. `ecs.Transform`, `ecs.Model`… name the components.
import { lua, to_luastring } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import type { Component } from '../runtime/world/component.js';
import type { World } from '../runtime/world/world.js';
import { pushComponent } from './component.js';
import { contextOf } from './context.js';
import { entityAt } from './entity.js';
import { arg, defineHandle, int, push, type Bindings, type Vm } from './vm/index.js';

/** A component's name as a value, so that a misspelt one is seen at its line. */
class ComponentName {
  constructor(readonly name: string) {}
}

const nameHandle = defineHandle('component of ecs', {
  kind: ComponentName,
  module: 'ecs',
  describe: ({ name }) => `ecs.${name}`,
});

const nameAt = (L: lua_State, index: number): string => nameHandle.check(L, index, 'component').name;

/** The instance that an entity has, or null; of a component that is not loaded yet nobody has one. */
const instanceAt = (L: lua_State): Component | null =>
  entityAt(L, 1, 'ecs').components.get(nameAt(L, 2)) ?? null;

export const ecs: Bindings = {
  /** get(id, C) -> the component's fields, which can be read and set, or nil */
  get(L: lua_State) {
    const instance = instanceAt(L);
    if (instance) pushComponent(L, instance);
    else lua.lua_pushnil(L);
    return 1;
  },

  /** has(id, C) -> boolean */
  has(L: lua_State) {
    lua.lua_pushboolean(L, instanceAt(L) !== null);
    return 1;
  },

  /** query(C, …) -> ids of the entities that have all of them */
  query(L: lua_State) {
    const names: string[] = [];
    for (let i = 1; i === 1 || i <= lua.lua_gettop(L); i++) names.push(nameAt(L, i));
    const { world } = contextOf(L).runtime;
    const known = names.every((name) => world.componentTypes.has(name));
    push(L, known ? world.query(...names).map(({ id }) => int(id)) : []);
    return 1;
  },
};

/** Lets `ecs.<Name>` name every component that is known by then or that ships; another name is an error that names the nearest. */
export function openEcs(vm: Vm, world: World): void {
  const values = new Map<string, ComponentName>();
  const index: CFunction = (L) => {
    const name = arg.string(L, 2, 'name');
    if (!world.offered.has(name)) world.componentType(name, 'ecs');
    let value = values.get(name);
    if (!value) values.set(name, (value = new ComponentName(name)));
    nameHandle.push(L, value);
    return 1;
  };
  const { L } = vm;
  lua.lua_getglobal(L, to_luastring('ecs'));
  lua.lua_createtable(L, 0, 1);
  lua.lua_pushcfunction(L, index);
  lua.lua_setfield(L, -2, to_luastring('__index'));
  lua.lua_setmetatable(L, -2);
  lua.lua_pop(L, 1);
}
