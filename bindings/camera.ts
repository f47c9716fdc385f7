// The Lua table `camera`: what the picture is seen through. The work is runtime/world.
import type { lua_State } from 'fengari';
import { contextOf } from './context.js';
import { entityHandle } from './entity.js';
import type { Bindings } from './vm/index.js';

export const camera: Bindings = {
  /** main() -> the on-screen camera's Entity; it frames the world until a script moves it */
  main(L: lua_State) {
    entityHandle.push(L, contextOf(L).runtime.world.mainCamera);
    return 1;
  },
};
