// Pictures of water: where it is blue waterAt says wet, it darkens with its depth, hides no gap at its shore, and costs one
// draw where there is any and nothing where there is none.
import { expect } from 'chai';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { FieldWater, type WaterSource } from '../../runtime/terrain/fieldWater.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { TerrainWater, type TerrainWaterOptions } from '../../runtime/terrain/terrainWater.js';
import { Texture } from '../../runtime/texture/texture.js';
import { sharedGpu } from '../support/gpu.js';
import { inScene, largestDifference, luma, pixel, type Scene } from '../support/picture.js';
import { fieldTexture, GROUNDS, type HeightOf } from '../support/terrain.js';

const SIDE = 64;

/** Pale ground of 64 × 64 m with water over it, drawn; `close` frees both. */
async function pool(
  scene: Scene,
  heightOf: HeightOf,
  water: WaterSource | null,
  options: Partial<TerrainWaterOptions> = {},
  texels = SIDE,
) {
  const { renderer } = scene;
  const engine = { gpu: await sharedGpu(), renderer };
  const camera = { x: 0, y: 30, z: 0 };
  const hf = Heightfield.fromTexture(fieldTexture(texels, texels, heightOf, [SIDE, SIDE]));
  FieldTexels.attach(engine.gpu, hf);
  FieldWater.attach(engine.gpu, hf, water);
  const ground = await TerrainMesh.create(engine, hf, { camera, nodeVerts: 17, maxNodes: 128 });
  const state = await TerrainWater.create(engine, hf, { camera, ...options });
  scene.model(ground.mesh, {}, { albedo: [0.8, 0.8, 0.8], roughness: 1 });
  await renderer.ready(scene.world);
  return {
    hf,
    state,
    close() {
      ground.destroy();
      hf.close();
    },
  };
}

/** Looks straight down on the whole rect; a pixel is a square metre at 64 × 64. */
const lookDown = (scene: Scene) =>
  scene.look([0, 100, 0], [0, 0, -1e-4], { orthographic: true, height: SIDE });

/** The place of a pixel's middle in the world, from straight above. */
const placeOf = ({ width }: Picture, x: number, y: number) =>
  [((x + 0.5) / width - 0.5) * SIDE, ((y + 0.5) / width - 0.5) * SIDE] as const;

/** Water that hides all, and blue as nothing else here. */
const PAINT = { color: [0, 0, 1], clarity: 0.02, waves: 0, foam: 0 } as const;
const isPainted = ([r, , b]: readonly number[]) => b > r + 60;

