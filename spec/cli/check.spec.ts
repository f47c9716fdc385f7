// `moonscape check`, as a person runs it on a scene of their own.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { at, inFolders, moonscape, PATIENCE_MS, scene } from '../support/command.js';

/** Ground with a mesh; `more` comes after. */
const ground = (more = '') => `
  local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
  local terrainMesh = require("~terrainSystem.modules.terrainMesh")
  local hills = terrain.to_texture(terrain.noise { width = 24, height = 16, size = { 48, 32 }, seed = 3, amplitude = 5 })
  local hf = terrainHeightfield.open(hills)
  local mesh = terrainMesh.create(hf, { camera = { 0, 4, 0 }, nodeVerts = 9, maxNodes = 64 })
  print("made")${more}`;
const check = (path: string, ...options: string[]) =>
  moonscape(['check', path, '--software', '--samples', '200', ...options]);

describe('moonscape check', function () {
  this.timeout(PATIENCE_MS * 2);
  inFolders();

  it('says what it asked of each ground, and ends with 0 where all agree, the same each time', async () => {
    const path = scene(ground());
    const { status, out, err } = await check(path, '--views', '1', '--stats', 'found.json');
    expect({ status, err }).to.deep.equal({ status: 0, err: '' });
    expect(out).to.match(
      /\nmade\nground: 24 × 16 texels, 48 × 32 m around 0, 0; seed 0\nplaces {12}400 at random, /,
    );
    for (const pair of ['queried/drawn', 'queried/collided', 'queried/ray', 'drawn/collided', 'placed/drawn'])
      expect(out).to.match(new RegExp(`\n${pair} +[1-9][\\d,]* heights, .*: agree; worst`));
    expect(out).to.match(/\nall agree\nwrote {4}found\.json\n$/);
    const found = JSON.parse(readFileSync(at('found.json'), 'utf8')) as {
      ok: boolean;
      grounds: { name: string; drawn: boolean; pairs: { compared: number }[] }[];
    };
    expect(found.ok).to.equal(true);
    expect(found.grounds).to.have.length(1);
    expect(found.grounds[0]).to.deep.include({
      drawn: true,
      texels: [24, 16],
      samples: 200,
      seed: 0,
      ok: true,
    });
    expect((await check(path, '--views', '1', '--stats', 'found.json')).out).to.equal(out);
    expect((await check(path, '--views', '1', '--seed', '5')).out).to.not.equal(out);
  });

  it('ends with 1 where they disagree, and says where, however quiet it is to be', async () => {
    // Read again, and not drawn again.
    const path = scene(
      ground(`
      texture.update(hills, { data = function(col, row) return 30, 0, 0, 1 end })
      hf:refresh()`),
    );
    const { status, out, err } = await check(path, '--quiet', '--views', '0');
    expect({ status, out }).to.deep.equal({ status: 1, out: 'made\n' });
    expect(err).to.match(
      /placed\/drawn .*: DISAGREE at [\d,]+ too far apart; worst placed 30 m, drawn .* m at x .*, z .* apart, .* allowed\n/,
    );
    expect(err).to.match(/queried\/collided .*: agree; /);
    expect(err).to.match(/they DISAGREE\n$/);
  });

  it('checks every ground, drawn or not, of a Terrain component too', async () => {
    const path = scene(`
      local noise = terrain.to_texture(terrain.noise { width = 20, height = 20, seed = 1 })
      texture.write(noise, "/zero/source/a.texture")
      entity.create("land").component.add("Terrain", { texture = "/zero/source/a.texture", maxNodes = 64 })
      camera.main().position = { 0, 3, 0 }
      require("~terrainSystem.modules.terrainHeightfield").open(noise, { origin = { 1e5, 0 } })`);
    const { status, out, err } = await check(path, '--views', '0');
    expect({ status, err }).to.deep.equal({ status: 0, err: '' });
    expect(out).to.contain('/zero/source/a.texture: 20 × 20 texels, 20 × 20 m around 0, 0; seed 0');
    expect(out).to.contain('20 × 20 m around 100000, 0; seed 0');
    expect(out).to.contain('queried/drawn     nothing is drawn of it');
    expect(out.match(/all agree/g)).to.have.length(2);
  });

  it('ends with 1 where the script fails or there is no ground, with 2 on wrong usage', async () => {
    const failing = await check(scene('\nerror("no")'));
    expect(failing).to.include({ status: 1 });
    expect(failing.err).to.match(/^scene\.lua:2: no\n/);
    expect(await check(scene('print("bare")'), '--quiet')).to.deep.equal({
      status: 1,
      out: 'bare\n',
      err: 'moonscape check: no heightfield is open at the end of scene.lua\n',
    });
    for (const [args, says] of [
      [['check'], 'check needs the path of a scene: moonscape check SCENE.lua'],
      [['check', 'scene.lua', '--samples', '0'], '--samples must be a whole number in 1..1000000, got "0"'],
      [['check', 'scene.lua', '--seed', '4294967296'], '--seed must be a whole number in 0..4294967295'],
      [['check', 'scene.lua', '--out', 'x.png'], 'check has no option --out; it has --samples, --seed,'],
      [['check', 'none.lua'], 'the scene none.lua cannot be read: ENOENT'],
      [['chekc', 'scene.lua'], 'there is no command "chekc" (did you mean check?)'],
    ] as [string[], string][]) {
      const { status, err } = await moonscape(args);
      expect(err).to.contain(`moonscape: ${says}`);
      expect(status).to.equal(2);
    }
  });
});
