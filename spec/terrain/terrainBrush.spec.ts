import { expect } from 'chai';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { flatten, lower, raise, smooth, stamp } from '../../runtime/terrain/terrainBrush.js';
import { Texture } from '../../runtime/texture/texture.js';
import { fieldTexture, GROUNDS, type HeightOf } from '../support/terrain.js';

const open = (heightOf: HeightOf, options = {}) =>
  Heightfield.fromTexture(fieldTexture(41, 41, heightOf, [82, 82]), options);
const heightsOf = (hf: Heightfield) => Array.from({ length: 41 * 41 }, (_, k) => hf.cpu[4 * k]);

describe('terrainBrush', () => {
  it('fades with the distance from its middle, alike on all sides, to nothing at its radius', () => {
    const hf = open(GROUNDS.flat);
    raise(hf, 0, 0, { radius: 21, strength: 3 });
    expect(hf.heightAt(0, 0)).to.equal(15.5);
    for (let k = 1; k <= 20; k++) {
      const height = hf.read(20 + k, 20)[0];
      const step = hf.read(19 + k, 20)[0] - height;
      if (2 * k < 21) expect(step).to.be.greaterThan(0);
      else expect(height).to.equal(12.5);
      for (const [i, j] of [
        [20 - k, 20],
        [20, 20 + k],
        [20, 20 - k],
      ])
        expect(hf.read(i, j)[0]).to.equal(height);
    }
  });

  it('touches no height past its radius, at the rim of the field too', () => {
    const strokes = [raise, lower, smooth, flatten];
    for (const stroke of strokes)
      for (const [x, z] of [
        [0, 0],
        [-41, 39],
        [44, 3],
      ]) {
        const hf = open(GROUNDS.hilly);
        const before = heightsOf(hf);
        expect(stroke(hf, x, z, { radius: 9.3, strength: 0.8 })).to.not.equal(null);
        let touched = 0;
        heightsOf(hf).forEach((height, k) => {
          if (height === before[k]) return;
          touched++;
          const [cx, cz] = [(k % 41) * 2 - 40, Math.floor(k / 41) * 2 - 40];
          expect(Math.hypot(cx - x, cz - z)).to.be.below(9.3);
        });
        expect(touched).to.be.greaterThan(10);
      }
  });

  it('smooths towards the mean and flattens towards a height', () => {
    const spread = (hf: Heightfield) => {
      const { low, high } = hf.minMax({ minX: -5, minZ: -5, maxX: 5, maxZ: 5 });
      return high - low;
    };
    const hf = open((i, j) => ((i + j) % 2) * 10);
    const before = spread(hf);
    smooth(hf, 0, 0, { radius: 40, strength: 1 });
    expect(spread(hf)).to.be.below(before / 2);
    for (let k = 0; k < 40; k++) flatten(hf, 0, 0, { radius: 30, height: 4 });
    expect(hf.heightAt(1, -3)).to.be.closeTo(4, 1e-3);
    const other = open(GROUNDS.hilly);
    const middle = other.heightAt(2, 2);
    flatten(other, 2, 2, { radius: 8, strength: 1 });
    expect(other.heightAt(2, 2)).to.be.closeTo(middle, 1e-5);
  });

  it('stamps a picture the way it lies', () => {
    const texture = Texture.create({ width: 2, height: 2, format: 'r16', data: [0, 65535, 0, 0] });
    const hf = open(GROUNDS.flat);
    stamp(hf, 0, 0, { radius: 20, strength: 10, texture });
    // Its white quarter is to the +X and −Z.
    expect(hf.heightAt(6, -6)).to.be.greaterThan(14);
    for (const [x, z] of [
      [-10, -10],
      [-10, 10],
      [10, 10],
    ])
      expect(hf.heightAt(x, z)).to.be.closeTo(12.5, 1e-6);
  });

  it('answers null where no texel is under it, and refuses what it cannot do, changing nothing', () => {
    const hf = open(GROUNDS.flat, { heightRange: [0, 20] });
    const before = heightsOf(hf);
    expect(raise(hf, 1, 1, { radius: 1 })).to.equal(null);
    expect(raise(hf, 60, 0, { radius: 18 })).to.equal(null);
    expect(() => raise(hf, 0, 0, { radius: 5, strength: 9 })).to.throw(/heightRange \{ 0, 20 \} must hold/);
    expect(() => raise(hf, 0, NaN, { radius: 5 })).to.throw(/terrainBrush\.raise: z must be/);
    expect(() => smooth(hf, 0, 0, { radius: 5, strength: 1.1 })).to.throw(
      /terrainBrush\.smooth: strength must be/,
    );
    expect(() => lower(hf, 0, 0, { radius: 5, hight: 1 } as never)).to.throw(/hight/);
    expect(() => stamp(hf, 0, 0, { radius: 5 } as never)).to.throw(
      /terrainBrush\.stamp: texture must be a texture/,
    );
    expect(heightsOf(hf)).to.deep.equal(before);
    expect(hf.edits).to.equal(0);
  });
});
