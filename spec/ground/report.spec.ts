import { expect } from 'chai';
import { fromTexture, type FromTextureOptions } from '../../runtime/terrain/fromTexture.js';
import { scale } from '../../runtime/terrain/groundVerbs.js';
import { noise } from '../../runtime/terrain/noise.js';
import { Texture, type TextureFormat } from '../../runtime/texture/texture.js';

/** Smooth hills in 0..1, from noise. */
const hills = noise({ width: 64, height: 64, seed: 3, octaves: 2, frequency: 2 });
const hill = (col: number, row: number) => (hills.heights[row * 64 + col] + 1) / 2;

const read = (
  format: TextureFormat,
  data: (col: number, row: number) => number | number[],
  options: FromTextureOptions,
) => fromTexture(Texture.create({ width: 64, height: 64, format, data }), options).report;
const gray = (range: [number, number], size?: [number, number]): FromTextureOptions => ({
  encoding: 'gray',
  range,
  size,
});

describe('ground.report', () => {
  it('states source, depth, levels, reach and nodata in plain lines', () => {
    const tex = Texture.create({ width: 3, height: 2, format: 'r16', data: [5, 6, 6, 9, 65535, 5] });
    tex.path = 'source/x.png';
    const { report } = fromTexture(tex, { encoding: 'metres', nodata: 65535, size: [30, 10] });
    expect(report).to.include({
      encoding: 'metres',
      bitDepth: 16,
      distinctLevels: 3,
      min: 5,
      max: 9,
      nodata: 1,
    });
    expect(report.lines()).to.deep.equal([
      'source/x.png: r16, read as metres',
      '3×2 texels over 30×10 m (10×5 m a texel)',
      'heights 5..9 m, 3 distinct levels, 16 bits',
      '1 of 6 texels without data',
    ]);
  });

  it('counts a border of zeros, and warns where the ground beside it never comes to zero', () => {
    const framed = (col: number, row: number) =>
      col < 2 || row < 1 || col > 60 ? 0 : 100 + Math.round(100 * hill(col, row));
    const report = read('r16', framed, { encoding: 'metres' });
    expect(report.zeroBorder).to.deep.equal({ left: 2, right: 3, top: 1, bottom: 0 });
    expect(report.warnings.join()).to.match(
      /a border of zeros \(2 columns left, 3 columns right, 1 row top\)/,
    );
    const sea = (col: number, row: number) =>
      Math.max(0, Math.round(400 * hill(col, row) - 10 * Math.max(0, 40 - row)));
    expect(read('r16', sea, { encoding: 'metres' }).zeroBorder.top).to.be.above(0);
    expect(read('r16', sea, { encoding: 'metres' }).warnings).to.deep.equal([]);
    expect(read('r16', () => 0, { encoding: 'metres' }).zeroBorder).to.deep.equal({
      left: 0,
      right: 0,
      top: 0,
      bottom: 0,
    });
  });

  it('warns of terraces where 8 bits are too few, and only there', () => {
    const eight = (col: number, row: number) => Math.round(100 + 40 * hill(col, row));
    expect(read('r8', eight, gray([0, 200])).warnings.join()).to.match(
      /8 bits make steps of 0\.784 m over texels of 1 m/,
    );
    expect(read('r8', eight, gray([0, 200], [2000, 2000])).warnings).to.deep.equal([]);
    const sixteen = (col: number, row: number) => Math.round(65535 * hill(col, row));
    expect(read('r16', sixteen, gray([0, 200])).warnings).to.deep.equal([]);
  });

  it('warns of 16 bits that hold 8', () => {
    const eight = (col: number, row: number) => Math.round(255 * hill(col, row));
    expect(read('r16', eight, gray([0, 200])).warnings.join()).to.match(
      /16-bit file whose numbers all fit 8 bits \(\d+\.\.\d+\)/,
    );
    expect(read('r16', (c, r) => 257 * eight(c, r), gray([0, 200])).warnings.join()).to.match(
      /widened from 8 bits/,
    );
    expect(read('r16', (c, r) => 256 * eight(c, r), gray([0, 200])).warnings.join()).to.match(
      /widened from 8 bits/,
    );
  });

  it('warns of pictures that are no ground', () => {
    const tile = (c: number, r: number) => {
      const number = Math.round((2000 * hill(c, r) + 10000) * 10);
      return [number >> 16, (number >> 8) & 255, number & 255, 255];
    };
    expect(read('rgba8', tile, { encoding: 'mapbox' }).warnings).to.deep.equal([]);
    const swapped = (c: number, r: number) => [tile(c, r)[0], tile(c, r)[2], tile(c, r)[1], 255];
    expect(read('rgba8', swapped, { encoding: 'mapbox' }).warnings.join()).to.match(
      /jump from texel to texel like noise/,
    );
    const grey = (c: number, r: number) => [...new Array(3).fill(Math.round(255 * hill(c, r))), 255];
    expect(read('rgba8', grey, { encoding: 'terrarium' }).warnings.join()).to.match(
      /three channels are equal.*"gray"/,
    );
    const photo = (c: number, r: number) => [(c * 41) % 256, (r * 97) % 256, (c * r) % 256, 255];
    expect(read('rgba8', photo, gray([0, 9])).warnings.join()).to.match(
      /takes only the first of its three channels, and they differ/,
    );
  });

  it('keeps the warnings of what a ground was made from', () => {
    const eight = (col: number, row: number) => Math.round(100 + 40 * hill(col, row));
    const tex = Texture.create({ width: 64, height: 64, format: 'r8', data: eight });
    const ground = scale(fromTexture(tex, gray([0, 200])), 2);
    expect(ground.report).to.include({ source: 'terrain.scale', encoding: 'metres', bitDepth: 32 });
    expect(ground.report.warnings).to.have.length(1);
  });
});
