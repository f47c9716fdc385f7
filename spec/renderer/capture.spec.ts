// Captures beside the picture: any size, deep colour, depth and normals, read back by another decoder and held against rays.
import { expect } from 'chai';
import { decode } from 'fast-png';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeHost } from '../../runtime/host/node.js';
import { checkCapture, type CaptureOptions, type Shot } from '../../runtime/renderer/capture.js';
import type { Renderer } from '../../runtime/renderer/renderer.js';
import { rayThrough, viewOf, type Ray, type View } from '../../runtime/renderer/view.js';
import { Runtime } from '../../runtime/runtime.js';
import { castGroundRay } from '../../runtime/terrain/groundRay.js';
import { readTexture } from '../../runtime/texture/ktx.js';
import { dot, subtract, vec3, type Vec3 } from '../../runtime/world/vector.js';
import { sharedGpu, SOFTWARE } from '../support/gpu.js';
import { project, runScene, sharedRuntime } from '../support/lua.js';
import { inScene, largestDifference, type Scene } from '../support/picture.js';

const SHOWN = { width: 96, height: 54 };
const MOST = 8192;

const check = (options: CaptureOptions) => checkCapture('capture', options, SHOWN, MOST);
const take = ({ renderer, world }: Scene, options: CaptureOptions): Promise<Shot> =>
  renderer.capture(world, checkCapture('capture', options, SHOWN, MOST));

/** Balls and a ground plate in the evening sun, and a mirrored ball. */
function furnish(scene: Scene): void {
  const { meshes } = scene.renderer;
  scene.model(meshes.plane({ width: 20, depth: 20 }));
  scene.model(meshes.sphere({ radius: 1, segments: 64, rings: 32 }), { position: [0, 1, 0] });
  scene.model(meshes.sphere({ radius: 1 }), { position: [3, 1, -2], scale: [-1, 1, 1] });
  scene.look([1, 4, 8], [0, 0.5, 0]);
}

