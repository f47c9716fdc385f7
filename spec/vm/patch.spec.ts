import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { lauxlib, lua, lualib, to_luastring } from 'fengari';
import { expect } from 'chai';
import { testVm } from './support.js';

const folder = dirname(createRequire(import.meta.url).resolve('fengari'));
const HINT = 'fengari is not patched: run `npx patch-package`';

describe('the patch of fengari', () => {
  it('leaves no `delete` on a stack and no branch for Node in the sources', () => {
    for (const file of readdirSync(folder)) {
      const source = readFileSync(`${folder}/${file}`, 'utf8');
      expect(/delete (L\w*|from)\.stack/.test(source), `${HINT} (delete in ${file})`).to.equal(false);
      expect(
        /typeof process|process\.env\.FENGARICONF/.test(source),
        `${HINT} (process in ${file})`,
      ).to.equal(false);
    }
  });

  it('opens no io, no os.execute and no os.getenv in Node, even with all libraries', () => {
    const L = lauxlib.luaL_newstate();
    (lualib as unknown as { luaL_openlibs(L: unknown): void }).luaL_openlibs(L);
    const source = to_luastring(
      'return tostring(io) .. tostring(os.execute) .. tostring(os.getenv) .. tostring(os.exit)',
    );
    lauxlib.luaL_loadbufferx(L, source, source.length, to_luastring('=x'), 't');
    lua.lua_call(L, 0, 1);
    expect(lua.lua_tojsstring(L, -1), HINT).to.equal('nilnilnilnil');
  });

  it('keeps unlike strings apart as keys, and orders control characters', async () => {
    const { run } = testVm();
    expect(
      await run(`local t = {} t["\\x01\\x23"] = 1 t["\\x12\\x03"] = 2
        print(t["\\x01\\x23"], t["\\x12\\x03"], "\\n" < " ", "\\t" < "A")`),
      HINT,
    ).to.deep.equal(['1\t2\ttrue\ttrue']);
  });

  it('ends integer loops at the largest integer', async () => {
    const { run } = testVm();
    const lines =
      await run(`local n = 0 for i = math.maxinteger - 2, math.maxinteger do n = n + 1 if n > 9 then break end end
      for i = math.mininteger + 2, math.mininteger, -1 do n = n + 1 if n > 9 then break end end print(n)`);
    expect(lines, HINT).to.deep.equal(['6']);
  });

  it('keeps the stack at its speed after a deep recursion', async () => {
    const { vm, run } = testVm();
    vm.register('probe', {
      // Elements of a dictionary-mode array are visited by key, holes of a fast one by index: told apart by V8 itself.
      fast: (L) => {
        const isFast = new Function('array', 'return %HasFastElements(array)') as (array: unknown) => boolean;
        lua.lua_pushboolean(L, isFast(L.stack));
        return 1;
      },
    });
    const { setFlagsFromString } = await import('node:v8');
    setFlagsFromString('--allow-natives-syntax');
    try {
      const lines = await run(`local function deep(n) if n > 0 then return 1 + deep(n - 1) end return 0 end
        deep(150) local a, b = probe.fast(), select('#', table.unpack({}, 1, 200)) print(a, b, probe.fast())`);
      expect(lines, HINT).to.deep.equal(['true\t200\ttrue']);
    } finally {
      setFlagsFromString('--no-allow-natives-syntax');
    }
  });

  it('keeps hooks on in a coroutine that caught an error', async () => {
    const { vm, fail } = testVm();
    vm.setBudget({ instructions: 100_000 });
    const error = await fail('coroutine.wrap(function() pcall(error) while true do end end)()');
    expect(error.message, HINT).to.match(/^scenes\/test\.lua:1: stopped: /);
  });

  it('caps strings at 64 MiB, however they are made', async () => {
    const { run } = testVm();
    const lines = await run(`
      local function try(f) local ok, message = pcall(f) print(ok, (message:gsub("^.-:%d+: ", ""))) end
      try(function() return ("x"):rep(1e9) end)
      try(function() local s = "xx" for i = 1, 40 do s = s .. s end end)
      try(function() local big = ("x"):rep(2^20 | 0) local t = {} for i = 1, 100 do t[i] = big end return table.concat(t) end)
      try(function() return (("x"):rep(100000):gsub("x", ("y"):rep(10000))) end)
      try(function() return ("%s"):rep(30):format(table.unpack((function() local t, s = {}, ("x"):rep(4000000) for i = 1, 30 do t[i] = s end return t end)())) end)`);
    expect(lines, HINT).to.deep.equal(new Array(5).fill('false\tstring too large'));
  });

  it('caps tables at ten million entries', async () => {
    const { vm, run } = testVm();
    vm.register('probe', {
      // As if it were full: filling one takes gigabytes.
      fill: (L) => {
        const table = L.stack[L.ci.funcOff + 1].value as { strong: Map<unknown, unknown> };
        Object.defineProperty(table.strong, 'size', { value: 10_000_000 });
        return 0;
      },
    });
    expect(
      await run('local t = { a = 1 } probe.fill(t) t.a = 2 print(t.a, pcall(function() t.b = 1 end))'),
      HINT,
    ).to.deep.equal(['2\tfalse\tscenes/test.lua:1: table too large']);
  });

  it('stops a recursion without end at 20,000 slots', async () => {
    const { fail } = testVm();
    expect((await fail('local function f() return 1 + f() end f()')).message).to.contain('stack overflow');
  });

  it('prints numbers as Lua 5.3 does', async () => {
    const { run } = testVm();
    const lines = await run(
      'for _, v in ipairs { 1e15, 2^53, 1e-5, 1e100, 1/0, -1/0, -0.0, 3.0, 0.1, 1e14, 1/3, 100, 123456.789, -1e-10 } do print(v) end',
    );
    expect(lines).to.deep.equal(
      '1e+15 9.007199254741e+15 1e-05 1e+100 inf -inf -0.0 3.0 0.1 1e+14 0.33333333333333 100 123456.789 -1e-10'.split(
        ' ',
      ),
    );
  });

  it('names the bad argument of string.char', async () => {
    const { fail } = testVm();
    expect((await fail('string.char(256)')).message).to.equal(
      "scenes/test.lua:1: bad argument #1 to 'char' (value out of range)",
    );
  });
});
