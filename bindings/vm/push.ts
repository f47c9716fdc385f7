// JavaScript values pushed onto a Lua stack.
import { lua, to_luastring } from 'fengari';
import type { Proxy, lua_State } from 'fengari';
import { NUMBER_KEYS } from '../../runtime/world/component.js';
import { handleOf, handleTypeOf } from './handle.js';
import { LuaFunction } from './reference.js';
import { vmOf } from './state.js';

/** A number that Lua is to see as an integer (counts, indices): `int(n)`. */
export class LuaInteger {
  constructor(readonly value: number) {}
}

/** Marks a count or an index, which Lua prints without `.0`; every other number is a float, so that nothing wraps at 2^31. */
export const int = (value: number): LuaInteger => new LuaInteger(value);

/** Names that JavaScript writes as table keys are kept ready; more than these are made anew each time. */
const MAX_KEYS = 4096;

/** Pushes `name` as a Lua string, ready hashed after its first use. */
export function pushKey(L: lua_State, name: string): void {
  const keys = vmOf(L).keys;
  let key = keys.get(name);
  if (!key) {
    lua.lua_pushstring(L, to_luastring(name));
    key = lua.lua_toproxy(L, -1);
    if (keys.size < MAX_KEYS) keys.set(name, key);
    return;
  }
  key(L);
}

/** Pushes a whole number as a Lua integer if 32 bits hold it, else as a float. */
export function pushInteger(L: lua_State, value: number): void {
  if (value === (value | 0)) lua.lua_pushinteger(L, value | 0);
  else lua.lua_pushnumber(L, value);
}

/** Sets field `name` of the table on top to the number `value`. */
export function setNumber(L: lua_State, name: string, value: number): void {
  pushKey(L, name);
  lua.lua_pushnumber(L, value);
  lua.lua_rawset(L, -3);
}

/** Pushes `{ x =, y =, z = }`. */
export function pushVector(L: lua_State, x: number, y: number, z: number): void {
  lua.lua_createtable(L, 0, 3);
  setNumber(L, 'x', x);
  setNumber(L, 'y', y);
  setNumber(L, 'z', z);
}

/** Pushes a list of numbers: whole-number arrays as integers, the others as floats. */
export function pushNumbers(L: lua_State, numbers: ArrayLike<number>): void {
  const whole =
    ArrayBuffer.isView(numbers) && !(numbers instanceof Float32Array || numbers instanceof Float64Array);
  lua.lua_createtable(L, numbers.length, 0);
  for (let i = 0; i < numbers.length; i++) {
    if (whole) pushInteger(L, numbers[i]);
    else lua.lua_pushnumber(L, numbers[i]);
    lua.lua_rawseti(L, -2, i + 1);
  }
}

/**
 * Pushes any value: undefined and null as nil, numbers as floats (`int` for integers), typed arrays and arrays as lists, plain
 * objects as tables (undefined fields left out), LuaFunctions as themselves, and objects of a handle class (its `kind`, or pushed
 * before) as their handles. Throws a TypeError for anything else.
 */
export function push(L: lua_State, value: unknown): void {
  switch (typeof value) {
    case 'number':
      return lua.lua_pushnumber(L, value);
    case 'boolean':
      return lua.lua_pushboolean(L, value);
    case 'string':
      lua.lua_pushstring(L, to_luastring(value));
      return;
    case 'undefined':
      return lua.lua_pushnil(L);
    case 'object':
      return value === null ? lua.lua_pushnil(L) : pushObject(L, value);
    default:
      throw new TypeError(`a ${typeof value} cannot be pushed to Lua`);
  }
}

function pushObject(L: lua_State, value: object): void {
  if (value instanceof LuaInteger) return pushInteger(L, value.value);
  if (value instanceof LuaFunction) return value.push(L);
  const handle: Proxy | undefined = handleOf(L, value);
  if (handle) return handle(L);
  lua.lua_checkstack(L, 4);
  if (ArrayBuffer.isView(value)) return pushNumbers(L, value as unknown as ArrayLike<number>);
  if (Array.isArray(value)) {
    lua.lua_createtable(L, value.length, 0);
    for (let i = 0; i < value.length; i++) {
      push(L, value[i]);
      lua.lua_rawseti(L, -2, i + 1);
    }
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) {
    const type = handleTypeOf(value);
    if (!type)
      throw new TypeError(`a ${value.constructor.name} cannot be pushed to Lua without a handle class`);
    return type.push(L, value);
  }
  lua.lua_createtable(L, 0, 4);
  const { [NUMBER_KEYS]: numbers } = value as { [NUMBER_KEYS]?: ReadonlySet<string> };
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined || field === null) continue;
    if (numbers?.has(name)) pushInteger(L, Number(name));
    else pushKey(L, name);
    push(L, field);
    lua.lua_rawset(L, -3);
  }
}
