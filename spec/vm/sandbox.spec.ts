import { expect } from 'chai';
import fc from 'fast-check';
import { push } from '../../bindings/vm/index.js';
import sandboxScene from './fixtures/sandbox.lua';
import { testVm } from './support.js';

/** Everything that a script may find without going through a handle. */
const GLOBALS =
  '_G _VERSION assert coroutine debug error getmetatable host ipairs load math next pairs pcall print rawequal rawget rawlen rawset require select setmetatable string table tonumber tostring type utf8 xpcall';

describe('vm', () => {
  describe('the sandbox', () => {
    it('holds the safe libraries and nothing else', async () => {
      const [names, debug, strings] = await testVm()
        .run(`local function names(t) local n = {} for k in pairs(t) do n[#n + 1] = k end
        table.sort(n) return table.concat(n, " ") end print(names(_G)) print(names(debug)) print(names(string))`);
      expect(names).to.equal(GLOBALS);
      expect(debug).to.equal('traceback');
      expect(strings).to.equal(
        'byte char find format gmatch gsub len lower match pack packsize rep reverse sub unpack upper',
      );
    });

    it('holds when a script tries (spec/vm/fixtures/sandbox.lua)', async () => {
      const lines = await testVm().run(sandboxScene);
      expect(lines.at(-1)).to.equal('nothing got out');
    });

    it('shows no JavaScript value that a script could walk from', async () => {
      const { run } = testVm();
      const lines = await run(`local seen, bad = {}, {}
        local function walk(v, path)
          local kind = type(v)
          if kind == "userdata" or kind == "thread" then bad[#bad + 1] = path return end
          if kind ~= "table" or seen[v] then return end
          seen[v] = true
          for k, x in pairs(v) do walk(k, path .. ".key") walk(x, path .. "." .. tostring(k)) end
          local m = getmetatable(v) if m then walk(m, path .. ".meta") end
        end
        walk(_G, "_G") print(#bad, table.concat(bad, " "))`);
      expect(lines).to.deep.equal(['0\t']);
    });

    it('prints as tostring does, tabs between, any bytes', async () => {
      expect(
        await testVm().run(
          'print() print(nil, true, 1, 1.0, "a\\tb", "é", "\\xff") print(setmetatable({}, { __tostring = function() return "mine" end }))',
        ),
      ).to.deep.equal(['', 'nil\ttrue\t1\t1.0\ta\tb\té\t\ufffd', 'mine']);
    });
  });

  describe('math.random', () => {
    const draw = (seed?: number) =>
      testVm(seed === undefined ? {} : { seed }).run(
        'print(math.random(), math.random(1000000), math.random(-5, 5))',
      );

    it('is the same in every run, and another with another seed', async () => {
      expect(await draw()).to.deep.equal(await draw());
      expect(await draw(1)).to.not.deep.equal(await draw(2));
    });

    it('starts again at randomseed and stays in its interval', async () => {
      expect(
        await testVm()
          .run(`math.randomseed(7) local a = math.random() math.randomseed(7) print(a == math.random())
          local low, high, sum = 9, 0, 0 for i = 1, 10000 do local n = math.random(1, 6) if n < low then low = n end if n > high then high = n end sum = sum + n end
          print(low, high, math.abs(sum / 10000 - 3.5) < 0.06, math.type(math.random(3)))
          print(pcall(math.random, 0))
          print(math.random(math.mininteger, math.maxinteger) ~= nil)`),
      ).to.deep.equal([
        'true',
        '1\t6\ttrue\tinteger',
        'false\tscenes/test.lua:4: math.random: the interval 1..0 is empty',
        'true',
      ]);
    });
  });

  describe('string.format', () => {
    const cases: [string, string][] = [
      ['"%5.2f|%-8.3f|%+d|%05d|% d", 3.14159, 2.5, 7, 42, 9', ' 3.14|2.500   |+7|00042| 9'],
      ['"%g %g %g %g %g", 1e20, 0.1, 100000, 1000000, 1e-5', '1e+20 0.1 100000 1e+06 1e-05'],
      ['"%e %.2e %E", 12345.678, 0, 1e-10', '1.234568e+04 0.00e+00 1.000000E-10'],
      ['"%.0f %.0f %.0f %.1f", 0.5, 1.5, 2.5, 0.25', '0 2 2 0.2'],
      ['"%.3f %.2f", 1e21, 1e22', '1000000000000000000000.000 10000000000000000000000.00'],
      [
        '"%.3d|%5.3d|%-6d|%x|%X|%#x|%o|%u", 7, -7, 3, 255, 255, 255, 8, 3',
        '007| -007|3     |ff|FF|0xff|10|3',
      ],
      ['"%x", -1', 'ffffffff'],
      ['"[%5s][%-5s][%.2s]", "é", "ab", "abc"', '[   é][ab   ][ab]'],
      ['"[%3s]", "\\xff"', '[  \ufffd]'],
      ['"%s %s %s", nil, true, 1.0', 'nil true 1.0'],
      ['"%q", "a\\n\\"\\\\\\0001"', '"a\\\n\\"\\\\\\0001"'],
      ['"%c%c", 72, 105', 'Hi'],
      ['"%%|%5.1f%%", 12.34', '%| 12.3%'],
      ['"%a %.1a %A", 1, 1.999, 0.5', '0x1p+0 0x2.0p+0 0X1P-1'],
      ['"%d", 3.0', '3'],
      ['"%f %f %05.1f", 1/0, -1/0, -1/0', 'inf -inf  -inf'],
      ['"%.14g %.17g", 0.1, 0.1', '0.1 0.10000000000000001'],
      ['"%#.3g %g", 1, 0.0001', '1.00 0.0001'],
    ];
    for (const [args, shown] of cases)
      it(`(${args})`, async () => {
        expect(await testVm().run(`print(string.format(${args}))`)).to.deep.equal([shown]);
      });

    it('refuses what Lua refuses', async () => {
      const { fail } = testVm();
      const message = async (args: string) =>
        (await fail(`string.format(${args})`)).message.replace('scenes/test.lua:1: ', '');
      expect(await message('"%d", 1.5')).to.equal(
        "bad argument #2 to 'format' (number has no integer representation)",
      );
      expect(await message('"%d", "x"')).to.equal(
        "bad argument #2 to 'format' (number expected, got string)",
      );
      expect(await message('"%d"')).to.equal("bad argument #2 to 'format' (value expected)");
      expect(await message('"%y", 1')).to.equal("invalid option '%y' to 'format'");
      expect(await message('"%123d", 1')).to.equal('invalid format (width or precision too long)');
    });

    it('agrees with JavaScript on any number, and %.17g reads back', async () => {
      const { vm, run, lines } = testVm();
      let x = 0;
      vm.register('probe', {
        x: (L) => {
          push(L, x);
          return 1;
        },
      });
      await fc.assert(
        fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (value) => {
          x = value;
          await run(
            'local x = probe.x() print(string.format("%.17g\\n%.3e\\n%a", x, x, x)) print(tonumber(string.format("%a", x)) == x, tonumber(string.format("%.17g", x)) == x)',
          );
          const [shown, same] = lines.splice(0);
          const [seventeen, exponential] = shown.split('\n');
          expect(Number(seventeen)).to.equal(value);
          expect(Number(exponential)).to.equal(Number(value.toExponential(3)));
          expect(same).to.equal('true\ttrue');
        }),
        { numRuns: 200 },
      );
    });
  });

  describe('load', () => {
    it('takes text, in pieces too, with a name and an environment', async () => {
      expect(
        await testVm().run(`print(load("return 1 + 1")()) local i = 0
          print(load(function() i = i + 1 return ({ "return ", "4", "2" })[i] end)())
          print(load("return x", "@mine", "t", { x = 5 })()) print(load("x = = 1", "@mine.lua")) print(load("error('e')", "@mine.lua") and select(2, pcall(load("error('e')", "@mine.lua"))))
          print(load(function() error("reader", 0) end)) print(load(function() return 1 end))`),
      ).to.deep.equal([
        '2',
        '42',
        '5',
        "nil\tmine.lua:1: unexpected symbol near '='",
        'mine.lua:1: e',
        'nil\treader',
        'nil\treader function must return a string',
      ]);
    });

    it('refuses bytecode, a binary mode and chunks past a megabyte', async () => {
      const lines = await testVm()
        .run(`print(load("\\27Lua")) print(load("return 1", "x", "b")) print(load(("-"):rep(1048577)))
        local n = 0 print(load(function() n = n + 1 return ("-"):rep(100000) end)) print(n)`);
      expect(lines[0]).to.contain("attempt to load a binary chunk (mode is 't')");
      expect(lines[1]).to.equal("nil\tattempt to load a text chunk (mode is 'b')");
      expect(lines[2]).to.equal('nil\ta chunk may be at most 1048576 bytes long, this one has 1048577');
      expect(lines[3]).to.contain('a chunk may be at most 1048576 bytes long');
      expect(lines[4]).to.equal('11');
    });
  });

  it('runs a file with a byte order mark and a #! line, and no compiled one', async () => {
    const { run, fail } = testVm();
    expect(
      await run('\ufeff#!/usr/bin/env moonscape\nprint(debug.traceback("here"):match("test.lua:%d"))'),
    ).to.deep.equal(['test.lua:2']);
    await fail('#!x\nerror("y")').then((error) => expect(error.message).to.equal('scenes/test.lua:2: y'));
    const error = await testVm()
      .vm.run('\x1bLua', 'scenes/test.lua')
      .catch((e: unknown) => e);
    expect((error as Error).message).to.contain('only Lua source can be run');
  });
});
