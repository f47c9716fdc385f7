// The Lua table `entity`, and the entity handle. The work is runtime/world.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { show } from '../runtime/errors.js';
import { Entity } from '../runtime/world/entity.js';
import { pushComponents } from './component.js';
import { contextOf } from './context.js';
import { pushVectorValue } from './values.js';
import { arg, ArgumentError, defineHandle, isHandle, push, pushInteger, type Bindings } from './vm/index.js';

export const entityHandle = defineHandle<Entity>('Entity', {
  kind: Entity,
  module: 'entity',
  getters: {
    id: (self, L) => pushInteger(L, self.id),
    name: (self, L) => push(L, self.name),
    position: (self, L) => pushVectorValue(L, self.position),
    rotation: (self, L) => pushVectorValue(L, self.rotation),
    scale: (self, L) => pushVectorValue(L, self.scale),
    parent: (self, L) => push(L, self.parent),
    children: (self, L) => push(L, self.children),
    component: (self, L) => pushComponents(L, self),
  },
  setters: {
    name: (self, L, i) => void (self.name = arg.string(L, i, 'name')),
    position: (self, L, i) => void (self.position = arg.vector(L, i, 'position')),
    rotation: (self, L, i) => void (self.rotation = arg.vector(L, i, 'rotation')),
    scale: (self, L, i) => void (self.scale = arg.vector(L, i, 'scale')),
    parent: (self, L, i) => void (self.parent = arg.absent(L, i) ? null : entityHandle.check(L, i, 'parent')),
  },
  methods: {
    /** lookAt(point) */
    lookAt(self, L) {
      self.lookAt(arg.vector(L, 2, 'point'));
      return 0;
    },
    /** destroy() */
    destroy(self) {
      self.destroy();
      return 0;
    },
  },
  describe: (self) => `Entity ${self}`,
  stale: (self) => self.destroyed && `the entity ${self} was destroyed`,
  whenStale: ['id'],
});

/** The entity that an argument names by its id or its handle. */
export function entityAt(L: lua_State, index: number, where: string, name = 'id'): Entity {
  const { world } = contextOf(L).runtime;
  if (lua.lua_type(L, index) === lua.LUA_TNUMBER) return world.get(lua.lua_tonumber(L, index), where);
  return entityHandle.check(L, index, name);
}

function answer(L: lua_State, found: Entity | null): number {
  if (found) entityHandle.push(L, found);
  else lua.lua_pushnil(L);
  return 1;
}

export const entity: Bindings = {
  /** create(name?, { position?, rotation?, scale?, parent? }?) -> Entity */
  create(L: lua_State) {
    const context = contextOf(L);
    const name = arg.optString(L, 1, 'name', undefined);
    const options = arg.options(L, 2).only('position', 'rotation', 'scale', 'parent');
    const parent = options.fields.parent;
    if (parent !== undefined && !isHandle(parent, entityHandle))
      throw new ArgumentError(`parent must be an Entity, got ${show(parent)}`);
    const made = context.runtime.world.createEntity(name, options.fields);
    context.addEntity(made);
    return answer(L, made);
  },

  /** find(name) -> Entity or nil */
  find: (L: lua_State) => answer(L, contextOf(L).runtime.world.find(arg.string(L, 1, 'name'))),

  /** get(id) -> Entity */
  get: (L: lua_State) => answer(L, contextOf(L).runtime.world.get(arg.number(L, 1, 'id'))),
};
