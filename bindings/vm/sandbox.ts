// What a script finds: base, string, table, math, utf8, coroutine, and debug.traceback. No file, no bytecode, no JavaScript, nothing
// that another script's strings or our handles could be changed through.
import { lauxlib, lua, lualib, to_luastring } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import { absent } from './args.js';
import { MAX_LOAD } from './chunk.js';
import { coroutines } from './coroutines.js';
import { nameFunction, traceback } from './errors.js';
import { format } from './format.js';
import { pcall, xpcall } from './protected.js';
import { randomFunctions } from './random.js';
import { text } from './read.js';
import { nameInTracebacks } from './registrar.js';
import { vmOf } from './state.js';
import type { Vm } from './vm.js';

/** Globals of the base library that read files, or that a collector we do not have would serve. */
const REMOVED = ['dofile', 'loadfile', 'collectgarbage'];

/** Opens the libraries of a fresh state. */
export function openSandbox(vm: Vm): void {
  const { L } = vm;
  const { luaopen_base, luaopen_math, luaopen_string, luaopen_table, luaopen_utf8 } = lualib;
  for (const [name, open] of Object.entries({
    _G: luaopen_base,
    string: luaopen_string,
    table: luaopen_table,
    math: luaopen_math,
    utf8: luaopen_utf8,
  })) {
    lauxlib.luaL_requiref(L, to_luastring(name), open, 1);
    lua.lua_pop(L, 1);
  }
  lua.lua_pushglobaltable(L);
  set(L, { print, load, pcall, xpcall });
  for (const name of REMOVED) unset(L, name);
  lua.lua_pop(L, 1);
  change(L, 'string', { format }, ['dump']);
  change(L, 'math', randomFunctions(vm.options.seed ?? 0));
  create(L, 'coroutine', coroutines);
  create(L, 'debug', { traceback: debugTraceback });
  lockStrings(L);
}

function set(L: lua_State, functions: Record<string, CFunction>): void {
  for (const [name, f] of Object.entries(functions)) {
    lua.lua_pushcfunction(L, f);
    lua.lua_setfield(L, -2, to_luastring(name));
  }
}

function unset(L: lua_State, name: string): void {
  lua.lua_pushnil(L);
  lua.lua_setfield(L, -2, to_luastring(name));
}

function change(
  L: lua_State,
  library: string,
  functions: Record<string, CFunction>,
  removed: string[] = [],
): void {
  lua.lua_getglobal(L, to_luastring(library));
  set(L, functions);
  for (const name of Object.keys(functions)) nameFunction(functions[name], `${library}.${name}`);
  for (const name of removed) unset(L, name);
  lua.lua_pop(L, 1);
}

function create(L: lua_State, library: string, functions: Record<string, CFunction>): void {
  lua.lua_newtable(L);
  set(L, functions);
  nameInTracebacks(L, library);
  lua.lua_setglobal(L, to_luastring(library));
}

/** Hides the metatable that all strings share. */
function lockStrings(L: lua_State): void {
  lua.lua_pushstring(L, to_luastring(''));
  lua.lua_getmetatable(L, -1);
  lua.lua_pushstring(L, to_luastring('string'));
  lua.lua_setfield(L, -2, to_luastring('__metatable'));
  lua.lua_pop(L, 2);
}

/** `print(…)`: the values as `tostring` shows them, a tab between two, one line to the host. */
const print: CFunction = (L) => {
  const shown: string[] = [];
  const count = lua.lua_gettop(L);
  for (let i = 1; i <= count; i++) {
    shown.push(text(lauxlib.luaL_tolstring(L, i)));
    lua.lua_pop(L, 1);
  }
  const vm = vmOf(L);
  vm.budget.line(L);
  vm.options.print?.(shown.join('\t'));
  return 0;
};

/** `load(chunk, name?, mode?, env?)`: text only, at most MAX_LOAD bytes. `chunk` is a string or a function that answers pieces. */
const load: CFunction = (L) => {
  const isText = lua.lua_type(L, 1) === lua.LUA_TSTRING;
  if (!isText) lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
  const name = absent(L, 2)
    ? isText
      ? lua.lua_tostring(L, 1)!
      : to_luastring('=(load)')
    : lauxlib.luaL_checkstring(L, 2);
  const mode = absent(L, 3) ? 'bt' : text(lauxlib.luaL_checkstring(L, 3));
  const hasEnvironment = lua.lua_type(L, 4) !== lua.LUA_TNONE;
  const chunk = isText ? lua.lua_tostring(L, 1)! : readPieces(L);
  if (!chunk) return refuseLoad(L);
  if (chunk.length > MAX_LOAD)
    return refuseLoad(L, `a chunk may be at most ${MAX_LOAD} bytes long, this one has ${chunk.length}`);
  if (!mode.includes('t')) return refuseLoad(L, `attempt to load a text chunk (mode is '${mode}')`);
  if (lauxlib.luaL_loadbufferx(L, chunk, chunk.length, name, 't') !== lua.LUA_OK) return refuseLoad(L);
  if (hasEnvironment) {
    lua.lua_pushvalue(L, 4);
    if (!lua.lua_setupvalue(L, -2, 1)) lua.lua_pop(L, 1);
  }
  return 1;
};

/** nil and a message: `message`, or what is on top. */
function refuseLoad(L: lua_State, message?: string): number {
  if (message !== undefined) lua.lua_pushstring(L, to_luastring(message));
  lua.lua_pushnil(L);
  lua.lua_insert(L, -2);
  return 2;
}

/** Calls the function at 1 for pieces until it answers nil or ''. Null if it failed: the error is on top. */
function readPieces(L: lua_State): Uint8Array | null {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length <= MAX_LOAD) {
    lua.lua_pushvalue(L, 1);
    const status = lua.lua_pcall(L, 0, 1, 0);
    const { aborted } = vmOf(L);
    if (aborted) throw aborted;
    if (status !== lua.LUA_OK) return null;
    const type = lua.lua_type(L, -1);
    if (type === lua.LUA_TNIL) break;
    if (type !== lua.LUA_TSTRING) {
      lua.lua_pushstring(L, to_luastring('reader function must return a string'));
      return null;
    }
    const piece = lua.lua_tostring(L, -1)!;
    lua.lua_pop(L, 1);
    if (piece.length === 0) break;
    pieces.push(piece);
    length += piece.length;
  }
  const chunk = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    chunk.set(piece, at);
    at += piece.length;
  }
  return chunk;
}

/** `debug.traceback([thread,] message?, level?)`. A message that is no string is answered as it is. */
const debugTraceback: CFunction = (L) => {
  const thread = lua.lua_tothread(L, 1);
  const shift = thread ? 1 : 0;
  const type = lua.lua_type(L, shift + 1);
  if (type > lua.LUA_TNIL && type !== lua.LUA_TSTRING && type !== lua.LUA_TNUMBER) {
    lua.lua_pushvalue(L, shift + 1);
    return 1;
  }
  const of = thread ?? L;
  const level = lauxlib.luaL_optinteger(L, shift + 2, of === L ? 1 : 0);
  const message = type > lua.LUA_TNIL ? `${lua.lua_tojsstring(L, shift + 1)}\n` : '';
  lua.lua_pushstring(L, to_luastring(message + traceback(L, of, level)));
  return 1;
};
