// The sky and the air in pictures: where far ground ends, what Sky and Fog change, dusk and night.
import { expect } from 'chai';
import { DAY_EXPOSURE } from '../../runtime/renderer/exposure.js';
import { daylight } from '../../runtime/renderer/daylight.js';
import { hazePhase, rayleighPhase } from '../../runtime/sky/atmosphere.js';
import { readTable } from '../../runtime/sky/sky.js';
import { vec3 } from '../../runtime/world/vector.js';
import { failureOf, runScene } from '../support/lua.js';
import { inScene, largestDifference, luma, middle, pixel, type Rgb, type Scene } from '../support/picture.js';

/** A sun `height` degrees up, `around` degrees from -Z toward +X. */
function sunAt(scene: Scene, height: number, around = 0, fields: Record<string, unknown> = {}) {
  const [up, way] = [(height * Math.PI) / 180, (around * Math.PI) / 180];
  const toward = [Math.cos(up) * Math.sin(way), Math.sin(up), -Math.cos(up) * Math.cos(way)];
  const entity = scene.world.createEntity('sun');
  entity.lookAt(toward.map((part) => -part));
  scene.world.addComponent(entity, 'Light', { kind: 'sun', ...fields });
  return entity;
}

const add = (scene: Scene, name: 'Sky' | 'Fog', fields: Record<string, unknown> = {}) =>
  scene.world.addComponent(scene.world.createEntity(name), name, fields);

/** Half a step of noise on either side. */
const BYTES = 1;
const toByte = (linear: number) =>
  255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * Math.min(1, linear) ** (1 / 2.4) - 0.055);
/** Khronos PBR Neutral below its shoulder. */
function neutral(color: number[]): number[] {
  const least = Math.min(...color);
  const offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
  return color.map((part) => part - offset);
}

