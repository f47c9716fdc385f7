// A Lua function that JavaScript keeps: for callbacks that answer at once (terrain.map, keep). Those that may wait go through
// Vm.call and Callback.
import { lua } from 'fengari';
import type { Proxy, lua_State } from 'fengari';
import { MoonscapeError } from '../../runtime/errors.js';
import { keepTraceback, takeError } from './errors.js';
import { push } from './push.js';
import { read } from './read.js';
import type { Vm } from './vm.js';

/**
 * A callable Lua function. It lives as long as JavaScript holds it (there is no registry slot to leak); `release` lets go earlier.
 * An error in the function comes out as a LuaError; a wait inside is refused.
 */
export class LuaFunction {
  readonly #vm: Vm;
  #push: Proxy | null;

  constructor(vm: Vm, pushFunction: Proxy) {
    this.#vm = vm;
    this.#push = pushFunction;
  }

  /** Calls the function at once and returns its first result. */
  call(...args: unknown[]): unknown {
    const L = this.#begin(args.length);
    const top = lua.lua_gettop(L) - 2;
    for (const arg of args) push(L, arg);
    this.#finish(L, top, args.length, 1);
    const result = read(L, -1);
    lua.lua_settop(L, top);
    return result;
  }

  /** As `call`, with three numbers: for a function that is asked at each of many places. */
  callNumbers(a: number, b: number, c: number): unknown {
    const L = this.#begin(3);
    const top = lua.lua_gettop(L) - 2;
    lua.lua_pushnumber(L, a);
    lua.lua_pushnumber(L, b);
    lua.lua_pushnumber(L, c);
    this.#finish(L, top, 3, 1);
    const result = read(L, -1);
    lua.lua_settop(L, top);
    return result;
  }

  /** As `call`, with all results. */
  callMulti(...args: unknown[]): unknown[] {
    const L = this.#begin(args.length);
    const top = lua.lua_gettop(L) - 2;
    for (const arg of args) push(L, arg);
    this.#finish(L, top, args.length, lua.LUA_MULTRET);
    const results: unknown[] = [];
    for (let i = top + 2; i <= lua.lua_gettop(L); i++) results.push(read(L, i));
    lua.lua_settop(L, top);
    return results;
  }

  /** Pushes the function itself. */
  push(L: lua_State): void {
    if (!this.#push) throw new MoonscapeError('this Lua function was released');
    this.#push(L);
  }

  /** Lets go of the function. A later call is an error. */
  release(): void {
    this.#push = null;
  }

  /** Pushes the message handler and the function on the thread that runs. */
  #begin(args: number): lua_State {
    const L = this.#vm.running ?? this.#vm.L;
    lua.lua_checkstack(L, args + lua.LUA_MINSTACK);
    lua.lua_pushcfunction(L, keepTraceback);
    this.push(L);
    return L;
  }

  /** Calls; leaves the results above slot `top + 1`, or throws with the stack cut back to `top`. */
  #finish(L: lua_State, top: number, args: number, results: number): void {
    const vm = this.#vm;
    const status = vm.protect(L, args, results, top + 1);
    if (status === lua.LUA_OK) return;
    const error = vm.takeAbort() ?? takeError(L, L, 0);
    lua.lua_settop(L, top);
    throw error;
  }
}
