// A VM for the specs: what scripts print is kept, `host.sleep` waits, `host.call` calls back at once, `host.throw` throws.
import { lua } from 'fengari';
import { LuaError, Vm, arg, push, wait } from '../../bindings/vm/index.js';
import type { VmOptions } from '../../bindings/vm/index.js';
import { MoonscapeError } from '../../runtime/errors.js';

export interface TestVm {
  vm: Vm;
  /** The lines printed so far. */
  lines: string[];
  /** Runs a script as `scenes/test.lua` and returns the lines it printed; throws its error. */
  run(source: string): Promise<string[]>;
  /** Runs a script that must fail and returns its error. */
  fail(source: string): Promise<LuaError>;
}

const soon = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Makes a VM with a `host` table: sleep(ms, …) -> …, reject(message), call(f, …) -> …, throw(), refuse(), now(). */
export function testVm(options: VmOptions = {}): TestVm {
  const lines: string[] = [];
  const vm = new Vm({ print: (line) => lines.push(line), ...options });
  vm.register('host', {
    sleep: (L) =>
      wait(L, soon(arg.number(L, 1, 'ms')), (L) => {
        lua.lua_remove(L, 1);
        return lua.lua_gettop(L);
      }),
    reject: (L) => wait(L, Promise.reject(new MoonscapeError(arg.string(L, 1, 'message')))),
    rejectFault: (L) => wait(L, Promise.reject(new TypeError('x is undefined'))),
    call: (L) => {
      const f = arg.func(L, 1, 'f');
      const args = [];
      for (let i = 2; i <= lua.lua_gettop(L); i++) args.push(arg.value(L, i));
      const results = f.callMulti(...args);
      for (const result of results) push(L, result);
      return results.length;
    },
    throw: () => {
      throw new TypeError('x is undefined');
    },
    refuse: () => {
      throw new MoonscapeError('host.refuse: this never works');
    },
    number: (L) => {
      lua.lua_pushnumber(L, arg.number(L, 1, 'x'));
      return 1;
    },
  });
  const run = async (source: string) => {
    const first = lines.length;
    await vm.run(source, 'scenes/test.lua');
    return lines.slice(first);
  };
  const fail = async (source: string) => {
    try {
      await run(source);
    } catch (error) {
      if (error instanceof LuaError) return error;
      throw error;
    }
    throw new Error('the script did not fail');
  };
  return { vm, lines, run, fail };
}
