import { expect } from 'chai';
import { formatTerrainData, parseTerrainData, type TerrainData } from '../../runtime/terrain/terrainData.js';

const PATH = 'source/dunes.terrainData';
const GUID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const whole: TerrainData = {
  version: 1,
  guid: GUID,
  size: [4000, 2500.5],
  origin: [-10, 0],
  heightRange: [-3, 812.25],
  heightfield: '/zero/source/dunes.texture',
  holes: GUID,
};
const parse = (json: unknown) =>
  parseTerrainData(new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json)), PATH);
const without = (part: string) => Object.fromEntries(Object.entries(whole).filter(([name]) => name !== part));

describe('.terrainData', () => {
  it('goes out and in unchanged, with its water and layers', () => {
    const data = { ...whole, water: '/zero/source/lake.texture', layers: [{ name: 'grass' }] };
    expect(parseTerrainData(formatTerrainData(data), PATH)).to.deep.equal(data);
    expect(parseTerrainData(formatTerrainData(whole), PATH)).to.deep.equal(whole);
    expect(new TextDecoder().decode(formatTerrainData(whole))).to.match(/^\{\n {2}"version": 1,\n {2}"guid"/);
  });

  it('names each missing part, and the holes need not be there', () => {
    for (const part of ['version', 'guid', 'size', 'origin', 'heightRange', 'heightfield']) {
      expect(() => parse(without(part)), part).to.throw(
        new RegExp(`source/dunes\\.terrainData: ${part} must be .*, got nothing`),
      );
    }
    expect(parse(without('holes'))).to.not.have.property('holes');
  });

  it('names a later version before anything else', () => {
    expect(() => parse({ version: 2 })).to.throw(
      'version must be 1, the latest that this Moonscape reads, got 2',
    );
    expect(() => parse({ ...whole, version: '1' })).to.throw('version must be 1, got "1"');
  });

  it('names broken JSON, an empty file and wrong values', () => {
    expect(() => parse('{ "version": 1,')).to.throw(
      /source\/dunes\.terrainData must be a \.terrainData in JSON, but /,
    );
    expect(() => parse('')).to.throw('but it is empty');
    expect(() => parse('[1]')).to.throw('must hold a JSON object, got { 1 }');
    expect(() => parse({ ...whole, size: [0, 1] })).to.throw(
      'size width must be a finite number above 0, got 0',
    );
    expect(() => parse({ ...whole, size: [1] })).to.throw('size must be a list of two numbers of metres');
    expect(() => parse({ ...whole, origin: [1, null] })).to.throw(
      'origin z must be a finite number, got nothing',
    );
    expect(() => parse({ ...whole, heightRange: [5, 4] })).to.throw(
      'heightRange high must be a finite number of at least 5',
    );
    expect(() => parse({ ...whole, heightfield: '' })).to.throw(
      'heightfield must be the path or guid of a texture, got ""',
    );
    for (const water of ['', 5, { level: 3 }, null])
      expect(() => parse({ ...whole, water })).to.throw(
        /source\/dunes\.terrainData: water must be the path or guid of a texture, got /,
      );
    expect(() => formatTerrainData({ ...whole, size: [NaN, 1] })).to.throw(
      'terrain.write: size width must be',
    );
  });
});
