import { expect } from 'chai';
import fc from 'fast-check';
import { lua } from 'fengari';
import { arg, defineHandle, int, push, pushNumbers, pushVector, wait } from '../../bindings/vm/index.js';
import { testVm } from './support.js';

class Tower {
  destroyed = false;
  color = 'red';
  constructor(
    readonly name: string,
    readonly height: number,
  ) {}
}

const TOWER = defineHandle<Tower>('Tower', {
  kind: Tower,
  module: 'tower',
  methods: {
    above(self, L) {
      lua.lua_pushnumber(L, self.height - arg.number(L, 2, 'y'));
      return 1;
    },
    destroy(self) {
      self.destroyed = true;
      return 0;
    },
  },
  numeric: {
    between: {
      names: ['low', 'high'],
      call: (self, low, high) => Number(low <= self.height && self.height <= high),
    },
  },
  getters: {
    height: (self, L) => push(L, self.height),
    color: (self, L) => push(L, self.color),
    twin: (self, L) => push(L, self),
    later: (self, L) => {
      wait(L, Promise.resolve(self.height), (L, height) => {
        push(L, height);
        return 1;
      });
    },
  },
  setters: {
    color(self, L, index) {
      self.color = arg.string(L, index, 'color');
    },
  },
  describe: (self) => `Tower "${self.name}"`,
  stale: (self) => self.destroyed && `the tower "${self.name}" is destroyed`,
  whenStale: ['destroy'],
});
const OTHER = defineHandle<{ kind: string }>('Other', { methods: { above: () => 0 } });

function towers() {
  const test = testVm();
  const tower = new Tower('north', 12);
  test.vm.register('tower', {
    get: (L) => {
      TOWER.push(L, tower);
      return 1;
    },
    other: (L) => {
      OTHER.push(L, { kind: 'other' });
      return 1;
    },
    measure: (L) => {
      lua.lua_pushnumber(L, TOWER.check(L, 1, 'tower').height);
      return 1;
    },
    option: (L) => {
      lua.lua_pushnumber(L, arg.options(L, 1).only('tower').handle('tower', TOWER)?.height ?? -1);
      return 1;
    },
  });
  return { tower, ...test };
}

