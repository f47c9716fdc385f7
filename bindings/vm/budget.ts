// What one entry into Lua, and a whole scene, may use: instructions, time, and what grows (strings, objects, lines). A count hook looks
// every INTERVAL instructions; library functions and the compiler tell of work that is no instruction (patches/, lwork.js), so that no
// single call outlives its budget. All threads of an entry share one count, so that many short coroutines get no more than one long one.
// Waits do not count.
import { lauxlib, lua } from 'fengari';
import type { lua_State } from 'fengari';
import { checkNumber } from '../../runtime/errors.js';
import type { Entry, Vm } from './vm.js';

/** Limits, each above 0; what is left out, or Infinity, is not limited. */
export interface Limits {
  /** VM instructions, and for library functions and the compiler about as many as take the same time; checked every 1,000. */
  instructions?: number;
  /** Milliseconds of running, waits excluded. */
  ms?: number;
  /** Bytes of all strings that concatenation and the string library make, garbage included. */
  strings?: number;
  /** Tables, table entries, closures and coroutines made, garbage included. */
  objects?: number;
  /** Lines printed. */
  lines?: number;
}

/** Limits of one entry into Lua (a scene's chunk, a callback), and of all entries of a scene together. */
export interface BudgetLimits extends Limits {
  scene?: Limits;
}

/** What was used so far. */
export type Used = Required<Limits>;

export const nothingUsed = (): Used => ({ instructions: 0, ms: 0, strings: 0, objects: 0, lines: 0 });

/** Instructions between two looks. The hook's cost does not depend on it (it is the count itself). */
const INTERVAL = 1000;

const KINDS = ['instructions', 'ms', 'strings', 'objects', 'lines'] as const;

/** The budget of a VM's entries. */
export class Budget {
  readonly #vm: Vm;
  #limits: BudgetLimits | null = null;
  /** Use of callbacks that run outside any entry. */
  #outside: Entry['used'] = nothingUsed();
  /** Use of the scene, time left out: that is taken from `#busy`. */
  readonly #scene = nothingUsed();
  #since = 0;
  /** Milliseconds of all entries that have stopped, and since when one runs. */
  #busy = 0;
  #busySince: number | null = null;
  /** Units of work that were told since the last look. */
  #told = 0;
  /** While it says where a script was: that makes strings too. */
  #stopping = false;

  constructor(vm: Vm) {
    this.#vm = vm;
  }

