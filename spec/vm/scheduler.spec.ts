import { expect } from 'chai';
import fc from 'fast-check';
import { Abort, LuaFunction, arg, wait } from '../../bindings/vm/index.js';
import { testVm } from './support.js';

describe('vm', () => {
  describe('a wait', () => {
    const places: Record<string, [source: string, lines: string[]]> = {
      'in the chunk': ['print(host.sleep(1, "a", 2))', ['a\t2']],
      'in a function': [
        'local function f(x) local y = host.sleep(1, x) return y + 1 end print(f(1) + f(2))',
        ['5'],
      ],
      'through pcall': [
        'print(pcall(host.sleep, 1, "a")) print(pcall(function() return host.sleep(1, "b") end))',
        ['true\ta', 'true\tb'],
      ],
      'through xpcall': ['print(xpcall(function(x) return host.sleep(1, x) end, print, "a"))', ['true\ta']],
      'in __index': [
        'local t = setmetatable({}, { __index = function(_, k) return host.sleep(1, k) end }) print(t.x .. t.y)',
        ['xy'],
      ],
      'in __call, __add, __lt, __concat and __eq': [
        `local m = {} m.__call = function(_, x) return host.sleep(1, x) end m.__add = function() return host.sleep(1, 3) end
         m.__lt = function() return host.sleep(1, true) end m.__concat = function() return host.sleep(1, "c") end
         m.__eq = function() return host.sleep(1, true) end
         local a, b = setmetatable({}, m), setmetatable({}, m) print(a(1), a + b, a < b, a .. b, a == b)`,
        ['1\t3\ttrue\tc\ttrue'],
      ],
      'in an iterator': [
        'local function it(_, i) if i < 3 then return host.sleep(1, i + 1) end end for i in it, nil, 0 do print(i) end',
        ['1', '2', '3'],
      ],
      'in a for loop of a tail call': [
        'local function f(n) if n == 0 then return "end" end host.sleep(0) return f(n - 1) end print(f(5))',
        ['end'],
      ],
    };
    for (const [where, [source, lines]] of Object.entries(places))
      it(`goes on where it was: ${where}`, async () => {
        expect(await testVm().run(source)).to.deep.equal(lines);
      });

    it('inside a coroutine of the script is not seen by the script', async () => {
      expect(
        await testVm().run(`local co = coroutine.create(function(a)
            local b = coroutine.yield(host.sleep(1, a) + 1)
            host.sleep(1)
            local c = coroutine.yield(b .. "!")
            return host.sleep(1, c, "done")
          end)
          print(coroutine.resume(co, 1)) print(coroutine.status(co))
          print(coroutine.resume(co, "b")) print(coroutine.resume(co, "c")) print(coroutine.status(co)) print(coroutine.resume(co))`),
      ).to.deep.equal([
        'true\t2',
        'suspended',
        'true\tb!',
        'true\tc\tdone',
        'dead',
        'false\tcannot resume dead coroutine',
      ]);
    });

    it('crosses coroutines in coroutines, and pcall between them', async () => {
      expect(
        await testVm()
          .run(`local function leaf(x) local y = host.sleep(1, x) coroutine.yield(y) return host.sleep(1, y * 2) end
          local outer = coroutine.wrap(function()
            local inner = coroutine.wrap(leaf)
            local ok, a = pcall(inner, 4)
            coroutine.yield(a)
            host.sleep(1)
            return inner()
          end)
          print(outer(), outer())`),
      ).to.deep.equal(['4\t8']);
    });

    it('inside a generator works in a for loop', async () => {
      expect(
        await testVm().run(`local function numbers() for i = 1, 3 do coroutine.yield(host.sleep(1, i)) end end
          for i in coroutine.wrap(numbers) do print(i) end`),
      ).to.deep.equal(['1', '2', '3']);
    });

    for (const [name, source] of Object.entries({
      'table.sort': 'table.sort({ 2, 1 }, function(a, b)\nhost.sleep(1) return a < b end)',
      'string.gsub': '("x"):gsub("x", function()\nhost.sleep(1) end)',
      'a callback that answers at once': 'host.call(function()\nhost.sleep(1) end)',
      'a coroutine in table.sort': 'table.sort({ 2, 1 }, coroutine.wrap(function(a, b)\nhost.sleep(1) end))',
      __tostring: 'tostring(setmetatable({}, { __tostring = function()\nhost.sleep(1) return "" end }))',
    }))
      it(`is refused in ${name}`, async () => {
        expect((await testVm().fail(source)).message).to.match(
          /^scenes\/test\.lua:2: host\.sleep: cannot wait here: /,
        );
      });

    it('that is refused can be caught, and the script can still wait', async () => {
      expect(
        await testVm().run(
          'print((pcall(host.call, function() host.sleep(1) end))) print(host.sleep(1, "ok"))',
        ),
      ).to.deep.equal(['false', 'ok']);
    });

    it('that is rejected is an error at its line, which the script may catch', async () => {
      const { run, fail } = testVm();
      expect(await run('print(pcall(function()\nhost.reject("no such file") end))')).to.deep.equal([
        'false\tscenes/test.lua:2: no such file',
      ]);
      const error = await fail(
        'local co = coroutine.wrap(function()\nhost.reject("no such file")\nend)\nco()',
      );
      expect(error.message).to.equal('scenes/test.lua:2: no such file');
      expect(error.traceback)
        .to.contain("[engine]: in function 'host.reject'")
        .and.contain('scenes/test.lua:4:');
      expect((await fail('host.rejectFault()')).message).to.equal(
        'scenes/test.lua:1: internal fault: TypeError: x is undefined',
      );
    });
  });

  describe('coroutines', () => {
    it('are as in Lua: status, running, isyieldable, wrap in wrap', async () => {
      expect(
        await testVm().run(`print(select(2, coroutine.running()), coroutine.isyieldable())
          local co co = coroutine.create(function()
            print(coroutine.status(co), coroutine.running() == co, select(2, coroutine.running()), coroutine.isyieldable())
            coroutine.wrap(function() print(coroutine.status(co)) end)()
            print(coroutine.resume(co))
          end)
          print(coroutine.status(co)) coroutine.resume(co) print(coroutine.status(co))
          print(pcall(coroutine.resume, 1))`),
      ).to.deep.equal([
        'true\tfalse',
        'suspended',
        'running\ttrue\tfalse\ttrue',
        'normal',
        'false\tcannot resume non-suspended coroutine',
        'dead',
        "false\tbad argument #1 to 'coroutine.resume' (coroutine expected)",
      ]);
    });

    it('may not yield out of the entry', async () => {
      expect((await testVm().fail('\ncoroutine.yield(1)')).message).to.equal(
        'scenes/test.lua:2: attempt to yield from outside a coroutine',
      );
    });

    it('that wait for the host cannot be resumed by another entry', async () => {
      const { run } = testVm();
      const first = run(`shared = coroutine.create(function() return host.sleep(20, "mine") end)
        main = coroutine.running() print(coroutine.resume(shared))`);
      const second = await run(
        'print(coroutine.status(shared), coroutine.resume(shared)) print(coroutine.resume(main))',
      );
      expect(second).to.deep.equal([
        'normal\tfalse\tcannot resume a coroutine that is waiting',
        'false\tcannot resume a coroutine that is waiting',
      ]);
      expect(await first).to.include('true\tmine');
    });
  });

  describe('entries', () => {
    it('run beside each other while they wait', async () => {
      const { run, lines } = testVm();
      await Promise.all([
        run('for i = 1, 3 do print("a" .. i) host.sleep(4) end'),
        run('for i = 1, 3 do print("b" .. i) host.sleep(4) end'),
      ]);
      expect(lines).to.deep.equal(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
    });

    it('take arguments and give results', async () => {
      const { vm } = testVm();
      const f = await functionOf(
        vm,
        'return function(a, b) host.sleep(1) return a + b, { list = { 1, 2 }, ok = true } end',
      );
      const [sum, table] = await vm.call(f, 1, 2.5);
      expect(sum).to.equal(3.5);
      expect({ ...(table as object) }).to.deep.equal({ list: [1, 2], ok: true });
    });

    it('of a callback never overlap', async () => {
      const { vm, lines } = testVm();
      const callback = vm.callback(await functionOf(vm, 'return function(n) print(n) host.sleep(5) end'));
      const first = callback.enter(1);
      expect(callback.busy).to.equal(true);
      expect(callback.enter(2)).to.equal(null);
      await first;
      expect(callback.busy).to.equal(false);
      await callback.enter(3);
      expect(lines).to.deep.equal(['1.0', '3.0']);
    });

    it('of a callback that failed may be tried again', async () => {
      const { vm } = testVm();
      const callback = vm.callback(await functionOf(vm, 'return function() host.sleep(1) error("once") end'));
      for (let i = 0; i < 2; i++) {
        const message = await callback.enter()!.then(
          () => 'no error',
          (error: Error) => error.message,
        );
        expect(message).to.equal('scenes/get.lua:1: once');
        expect(callback.busy).to.equal(false);
      }
    });

    it('ten thousand of them leave nothing behind', async () => {
      const { vm } = testVm();
      const f = await functionOf(vm, 'return function(f) return f end');
      const registry = () => registrySize(vm);
      const before = registry();
      for (let i = 0; i < 10_000; i++) await vm.call(f, f);
      expect(registry()).to.equal(before);
      expect(vm.L.top).to.equal(1);
      expect([vm.running, vm.entry, vm.wait, vm.chain.length]).to.deep.equal([null, null, null, 0]);
    });

    it('waiting when the VM is closed are not resumed', async () => {
      const { vm, run, lines } = testVm();
      const waiting = run('host.sleep(2) print("never")').catch((error: unknown) => error);
      vm.close();
      expect(await waiting).to.be.instanceOf(Abort);
      expect(lines).to.deep.equal([]);
    });
  });

  it('computes the same with waits as without, in any nest of calls, coroutines and protected calls', async () => {
    const number = fc.integer({ min: 0, max: 9 }).map(String);
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5, withCrossShrink: true },
        number,
        tie('tree').map((a) => `wait(${a})`),
        fc.tuple(tie('tree'), tie('tree')).map(([a, b]) => `(${a} + ${b})`),
        tie('tree').map((a) => `select(2, pcall(function() return ${a} end))`),
        tie('tree').map((a) => `select(2, pcall(function() error(${a}, 0) end))`),
        tie('tree').map(
          (a) => `select(2, xpcall(function() error(${a}, 0) end, function(e) return e + 1 end))`,
        ),
        tie('tree').map((a) => `coroutine.wrap(function() return ${a} end)()`),
        tie('tree').map((a) => `setmetatable({}, { __index = function() return ${a} end }).x`),
        fc
          .tuple(tie('tree'), tie('tree'))
          .map(
            ([a, b]) =>
              `generate(function(x) local y = coroutine.yield(x + ${a}) return y * 2 + ${b} end, ${a}, ${b})`,
          ),
      ),
    }));
    const prelude = (wait: string) => `local wait = ${wait}
      local function generate(f, a, b) local co = coroutine.wrap(f) local first = co(a) return first + co(b) end `;
    const { run } = testVm();
    await fc.assert(
      fc.asyncProperty(tree, async (expression) => {
        const program = `print(${expression})`;
        const waiting = await run(prelude('function(x) return host.sleep(0, x) end') + program);
        const direct = await run(prelude('function(x) return x end') + program);
        expect(waiting).to.deep.equal(direct);
      }),
      { numRuns: 150 },
    );
  });

  it('calls functions at once from outside any entry', async () => {
    const { vm } = testVm();
    const f = await functionOf(vm, 'return function(a) if a == 2 then host.sleep(1) end return a * 2 end');
    expect(f.call(4)).to.equal(8);
    expect(f.callNumbers(4, 0, 0)).to.equal(8);
    expect(() => f.call(2)).to.throw('scenes/get.lua:1: host.sleep: cannot wait here');
    expect(f.call(5)).to.equal(10);
    f.release();
    expect(() => f.call(1)).to.throw('this Lua function was released');
  });
});

async function functionOf(vm: ReturnType<typeof testVm>['vm'], source: string): Promise<LuaFunction> {
  let taken: LuaFunction | undefined;
  vm.register('take', {
    it: (L) => {
      taken = arg.func(L, 1, 'f');
      return wait(L, Promise.resolve());
    },
  });
  await vm.run(`take.it((function() ${source} end)())`, 'scenes/get.lua');
  return taken!;
}

/** How many entries the registry of a state holds. */
function registrySize(vm: ReturnType<typeof testVm>['vm']): number {
  const { l_registry } = vm.L.l_G as unknown as { l_registry: { value: { strong: Map<unknown, unknown> } } };
  return l_registry.value.strong.size;
}
