// One Lua state with its sandbox, and the scheduler: every entry into Lua (a scene chunk, a callback) runs in a thread of its own, which
// a binding may suspend until a promise settles (`wait`). Bindings are pushed with registrar.ts; the host calls run, call and callback.
import { lauxlib, lua, to_luastring } from 'fengari';
import type { Proxy, lua_State } from 'fengari';
import { MoonscapeError } from '../../runtime/errors.js';
import { Abort, ArgumentError, LuaError, nativeError, takeError, traceback } from './errors.js';
import type { Fault } from './errors.js';
import { Budget, nothingUsed, placeOf } from './budget.js';
import type { BudgetLimits, Used } from './budget.js';
import { checkSource } from './chunk.js';
import { push } from './push.js';
import { read } from './read.js';
import type { LuaFunction } from './reference.js';
import { registerGlobal } from './registrar.js';
import type { Bindings } from './registrar.js';
import { Modules } from './require.js';
import { openSandbox } from './sandbox.js';
import { vmOf } from './state.js';

/** What a VM needs of its host. */
export interface VmOptions {
  /** Gets each line that scripts print, without its newline. Default: nothing is shown. */
  print?: (line: string) => void;
  /** Reads a project file (`a/b.lua`, relative to the project) for `require`; undefined if there is none. */
  loadModule?: (path: string) => Promise<string | undefined>;
  /** Sources of the modules that ship, by the name that `require` gets (`~terrainSystem.modules.quadtree`). */
  systemModules?: ReadonlyMap<string, string>;
  /** For the same names: pushes the native half, which the module's chunk gets as its second argument. */
  natives?: ReadonlyMap<string, (L: lua_State) => void>;
  /** Seed of math.random before a script calls math.randomseed. Default 0. */
  seed?: number;
}

/** One entry into Lua: a thread, from its call until it ends, waits included. */
export interface Entry {
  readonly thread: lua_State;
  /** The threads that run, the entry's own first, each resumed by the one before. */
  readonly chain: lua_State[];
  /** How the promise that the entry waited for ended; read by the binding that waited. */
  settled: { ok: true; value: unknown } | { ok: false; error: unknown } | null;
  fault: Fault | null;
  /** What it used so far. */
  used: Used;
}

/** What a waiting binding left for the scheduler. */
interface Wait {
  promise: PromiseLike<unknown>;
}

const NO_CHAIN: lua_State[] = [];

/** A Lua state, its sandbox and its scheduler. */
export class Vm {
  /** The main thread. Bindings are registered on it; scripts never run on it, but for callbacks that answer at once. */
  readonly L: lua_State;
  readonly options: VmOptions;
  readonly modules: Modules;
  readonly budget = new Budget(this);
  /** The thread that runs now, if any. */
  running: lua_State | null = null;
  /** The entry that runs now, if any. */
  entry: Entry | null = null;
  /** Set while an Abort is on its way out. */
  aborted: Abort | null = null;
  /** The last error seen outside any entry; inside one it is the entry's. */
  #fault: Fault | null = null;
  /** Set by a binding that waits, until the scheduler takes it. */
  wait: Wait | null = null;
  /** Threads suspended by a wait (not by coroutine.yield): nothing but the scheduler may resume them. */
  readonly waiting = new WeakSet<lua_State>();
  readonly keys = new Map<string, Proxy>();
  readonly handles = new WeakMap<object, Proxy>();
  readonly metatables = new Map<object, Proxy>();
  #closed = false;

  constructor(options: VmOptions = {}) {
    this.options = options;
    this.L = lauxlib.luaL_newstate();
    this.L.l_G.moonscape = this;
    lua.lua_atnativeerror(this.L, nativeError);
    openSandbox(this);
    this.modules = new Modules(this);
    lua.lua_pushcfunction(this.L, this.modules.require);
    lua.lua_setglobal(this.L, to_luastring('require'));
  }

  get fault(): Fault | null {
    return this.entry ? this.entry.fault : this.#fault;
  }

  set fault(fault: Fault | null) {
    if (this.entry) this.entry.fault = fault;
    else this.#fault = fault;
  }

