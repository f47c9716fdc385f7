import { expect } from 'chai';
import fc from 'fast-check';
import { cascadesOf } from '../../runtime/renderer/cascades.js';
import { gatherFrame } from '../../runtime/renderer/frame.js';
import { Renderer, type Picture } from '../../runtime/renderer/renderer.js';
import type { View } from '../../runtime/renderer/view.js';
import { Scatter } from '../../runtime/scatter/scatter.js';
import { castGroundRay } from '../../runtime/terrain/groundRay.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import type { Entity } from '../../runtime/world/entity.js';
import { dot, normalize, vec3, type Vec3 } from '../../runtime/world/vector.js';
import { sharedGpu } from '../support/gpu.js';
import { handGround } from '../support/groundMesh.js';
import { inScene, largestDifference, luma, pixel, Scene } from '../support/picture.js';
import { fieldTexture, openField, type HeightOf } from '../support/terrain.js';

const add = (a: Vec3, b: Vec3) => vec3(a.x + b.x, a.y + b.y, a.z + b.z);
const scaled = (a: Vec3, factor: number) => vec3(a.x * factor, a.y * factor, a.z * factor);

/** Of what a place sends with the sun's light, what it may send without: the sky's share is less. */
const DARK = 0.8;

function addSun(
  scene: Scene,
  toward: Vec3 | readonly number[],
  fields: Record<string, unknown> = {},
): Entity {
  const sun = scene.world.createEntity('sun', { position: toward });
  sun.lookAt([0, 0, 0]);
  scene.world.addComponent(sun, 'Light', { kind: 'sun', ...fields });
  return sun;
}

/** Toward a sun, by its height and its direction in degrees. */
function toward(height: number, around: number): Vec3 {
  const [h, a] = [(height * Math.PI) / 180, (around * Math.PI) / 180];
  return vec3(Math.cos(h) * Math.sin(a), Math.sin(h), Math.cos(h) * Math.cos(a));
}

/** A picture with shadows and the same without. */
async function both(scene: Scene, sun: Entity, width: number, height: number) {
  const light = scene.world.getComponent(sun, 'Light')!;
  const shaded = await scene.picture(width, height);
  light.set('shadows', false);
  const plain = await scene.picture(width, height);
  light.set('shadows', true);
  return { shaded, plain };
}

const isDark = (shaded: Picture, plain: Picture, x: number, y: number) =>
  luma(pixel(shaded, x, y)) < DARK * luma(pixel(plain, x, y));

const viewOfScene = (scene: Scene, width: number, height: number): View =>
  gatherFrame(scene.world, { width, height }, null).view;

/** The ray through a pixel's middle. */
function rayOf(view: View, x: number, y: number, width: number, height: number) {
  const right = scaled(view.right, view.halfWidth * (((x + 0.5) / width) * 2 - 1));
  const up = scaled(view.up, view.halfHeight * (1 - ((y + 0.5) / height) * 2));
  const aside = add(right, up);
  if (view.orthographic) return { from: add(view.position, aside), way: view.forward };
  return { from: view.position, way: normalize(add(view.forward, aside)) };
}

/** Whether a ray meets the inside of a box that lies along the axes. */
function meetsBox(from: Vec3, way: Vec3, min: Vec3, max: Vec3): boolean {
  let [start, end] = [0, Infinity];
  for (const axis of ['x', 'y', 'z'] as const) {
    const [a, b] = [(min[axis] - from[axis]) / way[axis], (max[axis] - from[axis]) / way[axis]];
    start = Math.max(start, Math.min(a, b));
    end = Math.min(end, Math.max(a, b));
  }
  return start < end;
}

const BOX = { min: vec3(-1, 0, -1.5), max: vec3(1, 3, 1.5) };

/** A box on a plane, seen from above by parallel rays; the world's origin may lie far away. */
function boxOnPlane(scene: Scene, [x, z]: readonly [number, number] = [0, 0], extent = 40) {
  const { meshes } = scene.renderer;
  scene.model(meshes.plane({ width: extent, depth: extent }), { position: [x, 0, z] }, { roughness: 1 });
  scene.model(meshes.box({ size: [2, 3, 3] }), { position: [x, 1.5, z] }, { roughness: 1 });
  scene.look([x, 30, z], [x, 0, z], { orthographic: true, height: 16 });
}

