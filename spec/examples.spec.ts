// The scenes that a newcomer runs first: each runs as it lies there, and shows what it says.
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { openLua } from '../bindings/index.js';
import { createNodeHost } from '../runtime/host/node.js';
import { Runtime } from '../runtime/runtime.js';
import { SOFTWARE } from './support/gpu.js';

const WIDTH = 160;
const HEIGHT = 90;

/** Runs an example and a frame of it; `look` gets its runtime and its pixels. */
async function example(
  name: string,
  look: (runtime: Runtime, data: Uint8Array) => void | Promise<void>,
): Promise<void> {
  const host = createNodeHost({ project: 'examples' });
  const runtime = await Runtime.create({ host, software: SOFTWARE, width: WIDTH, height: HEIGHT });
  const lua = openLua(runtime, {
    failed: (error) => {
      throw error;
    },
  });
  try {
    await lua.run(readFileSync(`examples/${name}`, 'utf8'), name);
    await runtime.frame(1 / 60);
    await look(runtime, (await runtime.renderer.readPixels()).data);
  } finally {
    lua.close();
    await runtime.destroy();
  }
}

/** Part of the pixels that `test` holds for. */
function share(data: Uint8Array, test: (r: number, g: number, b: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (test(data[i], data[i + 1], data[i + 2])) count++;
  return count / (WIDTH * HEIGHT);
}

describe('examples', function () {
  this.timeout(30_000);

  it('first-ground.lua draws the volcano and a ball', () =>
    example('first-ground.lua', (runtime, data) => {
      expect(runtime.stats().passes.forward.draws).to.equal(2);
      const red = share(data, (r, g) => r > 2 * g && r > 100);
      expect(red * WIDTH * HEIGHT, 'pixels of the ball').to.be.within(3, 60);
    }));

  it('boulders.lua rolls boulders down to the fold, none through the ground or a wall', () =>
    example('boulders.lua', ({ world, fields, physics }) => {
      const [hf] = [...fields];
      const boulders = world.entities().filter(({ name }) => name === 'boulder');
      expect(boulders).to.have.length(60);
      let fallen = 0;
      for (const { position, scale } of boulders) {
        const over = position.y - hf.heightAt(position.x, position.z);
        // A sphere on a slope stands a little higher than its radius, a block on a corner 1.8 times its half side.
        expect(over, JSON.stringify(position)).to.be.within(0.5 * scale.x, 6 * scale.x);
        expect(Math.abs(position.x + 10) < 5 && Math.abs(position.z) < 6, 'in the fold').to.equal(false);
        if (position.x < 24) fallen++;
      }
      expect(fallen).to.be.greaterThan(40);
      expect(physics.stats().bodies).to.equal(60);
    }));

  it('erosion.lua draws snowy mountains over green flats, and rivers', () =>
    example('erosion.lua', (runtime, data) => {
      const { forward, water } = runtime.stats().passes;
      expect([forward.draws, water.draws]).to.deep.equal([1, 1]);
      const [land] = [...runtime.fields];
      const { low, high } = land.heightRange;
      expect(high - low).to.be.above(900);
      // Below the sky: flats of grass before slopes of rock, and pale crests.
      const lower = data.slice(WIDTH * 4 * 34);
      expect(share(lower, (r, g, b) => g > r && g > 1.2 * b)).to.be.above(0.15);
      expect(share(lower, (r, g, b) => r >= g && g >= b && b < 0.9 * r)).to.be.above(0.1);
      expect(share(lower, (r, g, b) => Math.min(r, g, b) > 165)).to.be.above(0.02);
    })).timeout(90_000);

  it('error-mesh.lua draws the same volcano with few triangles in one draw', () =>
    example('error-mesh.lua', (runtime, data) => {
      const { forward } = runtime.stats().passes;
      expect(forward.draws).to.equal(1);
      expect(forward.triangles).to.be.within(100, 3000);
      expect(share(data, (r, g, b) => r > b && g > b)).to.be.above(0.3);
    }));

  it('lake.lua draws a lake in one draw, wet where it looks wet', () =>
    example('lake.lua', (runtime, data) => {
      const { forward, water } = runtime.stats().passes;
      expect([forward.draws, water.draws]).to.deep.equal([1, 1]);
      const [land] = [...runtime.fields];
      expect(land.waterAt(100, 230)!.surface).to.equal(0);
      expect(land.waterAt(262, 84)).to.equal(null);
      // The lake in the middle of the left is bluer than it is red, the meadow in front is not.
      const at = (x: number, y: number) => data.subarray((y * WIDTH + x) * 4, (y * WIDTH + x) * 4 + 3);
      expect(at(20, 55)[2]).to.be.above(1.3 * at(20, 55)[0]);
      expect(at(80, 80)[2]).to.be.below(at(80, 80)[0]);
    }));

  it('layers.lua draws grass, rock and what lies between in one call', () =>
    example('layers.lua', (runtime, data) => {
      expect(runtime.stats().passes.forward.draws).to.equal(1);
      const sky = (r: number, g: number, b: number) => b > g && b > 1.2 * r;
      const green = (r: number, g: number, b: number) => g > r && g > 1.5 * b;
      expect(share(data, sky)).to.be.above(0.1);
      expect(share(data, green)).to.be.above(0.1);
      expect(share(data, (r, g, b) => !sky(r, g, b) && !green(r, g, b) && r < 1.4 * b)).to.be.above(0.1);
    }));

  it('scatter.lua draws a forest and rocks, and leaves the path free', () =>
    example('scatter.lua', async (runtime) => {
      expect(runtime.stats().passes.scatter.draws).to.equal(2);
      const [trees, rocks] = [...runtime.renderer.scatters];
      expect(trees.count).to.be.above(8000);
      expect(rocks.count).to.be.above(2000);
      for (const scatter of [trees, rocks]) {
        expect(await scatter.visible()).to.be.within(300, scatter.count / 1.1);
        const { places } = scatter.table();
        for (let k = 0; k < places.length; k += 3)
          expect(Math.abs(places[k + 2] - 60 * Math.sin(places[k] / 90))).to.be.above(6);
      }
    }));

  it('sinkhole.lua draws two grounds, a wall and a pool, and nothing of the sky through the hole', () =>
    example('sinkhole.lua', (runtime, data) => {
      const { forward, water } = runtime.stats().passes;
      expect([forward.draws, water.draws]).to.deep.equal([3, 1]);
      const [land] = [...runtime.fields];
      expect([land.hasGroundAt(0, 0), land.hasGroundAt(17, 0), land.hasGroundAt(19, 0)]).to.deep.equal([
        false,
        false,
        true,
      ]);
      // Below the horizon, where all sky would be seen through a gap.
      const lower = data.slice(WIDTH * 4 * 20);
      expect(share(lower, (r, _, b) => b > 200 && b > 1.1 * r)).to.equal(0);
      expect(share(lower, (r, g, b) => b > 1.8 * r && g > 1.2 * r)).to.be.within(0.02, 0.2);
    }));

  it('tessellation.lua paves a yard that grows coarser with distance, without a gap, and cuts a boulder', () =>
    example('tessellation.lua', ({ world, renderer }, data) => {
      expect(renderer.stats().passes.forward.draws).to.be.within(20, 36);
      const surfaces = world.entities().flatMap(({ position, components }) => {
        const made = components.get('Tessellation');
        return made
          ? [{ z: position.z, level: made.get('activeLevel') as number, status: made.get('status') }]
          : [];
      });
      expect(surfaces).to.have.length(36);
      expect(surfaces.every(({ status }) => status === 'ok')).to.equal(true);
      const levels = [0, -4.5].map((row) => surfaces.filter(({ z }) => z === row).map(({ level }) => level));
      expect(Math.max(...levels[0])).to.be.above(Math.min(...levels[1]));
      // Below the yard's far edge nothing of the sky is seen.
      const lower = data.slice(WIDTH * 4 * 10);
      expect(share(lower, (r, _, b) => b > 200 && b > 1.1 * r)).to.equal(0);
      expect(share(lower, (r, _, b) => r > 110 && r > b)).to.be.above(0.2);
    }));
});
