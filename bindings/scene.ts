// The Lua table `scene`: the scene's clock and its callbacks. The work is runtime/runtime.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { contextOf } from './context.js';
import { arg, push, type Bindings } from './vm/index.js';

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
