import { expect } from 'chai';
import fc from 'fast-check';
import { rootGrid } from '../../runtime/terrain/quadtree.js';

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
const side = fc.double({ min: 0.01, max: 1e5, noNaN: true });

describe('quadtree', () => {
  describe('rootGrid', () => {
    it('roots a square as one node, whatever the pool', () => {
      expect(rootGrid(2048, 2048)).to.deep.equal({ size: 2048, columns: 1, rows: 1 });
      expect(rootGrid(0.3, 0.1 * 3, { maxNodes: 4, minNodeSize: 7 })).to.deep.equal({
        size: 0.1 * 3,
        columns: 1,
        rows: 1,
      });
    });

    it('roots an oblong rect on the largest common measure that the quarter of the pool holds', () => {
      expect(rootGrid(800, 600)).to.deep.equal({ size: 200, columns: 4, rows: 3 });
      expect(rootGrid(600, 800)).to.deep.equal({ size: 200, columns: 3, rows: 4 });
      expect(rootGrid(800, 600, { maxNodes: 48 })).to.include({ size: 200 });
      expect(rootGrid(800, 600, { maxNodes: 47 })).to.deep.equal({ size: 600, columns: 2, rows: 1 });
      expect(rootGrid(800, 600, { minNodeSize: 200 })).to.include({ size: 200 });
      expect(rootGrid(800, 600, { minNodeSize: 200.1 })).to.include({ size: 600 });
    });

    it('roots others on the shorter side, or on the longer over the quarter', () => {
      expect(rootGrid(210, 170)).to.deep.equal({ size: 170, columns: 2, rows: 1 });
      expect(rootGrid(2048, 3000)).to.deep.equal({ size: 2048, columns: 1, rows: 2 });
      expect(rootGrid(1000, 3700)).to.deep.equal({ size: 1000, columns: 1, rows: 4 });
      expect(rootGrid(10_001, 10)).to.deep.equal({ size: 10_001 / 128, columns: 128, rows: 1 });
      expect(rootGrid(800, 600, { maxNodes: 4 })).to.deep.equal({ size: 800, columns: 1, rows: 1 });
    });

    it('takes sides that are not whole numbers by their measure', () => {
      const { size, columns, rows } = rootGrid(0.3, 0.1);
      expect([columns, rows]).to.deep.equal([3, 1]);
      expect(size).to.be.closeTo(0.1, 1e-15);
      expect(rootGrid(87 * 10.1, 61 * 10.1, { maxNodes: 4096 * 8 })).to.include({ columns: 87, rows: 61 });
    });

    it('covers any rect with no square to spare, within the quarter', () => {
      fc.assert(
        fc.property(side, side, fc.integer({ min: 4, max: 4096 }), (width, depth, maxNodes) => {
          const { size, columns, rows } = rootGrid(width, depth, { maxNodes });
          const slack = 1e-8 * Math.max(width, depth);
          for (const [count, length] of [
            [columns, width],
            [rows, depth],
          ]) {
            expect(count * size).to.be.at.least(length - slack);
            expect((count - 1) * size).to.be.below(length + slack);
          }
          expect(columns * rows).to.be.at.most(Math.max(1, Math.floor(maxNodes / 4)));
        }),
      );
    });

    it('finds the common measure of whole sides whenever it may', () => {
      const whole = fc.integer({ min: 1, max: 5000 });
      fc.assert(
        fc.property(whole, whole, fc.integer({ min: 1, max: 50 }), (width, depth, minNodeSize) => {
          const measure = gcd(width, depth);
          const allowed = measure >= minNodeSize && (width * depth) / measure ** 2 <= 128;
          const { size } = rootGrid(width, depth, { minNodeSize });
          if (width !== depth && allowed) expect(size).to.equal(measure);
          if (width !== depth && !allowed) expect(size).to.be.at.least(Math.min(width, depth));
        }),
      );
    });

    it('takes a stated root up to the whole pool and refuses one past it, naming size, squares and pool', () => {
      expect(rootGrid(800, 600, { rootSize: 50, maxNodes: 192 })).to.deep.equal({
        size: 50,
        columns: 16,
        rows: 12,
      });
      expect(() => rootGrid(800, 600, { rootSize: 50, maxNodes: 191 })).to.throw(
        /rootSize 50 makes 192 .*pool of 191/,
      );
      expect(rootGrid(210, 170, { rootSize: 100 })).to.deep.equal({ size: 100, columns: 3, rows: 2 });
    });

    it('refuses sides and options that are none', () => {
      for (const bad of [0, -1, NaN, Infinity]) {
        expect(() => rootGrid(bad, 5)).to.throw('quadtree.rootGrid: width must be');
        expect(() => rootGrid(5, bad)).to.throw('quadtree.rootGrid: depth must be');
        expect(() => rootGrid(5, 5, { rootSize: bad })).to.throw('rootSize must be');
      }
      expect(() => rootGrid(5, 5, { minNodeSize: -1 })).to.throw('minNodeSize must be');
      expect(() => rootGrid(5, 5, { maxNodes: 2.5 })).to.throw('maxNodes must be');
    });
  });
});
