/**
 * The part of Fengari 0.1.5 that the bindings use. Fengari publishes no types. `patches/fengari+0.1.5.patch` changes its
 * sources: a stack that stays a fast array, hooks that survive a caught error, string keys that never collide, integer
 * loops that end, strings capped at 64 MiB, numbers printed as Lua prints them, no branch for Node, and one addition: where
 * the `__index` chain of a userdata ends in a function, that function gets the userdata.
 */
declare module 'fengari' {
  /** Bytes of a Lua string. */
  export type LuaString = Uint8Array;
  /** A function that Lua can call: arguments on the stack from 1 up, returns how many results it left on top. */
  export type CFunction = (L: lua_State) => number;
  /** Completes a call that was interrupted by a yield. */
  export type Continuation = (L: lua_State, status: number, context: never) => number;

  /** What a full userdata holds; `data` is ours. */
  export interface Udata {
    data: unknown;
  }
  export interface TValue {
    type: number;
    value: unknown;
  }
  export interface CallInfo {
    func: TValue;
    funcOff: number;
    previous: CallInfo | null;
    callstatus: number;
    top: number;
  }
  /** The parts of all threads of one VM; `moonscape` is where our Vm hangs itself. */
  export interface global_State {
    mainthread: lua_State;
    moonscape?: unknown;
    /** Told by library functions and the compiler of work that is no instruction, in units of about one; may throw. */
    work: ((L: lua_State, units: number) => void) | null;
    /** Told of each string that is made; may throw. */
    made: ((L: lua_State, bytes: number) => void) | null;
    /** Told of each table, table entry, closure and thread that is made; may throw. */
    grew: (() => void) | null;
  }
  /** A thread. The fields are Fengari's own; only those named here may be touched. */
  export interface lua_State {
    readonly l_G: global_State;
    readonly stack: TValue[];
    readonly top: number;
    readonly ci: CallInfo;
    readonly status: number;
    /** Above 0 while the thread may not yield. */
    readonly nny: number;
    hook: ((L: lua_State, ar: lua_Debug) => void) | null;
    hookmask: number;
    hookcount: number;
    basehookcount: number;
    allowhook: number;
  }
  export interface lua_Debug {
    name: LuaString | null;
    namewhat: LuaString | null;
    what: LuaString | null;
    source: LuaString | null;
    short_src: LuaString | null;
    currentline: number;
    linedefined: number;
    i_ci: CallInfo | null;
  }
  /** Pushes the value that it was made from. */
  export type Proxy = (L: lua_State) => void;

  export function to_luastring(text: string, cache?: boolean): LuaString;
  export function to_jsstring(bytes: LuaString, from?: number, to?: number, replace?: boolean): string;

