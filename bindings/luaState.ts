// Lua tables put back as they were: the state of components over play. What is kept is each table itself with what it held, so
// that whoever holds one of them finds it restored.
import { lua } from 'fengari';
import type { Proxy, lua_State } from 'fengari';

interface Remembered {
  push: Proxy;
  pairs: [key: Proxy, value: Proxy][];
  /** Pushes its metatable; null where it has none. */
  metatable: Proxy | null;
}

/**
 * Answers what puts the table at `index`, and every table reached through its keys and values, back to what it holds
 * now, metatables included. Those in `seen` are left to whoever saw them first; the ones that this call remembers are added.
 */
export function rememberTable(
  L: lua_State,
  index: number,
  seen = new Set<unknown>(),
): (L: lua_State) => void {
  const tables: Remembered[] = [];
  lua.lua_pushvalue(L, index);
  visit(L, seen, tables);
  return (L) => {
    lua.lua_checkstack(L, lua.LUA_MINSTACK);
    for (const { push, pairs, metatable } of tables) {
      push(L);
      if (metatable) metatable(L);
      else lua.lua_pushnil(L);
      lua.lua_setmetatable(L, -2);
      clear(L);
      for (const [key, value] of pairs) {
        key(L);
        value(L);
        lua.lua_rawset(L, -3);
      }
      lua.lua_pop(L, 1);
    }
  };
}

/** Takes the table on top, which it pops, and those below it. */
function visit(L: lua_State, seen: Set<unknown>, tables: Remembered[]): void {
  // A list of tables still to see instead of recursion: a chain of tables may be longer than a stack is deep.
  const waiting: Proxy[] = [];
  const note = () => {
    const pointer = lua.lua_topointer(L, -1);
    if (seen.has(pointer)) return;
    seen.add(pointer);
    waiting.push(lua.lua_toproxy(L, -1));
  };
  note();
  lua.lua_pop(L, 1);
  for (let push = waiting.pop(); push; push = waiting.pop()) {
    lua.lua_checkstack(L, lua.LUA_MINSTACK);
    push(L);
    const pairs: [Proxy, Proxy][] = [];
    let metatable: Proxy | null = null;
    if (lua.lua_getmetatable(L, -1)) {
      metatable = lua.lua_toproxy(L, -1);
      lua.lua_pop(L, 1);
    }
    lua.lua_pushnil(L);
    while (lua.lua_next(L, -2)) {
      if (lua.lua_type(L, -1) === lua.LUA_TTABLE) note();
      const value = lua.lua_toproxy(L, -1);
      lua.lua_pop(L, 1);
      if (lua.lua_type(L, -1) === lua.LUA_TTABLE) note();
      pairs.push([lua.lua_toproxy(L, -1), value]);
    }
    tables.push({ push, pairs, metatable });
    lua.lua_pop(L, 1);
  }
}

/** Empties the table on top. */
function clear(L: lua_State): void {
  // Setting a field to nil is allowed while lua_next walks.
  lua.lua_pushnil(L);
  while (lua.lua_next(L, -2)) {
    lua.lua_pop(L, 1);
    lua.lua_pushvalue(L, -1);
    lua.lua_pushnil(L);
    lua.lua_rawset(L, -4);
  }
}
