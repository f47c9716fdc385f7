// Arguments of bindings. `number(L, 2, 'x')` reads argument 2, which messages call `x`; a refusal reads
// `<module>.<function>: x must be a finite number, got "a"`, the binding's name being put in front by `nativeError`.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import { nearest, ruleOf, show, within } from '../../runtime/errors.js';
import type { Range } from '../../runtime/errors.js';
import { ArgumentError, refuseArgument } from './errors.js';
import { handleTypeOf, typeNameAt, withArticle } from './handle.js';
import type { HandleType } from './handle.js';
import { read, text } from './read.js';
import type { LuaRecord } from './read.js';
import { LuaFunction } from './reference.js';

/** The part of a value's type tag that says what it is to scripts (the rest tells floats from integers). */
const BASIC_TYPE = 15;
const NUMBER = lua.LUA_TNUMBER;

/** True if argument `i` is nil or was left out. */
export const absent = (L: lua_State, i: number): boolean => lua.lua_type(L, i) <= lua.LUA_TNIL;

const refuseAt = (L: lua_State, i: number, name: string, rule: string): never => {
  throw new ArgumentError(`${name} must be ${rule}, got ${typeNameAt(L, i)}`);
};

/** A finite number within `range`. Strings are no numbers here. */
export function number(L: lua_State, i: number, name: string, range?: Range): number {
  // What lua_type and lua_tonumber would find, in one look: this is the hot path of every query.
  const at = i > 0 ? L.ci.funcOff + i : L.top + i;
  if (at < L.top) {
    const slot = L.stack[at];
    const value = slot.value as number;
    if ((slot.type & BASIC_TYPE) === NUMBER && value - value === 0)
      if (range === undefined || within(value, range)) return value;
  }
  return refuseAt(L, i, name, ruleOf('a finite number', range ?? {}));
}

/** A finite number, or `fallback` where the argument was left out. */
export function optNumber<T>(L: lua_State, i: number, name: string, fallback: T, range?: Range): number | T {
  return absent(L, i) ? fallback : number(L, i, name, range);
}

/** A whole number within `range` (`3.0` is one). */
export function integer(L: lua_State, i: number, name: string, range: Range = {}): number {
  if (lua.lua_type(L, i) === lua.LUA_TNUMBER) {
    const value = lua.lua_tonumber(L, i);
    if (Number.isInteger(value) && within(value, range)) return value;
  }
  return refuseAt(L, i, name, ruleOf('an integer', range));
}

/** A whole number, or `fallback` where the argument was left out. */
export function optInteger<T>(L: lua_State, i: number, name: string, fallback: T, range?: Range): number | T {
  return absent(L, i) ? fallback : integer(L, i, name, range);
}

/** A string. Numbers are no strings here. */
export function string(L: lua_State, i: number, name: string): string {
  return lua.lua_type(L, i) === lua.LUA_TSTRING
    ? text(lua.lua_tostring(L, i)!)
    : refuseAt(L, i, name, 'a string');
}

/** A string, or `fallback` where the argument was left out. */
export function optString<T>(L: lua_State, i: number, name: string, fallback: T): string | T {
  return absent(L, i) ? fallback : string(L, i, name);
}

/** true or false. */
export function boolean(L: lua_State, i: number, name: string): boolean {
  return lua.lua_type(L, i) === lua.LUA_TBOOLEAN
    ? lua.lua_toboolean(L, i)
    : refuseAt(L, i, name, 'true or false');
}

/** One of the strings `allowed`. */
export function oneOf<T extends string>(L: lua_State, i: number, name: string, allowed: readonly T[]): T {
  return asOneOf(name, read(L, i), allowed);
}

/** A function, kept for calls that answer at once (`LuaFunction.call`) or for `Vm.call`. */
export function func(L: lua_State, i: number, name: string): LuaFunction {
  return lua.lua_type(L, i) === lua.LUA_TFUNCTION
    ? (read(L, i) as LuaFunction)
    : refuseAt(L, i, name, 'a function');
}

