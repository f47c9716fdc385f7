// A lost device: the page goes on with another one, and every kind of thing that a scene may hold is there again, to the byte.
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { canvasPicture } from '../support/page.js';
import { largestDifference } from '../support/picture.js';
import { HEIGHT, WIDTH, withRuntime } from '../support/pageRuntime.js';

/** Takes the device away and waits until the scene is on another one. */
const lose = (page: Page) =>
  page.evaluate(async () => {
    const { runtime } = window.kept;
    const restored = new Promise((resolve) => runtime.on('restored', () => resolve(undefined)));
    runtime.engine.gpu.device.destroy();
    await restored;
  });

/** The canvas once nothing is under way. */
async function settled(page: Page): Promise<Awaited<ReturnType<typeof canvasPicture>>> {
  await page.evaluate(async () => {
    const { runtime, rest } = window.kept;
    // What a frame begins (a bake) is seen by a later one.
    for (let round = 0; round < 4; round++) {
      await runtime.step(0);
      while (runtime.engine.busy) await rest(20);
    }
    await runtime.step(0);
    await runtime.engine.gpu.settle();
    await rest(100);
  });
  return canvasPicture(page);
}

/** Ground of 64 m with everything else on it; small, as a processor draws it. */
const GROUND = `
  local hills = terrain.noise { width = 48, height = 48, size = { 64, 64 }, amplitude = 6, frequency = 2, seed = 3 }
  local ground = entity.create("land")
  local land = ground.component.add("Terrain", { texture = terrain.to_texture(hills) })
  local function check(low, high)
    return texture.create { width = 16, height = 16, format = "rgba8", data = function(col, row)
      local v = (col // 4 + row // 4) % 2 == 0 and low or high
      return v, v // 2, 40, 255
    end }
  end
  camera.main().position = { -30, 22, 34 } camera.main():lookAt { 0, 0, 0 }`;

/** Scenes that hold what the processor and what kernels make, in every way. */
const SCENES: Record<string, string> = {
  'bare ground with its shadows and a ball': `${GROUND}
    local ball = entity.create("ball", { position = { 4, 8, 4 } })
    ball.component.add("Model", { mesh = renderer.mesh.sphere { radius = 3 } })`,
  'models that nothing makes anew, in each other’s shadow': `
    entity.create("floor").component.add("Model", { mesh = renderer.mesh.plane { width = 20, depth = 20 } })
    local post = entity.create("post", { position = { 0, 1.5, 0 } })
    post.component.add("Model", { mesh = renderer.mesh.box { size = { 1, 3, 1 } } })
    camera.main().position = { 6, 6, 9 } camera.main():lookAt { 0, 0, 0 }`,
  'layers with maps, and a model with maps': `${GROUND}
    local weights = texture.create { width = 8, height = 8, format = "r8", data = function(col) return col * 36 end }
    land.layers = { { name = "a", material = { albedoMap = check(60, 200), tile = 4 } },
      { name = "b", weights = weights, channel = 1, material = { albedoMap = check(10, 90), tile = 3 } } }
    local box = entity.create("box", { position = { 0, 8, 0 } })
    box.component.add("Model", { mesh = renderer.mesh.box { size = { 6, 6, 6 } },
      material = renderer.material.create { albedoMap = check(30, 250) } })`,
  'scattered things and water': `${GROUND}
    ground.component.add("Scatter", { mesh = renderer.mesh.box { size = { 1, 2, 1 } }, density = 0.05 })
    ground.component.add("Water", { level = 0 })`,
  'tessellated surfaces and meshes of buffers': `
    local bumps = renderer.material.create { displacementMap = texture.create { width = 8, height = 8, format = "r16",
      data = function(col, row) return (col * 7 + row * 13) % 16 * 4000 end } }
    local tile = entity.create("tile")
    tile.component.add("Model", { mesh = renderer.mesh.plane { width = 8, depth = 8, columns = 2, rows = 2 }, material = bumps })
    tile.component.add("Tessellation", { level = 3, displacementScale = 1 })
    local words = {}
    for _, at in ipairs { { 0, 0 }, { 2, 0 }, { 0, 2 } } do
      for _, word in ipairs { at[1], at[2] + 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0.2, 0.1, 1, 0, 0, 0, 0, 0 } do
        words[#words + 1] = word
      end
    end
    local create = renderer.buffer.create
    local own = renderer.mesh.create { vertexBuffer = create { data = words }, indexBuffer = create { data = { 0, 1, 2 }, type = "u32" } }
    entity.create("own").component.add("Model", { mesh = own })
    camera.main().position = { 4, 6, 9 } camera.main():lookAt { 0, 0, 0 }`,
};

