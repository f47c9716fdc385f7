// Handles: objects of the engine as Lua userdata. Methods stand in a plain table, so that `hf:heightAt(x, z)` is one table look-up and
// one call; fields are getters that are asked only when no method has the name. One object has one userdata, so handles compare
// with `==`.
import { lua, to_luastring } from 'fengari';
import type { CFunction, Proxy, Udata, lua_State } from 'fengari';
import { nearest } from '../../runtime/errors.js';
import { ArgumentError, nameFunction } from './errors.js';
import { vmOf } from './state.js';

const USERDATA = lua.LUA_TUSERDATA;

/** What our userdata hold: the tag by which a handle is known, and the object. */
export class HandleData {
  constructor(
    readonly type: HandleType<object>,
    readonly object: object,
  ) {}
}

/** How a class of handles behaves. Every function gets the object, checked; arguments of methods start at index 2. */
export interface HandleClass<T extends object> {
  /** The JavaScript class whose objects `push` may push by themselves as handles of this class. */
  kind?: { readonly prototype: T };
  /** The Lua module that errors name (`terrainHeightfield.heightAt: …`); the class's own name if left out. */
  module?: string;
  /** Methods: push results, return their number. */
  methods?: Record<string, (self: T, L: lua_State) => number>;
  /**
   * Methods on a hot path that take two numbers and answer one. They get the numbers as they are (NaN and infinite ones too), and are
   * not asked whether the handle is stale: the object's own method says so.
   */
  numeric?: Record<string, NumericMethod<T>>;
  /** Fields: push exactly one value. */
  getters?: Record<string, (self: T, L: lua_State) => void>;
  /** Fields that scripts may set: the new value is at `index`. */
  setters?: Record<string, (self: T, L: lua_State, index: number) => void>;
  /** What `tostring` shows. */
  describe?(self: T): string;
  /** Says what the object was if it is gone (`texture 256 x 256 "a.png" is destroyed`), else nothing; asked before any method or field. */
  stale?(self: T): string | undefined | false | null;
  /** Methods and fields that a stale handle still answers (close, destroy, path…). */
  whenStale?: readonly string[];
}

/** A method of two numbers, with what errors call them. */
export interface NumericMethod<T> {
  names: readonly [string, string];
  call(self: T, a: number, b: number): number;
}

/** A class of handles: pushes its objects and takes them from arguments. Make it with `defineHandle`. */
export class HandleType<T extends object> {
  constructor(
    readonly name: string,
    readonly spec: HandleClass<T>,
  ) {}

  /** Pushes the one userdata of `object`. */
  push(L: lua_State, object: T): void {
    const handles = vmOf(L).handles;
    const known = handles.get(object);
    if (known) return known(L);
    lua.lua_newuserdata(L, 0);
    (L.stack[L.top - 1].value as { data: unknown }).data = new HandleData(
      this as unknown as HandleType<object>,
      object,
    );
    this.#metatable(L)(L);
    lua.lua_setmetatable(L, -2);
    handles.set(object, lua.lua_toproxy(L, -1));
    types.set(object, this as unknown as HandleType<object>);
  }

  /** The object of the handle at `index`, or null for any other value. */
  test(L: lua_State, index: number): T | null {
    const data = lua.lua_touserdata(L, index);
    return data instanceof HandleData && (data.type as unknown) === this ? (data.object as T) : null;
  }

  /** The object of the handle at `index`; refuses any other value, and a stale handle. */
  check(L: lua_State, index: number, name: string): T {
    const object = this.test(L, index);
    if (!object)
      throw new ArgumentError(`${name} must be ${withArticle(this.name)}, got ${typeNameAt(L, index)}`);
    const gone = this.spec.stale?.(object);
    if (gone) throw new ArgumentError(`${name}: ${gone}`);
    return object;
  }

  #metatable(L: lua_State): Proxy {
    const { metatables } = vmOf(L);
    const known = metatables.get(this);
    if (known) return known;
    const type = this as unknown as HandleType<object>;
    lua.lua_createtable(L, 0, 6);
    setFunctions(L, { __newindex: setField(type), __tostring: describe(type) });
    setText(L, '__name', this.name);
    setText(L, '__metatable', this.name);
    lua.lua_createtable(L, 0, 8);
    const methods: Record<string, CFunction> = {};
    for (const [name, method] of Object.entries(type.spec.methods ?? {}))
      methods[name] = bindMethod(type, name, method);
    for (const [name, method] of Object.entries(type.spec.numeric ?? {}))
      methods[name] = bindNumeric(type, name, method);
    setFunctions(L, methods);
    lua.lua_createtable(L, 0, 1);
    setFunctions(L, { __index: getField(type) });
    lua.lua_setmetatable(L, -2);
    lua.lua_setfield(L, -2, to_luastring('__index'));
    const metatable = lua.lua_toproxy(L, -1);
    lua.lua_pop(L, 1);
    metatables.set(this, metatable);
    return metatable;
  }
}

