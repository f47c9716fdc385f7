// Scatters from Lua: the fixture's own checks, and what scripts get wrong (failureOf compares what stands before and after).
import { expect } from 'chai';
import { failureOf, runFixture, runScene } from '../support/lua.js';

const HEAD =
  'local heightfield, scatter = require("~terrainSystem.modules.terrainHeightfield"), require("~terrainSystem.modules.scatter"); ' +
  'local hf = heightfield.open(terrain.to_texture(terrain.noise { width = 8, height = 8, size = { 80, 80 } })); ' +
  'local box = renderer.mesh.box {}\n';

/** [what, the scene after HEAD, its message after `scene.lua:`]. */
const CASES: [what: string, source: string, message: RegExp][] = [
  [
    'a negative density',
    'scatter.create(hf, { mesh = box, density = -1 })',
    /^2: scatter\.create: density must be a finite number of at least 0, got -1/,
  ],
  [
    'a density of NaN',
    'scatter.create(hf, { mesh = box, density = 0/0 })',
    /^2: scatter\.create: density must be .*, got NaN/,
  ],
  ['no density', 'scatter.create(hf, { mesh = box })', /^2: scatter\.create: density is missing/],
  [
    'a range the wrong way round',
    'scatter.create(hf, { mesh = box, density = 1, slope = { 30, 10 } })',
    /^2: scatter\.create: slope must be \{ low, high \} with low at most high/,
  ],
  [
    'a range of one',
    'scatter.create(hf, { mesh = box, density = 1, scale = 2 })',
    /^2: scatter\.create: scale must be \{ low, high \}/,
  ],
  [
    'a layer that the ground has not',
    'scatter.create(hf, { mesh = box, density = 1, layer = "moss" })',
    /^2: scatter\.create: layer must be/,
  ],
  [
    'a mesh that is none',
    'scatter.create(hf, { mesh = "none", density = 1 })',
    /^2: scatter\.create: mesh must be the guid of a mesh that exists, got "none"/,
  ],
  [
    'no mesh',
    'scatter.create(hf, { density = 1 })',
    /^2: scatter\.create: mesh must be the guid of a mesh, got nothing/,
  ],
  [
    'too many',
    'scatter.create(hf, { mesh = box, density = 1, max = 50 })',
    /^2: scatter\.create: max must be at least the number of instances, which is 6\d\d\d, got 50/,
  ],
  [
    'a misspelt field',
    'scatter.create(hf, { mesh = box, densty = 1 })',
    /^2: scatter\.create: there is no field "densty" \(did you mean "density"\?\)/,
  ],
  [
    'a rect without a size',
    'scatter.create(hf, { mesh = box, density = 1, rect = {} })',
    /^2: scatter\.create: rect\.size is missing/,
  ],
  [
    'a filter that answers a number',
    'scatter.create(hf, { mesh = box, density = 1, filter = function() return 1 end })',
    /^2: scatter\.create: filter: its answer must be true or false, got 1/,
  ],
  [
    'a filter that fails',
    'scatter.create(hf, { mesh = box, density = 1, filter = function()\nerror("no") end })',
    /^3: no/,
  ],
  [
    'a filter that waits',
    'scatter.create(hf, { mesh = box, density = 1, filter = function() hf:refresh() return true end })',
    /cannot wait|may not wait|wait/,
  ],
  [
    'a filter that edits the ground',
    'local on\nlocal s = scatter.create(hf, { mesh = box, density = 0.1, filter = function() if on then hf:setHeights(0, 0, 1, 1, { 2 }) end return true end })\non = true\nscatter.update(s, { seed = 2 })',
    /^3: terrainHeightfield\.setHeights: filter must not edit the ground/,
  ],
  [
    'an update of a destroyed one',
    'local s = scatter.create(hf, { mesh = box, density = 1 })\nscatter.destroy(s)\nscatter.update(s, {})',
    /^4: scatter\.update: state: this scatter is destroyed/,
  ],
  [
    'the count of one whose ground is closed',
    'local s = scatter.create(hf, { mesh = box, density = 1 })\nhf:close()\nprint(s.count)',
    /^4: scatter: count: this scatter is destroyed/,
  ],
  [
    'an instance past the last',
    'local s = scatter.create(hf, { mesh = box, density = 0 })\ns:instance(1)',
    /^3: scatter\.instance: there are no instances/,
  ],
  [
    'instance 0',
    'local s = scatter.create(hf, { mesh = box, density = 0.1 })\ns:instance(0)',
    /^3: scatter\.instance: i must be an integer in 1\.\.\d+, got 0/,
  ],
  [
    'a closed heightfield',
    'hf:close()\nscatter.create(hf, { mesh = box, density = 1 })',
    /^3: scatter\.create: hf: this heightfield is closed/,
  ],
  [
    'a component’s field out of range',
    'entity.create("a").component.add("Scatter", { mesh = box, align = 2 })',
    /^2: .*align must be .* 0\.\.1, got 2/,
  ],
];

