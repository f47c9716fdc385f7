// Errors on their way between JavaScript and Lua. A JavaScript error thrown by a binding becomes a Lua error at the script's own
// line (`nativeError`, which Fengari calls once an error, so that bindings need no wrapper); an error that a script does not
// catch reaches the host as a LuaError with its traceback.
import { lauxlib, lua, to_luastring } from 'fengari';
import type { CFunction, CallInfo, Proxy, lua_State } from 'fengari';
import { MoonscapeError, show } from '../../runtime/errors.js';
import { text } from './read.js';
import { vmOf } from './state.js';

/** A script's error that nothing caught. `message` begins with `file:line:`; `cause` is the JavaScript error behind it, if any. */
export class LuaError extends MoonscapeError {
  override name = 'LuaError';
  /** The script's stack, one line a function, innermost first. */
  readonly traceback: string;
  /** Pushes the value that was raised, so that an error that crosses JavaScript comes back as the same Lua value. */
  readonly push: Proxy | null;

  constructor(message: string, options: { traceback?: string; push?: Proxy; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.traceback = options.traceback ?? '';
    this.push = options.push ?? null;
  }
}

/** Stops an entry into Lua. No script can catch it. */
export class Abort extends LuaError {
  override name = 'Abort';
}

/** A bad argument of the binding that runs: shown with the binding's own name in front. */
export class ArgumentError extends MoonscapeError {
  override name = 'ArgumentError';
}

/** Throws `<name> must be <rule>, got <value>` for the binding that runs. */
export function refuseArgument(name: string, rule: string, value: unknown): never {
  throw new ArgumentError(`${name} must be ${rule}, got ${show(value)}`);
}

/** The last error seen, kept until its entry ends: where it came from, for the host's message. */
export interface Fault {
  /** Pushes the error value, by which the fault is known again. */
  push: Proxy;
  /** The thread whose traceback it is. */
  of: lua_State | null;
  traceback: string;
  cause: unknown;
}

const names = new WeakMap<CFunction, string>();

/** Remembers how error messages call `f`: `<module>.<function>`. */
export function nameFunction(f: CFunction, where: string): void {
  names.set(f, where);
}

/** The name of the binding that runs in `ci`, or undefined. */
function nameOf(ci: CallInfo | null): string | undefined {
  const value = ci?.func?.value;
  const f = typeof value === 'object' && value !== null && 'f' in value ? value.f : value;
  return typeof f === 'function' ? names.get(f as CFunction) : undefined;
}

/** Sources of our own Lua modules: errors that a script causes in them are shown at the script's line. */
const isSystemSource = (source: Uint8Array) => source[0] === 64 /* @ */ && source[1] === 126; /* ~ */

/** `file:line: ` of the innermost function of a script (of a system module, if there is no script), or ''. */
export function position(L: lua_State, level: number): string {
  const ar = new lua.lua_Debug();
  let first = '';
  for (; lua.lua_getstack(L, level, ar); level++) {
    lua.lua_getinfo(L, 'Sl', ar);
    if (ar.currentline <= 0) continue;
    const place = `${text(ar.short_src!)}:${ar.currentline}: `;
    if (!isSystemSource(ar.source!)) return place;
    first ||= place;
  }
  return first;
}

/** The stack of thread `of`, one function a line, innermost first, from `level` up. */
export function traceback(L: lua_State, of: lua_State, level: number): string {
  lua.lua_checkstack(L, lua.LUA_MINSTACK);
  lauxlib.luaL_traceback(L, of, null, level);
  const lines = lua.lua_tojsstring(L, -1)!;
  lua.lua_pop(L, 1);
  return lines.replaceAll('\t[JS]: in ', '\t[engine]: in ');
}

/** Called by Fengari with a JavaScript error (a light userdata): answers the Lua error that stands for it. */
export const nativeError: CFunction = (L) => {
  const error = lua.lua_touserdata(L, 1);
  const vm = vmOf(L);
  if (error instanceof Abort) {
    vm.aborted = error;
    throw error;
  }
  if (error instanceof LuaError && error.push) {
    error.push(L);
    if (!vm.fault || !isTop(L, vm.fault.push))
      vm.fault = { push: error.push, of: null, traceback: error.traceback, cause: error.cause };
    return 1;
  }
  const where = error instanceof ArgumentError ? nameOf(L.ci.previous) : undefined;
  lua.lua_pushstring(L, to_luastring(position(L, 1) + (where ? `${where}: ` : '') + explain(error)));
  vm.fault = { push: lua.lua_toproxy(L, -1), of: null, traceback: '', cause: error };
  return 1;
};

/** The message of a JavaScript error: ours as it is, any other marked as a fault of the engine. */
function explain(error: unknown): string {
  if (error instanceof MoonscapeError) return error.message;
  return `internal fault: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`;
}

/** A message handler that changes nothing, and keeps the traceback of the place where the error was raised. */
export const keepTraceback: CFunction = (L) => {
  keepFault(L, L, 1);
  return 1;
};

/** Remembers the traceback of `of` for the error value on top of `L`. */
export function keepFault(L: lua_State, of: lua_State, level: number): void {
  const vm = vmOf(L);
  let fault = vm.fault;
  if (!fault || !isTop(L, fault.push)) {
    fault = { push: lua.lua_toproxy(L, -1), of: null, traceback: '', cause: undefined };
    vm.fault = fault;
  }
  if (fault.traceback !== '') return;
  fault.of = of;
  fault.traceback = traceback(L, of, level);
}

/** True if the value that `push` pushes is the one on top of the stack. */
function isTop(L: lua_State, push: Proxy): boolean {
  push(L);
  const same = lua.lua_rawequal(L, -1, -2);
  lua.lua_pop(L, 1);
  return same;
}

const pushText: CFunction = (L) => {
  lauxlib.luaL_tolstring(L, 1);
  return 1;
};

/** Any error value as a person may read it. Runs the value's `__tostring`, safely. */
function errorText(L: lua_State, index: number): string {
  const type = lua.lua_type(L, index);
  if (type === lua.LUA_TSTRING || type === lua.LUA_TNUMBER) {
    lua.lua_pushvalue(L, index);
    const shown = lua.lua_tojsstring(L, -1)!;
    lua.lua_pop(L, 1);
    return shown;
  }
  index = lua.lua_absindex(L, index);
  if (lauxlib.luaL_getmetafield(L, index, to_luastring('__tostring', true)) !== lua.LUA_TNIL) {
    lua.lua_pop(L, 1);
    lua.lua_pushcfunction(L, pushText);
    lua.lua_pushvalue(L, index);
    const status = lua.lua_pcall(L, 1, 1, 0);
    const shown = status === lua.LUA_OK ? lua.lua_tojsstring(L, -1) : null;
    lua.lua_pop(L, 1);
    if (shown !== null) return shown;
  }
  return `(error object is a ${text(lua.lua_typename(L, type))} value)`;
}

/** Makes the host's error of the error value on top of thread `of`, whose stack still stands from `level` up. Pops it. */
export function takeError(L: lua_State, of: lua_State, level: number): LuaError {
  const vm = vmOf(L);
  lua.lua_checkstack(L, lua.LUA_MINSTACK);
  const push = lua.lua_toproxy(of, -1);
  push(L);
  const fault = vm.fault && isTop(L, vm.fault.push) ? vm.fault : null;
  const message = errorText(L, -1);
  lua.lua_pop(L, 1);
  const outer = traceback(L, of, level);
  const lines = !fault?.traceback
    ? outer
    : fault.of === of
      ? fault.traceback
      : `${fault.traceback}\n${outer.slice(outer.indexOf('\n') + 1)}`;
  lua.lua_pop(of, 1);
  return new LuaError(message, { traceback: lines, push, cause: fault?.cause });
}
