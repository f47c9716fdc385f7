import { expect } from 'chai';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { crater, handGround } from '../support/groundMesh.js';
import { inScene, largestDifference, luma, middle, pixel, type Scene } from '../support/picture.js';

const MAGENTA = [1, 0, 1] as const;
/** A material that gives off a colour and returns none. */
const glow = (r: number, g: number, b: number) => ({ albedo: [0, 0, 0], roughness: 1, emissive: [r, g, b] });

/** Lights the scene from a direction only: the sky's share is small beside it. */
function sun(scene: Scene, toward: readonly [number, number, number], intensity = 1) {
  const entity = scene.world.createEntity('sun', { position: toward });
  entity.lookAt([0, 0, 0]);
  scene.world.addComponent(entity, 'Light', { kind: 'sun', intensity });
  return entity;
}

describe('renderer', () => {
  describe('light', () => {
    /** The sky's light comes from above and pulls the brightest place of a matte ball up a little. */
    const TOWARD_SUN_DEGREES = 14;
    for (const toward of [
      [1, 0.3, 1],
      [-1, 0.5, 0.6],
      [0.2, 1, 0.8],
    ] as const) {
      it(`a ball is brightest where it faces a sun toward ${toward.join(', ')}`, () =>
        inScene(async (scene) => {
          sun(scene, toward, 0.5);
          scene.model(
            scene.renderer.meshes.sphere({ radius: 1, segments: 64, rings: 32 }),
            {},
            { roughness: 1 },
          );
          scene.look([0, 0, 6], [0, 0, 0], { orthographic: true, height: 2 });
          const picture = await scene.picture(64, 64);
          const points: { nx: number; ny: number; light: number }[] = [];
          for (let y = 0; y < 64; y++) {
            for (let x = 0; x < 64; x++) {
              const [nx, ny] = [(x + 0.5) / 32 - 1, 1 - (y + 0.5) / 32];
              if (nx * nx + ny * ny < 0.97) points.push({ nx, ny, light: luma(pixel(picture, x, y)) });
            }
          }
          points.sort((a, b) => b.light - a.light);
          const best = points.slice(0, 40);
          const bx = best.reduce((sum, { nx }) => sum + nx, 0) / best.length;
          const by = best.reduce((sum, { ny }) => sum + ny, 0) / best.length;
          const bz = Math.sqrt(1 - bx * bx - by * by);
          const cosine = (bx * toward[0] + by * toward[1] + bz * toward[2]) / Math.hypot(...toward);
          expect((Math.acos(cosine) * 180) / Math.PI).to.be.below(TOWARD_SUN_DEGREES);
        }));
    }

    it('a sun under the horizon lights nothing', () =>
      inScene(async (scene) => {
        sun(scene, [0.3, -1, 0.5]);
        scene.model(scene.renderer.meshes.sphere({ radius: 1 }), {}, { roughness: 1 });
        scene.look([0, -6, 0.1], [0, 0, 0]);
        expect(luma(middle(await scene.picture()))).to.be.below(40);
      }));

    it('a point light reaches as far as its range, a spot only into its cone', () =>
      inScene(async (scene) => {
        sun(scene, [0, 1, 0], 0);
        scene.model(scene.renderer.meshes.plane({ width: 40, depth: 40 }), {}, { roughness: 1 });
        scene.look([0, 30, 0], [0, 0, 0], { orthographic: true, height: 20, exposure: 'fixed' });
        const dark = await scene.picture(64, 64);
        expect(luma(middle(dark))).to.be.below(4);
        const lamp = scene.world.createEntity('lamp', { position: [0, 2, 0], rotation: [-90, 0, 0] });
        const light = scene.world.addComponent(lamp, 'Light', { kind: 'point', intensity: 4, range: 6 });
        const point = await scene.picture(64, 64);
        expect(luma(middle(point))).to.be.above(80);
        expect(luma(pixel(point, 32 + 12, 32))).to.be.above(20);
        expect(pixel(point, 32 + 24, 32)).to.deep.equal(pixel(dark, 32 + 24, 32));
        light.set('kind', 'spot');
        light.set('angle', 60);
        const spot = await scene.picture(64, 64);
        expect(luma(middle(spot))).to.be.above(80);
        // `angle` is the whole cone: from 2 m up, one of 60 degrees ends 1.15 m from the middle, at 3.2 pixels a metre.
        expect(luma(pixel(spot, 32 + 2, 32))).to.be.above(40);
        expect(luma(pixel(spot, 32 + 5, 32))).to.be.below(4);
        expect(luma(pixel(spot, 32 + 12, 32))).to.be.below(4);
      }));

    it('of more lights than fit, the strongest at the camera are kept', () =>
      inScene(async (scene) => {
        sun(scene, [0, 1, 0], 0);
        scene.model(scene.renderer.meshes.plane({ width: 40, depth: 40 }), {}, { roughness: 1 });
        scene.look([0, 10, 0], [0, 0, 0]);
        const lamp = (position: readonly [number, number, number], intensity: number) =>
          scene.world.addComponent(scene.world.createEntity('lamp', { position }), 'Light', {
            kind: 'point',
            intensity,
            range: 8,
          });
        for (let i = 0; i < 20; i++) lamp([300 + i, 2, 0], 4);
        for (let i = 0; i < 20; i++) lamp([0, 2, 0], 0.01);
        const dark = luma(middle(await scene.picture()));
        lamp([0, 2, 0], 4);
        expect(luma(middle(await scene.picture()))).to.be.above(dark + 60);
      }));
  });

  describe('depth', () => {
    for (const far of [false, true]) {
      const [near, gap, side] = far ? [20_000, 2, 40_000] : [0.15, 1e-4, 1];
      it(`orders two walls ${gap} m apart at ${near} m, drawn in either order`, () =>
        inScene(async (scene) => {
          const wall = scene.renderer.meshes.box({ size: [side, side, gap / 100] });
          const red = { position: [0, 0, -near] };
          const green = { position: [0, 0, -near - gap] };
          const first = scene.model(wall, green, glow(0, 1, 0));
          scene.model(wall, red, glow(1, 0, 0));
          scene.look([0, 0, 0], [0, 0, -1], { near: 0.1 });
          scene.renderer.background = [0, 0, 0];
          const [r, g] = middle(await scene.picture());
          expect(r).to.be.above(200);
          expect(g).to.be.below(60);
          first.destroy();
          scene.model(wall, green, glow(0, 1, 0));
          expect(middle(await scene.picture())).to.deep.equal([r, g, middle(await scene.picture())[2]]);
        }));
    }

    it('orders parallel rays too, and draws equal things equally large at any distance', () =>
      inScene(async (scene) => {
        const box = scene.renderer.meshes.box();
        scene.model(box, { position: [-1, 0, 0] }, glow(1, 1, 1));
        scene.model(box, { position: [1, 0, -500] }, glow(1, 1, 1));
        scene.model(box, { position: [1, 0, -600] }, glow(1, 0, 0));
        scene.look([0, 0, 5], [0, 0, 0], { orthographic: true, height: 4 });
        scene.renderer.background = [0, 0, 0];
        const picture = await scene.picture(64, 64);
        const lit = (x0: number) => {
          let count = 0;
          for (let y = 0; y < 64; y++)
            for (let x = x0; x < x0 + 32; x++) if (pixel(picture, x, y)[1] > 128) count++;
          return count;
        };
        expect(lit(0)).to.equal(16 * 16);
        expect(lit(32)).to.equal(16 * 16);
      }));
  });

  it('smooths edges with four samples a pixel', () =>
    inScene(async (scene) => {
      scene.model(scene.renderer.meshes.box(), { rotation: [0, 0, 20] }, glow(4, 4, 4));
      scene.look([0, 0, 5], [0, 0, 0], { orthographic: true, height: 2 });
      scene.renderer.background = [0, 0, 0];
      const picture = await scene.picture(64, 64);
      const levels = new Set<number>();
      for (let i = 0; i < picture.data.length; i += 4) levels.add(picture.data[i]);
      const between = [...levels].filter((level) => level > 20 && level < 220);
      expect(between.length).to.be.at.least(3);
      expect(levels.has(0)).to.equal(true);
    }));

  it('thickens the air with distance, toward the colour of the horizon', () =>
    inScene(async (scene) => {
      // Straight up: the sky is the same all around, and so is what the boxes mirror of it.
      sun(scene, [0, 1, 0]);
      const box = scene.renderer.meshes.box({ size: [1, 1, 0.01] });
      const distances = [50, 200, 800, 2000, 5000, 12000, 20000];
      distances.forEach((distance, i) => {
        const size = distance / 12;
        const x = (i - 3) * 0.16 * distance;
        scene.model(box, { position: [x, 0, -distance], scale: [size, size, 1] }, { albedo: [0, 0, 0] });
      });
      scene.look([0, 0, 0], [0, 0, -1]);
      const picture = await scene.picture(140, 80);
      const scale = 80 / (2 * Math.tan(Math.PI / 6));
      const levels = distances.map((_, i) => luma(pixel(picture, 70 + (i - 3) * 0.16 * scale, 40)));
      const sky = luma(pixel(picture, 70 + 3.6 * 0.16 * scale, 40));
      for (let i = 1; i < levels.length; i++)
        expect(levels[i], `at ${distances[i]} m`).to.be.above(levels[i - 1] + (i > 1 ? 1 : -2));
      expect(levels[0]).to.be.below(60);
      expect(levels[levels.length - 1]).to.be.below(sky);
    }));

  it('has no beam below the eye: straight down, air and sky are one all round, however low the sun', () =>
    inScene(async (scene) => {
      sun(scene, [1, 0.3, 0]);
      const bare = scene.model(scene.renderer.meshes.box({ size: [1, 1, 1] }), { position: [0, 60_000, 0] });
      const plane = scene.renderer.meshes.plane({ width: 300_000, depth: 300_000 });
      for (const below of ['sky', 'air']) {
        scene.look([0, 0, 0], [0, -1, 0.001]);
        const picture = await scene.picture(96, 96);
        for (const aside of [2, 5, 8]) {
          const [a, b] = [pixel(picture, 47 - aside, 48), pixel(picture, 48 + aside, 48)];
          expect(Math.abs(luma(a) - luma(b)), `${below}: ${a} beside ${b}`).to.be.below(2 + aside);
        }
        scene.model(plane, { position: [0, -60_000, 0] }, { albedo: [0, 0, 0], roughness: 1 });
      }
      bare.destroy();
      // Farther off the sun's side is the brighter one again.
      scene.look([0, 0, 0], [1, -0.2, 0]);
      const toward = luma(middle(await scene.picture()));
      scene.look([0, 0, 0], [-1, -0.2, 0]);
      expect(toward).to.be.above(1.2 * luma(middle(await scene.picture())));
    }));

  it('counts draws and triangles by pass, dispatches by frame, and live bytes', () =>
    inScene(async (scene) => {
      const { renderer } = scene;
      scene.model(renderer.meshes.box());
      scene.model(renderer.meshes.plane({ columns: 3, rows: 2 }), { position: [0, -1, 0] });
      const behind = scene.model(renderer.meshes.box(), { position: [0, 0, 500] });
      const hand = await handGround({ texels: 9, size: 4, height: () => -2 });
      scene.model(renderer.meshes.createBounded(hand.fields));
      sun(scene, [1, 1, 1]).components.get('Light')!.set('shadows', false);
      scene.look([0, 1, 8], [0, 0, 0]);
      renderer.countDispatch(2);
      await scene.picture();
      expect(renderer.stats()).to.deep.include({
        draws: 5,
        triangles: 12 + 12 + 128 + 2,
        dispatches: 2,
        passes: {
          forward: { draws: 3, triangles: 12 + 12 + 128 },
          sky: { draws: 1, triangles: 1 },
          tonemap: { draws: 1, triangles: 1 },
        },
      });
      behind.position = [0, 0, 0];
      await scene.picture();
      expect(renderer.stats()).to.deep.include({ draws: 6, dispatches: 0 });
      expect(renderer.stats().bytes).to.be.above(96 * 64 * (48 + 8 + 4));
      hand.destroy();
    }));

  it('gives the same bytes twice', () =>
    inScene(async (scene) => {
      const hand = await handGround({ texels: 33, size: 400, height: crater });
      scene.model(scene.renderer.meshes.createBounded(hand.fields));
      const first = await scene.picture();
      const second = await scene.picture();
      hand.destroy();
      expect(largestDifference(first, second)).to.equal(0);
    }));

  describe('far from the origin', () => {
    /** Texel coordinates that noise is taken at are rounded differently; nothing else may be. Shadows are judged in shadows.spec.ts. */
    const BYTES = 2;
    it('draws ground 100 km away as it draws it at home, camera steps of a millimetre included', async () => {
      const shots = async (origin: readonly [number, number]) =>
        inScene(async (scene) => {
          const hand = await handGround({ texels: 32, size: 256, origin, height: crater });
          const { meshes } = scene.renderer;
          scene.model(meshes.createBounded(hand.fields));
          const place = (x: number, y: number, z: number) => [origin[0] + x, y, origin[1] + z];
          sun(scene, [1, 1, 1]).components.get('Light')!.set('shadows', false);
          scene.model(meshes.box({ size: [20, 30, 20] }), {
            position: place(-60, 30, 40),
            rotation: [10, 20, 30],
          });
          const pictures = [];
          for (const step of [0, 0.001, 0.002]) {
            scene.look(place(90.3 + step, 80.7, 120.9), place(0, 10, 0));
            pictures.push(await scene.picture());
          }
          hand.destroy();
          return pictures;
        });
      const [home, away] = [await shots([0, 0]), await shots([100_000, -100_000])];
      home.forEach((picture, i) => expect(largestDifference(picture, away[i])).to.be.at.most(BYTES));
    });
  });

  describe('ground', () => {
    it('is shaded by its texels: a mesh of few vertices is coloured like one of many', () =>
      inScene(async (scene) => {
        const height = (x: number, z: number) => 0.8 * Math.sin(x / 5) * Math.sin(z / 7);
        const looks = [];
        for (const step of [1, 16]) {
          const hand = await handGround({ texels: 129, size: 128, step, height });
          const entity = scene.model(scene.renderer.meshes.createBounded(hand.fields));
          scene.look([0, 40, 0.01], [0, 0, 0]);
          looks.push(await scene.picture(64, 64));
          entity.destroy();
          hand.destroy();
        }
        const [fine, coarse] = looks;
        let [difference, contrast] = [0, 0];
        for (let y = 8; y < 56; y++) {
          for (let x = 8; x < 56; x++) {
            difference += Math.abs(luma(pixel(fine, x, y)) - luma(pixel(coarse, x, y)));
            contrast += Math.abs(luma(pixel(fine, x, y)) - luma(pixel(fine, x + 1, y)));
          }
        }
        expect(difference).to.be.below(contrast * 0.5);
      }));

    it('is coloured by its height above its own lowest, wherever that stands', () =>
      inScene(async (scene) => {
        const looks = [];
        for (const up of [0, 512]) {
          const hand = await handGround({ texels: 64, size: 400, height: (x, z) => crater(x, z) + up });
          const entity = scene.model(scene.renderer.meshes.createBounded(hand.fields));
          scene.look([0, 260 + up, 240], [0, up, 0]);
          looks.push(await scene.picture(64, 48));
          entity.destroy();
          hand.destroy();
        }
        expect(largestDifference(looks[0], looks[1])).to.be.at.most(2);
      }));

    it('has its texels where their centres are: a valley along the middle lies in the middle', () =>
      inScene(async (scene) => {
        const hand = await handGround({ texels: 8, size: 80, height: (x) => Math.abs(x) });
        scene.model(scene.renderer.meshes.createBounded(hand.fields));
        // Darker than usual: where the tone curve bends, the ground's own patches count on one side more than on the other.
        scene.look([0, 200, 0], [0, 0, 0], { orthographic: true, height: 64, ev: -1.5 });
        const looks: Picture[] = [];
        for (const side of [1, -1]) {
          const light = sun(scene, [side, 1, 0]);
          looks.push(await scene.picture(128, 128));
          light.destroy();
        }
        hand.destroy();
        // Lit from either side alike where it is level, and nowhere else: left of that it faces one, right of it the other.
        const columns = Array.from({ length: 128 }, (_, x) => {
          let sum = 0;
          for (let y = 0; y < 128; y++) sum += luma(pixel(looks[0], x, y)) - luma(pixel(looks[1], x, y));
          return sum / 128;
        });
        const level = columns.findIndex((difference) => difference < 0);
        expect(level / 2 - 32, 'metres from the middle').to.be.within(-1, 1);
      }));

    it('shows from below, dark', () =>
      inScene(async (scene) => {
        const hand = await handGround({ texels: 17, size: 100, height: () => 0 });
        scene.model(scene.renderer.meshes.createBounded(hand.fields));
        scene.renderer.background = MAGENTA;
        scene.look([0, 20, 1], [0, 0, 0]);
        const above = middle(await scene.picture());
        scene.look([0, -20, 1], [0, 0, 0]);
        const below = middle(await scene.picture());
        hand.destroy();
        expect(luma(below)).to.be.below(luma(above) * 0.5);
        expect(below[0]).to.be.below(100);
      }));

    it('of one texel, and past its outermost texel centres, is flat', () =>
      inScene(async (scene) => {
        const hand = await handGround({ texels: 2, size: 100, height: () => 3 });
        const one = { ...hand.fields.ground!, width: 1, height: 1 };
        scene.model(scene.renderer.meshes.createBounded({ ...hand.fields, ground: one }));
        scene.renderer.background = MAGENTA;
        scene.look([0, 40, 1], [0, 0, 0]);
        expect(middle(await scene.picture())[1]).to.be.above(40);
        hand.destroy();
      }));
  });

  /** The facets of the ball's rim fall a little differently. */
  const MIRRORED_BYTES = 6;
  it('draws mirrored and unequally scaled things with their outsides out', () =>
    inScene(async (scene) => {
      const { meshes } = scene.renderer;
      const ball = meshes.sphere({ segments: 48, rings: 24 });
      scene.look([0, 0, 6], [0, 0, 0], { orthographic: true, height: 1.2 });
      const thing = scene.model(ball, {}, { roughness: 1 });
      const plain = await scene.picture(48, 48);
      thing.scale = [-1, 1, 1];
      expect(largestDifference(plain, await scene.picture(48, 48))).to.be.at.most(MIRRORED_BYTES);
      thing.scale = [1, 1, 0];
      scene.renderer.background = MAGENTA;
      expect(middle(await scene.picture(48, 48))).to.deep.equal([255, 0, 255]);
    }));

  it('a thing of the flat background’s own colour leaves no edge on it', () =>
    inScene(async (scene) => {
      scene.world.addComponent(scene.world.createEntity('night'), 'Light', { kind: 'sun', intensity: 0 });
      scene.model(scene.renderer.meshes.box(), { rotation: [0, 0, 20] }, glow(0.3, 0.3, 0.3));
      scene.look([0, 0, 5], [0, 0, 0], { orthographic: true, height: 2 });
      scene.renderer.background = [0, 0, 0];
      const [byte] = middle(await scene.picture(64, 64));
      scene.renderer.background = [byte / 255, byte / 255, byte / 255];
      const { data } = await scene.picture(64, 64);
      for (let i = 0; i < data.length; i += 4) expect(data[i]).to.be.closeTo(byte, 2);
    }));

  it('a flat background is its own colour, exactly, and blends at edges only', () =>
    inScene(async (scene) => {
      scene.model(scene.renderer.meshes.box(), {}, glow(0, 1, 0));
      scene.look([0, 0, 5], [0, 0, 0]);
      scene.renderer.background = MAGENTA;
      const picture = await scene.picture();
      expect(pixel(picture, 0, 0)).to.deep.equal([255, 0, 255]);
      expect(middle(picture)[1]).to.be.above(200);
      expect(scene.renderer.stats().passes.sky).to.deep.equal({ draws: 0, triangles: 0 });
    }));
});
