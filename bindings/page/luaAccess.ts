// Lua as a page's program uses it: calling a script's functions, reading and setting its globals, and giving it functions of the page.
// What is registered stays for every scene that the runtime runs.
import { lua, to_luastring } from 'fengari';
import { MoonscapeError, refuse, show } from '../../runtime/errors.js';
import type { Lua } from '../index.js';
import { LuaFunction, type Vm } from '../vm/index.js';
import { inward, isTyped, nativeFunction, outward, pushValue, readValue, toNative } from './hostFunctions.js';
import type { AnyFunction, TypedFunction } from './hostFunctions.js';

const NAME = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/;
/** Globals of ours that a page may not take the place of. */
const OWN =
  /^(asset|texture|terrain|entity|ecs|component|renderer|physics|scene|camera|input|require|print|pcall|error)(\.|$)/;

export type HostFunctions = Readonly<Record<string, AnyFunction | TypedFunction>>;

export class LuaAccess {
  readonly #registered = new Map<string, AnyFunction | TypedFunction>();
  readonly #changed: () => void;
  #lua: Lua | null = null;

  /** @param changed called after anything that may change the scene */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Takes a scene's Lua in place of the last one's, with all that is registered in it; null: there is none. */
  attach(lua: Lua | null): void {
    this.#lua = lua;
    if (lua) for (const [name, f] of this.#registered) define(lua.vm, name, f);
  }

  /**
   * Calls the function of a global's name (`score`, `game.score`) in an entry of its own and answers its first result, waits included.
   * Rejects with a LuaError, and where there is no such function.
   */
  async call(name: string, ...args: unknown[]): Promise<unknown> {
    return (await this.callMulti(name, ...args))[0];
  }

  /** As `call`, with all results. */
  async callMulti(name: string, ...args: unknown[]): Promise<unknown[]> {
    const where = 'runtime.lua.call';
    const { vm } = this.#scene(where);
    const f = lookUp(vm, where, name, (L) => {
      const type = lua.lua_type(L, -1);
      if (type === lua.LUA_TFUNCTION) return new LuaFunction(vm, lua.lua_toproxy(L, -1));
      return refuse(where, name, 'a function of the scene', readValue(L, -1));
    });
    try {
      const passed = args.map((arg, i) => inward(vm, arg, `${where}: argument ${i + 1}`));
      return (await vm.call(f, ...passed)).map((result) => outward(vm, result));
    } finally {
      this.#changed();
    }
  }

  /** The value of a global (`game.level`); undefined for nil. Functions come as functions, handles as the engine's objects. */
  get(name: string): unknown {
    const where = 'runtime.lua.get';
    return lookUp(this.#scene(where).vm, where, name, (L) => readValue(L, -1));
  }

  /** Sets a global of the scene that runs, or a field of one of its tables, which must be there. */
  set(name: string, value: unknown): void {
    const where = 'runtime.lua.set';
    const { vm } = this.#scene(where);
    const { L } = vm;
    const names = namesOf(where, name);
    const last = names.pop()!;
    const top = lua.lua_gettop(L);
    try {
      pushTable(vm, where, names, false);
      lua.lua_pushstring(L, to_luastring(last));
      pushValue(L, value, `${where}: ${name}`);
      lua.lua_rawset(L, -3);
    } finally {
      lua.lua_settop(L, top);
    }
    this.#changed();
  }

  /**
   * Gives scripts a function under a global name (`shop.price`; its table is made), in the scene that runs and in later ones. It gets
   * the script's arguments, checked where it was made by hostFunction; a promise that it answers makes the script wait; what it throws
   * is an error at the script's line. A record registers each of its functions below `name`.
   */
  register(name: string, functions: AnyFunction | TypedFunction | HostFunctions): void {
    checkRegistration(name, functions);
    if (typeof functions !== 'function' && !isTyped(functions)) {
      for (const [key, f] of Object.entries(functions)) this.register(`${name}.${key}`, f);
      return;
    }
    this.#registered.set(name, functions);
    if (this.#lua) define(this.#lua.vm, name, functions);
  }

  /** Takes what was registered under a name, and below it, away from later scenes and the one that runs. */
  unregister(name: string): void {
    namesOf('runtime.lua.unregister', name);
    for (const key of [...this.#registered.keys()])
      if (key === name || key.startsWith(`${name}.`)) this.#registered.delete(key);
    if (this.#lua && lookUp(this.#lua.vm, 'runtime.lua.unregister', name, () => true))
      this.set(name, undefined);
  }

  #scene(where: string): Lua {
    if (!this.#lua) throw new MoonscapeError(`${where}: no scene runs yet; runtime.run begins one`);
    return this.#lua;
  }
}

/** Refuses a name that scripts could not say or that is taken, and what is no function. */
export function checkRegistration(name: string, functions: unknown): void {
  const where = 'runtime.lua.register';
  namesOf(where, name);
  if (OWN.test(name)) refuse(where, 'name', "free: it is one of the engine's own", name);
  if (typeof functions !== 'function' && (typeof functions !== 'object' || functions === null))
    refuse(where, name, 'a function, or a record of functions', functions);
}

function namesOf(where: string, name: string): string[] {
  if (typeof name !== 'string' || !NAME.test(name))
    refuse(where, 'name', 'the name of a global, as score or game.score', name);
  return name.split('.');
}

/** Reads what a global's name leads to, without running a metamethod. */
function lookUp<T>(vm: Vm, where: string, name: string, take: (L: Vm['L']) => T): T {
  const { L } = vm;
  const names = namesOf(where, name);
  const top = lua.lua_gettop(L);
  lua.lua_checkstack(L, lua.LUA_MINSTACK);
  try {
    lua.lua_pushglobaltable(L);
    for (const [i, each] of names.entries()) {
      if (lua.lua_type(L, -1) !== lua.LUA_TTABLE)
        throw new MoonscapeError(
          `${where}: ${names.slice(0, i).join('.')} must be a table, got ${show(readValue(L, -1))}`,
        );
      lua.lua_pushstring(L, to_luastring(each));
      lua.lua_rawget(L, -2);
    }
    return take(L);
  } finally {
    lua.lua_settop(L, top);
  }
}

/** Pushes the table that names lead to; one that is missing is made where `make` says so. */
function pushTable({ L }: Vm, where: string, names: readonly string[], make: boolean): void {
  lua.lua_checkstack(L, lua.LUA_MINSTACK);
  lua.lua_pushglobaltable(L);
  for (const [i, name] of names.entries()) {
    lua.lua_pushstring(L, to_luastring(name));
    const type = lua.lua_rawget(L, -2);
    if (type === lua.LUA_TTABLE) continue;
    if (type !== lua.LUA_TNIL || !make)
      throw new MoonscapeError(
        `${where}: ${names.slice(0, i + 1).join('.')} must be a table, got ${show(readValue(L, -1))}`,
      );
    lua.lua_pop(L, 1);
    lua.lua_pushstring(L, to_luastring(name));
    lua.lua_newtable(L);
    lua.lua_pushvalue(L, -1);
    lua.lua_insert(L, -3);
    lua.lua_rawset(L, -4);
  }
}

function define(vm: Vm, name: string, f: AnyFunction | TypedFunction): void {
  const { L } = vm;
  const names = name.split('.');
  const last = names.pop()!;
  const top = lua.lua_gettop(L);
  try {
    pushTable(vm, 'runtime.lua.register', names, true);
    lua.lua_pushstring(L, to_luastring(last));
    (nativeFunction(vm, toNative(name, f)) as LuaFunction).push(L);
    lua.lua_rawset(L, -3);
  } finally {
    lua.lua_settop(L, top);
  }
}
