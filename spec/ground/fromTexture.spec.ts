import { expect } from 'chai';
import fc from 'fast-check';
import { fromTexture, type FromTextureOptions } from '../../runtime/terrain/fromTexture.js';
import { Texture, type TextureFormat } from '../../runtime/texture/texture.js';
import { decodePng } from '../../runtime/texture/png.js';
import { makePng } from '../texture/pngEncoder.js';

const texture = (format: TextureFormat, width: number, data: number[]) => {
  const channels = { r: 1, rg: 2, rgba: 4 }[format.replace(/\d.*/, '') as 'r'];
  return Texture.create({ width, height: data.length / channels / width, format, data });
};
const heights = (tex: Texture, options: FromTextureOptions = {}) =>
  Array.from(fromTexture(tex, options).heights);
const refused = (tex: Texture, options: object, message: string | RegExp) =>
  expect(() => fromTexture(tex, options)).to.throw(message);

describe('terrain.from_texture', () => {
  describe('encodings', () => {
    it('metres are the numbers themselves, the default of floats', () => {
      expect(heights(texture('r32f', 3, [-4.5, 0, 8848.25]))).to.deep.equal([-4.5, 0, 8848.25]);
      expect(heights(texture('r16', 2, [300, 65535]), { encoding: 'metres' })).to.deep.equal([300, 65535]);
      expect(heights(texture('rgba32f', 1, [7, 1, 2, 1]))).to.deep.equal([7]);
    });

    it('gray spreads 0..the greatest number over the range, exact at both ends', () => {
      const range: [number, number] = [-11.3, 977.7];
      for (const [format, maximum] of [
        ['r8', 255],
        ['r16', 65535],
      ] as const) {
        const [low, middle, high] = heights(texture(format, 3, [0, (maximum - 1) / 2, maximum]), {
          encoding: 'gray',
          range,
        });
        expect(low).to.equal(Math.fround(-11.3));
        expect(high).to.equal(Math.fround(977.7));
        expect(middle).to.be.closeTo(483.2, 2);
      }
    });

    it('gray of a file of 1, 2 or 4 bits takes its own greatest number as white', () => {
      for (const depth of [1, 2, 4] as const) {
        const file = makePng({ width: 2, height: 1, depth, colourType: 0, samples: [0, 2 ** depth - 1] });
        expect(heights(decodePng(file, 'x.png'), { encoding: 'gray', range: [5, 50] })).to.deep.equal([
          5, 50,
        ]);
      }
    });

    it('rgb24, mapbox and terrarium take three channels as their formulas say', () => {
      const texels = texture('rgba8', 2, [0, 0, 0, 255, 255, 255, 255, 255]);
      expect(heights(texels, { encoding: 'rgb24', range: [-10, 30] })).to.deep.equal([-10, 30]);
      const tile = texture('rgba8', 1, [1, 134, 168, 255]);
      expect(heights(tile, { encoding: 'mapbox' })).to.deep.equal([Math.fround(0.8)]);
      expect(heights(texture('rgba8', 1, [135, 4, 32, 255]), { encoding: 'terrarium' })).to.deep.equal([
        1796.125,
      ]);
    });

    it('channel picks one, by letter or by number from 1', () => {
      const tex = texture('rgba16', 1, [1, 2, 3, 4]);
      for (const [channel, height] of [
        ['r', 1],
        ['b', 3],
        ['a', 4],
        [1, 1],
        [4, 4],
      ] as const) {
        expect(heights(tex, { encoding: 'metres', channel })).to.deep.equal([height]);
      }
    });
  });

  describe('size', () => {
    it('is one metre a texel, what the texture records, or what the caller says', () => {
      const tex = texture('r32f', 3, [1, 2, 3, 4, 5, 6]);
      expect(fromTexture(tex).size).to.deep.equal({ width: 3, depth: 2 });
      tex.size = [30, 40];
      expect(fromTexture(tex).size).to.deep.equal({ width: 30, depth: 40 });
      expect(fromTexture(tex, { size: [5, 6.5] }).size).to.deep.equal({ width: 5, depth: 6.5 });
    });
  });

  describe('texels without data', () => {
    it('have coverage 0 and the height of their nearest neighbour', () => {
      const ground = fromTexture(texture('r16', 4, [9, 0, 0, 7]), { encoding: 'metres', nodata: 0 });
      expect(Array.from(ground.heights)).to.deep.equal([9, 9, 7, 7]);
      expect(Array.from(ground.coverage!)).to.deep.equal([1, 0, 0, 1]);
      expect(ground.report).to.include({ nodata: 2, min: 7, max: 9, distinctLevels: 2 });
    });

    it('are those of alpha 0, in rg, rgba and colour-keyed files', () => {
      const covered = (tex: Texture, options: FromTextureOptions = { encoding: 'metres' }) =>
        Array.from(fromTexture(tex, options).coverage ?? [1, 1]);
      expect(covered(texture('rg8', 2, [5, 0, 6, 1]))).to.deep.equal([0, 1]);
      expect(covered(texture('rgba32f', 2, [5, 0, 0, 1, 6, 0, 0, 0]))).to.deep.equal([1, 0]);
      expect(covered(texture('rgba8', 2, [5, 0, 0, 0, 6, 0, 0, 9]), { encoding: 'mapbox' })).to.deep.equal([
        0, 1,
      ]);
      // The channel that is read is no alpha.
      expect(covered(texture('rg8', 2, [5, 0, 6, 1]), { encoding: 'metres', channel: 'g' })).to.deep.equal([
        1, 1,
      ]);
      const keyed = makePng({
        width: 2,
        height: 1,
        depth: 16,
        colourType: 0,
        samples: [700, 3],
        transparency: [2, 188],
      });
      expect(covered(decodePng(keyed, 'k.png'))).to.deep.equal([0, 1]);
    });

    it('may be several numbers, NaN, and heights of the encoded tiles', () => {
      const covered = (tex: Texture, options: FromTextureOptions) =>
        Array.from(fromTexture(tex, options).coverage!);
      expect(covered(texture('r32f', 3, [-9999, NaN, 4]), { nodata: [-9999, NaN] })).to.deep.equal([0, 0, 1]);
      expect(covered(texture('r32f', 2, [-3.4e38, 4]), { nodata: -3.4e38 })).to.deep.equal([0, 1]);
      expect(covered(texture('r32f', 2, [-0, 4]), { nodata: 0 })).to.deep.equal([0, 1]);
      const tile = texture('rgba8', 2, [0, 0, 0, 255, 1, 134, 168, 255]);
      expect(covered(tile, { encoding: 'mapbox', nodata: -10000 })).to.deep.equal([0, 1]);
    });

    it('take the height of a texel than which none with data is nearer, by brute force', () => {
      const any = fc.tuple(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.boolean(), { minLength: 1, maxLength: 80 }),
        fc.constantFrom<[number, number]>([1, 1], [3, 1], [0.37, 1.9]),
      );
      fc.assert(
        fc.property(any, ([width, flags, [texelX, texelZ]]) => {
          const rows = Math.max(1, Math.floor(flags.length / width));
          const missing = (i: number) => flags[i] ?? false;
          fc.pre(Array.from({ length: width * rows }, (_, i) => missing(i)).includes(false));
          // Every height tells which texel it is of.
          const tex = texture(
            'r32f',
            width,
            Array.from({ length: width * rows }, (_, i) => (missing(i) ? -1 : i)),
          );
          const ground = fromTexture(tex, { nodata: -1, size: [width * texelX, rows * texelZ] });
          const distance = (i: number, j: number) =>
            Math.hypot(
              ((i % width) - (j % width)) * texelX,
              (Math.floor(i / width) - Math.floor(j / width)) * texelZ,
            );
          ground.heights.forEach((from, i) => {
            expect(missing(from)).to.equal(false);
            for (let j = 0; j < width * rows; j++) {
              if (!missing(j)) expect(distance(i, from)).to.be.at.most(distance(i, j) * (1 + 1e-12));
            }
          });
        }),
        { numRuns: 200 },
      );
    });
  });

  describe('refuses', () => {
    const r8 = texture('r8', 2, [1, 2]);
    const rgba8 = texture('rgba8', 1, [1, 2, 3, 4]);

    it('a whole-number format without an encoding, and encodings that do not fit', () => {
      refused(
        r8,
        {},
        /encoding must be given for a texture of whole numbers \(r8\), got nothing; it is one of "metres", "gray"/,
      );
      refused(
        r8,
        { encoding: 'grey' },
        'encoding must be one of "metres", "gray", "rgb24", "mapbox", "terrarium", got "grey"',
      );
      refused(r8, { encoding: 'mapbox' }, 'encoding "mapbox" needs three channels (r, g, b), got one (r8)');
      refused(
        texture('rg8', 1, [1, 2]),
        { encoding: 'rgb24', range: [0, 1] },
        'needs three channels (r, g, b), got two (rg8)',
      );
      refused(
        texture('rgba16', 1, [1, 2, 3, 4]),
        { encoding: 'terrarium' },
        'needs channels of 8 bits (rgba8), got rgba16',
      );
      refused(
        texture('r32f', 1, [1]),
        { encoding: 'gray', range: [0, 1] },
        'encoding must be "metres" for r32f',
      );
    });

    it('a missing or wrong range, channel, size and nodata', () => {
      refused(
        r8,
        { encoding: 'gray' },
        'range must be { low, high } in metres with encoding "gray", got nothing',
      );
      refused(rgba8, { encoding: 'rgb24' }, 'range must be { low, high } in metres with encoding "rgb24"');
      refused(r8, { encoding: 'gray', range: [5, 5] }, 'range high must be a finite number above 5, got 5');
      refused(r8, { encoding: 'gray', range: [NaN, 5] }, 'range low must be a finite number, got NaN');
      refused(rgba8, { encoding: 'mapbox', range: [0, 1] }, 'range must be left out with encoding "mapbox"');
      refused(rgba8, { encoding: 'mapbox', channel: 'g' }, 'channel must be left out with encoding "mapbox"');
      refused(
        r8,
        { encoding: 'metres', channel: 'g' },
        'channel must be one of r, or its number in 1..1, got "g"',
      );
      refused(
        rgba8,
        { encoding: 'metres', channel: 0 },
        'channel must be one of r, g, b, a, or its number in 1..4, got 0',
      );
      for (const side of [0, -3, NaN, Infinity]) {
        refused(r8, { encoding: 'metres', size: [side, 1] }, /size width must be a finite number above 0/);
      }
      refused(
        r8,
        { encoding: 'metres', size: 4 },
        'size must be two lengths { width, depth } in metres, got 4',
      );
      refused(
        r8,
        { encoding: 'metres', nodata: 'none' },
        'nodata must be a number or a list of numbers, got "none"',
      );
      refused(r8, { encodng: 'metres' }, 'there is no field "encodng" (did you mean "encoding"?)');
      refused({} as Texture, {}, 'the first argument must be a texture');
    });

    it('heights that are not finite, with their count and the first place', () => {
      const tex = texture('r32f', 2, [1, 2, 3, NaN, Infinity, 6]);
      refused(
        tex,
        {},
        'heights must be finite numbers, got NaN at column 1, row 1 (2 such texels); say nodata = 0/0',
      );
    });

    it('ground without any data, and a destroyed texture', () => {
      refused(
        texture('rg8', 2, [1, 0, 2, 0]),
        { encoding: 'metres' },
        'at least one texel must have data, got none (all 2',
      );
      const gone = texture('r32f', 1, [1]);
      gone.destroy();
      refused(gone, {}, 'is destroyed');
    });
  });
});
