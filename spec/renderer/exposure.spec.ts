import { expect } from 'chai';
import fc from 'fast-check';
import {
  DAY_EXPOSURE,
  liftOf,
  PICTURE_LIFT,
  PICTURE_USUAL,
  SKY_LIFT,
} from '../../runtime/renderer/exposure.js';
import { averageLight } from '../../runtime/renderer/daylight.js';
import { Renderer } from '../../runtime/renderer/renderer.js';
import type { Entity } from '../../runtime/world/entity.js';
import { sharedGpu } from '../support/gpu.js';
import { inScene, largestDifference, luma, middle, pixel, Scene } from '../support/picture.js';

/** Half a step of noise, and rounding. */
const BYTES = 1;
/** And what singles, and sums in 256ths of a quarter stop, leave of a metered one. */
const METERED_BYTES = 2;

/** A wall over the whole picture that glows by itself, under a sun that gives nothing. */
function wall(scene: Scene, light: number, camera: Record<string, unknown> = {}): Entity {
  const night = scene.world.find('night') ?? scene.world.createEntity('night');
  if (!night.components.has('Light')) scene.world.addComponent(night, 'Light', { intensity: 0 });
  scene.renderer.background = [0, 0, 0];
  scene.look([0, 0, 3], [0, 0, 0], camera);
  const mesh = scene.renderer.meshes.box({ size: [9, 9, 1] });
  return scene.model(mesh, {}, { albedo: [0, 0, 0], roughness: 1, emissive: [light, light, light] });
}

/** The byte of a grey wall of `light` under such an exposure. It must lie under the tone curve's shoulder. */
function byteOf(light: number, exposure: number): number {
  const exposed = light * exposure;
  const linear = exposed - (exposed < 0.08 ? exposed - 6.25 * exposed * exposed : 0.04);
  expect(linear).to.be.below(0.76);
  return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055);
}

/** A sun so many degrees up, in place of the one that is there. */
function sunAt(scene: Scene, degrees: number, fields: Record<string, unknown> = {}): void {
  scene.world.find('sun')?.destroy();
  const sun = scene.world.createEntity('sun');
  scene.world.addComponent(sun, 'Light', fields);
  const up = (degrees * Math.PI) / 180;
  sun.lookAt([-Math.cos(up), -Math.sin(up), 0]);
}

