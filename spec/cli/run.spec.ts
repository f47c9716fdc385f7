// The built command as a person runs it: a child process over dist/cli.js, judged by its exit status, its two outputs and
// the files that stand afterwards. Scenes and pictures are tiny; each run is a start of the engine.
import { expect } from 'chai';
import { decode } from 'fast-png';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  at,
  CLI,
  folder,
  inFolders,
  moonscape,
  PATIENCE_MS,
  pictureAt,
  put,
  ROOT,
  run,
  scene,
  SMALL,
} from '../support/command.js';

/** A ground with a camera and a mesh that follows it: what a scene mostly is. */
const GROUND = `
  local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
  local terrainMesh = require("~terrainSystem.modules.terrainMesh")
  local ground = terrain.noise { width = 24, height = 24, size = { 240, 240 }, seed = 3, amplitude = 20 }
  local hf = terrainHeightfield.open(terrain.to_texture(ground))
  local state = terrainMesh.create(hf, { camera = { 0, 60, 90 }, nodeVerts = 9, maxNodes = 64 })
  local land = entity.create("land")
  land.component.add("Model", { mesh = state.mesh })
  terrainMesh.bind(land.id, hf, state)
  local eye = camera.main()
  eye.position = { 0, 60, 90 }
  eye:lookAt { 0, 0, 0 }
  scene.onUpdate(function() terrainMesh.followCamera(land.id) end)`;

