// Lua values as JavaScript sees them. Nothing here knows of argument names; args.ts does the checking.
import { lua } from 'fengari';
import type { LuaString, lua_State } from 'fengari';
import { NUMBER_KEYS } from '../../runtime/world/component.js';
import { ArgumentError } from './errors.js';
import { HandleData } from './handle.js';
import { LuaFunction } from './reference.js';
import { vmOf } from './state.js';

const decoder = new TextDecoder();

/** Bytes of a Lua string as text; bytes that are no UTF-8 become U+FFFD. */
export const text = (bytes: LuaString): string => decoder.decode(bytes);

/** Tables deeper than this are refused (a table that holds itself is deeper than any number). */
const MAX_DEPTH = 16;

/** A record made of a Lua table: no prototype, so that a field a script did not write is never there. */
export type LuaRecord = Record<string, unknown>;

/**
 * The value at `index` for JavaScript: nil is undefined; a table is a list (keys 1..n only) or a record without prototype (an empty
 * table is a record, and one with other numbers for keys says under NUMBER_KEYS which these are); a handle is the object behind it; a function is a LuaFunction. Throws for keys that are neither strings nor
 * numbers, and for threads.
 */
export function read(L: lua_State, index: number, depth = 0): unknown {
  switch (lua.lua_type(L, index)) {
    case lua.LUA_TNONE:
    case lua.LUA_TNIL:
      return undefined;
    case lua.LUA_TNUMBER:
      return lua.lua_tonumber(L, index);
    case lua.LUA_TBOOLEAN:
      return lua.lua_toboolean(L, index);
    case lua.LUA_TSTRING:
      return text(lua.lua_tostring(L, index)!);
    case lua.LUA_TFUNCTION:
      return new LuaFunction(vmOf(L), lua.lua_toproxy(L, index));
    case lua.LUA_TUSERDATA: {
      const data = lua.lua_touserdata(L, index);
      if (data instanceof HandleData) return data.object;
      break;
    }
    case lua.LUA_TTABLE:
      return readTable(L, lua.lua_absindex(L, index), depth);
  }
  throw new ArgumentError(`a ${text(lua.lua_typename(L, lua.lua_type(L, index)))} cannot be passed here`);
}

function readTable(L: lua_State, index: number, depth: number): unknown[] | LuaRecord {
  if (depth >= MAX_DEPTH) throw new ArgumentError(`a table may be at most ${MAX_DEPTH} tables deep`);
  lua.lua_checkstack(L, 4);
  const length = lua.lua_rawlen(L, index);
  const list: unknown[] = new Array(length);
  for (let i = 1; i <= length; i++) {
    lua.lua_rawgeti(L, index, i);
    list[i - 1] = read(L, -1, depth + 1);
    lua.lua_pop(L, 1);
  }
  const record: LuaRecord = Object.create(null);
  const numbers = new Set<string>();
  let fields = 0;
  lua.lua_pushnil(L);
  while (lua.lua_next(L, index)) {
    const key = readKey(L, -2);
    if (typeof key !== 'number' || !Number.isInteger(key) || key < 1 || key > length) {
      record[key] = read(L, -1, depth + 1);
      if (typeof key === 'number') numbers.add(`${key}`);
      fields++;
    }
    lua.lua_pop(L, 1);
  }
  if (length > 0 && fields === 0) return list;
  for (let i = 0; i < length; i++) {
    record[i + 1] = list[i];
    numbers.add(`${i + 1}`);
  }
  if (numbers.size > 0) Object.defineProperty(record, NUMBER_KEYS, { value: numbers });
  return record;
}

function readKey(L: lua_State, index: number): string | number {
  const type = lua.lua_type(L, index);
  if (type === lua.LUA_TNUMBER) return lua.lua_tonumber(L, index);
  if (type === lua.LUA_TSTRING) return text(lua.lua_tostring(L, index)!);
  throw new ArgumentError(
    `a table's keys must be strings or numbers, got a ${text(lua.lua_typename(L, type))}`,
  );
}
