// A small stored picture of what each pass adds to a scene, so that a change of its look is seen where it is made: each is drawn
// twice from scripts of their own, to the same bytes, and held to its file.
import { expect } from 'chai';
import { openLua } from '../../bindings/index.js';
import { createNodeHost } from '../../runtime/host/node.js';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { Runtime } from '../../runtime/runtime.js';
import { SOFTWARE } from '../support/gpu.js';
import { expectGolden, largestDifference } from '../support/picture.js';

const SIZE = { width: 160, height: 90 };

const HILLS = `
  local hills = terrain.noise { width = 96, height = 96, size = { 192, 192 }, amplitude = 16, frequency = 3, seed = 4 }
  local land = entity.create("land")
  local ground = land.component.add("Terrain", { texture = terrain.to_texture(hills) })
  local hf = ground:heightfield()
  local function sun(x, y, z)
    local light = entity.create("sun", { position = { x, y, z } })
    light:lookAt { 0, 0, 0 }
    light.component.add("Light")
  end
  camera.main().position = { 30, hf:heightAt(30, 80) + 16, 80 }
  camera.main():lookAt { -8, 0, -20 }`;

/** What each is about, as a script, and the pass that it must have drawn with. */
const SCENES: Record<string, [pass: string, source: string]> = {
  sky: [
    'sky',
    `camera.main().position = { 0, 2, 0 }
     camera.main():lookAt { 0.3, 2.25, -1 }
     local light = entity.create("sun", { position = { 1, 0.6, -2 } })
     light:lookAt { 0, 0, 0 }
     light.component.add("Light")`,
  ],
  dusk: ['sky', `${HILLS} sun(-0.5, 0.05, -1)`],
  fog: ['forward', `${HILLS} sun(1, 1, 0.5) entity.create("air").component.add("Fog", { density = 0.012 })`],
  shadow: [
    'shadow1',
    `${HILLS} sun(1, 0.4, -0.35)
     local post = renderer.mesh.box { size = { 2, 14, 2 } }
     for i = 0, 8 do
       local x, z = -16 + i * 8, 14 + i % 3 * 12
       entity.create("post", { position = { x, hf:heightAt(x, z) + 5, z } }).component.add("Model", { mesh = post })
     end`,
  ],
  water: ['water', `${HILLS} sun(0.6, 0.7, -0.6) land.component.add("Water", { level = -1 })`],
  scatter: [
    'scatter',
    `${HILLS} sun(1, 0.7, 0.4)
     local tree = renderer.mesh.cylinder { radius = 1.6, topRadius = 0, height = 7, segments = 7 }
     land.component.add("Scatter", { mesh = tree, density = 0.02, seed = 2,
       material = renderer.material.create { albedo = { 0.05, 0.11, 0.03 }, roughness = 1 } })`,
  ],
  layers: [
    'forward',
    `${HILLS} sun(-0.6, 0.6, 0.8)
     local checks = texture.create { width = 8, height = 8, format = "rgba8", data = function(c, r)
       local v = (c + r) % 2 == 0 and 200 or 60
       return v, v * 0.8, v * 0.5, 255
     end }
     local weight = texture.create { width = 16, height = 16, format = "r8", data = function(c) return c >= 8 and 255 or 0 end }
     ground.layers = {
       { name = "grass", material = renderer.material.create { albedo = { 0.08, 0.16, 0.04 }, roughness = 1 } },
       { name = "tiles", weights = weight, material = renderer.material.create { albedoMap = checks, tile = 6 } },
     }`,
  ],
  lamps: [
    'forward',
    `${HILLS} sun(0, -1, 0.2)
     for i, color in ipairs { { 1, 0.5, 0.2 }, { 0.3, 0.5, 1 } } do
       local x = -30 + 30 * i
       local lamp = entity.create("lamp", { position = { x, hf:heightAt(x, 30) + 7, 30 } })
       lamp.component.add("Light", { kind = i == 1 and "point" or "spot", color = color, intensity = 60, range = 60 })
       lamp:lookAt { x, 0, 10 }
     end`,
  ],
};

describe('passes', function () {
  this.timeout(60_000);
  let runtime: Runtime;

  before(async () => {
    const host = createNodeHost({ project: '.' });
    runtime = await Runtime.create({ host, software: SOFTWARE, ...SIZE });
  });
  after(() => runtime.destroy());

  async function draw(source: string, pass: string): Promise<Picture> {
    const lua = openLua(runtime);
    try {
      await lua.run(source, 'scene.lua');
      // Waves go by the world's seconds.
      runtime.time = 0;
      await runtime.frame(1 / 60);
      lua.check();
      expect(runtime.stats().passes[pass].draws).to.be.above(0);
      return await runtime.renderer.readPixels();
    } finally {
      lua.close();
    }
  }

  for (const [name, [pass, source]] of Object.entries(SCENES))
    it(`${name} is the same twice, and as stored`, async function () {
      const picture = await draw(source, pass);
      expect(largestDifference(await draw(source, pass), picture)).to.equal(0);
      // Stored with the software adapter: others have finer textures of ground, more shadow maps, wider filters.
      if (!runtime.gpu.software) this.skip();
      expectGolden(`pass-${name}`, picture);
    });
});
