import { expect } from 'chai';
import fc from 'fast-check';
import { gatherFrame } from '../../runtime/renderer/frame.js';
import type { Picture } from '../../runtime/renderer/renderer.js';
import { Scatter, type ScatterFields } from '../../runtime/scatter/scatter.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from '../support/fields.js';
import { sharedGpu } from '../support/gpu.js';
import { inScene, largestDifference, type Scene } from '../support/picture.js';
import { standing, textOf } from '../support/scatter.js';
import { judge } from '../support/scatterJudge.js';
import { strokeOf } from '../support/strokes.js';
import { fieldTexture, GROUNDS, openField, type HeightOf } from '../support/terrain.js';

/** What float32 and doubles may tell apart, of an instance's distance: a few of its rounding steps. */
const UNCLEAR = 1e-5;

interface Stage {
  scene: Scene;
  hf: Heightfield;
  make(fields: Partial<ScatterFields>): Scatter;
}

/** Runs `work` with a field of 48 × 48 texels, 2 m each; all it makes goes with the field. */
function onField<T>(
  work: (stage: Stage) => T | Promise<T>,
  {
    heightOf = GROUNDS.hilly,
    origin = [0, 0] as readonly [number, number],
    holes = undefined as Texture | undefined,
  } = {},
): Promise<T> {
  return inScene(async (scene) => {
    const gpu = await sharedGpu();
    const hf = openField(gpu, fieldTexture(48, 48, heightOf as HeightOf, [96, 96]), { origin, holes });
    const { renderer } = scene;
    const mesh = renderer.meshes.cylinder({ radius: 0.6, topRadius: 0.1, height: 2, segments: 5 });
    const make = (fields: Partial<ScatterFields>) =>
      Scatter.create({ gpu, renderer }, hf, { mesh, density: 0.1, ...fields });
    try {
      return await work({ scene, hf, make });
    } finally {
      hf.close();
      expect(renderer.scatters.size).to.equal(0);
    }
  });
}

function withoutShadows({ world }: Scene): void {
  const sun = world.createEntity('sun', { position: [-1, 1, 1] });
  sun.lookAt([0, 0, 0]);
  world.addComponent(sun, 'Light', { shadows: false });
}

/** A map of 4 × 4 texels of two colours. */
const checks = (a: number[], b: number[]) =>
  Texture.create({
    width: 4,
    height: 4,
    format: 'rgba8',
    data: (i: number, j: number) => ((i ^ j) & 1 ? a : b),
  });

/** The numbers that the last frame drew. */
async function drawn(scatter: Scatter): Promise<number[]> {
  const gpu = await sharedGpu();
  const count = await scatter.visible();
  if (count === 0) return [];
  return [...new Uint32Array(await gpu.read(scatter.buffers.list.visible, 0, count * 4))];
}

/** The records as the GPU has them. */
async function recordsOf(scatter: Scatter): Promise<Float32Array> {
  if (scatter.count === 0) return new Float32Array(0);
  return new Float32Array(await (await sharedGpu()).read(scatter.buffers.instances, 0, scatter.count * 32));
}