describe('water', function () {
  this.timeout(30_000);

  for (const [what, heightOf, water, options] of [
    ['a lake among hills', (i, j) => GROUNDS.hilly(i / 2, j / 2) / 6, { level: 0 }, {}],
    [
      'the same cut coarsely',
      (i, j) => GROUNDS.hilly(i / 2, j / 2) / 6,
      { level: 0 },
      { nodeVerts: 3, lodFactor: 0.4 },
    ],
    [
      'a river',
      (i, j) => Math.abs(j - 32 - 12 * Math.sin(i / 9)) / 4,
      Texture.create({
        width: 32,
        height: 32,
        format: 'rgba32f',
        data: (i: number, j: number) => [
          3 - i / 32,
          1,
          0,
          Math.abs(2 * j - 32 - 12 * Math.sin((2 * i) / 9)) < 16 ? 1 : 0,
        ],
      }),
      {},
    ],
  ] as [string, HeightOf, WaterSource, object][])
    it(`is drawn where waterAt says wet and nowhere else: ${what}`, () =>
      inScene(async (scene) => {
        const { hf, close } = await pool(scene, heightOf, water, { ...PAINT, ...options });
        lookDown(scene);
        const picture = await scene.picture(128, 128);
        let [wet, dry] = [0, 0];
        for (let y = 1; y < 127; y++) {
          for (let x = 1; x < 127; x++) {
            const [worldX, worldZ] = placeOf(picture, x, y);
            const near = [-1, 0, 1].flatMap((dx) =>
              [-1, 0, 1].map((dz) => hf.waterAt(worldX + dx * 0.7, worldZ + dz * 0.7)),
            );
            const deep = near.every((at) => at && at.surface - hf.heightAt(worldX, worldZ) > 0.25);
            // A coverage that fades out has its own edge.
            if (deep) {
              wet++;
              expect(isPainted(pixel(picture, x, y)), `dry at ${worldX}, ${worldZ}`).to.equal(true);
            } else if (near.every((at) => !at)) {
              dry++;
              expect(isPainted(pixel(picture, x, y)), `wet at ${worldX}, ${worldZ}`).to.equal(false);
            }
          }
        }
        expect(Math.min(wet, dry)).to.be.above(1000);
        close();
      }));

  it('darkens with its depth, in every channel and red first', () =>
    inScene(async (scene) => {
      const wedge: HeightOf = (i) => 1 - i / 8;
      const { state, close } = await pool(scene, wedge, { level: 0 }, { waves: 0, foam: 0, clarity: 4 });
      lookDown(scene);
      const picture = await scene.picture(64, 64);
      const row = Array.from({ length: 64 }, (_, x) => pixel(picture, x, 32));
      const lumas = row.map(luma);
      for (let x = 10; x < 63; x++) expect(lumas[x + 1], `at ${x}`).to.be.at.most(lumas[x] + 1);
      expect(lumas[62]).to.be.below(0.6 * lumas[10]);
      // Half a metre down red has lost most.
      const [dry, shallow] = [row[4], row[14]];
      expect(shallow[0] / dry[0]).to.be.below(shallow[2] / dry[2]);
      state.setLook({ clarity: 40 });
      const clear = await scene.picture(64, 64);
      expect(luma(pixel(clear, 40, 32))).to.be.above(lumas[40] + 20);
      close();
    }));

  it('leaves no gap: over ground that fills the picture no pixel shows the background', () =>
    inScene(async (scene) => {
      const hills: HeightOf = (i, j) => GROUNDS.hilly(i / 2, j / 2) / 8;
      const { close } = await pool(scene, hills, { level: 0.5 });
      scene.renderer.background = [1, 0, 1];
      for (const [from, at] of [
        [
          [0, 25, 20],
          [0, 0, 0],
        ],
        [
          [10, 3, 10],
          [0, 0, 0],
        ],
        [
          [-10, 0.8, 5],
          [-11, 0, 4],
        ],
      ]) {
        scene.look(from, at, { fov: 40 });
        const picture = await scene.picture(96, 64);
        for (let y = 40; y < 64; y++)
          for (let x = 0; x < 96; x++) {
            const [r, g, b] = pixel(picture, x, y);
            expect(Math.min(r, b) - g, `background at ${x}, ${y}`).to.be.below(80);
          }
      }
      close();
    }));

  it('is the same twice, moves with the time, and is still where time stands', () =>
    inScene(async (scene) => {
      const bowl: HeightOf = (i, j) => Math.hypot(i - 32, j - 32) / 4 - 6;
      const pictures: Picture[] = [];
      for (const time of [3, 3, 5]) {
        const { close } = await pool(scene, bowl, { level: 0 });
        scene.renderer.water.time = time;
        scene.look([0, 4, 30], [0, 0, 0]);
        pictures.push(await scene.picture());
        close();
      }
      expect(largestDifference(pictures[0], pictures[1])).to.equal(0);
      expect(largestDifference(pictures[0], pictures[2])).to.be.above(8);
    }));

  it('is dark from below, without foam and without a gap', () =>
    inScene(async (scene) => {
      const { close } = await pool(scene, () => -6, { level: 0 }, { foam: 4 });
      scene.look([0, -4, 0], [0, -1, -12]);
      const under = await scene.picture();
      scene.look([0, 4, 0], [0, 7, -12]);
      const sky = await scene.picture();
      const mean = (picture: Picture) =>
        Array.from({ length: 96 }, (_, x) => luma(pixel(picture, x, 16))).reduce((a, b) => a + b) / 96;
      expect(mean(under)).to.be.below(0.7 * mean(sky));
      close();
    }));

  it('mirrors hills in the shadows that fall on them, and those in the sun as before', () =>
    inScene(async (scene) => {
      const { world, renderer } = scene;
      // A slope beyond a lake, as high as 12 m, in the sun; a board out of sight keeps the sun from the left half of it.
      const shore: HeightOf = (_, j) => (j < 22 ? ((22 - j) * 12) / 22 : -2);
      const still = { color: [0, 0, 0], clarity: 0.02, waves: 0, foam: 0 } as const;
      const { close } = await pool(scene, shore, { level: 0 }, still);
      const sun = world.createEntity('sun', { position: [0, Math.tan(0.7), 1] });
      sun.lookAt([0, 0, 0]);
      const light = world.addComponent(sun, 'Light', {});
      scene.model(renderer.meshes.box({ size: [28, 1, 24] }), { position: [-16, 19, -5.5] });
      scene.look([0, 3, 28], [0, 0, 11.7], { fov: 20 });
      const shaded = await scene.picture(64, 36);
      light.set('shadows', false);
      const plain = await scene.picture(64, 36);
      // Water 11.7 m off the middle mirrors the slope half way up; the water itself lies in the sun.
      const [left, right] = [16, 48].map((x) =>
        [shaded, plain].map((picture) => luma(pixel(picture, x, 18))),
      );
      expect(left[1]).to.be.above(30);
      expect(left[0]).to.be.below(0.8 * left[1]);
      expect(right[0]).to.be.closeTo(right[1], 1);
      expect(left[1]).to.be.closeTo(right[1], 3);
      close();
    }));

  it('is one draw of its own pass, and nothing is compiled or drawn where there is none', () =>
    inScene(async (scene) => {
      const { renderer } = scene;
      let compiled = 0;
      const ready = renderer.water.ready.bind(renderer.water);
      renderer.water.ready = () => (compiled++, ready());
      const dry = await pool(scene, () => 0, null);
      lookDown(scene);
      await scene.picture();
      expect(renderer.stats().passes).to.not.have.property('water');
      expect(compiled).to.equal(0);
      dry.close();
      const wet = await pool(scene, () => -1, { level: 0 });
      lookDown(scene);
      await scene.picture();
      expect(renderer.stats().passes.water.draws).to.equal(1);
      expect(renderer.stats().passes.water.triangles).to.be.above(0);
      expect(compiled).to.be.above(0);
      // Behind the camera it is not drawn, and gone it has no pass.
      scene.look([0, 5, 200], [0, 5, 300]);
      await scene.picture();
      expect(renderer.stats().passes.water).to.deep.equal({ draws: 0, triangles: 0 });
      wet.close();
      await scene.picture();
      expect(renderer.stats().passes).to.not.have.property('water');
    }));
});
