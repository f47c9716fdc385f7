// Erosion: the kernels against their twin, what must hold on any ground (mass, reach, finite numbers), and what makes it
// erosion: water gathers as its catchment says, pits fill, slopes come down to the talus.
import { expect } from 'chai';
import fc from 'fast-check';
import { openLua } from '../../bindings/index.js';
import { erode, type Eroded, type ErodeOptions } from '../../runtime/terrain/erode.js';
import { ErodeKernels } from '../../runtime/terrain/erodeKernels.js';
import { firstState, planErosion } from '../../runtime/terrain/erosion.js';
import { ErosionTwin } from '../../runtime/terrain/erosionTwin.js';
import { fromTexture } from '../../runtime/terrain/fromTexture.js';
import type { Ground } from '../../runtime/terrain/ground.js';
import { slope } from '../../runtime/terrain/maskVerbs.js';
import { noise } from '../../runtime/terrain/noise.js';
import { Texture } from '../../runtime/texture/texture.js';
import { cleanly, freeing } from '../support/gpu.js';
import { runScene, sharedRuntime } from '../support/lua.js';
import { groundOf, hashOf } from './grounds.js';

/** Of the relief: what a kernel's few roundings (its own order of sums, fused products) come to in STEPS steps. */
const TWIN_TOLERANCE = 1e-5;
const STEPS = 8;
/** Of the mean change: after many steps rivers of two adapters may turn elsewhere at a few places, but the land is the same. */
const LONG_TOLERANCE = 0.03;
/** Of texels × (relief + height): float32 sums over a run, most of which cancel; over a few texels less so. */
const MASS_TOLERANCE = 3e-7;

const hills = (width: number, height: number, size: [number, number], amplitude: number, seed = 3) =>
  noise({ width, height, size, amplitude, seed, frequency: 2, octaves: 6 });
const relief = ({ report }: Ground) => Math.max(1e-6, report.max - report.min);
const sum = (ground: Ground) => ground.heights.reduce((total, h) => total + h, 0);
const area = ({ size, width, height }: Ground) => (size.width / width) * (size.depth / height);
const withoutData = (ground: Ground, hole: (i: number) => boolean): Ground => ({
  ...ground,
  coverage: Uint8Array.from(ground.heights, (_, i) => (hole(i) ? 0 : 1)),
});

/** Any ground that a matter of scale could upset: 1 m to 5,000 m of height, 0.1 m to 100 m a texel, oblong, a texel wide. */
const anyCase = fc.record({
  width: fc.integer({ min: 1, max: 24 }),
  height: fc.integer({ min: 1, max: 24 }),
  texelX: fc.constantFrom(0.1, 1, 30, 100),
  texelZ: fc.constantFrom(0.1, 1, 30, 100),
  amplitude: fc.constantFrom(0, 1, 50, 5000),
  holes: fc.boolean(),
  options: fc.record({
    seed: fc.integer(),
    hydraulic: fc.constantFrom(0, 1, 10),
    thermal: fc.constantFrom(0, 0.5, 1),
    talus: fc.constantFrom(1, 42, 89),
    rain: fc.constantFrom(0.01, 1, 100),
    capacity: fc.constantFrom(0, 1, 100),
    evaporation: fc.constantFrom(0, 0.001, 1),
    closed: fc.boolean(),
  }),
});
const groundOfCase = ({
  width,
  height,
  texelX,
  texelZ,
  amplitude,
  holes,
  options,
}: CaseOf<typeof anyCase>) => {
  const ground = hills(width, height, [width * texelX, height * texelZ], amplitude, options.seed);
  return holes ? withoutData(ground, (i) => i % 7 === 3) : ground;
};
type CaseOf<T> = T extends fc.Arbitrary<infer V> ? V : never;

function expectKept(
  before: Ground,
  { ground, flow, sediment, suspended, carriedOff }: Eroded,
  closed: boolean,
) {
  const lost = (sum(before) - sum(ground)) * area(before) - suspended - carriedOff;
  const scale = before.heights.length * (relief(before) + Math.abs(before.report.max)) * area(before);
  expect(Math.abs(lost) / scale, 'mass').to.be.at.most(MASS_TOLERANCE);
  expect(suspended).to.be.at.least(0);
  if (closed) expect(carriedOff).to.equal(0);
  for (const { heights } of [flow, sediment]) for (const h of heights) expect(h).to.be.at.least(0);
}

