// The coroutine library. It is Lua's own with three differences: a wait inside a script's coroutine suspends everything up to the
// entry and then goes on there, unseen by the script; an Abort passes through; and the thread of an entry is the main one, which may
// not yield, so that a stray `coroutine.yield` is an error at its line.
import { lauxlib, lua, to_luastring } from 'fengari';
import type { CFunction, lua_State } from 'fengari';
import { keepFault } from './errors.js';
import { vmOf } from './state.js';

/** Says that resume failed; the error value is on top. */
const FAILED = -1;

type Finish = (L: lua_State, results: number) => number;

function checkThread(L: lua_State): lua_State {
  return lua.lua_tothread(L, 1) ?? lauxlib.luaL_argerror(L, 1, to_luastring('coroutine expected'));
}

const fail = (L: lua_State, message: string): number => {
  lua.lua_pushstring(L, to_luastring(message));
  return FAILED;
};

/** Resumes `co` with the `args` values on top of `L`, and ends in `finish`, now or after a wait inside. */
function resume(L: lua_State, co: lua_State, args: number, finish: Finish): number {
  const vm = vmOf(L);
  if (vm.waiting.has(co)) return finish(L, fail(L, 'cannot resume a coroutine that is waiting'));
  if (!lua.lua_checkstack(co, args)) return finish(L, fail(L, 'too many arguments to resume'));
  if (lua.lua_status(co) === lua.LUA_OK && lua.lua_gettop(co) === 0)
    return finish(L, fail(L, 'cannot resume dead coroutine'));
  lua.lua_xmove(L, co, args);
  return advance(L, { co, finish }, args);
}

interface Resumption {
  co: lua_State;
  finish: Finish;
}

/** Runs `co`, whose `args` arguments are on its stack. */
function advance(L: lua_State, resumption: Resumption, args: number): number {
  const { co, finish } = resumption;
  const vm = vmOf(L);
  const status = vm.enter(co, L, args);
  if (vm.aborted) throw vm.aborted;
  if (status === lua.LUA_YIELD && vm.wait) {
    vm.waiting.add(co);
    return lua.lua_yieldk(L, 0, resumption, goOn);
  }
  if (status !== lua.LUA_OK && status !== lua.LUA_YIELD) {
    takeErrorValue(co, L);
    return finish(L, FAILED);
  }
  const results = lua.lua_gettop(co);
  if (!lua.lua_checkstack(L, results + 1)) {
    lua.lua_pop(co, results);
    return finish(L, fail(L, 'too many results to resume'));
  }
  lua.lua_xmove(co, L, results);
  return finish(L, results);
}

/** Goes on in the coroutine that waited, once the entry is resumed. */
function goOn(L: lua_State, _status: number, resumption: Resumption): number {
  vmOf(L).waiting.delete(resumption.co);
  return advance(L, resumption, 0);
}

/** Moves the error value of a failed coroutine, and keeps its traceback. */
function takeErrorValue(co: lua_State, L: lua_State): void {
  if (lua.lua_type(co, -1) === lua.LUA_TLIGHTUSERDATA)
    lua.lua_pushstring(co, to_luastring('internal fault: an error could not be shown'));
  lua.lua_xmove(co, L, 1);
  if (lua.lua_status(co) !== lua.LUA_OK) keepFault(L, co, 0);
}

const finishResume: Finish = (L, results) => {
  lua.lua_pushboolean(L, results >= 0);
  const moved = results < 0 ? 1 : results;
  lua.lua_insert(L, -(moved + 1));
  return moved + 1;
};

const finishWrap: Finish = (L, results) => (results < 0 ? lua.lua_error(L) : results);

const create: CFunction = (L) => {
  lauxlib.luaL_checktype(L, 1, lua.LUA_TFUNCTION);
  const co = lua.lua_newthread(L);
  lua.lua_pushvalue(L, 1);
  lua.lua_xmove(L, co, 1);
  return 1;
};

const callWrapped: CFunction = (L) =>
  resume(L, lua.lua_tothread(L, lua.lua_upvalueindex(1))!, lua.lua_gettop(L), finishWrap);

const isEntry = (L: lua_State) => vmOf(L).entry?.thread === L || L.l_G.mainthread === L;

const statusOf = (L: lua_State, co: lua_State): string => {
  if (co === L) return 'running';
  const vm = vmOf(L);
  if (vm.waiting.has(co)) return 'normal';
  const status = lua.lua_status(co);
  if (status === lua.LUA_YIELD) return 'suspended';
  if (status !== lua.LUA_OK) return 'dead';
  if (lua.lua_getstack(co, 0, new lua.lua_Debug())) return vm.chain.includes(co) ? 'normal' : 'dead';
  return lua.lua_gettop(co) === 0 ? 'dead' : 'suspended';
};

/** The functions of the `coroutine` table. */
export const coroutines: Record<string, CFunction> = {
  create,
  resume: (L) => resume(L, checkThread(L), lua.lua_gettop(L) - 1, finishResume),
  wrap(L) {
    create(L);
    lua.lua_pushcclosure(L, callWrapped, 1);
    return 1;
  },
  yield(L) {
    if (isEntry(L)) return lauxlib.luaL_error(L, to_luastring('attempt to yield from outside a coroutine'));
    return lua.lua_yield(L, lua.lua_gettop(L));
  },
  status(L) {
    lua.lua_pushstring(L, to_luastring(statusOf(L, checkThread(L))));
    return 1;
  },
  running(L) {
    lua.lua_pushthread(L);
    lua.lua_pushboolean(L, isEntry(L));
    return 2;
  },
  isyieldable(L) {
    lua.lua_pushboolean(L, !isEntry(L) && lua.lua_isyieldable(L));
    return 1;
  },
};
