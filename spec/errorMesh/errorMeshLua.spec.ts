// The module as scripts see it, and what is on the picture: nothing that is seen is left out, and no outline is off by more than was allowed.
import { expect } from 'chai';
import { failureOf, runFixture, runScene } from '../support/lua.js';

const HILLS = `
  local terrainHeightfield = require("~terrainSystem.modules.terrainHeightfield")
  local errorMesh = require("~terrainSystem.modules.terrainErrorMesh")
  local tex = terrain.to_texture(terrain.noise { width = 128, height = 128, size = { 1280, 1280 }, amplitude = 90, seed = 4 })
  local hf = terrainHeightfield.open(tex)
  entity.create("sun", { rotation = { -40, 30, 0 } }).component.add("Light", { shadows = SHADOWS })
  local x, z = PLACE
  camera.main().position = { x, hf:heightAt(x, z) + 12, z }
  camera.main():lookAt({ 0, 0, 0 })
  local mesh = errorMesh.create(hf, OPTIONS)
  errorMesh.bind(entity.create("ground").id, mesh)`;

/** A frame of the hills before magenta: its pixels, and what it drew. */
async function picture(options: string, place = '-500, 420', shadows = false) {
  const source = HILLS.replace('OPTIONS', options)
    .replace('PLACE', place)
    .replace('SHADOWS', String(shadows));
  let pixels = new Uint8Array();
  let passes: Record<string, { draws: number; triangles: number }> = {};
  await runScene(source, {
    look: async ({ runtime }) => {
      runtime.renderer.background = [1, 0, 1];
      try {
        await runtime.frame(1 / 60);
        pixels = (await runtime.renderer.readPixels()).data.slice();
        passes = runtime.stats().passes;
      } finally {
        runtime.renderer.background = null;
      }
    },
  });
  return { pixels, passes };
}

const [WIDTH, HEIGHT] = [64, 36];
/** The first row of each column that is not background. */
function skyline(pixels: Uint8Array): number[] {
  return Array.from({ length: WIDTH }, (_, column) => {
    for (let row = 0; row < HEIGHT; row++) {
      const at = (row * WIDTH + column) * 4;
      if (!(pixels[at] === 255 && pixels[at + 1] === 0 && pixels[at + 2] === 255)) return row;
    }
    return HEIGHT;
  });
}

