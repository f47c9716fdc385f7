// Single calls that would run for seconds or fill the memory, and growth: each is stopped soon after its budget, whatever catches errors.
import { expect } from 'chai';
import { Abort } from '../../bindings/vm/index.js';
import type { BudgetLimits } from '../../bindings/vm/budget.js';
import { testVm } from './support.js';

/** What a script may run here, milliseconds. */
const MS = 100;
/** The longest a stopped one may have gone on, a single call on 60 MB and a busy machine included; unbounded each takes minutes. */
const LONGEST = 4000;

const bombs: Record<string, string> = {
  'string.rep in pcall': 'while true do pcall(string.rep, "x", 6e7) end',
  'string.rep of nothing': 'for i=1,1e9 do string.rep("", 1000000000) end',
  'a pattern of lazy parts': 'local s=("a"):rep(400) while true do s:find(".-.-.-b") end',
  'a pattern of optional parts':
    'local n=30 while true do local s=("a"):rep(n) s:find(("a?"):rep(n)..("a"):rep(n)) end',
  'a lazy pattern on a long string': 'local s=("x"):rep(300000) while true do s:find(".-b") end',
  'a set of a million bytes':
    'local p="["..("x"):rep(1e6).."]" local s=("a"):rep(1e6) while true do s:find(p) end',
  '%b': 'local s=("("):rep(1e6) while true do s:find("%b()") end',
  '%f': 'local s=("x"):rep(1e6) while true do s:find("%f[y]z") end',
  'a plain find': 'local s=("a"):rep(1e6) local p=("a"):rep(5e5).."b" while true do s:find(p,1,true) end',
  'string.gsub': 'local s=("x"):rep(1e5) while true do pcall(string.gsub, s, "x", ("y"):rep(1e4)) end',
  'string.gmatch': 'local s=("x"):rep(1e6) while true do for w in s:gmatch("x-$") do end end',
  'a pattern with a capture': 'local s=("a"):rep(4000) while true do s:find("^(.-)%1b") end',
  'table.concat': 'local t={} for i=1,1000 do t[i]=("x"):rep(1e4) end while true do table.concat(t) end',
  'table.concat of a false length':
    'table.concat(setmetatable({}, {__len=function() return 2^30 end, __index=function() return "" end}))',
  'doubling a string': 'while true do local s="x" while #s<6e7 do s=s..s end end',
  'appending to a long string': 'local s=("x"):rep(6e7) while true do local t=s.."y" end',
  'string.format of long strings':
    'local a=("x"):rep(1e6) while true do pcall(string.format, ("%s"):rep(50), table.unpack((function() local t={} for i=1,50 do t[i]=a end return t end)())) end',
  'string.format of percent signs': 'local a=("%%"):rep(2e7) while true do string.format(a) end',
  'string.format of a quoted string': 'local a=("\\n"):rep(1e7) while true do string.format("%q",a) end',
  'table.insert at the front': 'local t={} for i=1,2e4 do t[i]=i end while true do table.insert(t,1,0) end',
  'table.insert into a false length':
    'table.insert(setmetatable({}, {__len=function() return 2^31-2 end}),1,0)',
  'table.remove from the front':
    'local t={} for i=1,2e4 do t[i]=i end while true do table.insert(t, table.remove(t,1)) end',
  'table.move onto itself': 'table.move({},1,2^31-2,2)',
  'table.move into another': 'table.move({},1,1e8,1,{})',
  'table.unpack': 'while true do pcall(table.unpack, {}, 1, 1e6-100) end',
  'table.sort':
    'local t={} for i=1,1e5 do t[i]=tostring(i*7919%100003) end while true do local c={table.unpack(t,1,1000)} table.sort(c) end',
  'table.sort of long strings':
    'local t={} local p=("x"):rep(1e6) for i=1,20 do t[i]=p..i end while true do table.sort(t, function(a,b) return a<b end) end',
  'long keys': 'local s=("x"):rep(1e6) local t={} for i=1,1e9 do t[s..i]=i end',
  'equality of long strings': 'local a=("x"):rep(6e7) local b=("x"):rep(6e7) while true do local c=a==b end',
  'order of long strings': 'local a=("x"):rep(6e7) local b=("x"):rep(6e7) while true do local c=a<b end',
  'arithmetic on a long string':
    'local a=(" "):rep(6e7).."1" while true do pcall(function() return a+1 end) end',
  'tonumber of a long string': 'local a=("1"):rep(6e7) while true do tonumber(a) tonumber(a,10) end',
  'upper, lower and reverse': 'local a=("x"):rep(6e7) while true do a:upper() a:lower() a:reverse() end',
  'string.byte': 'local a=("x"):rep(1e5) while true do pcall(string.byte,a,1,-1) end',
  'utf8.len and utf8.offset': 'local a=("x"):rep(6e7) while true do utf8.len(a) utf8.offset(a,-1) end',
  'string.pack': 'while true do pcall(string.pack, ("c1000000"):rep(60), "") end',
  'string.packsize': 'local f=("b"):rep(1e6) while true do pcall(string.packsize, f) end',
  'load of a long chunk': 'local src=("local x=1 "):rep(9e4) while true do load(src) end',
  'load of many elseifs':
    'local p={"if x then "} for i=1,2e4 do p[#p+1]="elseif x then x=1 " end p[#p+1]="end" local s=table.concat(p) while true do load(s) end',
  'the length of a table with far keys':
    'local t={} for i=1,2e5 do t[i]=1 end local n=2e5+1 local k=200032 while k<2^30 do t[k]=1 k=k*2 end while true do local x=#t end',
  'next past dead keys':
    'local t={} for i=1,1e5 do t[i]=i end local f=next(t) for i=1,1e5 do t[i]=nil end while true do pcall(next,t,f) end',
  'a chain of tables': 'local t for i=1,1e9 do t={t} end',
  'a growing table': 'local t={} for i=1,1e9 do t[i]=i end',
  'a chain of closures': 'local f for i=1,1e9 do local g=f f=function() return g end end',
  'many coroutines': 'local t={} for i=1,1e9 do t=coroutine.create(function() return t end) end',
  'deep recursion': 'local function f() return f() + 1 end while true do pcall(f) end',
  'a flood of lines': 'while true do print("x") end',
  '__tostring of a long string':
    'local t=setmetatable({}, {__tostring=function() return ("x"):rep(1e6) end}) while true do tostring(t) end',
  'load of deep nesting': 'local s=("("):rep(1e5) while true do load("return "..s) end',
};

