// Real files, whose right values two other decoders agree on (truth.json), and the source that ships with the examples.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { fromTexture, type FromTextureOptions } from '../../runtime/terrain/fromTexture.js';
import { decodePng } from '../../runtime/texture/png.js';
import { hashOf } from './grounds.js';

const DATA = new URL('../../../shared/data/', import.meta.url);
/** truth.json rounds to six decimals. */
const ROUNDING = 1e-6;

interface Truth {
  path: string;
  width: number;
  height: number;
  stats: { min: number; max: number; mean: number };
  samples: Record<string, { x: number; y: number; h: number }>;
  decoded_f32le_sha256: string;
}

const READ_AS: [path: string, options: FromTextureOptions][] = [
  ['earth_topology_2048x1024_gray8.png', { encoding: 'gray', range: [0, 255] }],
  ['panda_1024_gray16.png', { encoding: 'gray', range: [0, 65535] }],
  ['panda_1024_gray16.png', { encoding: 'metres' }],
  ['sanfrancisco_512_terrainrgb.png', { encoding: 'mapbox' }],
  ['grandcanyon_256_terrarium.png', { encoding: 'terrarium' }],
];

const readFile = (path: string) => decodePng(new Uint8Array(readFileSync(new URL(path, DATA))), path);

describe('real elevation files', () => {
  before(function () {
    if (existsSync(new URL('truth.json', DATA))) return;
    console.log(`      skipped: there is no ${DATA.pathname}, where the real files lie`);
    this.skip();
  });

  for (const [path, options] of READ_AS) {
    it(`${path}, read as ${options.encoding}, has the heights that truth.json says, and no warning`, () => {
      const { files } = JSON.parse(readFileSync(new URL('truth.json', DATA), 'utf8')) as { files: Truth[] };
      const truth = files.find((file) => file.path === path)!;
      const ground = fromTexture(readFile(path), options);
      const { width, height, heights, report } = ground;
      expect([width, height]).to.deep.equal([truth.width, truth.height]);
      expect(report.min).to.be.closeTo(truth.stats.min, ROUNDING);
      expect(report.max).to.be.closeTo(truth.stats.max, ROUNDING * 1e3);
      const mean = heights.reduce((sum, h) => sum + h, 0) / heights.length;
      expect(mean).to.be.closeTo(truth.stats.mean, 1e-5 * Math.max(1, truth.stats.mean));
      for (const { x, y, h } of Object.values(truth.samples)) {
        expect(heights[y * width + x]).to.be.closeTo(h, 1e-6 * Math.max(1, Math.abs(h)));
      }
      expect(hashOf(ground)).to.equal(truth.decoded_f32le_sha256);
      expect(report.nodata).to.equal(0);
      expect(report.warnings).to.deep.equal([]);
    });
  }

  it('say so when a Terrarium tile is read as Mapbox, the reverse, or in grey', () => {
    const warnings = (path: string, options: FromTextureOptions) =>
      fromTexture(readFile(path), options).report.warnings.join('\n');
    expect(warnings('grandcanyon_256_terrarium.png', { encoding: 'mapbox' })).to.match(
      /where no ground is; encoding "terrarium" would give 715\.168\.\.2488\.953 m, which looks right/,
    );
    expect(warnings('sanfrancisco_512_terrainrgb.png', { encoding: 'terrarium' })).to.match(
      /encoding "mapbox" would give 0\.4\.\.114\.9 m/,
    );
    expect(warnings('grandcanyon_256_terrarium.png', { encoding: 'gray', range: [0, 1] })).to.match(
      /takes only the first of its three channels; encoding "terrarium"/,
    );
  });
});

describe('examples/source/maunga-whau.png', () => {
  it('gives the whole metres of the data set back exactly', () => {
    const require = createRequire(import.meta.url);
    const folder = require.resolve('vega-datasets').replace(/vega-datasets\/.*/, 'vega-datasets/');
    const { values } = JSON.parse(readFileSync(`${folder}data/volcano.json`, 'utf8')) as { values: number[] };
    const file = readFileSync(new URL('../../examples/source/maunga-whau.png', import.meta.url));
    const texture = decodePng(new Uint8Array(file), 'maunga-whau.png');
    const ground = fromTexture(texture, { encoding: 'gray', range: [0, 218.45], size: [870, 610] });
    expect([ground.width, ground.height]).to.deep.equal([87, 61]);
    expect(Array.from(ground.heights)).to.deep.equal(values);
    expect(ground.report).to.include({ bitDepth: 16, distinctLevels: 102, min: 94, max: 195 });
    expect(ground.report.warnings).to.deep.equal([]);
  });
});