  /** The threads that run, the entry's own first. */
  get chain(): lua_State[] {
    return this.entry?.chain ?? NO_CHAIN;
  }

  /** Sets the global `name` to a table of bindings. */
  register(name: string, bindings: Bindings): void {
    registerGlobal(this.L, name, bindings);
  }

  /** Limits each entry from now on; null takes the limits away. */
  setBudget(limits: BudgetLimits | null): void {
    this.budget.set(limits);
  }

  /** Runs `source` (text of a file that messages call `chunkName`, `scenes/harbor.lua`) to its end, waits included. Throws a LuaError. */
  async run(source: string, chunkName: string): Promise<void> {
    await this.#start((L) => {
      const bytes = to_luastring(checkSource(source, chunkName));
      const status = lauxlib.luaL_loadbufferx(L, bytes, bytes.length, to_luastring(`@${chunkName}`), 't');
      if (this.aborted) throw this.aborted;
      if (status !== lua.LUA_OK) throw new LuaError(lua.lua_tojsstring(L, -1)!);
      return 0;
    }, discard);
  }

  /** Calls `f` in an entry of its own; the results come when it has ended, waits included. Throws a LuaError. */
  call(f: LuaFunction, ...args: unknown[]): Promise<unknown[]> {
    return this.#start((L) => {
      lua.lua_checkstack(L, args.length + lua.LUA_MINSTACK);
      f.push(L);
      for (const arg of args) push(L, arg);
      return args.length;
    }, takeResults);
  }

  /** Loads a module in an entry of its own, waits included; answers what pushes its value. Throws a LuaError. */
  require(name: string): Promise<Proxy> {
    return this.#start(
      (L) => {
        lua.lua_pushcfunction(L, this.modules.require);
        push(L, name);
        return 1;
      },
      (L) => {
        const value = lua.lua_toproxy(L, -1);
        lua.lua_settop(L, 0);
        return value;
      },
    );
  }

  /** Ends the VM: entries that wait are never resumed, and reject; new ones are refused. */
  close(): void {
    this.#closed = true;
  }

  /** A callback that is never entered twice at once. */
  callback(f: LuaFunction): Callback {
    return new Callback(this, f);
  }

  /** Starts an entry: `prepare` pushes the function and its arguments and answers how many arguments there are. */
  #start<R>(prepare: (L: lua_State) => number, take: (L: lua_State) => R): Promise<R> {
    return new Promise((resolve, reject) => {
      const thread = lua.lua_newthread(this.L);
      lua.lua_pop(this.L, 1);
      const used = nothingUsed();
      const entry: Entry = { thread, chain: [], settled: null, fault: null, used };
      const go = (args: number) => {
        try {
          const waiting = this.#step(entry, args);
          if (!waiting) return resolve(take(thread));
          const goOn = (settled: Entry['settled']) => {
            entry.settled = settled;
            go(0);
          };
          waiting.then(
            (value) => goOn({ ok: true, value }),
            (error: unknown) => goOn({ ok: false, error }),
          );
        } catch (error) {
          this.modules.endEntry(entry);
          reject(error);
        }
      };
      go(this.#within(entry, () => prepare(thread)));
    });
  }

  /** Runs an entry until it waits or ends: answers what it waits for, or null with the results on its stack. Throws its error. */
  #step(entry: Entry, args: number): PromiseLike<unknown> | null {
    if (this.#closed) throw new Abort('the scene was closed');
    const { thread } = entry;
    return this.#within(entry, () => {
      this.waiting.delete(thread);
      const status = this.enter(thread, this.running, args);
      if (this.aborted) throw this.aborted;
      if (status === lua.LUA_YIELD) {
        this.waiting.add(thread);
        return this.wait!.promise;
      }
      if (status !== lua.LUA_OK) throw takeError(this.L, thread, 0);
      this.modules.endEntry(entry);
      return null;
    });
  }

  /** Does `work` as a part of an entry, on its clock. */
  #within<T>(entry: Entry, work: () => T): T {
    const outer = { entry: this.entry, aborted: this.aborted };
    this.entry = entry;
    this.aborted = null;
    const stopClock = this.budget.clock(entry.used);
    try {
      return work();
    } finally {
      stopClock();
      this.wait = null;
      this.entry = outer.entry;
      this.aborted = outer.aborted;
    }
  }

  /** Resumes thread `co` from `from`, keeping account of what runs. Returns Fengari's status. */
  enter(co: lua_State, from: lua_State | null, args: number): number {
    const outer = this.running;
    const { chain } = this;
    this.budget.share(from, co);
    this.running = co;
    chain.push(co);
    try {
      return lua.lua_resume(co, from, args);
    } finally {
      chain.pop();
      this.running = outer;
      this.budget.share(co, from);
    }
  }

  /** A protected call on `L` that does not yield. Returns Fengari's status; `takeAbort` says whether it was an Abort. */
  protect(L: lua_State, args: number, results: number, handler: number): number {
    if (!this.entry) this.budget.begin();
    return lua.lua_pcall(L, args, results, handler);
  }

  /** The Abort on its way out, if there is one; outside an entry it has arrived. */
  takeAbort(): Abort | null {
    const { aborted } = this;
    if (!this.entry) this.aborted = null;
    return aborted;
  }

  /** Stops what runs, from a hook: throws an Abort that says where the script was. */
  abort(L: lua_State, message: string): never {
    lua.lua_checkstack(L, lua.LUA_MINSTACK);
    this.aborted = new Abort(placeOf(L) + message, { traceback: traceback(L, L, 0) });
    throw this.aborted;
  }
}

