// The processor's part of a frame (scripts, components, the cut, encoding and submitting; not the GPU's work): a Terrain and 1,000 entities
// with a Model each under a camera that moves, against the same scene without the Terrain, frame by frame in one process.
// `npm run bench frame`
import { openLua, type Lua } from '../bindings/index.js';
import { createNodeHost } from '../runtime/host/node.js';
import { Runtime } from '../runtime/runtime.js';
import { median, type Row } from './measurement.js';

const ENTITIES = 1000;
const ROUNDS = 200;
const WARM_UP = 40;

const scene = (terrain: boolean) => `
local hills = terrain.noise { width = 512, height = 512, size = { 2000, 2000 }, amplitude = 60, seed = 3 }
local tex = terrain.to_texture(hills)
local box = renderer.mesh.box()
for i = 0, ${ENTITIES - 1} do
  local e = entity.create("box", { position = { (i % 40) * 40 - 800, 90, math.floor(i / 40) * 40 - 500 } })
  e.component.add("Model", { mesh = box })
end
local t = ${terrain} and entity.create("ground").component.add("Terrain", { texture = tex })
local angle = 0
scene.onUpdate(function(dt)
  angle = angle + 0.01
  camera.main().position = { math.cos(angle) * 700, 150, math.sin(angle) * 700 }
  camera.main():lookAt({ 0, 60, 0 })
end)`;

interface Side {
  runtime: Runtime;
  lua: Lua;
  times: number[];
}

async function open(terrain: boolean): Promise<Side> {
  const runtime = await Runtime.create({ host: createNodeHost({ project: '.' }), width: 64, height: 36 });
  const lua = openLua(runtime);
  await lua.run(scene(terrain), 'frame.lua');
  await runtime.frame(1 / 60);
  return { runtime, lua, times: [] };
}

export async function run(): Promise<Row[]> {
  const sides = [await open(true), await open(false)];
  try {
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      for (const { runtime, times } of sides) {
        const start = performance.now();
        await runtime.update(1 / 60);
        runtime.renderer.render(runtime.world, runtime.size);
        const ms = performance.now() - start;
        // What the GPU still does is over before the other side is timed.
        await runtime.gpu.settle();
        if (round >= WARM_UP) times.push(ms);
      }
    }
    const [with_, without] = sides.map(({ times }) => median(times));
    return [
      {
        name: `a frame's processor time, Terrain and ${ENTITIES} entities`,
        value: `${with_.toFixed(2)} ms, ${(with_ / without).toFixed(2)} of the ${without.toFixed(2)} ms without the Terrain`,
        bound: '',
        ok: true,
      },
    ];
  } finally {
    for (const { runtime, lua } of sides) {
      lua.close();
      await runtime.destroy();
    }
  }
}
