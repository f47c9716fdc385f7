// Calls between a program and the scripts of its scene. A runtime in Node without a canvas is the same as a page's here.
import { expect } from 'chai';
import { createRuntime, hostFunction, type PageRuntime } from '../../bindings/moonscape.js';
import { createNodeHost } from '../../runtime/host/node.js';
import { Entity } from '../../runtime/world/entity.js';
import { SOFTWARE } from '../support/gpu.js';

describe('runtime.lua', () => {
  let runtime: PageRuntime;
  const printed: string[] = [];

  before(async function () {
    this.timeout(60_000);
    const host = createNodeHost({ project: '.' });
    runtime = await createRuntime({ host, software: SOFTWARE, width: 16, height: 16 });
    runtime.on('print', (line) => printed.push(line));
  });
  after(() => runtime.destroy());
  beforeEach(() => printed.splice(0));

  const run = (source: string) => runtime.run({ source, name: 'scene.lua' });
  const failure = async (work: () => unknown): Promise<string> => {
    try {
      await work();
    } catch (error) {
      return (error as Error).message;
    }
    throw new Error('it did not fail');
  };

  describe('call', () => {
    it('hands numbers, strings, booleans, lists, tables and typed arrays over, and their like back', async () => {
      await run(
        'function echo(...) return ... end function kind(v) return type(v), type(v) == "table" and #v or -1 end',
      );
      const values = [
        1.5,
        -0,
        2 ** 40,
        'häß\0x',
        true,
        [1, [2, 'three']],
        { a: 1, b: { c: [true] } },
        [],
        NaN,
      ];
      for (const value of values) {
        const back = await runtime.lua.call('echo', value);
        expect(back).to.deep.equal(Array.isArray(value) && value.length === 0 ? {} : value);
      }
      expect(await runtime.lua.call('echo', Float32Array.of(1, 2.5))).to.deep.equal([1, 2.5]);
      expect(await runtime.lua.call('echo', Uint8Array.of(7))).to.deep.equal([7]);
      expect(await runtime.lua.call('echo', null)).to.equal(undefined);
      expect(await runtime.lua.call('echo', new Map([['a', 1]]))).to.deep.equal({ a: 1 });
      expect(await runtime.lua.callMulti('kind', [4, 5])).to.deep.equal(['table', 2]);
      expect(await runtime.lua.callMulti('echo')).to.deep.equal([]);
    });

    it('reaches functions in tables, waits with the script, and takes engine objects both ways', async () => {
      await run(`game = { make = function(name) return entity.create(name) end, name = function(e) return e.name end }
        function slow(n) return wait(n) + 1 end`);
      runtime.lua.register(
        'wait',
        (n: number) => new Promise((resolve) => setTimeout(() => resolve(n * 2), 5)),
      );
      const made = await runtime.lua.call('game.make', 'hut');
      expect(made).to.be.instanceOf(Entity);
      expect(await runtime.lua.call('game.name', made)).to.equal('hut');
      expect(await Promise.all([runtime.lua.call('slow', 1), runtime.lua.call('slow', 10)])).to.deep.equal([
        3, 21,
      ]);
    });

    it('hands functions over: a script’s become functions, and come back as the same', async () => {
      await run(`function counter() local n = 0 return function(by) n = n + by return n end end
        function same(a, b) return a == b end function use(f) return f(2, "x") end`);
      const count = (await runtime.lua.call('counter')) as (by: number) => Promise<number>;
      expect([await count(2), await count(3)]).to.deep.equal([2, 5]);
      expect(await runtime.lua.call('same', count, count)).to.equal(true);
      expect(await runtime.lua.call('use', (n: number, text: string) => text.repeat(n))).to.equal('xx');
    });

    it('rejects with the script’s error, and for what is no function, no name, or has no form in Lua', async () => {
      await run('local function deep() error("no luck") end function fail() deep() end list = {1}');
      const error = await runtime.lua.call('fail').catch((error: Error) => error);
      expect(error).to.include({ name: 'LuaError', message: 'scene.lua:1: no luck' });
      expect((error as { traceback: string }).traceback).to.match(/in upvalue 'deep'/);
      expect(await failure(() => runtime.lua.call('list'))).to.equal(
        'runtime.lua.call: list must be a function of the scene, got { 1 }',
      );
      expect(await failure(() => runtime.lua.call('gone'))).to.match(
        /gone must be a function of the scene, got nothing/,
      );
      expect(await failure(() => runtime.lua.call('gone.deeper'))).to.match(
        /gone must be a table, got nothing/,
      );
      expect(await failure(() => runtime.lua.call('a b'))).to.match(/name must be the name of a global/);
      expect(await failure(() => runtime.lua.call('fail', 1n))).to.match(
        /argument 1 must be a number.*got a bigint/,
      );
      expect(await failure(() => runtime.lua.call('fail', new Date()))).to.match(
        /a Date cannot be pushed to Lua/,
      );
      const round: unknown[] = [];
      round.push(round);
      expect(await failure(() => runtime.lua.call('fail', round))).to.match(
        /argument 1.* is more than 16 tables deep/,
      );
    });
  });

  it('get and set read and write globals and fields of tables', async () => {
    await run('game = { level = 3, name = "dune" } half = 0.5');
    expect(runtime.lua.get('game')).to.deep.equal({ level: 3, name: 'dune' });
    runtime.lua.set('game.level', 4);
    runtime.lua.set('fresh', { list: [1, 2] });
    await run('').catch(() => {});
    await run('game = { level = 3 } function level() return game.level end');
    runtime.lua.set('game.level', 9);
    expect(await runtime.lua.call('level')).to.equal(9);
    expect(runtime.lua.get('game.gone')).to.equal(undefined);
    expect(await failure(() => runtime.lua.set('gone.x', 1))).to.equal(
      'runtime.lua.set: gone must be a table, got nothing',
    );
    expect(await failure(() => runtime.lua.get('level.x'))).to.match(/level must be a table, got/);
  });

  describe('register', () => {
    it('gives every scene from then on a function, or a table of them', async () => {
      runtime.lua.register('shop', { price: (item: string) => ({ item, coins: 3 }), list: () => ['a', 'b'] });
      runtime.lua.register('double', (n: number) => n * 2);
      for (let scene = 0; scene < 2; scene++) {
        await run('local p = shop.price("axe") print(p.item, p.coins, #shop.list(), double(4))');
        expect(printed.splice(0)).to.deep.equal(['axe\t3.0\t2\t8.0']);
      }
      runtime.lua.unregister('shop');
      await run('print(shop, double(1))');
      expect(printed).to.deep.equal(['nil\t2.0']);
      runtime.lua.unregister('double');
    });

    it('makes the script wait for a promise, and hands its failure to pcall', async () => {
      runtime.lua.register('later', async (text: string) => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (text === 'bad') throw new Error('not today');
        return text.toUpperCase();
      });
      await run('print(later("yes")) print(pcall(later, "bad"))');
      expect(printed).to.deep.equal(['YES', 'false\tscene.lua:1: later: not today']);
      expect(await failure(() => run('\nlater("bad")'))).to.equal('scene.lua:2: later: not today');
      runtime.lua.unregister('later');
    });

    it('checks arguments where the function has types, at the script’s line', async () => {
      const seen: unknown[] = [];
      const typed = hostFunction(
        ['string', 'integer?', 'numbers?', 'table?', 'function?', 'any'],
        (...args) => {
          seen.push(args);
          const [name, count = 1] = args;
          return name.length * count;
        },
      );
      runtime.lua.register('typed', typed);
      await run('print(typed("ab", 3, {1, 2}, {x = 1}, print)) print(typed("abc")) typed("", nil, {}, {5})');
      expect(printed).to.deep.equal(['6.0', '3.0']);
      expect((seen[0] as unknown[]).slice(0, 4)).to.deep.equal(['ab', 3, Float64Array.of(1, 2), { x: 1 }]);
      expect((seen[2] as unknown[]).slice(2, 4)).to.deep.equal([new Float64Array(), [5]]);
      const refused: [string, RegExp][] = [
        ['typed()', /^scene.lua:1: typed: argument 1 must be a string, got nothing$/],
        ['typed(1)', /argument 1 must be a string, got 1$/],
        ['typed("a", 1.5)', /argument 2 must be an integer, got 1.5$/],
        ['typed("a", 0/0)', /argument 2 must be an integer, got nan$/i],
        ['typed("a", 1, { "x" })', /argument 3 must be a list of finite numbers, got a table$/],
        ['typed("a", 1, {}, 5)', /argument 4 must be a table, got 5$/],
        ['typed("a", 1, {}, {}, 5)', /argument 5 must be a function, got 5$/],
        ['typed("a", 1, {}, {}, print, 1, 2)', /there are 6 parameters, got 7 arguments$/],
      ];
      for (const [source, rule] of refused) expect(await failure(() => run(source)), source).to.match(rule);
      expect(seen).to.have.length(3);
      runtime.lua.unregister('typed');
      expect(await failure(() => hostFunction(['strin' as 'string'], () => 1))).to.match(
        /one of number, integer/,
      );
    });

    it('refuses names of the engine’s own and what is no function', async () => {
      expect(await failure(() => runtime.lua.register('terrain', () => 1))).to.match(
        /name must be free: it is one of/,
      );
      expect(await failure(() => runtime.lua.register('terrain.mine', () => 1))).to.match(/must be free/);
      expect(await failure(() => runtime.lua.register('x', 5 as never))).to.match(
        /x must be a function, or a record/,
      );
      expect(await failure(() => runtime.lua.register('1x', () => 1))).to.match(/the name of a global/);
      runtime.lua.register('bad', () => Symbol('s'));
      expect(await failure(() => run('bad()'))).to.match(
        /scene.lua:1: what bad answers must be a number.*got a symbol/,
      );
      runtime.lua.unregister('bad');
    });
  });
});