describe('capture', () => {
  describe('checks', () => {
    it('take the picture’s size, and its shape where one side is said', () => {
      expect(check({})).to.deep.equal({ ...SHOWN, channel: 'color', bits: 8, step: 0.1 });
      expect(check({ width: 960 })).to.include({ width: 960, height: 540 });
      expect(check({ height: 27 })).to.include({ width: 48, height: 27 });
      expect(check({ width: 1 })).to.include({ width: 1, height: 1 });
      expect(check({ width: MOST })).to.include({ width: MOST, height: (MOST * 9) / 16 });
      expect(check({ width: 7, height: 300 })).to.include({ width: 7, height: 300 });
      expect(check({ channel: 'depth' })).to.include({ bits: 16 });
    });

    for (const [options, message] of [
      [{ width: 0, height: 0 }, 'capture: width must be an integer in 1..8192, got 0'],
      [{ height: 0 }, 'capture: height must be an integer in 1..8192, got 0'],
      [{ width: MOST + 1 }, 'capture: width must be an integer in 1..8192, got 8193'],
      [
        { height: MOST },
        "capture: height must be such that the width, by the picture's shape 14564, is at most 8192, got 8192",
      ],
      [{ width: 2.5 }, 'capture: width must be an integer in 1..8192, got 2.5'],
      [{ width: NaN }, 'capture: width must be an integer in 1..8192, got NaN'],
      [{ height: '9' }, 'capture: height must be an integer in 1..8192, got "9"'],
      [{ bits: 12 }, 'capture: bits must be 8 or 16, got 12'],
      [{ bits: '8' }, 'capture: bits must be 8 or 16, got "8"'],
      [{ channel: 'depth', bits: 8 }, 'capture: bits must be 16 for the channel "depth", got 8'],
      [{ channel: 'alpha' }, 'capture: channel must be one of "color", "depth", "normal", got "alpha"'],
      [{ step: 1 }, 'capture: step must be left out but for the channel "depth", got 1'],
      [{ channel: 'depth', step: 0 }, 'capture: step must be a finite number in 0.000001..1000000, got 0'],
      [{ hight: 3 }, 'capture: there is no field "hight" (did you mean "height"?)'],
    ] as [CaptureOptions, string][])
      it(`refuse ${JSON.stringify(options)}`, () => expect(() => check(options)).to.throw(message));
  });

  describe('of colour', () => {
    it('of the picture’s size is the picture, byte for byte', () =>
      inScene(async (scene) => {
        furnish(scene);
        const picture = await scene.picture(SHOWN.width, SHOWN.height);
        const shot = await take(scene, {});
        expect(shot).to.include({ ...SHOWN, channel: 'color' });
        expect(shot.data).to.deep.equal(picture.data);
      }));

    it('comes in any size, and leaves the picture, its statistics, the view and the bytes as they were', () =>
      inScene(async (scene) => {
        furnish(scene);
        const gpu = await sharedGpu();
        const picture = await scene.picture(SHOWN.width, SHOWN.height);
        const [before, aspect] = [scene.renderer.stats(), scene.world.aspect];
        for (const [width, height] of [
          [1, 1],
          [1, 9],
          [65, 40],
          [301, 173],
          [40, 400],
        ]) {
          for (const channel of ['color', 'depth', 'normal'] as const) {
            const shot = await take(scene, { width, height, channel });
            expect(shot.data).to.have.length(width * height * 4);
            expect(gpu.bytes, 'bytes').to.equal(before.bytes);
          }
          expect(scene.renderer.stats()).to.deep.equal(before);
          expect(scene.world.aspect).to.equal(aspect);
          expect((await scene.renderer.readPixels()).data).to.deep.equal(picture.data);
        }
        expect(await scene.picture(SHOWN.width, SHOWN.height)).to.deep.equal(picture);
      }));

    it('is that of a picture of its own size, framing and all', () =>
      inScene(async (scene) => {
        // The camera is not moved: it frames what there is, for each shape anew.
        scene.model(scene.renderer.meshes.sphere({ radius: 1 }));
        await scene.picture(SHOWN.width, SHOWN.height);
        const tall = await take(scene, { width: 40, height: 120 });
        const { data } = await scene.picture(40, 120);
        // Shadow maps are those of the picture on the screen: edges of shadows may differ.
        let unlike = 0;
        for (let i = 0; i < data.length; i++) if (Math.abs(data[i] - tall.data[i]) > 2) unlike++;
        expect(unlike).to.be.below(data.length * 0.01);
      }));

    it('in 16 bits is what 8 bits round, without their noise', () =>
      inScene(async (scene) => {
        furnish(scene);
        const [bytes, words] = [await take(scene, {}), await take(scene, { bits: 16 })];
        expect(words.data).to.be.instanceOf(Uint16Array);
        let alike = 0;
        for (let i = 0; i < words.data.length; i++) {
          expect(Math.abs(words.data[i] / 257 - bytes.data[i])).to.be.below(1.05);
          if (i % 4 < 3 && words.data[i] % 257 === 0) alike++;
        }
        // The low bytes are not made up of the high ones: those that are the same are so by chance, one of 256.
        expect(alike).to.be.below((words.data.length * 3) / 4 / 50);
      }));

    it('shows AgX and a metered exposure as the picture does', () =>
      inScene(async (scene) => {
        furnish(scene);
        scene.look([1, 4, 8], [0, 0.5, 0], { toneMapper: 'agx', exposure: 'picture', ev: 0.5 });
        const picture = await scene.picture(SHOWN.width, SHOWN.height);
        expect((await take(scene, {})).data).to.deep.equal(picture.data);
        const { data } = await take(scene, { bits: 16 });
        const eight = Uint8Array.from(data, (word) => Math.round(word / 257));
        expect(largestDifference({ ...SHOWN, data: eight }, picture)).to.be.at.most(1);
      }));
  });

  describe('of depth and normals', () => {
    it('is where rays meet planes and balls, mirrored ones too, in perspective and parallel', () =>
      inScene(async (scene) => {
        furnish(scene);
        let empty = 0;
        for (const camera of [{}, { orthographic: true, height: 9 }]) {
          scene.look([1, 4, 8], [0, 0.5, 0], camera);
          await scene.picture(SHOWN.width, SHOWN.height);
          const { data } = await take(scene, { channel: 'depth' });
          const view = viewOf(scene.world.mainCamera, SHOWN.width / SHOWN.height, null);
          const counts = { ball: 0, plate: 0, nothing: 0 };
          const meets = (x: number, y: number) =>
            meetFurniture(view, rayThrough(view, x / SHOWN.width, y / SHOWN.height));
          eachPixel((x, y, at) => {
            const met = meets(x, y);
            const slack = met ? slackOf(meets, x, y) : 0;
            if (met?.what === 'rim' || slack === null) return;
            const [nx, ny, nz, depth] = data.subarray(at, at + 4);
            counts[met?.what ?? 'nothing']++;
            if (!met) return void expect([nx, ny, nz, depth]).to.deep.equal([0, 0, 0, 0]);
            // A facet of a ball of 32 around lies 0.005 within it.
            const facet = met.what === 'ball' ? 0.02 : 0;
            expect(depth, `at ${x}, ${y}`).to.be.closeTo(met.depth, slack + facet);
            const [mx, my, mz] = met.normal;
            expect(nx * mx + ny * my + nz * mz, `the normal at ${x}, ${y}`).to.be.above(0.995);
            expect(Math.hypot(nx, ny, nz)).to.be.closeTo(1, 1e-5);
          });
          empty += counts.nothing;
          expect(Math.min(counts.ball, counts.plate)).to.be.above(60);
        }
        expect(empty).to.be.above(60);
      }));

    it('is where rays meet the ground, and how it stands there by its heightfield', async () => {
      await runScene(
        `local ground = terrain.noise { width = 24, height = 20, size = { 48, 40 }, amplitude = 5, frequency = 2 }
         local hill = entity.create("hill")
         hill.component.add("Terrain", { texture = terrain.to_texture(ground), lodFactor = 1000 })
         local view = camera.main()
         view.position = { 6, 36, 20 }
         view:lookAt { 0, 0, 0 }`,
        {
          frames: 1,
          look: async ({ runtime }) => {
            // Large enough that no pixel spans a texel: there the mesh answers.
            const [width, height] = [320, 180];
            const hf = [...runtime.fields][0];
            const shot = await takeOf(runtime, { channel: 'normal', width, height });
            const view = viewOf(runtime.world.mainCamera, width / height, null);
            const meets = (x: number, y: number): Met | null => {
              const ray = rayThrough(view, x / width, y / height);
              const hit = castGroundRay(hf, ray.origin, ray.direction);
              if (!hit) return null;
              const normal = hf.normalAt(hit.point.x, hit.point.z);
              return { what: 'plate', depth: depthOf(view, hit.point), normal };
            };
            let [exact, off] = [0, 0];
            eachPixel(
              (x, y, at) => {
                const met = meets(x, y);
                const slack = met && slackOf(meets, x, y);
                const [nx, ny, nz, depth] = shot.data.subarray(at, at + 4);
                // Beside an outline a ray may pass on the other side of it, and a pixel may span texels.
                const near = met && slack !== null && Math.abs(depth - met.depth) < slack + 1e-3;
                const [mx, my, mz] = met?.normal ?? [0, 0, 0];
                if (near && nx * mx + ny * my + nz * mz > 1 - 1e-4) exact++;
                else if (met || depth > 0) off++;
              },
              { width, height },
            );
            expect(exact).to.be.above(20000);
            expect(off).to.be.below(exact * 0.02);
          },
        },
      );
    });
  });

  it('is of layered ground as of bare, and of scattered things too', async () => {
    await runScene(
      `local heights = terrain.to_texture(terrain.noise { width = 24, height = 20, size = { 48, 40 }, amplitude = 3 })
       local hill = entity.create("hill")
       land = hill.component.add("Terrain", { texture = heights })
       local view = camera.main()
       view.position = { 6, 20, 24 }
       view:lookAt { 0, 0, 0 }
       scene.onUpdate(function()
         frame = (frame or 0) + 1
         if frame == 2 then land.layers = { { name = "soil", material = { albedo = { 0.2, 0.1, 0.1 } } } } end
         if frame == 3 then
           hill.component.add("Scatter", { mesh = renderer.mesh.box {}, density = 0.2, spacing = 2 })
         end
         renderer.capture("shots/" .. frame .. ".texture", { channel = "depth" })
       end)`,
      { frames: 3 },
    );
    const [bare, layered, scattered] = [1, 2, 3].map(
      (i) => readTexture(readFileSync(join(project, `shots/${i}.texture`)), 'shot').data,
    );
    expect(bare.some((depth) => depth > 0)).to.equal(true);
    expect(layered).to.deep.equal(bare);
    let nearer = 0;
    scattered.forEach((depth, i) => {
      if (bare[i] > 0) expect(depth).to.be.at.most(bare[i]);
      if (depth !== bare[i]) nearer++;
    });
    expect(nearer).to.be.above(20);
  });

  describe('as files', () => {
    const read = (path: string) => readFileSync(join(project, path));

    it('is what another decoder finds in them, in deep colour, depth and normals', async () => {
      await runScene(
        `local ball = entity.create("ball", { position = { 0, 0, -6 } })
         ball.component.add("Model", { mesh = renderer.mesh.sphere { radius = 2 } })
         camera.main().position = { 0, 0, 0 }
         camera.main().rotation = { 0, 0, 0 }
         renderer.capture("shots/color.png", { bits = 16, width = 50, height = 30 })
         renderer.capture("shots/depth.png", { channel = "depth", step = 0.001, width = 33, height = 33 })
         renderer.capture("shots/depth.texture", { channel = "depth", width = 33, height = 33 })
         renderer.capture("shots/normal.png", { channel = "normal", height = 18 })
         renderer.capture("shots/normal16.png", { channel = "normal", height = 18, bits = 16 })
         renderer.capture("shots/normal.texture", { channel = "normal", height = 18 })`,
        { frames: 1 },
      );
      const color = decode(read('shots/color.png'));
      expect(color).to.include({ width: 50, height: 30, depth: 16, channels: 4 });
      for (let i = 3; i < color.data.length; i += 4) expect(color.data[i]).to.equal(65535);

      const depth = decode(read('shots/depth.png'));
      expect(depth).to.include({ width: 33, height: 33, depth: 16, channels: 1 });
      expect(depth.text.Comment).to.contain('0.001 m a step');
      // The ball's nearest point is 4 m away; in a corner there is nothing.
      expect(depth.data[16 * 33 + 16]).to.be.closeTo(4000, 10);
      expect(depth.data[0]).to.equal(0);
      const metres = readTexture(read('shots/depth.texture'), 'depth.texture');
      expect([metres.format, metres.width, metres.height]).to.deep.equal(['r32f', 33, 33]);
      metres.data.forEach((metre, i) => expect(depth.data[i] / 1000).to.be.closeTo(metre, 0.000501));

      const [eight, sixteen] = [decode(read('shots/normal.png')), decode(read('shots/normal16.png'))];
      expect(eight).to.include({ width: 32, height: 18, depth: 8, channels: 4 });
      expect(sixteen).to.include({ width: 32, height: 18, depth: 16, channels: 4 });
      const floats = readTexture(read('shots/normal.texture'), 'normal.texture');
      expect([floats.format, floats.width, floats.height]).to.deep.equal(['rgba32f', 32, 18]);
      let stands = 0;
      for (let i = 0; i < floats.data.length; i += 4) {
        const there = floats.data[i + 3];
        stands += there;
        for (const [{ data }, most] of [
          [eight, 255],
          [sixteen, 65535],
        ] as const) {
          expect(data[i + 3]).to.equal(there * most);
          for (let k = 0; k < 3; k++)
            expect((data[i + k] / most) * 2 - 1).to.be.closeTo(floats.data[i + k], 1.01 / most);
        }
      }
      expect(stands).to.be.within(30, 32 * 18 - 30);
    });

    it('is far as far as 16 bits go', async () => {
      await runScene(
        `local wall = entity.create("wall", { position = { 0, 0, -100 } })
         wall.component.add("Model", { mesh = renderer.mesh.box { size = { 500, 500, 1 } } })
         camera.main().position = { 0, 0, 0 }
         camera.main().rotation = { 0, 0, 0 }
         renderer.capture("shots/far.png", { channel = "depth", step = 0.001, width = 4, height = 4 })
         renderer.capture("shots/near.png", { channel = "depth", step = 1000, width = 4, height = 4 })`,
        { frames: 1 },
      );
      expect([...decode(read('shots/far.png')).data]).to.deep.equal(Array(16).fill(65535));
      // Nearer than half a step is still something.
      expect([...decode(read('shots/near.png')).data]).to.deep.equal(Array(16).fill(1));
    });

    it('goes with the scene that asked for it, and others stay', async () => {
      const runtime = await sharedRuntime();
      await runScene('renderer.capture("shots/late.png")');
      const kept = runtime.capture('shots/kept.png');
      await runScene('renderer.capture("shots/later.png")');
      await runtime.frame(0);
      await kept;
      expect(
        ['late', 'later', 'kept'].map((name) => existsSync(join(project, `shots/${name}.png`))),
      ).to.deep.equal([false, false, true]);
    });

    it('ends with the runtime, and is refused of one that is destroyed', async () => {
      const host = createNodeHost({ project });
      const runtime = await Runtime.create({ host, software: SOFTWARE, width: 8, height: 8 });
      const waiting = runtime.capture('shots/never.png').catch((error: Error) => error.message);
      await runtime.destroy();
      expect(await waiting).to.equal(
        'renderer.capture: the runtime was destroyed before a frame was finished',
      );
      expect(() => runtime.capture('shots/never.png')).to.throw('runtime.capture: the runtime is destroyed');
      expect(existsSync(join(project, 'shots/never.png'))).to.equal(false);
    });

    it('from TypeScript is bytes of a PNG, or a promise of a file', async () => {
      const runtime = await sharedRuntime();
      await runtime.frame(0);
      const bytes = await runtime.picture({ width: 20, height: 10, bits: 16 });
      expect(decode(bytes)).to.include({ width: 20, height: 10, depth: 16 });
      const written = runtime.capture('shots/typed.png', { width: 21, height: 11 });
      await runtime.frame(0);
      await written;
      expect(decode(read('shots/typed.png'))).to.include({ width: 21, height: 11, depth: 8 });
      expect(() => void runtime.capture('a.texture')).to.throw(
        'renderer.capture: path must be a file with the extension .png, got "a.texture"',
      );
      expect(() => void runtime.capture('a.exr', { channel: 'depth' })).to.throw(
        'renderer.capture: path must be a file with the extension .png or .texture, got "a.exr"',
      );
      expect(() => void runtime.capture('a.texture', { channel: 'depth', step: 1 })).to.throw(
        'renderer.capture: step must be left out for a .texture, which holds floats, got 1',
      );
      let message = '';
      await runtime.picture({ width: 0 }).catch((error: Error) => (message = error.message));
      expect(message).to.match(/^runtime\.picture: width must be an integer in 1\.\.\d+, got 0/);
    });
  });
});

