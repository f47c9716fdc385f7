// The Terrain component: drawn, followed, changed field by field, given back.
import { expect } from 'chai';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf, project, runScene, sharedRuntime } from '../support/lua.js';

const HEAD = `
local terrainMesh = require("~terrainSystem.modules.terrainMesh")
local hills = terrain.noise { width = 64, height = 64, size = { 200, 200 }, amplitude = 12, seed = 5 }
local tex = terrain.to_texture(hills)
local ground = entity.create("ground")
camera.main().position = { 0, 40, 120 }
camera.main():lookAt { 0, 0, 0 }
`;
const SMALL = 'maxNodes = 64, lodFactor = 0.7';

describe('Terrain', () => {
  it('is drawn as one draw, and its cut follows the on-screen camera in edit and in play', async () => {
    const { lines } = await runScene(
      `${HEAD} ground.component.add("Terrain", { texture = tex, ${SMALL} })
      local t = ground.component.get("Terrain")
      local function key() local out = {} for _, n in ipairs(t:mesh().cut) do out[#out + 1] = n.level .. ":" .. n.ix .. ":" .. n.iz end return table.concat(out, " ") end
      local seen = {}
      local frame = 0
      scene.onUpdate(function()
        frame = frame + 1
        seen[#seen + 1] = key()
        if frame == 2 then camera.main().position = { 90, 15, 90 } end
        if frame == 4 then scene.play() end
        if frame == 5 then camera.main().position = { -90, 15, -90 } end
        if frame == 7 then print(seen[1] == seen[2], seen[2] ~= seen[3], seen[3] == seen[5], seen[5] ~= seen[6], scene.mode()) end
      end)`,
      {
        frames: 7,
        look: ({ runtime }) => {
          const { passes } = runtime.stats();
          expect(passes.forward.draws).to.equal(1);
        },
      },
    );
    expect(lines).to.deep.equal(['true\ttrue\ttrue\ttrue\tplay']);
  });

  it('stands beside others, each with ground of its own', async () => {
    const { lines } = await runScene(
      `${HEAD}
      local other = entity.create("other")
      local a = ground.component.add("Terrain", { texture = tex, origin = { -100, 0 }, ${SMALL} })
      local b = other.component.add("Terrain", { texture = tex, origin = { 100, 0 }, ${SMALL} })
      a:heightfield():setHeights(32, 32, 1, 1, { 30 })
      print(a:heightfield() ~= b:heightfield(), a:heightfield():heightAt(-98.4375, 1.5625), b:heightfield():heightAt(101.5625, 1.5625) < 13)
      ground:destroy()
      print(b:heightfield():hasGroundAt(100, 0))`,
      {
        frames: 1,
        look: ({ runtime }) => void expect(runtime.terrains.size).to.equal(1),
      },
    );
    expect(lines).to.deep.equal(['true\t30.0\ttrue', 'true']);
  });

  it('re-makes only what a changed field is for', async () => {
    const { lines } = await runScene(
      `${HEAD} local t = ground.component.add("Terrain", { texture = tex, ${SMALL} })
      local function now() return { hf = t:heightfield(), mesh = t:mesh() } end
      local function changed(set)
        local before = now()
        set()
        local after = now()
        local model = ground.component.get("Model")
        assert(model.mesh == after.mesh.mesh and ground.component.get("MeshInstance").mesh == model.mesh)
        return (before.hf ~= after.hf and "ground " or "") .. (before.mesh ~= after.mesh and "mesh" or "")
      end
      print(changed(function() t.material = renderer.material.create { albedo = { 1, 0, 0 } } end))
      print(changed(function() t.lodFactor = 3 end))
      print(changed(function() t.maxNodes = 32 end), t:mesh().maxNodes)
      print(changed(function() t.keep = function(node) return node.x < 0 end end))
      print(changed(function() t.size = { 100, 300 } end), t:heightfield().size.depth)
      print(changed(function() t.origin = { 5, 5 } end), t:heightfield().origin.x)
      print(changed(function() t.holes = texture.create { width = 1, height = 1, format = "r8", data = { 0 } } end), t:heightfield():hasGroundAt(5, 5))
      print(changed(function() t.collider = false end))
      print(t.lodFactor, t.keep ~= nil, ground.component.get("Model").material ~= nil)`,
      { frames: 1 },
    );
    expect(lines).to.deep.equal([
      ...['', 'mesh', 'mesh\t32', 'mesh', 'ground mesh\t300.0', 'ground mesh\t5.0'],
      ...['ground mesh\tfalse\thole', '', '3.0\ttrue\ttrue'],
    ]);
  });

  it('keeps its ground where a change is refused', async () => {
    const { lines } = await runScene(
      `${HEAD} local t = ground.component.add("Terrain", { texture = tex, ${SMALL} })
      local hf, mesh = t:heightfield(), t:mesh()
      local function refused(set) local ok, message = pcall(set) assert(not ok) print(message) end
      refused(function() t.data = "x.terrainData" end)
      refused(function() t.texture = "missing.texture" end)
      refused(function() t.maxNodes = 3 end)
      refused(function() t.heightRange = { 0, 1 } end)
      refused(function() t.keep = function() return 1 end end)
      assert(hf == t:heightfield() and mesh == t:mesh() and t.texture == tex and t.data == nil and t.keep == nil and t.maxNodes == 64)
      print(hf:heightAt(0, 0) == t:heightfield():heightAt(0, 0))`,
      { frames: 1 },
    );
    for (const [i, message] of [
      /one of data and texture must be given, got both/,
      /no file "missing\.texture"/,
      /maxNodes must be an integer in 4\.\.4096, got 3/,
      /heightRange/,
      /keep/,
    ].entries())
      expect(lines[i]).to.match(message);
    expect(lines[5]).to.equal('true');
  });

  it('refuses bad ground, and leaves nothing behind', async () => {
    await sharedRuntime();
    await runScene(
      `${HEAD} texture.write(tex, "t/g.texture") terrain.write("t/g.terrainData", { heightfield = tex })`,
    );
    const text = JSON.stringify({ version: 1 });
    writeFileSync(join(project, 't/half.terrainData'), text.slice(0, 8));
    const cases: [fields: string, message: RegExp][] = [
      ['{}', /one of data and texture must be given, got neither/],
      ['{ data = "t/gone.terrainData" }', /no file "t\/gone\.terrainData"/],
      ['{ data = "t/half.terrainData" }', /t\/half\.terrainData must be a \.terrainData in JSON/],
      ['{ texture = texture.create { width = 1, height = 1, format = "r8", data = { 0 } } }', /rgba32f/],
      ['{ texture = tex, size = { 0, 1 } }', /size\[1\] must be a finite number above 0, got 0/],
      ['{ texture = tex, heightRange = { 3, 1 } }', /heightRange must be \{ low, high \}/],
      ['{ texture = tex, minNodeSize = "a" }', /minNodeSize must be a finite number above 0/],
      ['{ texture = tex, nodata = "cut" }', /nodata must be one of "hole"/],
      ['{ texture = tex, maxNode = 3 }', /no field "maxNode" \(did you mean "maxNodes"\?\)/],
    ];
    for (const [fields, message] of cases)
      expect((await failureOf(`${HEAD} ground.component.add("Terrain", ${fields})`)).message).to.match(
        message,
      );
    expect(
      (
        await failureOf(
          `${HEAD} ground.component.add("Model", { mesh = renderer.mesh.box() }) ground.component.add("Terrain", { texture = tex })`,
        )
      ).message,
    ).to.match(/has a Model already/);
  });

  it('ignores its entity’s transform, and says so once', async () => {
    const { warnings } = await runScene(
      `${HEAD} ground.position = { 10000, 0, 0 } ground.component.add("Terrain", { texture = tex, ${SMALL} })`,
      {
        frames: 2,
        look: ({ runtime }) => void expect(runtime.stats().passes.forward.draws).to.equal(1),
      },
    );
    expect(warnings, warnings.join('\n')).to.have.length(1);
    expect(warnings[0]).to.match(/the entity "ground" \(\d+\) is moved.*its terrain stands in the world/);
  });

  it('gives all back when it goes: by itself, with its entity, and 100 times', async () => {
    const runtime = await sharedRuntime();
    const bytes: number[] = [];
    await runScene(
      `${HEAD}
      T, G = tex, ground
      ground.component.add("Terrain", { texture = tex, ${SMALL} })
      ground.component.remove("Terrain")`,
      {
        look: async ({ lua }) => {
          const standing = runtime.gpu.bytes;
          for (let i = 0; i < 100; i++) {
            await lua.run(
              `G.component.add("Terrain", { texture = T, ${SMALL} }) G.component.remove("Terrain")
              local e = entity.create("e") e.component.add("Terrain", { texture = T, ${SMALL} }) e:destroy()`,
              'cycle.lua',
            );
            await runtime.update(1 / 60);
            bytes.push(runtime.gpu.bytes - standing);
          }
          expect(runtime.fields.size).to.equal(0);
          expect(runtime.terrains.size).to.equal(0);
        },
      },
    );
    expect(new Set(bytes)).to.deep.equal(new Set([0]));
  }).timeout(30_000);

  it('has its data’s own water and layers again once its fields are taken away', async () => {
    const { lines } = await runScene(
      `${HEAD}
      local function wet(level) return texture.create { width = 1, height = 1, format = "rgba32f", data = { level, 0, 0, 1 } } end
      texture.write(tex, "t/own.texture") texture.write(wet(50), "t/water.texture")
      terrain.write("t/own.terrainData", { heightfield = "t/own.texture", water = "t/water.texture", layers = { { name = "own" } } })
      local other = { { name = "other" } }
      local t = ground.component.add("Terrain", { data = "t/own.terrainData", water = wet(60), layers = other, ${SMALL} })
      local hf = t:heightfield()
      local function show() print(hf:waterAt(0, 0), (next(hf:layersAt(0, 0)))) end
      show()
      t.water = nil t.layers = nil
      show()
      t.water = wet(70) t.layers = other
      local water = ground.component.add("Water", { level = 80 })
      show()
      t.water = wet(90)
      show()
      ground.component.remove("Water")
      texture.load("t/water.texture")
      show()
      water = ground.component.add("Water", { level = 80 })
      ground.component.remove("Water")
      t.water = nil t.layers = nil
      hf:refresh()
      show()
      assert(hf == t:heightfield())
      local bare = entity.create("bare").component.add("Terrain", { texture = tex, water = wet(60), layers = other, ${SMALL} })
      hf = bare:heightfield()
      bare.water = nil bare.layers = nil
      show()`,
      { frames: 1 },
    );
    expect(lines.map((line) => line.replace(/\t(0\.0\t)+/, '\t'))).to.deep.equal([
      ...['60.0\tother', '50.0\town', '80.0\tother', '80.0\tother'],
      ...['90.0\tother', '50.0\town', 'nil\tnil'],
    ]);
  });

  it('opens its ground again at the next change where somebody unbound it', async () => {
    const { lines } = await runScene(
      `${HEAD} local t = ground.component.add("Terrain", { texture = tex, ${SMALL} })
      for _, change in ipairs { { "lodFactor", 1 }, { "layers", { { name = "soil" } } }, { "collider", false } } do
        terrainMesh.unbind(ground.id)
        assert(t:heightfield() == nil)
        t[change[1]] = change[2]
        print(t:heightfield():hasGroundAt(0, 0))
      end`,
      { frames: 1 },
    );
    expect(lines).to.deep.equal(['true', 'true', 'true']);
  });

  it('gives new ground to a Water beside it at once, at stop too', async () => {
    const { lines } = await runScene(
      `${HEAD} local t = ground.component.add("Terrain", { texture = tex, ${SMALL} })
      local water = ground.component.add("Water", { level = 50 })
      t.size = { 100, 100 }
      print((t:heightfield():waterAt(0, 0)))
      scene.play()
      ground.component.remove("Terrain")
      print(water:at(0, 0))
      scene.stop()
      print((water:at(0, 0)))`,
      { frames: 1 },
    );
    expect(lines).to.deep.equal(['50.0', 'nil', '50.0']);
  });

  it('answers in edit, in play and after; what play does to the ground is undone, what edit did stays', async () => {
    const { lines } = await runScene(
      `${HEAD} local t = ground.component.add("Terrain", { texture = tex, ${SMALL} })
      local hf = t:heightfield()
      local x, z = hf.size.width / 128, hf.size.depth / 128
      hf:setHeights(32, 32, 1, 1, { 40 })
      local grid = hf:sampleGrid(70, 70)
      local nx, ny = hf:normalAt(3, 4)
      local low, high = hf.heightRange.low, hf.heightRange.high
      scene.play()
      hf:setHeights(3, 5, 2, 2, { 90, 91, 92, 93 })
      hf:setHeights(31, 31, 3, 3, { 1, 2, 3, 4, 5, 6, 7, 8, 9 })
      print(hf:heightAt(x, z))
      scene.stop()
      assert(hf == t:heightfield())
      local function same()
        local again, a, b = t:heightfield():sampleGrid(70, 70), t:heightfield():normalAt(3, 4)
        for i = 1, #grid do assert(grid[i] == again[i], i) end
        assert(a == nx and b == ny)
        local range = t:heightfield().heightRange
        assert(range.low == low and range.high == high)
      end
      same()
      scene.play()
      hf:setHeights(0, 0, 1, 1, { -50 })
      ground.component.remove("Terrain")
      scene.stop()
      same()
      scene.play()
      t.size = { 400, 400 }
      t:heightfield():setHeights(0, 0, 1, 1, { -50 })
      scene.stop()
      same()
      local model = ground.component.get("Model")
      local mesh = model.mesh
      scene.play()
      model.material = renderer.material.create {}
      scene.stop()
      assert(model.material == nil and model.mesh == mesh)
      scene.play()
      t.lodFactor = 3
      model.material = renderer.material.create {}
      scene.stop()
      assert(model.material == nil and model.mesh == t:mesh().mesh and t.lodFactor == 0.7)
      scene.play()
      ground:destroy()
      scene.stop()
      same()
      t:heightfield():setHeights(0, 0, 1, 1, { -50 })
      print(t:heightfield():heightAt(-100, -100))`,
      { frames: 1 },
    );
    expect(lines).to.deep.equal(['5.0', '-50.0']);
  });
});