describe('scatter', function () {
  this.timeout(60_000);

  describe('a frame', () => {
    it('draws exactly what the camera sees, in the order of numbers: perspective and parallel, near and far', () =>
      onField(async ({ scene, hf, make }) => {
        const scatter = make({ density: 0.25, scale: [0.5, 2], align: 0.8 });
        expect(scatter.count).to.be.above(2000);
        await scene.renderer.ready(scene.world);
        const random = randomFrom(5);
        const spread = (reach: number) => (2 * random() - 1) * reach;
        let [seen, unseen, unclear] = [0, 0, 0];
        for (let k = 0; k < 40; k++) {
          scatter.update({ maxDistance: k % 3 === 0 ? 20 + 80 * random() : null });
          const [x, z] = [spread(70), spread(70)];
          const camera = {
            orthographic: k % 4 === 3,
            height: 5 + 60 * random(),
            fov: 20 + 80 * random(),
            near: k % 5 === 0 ? 12 : 0.1,
          };
          scene.look([x, hf.heightAt(x, z) + spread(6) + 5, z], [spread(50), spread(20), spread(50)], camera);
          const size = { width: 48, height: 27 };
          scene.renderer.render(scene.world, size);
          const list = await drawn(scatter);
          expect(list).to.deep.equal([...list].sort((a, b) => a - b));
          const { view } = gatherFrame(scene.world, size, null);
          const mesh = scene.renderer.meshes.get(scatter.rules.mesh);
          const among = new Set(list);
          judge(scatter, view, mesh.bounds).forEach((clearly, number) => {
            if (Math.abs(clearly) < UNCLEAR) return void unclear++;
            expect(among.has(number), `camera ${k}, instance ${number}, ${clearly}`).to.equal(clearly > 0);
            if (clearly > 0) seen++;
            else unseen++;
          });
        }
        expect(seen).to.be.above(3000);
        expect(unseen).to.be.above(3000);
        expect(unclear).to.be.below(100);
      }));

    for (const [what, material] of [
      ['', undefined],
      [
        ', its material’s maps too',
        {
          albedoMap: checks([255, 0, 0, 255], [0, 255, 0, 255]),
          normalMap: checks([60, 128, 218, 255], [196, 128, 218, 255]),
        },
      ],
    ] as const)
      it(`shows each instance as a model that stands in its place${what}`, () =>
        onField(async ({ scene, make }) => {
          const { renderer, world } = scene;
          const guid = material && renderer.materials.create(material);
          const scatter = make({
            ...{ density: 0.05, scale: [0.5, 3] as const, align: 0.9, sink: 0.2, maxDistance: 1e5 },
            material: guid,
          });
          // Fog and the sun's maps depend on what models there are: without.
          renderer.background = [0, 0, 0];
          withoutShadows(scene);
          scene.look([20, 30, 40], [0, 0, 0]);
          await renderer.ready(world);
          const scattered = await scene.picture(160, 90);
          const { mesh } = scatter.rules;
          for (let k = 0; k < scatter.count; k++) {
            const { position, rotation, scale } = scatter.instance(k);
            const entity = world.createEntity('one', { position, rotation, scale: [scale, scale, scale] });
            world.addComponent(entity, 'Model', { mesh, material: guid });
          }
          scatter.destroy();
          await renderer.ready(world);
          const models = await scene.picture(160, 90);
          let [unlike, shown] = [0, 0];
          for (let i = 0; i < models.data.length; i += 4) {
            const part = (picture: Picture) => picture.data.subarray(i, i + 3);
            if (part(models).some((byte) => byte > 20)) shown++;
            if (part(models).some((byte, k) => Math.abs(byte - part(scattered)[k]) > 3)) unlike++;
          }
          // Turns come by quaternions here and by angles there: an edge may fall on another sample.
          expect(unlike).to.be.at.most((160 * 90) / 500);
          expect(shown).to.be.above(1500);
        }));

    it('is the same bytes twice, where instances stand in each other too', () => {
      const pictureOf = () =>
        onField(async ({ scene, make }) => {
          make({ density: 3, scale: [1, 2] });
          await scene.renderer.ready(scene.world);
          scene.look([30, 30, 60], [0, 0, 0]);
          return scene.picture(160, 90);
        });
      return pictureOf().then(async (first) =>
        expect(largestDifference(await pictureOf(), first)).to.equal(0),
      );
    });

    it('draws a field 1,000 km away as it draws it at home', async () => {
      const pictureAt = (origin: readonly [number, number]) =>
        onField(
          async ({ scene, make }) => {
            make({ density: 0.3, scale: [0.5, 2], maxDistance: 1e4 });
            scene.renderer.background = [0, 0, 0];
            // Their edges fall on other places of a map's texels there.
            withoutShadows(scene);
            await scene.renderer.ready(scene.world);
            scene.look([origin[0] + 20, 30, origin[1] + 50], [origin[0], 0, origin[1]]);
            return scene.picture(160, 90);
          },
          { origin },
        );
      const [home, far] = [await pictureAt([0, 0]), await pictureAt([2 ** 20, -(2 ** 20)])];
      let unlike = 0;
      for (let i = 0; i < home.data.length; i++) if (Math.abs(home.data[i] - far.data[i]) > 4) unlike++;
      // Places there are rounded in other last bits, which may carry an edge over a sample.
      expect(unlike).to.be.at.most(home.data.length / 1000);
      expect(largestDifference(home, { ...far, data: far.data.map(() => 0) })).to.be.above(50);
    });

    it('takes one draw a mesh and three dispatches, counts the triangles submitted, and is no part of frames without', () =>
      onField(async ({ scene, make }) => {
        withoutShadows(scene);
        await scene.renderer.ready(scene.world);
        await scene.picture(8, 8);
        expect(scene.renderer.stats().passes).to.not.have.property('scatter');
        const first = make({ density: 0.2 });
        const refused = () => scene.renderer.render(scene.world, { width: 8, height: 8 });
        expect(refused).to.throw('renderer.render: await renderer.ready(world) first, for its scatter');
        await scene.renderer.ready(scene.world);
        const second = make({ density: 0.1, seed: 4 });
        await scene.picture(8, 8);
        const { passes, dispatches } = scene.renderer.stats();
        const triangles = 5 * 2 + 5 * 2;
        expect(passes.scatter).to.deep.equal({
          draws: 2,
          triangles: (first.count + second.count) * triangles,
        });
        expect(dispatches).to.equal(6);
        first.destroy();
        second.destroy();
        await scene.picture(8, 8);
        expect(scene.renderer.stats().passes).to.not.have.property('scatter');
      }));

    it('is lit by point lights too', () =>
      onField(async ({ scene, make }) => {
        make({ density: 0.5, scale: [2, 2] });
        const lamp = scene.world.createEntity('lamp', { position: [0, 30, 0] });
        scene.world.addComponent(lamp, 'Light', { kind: 'point', intensity: 0, range: 200 });
        scene.look([0, 40, 40], [0, 0, 0]);
        await scene.renderer.ready(scene.world);
        const dark = await scene.picture();
        scene.world.getComponent(lamp, 'Light')!.set('intensity', 1000);
        expect(largestDifference(await scene.picture(), dark)).to.be.above(30);
      }));

    it('takes other meshes, materials and distances without placing anew, and draws nothing of a mesh that is gone', () =>
      onField(async ({ scene, make }) => {
        const { meshes, materials } = scene.renderer;
        const scatter = make({ density: 0.3 });
        scene.look([0, 20, 40], [0, 0, 0]);
        scene.renderer.background = [0, 0, 0];
        await scene.renderer.ready(scene.world);
        const grey = await scene.picture();
        const asked = scatter.work;
        const red = materials.create({ albedo: [1, 0, 0] });
        const box = meshes.box({ size: [3, 3, 3] });
        scatter.update({ material: red, mesh: box });
        const boxes = await scene.picture();
        expect(largestDifference(boxes, grey)).to.be.above(50);
        expect(scene.renderer.stats().passes.scatter.triangles).to.equal(scatter.count * 12);
        expect(scatter.work).to.equal(asked);
        materials.update(red, { albedo: [0, 1, 0] });
        expect(largestDifference(await scene.picture(), boxes)).to.be.above(50);
        materials.destroy(red);
        scatter.update({ maxDistance: 1 });
        await scene.picture();
        expect(await scatter.visible()).to.equal(0);
        meshes.destroy(box);
        await scene.picture();
        expect(scene.renderer.stats().passes.scatter).to.deep.equal({ draws: 0, triangles: 0 });
        expect(await scatter.visible()).to.equal(0);
      }));
  });

  describe('an edit', () => {
    /** All but the order of numbers. */
    const sorted = (scatter: Scatter) => {
      const { places, records } = scatter.table();
      const count = scatter.count;
      return standing({ count, places, records: records.slice() } as never).sort(
        (a, b) => a.x - b.x || a.z - b.z,
      );
    };

    it('changes only what it covers, asks no cell more, and leaves what a new scatter would have', () =>
      onField(async ({ hf, make }) => {
        const fields = {
          density: 0.4,
          slope: [0, 80] as const,
          height: [-18, 60] as const,
          align: 0.5,
          spacing: 1,
        };
        const scatter = make(fields);
        const places = sorted(make({ ...fields, slope: undefined, height: undefined, spacing: 0 }));
        let [changed, stayed] = [0, 0];
        await fc.assert(
          fc.asyncProperty(strokeOf(48, 48), async (stroke) => {
            const before = sorted(scatter);
            const rect = hf.setHeights(stroke.col, stroke.row, stroke.cols, stroke.rows, stroke.heights);
            const inside = ({ x, z }: { x: number; z: number }) =>
              x >= rect.minX && x <= rect.maxX && z >= rect.minZ && z <= rect.maxZ;
            expect(scatter.work.asked).to.equal(places.filter(inside).length);
            const after = sorted(scatter);
            const far = (list: typeof before) => list.filter((one) => !inside(one)).map(textOf);
            expect(far(after)).to.deep.equal(far(before));
            const fresh = make(fields);
            expect(after.map(({ x, y, z }) => [x, y, z])).to.deep.equal(
              sorted(fresh).map(({ x, y, z }) => [x, y, z]),
            );
            fresh.destroy();
            expect(await recordsOf(scatter)).to.deep.equal(scatter.table().records);
            expect(scatter.work.bytes).to.be.at.most(32 * (33 * scatter.work.changed));
            changed += scatter.work.changed;
            stayed += far(after).length;
          }),
          { numRuns: 40 },
        );
        expect(changed).to.be.above(200);
        expect(stayed).to.be.above(10_000);
      }));

    it('sends nothing where it changes nothing', () =>
      onField(({ hf, make }) => {
        const scatter = make({ density: 1 });
        const same = [0, 1].map((i) => hf.read(20 + i, 30)[0]);
        hf.setHeights(20, 30, 2, 1, same);
        expect(scatter.work.asked).to.be.above(0);
        expect(scatter.work).to.include({ changed: 0, bytes: 0 });
      }));

    it('makes room where it brings more than there was', () =>
      onField(async ({ scene, hf, make }) => {
        const gpu = await sharedGpu();
        const scatter = make({ density: 2, height: [100, 200] });
        const before = gpu.bytes;
        expect(scatter.count).to.equal(0);
        scene.look([0, 200, 10], [0, 0, 0]);
        await scene.renderer.ready(scene.world);
        await scene.picture(16, 16);
        expect(await scatter.visible()).to.equal(0);
        hf.setHeights(0, 0, 48, 48, new Float32Array(48 * 48).fill(150));
        expect(scatter.count).to.be.within(18_000, 18_700);
        expect(await recordsOf(scatter)).to.deep.equal(scatter.table().records);
        await scene.picture(16, 16);
        expect(await scatter.visible()).to.be.above(1000);
        expect(gpu.bytes).to.be.above(before);
        hf.setHeights(0, 0, 48, 48, new Float32Array(48 * 48));
        expect(scatter.count).to.equal(0);
        await scene.picture(16, 16);
        expect(await scatter.visible()).to.equal(0);
      }));

    it('is undone by a refresh, which places all', () =>
      onField(async ({ hf, make }) => {
        const scatter = make({ density: 0.5 });
        const before = sorted(scatter).map(textOf);
        hf.setHeights(10, 10, 20, 20, new Float32Array(400).fill(-7));
        expect(sorted(scatter).map(textOf)).to.not.deep.equal(before);
        await hf.refresh();
        expect(sorted(scatter).map(textOf)).to.deep.equal(before);
        expect(await recordsOf(scatter)).to.deep.equal(scatter.table().records);
      }));

    it('whose filter fails changes no instance, and is made up for by the next', () =>
      onField(async ({ hf, make }) => {
        let fails = false;
        const fields = { density: 0.3 };
        const filter = () => {
          if (fails) throw new Error('no');
          return true;
        };
        const scatter = make({ ...fields, filter });
        const before = sorted(scatter).map(textOf);
        fails = true;
        expect(() => hf.setHeights(5, 5, 6, 6, new Float32Array(36).fill(70))).to.throw('no');
        expect(sorted(scatter).map(textOf)).to.deep.equal(before);
        fails = false;
        hf.setHeights(40, 40, 1, 1, [3]);
        const places = (of: Scatter) => sorted(of).map(({ x, y, z }) => [x, y, z]);
        expect(places(scatter)).to.deep.equal(places(make(fields)));
        expect(await recordsOf(scatter)).to.deep.equal(scatter.table().records);
      }));

    it('is refused from a filter that is being asked, and so are updates', () =>
      onField(({ hf, make }) => {
        let act: () => void = () => {};
        const scatter = make({ density: 0.1, filter: () => (act(), true) });
        const before = sorted(scatter).map(textOf);
        act = () => hf.setHeights(0, 0, 1, 1, [3]);
        expect(() => scatter.update({ seed: 2 })).to.throw(
          'terrainHeightfield.setHeights: filter must not edit the ground that it is asked for',
        );
        act = () => scatter.update({ seed: 3 });
        expect(() => scatter.update({ seed: 2 })).to.throw(
          'scatter.update: filter must not update the scatter',
        );
        expect(sorted(scatter).map(textOf)).to.deep.equal(before);
        act = () => scatter.destroy();
        expect(() => scatter.update({ seed: 2 })).to.throw('scatter.update: this scatter is destroyed');
        act = () => hf.close();
        expect(() => make({ density: 0.1, filter: () => (act(), true) })).to.throw(
          'this heightfield is closed',
        );
      }));
  });

  describe('fields', () => {
    it('are refused by name, and nothing is made of them', () =>
      onField(async ({ scene, make }) => {
        const gpu = await sharedGpu();
        const before = gpu.bytes;
        const cases: [Record<string, unknown>, string][] = [
          [{ density: -1 }, 'density must be a finite number of at least 0, got -1'],
          [{ density: NaN }, 'density must be a finite number of at least 0, got NaN'],
          [{ density: undefined }, 'density is missing'],
          [{ densty: 1 }, 'there is no field "densty" (did you mean "density"?)'],
          [{ seed: 1.5 }, 'seed must be an integer in -2147483648..4294967295, got 1.5'],
          [{ slope: [30, 10] }, 'slope must be { low, high } with low at most high, got { 30, 10 }'],
          [{ slope: [0, 91] }, 'slope.high must be a finite number in 0..90, got 91'],
          [{ height: [NaN, 3] }, 'height.low must be a finite number, got NaN'],
          [{ height: 3 }, 'height must be { low, high }, got 3'],
          [{ scale: [0, 1] }, 'scale.low must be a finite number above 0, got 0'],
          [{ align: 2 }, 'align must be a finite number in 0..1, got 2'],
          [{ sink: Infinity }, 'sink must be a finite number, got Infinity'],
          [{ layer: 'moss' }, 'layer'],
          [{ layerMin: -0.1 }, 'layerMin must be a finite number in 0..1, got -0.1'],
          [{ spacing: 30 }, 'spacing must be at most 8 / sqrt(density), which is 25.298'],
          [{ underwater: 1 }, 'underwater must be true or false, got 1'],
          [
            { rect: { size: [0, 3] } },
            'rect.size.width must be a finite number above 0, at most 1000000000000, got 0',
          ],
          [{ max: 0 }, 'max must be an integer in 1..16000000, got 0'],
          [{ max: 100 }, 'max must be at least the number of instances, which is'],
          [{ maxDistance: 0 }, 'maxDistance must be a finite number above 0, got 0'],
          [{ filter: 3 }, 'filter must be a function(x, z, y) that answers true or false, got 3'],
          [{ mesh: 'none' }, 'mesh must be the guid of a mesh that exists, got "none"'],
          [{ mesh: undefined }, 'mesh must be the guid of a mesh, got nothing'],
          [{ material: 'none' }, 'material must be the guid of a material that exists, got "none"'],
          [{ density: 1e6 }, 'density must be at most 16777216 places over the ground, got 1000000'],
        ];
        for (const [fields, message] of cases) {
          expect(() => make(fields), message).to.throw(`scatter.create: ${message}`);
          expect(gpu.bytes, message).to.equal(before);
        }
        const scatter = make({ density: 0.1, max: 5000 });
        const bytes = gpu.bytes;
        const { count, rules } = scatter;
        for (const [fields, message] of cases) {
          if (Object.values(fields)[0] === undefined || fields.spacing) continue;
          expect(() => scatter.update(fields), message).to.throw(`scatter.update: ${message}`);
          expect([gpu.bytes, scatter.count, scatter.rules]).to.deep.equal([bytes, count, rules]);
        }
        expect(scene.renderer.scatters.size).to.equal(1);
      }));

    it('change by update, and go back to their defaults by null', () =>
      onField(async ({ make }) => {
        const scatter = make({ density: 0.5 });
        const { count } = scatter;
        scatter.update({ height: [0, 100] });
        expect(scatter.count).to.be.within(1, count - 1);
        expect(await recordsOf(scatter)).to.deep.equal(scatter.table().records);
        scatter.update({ height: null });
        expect(scatter.count).to.equal(count);
        scatter.update({ density: 0.01 });
        expect(scatter.count).to.be.below(count / 20);
        expect(await recordsOf(scatter)).to.deep.equal(scatter.table().records);
      }));
  });

  it('gives its bytes back when it is destroyed, twice, and when its ground closes', () =>
    onField(async ({ scene, hf, make }) => {
      const gpu = await sharedGpu();
      // What the first thing brings that casts is there already: the sun's shadow maps.
      const first = make({ density: 0.5 });
      await scene.renderer.ready(scene.world);
      await scene.picture(8, 8);
      first.destroy();
      await scene.picture(8, 8);
      const before = gpu.bytes;
      const scatter = make({ density: 0.5 });
      await scene.renderer.ready(scene.world);
      await scene.picture(8, 8);
      expect(gpu.bytes - before).to.be.at.least(scatter.bytes);
      expect(scatter.bytes).to.be.within(scatter.count * 36, scatter.count * 60);
      scatter.destroy();
      scatter.destroy();
      // The standard material's own block stays with the renderer.
      expect(gpu.bytes - before).to.be.at.most(256);
      expect(() => scatter.update({})).to.throw('scatter.update: this scatter is destroyed');
      const other = make({ density: 0.1 });
      hf.close();
      expect(other.destroyed).to.equal(true);
      expect(() => make({})).to.throw('scatter.create: this heightfield is closed');
    }));

  it('keeps nothing over 300 rounds of making, drawing, editing and destroying', () =>
    onField(async ({ scene, hf, make }) => {
      const gpu = await sharedGpu();
      const round = async (k: number) => {
        const scatter = make({ density: 0.05 + 0.01 * (k % 7), seed: k });
        if (k % 20 === 0) {
          await scene.renderer.ready(scene.world);
          await scene.picture(8, 8);
        }
        hf.setHeights(k % 40, (k * 7) % 40, 3, 3, new Float32Array(9).fill(k % 11));
        scatter.destroy();
      };
      await round(0);
      const before = gpu.bytes;
      for (let k = 1; k < 300; k++) await round(k);
      expect(gpu.bytes).to.equal(before);
    }));
});
