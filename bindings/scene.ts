// The Lua table `scene`: the scene's clock, its callbacks, play, and scene files. The work is runtime/runtime.ts and
// runtime/world/sceneFile.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { contextOf, waitFor } from './context.js';
import { arg, push, type Bindings } from './vm/index.js';

/** What reads and writes scene files comes with the first of them. */
const sceneFiles = () => import('../runtime/world/sceneFile.js');

function turn(L: lua_State, way: 'play' | 'stop'): number {
  const { runtime } = contextOf(L);
  return waitFor(L, () => runtime[way]());
}

export const scene: Bindings = {
  /** onUpdate(function(dt) end): called every frame, in edit and in play; one that still waits is not entered again. */
  onUpdate(L: lua_State) {
    const context = contextOf(L);
    const callback = context.vm.callback(arg.func(L, 1, 'callback'));
    context.addCallback(
      context.runtime.onUpdate(async (dt) => {
        await callback.enter(dt);
      }),
    );
    return 0;
  },

  /** play(): begins play; returns once every component's onStart has ended. */
  play: (L: lua_State) => turn(L, 'play'),

  /** stop(): ends play and puts the world back as it was; returns once that is done. */
  stop: (L: lua_State) => turn(L, 'stop'),

  /** save(path) -> path: writes the entities, their components and what these refer to. Edit only. */
  save(L: lua_State) {
    const path = arg.string(L, 1, 'path');
    const context = contextOf(L);
    return waitFor(
      L,
      async () => (await sceneFiles()).saveScene(context.runtime, path),
      (L) => (push(L, path), 1),
    );
  },

  /** load(path): the world becomes what the file says. Edit only. */
  load(L: lua_State) {
    const path = arg.string(L, 1, 'path');
    const context = contextOf(L);
    return waitFor(L, async () =>
      (await sceneFiles()).loadScene(context.runtime, path, {
        need: (name) => context.components.need(name),
        made: (entity) => context.addEntity(entity),
        mesh: (guid) => context.addMesh(guid),
        material: (guid) => context.addMaterial(guid),
      }),
    );
  },

  /** time() -> seconds of frames so far */
  time(L: lua_State) {
    lua.lua_pushnumber(L, contextOf(L).runtime.time);
    return 1;
  },

  /** mode() -> "edit" or "play" */
  mode(L: lua_State) {
    push(L, contextOf(L).runtime.mode);
    return 1;
  },
};