  export const lua: {
    readonly LUA_OK: 0;
    readonly LUA_YIELD: 1;
    readonly LUA_ERRRUN: 2;
    readonly LUA_MULTRET: -1;
    readonly LUA_REGISTRYINDEX: number;
    readonly LUA_MINSTACK: 20;
    readonly LUA_MASKCOUNT: number;
    readonly LUA_TNONE: -1;
    readonly LUA_TNIL: 0;
    readonly LUA_TBOOLEAN: 1;
    readonly LUA_TLIGHTUSERDATA: 2;
    readonly LUA_TNUMBER: 3;
    readonly LUA_TSTRING: 4;
    readonly LUA_TTABLE: 5;
    readonly LUA_TFUNCTION: 6;
    readonly LUA_TUSERDATA: 7;
    readonly LUA_TTHREAD: 8;
    lua_Debug: new () => lua_Debug;

    lua_absindex(L: lua_State, index: number): number;
    lua_atnativeerror(L: lua_State, f: CFunction): CFunction | null;
    lua_call(L: lua_State, args: number, results: number): void;
    lua_callk<C>(
      L: lua_State,
      args: number,
      results: number,
      context: C,
      k: (L: lua_State, status: number, context: C) => number,
    ): void;
    lua_checkstack(L: lua_State, slots: number): boolean;
    lua_concat(L: lua_State, count: number): void;
    lua_createtable(L: lua_State, list: number, fields: number): void;
    lua_error(L: lua_State): never;
    lua_getfield(L: lua_State, index: number, key: LuaString | string): number;
    lua_getglobal(L: lua_State, name: LuaString | string): number;
    lua_getinfo(L: lua_State, what: LuaString | string, ar: lua_Debug): number;
    lua_getmetatable(L: lua_State, index: number): boolean;
    lua_getstack(L: lua_State, level: number, ar: lua_Debug): number;
    lua_gettop(L: lua_State): number;
    lua_insert(L: lua_State, index: number): void;
    lua_isinteger(L: lua_State, index: number): boolean;
    lua_isyieldable(L: lua_State): boolean;
    lua_newtable(L: lua_State): void;
    lua_newthread(L: lua_State): lua_State;
    lua_newuserdata(L: lua_State, size: number): unknown;
    lua_next(L: lua_State, index: number): number;
    lua_pcall(L: lua_State, args: number, results: number, handler: number): number;
    lua_pcallk<C>(
      L: lua_State,
      args: number,
      results: number,
      handler: number,
      context: C,
      k: (L: lua_State, status: number, context: C) => number,
    ): number;
    lua_pop(L: lua_State, count: number): void;
    lua_pushboolean(L: lua_State, value: boolean): void;
    lua_pushcclosure(L: lua_State, f: CFunction, upvalues: number): void;
    lua_pushcfunction(L: lua_State, f: CFunction): void;
    lua_pushglobaltable(L: lua_State): void;
    lua_pushinteger(L: lua_State, value: number): void;
    lua_pushlstring(L: lua_State, bytes: LuaString, length: number): LuaString;
    lua_pushnil(L: lua_State): void;
    lua_pushnumber(L: lua_State, value: number): void;
    lua_pushstring(L: lua_State, text: LuaString | string): LuaString;
    lua_pushthread(L: lua_State): boolean;
    lua_pushvalue(L: lua_State, index: number): void;
    lua_rawequal(L: lua_State, a: number, b: number): boolean;
    lua_rawget(L: lua_State, index: number): number;
    lua_rawgeti(L: lua_State, index: number, n: number): number;
    lua_rawlen(L: lua_State, index: number): number;
    lua_rawset(L: lua_State, index: number): void;
    lua_rawseti(L: lua_State, index: number, n: number): void;
    lua_remove(L: lua_State, index: number): void;
    lua_replace(L: lua_State, index: number): void;
    lua_resume(L: lua_State, from: lua_State | null, args: number): number;
    lua_rotate(L: lua_State, index: number, n: number): void;
    lua_setfield(L: lua_State, index: number, key: LuaString | string): void;
    lua_setglobal(L: lua_State, name: LuaString | string): void;
    lua_sethook(
      L: lua_State,
      hook: ((L: lua_State, ar: lua_Debug) => void) | null,
      mask: number,
      count: number,
    ): void;
    lua_setmetatable(L: lua_State, index: number): void;
    lua_settop(L: lua_State, index: number): void;
    lua_setupvalue(L: lua_State, index: number, n: number): LuaString | null;
    lua_status(L: lua_State): number;
    lua_toboolean(L: lua_State, index: number): boolean;
    lua_tointeger(L: lua_State, index: number): number;
    lua_tojsstring(L: lua_State, index: number): string | null;
    lua_tonumber(L: lua_State, index: number): number;
    lua_topointer(L: lua_State, index: number): unknown;
    lua_toproxy(L: lua_State, index: number): Proxy;
    lua_tostring(L: lua_State, index: number): LuaString | null;
    lua_tothread(L: lua_State, index: number): lua_State | null;
    lua_touserdata(L: lua_State, index: number): unknown;
    lua_type(L: lua_State, index: number): number;
    lua_typename(L: lua_State, type: number): LuaString;
    lua_upvalueindex(n: number): number;
    lua_xmove(from: lua_State, to: lua_State, count: number): void;
    lua_yield(L: lua_State, results: number): number;
    lua_yieldk<C>(
      L: lua_State,
      results: number,
      context: C,
      k: (L: lua_State, status: number, context: C) => number,
    ): number;
  };

  export const lauxlib: {
    luaL_argerror(L: lua_State, index: number, message: LuaString): never;
    luaL_checkany(L: lua_State, index: number): void;
    luaL_checkinteger(L: lua_State, index: number): number;
    luaL_checknumber(L: lua_State, index: number): number;
    luaL_checkstack(L: lua_State, slots: number, message: LuaString | string | null): void;
    luaL_checkstring(L: lua_State, index: number): LuaString;
    luaL_checktype(L: lua_State, index: number, type: number): void;
    luaL_error(L: lua_State, format: LuaString, ...values: unknown[]): never;
    luaL_getmetafield(L: lua_State, index: number, name: LuaString): number;
    luaL_getsubtable(L: lua_State, index: number, name: LuaString): boolean;
    luaL_loadbufferx(
      L: lua_State,
      bytes: LuaString,
      size: number,
      name: LuaString,
      mode: LuaString | string,
    ): number;
    luaL_newstate(): lua_State;
    luaL_optinteger(L: lua_State, index: number, fallback: number): number;
    luaL_requiref(L: lua_State, name: LuaString, open: CFunction, global: number): void;
    luaL_tolstring(L: lua_State, index: number): LuaString;
    luaL_traceback(L: lua_State, of: lua_State, message: LuaString | null, level: number): void;
    luaL_where(L: lua_State, level: number): void;
  };

  export const lualib: {
    luaopen_base: CFunction;
    luaopen_coroutine: CFunction;
    luaopen_math: CFunction;
    luaopen_string: CFunction;
    luaopen_table: CFunction;
    luaopen_utf8: CFunction;
  };
}
