// Scenes from spec/fixtures and examples, run as a person would run them; the fixtures assert what they say.
import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLua } from '../../bindings/index.js';
import { decodePng } from '../../runtime/texture/png.js';
import { failureOf, project, runFixture, runScene, sharedRuntime } from '../support/lua.js';

/** What Lua 5.3's safe libraries put into a fresh state, and what we add to them. */
const LIBRARIES = [
  ...[
    '_G',
    '_VERSION',
    'assert',
    'coroutine',
    'debug',
    'error',
    'getmetatable',
    'ipairs',
    'load',
    'math',
    'next',
  ],
  ...[
    'pairs',
    'pcall',
    'rawequal',
    'rawget',
    'rawlen',
    'rawset',
    'select',
    'setmetatable',
    'string',
    'table',
  ],
  ...['tonumber', 'tostring', 'type', 'utf8', 'xpcall'],
];
const OURS = [
  'asset',
  'camera',
  'component',
  'ecs',
  'entity',
  'input',
  'physics',
  'print',
  'renderer',
  'require',
  'scene',
  'terrain',
  'texture',
];

describe('Lua scenes', () => {
  it('sees the documented globals and nothing else', async () => {
    const { lines } = await runScene('for name in pairs(_G) do print(name) end');
    expect(lines.sort()).to.deep.equal([...LIBRARIES, ...OURS].sort());
  });

  it('finds the documented functions in each table and nothing else', async () => {
    const { lines } = await runScene(`
      local function list(name, t)
        local names = {}
        for key in pairs(t) do names[#names + 1] = key end
        table.sort(names)
        print(name .. ": " .. table.concat(names, " "))
      end
      for _, name in ipairs { "texture", "terrain", "asset", "entity", "ecs", "component", "physics", "renderer", "scene", "camera", "input" } do list(name, _G[name]) end
      for _, name in ipairs { "mesh", "material", "buffer" } do list(name, renderer[name]) end
      for _, name in ipairs { "terrainMesh", "quadtree" } do list(name, require("~terrainSystem.modules." .. name)) end
    `);
    expect(lines).to.deep.equal([
      'texture: create load update write',
      'terrain: add blend clamp erode from_texture map mask noise resample ridge scale slope terrace to_texture to_water to_weights warp write',
      'asset: exists guid list path',
      'entity: create find get',
      'ecs: get has query',
      'component: define',
      'physics: raycast step',
      'renderer: buffer capture getView material mesh setView stats',
      'scene: load mode onUpdate play save stop time',
      'camera: getControls main pick setControls',
      'input: axis isDown pointer touches wasPressed wasReleased wheel',
      'mesh: box create cylinder destroy load plane sphere update',
      'material: create destroy update',
      'buffer: create destroy read write',
      'terrainMesh: bind build cameraPosition create destroy followCamera forEntity invalidate isBound unbind updateCut',
      'quadtree: rootGrid',
    ]);
  });

  it('runs the terrainHeightfield document’s example', async () => {
    await runFixture('makeDunes.lua');
    const data = JSON.parse(readFileSync(join(project, 'source/terrain/dunes.terrainData'), 'utf8'));
    expect(data).to.include({ version: 1, heightfield: '/zero/source/terrain/dunes.texture' });
    expect(data.size).to.deep.equal([4000, 3000]);
    expect(data.origin).to.deep.equal([100, -50]);
    await runFixture('openDunes.lua');
  });

  it('runs the terrainMesh document’s example, and draws it in one call', async () => {
    await runFixture('drawGround.lua', {
      frames: 1,
      look({ runtime }) {
        const { forward } = runtime.stats().passes;
        expect(forward.draws).to.equal(1);
        expect(forward.triangles).to.equal([...runtime.terrains][0].nodes().length * 32 * 32 * 2);
      },
    });
  });

  for (const fixture of [
    'textures',
    'groundGraph',
    'heightfields',
    'editGround',
    'terrainMeshes',
    'entities',
    'layers',
  ])
    it(`${fixture}.lua holds`, async () => {
      await runFixture(`${fixture}.lua`, { frames: 1 });
    });

  it('renderers.lua holds, and writes its picture', async () => {
    const { lines } = await runFixture('renderers.lua', { frames: 2 });
    expect(lines).to.deep.equal(['second frame']);
    const picture = decodePng(
      new Uint8Array(readFileSync(join(project, 'out/picture.png'))),
      'out/picture.png',
    );
    expect([picture.width, picture.height]).to.deep.equal([64, 36]);
  });

  it('scenes.lua holds: a callback that waits holds its frame', async () => {
    mkdirSync(join((await sharedRuntime(), project), 'modules'), { recursive: true });
    writeFileSync(join(project, 'modules/greeting.lua'), 'return { text = "hello" }');
    const { lines } = await runFixture('scenes.lua', { frames: 3 });
    expect(lines).to.deep.equal(['hello', 'frame\t1', 'frame\t2', 'frame\t3']);
    expect(existsSync(join(project, 'out/frame.texture'))).to.equal(true);
  });

  it('hands the load report of a ground to the host', async () => {
    const { reports } = await runScene(`
      local tex = texture.create { width = 4, height = 1, format = "r16", data = { 1, 2, 3, 4 } }
      terrain.from_texture(tex, { encoding = "gray", range = { 0, 10 } })`);
    expect(reports).to.have.length(1);
    expect(reports[0].join('\n')).to.include('4 distinct levels');
  });

  it('says so when the pool is too small for the finest level', async () => {
    const { warnings } = await runScene(`
      local hf = require("~terrainSystem.modules.terrainHeightfield").open(terrain.to_texture(terrain.noise { width = 64, height = 64 }))
      require("~terrainSystem.modules.terrainMesh").create(hf, { camera = { 0, 5, 0 }, maxNodes = 20, nodeVerts = 3 })`);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.match(/terrainMesh\.create: a pool of 20 nodes \(maxNodes\)/);
  });

  it('gives back what a script left open, over many scenes', async () => {
    // runScene compares bytes, meshes, terrains and entities itself.
    for (let i = 0; i < 20; i++)
      await runScene(`
        local hf = require("~terrainSystem.modules.terrainHeightfield").open(terrain.to_texture(terrain.noise { width = 8, height = 8 }))
        local state = require("~terrainSystem.modules.terrainMesh").create(hf, { camera = { 0, 5, 0 }, maxNodes = 8, nodeVerts = 3 })
        entity.create("a").component.add("Model", { mesh = state.mesh })
        renderer.buffer.create { size = 64 }
        renderer.material.create {}
        entity.create("b", { parent = entity.find("a") }).component.add("Model", { mesh = renderer.mesh.box() })
        camera.main().parent = entity.find("b")`);
  });

  it('reports a failure in frame 30 with its line and traceback', async () => {
    const error = await failureOf(
      'local n = 0\nscene.onUpdate(function()\n  n = n + 1\n  if n == 30 then error("out of luck") end\nend)',
      { name: 'late.lua', frames: 40 },
    );
    expect(error.message).to.equal('late.lua:4: out of luck');
    expect(error.traceback).to.include('late.lua:4:');
  });

  it('reports a capture that cannot be written with the line of the call', async () => {
    writeFileSync(join((await sharedRuntime(), project), 'file'), '');
    const error = await failureOf('local _ = 1\nrenderer.capture("file/picture.png")', { frames: 1 });
    expect(error.message).to.match(/^scene\.lua:2: renderer\.capture: file\/picture\.png cannot be written/);
  });

  it('stops a script that passes its budget', async () => {
    const lua = openLua(await sharedRuntime(), { budgetMs: 50 });
    try {
      await lua.run('pcall(function() while true do end end)', 'busy.lua');
      expect.fail('it ended');
    } catch (error) {
      expect((error as Error).message).to.match(/^busy\.lua:1: stopped: the script ran longer than 50 ms/);
    } finally {
      lua.close();
    }
  });
});