/** `{ x =, y =, z = }` or `{ 1, 2, 3 }`: three finite numbers. */
export function vector(L: lua_State, i: number, name: string): [number, number, number] {
  return asVector(name, read(L, i));
}

/** Two finite numbers: `{ 1, 2 }`, or the two fields named by `keys` (`{ x =, z = }`, `{ width =, depth = }`). */
export function vector2(L: lua_State, i: number, name: string, keys = PLANE): [number, number] {
  return asVector2(name, read(L, i), keys);
}

/** `{ low, high }` or `{ low =, high = }`, low at most high. */
export function range(L: lua_State, i: number, name: string): [number, number] {
  return asRange(name, read(L, i));
}

/** A list of finite numbers, of `length` of them if that is given. */
export function numbers(L: lua_State, i: number, name: string, length?: number): Float64Array {
  if (lua.lua_type(L, i) !== lua.LUA_TTABLE) return refuseAt(L, i, name, listRule(length));
  const count = lua.lua_rawlen(L, i);
  if (length !== undefined && count !== length)
    throw new ArgumentError(`${name} must be ${listRule(length)}, got ${count}`);
  const values = new Float64Array(count);
  for (let n = 1; n <= count; n++) {
    lua.lua_rawgeti(L, i, n);
    values[n - 1] = number(L, -1, `${name}[${n}]`);
    lua.lua_pop(L, 1);
  }
  return values;
}

const listRule = (length?: number) =>
  length === undefined ? 'a list of numbers' : `a list of ${length} numbers`;

/** A table of any shape, as `read` gives it. */
export function table(L: lua_State, i: number, name: string): LuaRecord {
  return lua.lua_type(L, i) === lua.LUA_TTABLE ? (read(L, i) as LuaRecord) : refuseAt(L, i, name, 'a table');
}

/** An option table; one that was left out is empty, unless `required`. */
export function options(L: lua_State, i: number, name = 'options', required = false): Options {
  return new Options(absent(L, i) && !required ? Object.create(null) : table(L, i, name));
}

/** Any value, as `read` gives it. */
export const value = (L: lua_State, i: number): unknown => read(L, i);

/** True if `value`, as `read` gave it, was a handle of class `type`. */
export const isHandle = <T extends object>(value: unknown, type: HandleType<T>): value is T =>
  typeof value === 'object' && value !== null && (handleTypeOf(value) as unknown) === type;

const PLANE: readonly [string, string] = ['x', 'z'];
const isFiniteNumber = (value: unknown): value is number => Number.isFinite(value);
const field = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string | number, unknown>)[key]
    : undefined;

/** Checks a value that came from a table as `vector` does an argument. */
export function asVector(name: string, value: unknown): [number, number, number] {
  const list =
    Array.isArray(value) && value.length === 3 ? value : ['x', 'y', 'z'].map((key) => field(value, key));
  if (list.every(isFiniteNumber)) return list as [number, number, number];
  return refuseArgument(name, '{ x =, y =, z = } or { x, y, z } of finite numbers', value);
}

/** As `vector2`, for a value that came from a table. */
export function asVector2(name: string, value: unknown, keys = PLANE): [number, number] {
  const named = (names: readonly string[]) => names.map((key) => field(value, key));
  const lists = Array.isArray(value) && value.length === 2 ? [value] : [named(keys), named(PLANE)];
  for (const list of lists) if (list.every(isFiniteNumber)) return list as [number, number];
  return refuseArgument(name, `{ ${keys.join(', ')} } of finite numbers`, value);
}

/** As `range`, for a value that came from a table. */
export function asRange(name: string, value: unknown): [number, number] {
  const [low, high] =
    Array.isArray(value) && value.length === 2 ? value : [field(value, 'low'), field(value, 'high')];
  if (isFiniteNumber(low) && isFiniteNumber(high) && low <= high) return [low, high];
  return refuseArgument(name, '{ low, high } with low at most high', value);
}