describe('sky pass', function () {
  this.timeout(60_000);

  it('shows the table that the processor made, way by way', () =>
    inScene(async (scene) => {
      const height = 40;
      sunAt(scene, height);
      const sun = Math.sin((height * Math.PI) / 180);
      const { table } = daylight(vec3(0, sun, -Math.cos((height * Math.PI) / 180)), vec3(1, 1, 1));
      for (const [around, up] of [
        [90, 0.7],
        [150, 0.3],
        [180, 0.1],
        [120, 0.02],
      ]) {
        const way = (around * Math.PI) / 180;
        const level = Math.sqrt(1 - up * up);
        scene.look([0, 0, 0], [level * Math.sin(way), up, -level * Math.cos(way)], {
          fov: 1,
          exposure: 'fixed',
        });
        const parts = new Float64Array(6);
        readTable(table, up, Math.cos(way), parts);
        const toSun = up * sun + level * Math.sqrt(1 - sun * sun) * Math.cos(way);
        const light = [0, 1, 2].map((c) => parts[c] * rayleighPhase(toSun) + parts[3 + c] * hazePhase(toSun));
        const bytes = neutral(light.map((part) => part * DAY_EXPOSURE)).map(toByte);
        middle(await scene.picture(16, 16)).forEach((byte, c) =>
          expect(byte, `around ${around}, up ${up}, part ${c}`).to.be.closeTo(bytes[c], BYTES + 0.5),
        );
      }
    }));

  it('begins where the farthest ground ends, to a byte, all around and at every height of the sun', () =>
    inScene(async (scene) => {
      const wall = scene.renderer.meshes.box({ size: [4e5, 2e4, 1] });
      for (const height of [60, 15, 3, -3, -12]) {
        const light = sunAt(scene, height);
        for (const around of [0, 45, 100, 180]) {
          const way = (around * Math.PI) / 180;
          // Its upper edge stands at the eye's height; so far away all of it is air.
          const thing = scene.model(
            wall,
            { position: [1e5 * Math.sin(way), -1e4, -1e5 * Math.cos(way)], rotation: [0, -around, 0] },
            { albedo: [0, 0, 0], roughness: 1 },
          );
          const fog = add(scene, 'Fog', { density: 3e-4 });
          scene.look([0, 0, 0], [Math.sin(way), 0, -Math.cos(way)], { fov: 1 });
          const far = pixel(await scene.picture(16, 16), 8, 9);
          fog.entity.destroy();
          thing.destroy();
          // The bare sky, with neither fog nor ground, a few hundredths of a degree higher.
          const sky = pixel(await scene.picture(16, 16), 8, 7);
          const difference = Math.max(...far.map((byte, c) => Math.abs(byte - sky[c])));
          expect(difference, `sun ${height}, around ${around}: ${far} against ${sky}`).to.be.at.most(
            2 * BYTES,
          );
        }
        light.destroy();
      }
    }));

  it('shows no seam where the sky begins: rows around the horizon go on as they come', () =>
    inScene(async (scene) => {
      for (const height of [45, 5, -2]) {
        const light = sunAt(scene, height, 70);
        for (const fogged of [false, true]) {
          const fog = fogged ? add(scene, 'Fog', { density: 1e-3 }) : null;
          scene.look([0, 0, 0], [0, 0, -1], { fov: 4 });
          const picture = await scene.picture(8, 160);
          for (let y = 70; y < 90; y++)
            for (let c = 0; c < 3; c++)
              expect(
                Math.abs(pixel(picture, 4, y)[c] - pixel(picture, 4, y + 1)[c]),
                `sun ${height}, row ${y}`,
              ).to.be.at.most(3);
          fog?.entity.destroy();
        }
        light.destroy();
      }
    }));

  it('turns far things bluer than near ones, and takes blue first from bright ones', () =>
    inScene(async (scene) => {
      sunAt(scene, 50, 180, { shadows: false });
      add(scene, 'Fog', { density: 1e-4 });
      scene.look([0, 0, 0], [0, 0, -1], { fov: 2, exposure: 'fixed', ev: 1 });
      const card = scene.renderer.meshes.box({ size: [1e5, 1e5, 1] });
      const blue = async (albedo: number, distance: number) => {
        const thing = scene.model(
          card,
          { position: [0, 0, -distance] },
          { albedo: [albedo, albedo, albedo], roughness: 1 },
        );
        const [r, , b] = middle(await scene.picture(8, 8));
        thing.destroy();
        return b - r;
      };
      expect(await blue(0, 3000)).to.be.above((await blue(0, 30)) + 8);
      expect(await blue(1, 8000)).to.be.below((await blue(1, 30)) - 1);
    }));

  it('is dark blue at night and still shows the ground', () =>
    inScene(async (scene) => {
      sunAt(scene, -25);
      scene.model(scene.renderer.meshes.plane({ width: 100, depth: 100 }), {}, { albedo: [0.6, 0.6, 0.6] });
      scene.look([0, 3, 30], [0, 3, 0]);
      const picture = await scene.picture(64, 64);
      const [sky, ground] = [pixel(picture, 32, 8), pixel(picture, 32, 50)];
      for (const [r, g, b] of [sky, ground]) {
        expect(b).to.be.above(r + 5);
        expect(luma([r, g, b])).to.be.within(8, 80);
      }
      const night = add(scene, 'Sky', { night: 4 });
      expect(luma(pixel(await scene.picture(64, 64), 32, 8))).to.not.equal(luma(sky));
      night.set('night', 0);
      expect(luma(pixel(await scene.picture(64, 64), 32, 8))).to.be.below(4);
    }));

  it('has its disc where the sun stands, and none once that has set', () =>
    inScene(async (scene) => {
      const contrast = async (height: number) => {
        const light = sunAt(scene, height);
        const angle = (height * Math.PI) / 180;
        scene.look([0, 0, 0], [0, Math.sin(angle), -Math.cos(angle)], { fov: 10, ev: -4 });
        const picture = await scene.picture(64, 64);
        light.destroy();
        return luma(middle(picture)) - luma(pixel(picture, 32, 56));
      };
      expect(await contrast(30)).to.be.above(40);
      expect(await contrast(3)).to.be.above(40);
      expect(Math.abs(await contrast(-5))).to.be.below(8);
    }));

  it('is made by the Sky: haze whitens it, ground lights what faces down, intensity dims it alone', () =>
    inScene(async (scene) => {
      sunAt(scene, 40, 180);
      scene.look([0, 0, 0], [0, 0.5, -1], { exposure: 'fixed' });
      const sky = add(scene, 'Sky');
      const above = async () => pixel(await scene.picture(32, 32), 16, 8);
      const usual = await above();
      sky.set('turbidity', 8);
      const hazy = await above();
      expect(hazy[0] / hazy[2]).to.be.above(usual[0] / usual[2] + 0.1);
      sky.set('turbidity', 2.5);
      expect(await above()).to.deep.equal(usual);
      sky.set('intensity', 0.25);
      expect(luma(await above())).to.be.below(0.7 * luma(usual));
      sky.set('intensity', 1);
      scene.model(scene.renderer.meshes.box(), { position: [0, 5, 0] }, { albedo: [1, 1, 1], roughness: 1 });
      scene.look([0, 0, 0.01], [0, 5, 0], { fov: 5 });
      sky.set('groundAlbedo', [0, 0, 0]);
      const unlit = middle(await scene.picture(16, 16));
      sky.set('groundAlbedo', [0.8, 0.1, 0]);
      const lit = middle(await scene.picture(16, 16));
      expect(lit[0]).to.be.above(unlit[0] + 60);
      expect(lit[0]).to.be.above(lit[2] + 40);
    }));

  it('of several Skies and Fogs the first counts, and the next once that is gone', () =>
    inScene(async (scene) => {
      scene.look([0, 0, 0], [0, 0.2, -1]);
      const first = add(scene, 'Sky', { turbidity: 9 });
      const alone = await scene.picture(32, 32);
      add(scene, 'Sky', { turbidity: 2 });
      expect(largestDifference(alone, await scene.picture(32, 32))).to.equal(0);
      scene.world.removeComponent(first.entity, 'Sky');
      expect(largestDifference(alone, await scene.picture(32, 32))).to.be.above(10);
    }));

  it('changes nothing in front of a flat background', () =>
    inScene(async (scene) => {
      scene.renderer.background = [0.2, 0.4, 0.6];
      scene.model(scene.renderer.meshes.box(), {}, { albedo: [0, 0, 0], roughness: 1 });
      scene.look([0, 0, 50], [0, 0, 0], { fov: 1 });
      const clear = await scene.picture(16, 16);
      add(scene, 'Fog', { density: 1 });
      expect(largestDifference(clear, await scene.picture(16, 16))).to.equal(0);
    }));

  describe('fog', () => {
    const card = (scene: Scene, position: readonly number[]) =>
      scene.model(
        scene.renderer.meshes.box({ size: [4, 4, 0.1] }),
        { position },
        { albedo: [0, 0, 0], roughness: 1 },
      );

    it('takes half at the distance that its density says', () =>
      inScene(async (scene) => {
        sunAt(scene, 90, 0, { shadows: false });
        // Droplets are grey: so dense that clear air has no part in it.
        const fog = add(scene, 'Fog', { density: 1 });
        scene.look([0, 0, 0], [0, 0, -1], { fov: 2, exposure: 'fixed' });
        const level = async (distance: number, density: number) => {
          fog.set('density', density);
          const thing = card(scene, [0, 0, -distance]);
          const byte = middle(await scene.picture(8, 8))[1] / 255;
          thing.destroy();
          return ((byte + 0.055) / 1.055) ** 2.4;
        };
        const [none, all] = [await level(20, 0), await level(20, 1000)];
        const half = await level(20, Math.LN2 / 20);
        expect((half - none) / (all - none)).to.be.within(0.46, 0.54);
      }));

    it('lies low where it thins out with height, and takes on its colour', () =>
      inScene(async (scene) => {
        sunAt(scene, 90, 0, { shadows: false });
        const fog = add(scene, 'Fog', { density: 0.05, falloff: 10 });
        const seen = async (height: number) => {
          const thing = card(scene, [0, height, -60]);
          scene.look([0, height, 0], [0, height, -60], { fov: 2, exposure: 'fixed' });
          const color = middle(await scene.picture(8, 8));
          thing.destroy();
          return color;
        };
        const [low, high] = [await seen(0), await seen(80)];
        expect(luma(low)).to.be.above(luma(high) + 60);
        // A higher bottom lifts it.
        fog.set('height', 80);
        const lifted = await seen(80);
        lifted.forEach((byte, c) => expect(byte).to.be.closeTo(low[c], 2));
        fog.set('color', [1, 0.2, 0.2]);
        const red: Rgb = await seen(80);
        expect(red[0]).to.be.closeTo(lifted[0], 40);
        expect(red[1]).to.be.below(0.7 * lifted[1]);
      }));

    it('is with parallel rays as dense as where each of them passes, level and from above', () =>
      inScene(async (scene) => {
        const [WIDE, SIDE] = [60, 32];
        sunAt(scene, 90, 0, { shadows: false });
        add(scene, 'Fog', { density: 0.02, falloff: 10 });
        scene.model(scene.renderer.meshes.box({ size: [200, 300, 1] }), { position: [0, 0, -60] });
        for (const down of [0, 30]) {
          const forward = [0, -Math.sin((down * Math.PI) / 180), -Math.cos((down * Math.PI) / 180)];
          const lookFrom = (from: number[], fields: Record<string, unknown>) =>
            scene.look(
              from,
              from.map((part, i) => part + forward[i]),
              { exposure: 'fixed', ...fields },
            );
          lookFrom([0, 20, 0], { orthographic: true, height: WIDE });
          const parallel = await scene.picture(SIDE, SIDE);
          for (const y of [2, 9, 16, 23, 30]) {
            // The same ray from an eye that stands where it starts.
            const aside = (0.5 - (y + 0.5) / SIDE) * WIDE;
            lookFrom([0, 20 - forward[2] * aside, forward[1] * aside], { orthographic: false, fov: 1 });
            const own = middle(await scene.picture(8, 8));
            const found = pixel(parallel, SIDE / 2, y);
            for (const c of [0, 1, 2])
              expect(found[c], `${down} degrees down, row ${y}`).to.be.closeTo(own[c], 2);
          }
        }
      }));

    it('hides the sky overhead only where it stands high', () =>
      inScene(async (scene) => {
        sunAt(scene, 40, 180);
        scene.look([0, 0, 0], [0, 1, -0.5], { exposure: 'fixed' });
        const clear = middle(await scene.picture(16, 16));
        const fog = add(scene, 'Fog', { density: 0.01, falloff: 5 });
        const thin = middle(await scene.picture(16, 16));
        fog.set('falloff', 1000);
        const thick = middle(await scene.picture(16, 16));
        expect(Math.abs(luma(thin) - luma(clear))).to.be.below(12);
        expect(thick[2] - thick[0]).to.be.below(clear[2] - clear[0] - 20);
      }));
  });

  describe('in Lua', () => {
    it('has fields as they are documented', async () => {
      const { lines } = await runScene(`
        local sky = entity.create("sky").component.add("Sky", { turbidity = 3 })
        local fog = entity.create("fog").component.add("Fog")
        print(sky.turbidity, sky.intensity, sky.night, sky.groundAlbedo.x, fog.density, fog.height, fog.falloff, fog.color.y)
        fog.density, fog.falloff = 0.002, 50
        print(fog.density, fog.falloff, #ecs.query(ecs.Sky), #ecs.query(ecs.Fog))`);
      expect(lines).to.deep.equal(['3.0\t1.0\t1.0\t0.22\tnil\t0.0\tnil\t1.0', '0.002\t50.0\t1\t1']);
    });

    for (const [call, message] of [
      ['add("Sky", { turbidity = 1 })', 'turbidity must be a finite number in 1.8..10, got 1'],
      ['add("Sky", { turbidity = 11 })', 'turbidity must be a finite number in 1.8..10, got 11'],
      ['add("Sky", { turbidity = 0/0 })', 'turbidity must be a finite number in 1.8..10, got'],
      ['add("Sky", { groundAlbedo = { 0.5, 2, 0.5 } })', 'groundAlbedo.g must be'],
      ['add("Sky", { intensity = -1 })', 'intensity must be'],
      ['add("Sky", { haze = 1 })', 'there is no field "haze"'],
      ['add("Fog", { density = -0.1 })', 'density must be'],
      ['add("Fog", { density = 1/0 })', 'density must be'],
      ['add("Fog", { falloff = 0 })', 'falloff must be a finite number above 0, got 0'],
      ['add("Fog", { color = { -1, 0, 0 } })', 'color.r must be'],
    ])
      it(`refuses ${call}`, async () => {
        const { message: got } = await failureOf(`entity.create("a").component.${call}`);
        expect(got).to.contain(message);
      });
  });
});
