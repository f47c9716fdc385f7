// Puts bindings into Lua. A binding module is a plain object of C functions; tables of functions nest (`renderer.mesh.create`).
// Each function is known to error messages by its path, so that a binding only says which argument is wrong.
import { lua, lauxlib, to_luastring } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import { nameFunction } from './errors.js';
import { push } from './push.js';

/** A binding module: functions, tables of functions, and constants that `push` knows. */
export interface Bindings {
  [name: string]: CFunction | Bindings | string | number | boolean | object;
}

/** Pushes a table of `bindings`; messages call its functions `<module>.<name>`. */
export function pushBindings(L: lua_State, module: string, bindings: Bindings): void {
  lua.lua_checkstack(L, 8);
  lua.lua_createtable(L, 0, 8);
  for (const [name, binding] of Object.entries(bindings)) {
    if (typeof binding === 'function') {
      nameFunction(binding as CFunction, `${module}.${name}`);
      lua.lua_pushcfunction(L, binding as CFunction);
    } else if (typeof binding === 'object' && Object.getPrototypeOf(binding) === Object.prototype) {
      pushBindings(L, `${module}.${name}`, binding as Bindings);
    } else push(L, binding);
    lua.lua_setfield(L, -2, to_luastring(name));
  }
}

/** Sets the global `module` to a table of `bindings`, and makes tracebacks know its functions by name. */
export function registerGlobal(L: lua_State, module: string, bindings: Bindings): void {
  pushBindings(L, module, bindings);
  nameInTracebacks(L, module);
  lua.lua_setglobal(L, to_luastring(module));
}

/** Lets tracebacks name the functions of the table on top. */
export function nameInTracebacks(L: lua_State, module: string): void {
  lauxlib.luaL_getsubtable(L, lua.LUA_REGISTRYINDEX, to_luastring('_LOADED'));
  lua.lua_pushvalue(L, -2);
  lua.lua_setfield(L, -2, to_luastring(module));
  lua.lua_pop(L, 1);
}