/** As `numbers`, for a value that came from a table. */
export function asNumbers(name: string, value: unknown, length?: number): Float64Array {
  const list = Array.isArray(value) ? value : isEmpty(value) ? [] : null;
  if (!list || (length !== undefined && list.length !== length))
    return refuseArgument(name, listRule(length), value);
  const wrong = list.findIndex((item) => !isFiniteNumber(item));
  if (wrong >= 0) return refuseArgument(`${name}[${wrong + 1}]`, 'a finite number', list[wrong]);
  return Float64Array.from(list as number[]);
}

/** An empty table reads as a record, and is an empty list too. */
const isEmpty = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === null &&
  Object.keys(value).length === 0;

function asOneOf<T extends string>(name: string, value: unknown, allowed: readonly T[]): T {
  if (allowed.includes(value as T)) return value as T;
  return refuseArgument(name, `one of ${allowed.map((item) => `"${item}"`).join(', ')}`, value);
}

/**
 * The fields of an option table. Each method returns the field checked, or `undefined` where the script left it out; messages name
 * the field. `fields` is the plain record, for runtime functions that check it themselves.
 */
export class Options {
  constructor(readonly fields: LuaRecord) {}

  /** True if the script wrote the field. */
  has(name: string): boolean {
    return this.fields[name] !== undefined;
  }

  /** Refuses fields other than `allowed`, naming the nearest one. */
  only(...allowed: string[]): this {
    for (const name of Object.keys(this.fields)) {
      if (allowed.includes(name)) continue;
      const near = nearest(name, allowed);
      throw new ArgumentError(
        `there is no field ${show(name)}${near ? ` (did you mean "${near}"?)` : ''}; the fields are ${allowed.join(', ')}`,
      );
    }
    return this;
  }

  number(name: string, range: Range = {}): number | undefined {
    return this.#get(name, ruleOf('a finite number', range), (v) => isFiniteNumber(v) && within(v, range)) as
      number | undefined;
  }

  integer(name: string, range: Range = {}): number | undefined {
    return this.#get(
      name,
      ruleOf('an integer', range),
      (v) => Number.isInteger(v) && within(v as number, range),
    ) as number | undefined;
  }

  string(name: string): string | undefined {
    return this.#get(name, 'a string', (v) => typeof v === 'string') as string | undefined;
  }

  boolean(name: string): boolean | undefined {
    return this.#get(name, 'true or false', (v) => typeof v === 'boolean') as boolean | undefined;
  }

  func(name: string): LuaFunction | undefined {
    return this.#get(name, 'a function', (v) => v instanceof LuaFunction) as LuaFunction | undefined;
  }

  table(name: string): LuaRecord | undefined {
    return this.#get(name, 'a table', (v) => typeof v === 'object' && !(v instanceof LuaFunction)) as
      LuaRecord | undefined;
  }

  /** The object of a handle of class `type`; a stale one is refused. */
  handle<T extends object>(name: string, type: HandleType<T>): T | undefined {
    const object = this.#get(name, withArticle(type.name), (v) => isHandle(v, type)) as T | undefined;
    const gone = object && type.spec.stale?.(object);
    if (gone) throw new ArgumentError(`${name}: ${gone}`);
    return object;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return this.has(name) ? asOneOf(name, this.fields[name], allowed) : undefined;
  }

  vector(name: string): [number, number, number] | undefined {
    return this.has(name) ? asVector(name, this.fields[name]) : undefined;
  }

  vector2(name: string, keys?: readonly [string, string]): [number, number] | undefined {
    return this.has(name) ? asVector2(name, this.fields[name], keys) : undefined;
  }

  range(name: string): [number, number] | undefined {
    return this.has(name) ? asRange(name, this.fields[name]) : undefined;
  }

  numbers(name: string, length?: number): Float64Array | undefined {
    return this.has(name) ? asNumbers(name, this.fields[name], length) : undefined;
  }

  /** `value`, unless the script left the field `name` out: then an error that names it. */
  need<T>(name: string, value: T | undefined): T {
    if (value === undefined) throw new ArgumentError(`${name} is missing`);
    return value;
  }

  #get(name: string, rule: string, accept: (value: unknown) => boolean): unknown {
    const value = this.fields[name];
    if (value === undefined || accept(value)) return value;
    return refuseArgument(name, rule, value);
  }
}
