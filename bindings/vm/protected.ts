// pcall and xpcall as Lua has them, except that no script can catch an Abort. Waits pass through both.
import { lauxlib, lua, to_luastring } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import { vmOf } from './state.js';

/** Fengari's status of a call that failed without an error value: an Abort, or a fault in the error handling itself. */
const NO_VALUE = -1;

/** Ends pcall (`skip` 0) and xpcall (`skip` 2): the results above slot `skip`, `true` first; or false and the error. */
function finish(L: lua_State, status: number, skip: number): number {
  const { aborted } = vmOf(L);
  if (aborted) throw aborted;
  if (status === lua.LUA_OK || status === lua.LUA_YIELD) return lua.lua_gettop(L) - skip;
  lua.lua_pushboolean(L, false);
  if (status === NO_VALUE || lua.lua_type(L, -2) === lua.LUA_TLIGHTUSERDATA)
    lua.lua_pushstring(L, to_luastring('internal fault: an error could not be shown'));
  else lua.lua_pushvalue(L, -2);
  return 2;
}

/** `pcall(f, …)`. */
export const pcall: CFunction = (L) => {
  lauxlib.luaL_checkany(L, 1);
  lua.lua_pushboolean(L, true);
  lua.lua_insert(L, 1);
  return finish(L, lua.lua_pcallk(L, lua.lua_gettop(L) - 2, lua.LUA_MULTRET, 0, 0, finish), 0);
};

/** `xpcall(f, handler, …)`. */
export const xpcall: CFunction = (L) => {
  const top = lua.lua_gettop(L);
  lauxlib.luaL_checktype(L, 2, lua.LUA_TFUNCTION);
  lua.lua_pushboolean(L, true);
  lua.lua_pushvalue(L, 1);
  lua.lua_rotate(L, 3, 2);
  return finish(L, lua.lua_pcallk(L, top - 2, lua.LUA_MULTRET, 2, 2, finish), 2);
};
