import { expect } from 'chai';
import { lua } from 'fengari';
import { int, pushBindings } from '../../bindings/vm/index.js';
import { testVm } from './support.js';

/** A VM over project files; `reads` lists the paths that were read. */
function project(files: Record<string, string>, options: Parameters<typeof testVm>[0] = {}) {
  const reads: string[] = [];
  const loadModule = async (path: string) => {
    reads.push(path);
    await new Promise((resolve) => setTimeout(resolve, 2));
    return files[path];
  };
  return { reads, files, ...testVm({ loadModule, ...options }) };
}

describe('require', () => {
  it('runs a file of the project once, with its name and path', async () => {
    const { run, reads } = project({ 'shapes/tower.lua': 'print("loading", ...) return { height = 3 }' });
    expect(
      await run('local a, b = require("shapes.tower"), require("shapes.tower") print(a == b, a.height)'),
    ).to.deep.equal(['loading\tshapes.tower\tshapes/tower.lua', 'true\t3']);
    expect(reads).to.deep.equal(['shapes/tower.lua']);
  });

  it('lets a module wait, and modules require modules', async () => {
    const { run } = project({
      'a.lua': 'local b = require("b") return host.sleep(2, b .. "a")',
      'b.lua': 'return host.sleep(2, "b")',
    });
    expect(
      await run('print(require("a")) print(pcall(require, "a")) print(coroutine.wrap(require)("a"))'),
    ).to.deep.equal(['ba', 'true\tba', 'ba']);
  });

  it('answers true for a module that answers nothing, and false for false', async () => {
    const { run } = project({ 'nothing.lua': 'x = 1', 'no.lua': 'return false' });
    expect(
      await run('print(require("nothing"), require("nothing"), require("no"), require("no"))'),
    ).to.deep.equal(['true\ttrue\tfalse\tfalse']);
  });

  it('loads once for two entries at the same time', async () => {
    const { run, lines, reads } = project({ 'slow.lua': 'print("loading") host.sleep(5) return {}' });
    await Promise.all([run('a = require("slow")'), run('b = require("slow")')]);
    expect(await run('print(a == b)')).to.deep.equal(['true']);
    expect([lines.filter((line) => line === 'loading').length, reads.length]).to.deep.equal([1, 1]);
  });

  it('finds system modules that ship, with their native half, then those of the project', async () => {
    const systemModules = new Map([
      ['~rock.modules.stone', 'local name, native = ... return { name = name, weight = native.weight() }'],
    ]);
    const natives = new Map([
      [
        '~rock.modules.stone',
        (L: Parameters<typeof pushBindings>[0]) =>
          pushBindings(L, 'stone', {
            weight: (L) => {
              lua.lua_pushinteger(L, 12);
              return 1;
            },
            count: int(3),
          }),
      ],
    ]);
    const { run, reads } = project(
      { 'systems/tree/modules/oak.lua': 'return "oak"' },
      { systemModules, natives },
    );
    expect(
      await run(
        'local s = require("~rock.modules.stone") print(s.name, s.weight) print(require("~tree.modules.oak"))',
      ),
    ).to.deep.equal(['~rock.modules.stone\t12', 'oak']);
    expect(reads).to.deep.equal(['systems/tree/modules/oak.lua']);
  });

  describe('says at the line of the require', () => {
    const files = {
      'broken.lua': 'local x = 1\nx = = 2',
      'fails.lua': 'local function go()\n  error("on purpose")\nend\ngo()',
      'c1.lua': '\nreturn require("c2")',
      'c2.lua': '\nreturn require("c3")',
      'c3.lua': '\nreturn require("c1")',
      'self.lua': 'return require("self")',
    };
    const messages: Record<string, string> = {
      'require("nope.here")':
        'scenes/test.lua:1: require: there is no module "nope.here": the project has no file nope/here.lua',
      'require("~no.modules.here")':
        'scenes/test.lua:1: require: there is no module "~no.modules.here": no such system module ships with the engine, and the project has no file systems/no/modules/here.lua',
      'require("broken")': `scenes/test.lua:1: require: module "broken" is broken: broken.lua:2: unexpected symbol near '='`,
      'require("fails")': 'fails.lua:2: on purpose',
      'require("c1")': 'c3.lua:2: require: modules require each other in a circle: "c1" → "c2" → "c3" → "c1"',
      'require("self")': 'self.lua:1: require: modules require each other in a circle: "self" → "self"',
      'require(12)': 'scenes/test.lua:1: require: name must be a string, got 12',
    };
    for (const [source, message] of Object.entries(messages))
      it(source, async () => {
        const { fail, run } = project(files);
        const error = await fail(source);
        expect(error.message).to.equal(message);
        expect(error.traceback).to.contain('scenes/test.lua:1: in main chunk');
        expect(await run(`print((pcall(function() ${source} end)))`)).to.deep.equal(['false']);
      });

    for (const name of [
      '../x',
      '/etc/passwd',
      'a/b',
      'a\\b',
      '',
      '.',
      '..',
      'a..b',
      'a.',
      '.a',
      '~',
      '~~a',
      'http://x',
      'a b',
      'a:b',
      'é',
    ])
      it(`a name that is none: "${name}"`, async () => {
        const { fail, reads } = project({});
        const error = await fail(`require(${JSON.stringify(name)})`);
        expect(error.message).to.contain(
          "scenes/test.lua:1: require: a module's name is words joined by dots",
        );
        expect(reads).to.deep.equal([]);
      });
  });

  it('keeps the traceback inside a module that fails', async () => {
    const { fail } = project({ 'fails.lua': 'local function go()\n  host.sleep(1) error("x")\nend\ngo()' });
    const { traceback } = await fail('require("fails")');
    expect(traceback).to.contain("fails.lua:2: in local 'go'").and.contain('fails.lua:4: in main chunk');
    expect(traceback).to.contain('scenes/test.lua:1: in main chunk');
  });

  it('tries a module again that failed before', async () => {
    const { fail, run, files } = project({ 'm.lua': 'error("once")' });
    await fail('require("m")');
    files['m.lua'] = 'return "now"';
    expect(await run('print(require("m"))')).to.deep.equal(['now']);
  });

  it('tells those who waited for a load that failed, by trying themselves', async () => {
    const { fail, reads } = project({ 'm.lua': 'host.sleep(2) error("broken")' });
    const errors = await Promise.all([fail('require("m")'), fail('require("m")')]);
    expect(errors.map((error) => error.message)).to.deep.equal(['m.lua:1: broken', 'm.lua:1: broken']);
    expect(reads).to.have.length(2);
  });

  it('finds a circle between two entries that load at the same time', async () => {
    const { vm } = project({
      'a.lua': 'host.sleep(2) return require("b")',
      'b.lua': 'host.sleep(2) return require("a")',
    });
    const results = await Promise.all(
      ['a', 'b'].map((name) =>
        vm.run(`require("${name}")`, `scenes/${name}.lua`).then(
          () => 'loaded',
          (error: Error) => error.message,
        ),
      ),
    );
    expect(results.some((message) => message.includes('in a circle'))).to.equal(true);
  });

  it('forgets a load that was stopped or left in a coroutine', async () => {
    const { vm, run, files } = project({
      'm.lua': 'while true do end',
      'left.lua': 'coroutine.yield() return 1',
    });
    vm.setBudget({ instructions: 20_000 });
    await vm.run('require("m")', 'scenes/test.lua').catch(() => undefined);
    files['m.lua'] = 'return "again"';
    expect(await run('print(require("m"))')).to.deep.equal(['again']);
    await run('coroutine.wrap(require)("left")');
    files['left.lua'] = 'return "whole"';
    expect(await run('print(require("left"))')).to.deep.equal(['whole']);
  });

  it('shows the error of a loader', async () => {
    const loadModule = () => Promise.reject(new TypeError('the network is down'));
    expect((await testVm({ loadModule }).fail('require("m")')).message).to.equal(
      'scenes/test.lua:1: internal fault: TypeError: the network is down',
    );
  });

  it('is refused where it would have to wait, and works in the same entry where it may', async () => {
    const { run } = project({ 'm.lua': 'return 1' });
    const lines =
      await run(`print(pcall(table.sort, { 2, 1 }, function() require("m") end)) print(require("m"))
      table.sort({ 2, 1 }, function() print(require("m")) return false end)`);
    expect(lines[0]).to.contain('scenes/test.lua:1: require: cannot wait here');
    expect(lines.slice(1, 3)).to.deep.equal(['1', '1']);
  });
});