/** Runs a script that must be stopped, and answers its error. */
async function stopped(source: string, limits: BudgetLimits): Promise<Abort> {
  const { vm } = testVm();
  vm.setBudget(limits);
  const error = await vm.run(source, 'scenes/test.lua').then(
    () => null,
    (e: unknown) => e,
  );
  expect(error).to.be.instanceOf(Abort);
  return error as Abort;
}

describe('vm.setBudget: bombs', function () {
  this.timeout(60_000);

  for (const [name, source] of Object.entries(bombs))
    it(`stops ${name}`, async () => {
      const start = performance.now();
      const error = await stopped(source, { ms: MS });
      expect(error.message).to.equal(`scenes/test.lua:1: stopped: the script ran longer than ${MS} ms`);
      expect(performance.now() - start).to.be.below(LONGEST);
    });

  it('stops them without a clock too', async () => {
    for (const name of ['a pattern of lazy parts', 'table.move into another', 'load of many elseifs']) {
      const error = await stopped(bombs[name], { instructions: 1e6 });
      expect(error.message).to.contain('ran more than 1000000 instructions');
    }
  });

  it('stops what grows: strings, tables, lines, for an entry and for a scene', async () => {
    const { message: strings } = await stopped(
      'local s = "x"\nwhile true do\n  pcall(function() s = s .. s s = s:sub(1, 1000) end)\nend',
      { strings: 1e6 },
    );
    expect(strings).to.equal(
      'scenes/test.lua:3: stopped: the script made more than 1000000 bytes of strings',
    );
    for (const made of [
      '{}',
      '(function(y) return function() return y end end)(n)',
      'coroutine.create(print)',
    ])
      expect(
        (await stopped(`local n = 0 while true do n = n + 1 local x = ${made} end`, { objects: 5e4 }))
          .message,
      ).to.equal('scenes/test.lua:1: stopped: the script made more than 50000 tables, entries and functions');
    expect((await stopped('while true do pcall(print, 1) end', { lines: 50 })).message).to.equal(
      'scenes/test.lua:1: stopped: the script printed more than 50 lines',
    );
    const { vm, run, lines } = testVm();
    vm.setBudget({ lines: 50, scene: { lines: 100 } });
    const forty = 'for i = 1, 40 do print(i) end';
    await run(forty);
    await run(forty);
    const third = await vm.run(forty, 'scenes/test.lua').catch((e: unknown) => e);
    expect((third as Error).message).to.equal(
      'scenes/test.lua:1: stopped: the scene’s scripts printed more than 100 lines in all',
    );
    expect(lines).to.have.length(100);
  });

  it('stops a scene by all of its entries’ time and instructions', async () => {
    for (const [scene, says] of [
      [{ ms: 60 }, 'ran longer than 60 ms in all'],
      [{ instructions: 3e6 }, 'ran more than 3000000 instructions without waiting for anything in all'],
    ] as const) {
      const { vm, run } = testVm();
      vm.setBudget({ scene });
      const message = await (async () => {
        for (;;) await run('for i = 1, 200000 do end');
      })().catch((e: Error) => e.message);
      expect(message).to.contain(says);
      const next = await vm.run('for i = 1, 5000 do end', 'scenes/test.lua').catch((e: unknown) => e);
      expect(next).to.be.instanceOf(Abort);
    }
  });

  it('refuses limits that are no numbers above 0, by name', () => {
    const { vm } = testVm();
    expect(() => vm.setBudget({ ms: 0 })).to.throw('budget: ms must be a finite number above 0, got 0');
    expect(() => vm.setBudget({ scene: { lines: NaN } })).to.throw('budget: scene.lines must be');
  });

  it('counts as work what library functions do, and nothing that a plain script does', async () => {
    const { vm, run } = testVm();
    vm.setBudget({ instructions: 1e6, strings: 1e6, objects: 1e5, lines: 100 });
    expect(
      await run(`local t = {} for i = 1, 1000 do t[#t + 1] = ("%d"):format(i) end
        table.sort(t) print(#table.concat(t, ","), ("x"):rep(1000):find("y"), select("#", table.unpack(t, 1, 200)))`),
    ).to.deep.equal(['3892\tnil\t200']);
  });
});
