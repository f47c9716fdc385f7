// The Lua table `input`: what a person holds and has done since the last frame. The work is runtime/input/input.ts.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import type { Input, PointerState } from '../runtime/input/input.js';
import { contextOf } from './context.js';
import { arg, pushInteger, pushKey, setNumber, type Bindings } from './vm/index.js';

const inputOf = (L: lua_State): Input => contextOf(L).runtime.input;

/** Pushes whether a key or button, argument 1, is as `ask` says. */
const question = (ask: (input: Input, name: string) => boolean) => (L: lua_State) => {
  lua.lua_pushboolean(L, ask(inputOf(L), arg.string(L, 1, 'name')));
  return 1;
};

function pushPointer(L: lua_State, { x, y, dx, dy }: PointerState): void {
  lua.lua_createtable(L, 0, 5);
  setNumber(L, 'x', x);
  setNumber(L, 'y', y);
  setNumber(L, 'dx', dx);
  setNumber(L, 'dy', dy);
}

export const input: Bindings = {
  /** isDown(name) -> whether a key or button is held */
  isDown: question((input, name) => input.isDown(name)),

  /** wasPressed(name) -> whether it went down since the last frame */
  wasPressed: question((input, name) => input.wasPressed(name)),

  /** wasReleased(name) -> whether it went up since the last frame */
  wasReleased: question((input, name) => input.wasReleased(name)),

  /** axis(negative, positive) -> -1, 0 or 1 */
  axis(L: lua_State) {
    pushInteger(L, inputOf(L).axis(arg.string(L, 1, 'negative'), arg.string(L, 2, 'positive')));
    return 1;
  },

  /** pointer() -> { x, y, dx, dy }, pixels */
  pointer(L: lua_State) {
    pushPointer(L, inputOf(L).pointer);
    return 1;
  },

  /** wheel() -> notches in this frame */
  wheel(L: lua_State) {
    lua.lua_pushnumber(L, inputOf(L).wheel);
    return 1;
  },

  /** touches() -> list of { id, x, y, dx, dy } */
  touches(L: lua_State) {
    const { touches } = inputOf(L);
    lua.lua_createtable(L, touches.length, 0);
    touches.forEach((touch, i) => {
      pushPointer(L, touch);
      pushKey(L, 'id');
      pushInteger(L, touch.id);
      lua.lua_rawset(L, -3);
      lua.lua_rawseti(L, -2, i + 1);
    });
    return 1;
  },
};
