// The Lua table `physics`, and the native half of the Lua module `~terrainSystem.modules.terrainCollider`. The work is runtime/physics.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { checkNumber, MoonscapeError } from '../runtime/errors.js';
import type { RaycastHit, RaycastOptions } from '../runtime/physics/physics.js';
import { contextOf, waitFor } from './context.js';
import { entityAt, entityHandle } from './entity.js';
import { heightfieldHandle } from './terrainHeightfield.js';
import { given } from './values.js';
import { arg, pushKey, pushVector, setNumber, type Bindings } from './vm/index.js';

export const physics: Bindings = {
  /** raycast { origin, direction, maxDistance? } -> { entity, point, normal, distance } or nil. May wait the first time. */
  raycast(L: lua_State) {
    const options = arg.options(L, 1, 'options', true).only('origin', 'direction', 'maxDistance');
    const ray = given({
      origin: options.need('origin', options.vector('origin')),
      direction: options.need('direction', options.vector('direction')),
      maxDistance: options.fields.maxDistance === Infinity ? undefined : options.number('maxDistance'),
    }) as RaycastOptions;
    const { physics } = contextOf(L).runtime;
    if (physics.ready) return pushHit(L, physics.raycast(ray));
    return waitFor(
      L,
      async () => {
        await physics.prepare();
        return physics.raycast(ray);
      },
      pushHit,
    );
  },

  /** step(dt): advances play by dt seconds, which count as time. May wait the first time. */
  step(L: lua_State) {
    const { runtime } = contextOf(L);
    const dt = checkNumber('physics.step', 'dt', arg.number(L, 1, 'dt'), { min: 0, max: 60 });
    if (runtime.mode !== 'play')
      throw new MoonscapeError('physics.step: nothing moves in edit; begin with scene.play()');
    const step = () => {
      runtime.time += dt;
      return runtime.physics.step(dt);
    };
    if (runtime.physics.busy) return waitFor(L, async () => step());
    void step();
    return 0;
  },
};

function pushHit(L: lua_State, hit: RaycastHit | null): number {
  if (!hit) {
    lua.lua_pushnil(L);
    return 1;
  }
  const { entity, point, normal, distance } = hit;
  lua.lua_createtable(L, 0, 4);
  pushKey(L, 'entity');
  entityHandle.push(L, entity);
  lua.lua_rawset(L, -3);
  pushKey(L, 'point');
  pushVector(L, point.x, point.y, point.z);
  lua.lua_rawset(L, -3);
  pushKey(L, 'normal');
  pushVector(L, normal.x, normal.y, normal.z);
  lua.lua_rawset(L, -3);
  setNumber(L, 'distance', distance);
  return 1;
}

export const terrainCollider: Bindings = {
  /** add(entityId, hf) */
  add(L: lua_State) {
    const entity = entityAt(L, 1, 'terrainCollider.add', 'entityId');
    contextOf(L).runtime.physics.addGround(entity.id, heightfieldHandle.check(L, 2, 'hf'));
    return 0;
  },

  /** remove(entityId) -> whether it had ground */
  remove(L: lua_State) {
    const entity = entityAt(L, 1, 'terrainCollider.remove', 'entityId');
    lua.lua_pushboolean(L, contextOf(L).runtime.physics.removeGround(entity.id));
    return 1;
  },
};
