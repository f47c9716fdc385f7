// How long one entry into Lua may run. A count hook looks every INTERVAL instructions; all threads of an entry share one count, so that
// many short coroutines get no more than one long one. Waits do not count.
import { lua } from 'fengari';
import type { lua_State } from 'fengari';
import type { Entry, Vm } from './vm.js';

/** Limits of one entry into Lua; what is left out is not limited. */
export interface BudgetLimits {
  /** VM instructions, checked every 1,000. */
  instructions?: number;
  /** Milliseconds of running, waits excluded. */
  ms?: number;
}

/** Instructions between two looks. The hook's cost does not depend on it (it is the count itself). */
const INTERVAL = 1000;

/** The budget of a VM's entries. */
export class Budget {
  readonly #vm: Vm;
  #limits: BudgetLimits | null = null;
  /** Use of callbacks that run outside any entry. */
  #outside: Entry['used'] = { instructions: 0, ms: 0 };
  #since = 0;

  constructor(vm: Vm) {
    this.#vm = vm;
  }

  /** Sets the limits of entries from now on. */
  set(limits: BudgetLimits | null): void {
    this.#limits = limits;
    if (limits) lua.lua_sethook(this.#vm.L, this.#look, lua.LUA_MASKCOUNT, INTERVAL);
    else lua.lua_sethook(this.#vm.L, null, 0, 0);
  }

  /** Starts the count of a call outside any entry. */
  begin(): void {
    if (!this.#limits) return;
    this.#outside = { instructions: 0, ms: 0 };
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
    const start = performance.now();
    this.#since = start - used.ms;
    return () => {
      const now = performance.now();
      used.ms = now - this.#since;
      this.#since = outer + (now - start);
    };
  }

  readonly #look = (L: lua_State): void => {
    const vm = this.#vm;
    if (vm.aborted) throw vm.aborted;
    const limits = this.#limits;
    if (!limits) return;
    const used = vm.entry?.used ?? this.#outside;
    used.instructions += INTERVAL;
    if (limits.instructions !== undefined && used.instructions >= limits.instructions)
      vm.abort(
        L,
        `stopped: the script ran more than ${limits.instructions} instructions without waiting for anything`,
      );
    if (limits.ms !== undefined && performance.now() - this.#since >= limits.ms)
      vm.abort(L, `stopped: the script ran longer than ${limits.ms} ms`);
  };
}

const NOTHING = () => undefined;