/** Defines a class of handles named `name` (what `tostring` and error messages call it). */
export function defineHandle<T extends object>(name: string, spec: HandleClass<T>): HandleType<T> {
  const type = new HandleType(name, spec);
  if (spec.kind) kinds.set(spec.kind, type as unknown as HandleType<object>);
  return type;
}

/** The handle class of each object that was ever pushed as a handle, in any VM. */
const types = new WeakMap<object, HandleType<object>>();
/** The handle classes of JavaScript classes. */
const kinds = new Map<unknown, HandleType<object>>();

/** The handle class of `object`, or undefined if it has none. */
export const handleTypeOf = (object: object): HandleType<object> | undefined =>
  types.get(object) ?? kinds.get(object.constructor);

/** The userdata of `object`, if a handle class made one in this VM: a function that pushes it. */
export const handleOf = (L: lua_State, object: object): Proxy | undefined => vmOf(L).handles.get(object);

/** `a texture`, `an Entity`. */
export const withArticle = (noun: string) => `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;

/** What an error message calls the value at `index`: a handle by its class. */
export function typeNameAt(L: lua_State, index: number): string {
  const data = lua.lua_touserdata(L, index);
  if (data instanceof HandleData) return withArticle(data.type.name);
  const type = lua.lua_type(L, index);
  if (type <= lua.LUA_TNIL) return 'nothing';
  if (type === lua.LUA_TNUMBER) return `${lua.lua_tonumber(L, index)}`;
  const shown = lua.lua_type(L, index) === lua.LUA_TSTRING ? lua.lua_tojsstring(L, index)! : '';
  if (type === lua.LUA_TSTRING) return shown.length > 60 ? `"${shown.slice(0, 57)}…"` : `"${shown}"`;
  if (type === lua.LUA_TBOOLEAN) return `${lua.lua_toboolean(L, index)}`;
  return `a ${['', '', 'userdata', '', '', 'table', 'function', 'userdata', 'coroutine'][type]}`;
}

const whereOf = (type: HandleType<object>) => type.spec.module ?? type.name;

function bindMethod(
  type: HandleType<object>,
  name: string,
  method: (self: object, L: lua_State) => number,
): CFunction {
  const stale = type.spec.whenStale?.includes(name) ? undefined : type.spec.stale;
  const bound: CFunction = (L) => {
    // What lua_touserdata would find, in one look: this is the hot path of every query.
    const at = L.ci.funcOff + 1;
    const self = at < L.top ? L.stack[at] : null;
    const data = self?.type === USERDATA ? (self.value as Udata).data : null;
    if (!(data instanceof HandleData) || data.type !== type) return refuseSelf(L, type, name);
    if (stale !== undefined) refuseStale(stale(data.object));
    return method(data.object, L);
  };
  nameFunction(bound, `${whereOf(type)}.${name}`);
  return bound;
}

/** Bits of a value's type that tell a number from the rest, integer or float. */
const KIND = 0x0f;

/** Reads self and both numbers off the stack itself: through the API each would be a call, half of what the method costs. */
function bindNumeric(type: HandleType<object>, name: string, method: NumericMethod<object>): CFunction {
  const { call, names } = method;
  const bound: CFunction = (L) => {
    const { stack } = L;
    const base = L.ci.funcOff;
    if (L.top - base > 3 && stack[base + 1].type === lua.LUA_TUSERDATA) {
      const { data } = stack[base + 1].value as { data: unknown };
      const a = stack[base + 2];
      const b = stack[base + 3];
      if (
        data instanceof HandleData &&
        data.type === type &&
        (a.type & KIND) === lua.LUA_TNUMBER &&
        (b.type & KIND) === lua.LUA_TNUMBER
      ) {
        lua.lua_pushnumber(L, call(data.object, a.value as number, b.value as number));
        return 1;
      }
    }
    const self = lua.lua_touserdata(L, 1);
    if (!(self instanceof HandleData) || self.type !== type) return refuseSelf(L, type, name);
    const wrong = lua.lua_type(L, 2) === lua.LUA_TNUMBER ? 3 : 2;
    throw new ArgumentError(`${names[wrong - 2]} must be a finite number, got ${typeNameAt(L, wrong)}`);
  };
  nameFunction(bound, `${whereOf(type)}.${name}`);
  return bound;
}

function refuseSelf(L: lua_State, type: HandleType<object>, name: string): never {
  throw new ArgumentError(
    `self must be ${withArticle(type.name)}, got ${typeNameAt(L, 1)} (write value:${name}(…), with a colon)`,
  );
}

function refuseStale(gone: string | undefined | false | null): void {
  if (gone) throw new ArgumentError(gone);
}

/** The object of self in a metamethod, and the field's name, which errors show. */
function fieldAccess(L: lua_State, type: HandleType<object>): { self: object; name: string } {
  const data = lua.lua_touserdata(L, 1);
  if (!(data instanceof HandleData) || data.type !== type) return refuseSelf(L, type, 'method');
  const name = lua.lua_type(L, 2) === lua.LUA_TSTRING ? lua.lua_tojsstring(L, 2)! : typeNameAt(L, 2);
  const { stale, whenStale } = type.spec;
  if (stale && !whenStale?.includes(name)) {
    const gone = stale(data.object);
    if (gone) throw new ArgumentError(`${name}: ${gone}`);
  }
  return { self: data.object, name };
}

const methodNames = ({ spec }: HandleType<object>) => [
  ...Object.keys(spec.numeric ?? {}),
  ...Object.keys(spec.methods ?? {}),
];

/** `__index`, asked where no method has the name. */
function getField(type: HandleType<object>): CFunction {
  const getters = new Map(Object.entries(type.spec.getters ?? {}));
  const known = [...getters.keys(), ...methodNames(type)];
  const read: CFunction = (L) => {
    const { self, name } = fieldAccess(L, type);
    const get = getters.get(name);
    if (!get) {
      const near = nearest(name, known);
      throw new ArgumentError(
        `${withArticle(type.name)} has no field "${name}"${near ? ` (did you mean "${near}"?)` : ''}; it has ${known.join(', ')}`,
      );
    }
    get(self, L);
    return 1;
  };
  nameFunction(read, whereOf(type));
  return read;
}

/** `__newindex`: sets the fields that have a setter, and says which these are. */
function setField(type: HandleType<object>): CFunction {
  const setters = new Map(Object.entries(type.spec.setters ?? {}));
  const known = [...Object.keys(type.spec.getters ?? {}), ...methodNames(type)];
  const write: CFunction = (L) => {
    const { self, name } = fieldAccess(L, type);
    const set = setters.get(name);
    if (!set) {
      const near = nearest(name, [...setters.keys()]);
      const fault = known.includes(name)
        ? `"${name}" of ${withArticle(type.name)} cannot be set`
        : `${withArticle(type.name)} has no field "${name}"${near ? ` (did you mean "${near}"?)` : ''}`;
      const writable = setters.size
        ? `the fields that can be set are ${[...setters.keys()].join(', ')}`
        : 'no field can be set';
      throw new ArgumentError(`${fault}; ${writable}`);
    }
    set(self, L, 3);
    return 0;
  };
  nameFunction(write, whereOf(type));
  return write;
}

/** `__tostring`, which answers for stale handles too. */
function describe(type: HandleType<object>): CFunction {
  return (L) => {
    const data = lua.lua_touserdata(L, 1);
    const object = data instanceof HandleData && data.type === type ? data.object : null;
    const gone = object && type.spec.stale?.(object);
    const shown = !object
      ? type.name
      : gone
        ? `${type.name} (${gone})`
        : (type.spec.describe?.(object) ?? type.name);
    lua.lua_pushstring(L, to_luastring(shown));
    return 1;
  };
}

function setFunctions(L: lua_State, functions: Record<string, CFunction>): void {
  for (const [name, f] of Object.entries(functions)) {
    lua.lua_pushcfunction(L, f);
    lua.lua_setfield(L, -2, to_luastring(name));
  }
}

function setText(L: lua_State, name: string, value: string): void {
  lua.lua_pushstring(L, to_luastring(value));
  lua.lua_setfield(L, -2, to_luastring(name));
}
