// What bare ground looks like, from Lua: what the fields do to a picture, what is refused, and that stop puts it back.
import { expect } from 'chai';
import { failureOf, runScene, sharedRuntime } from '../support/lua.js';
import { pixel, type Rgb } from '../support/picture.js';

/** Level ground at Y 0 of a declared reach of -10..40 m, seen from straight above. */
const HEAD =
  'local tex = terrain.to_texture(terrain.map(terrain.noise { width = 16, height = 16, size = { 60, 60 } }, function() return 0 end)); ' +
  'local e = entity.create("land"); local land = e.component.add("Terrain", { texture = tex, heightRange = { -10, 40 } }); ' +
  'camera.main().position = { 0, 40, 0 }; camera.main():lookAt { 0, 0, 0.01 }\n';

/** The middle of the picture after `source`. */
async function seen(source: string): Promise<Rgb> {
  let found: Rgb = [0, 0, 0];
  await runScene(HEAD + source, {
    frames: 1,
    look: async ({ runtime }) => {
      const picture = await runtime.renderer.readPixels();
      let sum = [0, 0, 0];
      for (let y = 8; y < 28; y++)
        for (let x = 16; x < 48; x++) sum = sum.map((part, i) => part + pixel(picture, x, y)[i]);
      found = sum.map((part) => part / 640) as unknown as Rgb;
    },
  });
  return found;
}

const isGreen = ([r, g, b]: Rgb) => g > r && g > 1.2 * b;
const isWhite = ([r, g, b]: Rgb) => Math.min(r, g, b) > 150 && Math.max(r, g, b) - Math.min(r, g, b) < 60;
const isSand = ([r, g, b]: Rgb) => r > g && g > b && r > 1.15 * b && r > 100;

describe('the look of bare ground', () => {
  before(() => sharedRuntime());

  it('is grass on low level ground, snow above snowLine, sand below sandLine', async () => {
    expect(await seen('')).to.satisfy(isGreen);
    expect(await seen('land.snowLine = -6')).to.satisfy(isWhite);
    expect(await seen('land.snowLine = 9')).to.satisfy(isGreen);
    expect(await seen('land.sandLine = 9')).to.satisfy(isSand);
    expect(await seen('land.sandLine = -6')).to.satisfy(isGreen);
    // A line that singles do not reach is above all and below all.
    expect(await seen('land.snowLine = -1e300')).to.satisfy(isWhite);
    expect(await seen('land.snowLine = 1e300')).to.satisfy(isGreen);
  });

  it('goes by the climate, and by what hf:setLook says from the next frame on', async () => {
    expect(await seen('land.climate = "desert"')).to.satisfy(isSand);
    expect(await seen('land.climate = "polar"')).to.satisfy(isWhite);
    expect(await seen('land:heightfield():setLook { climate = "desert" }')).to.satisfy(isSand);
    expect(await seen('land.climate = "polar" land:heightfield():setLook()')).to.satisfy(isGreen);
  });

  it('is what open is told', async () => {
    const open =
      'OPENED = require("~terrainSystem.modules.terrainHeightfield").open(tex, { climate = "polar", snowLine = 7, sandLine = -3 })';
    await runScene(HEAD + open, {
      look: ({ runtime }) => {
        const looks = [...runtime.fields].map(({ look }) => look);
        expect(looks).to.deep.include({ climate: 'polar', snowLine: 7, sandLine: -3 });
      },
    });
  });

  it('changes without a new mesh, and stop puts it back', async () => {
    const { lines } = await runScene(
      HEAD +
        'local mesh = land:mesh().mesh land.climate = "canyon" land.snowLine = 3 print(land:mesh().mesh == mesh)\n' +
        'scene.play() land.climate = "desert" land.snowLine = nil scene.stop() print(land.climate, land.snowLine)',
      {
        frames: 1,
        look: ({ runtime }) => {
          const [hf] = [...runtime.fields];
          expect(hf.look).to.deep.equal({ climate: 'canyon', snowLine: 3, sandLine: undefined });
        },
      },
    );
    expect(lines).to.deep.equal(['true', 'canyon\t3.0']);
  });

  it('is put back by stop where setLook changed it in play', async () => {
    await runScene(HEAD + 'scene.play() land:heightfield():setLook { climate = "polar" } scene.stop()', {
      look: ({ runtime }) => {
        expect([...runtime.fields][0].look.climate).to.equal('temperate');
      },
    });
  });

  for (const [what, source, message] of [
    [
      'a climate that there is none of',
      'land:heightfield():setLook { climate = "tropic" }',
      /2: terrainHeightfield\.setLook: climate must be one of "temperate", "desert", "canyon", "polar", got "tropic"/,
    ],
    ['the same in the component', 'land.climate = "tropic"', /2: .*climate must be one of "temperate"/],
    [
      'a snow line that is no number',
      'land:heightfield():setLook { snowLine = 0 / 0 }',
      /2: terrainHeightfield\.setLook: snowLine must be a finite number, got nan/i,
    ],
    [
      'a misspelt field',
      'land:heightfield():setLook { snowline = 3 }',
      /2: terrainHeightfield\.setLook: there is no field "snowline" \(did you mean "snowLine"\?\)/,
    ],
    [
      'a sand line in open that is a string',
      'require("~terrainSystem.modules.terrainHeightfield").open(tex, { sandLine = "low" })',
      /2: terrainHeightfield\.open: sandLine must be a finite number, got "low"/,
    ],
    [
      'the look of closed ground',
      'local hf = require("~terrainSystem.modules.terrainHeightfield").open(tex) hf:close() hf:setLook {}',
      /2: terrainHeightfield\.setLook: .*closed/,
    ],
  ] as const)
    it(`refuses ${what}`, async () => {
      expect((await failureOf(HEAD + source)).message).to.match(message);
    });
});
