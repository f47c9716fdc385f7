import { expect } from 'chai';
import fc from 'fast-check';
import { fromTexture } from '../../runtime/terrain/fromTexture.js';
import { add, blend, clamp, map, scale } from '../../runtime/terrain/groundVerbs.js';
import { Texture } from '../../runtime/texture/texture.js';
import { toTexture } from '../../runtime/terrain/toTexture.js';
import { anyGround, groundOf, plane } from './grounds.js';

const list = ({ heights }: { heights: Float32Array }) => Array.from(heights);
const ramp = groundOf(3, 2, (col, row) => col + 10 * row, [6, 8]);

describe('terrain, texel by texel', () => {
  it('map tells a function the height and the place in metres from the centre', () => {
    const places: number[][] = [];
    const result = map(ramp, (h, x, z) => {
      places.push([x, z]);
      return h * 2;
    });
    expect(list(result)).to.deep.equal([0, 2, 4, 20, 22, 24]);
    expect(places).to.deep.equal([
      [-2, -2],
      [0, -2],
      [2, -2],
      [-2, 2],
      [0, 2],
      [2, 2],
    ]);
    expect(result.size).to.deep.equal({ width: 6, depth: 8 });
  });

  it('add, scale, clamp and blend do what they say', () => {
    expect(list(add(ramp, 1.5))).to.deep.equal([1.5, 2.5, 3.5, 11.5, 12.5, 13.5]);
    expect(list(add(ramp, ramp))).to.deep.equal(list(scale(ramp, 2)));
    expect(list(clamp(ramp, 1, 11))).to.deep.equal([1, 1, 2, 10, 11, 11]);
    expect(list(blend(ramp, scale(ramp, 3), 0.5))).to.deep.equal(list(scale(ramp, 2)));
    const weights = groundOf(3, 2, (col) => [-1, 0.5, 7][col], [6, 8]);
    expect(list(blend(ramp, add(ramp, 100), weights))).to.deep.equal([0, 51, 102, 10, 61, 112]);
  });

  it('blend stands on its first ground at 0 and on its second at 1', () => {
    fc.assert(
      fc.property(anyGround(6), (ground) => {
        const other = map(ground, (h, x) => 1e5 - h + x);
        expect(list(blend(ground, other, 0))).to.deep.equal(list(ground));
        expect(list(blend(ground, other, 1))).to.deep.equal(list(other));
      }),
      { numRuns: 50 },
    );
  });

  it('leave their grounds as they were', () => {
    const before = list(ramp);
    map(ramp, () => 5);
    add(ramp, ramp);
    expect(list(ramp)).to.deep.equal(before);
    expect(() => Object.assign(ramp, { width: 9 })).to.throw(TypeError);
  });

  it('have data where all their grounds have', () => {
    const holed = (hole: number) =>
      fromTexture(
        Texture.create({ width: 3, height: 1, format: 'r32f', data: (col) => (col === hole ? -1 : 5) }),
        { nodata: -1 },
      );
    expect(Array.from(add(holed(0), holed(2)).coverage!)).to.deep.equal([0, 1, 0]);
    expect(
      add(
        groundOf(1, 1, () => 1),
        2,
      ).coverage,
    ).to.equal(null);
  });

  it('refuse what is no ground, no number, or of another rect', () => {
    expect(() =>
      add(
        ramp,
        groundOf(3, 2, () => 0),
      ),
    ).to.throw(
      'terrain.add: both grounds must have the same texels and size, got 3×2 texels over 6×8 m and 3×2 texels over 3×2 m',
    );
    expect(() =>
      blend(
        ramp,
        ramp,
        groundOf(2, 2, () => 0),
      ),
    ).to.throw('3×2 texels over 6×8 m and 2×2 texels over 2×2 m');
    expect(() => blend(ramp, ramp, 1.5)).to.throw(
      'terrain.blend: weight must be a finite number in 0..1, got 1.5',
    );
    expect(() => scale(ramp, NaN)).to.throw('terrain.scale: factor must be a finite number, got NaN');
    expect(() => clamp(ramp, 5, 4)).to.throw(
      'terrain.clamp: high must be a finite number of at least 5, got 4',
    );
    expect(() => add(ramp, 'x' as never)).to.throw('the second argument must be a ground, got "x"');
    expect(() => map(ramp, 5 as never)).to.throw('the second argument must be a function(h, x, z), got 5');
    expect(() => map(ramp, (h) => (h === 11 ? NaN : h))).to.throw(
      "terrain.map: the function's answer at column 1, row 1 must be a finite number, got NaN",
    );
    expect(() => map(ramp, () => undefined as never)).to.throw(
      'column 0, row 0 must be a finite number, got nothing',
    );
    expect(() => scale(ramp, 1e37)).to.not.throw();
    expect(() => scale(ramp, 1e300)).to.throw(
      'heights must be finite numbers, got Infinity at column 1, row 0 (5 such texels)',
    );
  });
});