  /** Sets the limits of entries from now on; null takes them away. Throws where a limit is not a number above 0. */
  set(limits: BudgetLimits | null): void {
    for (const [prefix, some] of [
      ['', limits],
      ['scene.', limits?.scene],
    ] as const)
      for (const kind of KINDS)
        if (some?.[kind] !== undefined && some[kind] !== Infinity)
          checkNumber('budget', `${prefix}${kind}`, some[kind], { above: 0 });
    this.#limits = limits;
    const { L } = this.#vm;
    const limited = (kind: keyof Limits) =>
      Number.isFinite(limits?.[kind]) || Number.isFinite(limits?.scene?.[kind]);
    const timed = limited('instructions') || limited('ms');
    if (timed) lua.lua_sethook(L, this.#look, lua.LUA_MASKCOUNT, INTERVAL);
    else lua.lua_sethook(L, null, 0, 0);
    L.l_G.work = timed ? this.#work : null;
    L.l_G.made = limited('strings') ? this.#made : null;
    L.l_G.grew = limited('objects') ? this.#grew : null;
  }

  /** Starts the count of a call outside any entry. */
  begin(): void {
    if (!this.#limits) return;
    this.#outside = nothingUsed();
    this.#since = performance.now();
  }

  /** Hands the count over from one thread to the next; an entry begins where `from` is null or another entry's thread. */
  share(from: lua_State | null, to: lua_State | null): void {
    const { L } = this.#vm;
    if (to) {
      const source = from ?? L;
      to.hook = L.hook;
      to.hookmask = L.hookmask;
      to.basehookcount = L.basehookcount;
      to.hookcount = source.hookcount || L.basehookcount;
    } else if (from) L.hookcount = from.hookcount;
  }

  /** Starts the clock of an entry that starts or goes on; returns what stops it. */
  clock(used: Entry['used']): () => void {
    if (!this.#limits) return NOTHING;
    const outer = this.#since;
    const outermost = this.#busySince === null;
    const start = performance.now();
    this.#since = start - used.ms;
    if (outermost) this.#busySince = start;
    return () => {
      const now = performance.now();
      used.ms = now - this.#since;
      this.#since = outer + (now - start);
      if (outermost) {
        this.#busy += now - start;
        this.#busySince = null;
      }
    };
  }

  /** Counts a line that is about to be printed; throws an Abort where it is one too many. */
  line(L: lua_State): void {
    const use = this.#use();
    use.lines++;
    this.#scene.lines++;
    this.#hold(L, 'lines', (most) => `printed more than ${most} lines`);
  }

  /** Counts `units` of work of a native function that runs long (1 takes about as long as an instruction). */
  work(L: lua_State, units: number): void {
    L.l_G.work?.(L, units);
  }

  /** Counts a string of `bytes` that a native function makes. */
  made(L: lua_State, bytes: number): void {
    L.l_G.made?.(L, bytes);
  }

  #use(): Used {
    return this.#vm.entry?.used ?? this.#outside;
  }

  readonly #look = (L: lua_State): void => this.#spend(L, INTERVAL);

  readonly #work = (L: lua_State, units: number): void => {
    this.#told += units;
    if (this.#told < INTERVAL) return;
    const { aborted } = this.#vm;
    if (aborted) throw aborted;
    const told = this.#told;
    this.#told = 0;
    this.#spend(L, told);
  };

  readonly #made = (L: lua_State, bytes: number): void => {
    this.#use().strings += bytes;
    this.#scene.strings += bytes;
    this.#hold(L, 'strings', (most) => `made more than ${most} bytes of strings`);
  };

  readonly #grew = (): void => {
    this.#use().objects++;
    this.#scene.objects++;
    const vm = this.#vm;
    this.#hold(
      vm.running ?? vm.L,
      'objects',
      (most) => `made more than ${most} tables, entries and functions`,
    );
  };

  #spend(L: lua_State, units: number): void {
    const vm = this.#vm;
    if (vm.aborted) throw vm.aborted;
    if (!this.#limits) return;
    const use = this.#use();
    use.instructions += units;
    this.#scene.instructions += units;
    this.#hold(
      L,
      'instructions',
      (most) => `ran more than ${most} instructions without waiting for anything`,
    );
    const now = performance.now();
    const { ms, scene } = this.#limits;
    if (ms !== undefined && now - this.#since >= ms) this.#stop(L, `the script ran longer than ${ms} ms`);
    if (scene?.ms !== undefined && this.#busy + now - (this.#busySince ?? now) >= scene.ms)
      this.#stop(L, `the scene’s scripts ran longer than ${scene.ms} ms in all`);
  }

  /** Throws an Abort where more was used of `kind` than an entry or the scene may. */
  #hold(L: lua_State, kind: Exclude<keyof Limits, 'ms'>, says: (most: number) => string): void {
    const limits = this.#limits;
    if (!limits) return;
    const most = limits[kind];
    if (most !== undefined && this.#use()[kind] > most) this.#stop(L, `the script ${says(most)}`);
    const inAll = limits.scene?.[kind];
    if (inAll !== undefined && this.#scene[kind] > inAll)
      this.#stop(L, `the scene’s scripts ${says(inAll)} in all`);
  }

  #stop(L: lua_State, why: string): void {
    const vm = this.#vm;
    if (vm.aborted) throw vm.aborted;
    if (this.#stopping) return;
    this.#stopping = true;
    try {
      vm.abort(L, `stopped: ${why}`);
    } finally {
      this.#stopping = false;
    }
  }
}

const NOTHING = () => undefined;

/** Where a script is, `file:line: `, from a hook or from within a native function that it called. */
export function placeOf(L: lua_State): string {
  for (let level = 0; level < 8; level++) {
    lauxlib.luaL_where(L, level);
    const place = lua.lua_tojsstring(L, -1)!;
    lua.lua_pop(L, 1);
    if (place) return place;
  }
  return '';
}