describe('vm', () => {
  describe('a handle', () => {
    it('has methods, fields and a text, and is one value', async () => {
      const { run, tower } = towers();
      expect(
        await run(`local t = tower.get() print(t, type(t), t:above(2), t:between(1, 20),  t.height, t.color, t == tower.get(), t.twin == t)
          local keyed = { [t] = "found" } print(keyed[tower.get()]) t.color = "blue" print(t.color, t.later)`),
      ).to.deep.equal(['Tower "north"\tuserdata\t10.0\t1.0\t12.0\tred\ttrue\ttrue', 'found', 'blue\t12.0']);
      expect(tower.color).to.equal('blue');
    });

    const refusals: Record<string, string> = {
      'return tower.get().hight':
        'tower: a Tower has no field "hight" (did you mean "height"?); it has height, color, twin, later, between, above, destroy',
      'return tower.get()[1]':
        'tower: a Tower has no field "1"; it has height, color, twin, later, between, above, destroy',
      'tower.get().height = 3':
        'tower: "height" of a Tower cannot be set; the fields that can be set are color',
      'tower.get().above = 3':
        'tower: "above" of a Tower cannot be set; the fields that can be set are color',
      'tower.get().nope = 3': 'tower: a Tower has no field "nope"; the fields that can be set are color',
      'tower.get().color = 3': 'tower: color must be a string, got 3',
      'tower.get().above(2)': 'tower.above: self must be a Tower, got 2 (write value:above(…), with a colon)',
      'tower.get().above(tower.other(), 2)':
        'tower.above: self must be a Tower, got an Other (write value:above(…), with a colon)',
      'tower.get():above("x")': 'tower.above: y must be a finite number, got "x"',
      'tower.get():above(0/0)': 'tower.above: y must be a finite number, got NaN',
      'tower.get():above()': 'tower.above: y must be a finite number, got nothing',
      'tower.get():between(1, "x")': 'tower.between: high must be a finite number, got "x"',
      'tower.get():between(1)': 'tower.between: high must be a finite number, got nothing',
      'tower.get().between(1, 2)':
        'tower.between: self must be a Tower, got 1 (write value:between(…), with a colon)',
      'tower.measure({})': 'tower.measure: tower must be a Tower, got a table',
      'tower.measure(tower.other())': 'tower.measure: tower must be a Tower, got an Other',
      'tower.option { tower = tower.other() }': 'tower.option: tower must be a Tower, got { kind = "other" }',
      'tower.option { towr = 1 }':
        'tower.option: there is no field "towr" (did you mean "tower"?); the fields are tower',
    };
    for (const [source, message] of Object.entries(refusals))
      it(`refuses ${source}`, async () => {
        expect((await towers().fail(source)).message).to.equal(`scenes/test.lua:1: ${message}`);
      });

    it('says what it was once its object is gone', async () => {
      const { run } = towers();
      const lines = await run(`local t = tower.get() t:destroy() t:destroy() print(t, t == tower.get())
        for _, f in ipairs { function() t:above(1) end, function() return t.height end, function() t.color = "x" end, function() tower.measure(t) end, function() tower.option { tower = t } end } do
          print((select(2, pcall(f)):gsub("^.-:%d+: ", ""))) end`);
      expect(lines).to.deep.equal([
        'Tower (the tower "north" is destroyed)\ttrue',
        'tower.above: the tower "north" is destroyed',
        'tower: height: the tower "north" is destroyed',
        'tower: color: the tower "north" is destroyed',
        'tower.measure: tower: the tower "north" is destroyed',
        'tower.option: tower: the tower "north" is destroyed',
      ]);
    });

    it('cannot be opened: no metatable, no methods to change, no field to plant', async () => {
      const { run } = towers();
      expect(
        await run(`local t = tower.get() print(getmetatable(t), pcall(setmetatable, t, {}))
          print(pcall(rawset, t, "x", 1)) print(pcall(rawget, t, "height")) print(pcall(next, t)) print(pcall(function() for k in pairs(t) do end end))`),
      ).to.deep.equal([
        "Tower\tfalse\tbad argument #1 to 'setmetatable' (table expected, got Tower)",
        "false\tbad argument #1 to 'rawset' (table expected, got Tower)",
        "false\tbad argument #1 to 'rawget' (table expected, got Tower)",
        "false\tbad argument #1 to 'next' (table expected, got Tower)",
        "false\tscenes/test.lua:2: bad argument #1 to 'for iterator' (table expected, got Tower)",
      ]);
    });

    it('passes through callbacks and tables as the same value', async () => {
      expect(
        await towers().run(
          'local t = tower.get() print(host.call(function(x) return x end, t) == t, host.call(function(x) return x.t end, { t = t }) == t)',
        ),
      ).to.deep.equal(['true\ttrue']);
    });
  });

  describe('arguments', () => {
    /** Runs `take(value)` and returns what the reader made of it, or the message. */
    async function take(
      read: (L: Parameters<typeof push>[0]) => unknown,
      ...sources: string[]
    ): Promise<unknown[]> {
      const { vm, run } = testVm();
      let got: unknown;
      vm.register('m', {
        f: (L) => {
          got = read(L);
          return 0;
        },
      });
      const all: unknown[] = [];
      for (const source of sources) {
        got = undefined;
        const [message] = await run(
          `local ok, e = pcall(m.f, ${source}) print(ok and "" or (e:gsub("^scenes/test.lua:1: ", "")))`,
        );
        all.push(message || got);
      }
      return all;
    }

    it('numbers', async () => {
      expect(
        await take((L) => arg.number(L, 1, 'x', { min: 0, max: 5 }), '3', '2.5', '6', '"3"', '1/0', '{}'),
      ).to.deep.equal([
        3,
        2.5,
        'm.f: x must be a finite number in 0..5, got 6',
        'm.f: x must be a finite number in 0..5, got "3"',
        'm.f: x must be a finite number in 0..5, got Infinity',
        'm.f: x must be a finite number in 0..5, got a table',
      ]);
      expect(await take((L) => arg.optNumber(L, 1, 'x', 7), 'nil', '3')).to.deep.equal([7, 3]);
      expect(
        await take((L) => arg.integer(L, 1, 'n', { min: 4, max: 4096 }), '5.0', '-3', '4.5'),
      ).to.deep.equal([
        5,
        'm.f: n must be an integer in 4..4096, got -3',
        'm.f: n must be an integer in 4..4096, got 4.5',
      ]);
    });

    it('strings, booleans, choices', async () => {
      expect(await take((L) => arg.string(L, 1, 's'), '"é"', '12')).to.deep.equal([
        'é',
        'm.f: s must be a string, got 12',
      ]);
      expect(await take((L) => arg.boolean(L, 1, 'b'), 'false', 'nil')).to.deep.equal([
        false,
        'm.f: b must be true or false, got nothing',
      ]);
      expect(await take((L) => arg.oneOf(L, 1, 'mode', ['edit', 'play']), '"play"', '"plya"')).to.deep.equal([
        'play',
        'm.f: mode must be one of "edit", "play", got "plya"',
      ]);
    });

    it('vectors and ranges in both spellings', async () => {
      expect(
        await take(
          (L) => arg.vector(L, 1, 'v'),
          '{ x = 1, y = 2, z = 3 }',
          '{ 1, 2, 3 }',
          '{ 1, 2 }',
          '{ x = 1, y = 2 }',
          '5',
        ),
      ).to.deep.equal([
        [1, 2, 3],
        [1, 2, 3],
        'm.f: v must be { x =, y =, z = } or { x, y, z } of finite numbers, got { 1, 2 }',
        'm.f: v must be { x =, y =, z = } or { x, y, z } of finite numbers, got { x = 1, y = 2 }',
        'm.f: v must be { x =, y =, z = } or { x, y, z } of finite numbers, got 5',
      ]);
      expect(
        await take(
          (L) => arg.vector2(L, 1, 'size', ['width', 'depth']),
          '{ 1, 2 }',
          '{ width = 3, depth = 4 }',
          '{ x = 1 }',
        ),
      ).to.deep.equal([
        [1, 2],
        [3, 4],
        'm.f: size must be { width, depth } of finite numbers, got { x = 1 }',
      ]);
      expect(
        await take((L) => arg.range(L, 1, 'range'), '{ 1, 2 }', '{ low = 0, high = 1 }', '{ 2, 1 }'),
      ).to.deep.equal([
        [1, 2],
        [0, 1],
        'm.f: range must be { low, high } with low at most high, got { 2, 1 }',
      ]);
    });

    it('lists', async () => {
      const lists = await take((L) => arg.numbers(L, 1, 'xs'), '{ 1, 2.5 }', '{}', '{ 1, "a" }', 'nil');
      expect(lists.slice(0, 2).map((list) => [...(list as Float64Array)])).to.deep.equal([[1, 2.5], []]);
      expect(lists.slice(2)).to.deep.equal([
        'm.f: xs[2] must be a finite number, got "a"',
        'm.f: xs must be a list of numbers, got nothing',
      ]);
    });

    it('tables: records without prototype, lists, mixtures; no cycle, no odd key', async () => {
      const [record, list, mixed, planted] = (await take(
        (L) => arg.value(L, 1),
        '{ a = 1, b = { 1, 2 } }',
        '{ 1, { c = true } }',
        '{ 1, x = 2 }',
        '{ ["__proto__"] = { polluted = true }, constructor = 1 }',
      )) as Record<string, unknown>[];
      expect({ ...record }).to.deep.equal({ a: 1, b: [1, 2] });
      expect(Array.isArray(list)).to.equal(true);
      expect({ ...mixed }).to.deep.equal({ 1: 1, x: 2 });
      expect(Object.getPrototypeOf(planted)).to.equal(null);
      expect(record.toString).to.equal(undefined);
      expect(({} as Record<string, unknown>).polluted).to.equal(undefined);
      expect(
        await take(
          (L) => arg.value(L, 1),
          '(function() local t = {} t.t = t return t end)()',
          '{ [{}] = 1 }',
          'coroutine.create(print)',
        ),
      ).to.deep.equal([
        'm.f: a table may be at most 16 tables deep',
        "m.f: a table's keys must be strings or numbers, got a table",
        'm.f: a thread cannot be passed here',
      ]);
    });

    it('options', async () => {
      const read = (L: Parameters<typeof push>[0]) => {
        const o = arg.options(L, 1).only('size', 'count', 'name', 'f', 'on');
        return [
          o.vector2('size'),
          o.integer('count', { min: 1 }),
          o.string('name'),
          o.boolean('on'),
          o.func('f') && 'f',
        ];
      };
      expect(
        await take(
          read,
          '{ size = { 1, 2 }, count = 3, name = "n", on = false, f = print }',
          'nil',
          '{ count = 0 }',
          '{ f = 1 }',
          '4',
        ),
      ).to.deep.equal([
        [[1, 2], 3, 'n', false, 'f'],
        [undefined, undefined, undefined, undefined, undefined],
        'm.f: count must be an integer of at least 1, got 0',
        'm.f: f must be a function, got 1',
        'm.f: options must be a table, got 4',
      ]);
      expect(await take((L) => arg.options(L, 1).need('size', undefined), '{}')).to.deep.equal([
        'm.f: size is missing',
      ]);
    });

    it('come back as they went: any record of numbers, strings, booleans and lists', async () => {
      const { vm, run } = testVm();
      let sent: unknown;
      let got: unknown;
      vm.register('m', {
        out: (L) => {
          push(L, sent);
          return 1;
        },
        back: (L) => {
          got = arg.value(L, 1);
          return 0;
        },
      });
      const leaf = fc.oneof(fc.double({ noNaN: true }), fc.string(), fc.boolean());
      const value = fc.letrec((tie) => ({
        tree: fc.oneof(
          { maxDepth: 4 },
          leaf,
          fc.array(tie('tree'), { minLength: 1, maxLength: 5 }),
          fc.dictionary(fc.string(), tie('tree'), { minKeys: 1, maxKeys: 5, noNullPrototype: true }),
        ),
      })).tree;
      await fc.assert(
        fc.asyncProperty(value, async (tree) => {
          sent = tree;
          await run('m.back(m.out())');
          expect(plain(got)).to.deep.equal(plain(tree));
        }),
        { numRuns: 200 },
      );
    });
  });

  it('pushes counts as integers, measures as floats, lists by their kind', async () => {
    const { vm, run } = testVm();
    vm.register('m', {
      all: (L) => {
        push(L, { count: int(3), size: 3, big: int(2 ** 40), none: undefined, list: new Uint8Array([1, 2]) });
        pushVector(L, 1, 2.5, 3);
        pushNumbers(L, new Float32Array([1, 0.5]));
        return 3;
      },
    });
    expect(
      await run(
        'local r, v, l = m.all() print(r.count, r.size, r.big, r.none, r.list[1], #r.list) print(v.x, v.y, v.z) print(l[1], l[2])',
      ),
    ).to.deep.equal(['3\t3.0\t1099511627776.0\tnil\t1\t2', '1.0\t2.5\t3.0', '1.0\t0.5']);
  });

  it('says which class cannot be pushed', async () => {
    const { vm, fail } = testVm();
    vm.register('m', {
      f: (L) => {
        push(L, new Map());
        return 1;
      },
    });
    expect((await fail('m.f()')).message).to.equal(
      'scenes/test.lua:1: internal fault: TypeError: a Map cannot be pushed to Lua without a handle class',
    );
  });
});

/** Records as plain objects; a list of an empty or numeric-keyed record is told by its keys alone. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  return value;
}
