import { expect } from 'chai';
import fc from 'fast-check';
import { axisStops, nearestStop, stopOfIndex, type AxisStops } from '../../runtime/terrain/lattice.js';
import { cellHeight } from '../../runtime/terrain/heightfield.js';
import { fieldFacts, fieldOf, TEXELS } from '../support/fields.js';

/** Whether two places are equally near to it but for rounding; the lower must then be taken. */
const TIE = 1e-9;

const axis = fc.record({
  min: fc.constantFrom(0, -37.3, 1e5, -1e5),
  texel: fc.oneof(fc.constantFrom(1, 2.5, 0.1, 1 / 3), fc.double({ min: 0.2, max: 50, noNaN: true })),
  texels: fc.oneof(fc.constantFrom(1, 2, 3, 33, 34, 257), fc.integer({ min: 1, max: 300 })),
});

/** The nearest stop by looking at all of them. */
function judge(stops: AxisStops, place: number, tie: number): number {
  let best = 0;
  for (let k = 1; k < stops.count; k++) {
    if (Math.abs(place - stops.local[k]) < Math.abs(place - stops.local[best]) - tie) best = k;
  }
  return best;
}

describe('lattice', () => {
  describe('axisStops', () => {
    it('stands on both edges and on every texel centre', () => {
      for (const texels of TEXELS.flat()) {
        const stops = axisStops({ min: -8, texel: 2.5, texels }, { min: -8, max: -8 + 2.5 * texels });
        const places = [0, ...Array.from({ length: texels }, (_, k) => (k + 0.5) * 2.5), 2.5 * texels];
        expect(stops.count).to.equal(texels + 2);
        expect([...stops.local]).to.deep.equal(places);
        expect([...stops.world]).to.deep.equal(places.map((place) => Math.fround(place - 8)));
        expect([...stops.cell]).to.deep.equal([0, ...Array(texels).keys(), texels - 1]);
        expect(stops.fraction.every((fraction) => fraction === 0)).to.be.true;
      }
    });

    it("copies a texel where a cut's own edge is on its centre but for rounding", () => {
      fc.assert(
        fc.property(axis, fc.nat(299), fc.nat(299), ({ min, texel, texels }, a, b) => {
          const [low, high] = [Math.min(a, b) % texels, Math.max(a, b) % texels].sort((x, y) => x - y);
          fc.pre(low < high);
          const centre = (k: number) => min + (k + 0.5) * texel;
          const stops = axisStops({ min, texel, texels }, { min: centre(low), max: centre(high) });
          expect(stops.count).to.equal(high - low + 1);
          expect([...stops.cell]).to.deep.equal(Array.from({ length: stops.count }, (_, k) => low + k));
          expect(stops.fraction.every((fraction) => fraction === 0)).to.be.true;
        }),
      );
    });

    it("puts a cut's own edges in, with heightAt there, and leaves out the stops beyond", () => {
      const share = fc.double({ min: 0.01, max: 0.99, noNaN: true });
      fc.assert(
        fc.property(fieldFacts, share, share, (facts, a, b) => {
          const hf = fieldOf(facts);
          const [low, high] = [Math.min(a, b), Math.max(a, b)];
          fc.pre(high - low > 0.01);
          const min = hf.minX + low * hf.size.width;
          const max = hf.minX + high * hf.size.width;
          const stops = axisStops({ min: hf.minX, texel: hf.texelX, texels: hf.width }, { min, max });
          const inside = Array.from({ length: hf.width }, (_, k) => hf.minX + (k + 0.5) * hf.texelX);
          const near = 1e-6 * hf.texelX;
          fc.pre(inside.every((x) => Math.abs(x - min) > near && Math.abs(x - max) > near));
          expect(stops.count).to.equal(2 + inside.filter((x) => x > min && x < max).length);
          expect(stops.local[0]).to.equal(0);
          expect(stops.local[stops.count - 1]).to.equal(max - min);
          for (let k = 0; k < stops.count; k++) {
            const x = k === 0 ? min : k === stops.count - 1 ? max : min + stops.local[k];
            const [i, f] = [stops.cell[k], stops.fraction[k]];
            const next = Math.min(i + 1, hf.width - 1);
            const [h0, h1] = [hf.read(i, 0)[0], hf.read(next, 0)[0]];
            expect(cellHeight(h0, h1, h0, h1, f, 0)).to.be.closeTo(
              hf.heightAt(x, hf.minZ),
              2e-6 * (1 + Math.abs(h1 - h0)),
            );
          }
        }),
      );
    });

    it('brings no stop past the field, and takes an edge on a texel centre as that centre', () => {
      const field = { min: 10, texel: 2, texels: 4 };
      const around = axisStops(field, { min: 4, max: 30 });
      expect([...around.local]).to.deep.equal([6, 7, 9, 11, 13, 14]);
      const on = axisStops(field, { min: 13, max: 15 });
      expect([[...on.local], [...on.cell], [...on.fraction]]).to.deep.equal([
        [0, 2],
        [1, 2],
        [0, 0],
      ]);
      const between = axisStops(field, { min: 12, max: 14.5 });
      expect([[...between.local], [...between.cell], [...between.fraction]]).to.deep.equal([
        [0, 1, 2.5],
        [0, 1, 1],
        [0.5, 0, 0.75],
      ]);
    });
  });

  describe('nearestStop', () => {
    it('is the nearest, and the lower one midway', () => {
      fc.assert(
        fc.property(
          axis,
          fc.integer({ min: -8, max: 2500 }),
          fc.double({ min: -1, max: 1, noNaN: true }),
          (field, eighth, off) => {
            const stops = axisStops(field, { min: field.min, max: field.min + field.texel * field.texels });
            const tie = TIE * Math.max(field.texel, Math.abs(field.min));
            const place = (eighth / 8) * field.texel;
            expect(nearestStop(stops, place)).to.equal(judge(stops, place, tie));
            const anywhere = place + off * field.texel;
            const chosen = nearestStop(stops, anywhere);
            const least = Math.abs(anywhere - stops.local[judge(stops, anywhere, 0)]);
            expect(Math.abs(anywhere - stops.local[chosen])).to.be.at.most(least + tie);
          },
        ),
      );
    });
  });

  describe('stopOfIndex', () => {
    it('is what nearestStop answers, and one index has one stop at every level', () => {
      fc.assert(
        fc.property(
          axis,
          fc.integer({ min: 0, max: 6 }),
          fc.double({ min: 0.1, max: 3, noNaN: true }),
          (field, levels, step) => {
            const stops = axisStops(field, { min: field.min, max: field.min + field.texel * field.texels });
            const spacing = field.texel * step;
            const finest = stopOfIndex(stops, spacing / 2 ** levels, 200);
            const coarse = stopOfIndex(stops, spacing, 200);
            for (let i = 0; i < 200; i++)
              expect(finest[i]).to.equal(nearestStop(stops, i * (spacing / 2 ** levels)));
            for (let i = 0; i << levels < 200; i++) expect(coarse[i]).to.equal(finest[i << levels]);
          },
        ),
      );
    });

    it('visits every stop at half a texel, and misses one at a whole texel', () => {
      fc.assert(
        fc.property(axis, (field) => {
          const stops = axisStops(field, { min: field.min, max: field.min + field.texel * field.texels });
          const half = new Set(stopOfIndex(stops, field.texel / 2, 2 * field.texels + 1));
          expect(half.size).to.equal(stops.count);
          const whole = new Set(stopOfIndex(stops, field.texel, field.texels + 1));
          expect(whole.size).to.equal(stops.count - 1);
        }),
      );
    });
  });
});