describe('exposure', () => {
  it('by ev is exact in stops, in either direction', () =>
    inScene(async (scene) => {
      const glow = wall(scene, 0.25, { exposure: 'fixed' });
      const shown = async (ev: number) => {
        scene.look([0, 0, 3], [0, 0, 0], { ev });
        return middle(await scene.picture(8, 8))[0];
      };
      for (const ev of [-20, -3.5, -1, 0, 0.5, 1])
        expect(await shown(ev), `${ev} stops`).to.be.closeTo(byteOf(0.25, DAY_EXPOSURE * 2 ** ev), BYTES);
      expect(await shown(20)).to.equal(255);
      glow.destroy();
      wall(scene, 0.25 / 2 ** 15);
      expect(await shown(15)).to.be.closeTo(byteOf(0.25, DAY_EXPOSURE), BYTES);
    }));

  it('lifts what is darker ever more, and ever less of it; brighter things it darkens in part', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -20, max: 40, noNaN: true }),
        fc.double({ min: 1e-3, max: 10, noNaN: true }),
        (darker, more) => {
          for (const curve of [SKY_LIFT, PICTURE_LIFT]) {
            const [a, b] = [liftOf(darker, curve), liftOf(darker + more, curve)];
            // Above it, and what is darker is shown darker all the same.
            if (b < curve.most - 1e-9) expect(b).to.be.above(a);
            expect(b - a).to.be.below(more);
            expect(b).to.be.at.most(curve.most);
          }
        },
      ),
    );
    expect(liftOf(0, SKY_LIFT)).to.equal(0);
    expect(liftOf(Infinity, SKY_LIFT)).to.equal(SKY_LIFT.most);
  });

  it('of the average light is what a ball gets, by brute force', () => {
    // Light from above of (1, 2, 3), from below of (0.2, 0.1, 0), and a sun: irradiance averaged over normals of a ball.
    const day = {
      sunColor: { x: 3, y: 2, z: 1 },
      skyAmbient: { x: 1, y: 2, z: 3 },
      groundAmbient: { x: 0.2, y: 0.1, z: 0 },
    };
    const weights = { x: 0.2126, y: 0.7152, z: 0.0722 };
    let sum = 0;
    const steps = 2000;
    for (let i = 0; i < steps; i++) {
      const y = -1 + (2 * (i + 0.5)) / steps;
      for (const axis of ['x', 'y', 'z'] as const)
        sum +=
          weights[axis] *
          (day.sunColor[axis] * Math.max(y, 0) +
            day.groundAmbient[axis] +
            (day.skyAmbient[axis] - day.groundAmbient[axis]) * (y * 0.5 + 0.5));
    }
    expect(averageLight(day)).to.be.closeTo(sum / steps, 1e-6);
  });

  describe('"sky"', () => {
    it('is that of a clear day where there is no sun of its own, wherever the camera looks', () =>
      inScene(async (scene) => {
        const box = scene.renderer.meshes.box({ size: [9, 9, 1] });
        const material = { albedo: [0, 0, 0], roughness: 1, emissive: [0.25, 0.25, 0.25] } as const;
        for (const z of [-2, 2]) scene.model(box, { position: [0, 0, z] }, material);
        for (const at of [1, -1]) {
          scene.look([0, 0, 0], [0, 0, at], { exposure: 'sky' });
          const bySky = await scene.picture(16, 16);
          scene.look([0, 0, 0], [0, 0, at], { exposure: 'fixed' });
          // The light of that day is noted to three digits.
          expect(largestDifference(bySky, await scene.picture(16, 16))).to.be.at.most(BYTES);
        }
      }));

    it('grows as the sun goes down, without a step, and leaves night darker than day', () =>
      inScene(async (scene) => {
        scene.model(scene.renderer.meshes.plane({ width: 400, depth: 400 }), {}, { albedo: [0.3, 0.3, 0.3] });
        const levels: { sky: number; fixed: number }[] = [];
        for (let degrees = 40; degrees >= -20; degrees -= 2) {
          sunAt(scene, degrees);
          const level = async (exposure: string) => {
            scene.look([0, 3, 0], [0, 0, -8], { exposure });
            return luma(pixel(await scene.picture(32, 18), 16, 16));
          };
          levels.push({ sky: await level('sky'), fixed: await level('fixed') });
        }
        const night = levels.at(-1)!;
        expect(night.sky).to.be.above(night.fixed + 8);
        expect(night.sky).to.be.below(0.6 * levels[0].sky);
        // Night can be read.
        expect(night.sky).to.be.above(12);
        for (let i = 1; i < levels.length; i++)
          expect(Math.abs(levels[i].sky - levels[i - 1].sky)).to.be.below(24);
      }));

    it('does not undo what a light says of itself', () =>
      inScene(async (scene) => {
        scene.model(scene.renderer.meshes.plane({ width: 400, depth: 400 }), {}, { albedo: [0.3, 0.3, 0.3] });
        const level = async (intensity: number, exposure: string) => {
          sunAt(scene, 35, { intensity });
          scene.look([0, 3, 0], [0, 0, -8], { exposure });
          return middle(await scene.picture(16, 16))[0];
        };
        // With the sun where it stands by itself, and as bright as it likes.
        for (const intensity of [0.25, 1])
          expect(await level(intensity, 'sky')).to.be.closeTo(await level(intensity, 'fixed'), 2);
        expect(await level(0.25, 'sky')).to.be.below((await level(1, 'sky')) - 30);
      }));
  });

  describe('"picture"', () => {
    /** The byte that a wall of `light` gets, once exposure has taken to it. */
    const settled = (light: number) =>
      byteOf(light, DAY_EXPOSURE * 2 ** liftOf(PICTURE_USUAL - Math.log2(light), PICTURE_LIFT));

    it('takes to the first picture at once, by the curve that the CPU has too', () =>
      inScene(async (scene) => {
        for (const light of [0.0001, 0.003, 0.1, 0.25, 3, 40]) {
          const glow = wall(scene, light, { exposure: 'picture' });
          expect(middle(await scene.picture(64, 40))[0], `of ${light}`).to.be.closeTo(
            settled(light),
            METERED_BYTES,
          );
          glow.destroy();
          // Another exposure in between: what was metered is forgotten.
          scene.look([0, 0, 3], [0, 0, 0], { exposure: 'fixed' });
          await scene.picture(8, 8);
        }
      }));

    it('follows later ones by the time between them, to brightness faster than to darkness', () =>
      inScene(async (scene) => {
        const { renderer } = scene;
        const run = async (from: number, to: number, seconds: number, frames: number) => {
          scene.look([0, 0, 3], [0, 0, 0], { exposure: 'fixed' });
          await scene.picture(8, 8);
          const first = wall(scene, from, { exposure: 'picture' });
          await scene.picture(8, 8);
          first.destroy();
          const second = wall(scene, to);
          renderer.dt = seconds / frames;
          let byte = 0;
          for (let i = 0; i < frames; i++) byte = middle(await scene.picture(8, 8))[0];
          second.destroy();
          return byte;
        };
        const [dim, bright] = [0.01, 0.1];
        const goal = { dim: settled(dim), bright: settled(bright) };
        // No time, no change; a long time, all of it.
        const untouched = await run(bright, dim, 0, 3);
        expect(untouched).to.be.below(goal.dim - 20);
        expect(await run(bright, dim, 60, 30)).to.be.closeTo(goal.dim, METERED_BYTES);
        expect(await run(dim, bright, 60, 30)).to.be.closeTo(goal.bright, METERED_BYTES);
        // Part of the way, and the same however many frames it took.
        const part = await run(bright, dim, 0.5, 5);
        expect(part).to.be.within(untouched + 4, goal.dim - 4);
        expect(await run(bright, dim, 0.5, 25)).to.be.closeTo(part, METERED_BYTES);
        // Half a second is more of the way to brightness.
        const down = await run(dim, bright, 0.5, 5);
        const start = await run(dim, bright, 0, 1);
        const wayDown = (start - down) / (start - goal.bright);
        const wayUp = (part - untouched) / (goal.dim - untouched);
        expect(wayDown).to.be.above(wayUp);
      }));

    it('does not count the flat background, and outlives pictures of nothing and of darkness', () =>
      inScene(async (scene) => {
        const glow = wall(scene, 0.1, { exposure: 'picture' });
        const whole = middle(await scene.picture(64, 36))[0];
        scene.look([0, 0, 3], [0, 0, 0], { exposure: 'fixed' });
        await scene.picture(8, 8);
        // The same wall far away, on a black background.
        glow.position = [0, 0, -40];
        scene.look([0, 0, 3], [0, 0, 0], { exposure: 'picture' });
        expect(middle(await scene.picture(64, 36))[0]).to.be.closeTo(whole, METERED_BYTES);
        glow.destroy();
        scene.renderer.dt = 100;
        expect(middle(await scene.picture(64, 36))).to.deep.equal([0, 0, 0]);
        const dark = wall(scene, 0);
        expect(middle(await scene.picture(64, 36))[0]).to.be.at.most(BYTES);
        dark.destroy();
        wall(scene, 0.1);
        expect(middle(await scene.picture(64, 36))[0]).to.be.closeTo(whole, METERED_BYTES);
      }));

    it('is the same bytes for the same frames', () =>
      inScene(async (scene) => {
        const frames = async () => {
          scene.look([0, 2, 6], [0, 1, 0], { exposure: 'fixed' });
          await scene.picture(8, 8);
          const ball = scene.model(scene.renderer.meshes.sphere({ radius: 1 }), {});
          const pictures = [];
          scene.renderer.dt = 1 / 30;
          for (let i = 0; i < 4; i++) {
            scene.look([0, 2, 6], [i, 1 + i, 0], { exposure: 'picture' });
            pictures.push(await scene.picture(61, 37));
          }
          ball.destroy();
          return pictures;
        };
        const [once, twice] = [await frames(), await frames()];
        once.forEach((picture, i) => expect(largestDifference(picture, twice[i])).to.equal(0));
      }));

    it('is compiled once a camera asks for it', async () => {
      const renderer = new Renderer(await sharedGpu());
      const scene = new Scene(renderer);
      try {
        await renderer.ready(scene.world);
        scene.look([0, 0, 3], [0, 0, 0], { exposure: 'picture' });
        expect(() => renderer.render(scene.world, { width: 8, height: 8 })).to.throw(
          'renderer.render: await renderer.ready(world) first, for its exposure',
        );
        await renderer.ready(scene.world);
        await scene.picture(8, 8);
      } finally {
        renderer.destroy();
      }
    });
  });

  it('refuses what is none, by name, and stays what it was', () =>
    inScene((scene) => {
      const camera = scene.world.getComponent(scene.world.mainCamera, 'Camera')!;
      for (const [field, value, message] of [
        ['ev', NaN, 'Camera: ev must be a finite number in -20..20, got NaN'],
        ['ev', Infinity, 'Camera: ev must be a finite number in -20..20, got Infinity'],
        ['ev', 20.5, 'Camera: ev must be a finite number in -20..20, got 20.5'],
        ['ev', '1', 'Camera: ev must be a finite number in -20..20, got "1"'],
        ['exposure', 'auto', 'Camera: exposure must be one of "sky", "picture", "fixed", got "auto"'],
        ['exposure', 1.15, 'Camera: exposure must be one of "sky", "picture", "fixed", got 1.15'],
      ] as const)
        expect(() => camera.set(field, value)).to.throw(message);
      expect([camera.get('exposure'), camera.get('ev')]).to.deep.equal(['sky', 0]);
    }));
});
