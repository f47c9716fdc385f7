// The Lua table `ecs`: components by entity id, and queries over all entities. `ecs.Transform`, `ecs.Model`… name the components.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import type { World } from '../runtime/world/world.js';
import { pushComponent } from './component.js';
import { contextOf } from './context.js';
import { entityAt } from './entity.js';
import { defineHandle, int, push, type Bindings } from './vm/index.js';

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

const functions: Bindings = {
  /** get(id, C) -> the component's fields, which can be read and set, or nil */
  get(L: lua_State) {
    const instance = entityAt(L, 1, 'ecs.get').components.get(nameAt(L, 2));
    if (instance) pushComponent(L, instance);
    else lua.lua_pushnil(L);
    return 1;
  },

  /** has(id, C) -> boolean */
  has(L: lua_State) {
    lua.lua_pushboolean(L, entityAt(L, 1, 'ecs.has').components.has(nameAt(L, 2)));
    return 1;
  },

  /** query(C, …) -> ids of the entities that have all of them */
  query(L: lua_State) {
    const names: string[] = [];
    for (let i = 1; i === 1 || i <= lua.lua_gettop(L); i++) names.push(nameAt(L, i));
    push(
      L,
      contextOf(L)
        .runtime.world.query(...names)
        .map(({ id }) => int(id)),
    );
    return 1;
  },
};

/** The table `ecs` for a world: its functions, and a value for each component the world knows. */
export function ecsFor(world: World): Bindings {
  const names = [...world.componentTypes.keys()].map((name) => [name, new ComponentName(name)]);
  return { ...functions, ...Object.fromEntries(names) };
}
