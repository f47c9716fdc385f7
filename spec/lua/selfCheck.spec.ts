import { expect } from 'chai';
import { failureOf, runFixture } from '../support/lua.js';

const OPEN = `local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
  local open = function() return terrainHeightfield.open(terrain.to_texture(terrain.noise { width = 4, height = 4 })) end
  local hf = open() `;

describe('terrainHeightfield.check', () => {
  it('answers a script with pairs, places and lines to print', async () => {
    const { lines } = await runFixture('checkGround.lua');
    expect(lines[0]).to.equal('ground: 40 × 30 texels, 80 × 60 m around 500, -20; seed 4');
    expect(lines[1]).to.match(/^places {12}300 at random, .* at borders of holes, .* drawn vertices$/);
    expect(lines[2]).to.match(
      /^queried\/drawn {5}[\d,]+ heights, [\d,]+ without ground: agree; worst .* m of .* m allowed, at x /,
    );
    expect(lines.at(-1)).to.equal('all agree');
  });

  it('refuses other fields, other types, a closed heightfield and the mesh of another', async () => {
    const says = async (call: string) => (await failureOf(OPEN + call)).message;
    expect(await says('terrainHeightfield.check(hf, nil, { sample = 3 })')).to.contain(
      'terrainHeightfield.check: there is no field "sample" (did you mean "samples"?)',
    );
    expect(await says('terrainHeightfield.check(hf, nil, { samples = "many" })')).to.contain(
      'terrainHeightfield.check: samples must be an integer in 1..1000000, got "many"',
    );
    expect(await says('terrainHeightfield.check(hf, { samples = 3 })')).to.contain(
      'state must be a terrain mesh',
    );
    expect(await says('hf:close() terrainHeightfield.check(hf)')).to.contain('this heightfield is closed');
    const other = `local mesh = require("~terrainSystem.modules.terrainMesh").create(open(), { camera = { 0, 1, 0 } })
      terrainHeightfield.check(hf, mesh)`;
    expect(await says(other)).to.contain('state must be a terrain mesh of this heightfield');
  });
});