describe('moonscape', function () {
  this.timeout(PATIENCE_MS * 2);

  inFolders();

  describe('usage', () => {
    it('shows help without arguments and with --help, and the version', async () => {
      const bare = await moonscape([]);
      expect(bare).to.deep.include({ status: 0, err: '' });
      for (const word of ['--frames N', '--dt', '--size', '--out', '--stats', '--project', '--play'])
        expect(bare.out).to.contain(word);
      expect(await moonscape(['run', '--help'])).to.deep.equal(bare);
      const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
      expect(await moonscape(['--version'])).to.deep.equal({ status: 0, out: `${version}\n`, err: '' });
    });

    const wrong: [args: string[], says: string][] = [
      [['rnu', 'scene.lua'], 'there is no command "rnu" (did you mean run?)'],
      [
        ['render'],
        'there is no command "render"; the commands are: moonscape run SCENE.lua, moonscape check SCENE.lua, moonscape assets',
      ],
      [
        ['--frames', '3'],
        'there is no command; the commands are: moonscape run SCENE.lua, moonscape check SCENE.lua, moonscape assets',
      ],
      [['asset'], 'there is no command "asset" (did you mean assets?)'],
      [['assets', 'here'], 'assets takes a folder by --project alone, got here'],
      [['assets', '--size', '3x4'], 'assets has no option --size; it has --project, --quiet'],
      [['assets', '--project', 'nowhere'], "the project's folder nowhere does not exist"],
      [['run'], 'run needs the path of a scene'],
      [['run', 'a.lua', 'b.lua'], 'run takes one scene, got 2: a.lua, b.lua'],
      [['run', 'scene.lua', '--frame', '3'], 'there is no option --frame (did you mean --frames?)'],
      [['run', 'scene.lua', '--frobnicate'], 'there is no option --frobnicate\n'],
      [['run', 'scene.lua', '--frames'], '--frames needs a value'],
      [['run', 'scene.lua', '--frames', '0'], '--frames must be a whole number from 1 on, got "0"'],
      [['run', 'scene.lua', '--frames', '2.5'], '--frames must be a whole number from 1 on, got "2.5"'],
      [['run', 'scene.lua', '--frames', '-4'], '--frames must be a whole number from 1 on, got "-4"'],
      [['run', 'scene.lua', '--dt', 'soon'], '--dt must be a number above 0, got "soon"'],
      [['run', 'scene.lua', '--dt', 'NaN'], '--dt must be a number above 0, got "NaN"'],
      [['run', 'scene.lua', '--dt', '0'], '--dt must be a number above 0, got "0"'],
      [['run', 'scene.lua', '--size', '48'], '--size must be WIDTHxHEIGHT in pixels, as 1280x720, got "48"'],
      [['run', 'scene.lua', '--size', '0x27'], '--size must be WIDTHxHEIGHT in pixels'],
      [
        ['run', 'scene.lua', '--view', 'wirefram'],
        '--view must be one of shaded, wireframe, lod, stitching, normals, slope, height, overdraw, got "wirefram" (did you mean wireframe?)',
      ],
      [['run', 'scene.lua', '--view', ''], '--view must be one of shaded, wireframe'],
      [['run', 'scene.lua', '--bits', '16'], '--bits needs --out'],
      [['run', 'scene.lua', '--channel', 'depth'], '--channel needs --out'],
      [['run', 'scene.lua', '--out', 'a.png', '--bits', '12'], '--bits must be one of 8, 16, got "12"'],
      [
        ['run', 'scene.lua', '--out', 'a.png', '--channel', 'depth', '--bits', '8'],
        '--bits must be one of 16, got "8"',
      ],
      [
        ['run', 'scene.lua', '--out', 'a.png', '--channel', 'z'],
        '--channel must be one of color, depth, normal, got "z"',
      ],
      [['run', 'scene.lua', '--budget', '-1'], '--budget must be a number above 0, got "-1"'],
    ];
    for (const [args, says] of wrong)
      it(`refuses: ${args.join(' ')}`, async () => {
        const { status, out, err } = await moonscape(args);
        expect(err).to.contain(`moonscape: ${says}`).and.contain('moonscape --help');
        expect({ status, out }).to.deep.equal({ status: 2, out: '' });
      });

    it('refuses a size past the adapter before the script runs', async () => {
      const { status, out, err } = await run(scene('print("ran")'), '--size', '99999x3', '--quiet');
      expect(err).to.match(/^moonscape: --size must be at most \d+x\d+ on this adapter, got "99999x3"/);
      expect({ status, out }).to.deep.equal({ status: 2, out: '' });
    });

    it('refuses scenes that cannot be read and project folders that are not there', async () => {
      put('latin1.lua', Uint8Array.of(0x2d, 0x2d, 0x20, 0xfc, 0x0a));
      mkdirSync(at('folder.lua'));
      scene('print("ran")');
      for (const [args, says] of [
        [['none.lua'], 'the scene none.lua cannot be read: ENOENT'],
        [['folder.lua'], 'the scene folder.lua cannot be read: EISDIR'],
        [['latin1.lua'], 'the scene latin1.lua cannot be read: The encoded data was not valid'],
        [['scene.lua', '--project', 'nowhere'], "the project's folder nowhere does not exist"],
        [['scene.lua', '--project', 'scene.lua'], "the project's folder scene.lua does not exist"],
      ] as [string[], string][]) {
        const { status, out, err } = await moonscape(['run', ...args]);
        expect(err).to.contain(`moonscape: ${says}`);
        expect({ status, out }).to.deep.equal({ status: 2, out: '' });
      }
    });
  });

  describe('a script that fails', () => {
    const outputs = ['--out', 'out.png', '--stats', 'stats.json'];
    const nothingWritten = () =>
      expect(
        readdirSync(folder).filter((name) => !name.endsWith('.lua') && name !== 'modules'),
      ).to.deep.equal([]);

    it('ends with 1, its message at file and line, a traceback, and nothing written', async () => {
      const path = scene('local function deep()\n  error("no ground")\nend\n\ndeep()');
      const { status, err } = await run(path, ...outputs);
      expect(status).to.equal(1);
      expect(err).to.match(
        /^scene\.lua:2: no ground\nstack traceback:\n[^]*scene\.lua:2: in .*'deep'\n[^]*scene\.lua:5: in main chunk/,
      );
      nothingWritten();
    });

    it('names its own line where a call of the engine refuses', async () => {
      const path = scene('\nterrain.noise { width = -1, height = 4 }');
      const { status, err } = await run(path, ...outputs);
      expect(status).to.equal(1);
      expect(err).to.match(
        /^scene\.lua:2: terrain\.noise: width must be an integer [^\n]*, got -1\nstack traceback:/,
      );
      nothingWritten();
    });

    it('names the line of a syntax error', async () => {
      const { status, err } = await run(scene('local x = 1\nlocal y = = 2'), ...outputs);
      expect(status).to.equal(1);
      expect(err).to.match(/^scene\.lua:2: unexpected symbol near '='/);
      nothingWritten();
    });

    it('names the line of a module that it requires, and of the require', async () => {
      put('modules/land.lua', 'local land = nil\nreturn land.height');
      const { status, err } = await run(scene('\n\nrequire("modules.land")'), ...outputs);
      expect(status).to.equal(1);
      expect(err).to.match(/^modules\/land\.lua:2: attempt to index a nil value \(local 'land'\)/);
      expect(err).to.contain('scene.lua:3: in main chunk');
      nothingWritten();
    });

    it('in frame 30 leaves an older picture as it was, and writes nothing beside it', async () => {
      put('out.png', 'an older picture');
      const path = scene(`
        local frame = 0
        scene.onUpdate(function()
          frame = frame + 1
          if frame == 30 then error("frame " .. frame) end
          print(frame)
        end)`);
      const { status, out, err } = await run(path, '--frames', '40', '--quiet', ...outputs);
      expect(status).to.equal(1);
      expect(err).to.match(/^scene\.lua:5: frame 30\nstack traceback:/);
      expect(out.trim().split('\n')).to.have.length(29);
      expect(readFileSync(at('out.png'), 'utf8')).to.equal('an older picture');
      expect(readdirSync(folder).sort()).to.deep.equal(['out.png', 'scene.lua']);
    });

    it('by a capture that cannot be written, at the line of the call', async () => {
      put('taken', 'a file');
      const blocked = await run(scene('\nrenderer.capture("taken/x.png")'));
      expect(blocked.status).to.equal(1);
      expect(blocked.err).to.match(/^scene\.lua:2: renderer\.capture: taken\/x\.png cannot be written/);
      const outside = await run(scene('\nrenderer.capture("../x.png")'));
      expect(outside.status).to.equal(1);
      expect(outside.err).to.match(
        /^scene\.lua:2: renderer\.capture: path must be inside the project's folder/,
      );
    });
  });

  describe('no adapter', () => {
    /** A copy of the command beside the packages that it needs, but for one. */
    const without = (left: string) => {
      cpSync(join(ROOT, 'dist'), at('copy/dist'), {
        recursive: true,
        filter: (path) => !path.endsWith('.map') && !path.endsWith('types'),
      });
      cpSync(join(ROOT, 'package.json'), at('copy/package.json'));
      const { dependencies, peerDependencies } = JSON.parse(
        readFileSync(join(ROOT, 'package.json'), 'utf8'),
      ) as Record<string, Record<string, string>>;
      for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
        if (name === left) continue;
        mkdirSync(dirname(at('copy/node_modules', name)), { recursive: true });
        symlinkSync(join(ROOT, 'node_modules', name), at('copy/node_modules', name));
      }
      return { command: [process.execPath, at('copy/dist/cli.js')] };
    };

    it('ends with 3 and says how to get one where the package webgpu is missing', async () => {
      const copy = without('webgpu');
      const { status, out, err } = await moonscape(['run', scene('print("ran")'), '--out', 'out.png'], copy);
      expect(err).to.match(
        /^moonscape: WebGPU in Node comes from the package "webgpu".*: npm install webgpu( \(without a GPU also @sparticuz\/chromium@[\d.]+\))?\n$/,
      );
      expect({ status, out }).to.deep.equal({ status: 3, out: '' });
      expect(existsSync(at('out.png'))).to.equal(false);
      expect((await moonscape(['--help'], copy)).status).to.equal(0);
    });

    it('ends with 3 and says how to get one where the software adapter is missing', async function () {
      if (process.platform !== 'linux' || process.arch !== 'x64') this.skip();
      const copy = without('@sparticuz/chromium');
      const { status, out, err } = await moonscape(['run', scene('print("ran")'), ...SMALL], copy);
      expect(err).to.match(/^moonscape: .*software adapter.*npm install @sparticuz\/chromium@[\d.]+\n$/);
      expect({ status, out }).to.deep.equal({ status: 3, out: '' });
    });
  });

  it('shows the view that it is asked for, whatever the script says', async () => {
    const path = scene(`${GROUND}\nrenderer.setView("normals")`);
    for (const [file, ...options] of [
      ['script.png'],
      ['lod.png', '--view', 'lod'],
      ['plain.png', '--view', 'shaded'],
    ])
      expect(await run(path, '--out', file, ...options)).to.deep.include({ status: 0, err: '' });
    const [script, lod, plain] = ['script.png', 'lod.png', 'plain.png'].map((file) =>
      pictureAt(file).data.join(),
    );
    expect(new Set([script, lod, plain]).size).to.equal(3);
    const { out } = await run(path, '--view', 'stitching');
    expect(out).to.match(/^pass {5}view: 2 draws, [\d,]+ triangles$/m);
  });

  describe('a budget', () => {
    for (const [where, source] of [
      ['in the script', '\nwhile true do end'],
      ['inside pcall', '\nwhile true do pcall(function() while true do end end) end'],
      ['in a frame', '\nscene.onUpdate(function() while true do end end)'],
    ])
      it(`that is passed ends the run with 4 and no picture: ${where}`, async () => {
        const { status, err } = await run(scene(source), '--budget', '200', '--out', 'out.png');
        expect(err).to.match(/^scene\.lua:2: stopped: the script ran longer than 200 ms\nstack traceback:/);
        expect(status).to.equal(4);
        expect(existsSync(at('out.png'))).to.equal(false);
      });
  });

  describe('what it prints', () => {
    it('is the adapter, the script’s lines, what was drawn, and the paths', async () => {
      const { status, out, err } = await run(scene(`${GROUND}\nprint("hello")`), '--out', 'out.png');
      expect({ status, err }).to.deep.equal({ status: 0, err: '' });
      expect(out).to.match(
        /^adapter {2}.+\nhello\n(?:pass {5}shadow\d: 1 draws, [\d,]+ triangles\n)+pass {5}forward: 1 draws, [\d,]+ triangles\n[^]*terrain {2}\d+ nodes, .*one draw\ntime .*\nmemory .*\nwrote {4}out\.png\n$/,
      );
    });

    it('with --quiet is what the script prints, and nothing else', async () => {
      const path = scene('print("a", 1, nil, 1.5)\nprint("ä – €")');
      const { status, out, err } = await run(path, '--quiet', '--out', 'out.png', '--stats', 'stats.json');
      expect({ status, out, err }).to.deep.equal({ status: 0, out: 'a\t1\tnil\t1.5\nä – €\n', err: '' });
    });

    it('is complete, however much', async () => {
      const { out } = await run(scene('for i = 1, 20000 do print(i) end'), '--quiet');
      expect(out).to.equal(Array.from({ length: 20000 }, (_, i) => `${i + 1}\n`).join(''));
    });

    it('may be read by one who stops early', async () => {
      const path = scene('for i = 1, 20000 do print(i) end');
      const shell = `"${process.execPath}" "${CLI}" "$@" | head -n 1; exit "\${PIPESTATUS[0]}"`;
      const { status, out, err } = await moonscape(['run', path, ...SMALL, '--quiet', '--out', 'out.png'], {
        command: ['bash', '-c', shell, 'bash'],
      });
      expect({ status, out, err }).to.deep.equal({ status: 0, out: '1\n', err: '' });
      expect(pictureAt('out.png').width).to.equal(48);
    });
  });

  describe('what it writes', () => {
    it('is a picture of the asked size, in folders that it makes, the same twice', async () => {
      const path = scene(GROUND);
      const options = ['--quiet', '--frames', '3'];
      expect(await run(path, ...options, '--out', 'a/b/one.png')).to.deep.equal({
        status: 0,
        out: '',
        err: '',
      });
      expect((await run(path, ...options, '--out', 'two.png')).status).to.equal(0);
      const { width, height, data } = pictureAt('a/b/one.png');
      expect([width, height]).to.deep.equal([48, 27]);
      expect(new Set(data).size, 'values in a picture of ground and sky').to.be.greaterThan(30);
      expect(readFileSync(at('two.png')).equals(readFileSync(at('a/b/one.png')))).to.equal(true);
      expect((await run(path, '--size', '33x5', '--out', 'two.png')).status).to.equal(0);
      expect([pictureAt('two.png').width, pictureAt('two.png').height]).to.deep.equal([33, 5]);
      expect(readdirSync(folder).sort()).to.deep.equal(['a', 'scene.lua', 'two.png']);
    });

    it('with --stats has the documented shape, and nothing else', async () => {
      const options = ['--quiet', '--frames', '4', '--stats', 'deep/stats.json'];
      expect((await run(scene(GROUND), ...options)).status).to.equal(0);
      const stats = JSON.parse(readFileSync(at('deep/stats.json'), 'utf8'));
      const kinds = (value: unknown): unknown =>
        value !== null && typeof value === 'object'
          ? Array.isArray(value)
            ? value.map(kinds)
            : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, kinds(item)]))
          : typeof value;
      const pass = { draws: 'number', triangles: 'number' };
      expect(kinds(stats)).to.deep.equal({
        adapter: { vendor: 'string', architecture: 'string', description: 'string' },
        frames: 'number',
        passes: Object.fromEntries(Object.keys(stats.passes).map((name) => [name, pass])),
        terrain: [{ nodes: 'number', remeshed: 'number', vertices: 'number' }],
        ms: { start: 'number', frame: { median: 'number', max: 'number' } },
        bytes: { gpu: 'number', cpu: 'number' },
      });
      const { nodes, vertices } = stats.terrain[0];
      expect(stats.frames).to.equal(4);
      expect(vertices).to.equal(nodes * 81);
      expect(stats.passes.forward).to.deep.equal({ draws: 1, triangles: nodes * 128 });
      expect(stats.ms.frame.max).to.be.at.least(stats.ms.frame.median);
      expect(stats.ms.frame.median).to.be.greaterThan(0);
      expect(stats.ms.start).to.be.greaterThan(0);
      // The field alone, and the pool that its picture is drawn from.
      expect(stats.bytes.gpu).to.be.greaterThan(24 * 24 * 16 + 64 * 81 * 92);
      expect(stats.bytes.cpu).to.be.greaterThan(24 * 24 * 16);
    });

    it('is all or nothing where one of the files cannot be', async () => {
      put('taken', 'a file');
      mkdirSync(at('folder.png'));
      scene('print("ran")');
      for (const [out, stats, says] of [
        ['out.png', 'taken/stats.json', 'taken/stats.json cannot be written'],
        ['folder.png', 'stats.json', 'folder.png cannot be written: it is a folder'],
      ]) {
        const { status, err } = await run('scene.lua', '--quiet', '--out', out, '--stats', stats);
        expect(err).to.contain(`moonscape: ${says}`);
        expect(status).to.equal(2);
        expect(readdirSync(folder).sort()).to.deep.equal(['folder.png', 'scene.lua', 'taken']);
      }
    });

    it('with --bits and --channel is deeper, or another channel', async () => {
      const path = scene(GROUND);
      expect((await run(path, '--quiet', '--bits', '16', '--out', 'deep.png')).status).to.equal(0);
      expect(decode(readFileSync(at('deep.png')))).to.include({ width: 48, depth: 16, channels: 4 });
      expect((await run(path, '--quiet', '--channel', 'depth', '--out', 'depth.png')).status).to.equal(0);
      const { data, ...depth } = decode(readFileSync(at('depth.png')));
      expect(depth).to.include({ width: 48, depth: 16, channels: 1 });
      // The camera is 60 m above ground that reaches 20 m up and down, in steps of 0.1 m.
      const seen = data.filter((step) => step > 0);
      expect(Math.min(...seen)).to.be.within(350, 1200);
      expect((await run(path, '--quiet', '--channel', 'normal', '--out', 'normal.png')).status).to.equal(0);
      expect(decode(readFileSync(at('normal.png')))).to.include({ width: 48, depth: 8, channels: 4 });
    });

    it('with renderer.capture is each frame that the scene asks for', async () => {
      const path = scene(`
        local box = entity.create("box", { position = { 0, 0, -4 } })
        box.component.add("Model", { mesh = renderer.mesh.box {} })
        camera.main().position = { 0, 0, 0 }
        local frame = 0
        scene.onUpdate(function()
          frame = frame + 1
          box.position = { frame - 2, 0, -4 }
          if frame < 3 then renderer.capture("shots/" .. frame .. ".png") end
        end)`);
      const { status, err } = await run(path, '--quiet', '--frames', '3', '--out', 'last.png');
      expect({ status, err }).to.deep.equal({ status: 0, err: '' });
      expect(readdirSync(at('shots'))).to.deep.equal(['1.png', '2.png']);
      const [one, two, last] = ['shots/1.png', 'shots/2.png', 'last.png'].map(pictureAt);
      expect([one.width, one.height]).to.deep.equal([48, 27]);
      expect(one.data).not.to.deep.equal(two.data);
      expect(two.data).not.to.deep.equal(last.data);
    });
  });

  describe('run', () => {
    it('counts time by --dt, in edit, and with --play in play once the script is through', async () => {
      const path = scene(`
        print("script", scene.mode(), scene.time())
        scene.onUpdate(function(dt) print(scene.mode(), dt, scene.time()) end)`);
      const edit = await run(path, '--quiet', '--frames', '2', '--dt', '0.25');
      expect(edit.out).to.equal('script\tedit\t0.0\nedit\t0.25\t0.25\nedit\t0.25\t0.5\n');
      const play = await run(path, '--quiet', '--frames', '2', '--dt', '0.25', '--play');
      expect(play.out).to.equal('script\tedit\t0.0\nplay\t0.25\t0.25\nplay\t0.25\t0.5\n');
    });

    it('uses the software adapter with --software', async () => {
      expect((await run(scene(''), '--stats', 'stats.json')).status).to.equal(0);
      const { adapter } = JSON.parse(readFileSync(at('stats.json'), 'utf8'));
      if (process.platform === 'linux')
        expect(adapter).to.include({ vendor: 'google', architecture: 'swiftshader' });
    });

    it('takes paths with spaces and umlauts, and names them as they were typed', async () => {
      const path = scene('print(require("land").name)\nerror("here")', 'Grüne Hügel/mein Gelände.lua');
      put('Grüne Hügel/land.lua', 'return { name = "Hügel" }');
      const { status, out, err } = await run(path, '--quiet');
      expect({ status, out }).to.deep.equal({ status: 1, out: 'Hügel\n' });
      expect(err).to.match(/^Grüne Hügel\/mein Gelände\.lua:2: here\n/);
      const good = scene('', 'Grüne Hügel/leer.lua');
      expect((await run(good, '--quiet', '--out', 'Bilder von hier/ä.png')).status).to.equal(0);
      expect(pictureAt('Bilder von hier/ä.png').width).to.equal(48);
    });

    it('finds modules and files in the scene’s folder, or in --project', async () => {
      put('project/land.lua', 'return "the project"');
      put('scenes/land.lua', 'return "beside the scene"');
      const path = scene('print((require("land")))', 'scenes/scene.lua');
      expect((await run(path, '--quiet')).out).to.equal('beside the scene\n');
      expect((await run(path, '--quiet', '--project', 'project')).out).to.equal('the project\n');
    });

    it('works through a link, as npm puts one into node_modules/.bin', async function () {
      if (process.platform === 'win32') this.skip();
      mkdirSync(at('bin'));
      symlinkSync(CLI, at('bin/moonscape'));
      const { status, out, err } = await moonscape(['run', scene('print("linked")'), ...SMALL, '--quiet'], {
        command: [at('bin/moonscape')],
      });
      expect({ status, out, err }).to.deep.equal({ status: 0, out: 'linked\n', err: '' });
    });

    it('waits for what the script loads, and for work that only frames begin', async () => {
      put('source/map.lua', '');
      const path = scene(`
        local tex = texture.create { width = 2, height = 2, format = "r8", data = { 1, 2, 3, 4 } }
        texture.write(tex, "source/map.texture")
        scene.onUpdate(function()
          print(texture.load("source/map.texture"):read(1, 1))
        end)`);
      const { status, out, err } = await run(path, '--quiet', '--frames', '2');
      expect({ status, out, err }).to.deep.equal({ status: 0, out: '4\n4\n', err: '' });
    });
  });
});
