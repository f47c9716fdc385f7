import { expect } from 'chai';
import fc from 'fast-check';
import { fromTexture } from '../../runtime/terrain/fromTexture.js';
import { noise } from '../../runtime/terrain/noise.js';
import { resample } from '../../runtime/terrain/resample.js';
import { Texture } from '../../runtime/texture/texture.js';
import { anyGround, groundOf, hashOf, plane } from './grounds.js';

/** The place of result texel `i` of `to` among the centres of `from` texels, clamped to the outermost ones. */
const placeOf = (i: number, from: number, to: number) =>
  Math.min(from - 1, Math.max(0, ((i + 0.5) * from) / to - 0.5));
/** Where a place falls on a centre only by rounding, both neighbours count. */
const SLACK = 1e-9;

const anySides = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }));

describe('terrain.resample', () => {
  for (const smooth of [true, false]) {
    it(`never passes the four heights around a place (smooth = ${smooth})`, () => {
      fc.assert(
        fc.property(anyGround(9), anySides, (ground, [width, height]) => {
          const result = resample(ground, { width, height, smooth });
          result.heights.forEach((h, i) => {
            const x = placeOf(i % width, ground.width, width);
            const z = placeOf(Math.floor(i / width), ground.height, height);
            const around: number[] = [];
            for (let row = Math.floor(z - SLACK); row <= Math.ceil(z + SLACK); row++) {
              for (let col = Math.floor(x - SLACK); col <= Math.ceil(x + SLACK); col++) {
                const inside = row >= 0 && col >= 0 && row < ground.height && col < ground.width;
                if (inside) around.push(ground.heights[row * ground.width + col]);
              }
            }
            expect(h).to.be.within(Math.min(...around), Math.max(...around));
          });
        }),
        { numRuns: 150 },
      );
    });

    it(`gives the same heights at the same texels (smooth = ${smooth})`, () => {
      fc.assert(
        fc.property(anyGround(12), (ground) => {
          const { width, height, heights } = ground;
          expect(Array.from(resample(ground, { width, height, smooth }).heights)).to.deep.equal(
            Array.from(heights),
          );
        }),
        { numRuns: 60 },
      );
    });

    it(`keeps a plane a plane between the outermost centres, and level past them (smooth = ${smooth})`, () => {
      const ground = plane(13, 8, [260, 80], [100, 0.5, -1.25]);
      const [width, height] = [57, 64];
      const { heights, size } = resample(ground, { width, height, smooth });
      expect(size).to.deep.equal({ width: 260, depth: 80 });
      heights.forEach((h, i) => {
        const x = (placeOf(i % width, 13, width) + 0.5) * 20;
        const z = (placeOf(Math.floor(i / width), 8, height) + 0.5) * 10;
        // Float32 heights of some 200 m are exact to 2^-17.
        expect(h).to.be.closeTo(100 + 0.5 * x - 1.25 * z, 3e-5);
      });
    });
  }

  it('passes through the texels of the source', () => {
    const ground = noise({ width: 7, height: 5, seed: 4 });
    const fine = resample(ground, { width: 21, height: 15 });
    for (let row = 0; row < 5; row++) {
      for (let col = 0; col < 7; col++) {
        const same = fine.heights[(3 * row + 1) * 21 + 3 * col + 1];
        expect(same).to.equal(ground.heights[row * 7 + col]);
      }
    }
  });

  it('is rounder than triangles when smooth: the slope does not jump at a texel', () => {
    const bump = groundOf(9, 1, (col) => 10 * col * col);
    const slopes = (smooth: boolean) => {
      const { heights } = resample(bump, { width: 900, height: 1, smooth });
      return Array.from({ length: 700 }, (_, i) => heights[i + 101] - heights[i + 100]);
    };
    const jump = (smooth: boolean) => {
      const list = slopes(smooth);
      return Math.max(...list.slice(1).map((slope, i) => Math.abs(slope - list[i])));
    };
    expect(jump(true)).to.be.below(0.2 * jump(false));
  });

  it('splits a cell from its (0,1) corner to its (1,0) corner when not smooth', () => {
    const raised = groundOf(2, 2, (col, row) => (col === 0 && row === 0 ? 1 : 0));
    const { heights } = resample(raised, { width: 20, height: 20, smooth: false });
    heights.forEach((h, i) => {
      const [fx, fz] = [placeOf(i % 20, 2, 20), placeOf(Math.floor(i / 20), 2, 20)];
      expect(h).to.be.closeTo(Math.max(0, 1 - fx - fz), 1e-6);
    });
  });

  it('takes coverage from the nearest texel', () => {
    const tex = Texture.create({ width: 2, height: 1, format: 'r32f', data: [5, -1] });
    const ground = resample(fromTexture(tex, { nodata: -1 }), { width: 4, height: 2 });
    expect(Array.from(ground.coverage!)).to.deep.equal([1, 1, 0, 0, 1, 1, 0, 0]);
  });

  it('gives the stored bits', () => {
    const ground = resample(noise({ width: 20, height: 30, seed: 9 }), { width: 77, height: 50 });
    expect(hashOf(ground)).to.equal('506b16240baa1bc5c387305e10eb0a4c4b68e4e1e3a11fce8b2e7e93a051564a');
  });

  it('refuses sides and options that are none', () => {
    const ground = groundOf(2, 2, () => 1);
    const make = (options: object) => () => resample(ground, { width: 2, height: 2, ...options });
    expect(make({ width: 0 })).to.throw('terrain.resample: width must be an integer in 1..65536, got 0');
    expect(make({ height: -1 })).to.throw('height must be an integer');
    expect(make({ width: NaN })).to.throw('got NaN');
    expect(make({ smooth: 'yes' })).to.throw('smooth must be true or false, got "yes"');
    expect(() => resample(null as never, { width: 1, height: 1 })).to.throw(
      'the first argument must be a ground, got nothing',
    );
  });
});