describe('terrain.erode', function () {
  this.timeout(60_000);

  it('does the same in the kernels and in their twin, texel for texel', async () => {
    const cases: [Ground, ErodeOptions][] = [
      [hills(40, 40, [800, 800], 200), {}],
      [hills(64, 5, [640, 500], 90), { closed: true, rain: 3 }],
      [hills(1, 50, [1, 50], 5), { talus: 10 }],
      [hills(37, 1, [3700, 10], 900), {}],
      [withoutData(hills(30, 30, [300, 300], 60), (i) => i % 11 < 3), { seed: 9, evaporation: 0.2 }],
      [hills(16, 16, [1.6, 1.6], 5000), { hydraulic: 10, capacity: 0.1 }],
    ];
    await cleanly(async (gpu) => {
      for (const [ground, options] of cases) {
        const { erosion } = planErosion('spec', ground, options);
        const { state } = firstState(ground, erosion.rain);
        const [kernels, twin] = [
          await ErodeKernels.create(gpu, erosion, state),
          new ErosionTwin(erosion, state),
        ];
        kernels.run(STEPS, STEPS);
        twin.run(STEPS, STEPS);
        const [got, expected] = [await kernels.read(), twin.read()];
        kernels.destroy();
        const off = (a: Float32Array, b: Float32Array) =>
          a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i])), 0);
        const name = `${ground.width}×${ground.height}`;
        const most = TWIN_TOLERANCE * relief(ground);
        expect(off(got.state, expected.state), `${name} state`).to.be.at.most(most);
        expect(off(got.gone, expected.gone), `${name} gone`).to.be.at.most(most);
        expect(off(got.flow, expected.flow), `${name} flow`).to.be.at.most(1e-3);
        expect(off(got.state, state), 'it changed').to.be.above(100 * most);
      }
    });
  });

  it('comes to the same land on both after many steps', () =>
    freeing(async (gpu) => {
      const before = hills(48, 48, [960, 960], 200);
      const options = { iterations: 120 };
      const [a, b] = [
        await erode(gpu, before, options, { by: 'gpu' }),
        await erode(gpu, before, options, { by: 'cpu' }),
      ];
      const apart = (p: Ground, q: Ground) =>
        p.heights.reduce((total, h, i) => total + Math.abs(h - q.heights[i]), 0);
      expect(apart(a.ground, b.ground) / apart(a.ground, before)).to.be.at.most(LONG_TOLERANCE);
      for (const eroded of [a, b]) expectKept(before, eroded, false);
    }));

  it('gives the same bits again, other rain for another seed, and leaves its ground as it was', () =>
    freeing(async (gpu) => {
      const before = hills(32, 24, [640, 480], 150);
      const hash = hashOf(before);
      for (const by of ['gpu', 'cpu'] as const) {
        const once = async (seed: number) => {
          const { ground, flow, sediment } = await erode(gpu, before, { seed, iterations: 20 }, { by });
          return [ground, flow, sediment].map(hashOf);
        };
        expect(await once(1)).to.deep.equal(await once(1));
        expect((await once(1))[0]).to.not.equal((await once(2))[0]);
      }
      expect(hashOf(before)).to.equal(hash);
    }));

  it('keeps all that was there, within the heights that were there, on any ground', () =>
    cleanly((gpu) =>
      fc.assert(
        fc.asyncProperty(anyCase, async (any) => {
          const before = groundOfCase(any);
          const eroded = await erode(gpu, before, { ...any.options, iterations: 40 }, { by: 'cpu' });
          expectKept(before, eroded, any.options.closed);
          const { min, max } = before.report;
          // Sediment fills a texel up to its water, which 40 steps of rain have deepened by so much at most.
          const water =
            60 * 1e-6 * any.options.rain * Math.sqrt(any.texelX * any.texelZ) * before.heights.length;
          const slack = 1e-6 * relief(before);
          before.heights.forEach((h, i) => {
            if (before.coverage?.[i] === 0) expect(eroded.ground.heights[i]).to.equal(h);
            else expect(eroded.ground.heights[i]).to.be.within(min - slack, max + slack + water);
          });
          expect(eroded.ground.size).to.deep.equal(before.size);
        }),
        { numRuns: 150 },
      ),
    ));

  it('leaves flat ground as it is, to the bit', () =>
    freeing(async (gpu) => {
      for (const by of ['gpu', 'cpu'] as const)
        for (const level of [0, -31.7, 4810.3]) {
          const flat = groundOf(20, 9, () => level);
          const { ground, sediment } = await erode(gpu, flat, { iterations: 30 }, { by });
          expect(hashOf(ground)).to.equal(hashOf(flat));
          expect(sediment.report.max).to.equal(0);
        }
    }));

  it('gathers the rain of what lies above: flow is a catchment in square metres', () =>
    freeing(async (gpu) => {
      const ramp = groundOf(1, 60, (_, row) => -3 * row, [4, 240]);
      const { flow } = await erode(gpu, ramp, { hydraulic: 0, thermal: 0, evaporation: 0, iterations: 200 });
      flow.heights.forEach((h, row) => expect(h / (16 * (row + 1)), `row ${row}`).to.be.closeTo(1, 0.12));
      // A valley between two slopes: half of each slope's rain, and more further down, runs in its middle.
      const valley = groundOf(41, 40, (col, row) => 4 * Math.abs(col - 20) - row, [410, 400]);
      const gathered = (await erode(gpu, valley, { hydraulic: 0, thermal: 0, evaporation: 0 })).flow.heights;
      const middle = [5, 15, 25, 35].map((row) => gathered[row * 41 + 20]);
      for (let k = 1; k < 4; k++) expect(middle[k]).to.be.above(1.3 * middle[k - 1]);
      expect(middle[3]).to.be.within(0.6 * 36 * 41 * 100, 36 * 41 * 100 * 1.05);
    }));

  it('makes rough ground drain: pits fill, and valleys lead down', () =>
    freeing(async (gpu) => {
      const before = hills(96, 96, [1920, 1920], 150);
      const { ground } = await erode(gpu, before);
      const pits = ({ heights, width, height }: Ground) => {
        let count = 0;
        for (let row = 1; row < height - 1; row++)
          for (let col = 1; col < width - 1; col++) {
            const at = row * width + col;
            const around = [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1];
            if (around.every((to) => heights[at + to] > heights[at])) count++;
          }
        return count;
      };
      expect(pits(before)).to.be.above(100);
      expect(pits(ground)).to.be.below(0.4 * pits(before));
    }));

  it('lets what is too steep slide to the talus and no further', () =>
    freeing(async (gpu) => {
      const cliff = groundOf(40, 3, (col) => (col < 20 ? 12 : 0));
      const { ground, sediment } = await erode(gpu, cliff, {
        ...{ hydraulic: 0, talus: 30, iterations: 2000, closed: true },
      });
      const steepest = slope(ground).report.max;
      expect(steepest).to.be.within(28, 31);
      expect(ground.heights[0]).to.equal(12);
      expect(sediment.heights[40 + 24]).to.be.closeTo(ground.heights[40 + 24], 1e-3);
      const gentle = groundOf(10, 10, (col) => col * 0.5);
      const still = await erode(gpu, gentle, { hydraulic: 0, talus: 30, iterations: 50 });
      expect(hashOf(still.ground)).to.equal(hashOf(gentle));
    }));

  it('refuses before it begins, by name, rule and value', async () => {
    await freeing(async (gpu) => {
      const ground = hills(8, 8, [8, 8], 2);
      const fails = async (options: object, message: string, on = ground) => {
        let told = '';
        await erode(gpu, on, options).catch((error: Error) => (told = error.message));
        expect(told).to.contain(message);
      };
      await fails({ iterations: 0 }, 'terrain.erode: iterations must be an integer in 1..20000, got 0');
      await fails({ iterations: NaN }, 'iterations must be an integer in 1..20000, got NaN');
      await fails({ hydraulic: -1 }, 'hydraulic must be a finite number in 0..10, got -1');
      await fails({ hydraulic: NaN }, 'hydraulic must be a finite number in 0..10, got NaN');
      await fails({ thermal: 1.5 }, 'thermal must be a finite number in 0..1, got 1.5');
      await fails({ talus: 90 }, 'talus must be a finite number in 1..89, got 90');
      await fails({ rain: 0 }, 'rain must be a finite number above 0, at most 100, got 0');
      await fails({ evaporation: 2 }, 'evaporation must be a finite number in 0..1, got 2');
      await fails({ seed: 0.5 }, 'seed must be an integer');
      await fails({ closed: 1 }, 'closed must be true or false, got 1');
      await fails({ progress: 3 }, 'progress must be a function(done, iterations), got 3');
      await fails({ strenght: 1 }, 'there is no field "strenght"');
      await fails({}, 'the first argument must be a ground', {} as Ground);
      await fails({}, 'a texel along X (size / texels, metres) must be', hills(8, 8, [1e9, 8], 2));
      await fails({}, 'the relief of the ground must be at most 1000000 metres', hills(8, 8, [8, 8], 1e9));
      const large = fromTexture(new Texture(8192, 2048, 'r32f', new Float32Array(2 ** 24)));
      await fails({ iterations: 20000 }, 'iterations must be at most 8192 for 8192×2048 texels', large);
      const small = Object.create(gpu, {
        limits: { value: { maxBufferSize: 512, maxStorageBufferBindingSize: 512 } },
      });
      let told = '';
      await erode(small, ground).catch((error: Error) => (told = error.message));
      expect(told).to.equal(
        'terrain.erode: the state of 8×8 texels takes 1024 bytes, and a buffer of this adapter holds at most 512',
      );
    });
  });

  it('ends when it is told to stop, or by what progress throws, and frees what it took', () =>
    freeing(async (gpu) => {
      const ground = hills(32, 32, [320, 320], 40);
      for (const by of ['gpu', 'cpu'] as const) {
        const told: number[] = [];
        const options = { iterations: 1000, progress: (done: number) => told.push(done) };
        let message = '';
        await erode(gpu, ground, options, { by, stopped: () => told.length >= 2 }).catch(
          (error: Error) => (message = error.message),
        );
        expect(message).to.match(/^terrain.erode: the scene was closed after \d+ of 1000 steps$/);
        expect(told).to.have.length(2);
        const full = () => {
          throw new Error('enough');
        };
        await erode(gpu, ground, { progress: full }, { by }).catch(
          (error: Error) => (message = error.message),
        );
        expect(message).to.equal('enough');
      }
    }));

  it('waits: a budget of a fraction of its time is not passed', async () => {
    const lines: string[] = [];
    const lua = openLua(await sharedRuntime(), { budgetMs: 150, print: (line) => lines.push(line) });
    try {
      await lua.run(
        `local hills = terrain.noise { width = 8, height = 8, size = { 5000, 5000 }, amplitude = 300 }
        local fine = terrain.resample(hills, { width = 96, height = 96 })
        print(terrain.erode(fine, { iterations = 400 }).width)`,
        'budget.lua',
      );
    } finally {
      lua.close();
    }
    expect(lines).to.deep.equal(['96']);
  });

  it('from Lua: three grounds, progress that may wait, and its errors at the line', async () => {
    const { lines } = await runScene(`
      local hills = terrain.noise { width = 40, height = 30, size = { 400, 300 }, amplitude = 40 }
      local last
      local ground, flow, sediment = terrain.erode(hills, { iterations = 300, seed = 2, progress = function(done, all)
        assert(math.type(done) == "integer" and (last or 0) < done and all == 300)
        last = done
      end })
      print(last, ground.width, flow.height, sediment.size.width, ground.report.source)
      local tex = terrain.to_weights(terrain.mask(flow, { height = { 500 }, soft = { height = 100 } }))
      print(tex.format, tex.width)
      print(pcall(terrain.erode, hills, { talus = 0 }))
      print(pcall(terrain.erode, hills, { progress = function() error("enough", 0) end }))
      print(pcall(terrain.erode, 7))
    `);
    expect(lines[0]).to.equal('300\t40\t30\t400.0\tterrain.erode');
    expect(lines[1]).to.equal('r8\t40');
    expect(lines[2]).to.contain('talus must be a finite number in 1..89, got 0');
    expect(lines[3]).to.contain('enough');
    expect(lines[4]).to.contain('ground must be a ground, got 7');
  });
});
