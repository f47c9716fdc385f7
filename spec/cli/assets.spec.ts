// `moonscape assets`, as a person runs it: the list that a page finds guids by.
import { expect } from 'chai';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { Texture } from '../../runtime/texture/texture.js';
import { at, inFolders, moonscape, PATIENCE_MS, put, run, scene } from '../support/command.js';

const GUID = 'aaaaaaaa-8b86-4d01-b42d-00cf4fc964ff';
const texture = (guid: string) =>
  writeTexture(Texture.create({ width: 1, height: 1, format: 'r8', data: [1] }), guid);

describe('moonscape assets', function () {
  this.timeout(PATIENCE_MS * 2);
  inFolders();

  it('lists what a scene wrote, so that the next scene needs no more than the guid', async () => {
    const write = `
      local ground = terrain.to_texture(terrain.noise { width = 4, height = 4, size = { 8, 8 } })
      texture.write(ground, "/zero/source/hills.texture")
      print("made " .. ground.guid)`;
    const made = await run(scene(write), '--quiet');
    const guid = /made (\S+)/.exec(made.out)![1];
    const listed = await moonscape(['assets']);
    expect(listed).to.deep.equal({
      status: 0,
      out: `${guid}  /zero/source/hills.texture\nwrote    assets.json: 1 asset\n`,
      err: '',
    });
    expect(JSON.parse(readFileSync(at('assets.json'), 'utf8'))).to.deep.equal({
      [guid]: '/zero/source/hills.texture',
    });
    const read = `
      local open = require("~terrainSystem.modules.terrainHeightfield").open
      print("width " .. open("${guid}").width)`;
    expect((await run(scene(read), '--quiet')).out).to.contain('width 4');
  });

  it('takes a folder, says nothing if it is asked to, and makes an empty list of nothing', async () => {
    put('there/source/a.texture', texture(GUID));
    expect(await moonscape(['assets', '--project', 'there', '--quiet'])).to.deep.equal({
      status: 0,
      out: '',
      err: '',
    });
    expect(readdirSync(at('there')).sort()).to.deep.equal(['assets.json', 'source']);
    expect((await moonscape(['assets'])).out).to.equal('wrote    assets.json: 0 assets\n');
    expect(readFileSync(at('assets.json'), 'utf8')).to.equal('{}\n');
  });

  it('ends with 1 and leaves the old list where a file cannot be read or two have one guid, naming each', async () => {
    put('assets.json', '{}\n');
    put('source/a.texture', texture(GUID));
    put('source/b.texture', texture(GUID));
    put('source/c.texture', texture(GUID).subarray(0, 100));
    const { status, out, err } = await moonscape(['assets']);
    expect({ status, out }).to.deep.equal({ status: 1, out: '' });
    expect(err).to.contain(
      `the guid ${GUID} must be that of one file, got /zero/source/a.texture and /zero/source/b.texture`,
    );
    expect(err).to.contain('moonscape assets: /zero/source/c.texture is cut short');
    expect(readFileSync(at('assets.json'), 'utf8')).to.equal('{}\n');
  });

  it('lists nothing that a link leads to out of the project', async () => {
    put('outside/a.texture', texture(GUID));
    put('project/source/notes.txt', 'x');
    symlinkSync(at('outside'), at('project/source/link'));
    symlinkSync(at('outside/a.texture'), at('project/source/a.texture'));
    expect((await moonscape(['assets', '--project', 'project'])).out).to.contain('assets.json: 0 assets');
    expect(existsSync(at('outside/assets.json'))).to.equal(false);
  });
});
