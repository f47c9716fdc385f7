import { expect } from 'chai';
import fc from 'fast-check';
import { noise, type NoiseOptions } from '../../runtime/terrain/noise.js';
import { hashOf } from './grounds.js';

/** sha256 of the float32 heights: they hold on every engine, as only exact arithmetic goes into them. */
const STORED: [options: NoiseOptions, hash: string][] = [
  [{ width: 64, height: 48 }, '19468a80670d18055e08ec564f5b5c8cf8f3481cc701b9f76d45ce9b9e60d596'],
  [
    { width: 64, height: 48, seed: 12345, ridged: true, amplitude: 300 },
    '990a86a30a5d93b06db75b75d66b8bc4313496417126f983b2a239c78297b3b9',
  ],
  [
    { width: 33, height: 65, size: [900, 1800], seed: -7, octaves: 9, frequency: 2.5, amplitude: 41.7 },
    '5014078a8f3f3a6f225661c045fb1d5e4e10d18eec23b4953ca33e4193b9630c',
  ],
];

describe('terrain.noise', () => {
  it('gives the stored bits for a seed', () => {
    for (const [options, hash] of STORED)
      expect(hashOf(noise(options)), JSON.stringify(options)).to.equal(hash);
  });

  it('stays within ±amplitude, also as float32', () => {
    const any = fc.record({
      width: fc.integer({ min: 1, max: 24 }),
      height: fc.integer({ min: 1, max: 24 }),
      seed: fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }),
      octaves: fc.integer({ min: 1, max: 16 }),
      frequency: fc.double({ min: 0.01, max: 16000, noNaN: true }),
      amplitude: fc.double({ min: 0, max: 1e6, noNaN: true }),
      ridged: fc.boolean(),
    });
    fc.assert(
      fc.property(any, (options) => {
        for (const h of noise(options).heights) expect(Math.abs(h)).to.be.at.most(options.amplitude);
      }),
      { numRuns: 300 },
    );
  });

  it('is another land for another seed, and the same land at other texels', () => {
    expect(hashOf(noise({ width: 8, height: 8, seed: 1 }))).to.not.equal(
      hashOf(noise({ width: 8, height: 8, seed: 2 })),
    );
    // Three times the texels over one rect: every third centre is one of the coarse ones.
    const coarse = noise({ width: 10, height: 6, size: [100, 60], seed: 5 });
    const fine = noise({ width: 30, height: 18, size: [100, 60], seed: 5 });
    for (let row = 0; row < 6; row++) {
      for (let col = 0; col < 10; col++) {
        const same = fine.heights[(3 * row + 1) * 30 + 3 * col + 1];
        expect(same).to.be.closeTo(coarse.heights[row * 10 + col], 1e-6);
      }
    }
  });

  it('uses its reach: neither flat nor cut off', () => {
    for (const options of [{}, { octaves: 1 }, { ridged: true }]) {
      const { heights } = noise({ width: 128, height: 128, frequency: 8, ...options });
      const share = (test: (h: number) => boolean) => heights.filter(test).length / heights.length;
      expect(share((h) => Math.abs(h) > 0.3)).to.be.above(0.3);
      expect(share((h) => Math.abs(h) > 0.999)).to.be.below(0.02);
    }
  });

  it('refuses what it cannot make, by name, value and rule', () => {
    const make = (options: object) => () => noise({ width: 4, height: 4, ...options });
    expect(make({ width: 0 })).to.throw('terrain.noise: width must be an integer in 1..65536, got 0');
    expect(make({ height: NaN })).to.throw('height must be an integer in 1..65536, got NaN');
    expect(make({ width: 65536, height: 65536 })).to.throw('width × height must be at most');
    expect(make({ seed: 0.5 })).to.throw('seed must be an integer in -2147483648..4294967295, got 0.5');
    expect(make({ octaves: 0 })).to.throw('octaves must be an integer in 1..16, got 0');
    expect(make({ frequency: 0 })).to.throw('frequency must be a finite number above 0');
    expect(make({ frequency: 1e300 })).to.throw(
      'frequency must be a finite number above 0, at most 33554432',
    );
    expect(make({ amplitude: -1 })).to.throw('amplitude must be a finite number in 0..');
    expect(make({ size: [10, 0] })).to.throw('size depth must be a finite number above 0');
    expect(make({ ridged: 1 })).to.throw('ridged must be true or false, got 1');
    expect(make({ sed: 1 })).to.throw('there is no field "sed" (did you mean "seed"?)');
  });
});