describe('terrainErrorMesh in Lua', function () {
  this.timeout(60_000);

  it('does what its documentation says', async () => {
    const { lines } = await runFixture('errorMesh.lua', { frames: 3 });
    expect(lines[0]).to.match(/^bound\t\d+$/);
  });

  it('is one draw a pass, and follows the camera by itself', () =>
    runScene(
      HILLS.replace('OPTIONS', '{ maxErrorPx = 1 }').replace('PLACE', '-500, 420').replace('SHADOWS', 'true'),
      {
        frames: 1,
        look: async ({ runtime }) => {
          const { forward, ...others } = runtime.stats().passes;
          expect(forward.draws).to.equal(1);
          expect(forward.triangles).to.be.above(100);
          for (const [name, { draws, triangles }] of Object.entries(others))
            if (name.startsWith('shadow')) {
              expect(draws, name).to.equal(1);
              expect(triangles, 'what casts is more than what is seen').to.be.above(forward.triangles);
            }
          const { mainCamera } = runtime.world;
          mainCamera.position = { x: 500, y: 300, z: 500 };
          await runtime.frame(1 / 60);
          expect(runtime.stats().passes.forward.triangles).not.to.equal(forward.triangles);
        },
      },
    ));

  it('is drawn through play and stop, and gone with its entity', () =>
    runScene(HILLS.replace('OPTIONS', '{}').replace('PLACE', '-500, 420').replace('SHADOWS', 'false'), {
      look: async ({ runtime }) => {
        const drawn = async () => {
          await runtime.frame(1 / 60);
          return runtime.stats().passes.forward.draws;
        };
        expect(await drawn()).to.equal(1);
        await runtime.play();
        expect(await drawn()).to.equal(1);
        await runtime.stop();
        expect(await drawn()).to.equal(1);
        expect(runtime.guests.size).to.equal(1);
        const { bytes } = runtime.gpu;
        runtime.world.find('ground')!.destroy();
        expect(await drawn()).to.equal(0);
        expect(runtime.guests.size).to.equal(0);
        expect(runtime.gpu.bytes).to.be.below(bytes - 128 * 128 * 92);
      },
    }));

  it('leaves out nothing that is seen: with and without culling the picture is the same, to the byte', async () => {
    for (const place of ['-500, 420', '0, 0', '300, -900']) {
      const culled = await picture('{ maxError = 0 }', place);
      const all = await picture('{ maxError = 0, cull = false }', place);
      expect(culled.passes.forward.triangles).to.be.below(all.passes.forward.triangles);
      expect(Buffer.compare(culled.pixels, all.pixels), place).to.equal(0);
    }
  });

  it('has outlines within the pixels that it was allowed', async () => {
    for (const px of [1, 3]) {
      const exact = await picture('{ maxError = 0 }');
      const coarse = await picture(`{ maxErrorPx = ${px} }`);
      expect(coarse.passes.forward.triangles).to.be.below(exact.passes.forward.triangles / 4);
      const [should, is] = [skyline(exact.pixels), skyline(coarse.pixels)];
      // A pixel more, for where each picture's rows begin.
      is.forEach((row, column) =>
        expect(Math.abs(row - should[column]), `column ${column}`).to.be.at.most(px + 1),
      );
    }
  });

  it('refuses what is wrong at the line that says it', async () => {
    const open = `
      local errorMesh = require("~terrainSystem.modules.terrainErrorMesh")
      local hf = require("~terrainSystem.modules.terrainHeightfield").open(
        terrain.to_texture(terrain.noise { width = 8, height = 8 }))
      local mesh = errorMesh.create(hf)
      local eye = { position = { 0, 1, 0 }, forward = { 0, 0, -1 }, up = { 0, 1, 0 }, fovY = 60, aspect = 1, near = 1 }
    `;
    const refused = async (line: string, message: string) =>
      expect((await failureOf(open + line)).message, line)
        .to.contain(message)
        .and.contain('scene.lua:7');
    const create = 'terrainErrorMesh.create: ';
    await refused(
      'errorMesh.create(hf, { quality = "ultra" })',
      `${create}quality must be one of "high", "medium", "low", got "ultra"`,
    );
    await refused(
      'errorMesh.create(hf, { maxError = -1 })',
      `${create}maxError must be a finite number of at least 0, got -1`,
    );
    await refused('errorMesh.create(hf, { maxError = 0/0 })', `${create}maxError must be`);
    await refused(
      'errorMesh.create(hf, { qualty = "low" })',
      'there is no field "qualty" (did you mean "quality"?)',
    );
    await refused('errorMesh.create({})', 'hf must be a heightfield, got a table');
    await refused(
      'errorMesh.simplify(hf, -2)',
      'terrainErrorMesh.simplify: maxErrorMetres must be a finite number of at least 0, got -2',
    );
    await refused('errorMesh.simplify(hf, 0/0)', 'maxErrorMetres must be a finite number');
    await refused('errorMesh.simplify(hf)', 'maxErrorMetres must be');
    await refused(
      'eye.forward = { 0, 0, 0 } errorMesh.update(mesh, eye)',
      'terrainErrorMesh.update: forward must be a direction of a length above 0',
    );
    await refused('eye.up = { 0, 0, 5 } errorMesh.update(mesh, eye)', 'up must not point along forward');
    await refused('eye.up = nil errorMesh.update(mesh, eye)', 'up');
    await refused(
      'eye.fovY = nil errorMesh.update(mesh, eye)',
      'fovY must be a finite number above 0, got nothing',
    );
    await refused('eye.far = 1 errorMesh.update(mesh, eye)', 'far');
    await refused('errorMesh.update(hf)', 'mesh must be an error mesh, got a heightfield');
    await refused('errorMesh.bind(99999, mesh)', 'terrainErrorMesh.bind: n');
    await refused('hf:close() errorMesh.update(mesh)', 'this heightfield is closed');
    await refused('hf:close() errorMesh.simplify(hf, 1)', 'closed');
    await refused(
      'local a, b = entity.create(), entity.create() errorMesh.bind(a, mesh) errorMesh.bind(b, mesh)',
      'the error mesh is bound to entity',
    );
  });
});