describe('a lost device', function () {
  this.timeout(240_000);

  for (const [what, source] of Object.entries(SCENES))
    it(`gives ${what} back as they were`, async () => {
      await withRuntime({}, async (page) => {
        await page.evaluate(async (source) => {
          const { runtime } = window.kept;
          runtime.pause();
          await runtime.run({ source });
        }, source);
        const before = await settled(page);
        const bytes = await page.evaluate(() => window.kept.runtime.engine.gpu.bytes);
        expect(new Set(before.data).size).to.be.greaterThan(40);
        await lose(page);
        const after = await settled(page);
        expect([after.width, after.height]).to.deep.equal([WIDTH, HEIGHT]);
        expect(largestDifference(before, after)).to.equal(0);
        // Once more, and the scene is alive: what is edited after is drawn as edited.
        await lose(page);
        expect(largestDifference(before, await settled(page))).to.equal(0);
        const seen = await page.evaluate(() => ({
          bytes: window.kept.runtime.engine.gpu.bytes,
          events: window.kept.events
            .map(([name]) => name)
            .filter((name) => name !== 'print' && name !== 'ready'),
        }));
        expect(seen.bytes).to.equal(bytes);
        expect(seen.events).to.deep.equal(['lost', 'restored', 'lost', 'restored']);
      });
    });

  it('between frames of a scene that moves is a pause: scripts keep their state, and edits go on', async () => {
    const source = `
      local heights = terrain.noise { width = 32, height = 32, size = { 64, 64 }, amplitude = 4, seed = 2 }
      hf = entity.create("land").component.add("Terrain", { texture = terrain.to_texture(heights) }):heightfield()
      count = 0
      scene.onUpdate(function() count = count + 1 end)
      function dig() hf:setHeights(10, 10, 4, 4, { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 }) return hf:heightAt(-10, -10) end`;
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async (source) => {
        const { runtime, shown, events } = window.kept;
        await runtime.run({ source });
        await shown();
        const before = runtime.lua.get('count') as number;
        const restored = new Promise((resolve) => runtime.on('restored', () => resolve(undefined)));
        runtime.engine.gpu.device.destroy();
        const dug = await runtime.lua.call('dig').catch((error: Error) => error.message);
        await restored;
        for (let i = 0; i < 3; i++) await shown();
        const after = runtime.lua.get('count') as number;
        const { draws } = runtime.stats();
        return { grew: after - before, dug, draws, errors: events.filter(([name]) => name === 'error') };
      }, source),
    );
    expect(seen.errors).to.deep.equal([]);
    expect(seen.grew).to.be.greaterThan(2);
    expect(seen.draws).to.be.greaterThan(1);
    expect(seen.dug).not.to.match(/lost/);
  });

  it('during a load, before the first frame, and twice in a row, ends in the same picture', async () => {
    const source = Object.values(SCENES)[0];
    const pictures = [];
    for (const losses of [[], [30], [150, 200]]) {
      pictures.push(
        await withRuntime({}, async (page) => {
          await page.evaluate(
            async ({ source, losses }) => {
              const { runtime, rest } = window.kept;
              let live = 0;
              runtime.on('restored', () => live++);
              const running = runtime.run({ source });
              for (const pause of losses) {
                await rest(pause);
                runtime.engine.gpu.device.destroy();
              }
              await running;
              while (runtime.engine.gpu.lost !== null || live < Math.min(losses.length, 1)) await rest(20);
              runtime.pause();
            },
            { source, losses },
          );
          return settled(page);
        }),
      );
    }
    for (const picture of pictures.slice(1)) expect(largestDifference(pictures[0], picture)).to.equal(0);
  });

  it('that cannot be replaced, or is lost again and again, is told once as an error', async () => {
    const seen = await withRuntime({}, (page) =>
      page.evaluate(async () => {
        const { runtime, events, rest } = window.kept;
        await runtime.run({ source: '' });
        for (let i = 0; i < 6; i++) {
          const restored = new Promise((resolve) => runtime.on('restored', () => resolve(undefined)));
          runtime.engine.gpu.device.destroy();
          await Promise.race([restored, rest(3000)]);
        }
        return events.filter(([name]) => name === 'error').map(([, message]) => message);
      }),
    );
    expect(seen).to.have.length(1);
    expect(seen[0]).to.match(/^the GPU device was lost 6 times within 60 s, the last time as destroyed/);
  });
});
