import { expect } from 'chai';
import fc from 'fast-check';
import { fromTexture } from '../../runtime/terrain/fromTexture.js';
import { mask, slope } from '../../runtime/terrain/maskVerbs.js';
import { noise } from '../../runtime/terrain/noise.js';
import { ridge, terrace, warp } from '../../runtime/terrain/shapeVerbs.js';
import { toWeights } from '../../runtime/terrain/toTexture.js';
import { Texture } from '../../runtime/texture/texture.js';
import { toWater } from '../../runtime/terrain/toWater.js';
import { runScene } from '../support/lua.js';
import { anyGround, groundOf, hashOf, plane } from './grounds.js';

const list = ({ heights }: { heights: Float32Array }) => Array.from(heights);
const hills = noise({ width: 40, height: 30, size: [400, 300], amplitude: 50, seed: 6 });
const nearGround = (side: number) => anyGround(side).filter(({ report }) => Math.abs(report.max) < 2000);
const holed = fromTexture(
  Texture.create({ width: 4, height: 1, format: 'r32f', data: (col) => (col === 1 ? -1 : col) }),
  { nodata: -1 },
);

describe('terrain.terrace', () => {
  it('stands on multiples of the step, level, with upright risers at sharpness 1', () => {
    const ramp = groundOf(12, 1, (col) => col - 3);
    expect(list(terrace(ramp, { step: 4, sharpness: 1 }))).to.deep.equal([
      ...[-4, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8],
    ]);
    expect(hashOf(terrace(hills, { step: 7, sharpness: 0 }))).to.equal(hashOf(hills));
  });

  it('moves a height by at most half a step and keeps the order', () => {
    const option = fc.record({
      step: fc.double({ min: 0.1, max: 500, noNaN: true }),
      sharpness: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(nearGround(6), option, (ground, options) => {
        const made = list(terrace(ground, options));
        const pairs = made.map((h, i) => [ground.heights[i], h]).sort(([a], [b]) => a - b);
        pairs.forEach(([before, after], i) => {
          expect(Math.abs(after - before)).to.be.at.most(options.step / 2 + 1e-3);
          if (i > 0) expect(after).to.be.at.least(pairs[i - 1][1] - 1e-3);
        });
      }),
      { numRuns: 100 },
    );
  });

  it('refuses a step that is none', () => {
    expect(() => terrace(hills, { step: 0 })).to.throw('terrain.terrace: step must be a finite number in');
    expect(() => terrace(hills, { step: 1, sharpness: 2 })).to.throw(
      'sharpness must be a finite number in 0..1',
    );
  });
});

describe('terrain.ridge', () => {
  it('folds at the level, which nothing then passes', () => {
    const ramp = groundOf(5, 1, (col) => col * 10);
    expect(list(ridge(ramp))).to.deep.equal([0, 10, 20, 10, 0]);
    expect(list(ridge(ramp, { level: 30 }))).to.deep.equal([0, 10, 20, 30, 20]);
    expect(list(ridge(ramp, { level: 30, valleys: true }))).to.deep.equal([60, 50, 40, 30, 40]);
    const rounded = ridge(hills, { level: 5, round: 8 });
    const sharp = ridge(hills, { level: 5 });
    rounded.heights.forEach((h, i) => {
      expect(h).to.be.within(sharp.heights[i] - 1e-4, 5);
      expect(h - sharp.heights[i]).to.be.at.most(8);
    });
  });

  it('refuses what is no level, and a fold rounded below 0', () => {
    expect(() => ridge(hills, { level: NaN })).to.throw(
      'terrain.ridge: level must be a finite number, got NaN',
    );
    expect(() => ridge(hills, { round: -1 })).to.throw('round must be a finite number in 0..');
    expect(() => ridge(hills, { valleys: 1 as never })).to.throw('valleys must be true or false, got 1');
  });
});

describe('terrain.warp', () => {
  it('has no new heights, and none from further than the amplitude', () => {
    fc.assert(
      fc.property(
        nearGround(8),
        fc.integer(),
        fc.double({ min: 0, max: 9, noNaN: true }),
        (ground, seed, amplitude) => {
          const warped = warp(ground, { amplitude, seed });
          const { width, height } = ground;
          const away = Math.ceil(amplitude) + 1;
          warped.heights.forEach((h, at) => {
            const [col, row] = [at % width, Math.floor(at / width)];
            let [low, high] = [Infinity, -Infinity];
            for (let z = Math.max(0, row - away); z <= Math.min(height - 1, row + away); z++)
              for (let x = Math.max(0, col - away); x <= Math.min(width - 1, col + away); x++) {
                low = Math.min(low, ground.heights[z * width + x]);
                high = Math.max(high, ground.heights[z * width + x]);
              }
            expect(h).to.be.within(low, high);
          });
        },
      ),
      { numRuns: 80 },
    );
  });

  it('moves a plane by its slope times what noise says, and nothing at amplitude 0', () => {
    expect(hashOf(warp(hills, { amplitude: 0 }))).to.equal(hashOf(hills));
    const slanted = plane(64, 64, [640, 640], [0, 0.5, 0]);
    const warped = warp(slanted, { amplitude: 40, frequency: 2, seed: 3 });
    const moved = warped.heights.map((h, i) => Math.abs(h - slanted.heights[i]));
    expect(Math.max(...moved)).to.be.within(5, 20);
    expect(hashOf(warp(slanted, { amplitude: 40, frequency: 2, seed: 3 }))).to.equal(hashOf(warped));
    expect(hashOf(warp(slanted, { amplitude: 40, frequency: 2, seed: 4 }))).to.not.equal(hashOf(warped));
  });

  it('takes coverage along, and refuses bad numbers', () => {
    expect(Array.from(warp(holed, { amplitude: 0 }).coverage!)).to.deep.equal([1, 0, 1, 1]);
    expect(() => warp(hills, {} as never)).to.throw('terrain.warp: amplitude must be a finite number in 0..');
    expect(() => warp(hills, { amplitude: 1, frequency: 0 })).to.throw('frequency must be');
  });
});

describe('terrain.slope and terrain.mask', () => {
  it('slope is that of the plane, in degrees', () => {
    const steep = slope(plane(9, 7, [90, 14], [3, 0.6, -0.8]));
    for (const h of steep.heights) expect(h).to.be.closeTo(45, 1e-4);
    expect(list(slope(groundOf(1, 1, () => 7)))).to.deep.equal([0]);
  });

  it('a mask is 1 within its band, falls smoothly over `soft`, and is 0 outside', () => {
    const ramp = groundOf(9, 1, (col) => col);
    expect(list(mask(ramp, { height: [3, 5] }))).to.deep.equal([0, 0, 0, 1, 1, 1, 0, 0, 0]);
    expect(list(mask(ramp, { height: [3, undefined], soft: { height: 2 } }))).to.deep.equal([
      ...[0, 0, 0.5, 1, 1, 1, 1, 1, 1],
    ]);
    expect(list(mask(ramp, { slope: [undefined, 44] }))).to.deep.equal(Array(9).fill(0));
    expect(list(mask(ramp, { slope: [undefined, 46], height: [8, undefined] }))[8]).to.equal(1);
  });

  it('curvature tells a dome from a bowl, by 1 over its radius', () => {
    const radius = 200;
    const dome = groundOf(21, 21, (col, row) => -((col - 10) ** 2 + (row - 10) ** 2) / (2 * radius));
    const on = (low: number, high: number) => mask(dome, { curvature: [low, high] }).report.min;
    expect(on(0.99 / radius, 1.01 / radius)).to.equal(1);
    const bowl = groundOf(21, 21, (col, row) => ((col - 10) ** 2 + (row - 10) ** 2) / (2 * radius));
    expect(mask(bowl, { curvature: [undefined, 0] }).report.min).to.equal(1);
    expect(mask(bowl, { curvature: [0, undefined] }).report.max).to.equal(0);
  });

  it('weights stay in 0..1 on any ground', () => {
    fc.assert(
      fc.property(anyGround(6), (ground) => {
        const weights = mask(ground, {
          ...{ height: [-10, 10], slope: [5, 30], curvature: [undefined, 0.1] },
          soft: { height: 50, slope: 20, curvature: 5 },
        });
        for (const h of weights.heights) expect(h).to.be.within(0, 1);
      }),
      { numRuns: 100 },
    );
  });

  it('refuse bands that are none', () => {
    const fails = (options: object, message: string) =>
      expect(() => mask(hills, options)).to.throw(`terrain.mask: ${message}`);
    fails({}, 'the second argument must be a table with height, slope or curvature');
    fails({ height: [5, 3] }, 'height must be a band with low at most high, got { 5, 3 }');
    fails({ height: [] }, 'height must be a band with low or high');
    fails({ slope: 30 }, 'slope must be a band { low, high }, got 30');
    fails({ slope: [NaN] }, 'slope.low must be a finite number, got NaN');
    fails(
      { height: [0, 1], soft: { height: -1 } },
      'soft.height must be a finite number of at least 0, got -1',
    );
    fails({ height: [0, 1], soft: { slope: 1 } }, 'soft.slope must be left out where there is no slope');
    fails({ hight: [0, 1] }, 'there is no field "hight" (did you mean "height"?)');
  });
});

describe('terrain.to_weights', () => {
  const constant = (value: number) => groundOf(2, 1, () => value, [20, 10]);

  it('makes a channel of each ground, 0..1 as 0..255', () => {
    const one = toWeights([groundOf(5, 1, (col) => [-1, 0, 0.5, 1, 2][col])]);
    expect([one.format, ...one.data]).to.deep.equal(['r8', 0, 0, 128, 255, 255]);
    expect(toWeights([constant(1), constant(0)]).format).to.equal('rg8');
    const three = toWeights([constant(1), constant(0.2), constant(0)]);
    expect([three.format, ...three.data]).to.deep.equal(['rgba8', 255, 51, 0, 0, 255, 51, 0, 0]);
    expect(three.size).to.deep.equal([20, 10]);
    expect(Array.from(toWeights([holed]).data)).to.deep.equal([0, 0, 255, 255]);
  });

  it('refuses none, five, and unlike rects', () => {
    expect(() => toWeights([])).to.throw('terrain.to_weights: give one to four grounds, got 0');
    expect(() => toWeights(Array(5).fill(constant(1)))).to.throw('got 5');
    expect(() => toWeights([constant(1), hills])).to.throw('both grounds must have the same texels and size');
  });

  it('from Lua, with the other verbs, as weights of layers', async () => {
    const { lines } = await runScene(`
      local hills = terrain.warp(terrain.noise { width = 64, height = 64, size = { 640, 640 }, amplitude = 60 }, { amplitude = 30 })
      local ground = terrain.terrace(terrain.ridge(hills, { round = 4 }), { step = 12 })
      local steep = terrain.mask(ground, { slope = { low = 30 }, soft = { slope = 8 } })
      local high = terrain.mask(ground, { height = { 0, 50 }, curvature = { high = 1 } })
      local weights = terrain.to_weights(steep, high)
      local land = entity.create().component.add("Terrain", { texture = terrain.to_texture(ground) })
      land.layers = { { name = "grass" }, { name = "rock", weights = weights, channel = 1 }, { name = "snow", weights = weights, channel = 2 } }
      local at = land:heightfield():layersAt(10, 20)
      print(weights.format, at.grass + at.rock + at.snow > 0.99)
      print(terrain.slope(ground).report.source)
      for _, bad in ipairs { { slope = "x" }, { slope = { low = 1, hi = 2 } }, {} } do print(select(2, pcall(terrain.mask, ground, bad))) end
      print(select(2, pcall(terrain.to_weights, steep, 1)))
      print(select(2, pcall(terrain.terrace, ground)))
    `);
    expect(lines.slice(0, 2)).to.deep.equal(['rg8\ttrue', 'terrain.slope']);
    expect(lines[2]).to.contain('slope must be a band { low, high }, got "x"');
    expect(lines[3]).to.contain('slope must be a band { low, high }, got');
    expect(lines[4]).to.contain('the second argument must be a table with height, slope or curvature');
    expect(lines[5]).to.contain('to_weights: b must be a ground, got 1');
    expect(lines[6]).to.contain('options must be a table');
  });
});

describe('terrain.to_water', () => {
  const slanted = plane(6, 4, [60, 40], [100, -0.25, 0]);
  const flow = groundOf(6, 4, (col) => col * 100, [60, 40]);

  it('stands where enough drains by, deeper downstream, and runs downhill', () => {
    const water = toWater(slanted, flow, { catchment: 200, depth: 0.5 });
    expect([water.format, ...water.size!]).to.deep.equal(['rgba32f', 60, 40]);
    let before = 0;
    for (let col = 0; col < 6; col++) {
      const [surface, x, z, coverage] = water.data.subarray(col * 4, col * 4 + 4);
      expect(coverage).to.equal(col >= 2 ? 1 : 0);
      const deep = surface - slanted.heights[col];
      if (col < 2) expect([deep, x, z]).to.deep.equal([0, 0, 0]);
      else {
        expect(deep).to.be.above(before);
        expect(z).to.equal(0);
        expect(x).to.be.closeTo(4, 1e-5);
        before = deep;
      }
    }
    expect(water.data[8] - slanted.heights[2]).to.be.closeTo(0.5, 1e-4);
    // A hundredth of the ground is 24 m²: wet from the second column on.
    expect(toWater(slanted, flow).data[7]).to.equal(1);
  });

  it('is water of a Terrain, and refuses what is none', async () => {
    expect(() => toWater(slanted, hills)).to.throw('both grounds must have the same texels and size');
    expect(() => toWater(slanted, flow, { depth: 0 })).to.throw(
      'terrain.to_water: depth must be a finite number above 0',
    );
    expect(() => toWater(slanted, flow, { catchment: NaN })).to.throw(
      'catchment must be a finite number above 0',
    );
    const { lines } = await runScene(`
      local ground, flow = terrain.erode(terrain.noise { width = 64, height = 64, size = { 1280, 1280 }, amplitude = 150 }, { iterations = 120 })
      local tex = terrain.to_texture(ground)
      local land = entity.create().component.add("Terrain", { texture = tex, water = terrain.to_water(ground, flow, { catchment = 50000 }) })
      local hf, wet = land:heightfield(), 0
      for x = -620, 620, 20 do for z = -620, 620, 20 do
        local surface = hf:waterAt(x, z)
        if surface and surface > hf:heightAt(x, z) then wet = wet + 1 end
      end end
      print(wet > 30 and wet < 1500)
    `);
    expect(lines).to.deep.equal(['true']);
  });
});
