// Water from Lua: the fixture's own checks, and what scripts get wrong (failureOf compares what stands before and after).
import { expect } from 'chai';
import { failureOf, runFixture, runScene } from '../support/lua.js';

const HEAD =
  'local heightfield, water = require("~terrainSystem.modules.terrainHeightfield"), require("~terrainSystem.modules.terrainWater"); ' +
  'local tex = terrain.to_texture(terrain.noise { width = 8, height = 8, size = { 80, 80 } }); ' +
  'local hf = heightfield.open(tex, { water = { level = 0 } }); local eye = { 0, 9, 0 }\n';

/** [what, the scene after HEAD, its message after `scene.lua:`]. */
const CASES: [what: string, source: string, message: RegExp][] = [
  ['no camera', 'water.create(hf, {})', /^2: terrainWater\.create: camera is missing/],
  [
    'a misspelt option',
    'water.create(hf, { camera = eye, foams = 1 })',
    /^2: terrainWater\.create: there is no field "foams" \(did you mean "foam"\?\)/,
  ],
  [
    'maxNodes 2',
    'water.create(hf, { camera = eye, maxNodes = 2 })',
    /^2: terrainWater\.create: maxNodes must be an integer in 4\.\.4096, got 2/,
  ],
  [
    'a clarity that is a string',
    'water.create(hf, { camera = eye, clarity = "deep" })',
    /^2: terrainWater\.create: clarity must be a finite number above 0, got "deep"/,
  ],
  [
    'water drawn twice',
    'water.create(hf, { camera = eye })\nwater.create(hf, { camera = eye })',
    /^3: terrainWater\.create: the water of this heightfield is drawn already .* terrainWater\.setLook/,
  ],
  [
    'a destroyed water',
    'local state = water.create(hf, { camera = eye })\nwater.destroy(state)\nwater.setLook(state, { waves = 1 })',
    /^4: terrainWater\.setLook: state: this terrain water is destroyed/,
  ],
  [
    'the water of another heightfield',
    'local state = water.create(hf, { camera = eye })\nwater.updateCut(state, heightfield.open(tex), eye)',
    /^3: terrainWater\.updateCut: hf must be the heightfield that the water was created from/,
  ],
  [
    'a level that is no number',
    'hf:setWater { level = "high" }',
    /^2: terrainHeightfield\.setWater: water\.level must be a finite number, got "high"/,
  ],
  [
    'water of grey pixels',
    'hf:setWater(texture.create { width = 1, height = 1, format = "r8", data = { 1 } })',
    /^2: terrainHeightfield\.setWater: the water texture's format must be rgba32f .*, got "r8"/,
  ],
  [
    'water in a file that is not there',
    'heightfield.open(tex, { water = "source/none.texture" })',
    /^2: terrainHeightfield\.open: water: there is no file "source\/none\.texture"/,
  ],
  [
    'a component with both a level and a texture',
    'entity.create("lake").component.add("Water", { level = 1, texture = tex })',
    /Water: only one of level and texture may be given, got both/,
  ],
  [
    'a component with waves past their range',
    'entity.create("lake").component.add("Water", { level = 1, waves = 5 })',
    /waves must be .*4, got 5/,
  ],
];

describe('Water from Lua', () => {
  it('does as spec/fixtures/waters.lua says', async () => {
    const { lines, warnings } = await runFixture('waters.lua', { frames: 8 });
    expect(lines).to.deep.equal(['done']);
    expect(warnings).to.deep.equal([]);
  });

  for (const [what, source, message] of CASES)
    it(`refuses ${what}`, async () => {
      expect((await failureOf(HEAD + source)).message.replace(/^scene\.lua:/, '')).to.match(message);
    });

  it('waits for ground, is drawn in one draw with it, and has no pass without', async () => {
    const { lines } = await runScene(
      `local lake = entity.create("lake")
      local water = lake.component.add("Water", { level = 0.2 })
      local tex = terrain.to_texture(terrain.noise { width = 16, height = 16, size = { 80, 80 } })
      camera.main().position = { 0, 60, 1 }
      camera.main():lookAt { 0, 0, 0 }
      local frame = 0
      scene.onUpdate(function()
        frame = frame + 1
        local pass = renderer.stats().passes.water
        print(frame, pass and pass.draws, (water:at(0, 0)))
        if frame == 2 then lake.component.add("Terrain", { texture = tex, maxNodes = 32 }) end
        if frame == 4 then lake.component.remove("Terrain") end
      end)`,
      { frames: 6 },
    );
    expect(lines).to.deep.equal([
      '1\tnil\tnil',
      '2\tnil\tnil',
      '3\t1\t0.20000000298023',
      '4\t1\t0.20000000298023',
      '5\tnil\tnil',
      '6\tnil\tnil',
    ]);
  });

  it('is drawn from the water that stop puts back, whoever else hears of it first', async () => {
    const { lines } = await runScene(
      `${HEAD}local scatter = require("~terrainSystem.modules.scatter")
      scatter.create(hf, { mesh = renderer.mesh.box(), density = 0.01 })
      local state = water.create(hf, { camera = eye })
      scene.play()
      hf:setHeights(2, 2, 1, 1, { 3 })
      hf:setWater { level = 1 }
      scene.stop()
      print(hf:waterAt(35, 35) == nil or hf:waterAt(35, 35), #state.cut > 0)`,
      { frames: 1 },
    );
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^(true|0\.0)\ttrue$/);
  });
});