/** Drops the results of an entry that has ended. */
const discard = (L: lua_State): void => lua.lua_settop(L, 0);

/** Takes the results of an entry that has ended. */
function takeResults(L: lua_State): unknown[] {
  const results: unknown[] = [];
  for (let i = 1; i <= lua.lua_gettop(L); i++) results.push(read(L, i));
  lua.lua_settop(L, 0);
  return results;
}

/** A Lua function that the host calls again and again (each frame): a call that waits is not entered again before it has ended. */
export class Callback {
  #busy = false;

  constructor(
    readonly vm: Vm,
    readonly f: LuaFunction,
  ) {}

  /** True while a call of it waits. */
  get busy(): boolean {
    return this.#busy;
  }

  /** Calls the function, unless a call of it still waits: then null. The promise settles when the call has ended. */
  enter(...args: unknown[]): Promise<unknown[]> | null {
    if (this.#busy) return null;
    this.#busy = true;
    return this.vm.call(this.f, ...args).finally(() => {
      this.#busy = false;
    });
  }
}

/**
 * For bindings that have to wait: `return wait(L, promise, (L, value) => { …push results…; return count; })`. The script's thread is
 * suspended until the promise settles; a rejection is a Lua error at the script's line, which it may catch. The arguments are still on the
 * stack when `deliver` runs. Nothing after `wait` runs. Refused where Lua cannot be suspended (inside table.sort, string.gsub, and
 * callbacks that answer at once).
 */
export function wait<T>(
  L: lua_State,
  promise: PromiseLike<T>,
  deliver: (L: lua_State, value: T) => number = () => 0,
): number {
  try {
    checkCanWait(L);
  } catch (error) {
    promise.then(undefined, () => undefined);
    throw error;
  }
  const vm = vmOf(L);
  vm.wait = { promise };
  return lua.lua_yieldk(L, 0, deliver, deliverSettled);
}

/** Throws where Lua cannot be suspended: for bindings that ask before they begin what they would wait for. */
export function checkCanWait(L: lua_State): void {
  const vm = vmOf(L);
  if (!vm.entry || vm.chain.length === 0 || vm.chain.some((thread) => thread.nny > 0))
    throw new ArgumentError(
      'cannot wait here: a function that has to answer at once (for table.sort, string.gsub, terrain.map, keep, …) called it',
    );
}

/** Runs in the waiting binding's place once its promise has settled. */
function deliverSettled<T>(
  L: lua_State,
  _status: number,
  deliver: (L: lua_State, value: T) => number,
): number {
  const entry = vmOf(L).entry!;
  const settled = entry.settled!;
  entry.settled = null;
  if (!settled.ok) throw settled.error ?? new MoonscapeError('the wait failed without saying why');
  return deliver(L, settled.value as T);
}