describe('scatter in Lua', function () {
  this.timeout(60_000);

  it('places by rules, follows its ground, and stands on a Terrain as a component', async () => {
    const { lines } = await runFixture('scatter.lua', { frames: 2 });
    expect(lines).to.deep.equal(['done']);
  });

  for (const [what, source, message] of CASES)
    it(`refuses ${what}`, async () => {
      const error = await failureOf(HEAD + source);
      expect(error.message.replace(/^scene\.lua:/, '')).to.match(message);
    });

  it('is told by the first frame that there is no ground for a component, by its entity', async () => {
    const { warnings, lines } = await runScene(
      `${HEAD}local e = entity.create("lonely")\ne.component.add("Scatter", { mesh = box })`,
      { frames: 2 },
    ).catch((error: Error) => ({ warnings: [error.message], lines: [] }));
    expect([...warnings, ...lines].join('\n')).to.match(/there is no ground to stand on/);
  });

  it('belongs to one entity, which has one', async () => {
    const { lines } = await runScene(`${HEAD}
      local function make() return scatter.create(hf, { mesh = box, density = 0.01 }) end
      local a, b, first, second = entity.create("a"), entity.create("b"), make(), make()
      scatter.bind(a.id, first)
      print(pcall(scatter.bind, b.id, first))
      scatter.bind(a.id, second)
      print(pcall(function() return first.count end))
      print(scatter.forEntity(a) == second, scatter.forEntity(b), scatter.unbind(a.id), scatter.unbind(a.id))`);
    expect(lines[0]).to.match(/^false\t.*the scatter belongs to entity \d+ already/);
    expect(lines[1]).to.match(/^false\t.*this scatter is destroyed/);
    expect(lines[2]).to.equal('true\tnil\ttrue\tfalse');
  });

  it('comes back as it was after play, whatever went in it, and from a scene file', async () => {
    const { lines } = await runScene(
      `local hills = terrain.noise { width = 32, height = 32, size = { 100, 100 }, amplitude = 5 }
      texture.write(terrain.to_texture(hills), "scattered.texture")
      local ground, kid = entity.create("ground"), entity.create("kid")
      kid.parent = ground
      ground.component.add("Terrain", { texture = "scattered.texture", maxNodes = 16 })
      local box = renderer.mesh.box {}
      ground.component.add("Scatter", { mesh = box, density = 0.03 })
      kid.component.add("Scatter", { mesh = box, density = 0.1, slope = { 0, 40 }, rect = { size = { 60, 60 } } })
      local function counts()
        local a, b = entity.find("ground").component.get("Scatter"), entity.find("kid").component.get("Scatter")
        return a:count() .. " " .. b:count()
      end
      local before = counts()
      print(before ~= "0 0", #before > 5)
      scene.save("scattered.json")
      scene.play()
      ground:destroy()
      scene.stop()
      print(counts() == before)
      scene.play()
      kid.component.get("Scatter").density = 0.01
      ground.component.get("Terrain"):heightfield():setHeights(0, 0, 1, 1, { 100 })
      scene.stop()
      print(counts() == before)
      scene.play()
      kid.component.remove("Scatter")
      ground.component.remove("Terrain")
      print(ground.component.get("Scatter"):count())
      scene.stop()
      scene.load("scattered.json")
      print(counts() == before)
      local frames = 0
      scene.onUpdate(function()
        frames = frames + 1
        if frames == 2 then print(counts() == before) end
      end)`,
      { frames: 2 },
    );
    expect(lines).to.deep.equal(['true\ttrue', 'true', 'true', '0', 'true', 'true']);
  });
});