describe('shadows', () => {
  describe('of a box on a plane', () => {
    /** Metres on the ground within which a shadow's edge may fall beside its place: the filter of a map of 40 m. */
    const EDGE = 0.3;
    /** Metres from the box's foot at which its shadow has begun. */
    const CONTACT = 0.08;

    for (const [height, around] of [
      [35, 128],
      [60, -70],
      [18, 200],
    ])
      it(`lies where the sun ${height} degrees up, ${around} round, is behind it`, () =>
        inScene(async (scene) => {
          boxOnPlane(scene);
          const way = toward(height, around);
          const sun = addSun(scene, way);
          const { shaded, plain } = await both(scene, sun, 192, 192);
          const view = viewOfScene(scene, 192, 192);
          const grown = (by: number) => [
            vec3(BOX.min.x - by, BOX.min.y, BOX.min.z - by),
            vec3(BOX.max.x + by, BOX.max.y + by * Math.tan((height * Math.PI) / 180), BOX.max.z + by),
          ];
          let [dark, lit] = [0, 0];
          for (let y = 0; y < 192; y++)
            for (let x = 0; x < 192; x++) {
              const { from } = rayOf(view, x, y, 192, 192);
              const ground = vec3(from.x, 0, from.z);
              // What lies under the box is seen on its roof.
              if (Math.abs(from.x) < 1.1 && Math.abs(from.z) < 1.6) continue;
              const [inner, outer] = [grown(-EDGE), grown(EDGE)].map(([min, max]) =>
                meetsBox(ground, way, min, max),
              );
              if (inner !== outer) continue;
              expect(isDark(shaded, plain, x, y), `at ${from.x}, ${from.z}`).to.equal(inner);
              if (inner) dark++;
              else lit++;
            }
          expect(dark).to.be.above(100);
          expect(lit).to.be.above(10_000);
        }));

    it('begins at its foot', () =>
      inScene(async (scene) => {
        boxOnPlane(scene);
        const sun = addSun(scene, toward(40, -90));
        // The sun is toward -X: the shadow leaves the box's +X side.
        scene.look([1.2, 30, 0], [1.2, 0, 0], { orthographic: true, height: 1.6 });
        const { shaded, plain } = await both(scene, sun, 160, 160);
        const column = Math.round((1 + CONTACT - 0.4) * 100);
        for (let y = 5; y < 155; y++) expect(isDark(shaded, plain, column, y), `row ${y}`).to.equal(true);
      }));

    it('is none where its sun casts none, and then nothing is drawn or compiled for it', async () => {
      const renderer = new Renderer(await sharedGpu());
      const scene = new Scene(renderer);
      try {
        const sun = addSun(scene, toward(40, 30), { shadows: false });
        boxOnPlane(scene);
        await renderer.ready(scene.world);
        const before = renderer.stats().bytes;
        const plain = await scene.picture(64, 64);
        const targets = renderer.stats().bytes - before;
        expect(Object.keys(renderer.stats().passes)).to.deep.equal(['forward', 'sky', 'tonemap']);
        expect(targets).to.be.below(64 * 64 * 60 + 4096);
        scene.world.getComponent(sun, 'Light')!.set('shadows', true);
        expect(() => renderer.render(scene.world, { width: 64, height: 64 })).to.throw(
          'renderer.render: await renderer.ready(world) first, for its shadows',
        );
        await renderer.ready(scene.world);
        expect(largestDifference(await scene.picture(64, 64), plain)).to.be.above(40);
        expect(renderer.stats().passes.shadow1).to.deep.equal({ draws: 2, triangles: 14 });
        // A sun that gives no light casts no shadow.
        scene.world.getComponent(sun, 'Light')!.set('intensity', 0);
        await scene.picture(64, 64);
        expect(renderer.stats().passes).to.not.have.property('shadow1');
      } finally {
        renderer.destroy();
      }
    });

    it('is the default sun’s too, and comes from things that the camera does not see', () =>
      inScene(async (scene) => {
        const { meshes } = scene.renderer;
        scene.model(meshes.plane({ width: 40, depth: 40 }), {}, { roughness: 1 });
        scene.look([0, 30, 0], [0, 0, 0], { orthographic: true, height: 8 });
        const plain = await scene.picture(64, 64);
        // Toward the default sun, out of sight.
        scene.model(meshes.box({ size: [3, 3, 3] }), { position: [-0.62 * 18, 0.56 * 18, 0.5 * 18] });
        const shaded = await scene.picture(64, 64);
        expect(scene.renderer.stats().passes.forward.draws).to.equal(1);
        expect(isDark(shaded, plain, 32, 32)).to.equal(true);
      }));

    it('is the same 100 km away', async () => {
      const at = (origin: readonly [number, number]) =>
        inScene(async (scene) => {
          boxOnPlane(scene, origin);
          scene.look([origin[0] + 8, 6, origin[1] + 9], [origin[0], 1, origin[1]], { orthographic: false });
          return scene.picture(160, 120);
        });
      const [home, away] = [await at([0, 0]), await at([100_000, -100_000])];
      let unlike = 0;
      for (let i = 0; i < home.data.length; i++) if (Math.abs(home.data[i] - away.data[i]) > 12) unlike++;
      // Its edges fall on other places of the map's texels.
      expect(unlike).to.be.at.most(home.data.length * 0.004);
    });
  });

  describe('of ground', () => {
    const SIDE = 128;
    const hills: HeightOf = (i, j) =>
      26 * Math.sin(i * 0.11) * Math.cos(j * 0.093) + 9 * Math.sin(i * 0.31 + j * 0.2) + 0.002 * i * j;

    /** Runs `work` with hills of 256 m a side, drawn by a terrain mesh. */
    const onHills = <T>(
      heightOf: HeightOf,
      work: (scene: Scene, hf: Heightfield) => Promise<T>,
    ): Promise<T> =>
      inScene(async (scene) => {
        const gpu = await sharedGpu();
        const hf = openField(gpu, fieldTexture(SIDE, SIDE, heightOf, [256, 256]));
        const from = { x: 30, y: 110, z: 150 };
        const mesh = await TerrainMesh.create({ gpu, renderer: scene.renderer }, hf, { camera: from });
        try {
          scene.model(mesh.mesh);
          scene.look(from, [0, 10, -10]);
          return await work(scene, hf);
        } finally {
          mesh.destroy();
          hf.close();
        }
      });

    /** Pixels on each side of an edge, of the judge's or of the outline, that are not asked. */
    const EDGE = 2;
    for (const [height, around] of [
      [14, -100],
      [25, 60],
      [38, 170],
    ])
      it(`falls where rays over the ground say, under a sun ${height} degrees up, ${around} round`, () =>
        onHills(hills, async (scene, hf) => {
          const [width, high] = [192, 120];
          const way = toward(height, around);
          const { shaded, plain } = await both(scene, addSun(scene, way), width, high);
          const view = viewOfScene(scene, width, high);
          // 0 sky or turned from the sun, 1 lit, 2 shaded.
          const judged = new Uint8Array(width * high);
          for (let y = 0; y < high; y++)
            for (let x = 0; x < width; x++) {
              const ray = rayOf(view, x, y, width, high);
              const hit = castGroundRay(hf, ray.from, ray.way);
              if (!hit || dot(hit.normal, way) < 0.12) continue;
              const off = add(hit.point, scaled(hit.normal, 0.02));
              judged[y * width + x] = castGroundRay(hf, off, way) ? 2 : 1;
            }
          let [asked, right, shadows] = [0, 0, 0];
          for (let y = EDGE; y < high - EDGE; y++)
            for (let x = EDGE; x < width - EDGE; x++) {
              const own = judged[y * width + x];
              if (own === 0) continue;
              let alone = true;
              for (let dy = -EDGE; dy <= EDGE; dy++)
                for (let dx = -EDGE; dx <= EDGE; dx++)
                  if (judged[(y + dy) * width + x + dx] !== own) alone = false;
              if (!alone) continue;
              asked++;
              if (own === 2) shadows++;
              if (isDark(shaded, plain, x, y) === (own === 2)) right++;
            }
          expect(asked).to.be.above(1500);
          expect(shadows).to.be.above(50);
          expect(right / asked).to.be.at.least(0.98);
        }));

    it('takes one draw a map', () =>
      onHills(hills, async (scene) => {
        await scene.picture(64, 40);
        const { passes } = scene.renderer.stats();
        const maps = Object.keys(passes).filter((name) => name.startsWith('shadow'));
        expect(maps).to.not.be.empty;
        for (const map of maps) expect(passes[map]).to.deep.equal(passes.forward);
        expect(passes.forward.draws).to.equal(1);
      }));

    it('is none on ground that nothing stands before: none darkens itself, whatever the sun', () =>
      // Slopes below 7 degrees, under suns from 9 degrees on.
      onHills(
        (i, j) => 2.4 * Math.sin(i * 0.07) * Math.cos(j * 0.06),
        async (scene) => {
          const sun = addSun(scene, [0, 1, 0]);
          for (const height of [9, 15, 35, 80])
            for (let around = 10; around < 360; around += 87) {
              const way = toward(height, around);
              sun.position = way;
              sun.lookAt([0, 0, 0]);
              const { shaded, plain } = await both(scene, sun, 96, 64);
              let dark = 0;
              for (let y = 0; y < 64; y++)
                for (let x = 0; x < 96; x++)
                  if (luma(pixel(shaded, x, y)) < luma(pixel(plain, x, y)) - 2) dark++;
              expect(dark, `dark pixels under a sun ${height} up, ${around} round`).to.equal(0);
            }
        },
      ));
  });

  it('of a dome’s few triangles do not fall on it: it is lit as the heightfield is shaped', () =>
    inScene(async (scene) => {
      const height = (x: number, z: number) => 200 - (x * x + z * z) / 200;
      const hand = await handGround({ texels: 129, size: 400, step: 32, height });
      scene.model(scene.renderer.meshes.createBounded(hand.fields));
      const sun = addSun(scene, [0, 1, 0]);
      scene.look([0, 300, 0], [0, 0, 0], { orthographic: true, height: 380 });
      for (const around of [20, 65, 160]) {
        const way = toward(16, around);
        sun.position = way;
        sun.lookAt([0, 0, 0]);
        const { shaded, plain } = await both(scene, sun, 128, 128);
        let dark = 0;
        for (let y = 0; y < 128; y++)
          for (let x = 0; x < 128; x++) if (luma(pixel(shaded, x, y)) < luma(pixel(plain, x, y)) - 3) dark++;
        expect(dark, `dark pixels under a sun from ${around}`).to.equal(0);
      }
      hand.destroy();
    }));

  it('of a ball do not reach round to where it faces the sun', () =>
    inScene(async (scene) => {
      scene.model(scene.renderer.meshes.sphere({ radius: 1, segments: 96, rings: 48 }), {}, { roughness: 1 });
      const sun = addSun(scene, [0, 1, 0]);
      scene.look([0, 0, 5], [0, 0, 0], { orthographic: true, height: 2.1 });
      for (let around = -80; around <= 80; around += 40) {
        const way = toward(20, around);
        sun.position = way;
        sun.lookAt([0, 0, 0]);
        const { shaded, plain } = await both(scene, sun, 96, 96);
        for (let y = 0; y < 96; y++)
          for (let x = 0; x < 96; x++) {
            const [nx, ny] = [((x + 0.5) / 48 - 1) * 1.05, (1 - (y + 0.5) / 48) * 1.05];
            const inside = 1 - nx * nx - ny * ny;
            if (inside < 0.02 || nx * way.x + ny * way.y + Math.sqrt(inside) * way.z < 0.15) continue;
            expect(luma(pixel(shaded, x, y)), `${x}, ${y}`).to.be.at.least(luma(pixel(plain, x, y)) - 2);
          }
      }
    }));

  it('are kept on a map while nothing on it changes, and are as if drawn anew when something did', () =>
    inScene(async (scene) => {
      const { world, renderer } = scene;
      const { meshes } = renderer;
      scene.model(meshes.plane({ width: 40, depth: 40 }), {}, { roughness: 1 });
      const mesh = meshes.box({ size: [2, 2, 2] });
      const box = scene.model(mesh, { position: [0, 1, 0] });
      const sun = addSun(scene, toward(40, 60));
      const lightFrom = (way: Vec3) => {
        sun.position = way;
        sun.lookAt([0, 0, 0]);
      };
      scene.look([7, 6, 9], [0, 1, 0], { orthographic: false });
      const drawn = () =>
        Object.entries(renderer.stats().passes)
          .filter(([name]) => name.startsWith('shadow'))
          .reduce((sum, [, { draws }]) => sum + draws, 0);
      const { vertexBuffer } = meshes.get(mesh);
      const words = await vertexBuffer.read();
      const stretched = words.map((word, i) => (i % 23 === 1 ? word * 1.8 : word));
      const changes: Record<string, () => void> = {
        'the first picture': () => undefined,
        'a caster that moves': () => (box.position = [1, 1, 0]),
        'its vertices': () => vertexBuffer.write({ data: stretched }),
        'the sun': () => lightFrom(toward(40, 65)),
        'one more': () => void scene.model(mesh, { position: [-3, 1, 1] }),
        'one less': () => box.destroy(),
        'the camera': () => scene.look([7, 6, 8], [0, 1, 0]),
        'the size of the world': () => void scene.model(mesh, { position: [0, 1, -90] }),
      };
      for (const [name, change] of Object.entries(changes)) {
        change();
        const changed = await scene.picture(96, 64);
        expect(drawn(), name).to.be.above(0);
        expect(largestDifference(await scene.picture(96, 64), changed), name).to.equal(0);
        expect(drawn(), `${name}, again`).to.equal(0);
        // Another sun's maps and back: all of them are drawn anew.
        const way = sun.position;
        lightFrom(toward(25, -100));
        await scene.picture(96, 64);
        lightFrom(way);
        expect(largestDifference(await scene.picture(96, 64), changed), `${name}, drawn anew`).to.equal(0);
        expect(drawn()).to.be.above(0);
      }
      // A capture's maps are its own view's.
      const before = await scene.picture(96, 64);
      await renderer.capture(world, { width: 40, height: 30, channel: 'color', bits: 8 } as never);
      expect(largestDifference(await scene.picture(96, 64), before)).to.equal(0);
    }));

  describe('while the camera moves', () => {
    /** Bytes by which a pixel of the same place may differ, and the part of pixels that may pass it. */
    const BYTES = 10;
    const PART = 0.001;

    it('stand still: a step of one pixel shows the same picture, a pixel aside', () =>
      inScene(async (scene) => {
        boxOnPlane(scene, [0, 0], 400);
        addSun(scene, toward(33, 140));
        const [width, height, step] = [160, 160, 16 / 160];
        let last: Picture | null = null;
        for (let k = 0; k < 6; k++) {
          scene.look([k * step, 30, 0], [k * step, 0, 0], { orthographic: true, height: 16 });
          const picture = await scene.picture(width, height);
          let unlike = 0;
          for (let y = 0; last && y < height; y++)
            for (let x = 0; x < width - 1; x++)
              if (Math.abs(luma(pixel(last, x + 1, y)) - luma(pixel(picture, x, y))) > BYTES) unlike++;
          expect(unlike).to.be.at.most(width * height * PART);
          last = picture;
        }
      }));

    it('are on maps that move by whole texels of one size, hold what is seen, and are as good anywhere', () => {
      const bounds = { min: vec3(-3000, -20, -3000), max: vec3(3000, 300, 3000) };
      fc.assert(
        fc.property(
          fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true })),
          fc.tuple(fc.integer({ min: 3, max: 90 }), fc.integer({ min: 0, max: 359 })),
          fc.constantFrom(0, 1e5, -3e6),
          (step, angles, far) => {
            const scene = new Scene({} as never);
            const box = {
              min: add(bounds.min, vec3(far, 0, far)),
              max: add(bounds.max, vec3(far, 0, far)),
            };
            const at = (x: number, z: number) => {
              scene.look([far + x, 40, far + z], [far + x + 10, 35, far + z - 20]);
              return gatherFrame(scene.world, { width: 640, height: 360 }, null).view;
            };
            const options = { sun: toward(...angles), bounds: box, count: 4, size: 1024 };
            const view = at(0, 0);
            const [first, second] = [cascadesOf(view, options), cascadesOf(at(...step), options)];
            expect(second.map(({ texel }) => texel)).to.deep.equal(first.map(({ texel }) => texel));
            first.forEach(({ square }, k) => {
              for (const axis of [0, 1]) {
                const texel = (2 * square.half[axis]) / 1024;
                const moved = (second[k].square.middle[axis] - square.middle[axis]) / texel;
                expect(Math.abs(moved - Math.round(moved))).to.be.below(1e-4);
              }
            });
            // Whatever is seen of the world lies on a map.
            for (const distance of [0.2, 3, 30, 200, 1000, 2500])
              for (const x of [0, 320, 639])
                for (const y of [0, 359]) {
                  const { way } = rayOf(view, x, y, 640, 360);
                  const relative = scaled(way, distance);
                  const place = add(view.position, relative);
                  const within = (axis: 'x' | 'y' | 'z') =>
                    place[axis] >= box.min[axis] && place[axis] <= box.max[axis];
                  if (!within('x') || !within('y') || !within('z')) continue;
                  const on = (row: readonly number[]) =>
                    row[0] * relative.x + row[1] * relative.y + row[2] * relative.z + row[3];
                  const held = first.some(
                    (map) =>
                      Math.max(Math.abs(on(map.x)), Math.abs(on(map.y))) <= Math.min(map.band, 1) &&
                      on(map.z) >= 0 &&
                      on(map.z) <= 1,
                  );
                  expect(held, `${distance} m away`).to.equal(true);
                }
          },
        ),
      );
    });
  });

  it('of a scatter fall from instances in and out of sight, each map with a list of its own', () =>
    inScene(async (scene) => {
      const gpu = await sharedGpu();
      const { renderer } = scene;
      const hf = openField(
        gpu,
        fieldTexture(48, 48, () => 0, [96, 96]),
      );
      try {
        scene.model(renderer.meshes.plane({ width: 96, depth: 96 }), {}, { roughness: 1 });
        const sun = addSun(scene, toward(30, -90));
        const mesh = renderer.meshes.box({ size: [1, 6, 1] });
        const scatter = Scatter.create({ gpu, renderer }, hf, { mesh, density: 0.02, seed: 2, spacing: 6 });
        await renderer.ready(scene.world);
        scene.look([0, 60, 0], [0, 0, 0], { orthographic: true, height: 30 });
        const { shaded, plain } = await both(scene, sun, 128, 128);
        const view = viewOfScene(scene, 128, 128);
        const { places } = scatter.table();
        const way = toward(30, -90);
        let [asked, right, dark] = [0, 0, 0];
        for (let y = 0; y < 128; y++)
          for (let x = 0; x < 128; x++) {
            const { from } = rayOf(view, x, y, 128, 128);
            const ground = vec3(from.x, 0, from.z);
            // Instances are turned about their own axis: what is surely shaded and what surely is not.
            let [sure, maybe] = [false, false];
            for (let k = 0; k < scatter.count; k++) {
              const [px, pz] = [places[k * 3], places[k * 3 + 2]];
              const around = (by: number) =>
                meetsBox(
                  ground,
                  way,
                  vec3(px - by, 0, pz - by),
                  vec3(px + by, by > 0.5 ? 3.6 : 2.6, pz + by),
                );
              sure ||= around(0.3);
              maybe ||= around(1.1);
            }
            if (sure !== maybe) continue;
            asked++;
            if (sure) dark++;
            if (isDark(shaded, plain, x, y) === sure) right++;
          }
        expect(dark).to.be.above(200);
        expect(right / asked).to.be.at.least(0.98);
        const { passes, dispatches } = renderer.stats();
        // The last picture was without.
        expect(passes).to.not.have.property('shadow1');
        expect(dispatches).to.equal(3);
        await scene.picture(128, 128);
        const { passes: again, dispatches: more } = renderer.stats();
        const maps = Object.keys(again).filter((name) => name.startsWith('shadow')).length;
        expect(maps).to.be.above(0);
        expect(again.shadow1).to.deep.equal({ draws: 2, triangles: 2 + 12 * scatter.count });
        expect(more).to.equal(3 * (1 + maps));
      } finally {
        hf.close();
      }
    }));
});
