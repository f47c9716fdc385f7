import { expect } from 'chai';
import fc from 'fast-check';
import { Heightfield, type FieldEdit } from '../../runtime/terrain/heightfield.js';
import { NodeBounds } from '../../runtime/terrain/nodeBounds.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from '../support/fields.js';
import { fieldTexture, GROUNDS } from '../support/terrain.js';
import { bitsOf, edit, Grid, scene } from '../support/strokes.js';

describe('terrainHeightfield', function () {
  this.timeout(60_000);

  describe('setHeights', () => {
    it('makes the field that the edited texture would open as, bit for bit', () => {
      fc.assert(
        fc.property(scene, ({ width, height, size, seed, strokes }) => {
          const grid = new Grid(width, height, size, seed);
          const hf = Heightfield.fromTexture(grid.texture());
          let { low, high } = hf.heightRange;
          for (const stroke of strokes) {
            edit(hf, stroke);
            grid.set(stroke);
            const fresh = Heightfield.fromTexture(grid.texture());
            expect(bitsOf(hf.cpu)).to.deep.equal(bitsOf(fresh.cpu));
            const rect = { minX: -size[0], minZ: -1, maxX: size[0] / 3, maxZ: size[1] };
            expect(hf.minMax(rect)).to.deep.equal(fresh.minMax(rect));
            // A range read off the pixels grows: it holds all that ever stood.
            low = Math.min(low, fresh.heightRange.low);
            high = Math.max(high, fresh.heightRange.high);
          }
          const range = strokes.reduce(
            (so, { heights }) => ({
              low: Math.min(so.low, ...heights.map(Math.fround)),
              high: Math.max(so.high, ...heights.map(Math.fround)),
            }),
            { low, high },
          );
          expect(hf.heightRange).to.deep.equal(range);
          expect([hf.gen, hf.edits]).to.deep.equal([1, strokes.length]);
        }),
        { numRuns: 150 },
      );
    });

    it('answers a rect outside which no height and no normal is another', () => {
      fc.assert(
        fc.property(scene, fc.nat(1e6), ({ width, height, size, seed, strokes: [stroke] }, at) => {
          const hf = Heightfield.fromTexture(new Grid(width, height, size, seed).texture());
          const random = randomFrom(at);
          const places = Array.from({ length: 300 }, () => [
            hf.minX + size[0] * (1.2 * random() - 0.1),
            hf.minZ + size[1] * (1.2 * random() - 0.1),
          ]);
          const ask = () => places.map(([x, z]) => [hf.heightAt(x, z), ...hf.normalAt(x, z)]);
          const before = ask();
          const { minX, minZ, maxX, maxZ } = edit(hf, stroke);
          expect(minX >= hf.minX && maxX <= hf.maxX && minZ >= hf.minZ && maxZ <= hf.maxZ).to.equal(true);
          const after = ask();
          places.forEach(([px, pz], k) => {
            const x = Math.min(Math.max(px, hf.minX), hf.maxX);
            const z = Math.min(Math.max(pz, hf.minZ), hf.maxZ);
            if (x < minX || x > maxX || z < minZ || z > maxZ) expect(after[k]).to.deep.equal(before[k]);
          });
        }),
        { numRuns: 100 },
      );
    });

    it('covers what it edits and leaves holes and carried gradients further off as they are', () => {
      const texture = Texture.create({
        width: 8,
        height: 8,
        format: 'rgba32f',
        data: (i, j) => [0, 7, -7, i === 4 && j === 4 ? 0 : 1],
      });
      const hf = Heightfield.fromTexture(texture, { size: [8, 8], nodata: 'hole' });
      hf.setHeights(4, 4, 1, 1, [5]);
      expect(hf.read(4, 4)).to.deep.equal([5, 0, 0, 1]);
      expect(hf.groundState(0.6, 0.6)).to.equal('hole');
      // West and east: the gradient along X reads the new height. North and south: the one along Z. No other does.
      expect(hf.read(3, 4)).to.deep.equal([0, 2.5, -7, 1]);
      expect(hf.read(5, 4)).to.deep.equal([0, -2.5, -7, 1]);
      expect(hf.read(4, 3)).to.deep.equal([0, 7, 2.5, 1]);
      expect(hf.read(4, 5)).to.deep.equal([0, 7, -2.5, 1]);
      expect(hf.read(3, 3)).to.deep.equal([0, 7, -7, 1]);
    });

    it('takes any list of numbers, also a view of its own pixels', () => {
      const hf = Heightfield.fromTexture(fieldTexture(4, 4, (i, j) => i + 10 * j, [4, 4]));
      hf.setHeights(1, 1, 2, 1, new Int8Array([-3, 4]));
      expect([hf.read(1, 1)[0], hf.read(2, 1)[0]]).to.deep.equal([-3, 4]);
      const own = hf.cpu.subarray(0, 16);
      const wanted = [...own];
      hf.setHeights(0, 0, 4, 4, own);
      expect([...hf.texelLattice([0, 1, 2, 3], [0, 1, 2, 3])]).to.deep.equal(wanted);
    });

    it('is dropped by refresh, and leaves a second heightfield on the texture alone', async () => {
      const texture = fieldTexture(9, 7, GROUNDS.hilly, [9, 7]);
      const [hf, other] = [Heightfield.fromTexture(texture), Heightfield.fromTexture(texture)];
      hf.setHeights(2, 2, 2, 2, [900, 900, 900, 900]);
      expect(bitsOf(other.cpu)).to.deep.equal(bitsOf(texture.data as Float32Array));
      expect(hf.heightRange.high).to.equal(900);
      await hf.refresh();
      expect(bitsOf(hf.cpu)).to.deep.equal(bitsOf(other.cpu));
      expect(hf.heightRange).to.deep.equal(other.heightRange);
      expect(hf.gen).to.equal(2);
    });

    it('refuses bad input by name, and changes nothing', () => {
      const hf = Heightfield.fromTexture(fieldTexture(6, 4, GROUNDS.hilly, [6, 4]), {
        heightRange: [-50, 50],
      });
      const free = Heightfield.fromTexture(fieldTexture(6, 4, GROUNDS.hilly, [6, 4]));
      const cases: [unknown[], RegExp, Heightfield?][] = [
        [[-1, 0, 1, 1, [0]], /setHeights: col must be an integer in 0\.\.5, got -1/],
        [[0, 4, 1, 1, [0]], /row must be an integer in 0\.\.3, got 4/],
        [[4, 0, 3, 1, [0, 0, 0]], /cols must be an integer in 1\.\.2, got 3/],
        [[0, 0, 1, 1.5, [0]], /rows must be an integer in 1\.\.4, got 1\.5/],
        [[0, 0, 2, 2, [1, 2, 3]], /heights must be a list of 4 heights \(2 × 2 texels\), got 3/],
        [[0, 0, 1, 1, 'x'], /heights must be a list of 1 heights/],
        [[0, 0, 1, 1, null], /heights must be a list of 1 heights/],
        [[1, 1, 2, 2, [1, 2, NaN, Infinity]], /got 2 that are not, the first for column 1, row 2 \(NaN\)/],
        [[0, 0, 2, 1, [1, '2']], /got 1 that is not, the first for column 1, row 0 \("2"\)/],
        [[0, 0, 1, 1, [1e39]], /finite number \(in single precision\)/],
        [
          [3, 1, 1, 2, [1, 50.5]],
          /heightRange \{ -50, 50 \} must hold every height, got 1 outside it, .* column 3, row 2/,
        ],
        [
          [0, 0, 2, 1, [3e38, -3e38]],
          /finite gradients, got neighbours too far apart at column 0, row 0/,
          free,
        ],
      ];
      let told = 0;
      for (const field of [hf, free]) field.onEdit({ edited: () => void told++ });
      for (const [given, message, field = hf] of cases) {
        const before = [bitsOf(field.cpu), field.heightRange, field.edits];
        expect(() => (field.setHeights as (...list: unknown[]) => unknown)(...given)).to.throw(message);
        expect([bitsOf(field.cpu), field.heightRange, field.edits]).to.deep.equal(before);
      }
      expect(told).to.equal(0);
      hf.close();
      expect(() => hf.setHeights(0, 0, 1, 1, [0])).to.throw(/setHeights: this heightfield is closed/);
    });

    it('tells every follower though one fails, and none that was taken off', () => {
      const hf = Heightfield.fromTexture(fieldTexture(4, 4, GROUNDS.flat, [4, 4]));
      const seen: FieldEdit[] = [];
      hf.onEdit({
        edited() {
          throw new Error('first');
        },
      });
      hf.onEdit({ edited: (change) => void seen.push(change) });
      hf.onEdit({ edited: () => expect.fail('taken off') })();
      expect(() => hf.setHeights(1, 0, 2, 1, [1, 2])).to.throw('first');
      expect(seen.map(({ area }) => area)).to.deep.equal([{ col: 1, row: 0, cols: 2, rows: 1 }]);
      expect(hf.read(2, 0)[0]).to.equal(2);
    });

    it('brings the bounds of the nodes along as if they were read again', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 150 }),
          fc.integer({ min: 1, max: 150 }),
          fc.constantFrom(0, 1, 2, 3, 5, 7),
          fc.tuple(
            fc.double({ min: -0.25, max: 0.4, noNaN: true }),
            fc.double({ min: 0.3, max: 1.5, noNaN: true }),
          ),
          fc.nat(2 ** 30),
          (width, height, maxLevel, [shift, part], seed) => {
            const random = randomFrom(seed);
            const cpu = Float32Array.from({ length: width * height * 4 }, () => random());
            const field = { width, height, minX: 0, minZ: 0, texelX: 1.3, texelZ: 0.9, cpu };
            const rect = { width: width * 1.3 * part, depth: height * 0.9 * part };
            const corner = { cornerX: shift * width, cornerZ: shift * height };
            const grid = { ...corner, ...rect, rootSize: Math.max(rect.width, rect.depth), maxLevel };
            const bounds = new NodeBounds(field, grid);
            for (let k = 0; k < 3; k++) {
              const [col, row] = [Math.floor(random() * width), Math.floor(random() * height)];
              const cols = 1 + Math.floor(random() * Math.min(20, width - col));
              const rows = 1 + Math.floor(random() * Math.min(20, height - row));
              for (let j = row; j < row + rows; j++)
                for (let i = col; i < col + cols; i++) cpu[(j * width + i) * 4] = 50 * random() - 25;
              bounds.update({ col, row, cols, rows });
            }
            const fresh = new NodeBounds(field, grid);
            const pair = new Float64Array(4);
            for (let level = 0; level <= maxLevel; level++) {
              for (let iz = 0; iz < Math.min(2 ** level, 24); iz++) {
                for (let ix = 0; ix < Math.min(2 ** level, 24); ix++) {
                  bounds.read(level, ix, iz, pair, 0);
                  fresh.read(level, ix, iz, pair, 2);
                  if (pair[0] !== pair[2] || pair[1] !== pair[3])
                    expect.fail(`${level} ${ix} ${iz}: ${pair}`);
                }
              }
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  });

  describe('toTexture', () => {
    it('is the edited texels with their size, on its own', () => {
      const hf = Heightfield.fromTexture(fieldTexture(5, 4, GROUNDS.hilly, [50, 20]));
      hf.setHeights(1, 1, 2, 2, [7, 8, 9, 10]);
      const texture = hf.toTexture();
      const kept = bitsOf(hf.cpu);
      expect([texture.width, texture.height, texture.format]).to.deep.equal([5, 4, 'rgba32f']);
      expect(texture.size).to.deep.equal([50, 20]);
      hf.setHeights(0, 0, 1, 1, [99]);
      expect(bitsOf(texture.data as Float32Array)).to.deep.equal(kept);
      const again = Heightfield.fromTexture(texture);
      expect(bitsOf(again.cpu)).to.deep.equal(kept);
      hf.close();
      expect(again.read(2, 2)[0]).to.equal(10);
      expect(() => hf.toTexture()).to.throw(/toTexture: this heightfield is closed/);
    });
  });
});
