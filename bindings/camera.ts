// The Lua table `camera`: what the picture is seen through. The work is runtime/world.
import type { lua_State } from 'fengari';
import { contextOf } from './context.js';
import { entityHandle } from './entity.js';
import { CONTROL_STYLES } from '../runtime/controls/cameraControls.js';
import { arg, push, type Bindings } from './vm/index.js';

export const camera: Bindings = {
  /** main() -> the on-screen camera's Entity; it frames the world until a script moves it */
  main(L: lua_State) {
    entityHandle.push(L, contextOf(L).runtime.world.mainCamera);
    return 1;
  },

  /** pick(px, py) -> { origin, direction }: the ray through a pixel of the picture, as physics.raycast takes it */
  pick(L: lua_State) {
    push(L, contextOf(L).runtime.pick(arg.number(L, 1, 'px'), arg.number(L, 2, 'py')));
    return 1;
  },

  /** setControls("none" | "orbit" | "fly" | "map"): how a person moves the on-screen camera */
  setControls(L: lua_State) {
    contextOf(L).runtime.controls.style = arg.oneOf(L, 1, 'style', CONTROL_STYLES);
    return 0;
  },

  /** getControls() -> style */
  getControls(L: lua_State) {
    push(L, contextOf(L).runtime.controls.style);
    return 1;
  },
};
