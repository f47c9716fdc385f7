import { expect } from 'chai';
import fc from 'fast-check';
import { hashCell, unit } from '../../runtime/scatter/cellHash.js';
import { Placement } from '../../runtime/scatter/placement.js';
import { Texture } from '../../runtime/texture/texture.js';
import { fieldFacts, fieldOf, randomFrom } from '../support/fields.js';
import { fieldOn, placeOn, rulesOf, standing, textOf, upOf } from '../support/scatter.js';
import { GROUNDS } from '../support/terrain.js';

/** Standard deviations that a count may lie from its mean: 5 of a normal one are passed once in 1.7 million. */
const SIGMAS = 5;
/** The 99.999 % point of chi-square with 63 degrees of freedom. */
const CHI_SQUARE_63 = 121;

const flat = (side: number) => fieldOn([side, side], [1, 1], GROUNDS.flat);

describe('scatter', () => {
  describe('hashCell', () => {
    it('is PCG4D, calculated with whole numbers of any size', () => {
      const reference = (v: bigint[]) => {
        const mask = 0xffffffffn;
        let [x, y, z, w] = v.map((part) => (part * 1664525n + 1013904223n) & mask);
        const mix = () => {
          x = (x + y * w) & mask;
          y = (y + z * x) & mask;
          z = (z + x * y) & mask;
          w = (w + y * z) & mask;
        };
        mix();
        [x, y, z, w] = [x, y, z, w].map((part) => part ^ (part >> 16n));
        mix();
        return [x, y, z, w].map(Number);
      };
      const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
      fc.assert(
        fc.property(word, word, word, word, (a, b, c, d) => {
          const hash = [...hashCell(new Uint32Array(4), a, b, c, d)];
          expect(hash).to.deep.equal(reference([a, b, c, d].map(BigInt)));
        }),
      );
    });

    it('spreads neighbouring cells evenly, each word by itself and with its neighbour’s', () => {
      const words = new Uint32Array(4);
      const next = new Uint32Array(4);
      for (let word = 0; word < 4; word++) {
        const single = new Float64Array(64);
        const pairs = new Float64Array(64);
        for (let row = 0; row < 128; row++) {
          for (let column = 0; column < 128; column++) {
            hashCell(words, column, row, 7, 0);
            hashCell(next, column + 1, row, 7, 0);
            single[Math.floor(unit(words[word]) * 64)]++;
            pairs[Math.floor(unit(words[word]) * 8) * 8 + Math.floor(unit(next[word]) * 8)]++;
          }
        }
        const expected = 128 ** 2 / 64;
        for (const counts of [single, pairs]) {
          const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
          expect(chi, `word ${word}`).to.be.below(CHI_SQUARE_63);
        }
      }
    });
  });

  describe('placement', () => {
    it('is the same to the bit for a seed, and another for another', () => {
      const hf = fieldOn([40, 30], [2, 3], GROUNDS.hilly);
      const fields = { density: 0.1, scale: [0.5, 2] as const, align: 0.7, spacing: 2 };
      const once = placeOn(hf, { ...fields, seed: 5 });
      const twice = placeOn(hf, { ...fields, seed: 5 });
      expect(standing(twice).map(textOf)).to.deep.equal(standing(once).map(textOf));
      const other = placeOn(hf, { ...fields, seed: 6 });
      const known = new Set(standing(once).map(({ x, z }) => `${x} ${z}`));
      expect(standing(other).some(({ x, z }) => known.has(`${x} ${z}`))).to.equal(false);
    });

    it('has as many as density asks, in all and in any part (5 sigma of a Poisson count, which spreads wider)', () => {
      const hf = flat(128);
      for (const density of [0.003, 0.1, 0.7, 2.5]) {
        const all = standing(placeOn(hf, { density, seed: 3 }));
        const near = (count: number, area: number) =>
          expect(Math.abs(count - density * area), `${count} at ${density}`).to.be.at.most(
            SIGMAS * Math.sqrt(density * area),
          );
        near(all.length, 128 ** 2);
        const random = randomFrom(11);
        for (let k = 0; k < 20; k++) {
          const [x, z] = [random() * 90 - 64, random() * 90 - 64];
          near(
            all.filter((one) => one.x >= x && one.x < x + 38 && one.z >= z && one.z < z + 38).length,
            38 ** 2,
          );
        }
      }
    });

    it('lies in no rows: places spread evenly over their cells, and along either axis', () => {
      const density = 4;
      const counts = new Float64Array(64);
      const all = standing(placeOn(flat(64), { density }));
      for (const { x, z } of all) {
        const part = (at: number) => Math.floor((((at + 32) / 0.5) % 1) * 8);
        counts[part(x) * 8 + part(z)]++;
      }
      const expected = all.length / 64;
      expect(counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)).to.be.below(
        CHI_SQUARE_63,
      );
    });

    it('stands at heightAt less sink, to the bit, wherever the field is', () => {
      fc.assert(
        fc.property(fieldFacts, fc.double({ min: -3, max: 3, noNaN: true }), (facts, sink) => {
          const hf = fieldOf(facts);
          const density = 60 / (hf.size.width * hf.size.depth);
          for (const { x, y, z } of standing(placeOn(hf, { density, sink, seed: facts.seed }))) {
            expect(y).to.equal(hf.heightAt(x, z) - sink);
            expect(hf.hasGroundAt(x, z)).to.equal(true);
          }
        }),
        { numRuns: 60 },
      );
    });

    it('keeps to slope, height and rect at every instance, and leaves out nothing that keeps to them', () => {
      const range = (low: number, high: number) =>
        fc
          .tuple(
            fc.double({ min: low, max: high, noNaN: true }),
            fc.double({ min: low, max: high, noNaN: true }),
          )
          .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
      let stood = 0;
      fc.assert(
        fc.property(range(0, 90), range(-20, 20), fc.nat(1000), (slope, height, seed) => {
          const hf = fieldOn([33, 21], [3, 2], GROUNDS.hilly);
          const rect = { size: [50, 30] as const, origin: [10, -5] as const };
          const kept = standing(placeOn(hf, { density: 0.6, slope, height, rect, seed }));
          const within = ({ x, z }: { x: number; z: number }) => {
            const [degrees, y] = [(hf.slopeAt(x, z) * 180) / Math.PI, hf.heightAt(x, z)];
            const inside = Math.abs(x - 10) <= 25 && Math.abs(z + 5) <= 15;
            return inside && degrees >= slope[0] && degrees <= slope[1] && y >= height[0] && y <= height[1];
          };
          expect(kept.every(within)).to.equal(true);
          const all = standing(placeOn(hf, { density: 0.6, seed }));
          expect(kept.length).to.equal(all.filter(within).length);
          stood += kept.length;
        }),
        // The first leaves out nothing but what the rect does, so that there is something to judge whatever is drawn.
        { numRuns: 60, examples: [[[0, 90], [-30, 30], 1]] },
      );
      expect(stood).to.be.above(500);
    });

    it('of a part is the whole’s, cut', () => {
      const hf = fieldOn([50, 50], [2, 2], GROUNDS.hilly, { origin: [1000, -300] });
      for (const spacing of [0, 3]) {
        const fields = { density: 0.2, spacing, align: 1, seed: 9 };
        const rect = { size: [33, 17] as const, origin: [1011, -310] as const };
        const part = standing(placeOn(hf, { ...fields, rect }));
        const cut = standing(placeOn(hf, fields)).filter(
          ({ x, z }) => Math.abs(x - 1011) <= 16.5 && Math.abs(z + 310) <= 8.5,
        );
        expect(part.map(({ x, y, z }) => [x, y, z])).to.deep.equal(cut.map(({ x, y, z }) => [x, y, z]));
        expect(part.length).to.be.above(20);
      }
    });

    it('drops none over a hole of one cell among 10,000 instances, and none next to one either', () => {
      const random = randomFrom(21);
      const cut = new Set<number>();
      const holes = Texture.create({
        width: 96,
        height: 80,
        format: 'r8',
        data: (i: number, j: number) => {
          if (random() > 0.2) return [255];
          cut.add(j * 96 + i);
          return [0];
        },
      });
      const hf = fieldOn([96, 80], [1, 2], GROUNDS.hilly, { holes });
      const all = standing(placeOn(flatLike(hf), { density: 0.8 }));
      const kept = standing(placeOn(hf, { density: 0.8 }));
      expect(kept.length).to.be.above(9000);
      // The cell by whole numbers, from the place alone.
      const clamp = (value: number, last: number) => Math.min(Math.max(value, 0), last);
      const over = ({ x, z }: { x: number; z: number }) =>
        cut.has(clamp(Math.floor((z + 80) / 2 - 0.5), 79) * 96 + clamp(Math.floor(x + 48 - 0.5), 95));
      expect(kept.some(over)).to.equal(false);
      expect(kept.length).to.equal(all.filter((one) => !over(one)).length);
      expect(all.length - kept.length).to.be.above(1500);
    });

    it('keeps its distance with spacing, and leaves no room for one more', () => {
      for (const [density, spacing] of [
        [0.3, 1],
        [0.3, 2.5],
        [1, 5],
      ]) {
        const hf = fieldOn([60, 40], [1, 1], GROUNDS.flat);
        const kept = standing(placeOn(hf, { density, spacing, seed: 4 }));
        const distance = (a: { x: number; z: number }, b: { x: number; z: number }) =>
          Math.hypot(a.x - b.x, a.z - b.z);
        kept.forEach((a, i) =>
          kept.slice(i + 1).forEach((b) => expect(distance(a, b)).to.be.at.least(spacing - 1e-9)),
        );
        for (const place of standing(placeOn(hf, { density, seed: 4 })))
          expect(kept.some((one) => distance(one, place) < spacing + 1e-9)).to.equal(true);
      }
    });

    it('turns up from the world’s to the ground’s normal by align, yaws evenly, scales within its range', () => {
      const hf = fieldOn([40, 40], [2, 2], (i, j) => 6 * Math.sin(i * 0.4) + 0.3 * j);
      for (const align of [0, 0.5, 1]) {
        const instances = placeOn(hf, { density: 0.5, align, scale: [0.5, 3] });
        const quarters = [0, 0, 0, 0];
        let [least, most] = [Infinity, 0];
        standing(instances).forEach(({ x, z }, k) => {
          const [nx, ny, nz] = hf.normalAt(x, z);
          const up = [nx * align, ny * align + 1 - align, nz * align];
          const length = Math.hypot(...up);
          upOf(instances.records, k).forEach((part, axis) =>
            expect(part).to.be.closeTo(up[axis] / length, 1e-6),
          );
          const turn = instances.records.subarray(k * 8 + 4, k * 8 + 8);
          expect(Math.hypot(...turn)).to.be.closeTo(1, 1e-6);
          quarters[Math.floor((2 * Math.atan2(turn[1], turn[3]) + 4 * Math.PI) / (Math.PI / 2)) % 4]++;
          least = Math.min(least, instances.records[k * 8 + 3]);
          most = Math.max(most, instances.records[k * 8 + 3]);
        });
        for (const count of quarters)
          expect(Math.abs(count - instances.count / 4)).to.be.below(SIGMAS * Math.sqrt(instances.count / 4));
        expect(least).to.be.within(0.5, 0.51);
        expect(most).to.be.within(2.99, 3);
      }
    });

    it('thins out toward soft bounds, in step with how near they are', () => {
      // A ramp of 1 m a metre along X: height is x.
      const hf = fieldOn([200, 200], [1, 1], (i) => i + 0.5 - 100);
      const all = standing(placeOn(hf, { density: 1, height: [-60, 60] }));
      const soft = standing(placeOn(hf, { density: 1, height: [-60, 60], heightSoft: 40 }));
      for (const [from, to, share] of [
        [-60, -50, 0.125],
        [-40, -30, 0.625],
        [-20, 20, 1],
        [30, 40, 0.625],
        [50, 60, 0.125],
      ]) {
        const among = (list: { x: number }[]) => list.filter(({ x }) => x >= from && x < to).length;
        const [kept, asked] = [among(soft), among(all)];
        const sigma = Math.sqrt(asked * share * (1 - share));
        expect(Math.abs(kept - asked * share), `${from}`).to.be.at.most(SIGMAS * sigma);
      }
      // A slope of 0 is no bound to thin out toward.
      const level = flat(50);
      const plain = placeOn(level, { density: 1 }).count;
      expect(placeOn(level, { density: 1, slope: [0, 30], slopeSoft: 10 }).count).to.equal(plain);
    });

    it('asks the filter last, with the ground’s height, and takes only a boolean', () => {
      const hf = fieldOn([30, 30], [1, 1], GROUNDS.hilly);
      const asked: number[] = [];
      const filter = (x: number, z: number, y: number) => {
        expect(y).to.equal(hf.heightAt(x, z));
        asked.push(x);
        return x < 0;
      };
      const kept = standing(placeOn(hf, { density: 1, height: [0, 50], filter, sink: 2 }));
      expect(asked.length).to.equal(placeOn(hf, { density: 1, height: [0, 50] }).count);
      expect(kept.length).to.equal(asked.filter((x) => x < 0).length);
      expect(() => placeOn(hf, { density: 1, filter: (() => 1) as never })).to.throw(
        'spec: filter: its answer must be true or false, got 1',
      );
    });

    it('makes do with a field of one texel, with no ground at all, and with less than one place', () => {
      const one = fieldOn([1, 1], [10, 10], GROUNDS.flat);
      expect(placeOn(one, { density: 1 }).count).to.be.within(70, 100);
      for (const { y } of standing(placeOn(one, { density: 1 }))) expect(y).to.equal(12.5);
      const nothing = Texture.create({ width: 1, height: 1, format: 'r8', data: [0] });
      expect(
        placeOn(fieldOn([8, 8], [1, 1], GROUNDS.hilly, { holes: nothing }), { density: 5 }).count,
      ).to.equal(0);
      expect(placeOn(one, { density: 0 }).count).to.equal(0);
      expect(placeOn(one, { density: 1, rect: { size: [4, 4], origin: [50, 0] } }).count).to.equal(0);
      // One place in 10^4 m² over 10² m²: about one seed in a hundred has it.
      const hits = Array.from({ length: 2000 }, (_, seed) => placeOn(one, { density: 1e-4, seed }).count);
      const sum = hits.reduce((a, b) => a + b, 0);
      expect(Math.abs(sum - 20)).to.be.at.most(SIGMAS * Math.sqrt(20));
    });

    it('is as exact 1,000 km away as at home: the same records, bit for bit', () => {
      // Sides and shift are powers of two, so that each coordinate is exact in both places.
      const at = (origin: readonly [number, number]) =>
        placeOn(fieldOn([64, 64], [0.5, 0.5], GROUNDS.hilly, { origin }), {
          density: 1,
          align: 1,
          sink: 0.25,
        });
      const [home, far] = [at([0, 0]), at([2 ** 20, -(2 ** 20)])];
      expect(far.count).to.equal(home.count);
      // Places are rounded to 2^-33 m there; heights follow within their slope.
      for (let k = 0; k < home.count * 8; k++) expect(far.records[k]).to.be.closeTo(home.records[k], 1e-6);
      expect(far.origin).to.deep.equal({ x: 2 ** 20, y: 0, z: -(2 ** 20) });
      const near = standing(home);
      standing(far).forEach(({ x, y, z }, k) => {
        const [dx, , dz] = far.records.subarray(k * 8);
        expect(Math.abs(far.origin.x + dx - x)).to.be.at.most(2 ** -20);
        expect(Math.abs(far.origin.z + dz - z)).to.be.at.most(2 ** -20);
        expect(y).to.be.closeTo(near[k].y, 1e-8);
      });
    });

    it('refuses what it cannot number, by name', () => {
      expect(() => new Placement('scatter.create', flat(1000), rulesOf({ density: 20 }))).to.throw(
        'scatter.create: density must be at most 16777216 places over the ground, got 20 a square metre',
      );
    });
  });
});

/** The same ground without its holes. */
function flatLike(hf: { width: number; height: number; texelX: number; texelZ: number }) {
  return fieldOn([hf.width, hf.height], [hf.texelX, hf.texelZ], GROUNDS.hilly);
}