/** What a ray meets: its depth along the view's axis, and the unit normal there. */
interface Met {
  what: 'ball' | 'plate' | 'rim';
  depth: number;
  normal: readonly number[];
}

const depthOf = ({ position, forward }: View, { x, y, z }: Vec3) =>
  (x - position.x) * forward.x + (y - position.y) * forward.y + (z - position.z) * forward.z;

/** What a ray meets of `furnish`, by the formulas of a plane and of balls; near their rims, where facets decide, a rim. */
function meetFurniture(view: View, { origin: o, direction: d }: Ray): Met | null {
  const at = (t: number) => vec3(o.x + t * d.x, o.y + t * d.y, o.z + t * d.z);
  const found: (Met & { t: number })[] = [];
  const add = (what: Met['what'], t: number, normal: readonly number[]) =>
    found.push({ what, t, depth: depthOf(view, at(t)), normal });
  for (const center of [vec3(0, 1, 0), vec3(3, 1, -2)]) {
    const to = subtract(o, center);
    const half = dot(to, d);
    const inside = half * half - (dot(to, to) - 1);
    if (Math.abs(inside) < 0.15) add('rim', 0, []);
    if (inside <= 0) continue;
    const t = -half - Math.sqrt(inside);
    const { x, y, z } = subtract(at(t), center);
    add('ball', t, [x, y, z]);
  }
  const t = -o.y / d.y;
  const outward = Math.max(Math.abs(at(t).x), Math.abs(at(t).z));
  if (Math.abs(outward - 10) < 0.4) add('rim', 0, []);
  else if (t > 0 && outward < 10) add('plate', t, [0, 1, 0]);
  return found.sort((a, b) => a.t - b.t)[0] ?? null;
}

/** Parts of a pixel by which an adapter may place a triangle's corners: a few 256ths. */
const PLACED = 0.04;

/** What that is in metres of depth at a pixel; null where what is met changes beside it. */
function slackOf(meets: (x: number, y: number) => Met | null, x: number, y: number): number | null {
  const beside = [meets(x - 0.5, y), meets(x + 0.5, y), meets(x, y - 0.5), meets(x, y + 0.5)];
  const what = meets(x, y)!.what;
  if (beside.some((met) => met?.what !== what)) return null;
  const [left, right, above, below] = beside.map((met) => met!.depth);
  return PLACED * (Math.abs(right - left) + Math.abs(above - below)) + 1e-4;
}

function eachPixel(look: (x: number, y: number, at: number) => void, { width, height } = SHOWN): void {
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) look(column + 0.5, row + 0.5, (row * width + column) * 4);
}

function takeOf({ renderer, world, size }: Runtime, options: CaptureOptions): Promise<Shot> {
  const most = (renderer as Renderer).longestSide;
  return renderer.capture(world, checkCapture('capture', options, size, most));
}
