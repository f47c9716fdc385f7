// What the sun's shadows cost a frame: hills with 200 boxes under a low sun, with them and without, in one process and in
// frames that take turns; and each map's pass where passes can be timed.
// `npm run bench shadows`
import { openLua } from '../bindings/index.js';
import { PassTimer } from '../runtime/gpu/passTimer.js';
import { createNodeHost } from '../runtime/host/node.js';
import { Runtime } from '../runtime/runtime.js';
import { median, type Row } from './measurement.js';

const ROUNDS = 14;
const WARM = 2;
/** Three or four more draws of the ground, and a filter of 4 or 9 taps a pixel. */
const MOST = 2.5;

const SCENE = `
local hills = terrain.noise { width = 512, height = 512, size = { 1000, 1000 }, amplitude = 60, frequency = 4, seed = 5 }
local hf = entity.create("ground").component.add("Terrain", { texture = terrain.to_texture(hills) }):heightfield()
local box = renderer.mesh.box { size = { 2, 6, 2 } }
for i = 0, 199 do
  local x, z = i % 20 * 20 - 200, i // 20 * 20 - 50
  entity.create("box", { position = { x, hf:heightAt(x, z) + 2, z } }).component.add("Model", { mesh = box })
end
local sun = entity.create("sun", { position = { -80, 50, 60 } })
sun:lookAt { 0, 0, 0 }
sun.component.add("Light")
camera.main().position = { 0, hf:heightAt(0, 250) + 20, 250 }
camera.main():lookAt { 0, hf:heightAt(0, 0), 0 }`;

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const probe = await Runtime.create({ host, width: 1920, height: 1080 });
  const { software } = probe.gpu;
  await probe.destroy();
  const size = software ? { width: 640, height: 360 } : { width: 1920, height: 1080 };
  const runtime = await Runtime.create({ host: createNodeHost({ project: '.' }), ...size });
  const lua = openLua(runtime);
  try {
    await lua.run(SCENE, 'shadows.lua');
    const { gpu, renderer, world } = runtime;
    const light = world.getComponent(world.find('sun')!, 'Light')!;
    const times = { with: [] as number[], without: [] as number[] };
    for (let round = 0; round < ROUNDS; round++)
      for (const kind of ['with', 'without'] as const) {
        light.set('shadows', kind === 'with');
        await renderer.ready(world);
        const start = performance.now();
        renderer.render(world, size);
        await gpu.wait(gpu.device.queue.onSubmittedWorkDone());
        if (round >= WARM) times[kind].push(performance.now() - start);
      }
    light.set('shadows', true);
    const timer = gpu.timestamps && !software ? (gpu.timer = new PassTimer(gpu)) : null;
    renderer.render(world, size);
    const passes = timer ? await timer.read() : [];
    timer?.destroy();
    const maps = Object.entries(renderer.stats().passes).filter(([name]) => name.startsWith('shadow'));
    const [shaded, plain] = [median(times.with), median(times.without)];
    const row: Row = {
      name: `a frame of ${size.width}x${size.height} with the sun's shadows, ${maps.length} maps, against none`,
      value: `${(shaded / plain).toFixed(2)}x (${shaded.toFixed(1)} ms, ${plain.toFixed(1)} ms)`,
      bound: `at most ${MOST}x`,
      ok: shaded <= MOST * plain,
    };
    const timed = passes.filter(({ label }) => label.startsWith('shadow'));
    return [
      row,
      ...timed.map(({ label, ns }) => ({
        name: `${label}, ${renderer.stats().passes[label].triangles} triangles`,
        value: `${(ns / 1e6).toFixed(2)} ms`,
        bound: '',
        ok: true,
      })),
    ];
  } finally {
    lua.close();
    await runtime.destroy();
  }
}
