// What the playground's editor suggests, from the definitions that ship: held to what scripts really see.
import { expect } from 'chai';
import { allMembers, suggest } from '../../playground/completion.js';
import { readApi } from '../../playground/luaCats.js';
import { librarySources } from '../../scripts/playgroundFiles.js';

const api = readApi(librarySources());
const at = (text: string): string[] => (suggest(api, text)?.list ?? []).map(({ label }) => label);
const HF =
  'local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")\nlocal hf = terrainHeightfield.open("a.terrainData")\n';

describe('playground: completion', () => {
  it('knows every global, every module and their functions', () => {
    expect(Object.keys(api.globals)).to.include.members([
      ...['asset', 'texture', 'terrain', 'entity', 'ecs', 'component', 'renderer', 'physics', 'scene'],
      ...['camera', 'input'],
    ]);
    expect(Object.keys(api.modules)).to.include.members([
      '~terrainSystem.modules.terrainHeightfield',
      '~terrainSystem.modules.terrainMesh',
      '~terrainSystem.modules.quadtree',
    ]);
    for (const [global, type] of Object.entries(api.globals))
      expect(allMembers(api, type).length, global).to.be.above(0);
  });

  it('suggests what a global has, with parameters, result and words', () => {
    const list = suggest(api, 'local g = terrain.no')!;
    expect(list.from).to.equal('local g = terrain.'.length);
    const noise = list.list.find(({ label }) => label === 'noise')!;
    expect(noise).to.include({ type: 'function', detail: '(options): Ground' });
    expect(noise.info).to.be.a('string').and.not.equal('');
    expect(at('camera.')).to.have.members(['main', 'pick', 'setControls', 'getControls']);
    expect(at('math.fl')).to.include('floor');
  });

  it('follows what a local is: a module, what a function answers, a component by its name', () => {
    expect(at('local hf = require("~terrainSystem.modules.terrainHeightfield")\nhf.op')).to.include('open');
    expect(at(`${HF}hf:`))
      .to.include.members(['heightAt', 'setHeights'])
      .and.not.include('width');
    expect(at(`${HF}hf.`))
      .to.include('width')
      .and.not.include('heightAt');
    expect(at('camera.main():')).to.include('lookAt');
    expect(at('local view = camera.main()\nview:look')).to.include('lookAt');
    expect(at('local e = entity.create("a", { position = { 0, 0, 0 } })\ne.component.')).to.include('add');
    expect(at('local t = entity.create().component.add("Terrain", { texture = x })\nt:')).to.include(
      'heightfield',
    );
    expect(at('local a = texture.load("x.png")\nlocal b = a\nb.')).to.include('width');
  });

  it('suggests the fields of an option table, also over several lines', () => {
    expect(at('terrain.noise { ')).to.include.members(['width', 'seed', 'octaves']);
    expect(at('terrain.noise {\n  width = 3,\n  height = math.floor(2), see')).to.include('seed');
    expect(at('terrain.from_texture(tex, { enc')).to.include('encoding');
    const e = 'local e = entity.create()\n';
    expect(at(`${e}e.component.add("Terrain", { lod`)).to.include.members(['lodFactor', 'climate']);
    expect(suggest(api, 'terrain.noise { wid')!.list[0].apply).to.match(/ = $/);
    expect(at('local t = { wid')).to.not.include('width');
  });

  it('suggests what a string may be', () => {
    expect(at('camera.setControls("')).to.deep.equal(['none', 'orbit', 'fly', 'map']);
    expect(at('texture.create { width = 1, height = 1, format = "r')).to.include('rgba32f');
    expect(at('local m = require("~')).to.include('~terrainSystem.modules.terrainMesh');
    expect(at('local e = entity.create()\ne.component.add("')).to.include.members([
      'Terrain',
      'Light',
      'RigidBody',
    ]);
    expect(at('print("terrain.')).to.deep.equal([]);
  });

  it('suggests the names of the script, globals and words, and nothing in a comment', () => {
    const names = at('local size, count = 3, 4\nfunction grow(amount) for i = 1, 3 do s');
    expect(names).to.include.members([
      'size',
      'count',
      'grow',
      'amount',
      'i',
      'terrain',
      'string',
      'while',
      'print',
    ]);
    expect(suggest(api, '-- terrain.')).to.equal(null);
    expect(suggest(api, 'local x = 1 -- x.')).to.equal(null);
    expect(suggest(api, 'local x = 12')).to.equal(null);
  });

  it('takes any text without a fault and in no time', () => {
    const hard = `${'f(a, { b = '.repeat(300)}terrain.noise { `;
    const start = performance.now();
    for (let i = 0; i < hard.length; i += 97) suggest(api, hard.slice(0, i));
    suggest(api, `${'a.'.repeat(5000)}`);
    suggest(api, `local a = ${'b('.repeat(2000)}\na.`);
    suggest(api, 'local a = a\na.');
    expect(performance.now() - start).to.be.below(3000);
  });
});