describe('terrain, of two grounds', () => {
  it('tells apart rects of which one side differs, and blends to either ground exactly', () => {
    for (const size of [
      [5, 8],
      [6, 7],
    ] as [number, number][])
      expect(() =>
        add(
          ramp,
          groundOf(3, 2, () => 0, size),
        ),
      ).to.throw('must have the same texels and size');
    const [a, b] = [1e8, 0.1].map((h) => groundOf(3, 2, () => h, [6, 8]));
    expect(list(blend(a, b, 1))).to.deep.equal(list(b));
    expect(list(blend(a, b, 0))).to.deep.equal(list(a));
  });
});

describe('terrain.to_texture', () => {
  it("has a plane's gradient in metres a metre, exact at every texel, rim included", () => {
    const texture = toTexture(plane(16, 8, [64, 16], [50, 0.25, -1.5]));
    expect(texture).to.include({ format: 'rgba32f', width: 16, height: 8 });
    expect(texture.size).to.deep.equal([64, 16]);
    for (let row = 0; row < 8; row++) {
      for (let col = 0; col < 16; col++) {
        const height = 50 + 0.25 * (col + 0.5) * 4 - 1.5 * (row + 0.5) * 2;
        expect(texture.read(col, row)).to.deep.equal([height, 0.25, -1.5, 1]);
      }
    }
  });

  it('takes central differences inside and one-sided ones at the rim', () => {
    const texture = toTexture(groundOf(4, 1, (col) => [1, 2, 6, 4][col], [8, 1]));
    expect([0, 1, 2, 3].map((col) => texture.read(col, 0)[1])).to.deep.equal([0.5, 1.25, 0.5, -1]);
  });

  it('has gradient 0 across a single texel', () => {
    expect(toTexture(groundOf(1, 1, () => 9)).read(0, 0)).to.deep.equal([9, 0, 0, 1]);
    const column = toTexture(groundOf(1, 3, (_, row) => row * row));
    expect(column.read(0, 1)).to.deep.equal([1, 0, 2, 1]);
  });

  it('carries coverage, and comes back as the same ground', () => {
    const tex = Texture.create({ width: 3, height: 1, format: 'r32f', data: [4, -1, 8] });
    const ground = fromTexture(tex, { nodata: -1, size: [30, 5] });
    const baked = toTexture(ground);
    expect([0, 1, 2].map((col) => baked.read(col, 0)[3])).to.deep.equal([1, 0, 1]);
    const back = fromTexture(baked);
    expect(list(back)).to.deep.equal(list(ground));
    expect(Array.from(back.coverage!)).to.deep.equal([1, 0, 1]);
    expect(back.size).to.deep.equal({ width: 30, depth: 5 });
  });

  it('refuses what is no ground', () => {
    expect(() => toTexture(5 as never)).to.throw(
      'terrain.to_texture: the first argument must be a ground, got 5',
    );
  });
});
