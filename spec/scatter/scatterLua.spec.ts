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
});
