import { expect } from 'chai';
import { lua } from 'fengari';
import { LuaError, arg } from '../../bindings/vm/index.js';
import { testVm } from './support.js';

const FAULT = 'internal fault: TypeError: x is undefined';

describe('vm', () => {
  describe('a JavaScript error in a binding', () => {
    /** Each script raises the fault on line 2 and prints what it caught. */
    const caught: Record<string, string> = {
      pcall: 'print(pcall(function()\nhost.throw() end))',
      'pcall of a pcall':
        'print(pcall(function()\nlocal _, e = pcall(function() host.throw() end) error(e, 0) end))',
      xpcall: 'print(xpcall(function()\nhost.throw() end, function(e) return e end))',
      'coroutine.wrap': 'print(pcall(coroutine.wrap(function()\nhost.throw() end)))',
      'coroutine.resume': 'print(coroutine.resume(coroutine.create(function()\nhost.throw() end)))',
      'a callback': 'print(pcall(function() host.call(function()\nhost.throw() end) end))',
      'a callback in a coroutine':
        'print(pcall(coroutine.wrap(function() host.call(function()\nhost.throw() end) end)))',
      'table.sort': 'print(pcall(table.sort, { 1, 2, 3 }, function()\nhost.throw() end))',
      'string.gsub': 'print(pcall(string.gsub, "abc", ".", function()\nhost.throw() end))',
      __index:
        'local t = setmetatable({}, { __index = function()\nhost.throw() end }) print(pcall(function() return t.x end))',
      __add:
        'local t = setmetatable({}, { __add = function()\nhost.throw() end }) print(pcall(function() return t + 1 end))',
      __tostring:
        'local t = setmetatable({}, { __tostring = function()\nhost.throw() end }) print(pcall(tostring, t))',
      'a tail call': 'print(pcall(function()\nreturn host.throw() end))',
      'an iterator': 'print(pcall(function()\nfor _ in host.throw do end end))',
      'after a wait': 'print(pcall(function() host.sleep(1)\nhost.throw() end))',
    };
    for (const [where, source] of Object.entries(caught))
      it(`carries the script's line under ${where}`, async () => {
        expect(await testVm().run(source)).to.deep.equal([`false\tscenes/test.lua:2: ${FAULT}`]);
      });

    it('reaches the host with traceback and the JavaScript error, stack and all', async () => {
      const error = await testVm().fail('local function inner()\n  host.throw()\nend\ninner()');
      expect(error.message).to.equal(`scenes/test.lua:2: ${FAULT}`);
      expect(error.cause).to.be.instanceOf(TypeError);
      expect((error.cause as Error).stack).to.contain('support.ts');
      expect(error.traceback.split('\n')).to.deep.equal([
        'stack traceback:',
        "\t[engine]: in function 'host.throw'",
        "\tscenes/test.lua:2: in local 'inner'",
        '\tscenes/test.lua:4: in main chunk',
      ]);
    });

    it('shows the error of a person as it is', async () => {
      expect((await testVm().fail('\nhost.refuse()')).message).to.equal(
        'scenes/test.lua:2: host.refuse: this never works',
      );
    });

    it('shows a binding that pushed too much', async () => {
      const { vm, fail } = testVm();
      vm.register('bad', {
        greedy: (L) => {
          for (let i = 0; i < 60; i++) lua.lua_pushnumber(L, i);
          return 60;
        },
      });
      expect((await fail('bad.greedy()')).message).to.match(/^scenes\/test\.lua:1: internal fault: /);
    });
  });

  describe('a Lua error', () => {
    it('keeps its table through pcall, coroutines and callbacks', async () => {
      const lines = await testVm().run(`local e = { code = 7 }
        print(select(2, pcall(host.call, function() error(e) end)) == e)
        print(select(2, coroutine.resume(coroutine.create(function() host.call(function() error(e) end) end))) == e)
        print(select(2, pcall(coroutine.wrap(function() error(e) end))) == e)`);
      expect(lines).to.deep.equal(['true', 'true', 'true']);
    });

    it('of a binding in a message handler is caught too, as an error in error handling', async () => {
      const handled = 'xpcall(error, function() host.throw() end)';
      const lines = await testVm().run(`print(pcall(function() return ${handled} end))
        print(coroutine.wrap(function() return ${handled} end)())
        host.call(function() print(${handled}) end)
        print(xpcall(host.throw, function() host.throw() end))`);
      const told = 'false\terror in error handling';
      expect(lines).to.deep.equal([`true\t${told}`, told, told, told]);
    });

    const shown: Record<string, string> = {
      'error({})': '(error object is a table value)',
      'error(nil)': '(error object is a nil value)',
      'error(12)': '12',
      'error(print)': '(error object is a function value)',
      'error(setmetatable({}, { __tostring = function() return "told" end }))': 'told',
      'error(setmetatable({}, { __tostring = function() error("no") end }))':
        '(error object is a table value)',
      'error(setmetatable({}, { __tostring = function() return {} end }))': '(error object is a table value)',
      'error("at once", 0)': 'at once',
    };
    for (const [source, message] of Object.entries(shown))
      it(`is shown safely: ${source}`, async () => {
        expect((await testVm().fail(source)).message).to.equal(message);
      });

    it('has the traceback of the coroutine it was raised in, then that of the script', async () => {
      const { traceback } = await testVm().fail(
        'local function f()\nerror("x")\nend\nlocal go = coroutine.wrap(f)\ngo()',
      );
      expect(traceback).to.contain('scenes/test.lua:2: in function <scenes/test.lua:1>');
      expect(traceback).to.contain('scenes/test.lua:5: in main chunk');
    });

    it('has the traceback of the callback it was raised in', async () => {
      const { traceback } = await testVm().fail('local function f()\nlocal x = nil + 1\nend\nhost.call(f)');
      expect(traceback).to.contain('scenes/test.lua:2: in ');
      expect(traceback).to.contain("[engine]: in function 'host.call'");
      expect(traceback.match(/in main chunk/g)).to.have.length(1);
    });

    it('of syntax names file and line', async () => {
      expect((await testVm().fail('x = 1\ny = = 2')).message).to.equal(
        "scenes/test.lua:2: unexpected symbol near '='",
      );
    });

    it('leaves the VM usable', async () => {
      const { fail, run } = testVm();
      for (const source of ['error("a")', 'host.throw()', 'host.sleep(1) error("b")', 'x = = 1']) {
        await fail(source);
        expect(await run('print(pcall(pcall, error, "e"), #"ok")')).to.deep.equal(['true\t2']);
      }
    });
  });

  it('blames the script, not the system module, for what it passed', async () => {
    const systemModules = new Map([
      ['~system.modules.thing', 'return { go = function(x)\n\n return host.number(x) end }'],
    ]);
    const { fail } = testVm({ systemModules });
    const error = await fail('local thing = require("~system.modules.thing")\nthing.go("a")');
    expect(error.message).to.equal('scenes/test.lua:2: host.number: x must be a finite number, got "a"');
  });

  it('gives callbacks to JavaScript as LuaErrors that JavaScript may catch', async () => {
    const { vm, run } = testVm();
    let seen: unknown;
    vm.register('careful', {
      try: (L) => {
        const f = arg.func(L, 1, 'f');
        try {
          f.call();
        } catch (error) {
          seen = error;
        }
        return 0;
      },
    });
    expect(await run('careful.try(function() error("inside") end) print("on")')).to.deep.equal(['on']);
    expect(seen).to.be.instanceOf(LuaError);
    expect((seen as Error).message).to.equal('scenes/test.lua:1: inside');
  });
});
