// The views of a frame, each held to what it claims: lines to the triangles read back from the GPU, levels, morphs and stitches
// to the cut, normals and slopes to the heightfield's own answers, counts to what was stacked.
import { expect } from 'chai';
import { Renderer, type Picture } from '../../runtime/renderer/renderer.js';
import { roundStep } from '../../runtime/renderer/viewBinding.js';
import { VIEWS, type ViewName } from '../../runtime/renderer/viewPass.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { TerrainMesh, type TerrainMeshOptions } from '../../runtime/terrain/terrainMesh.js';
import type { TerrainNode } from '../../runtime/terrain/terrainNodes.js';
import { freeing, sharedGpu } from '../support/gpu.js';
import { crater } from '../support/groundMesh.js';
import { failureOf, runScene } from '../support/lua.js';
import {
  expectGolden,
  inScene,
  largestDifference,
  middle,
  pixel,
  Scene,
  type Rgb,
} from '../support/picture.js';
import { fieldTexture, GROUNDS, openField, PoolReading, type HeightOf } from '../support/terrain.js';

/** Metres along the ground's sides, texels, and pixels. */
const SIDE = 256;
const TEXELS = 64;
const PIXELS = 512;
/** Quads of 16 pixels at least: room between lines. */
const ROOMY = { minNodeSize: 32 };

interface Land {
  hf: Heightfield;
  mesh: TerrainMesh;
}

/** Ground of 256 × 256 m around `origin`, drawn from a cut that is taken near its −X, −Z corner, seen from straight above. */
async function land(
  scene: Scene,
  heightOf: HeightOf,
  work: (land: Land) => Promise<void>,
  options: Partial<TerrainMeshOptions> = {},
  origin: [number, number] = [0, 0],
): Promise<void> {
  const gpu = await sharedGpu();
  const hf = openField(gpu, fieldTexture(TEXELS, TEXELS, heightOf, [SIDE, SIDE]), { origin });
  const camera = { x: origin[0] - 104, y: 40, z: origin[1] - 96 };
  const engine = { gpu, renderer: scene.renderer };
  const mesh = await TerrainMesh.create(engine, hf, { camera, nodeVerts: 5, lodFactor: 1.5, ...options });
  try {
    scene.model(mesh.mesh);
    scene.look([origin[0], 400, origin[1]], [origin[0], 0, origin[1] - 1e-4], {
      orthographic: true,
      height: SIDE,
    });
    await work({ hf, mesh });
  } finally {
    mesh.destroy();
    hf.close();
  }
}

async function show(scene: Scene, view: ViewName, width = PIXELS, height = width): Promise<Picture> {
  scene.renderer.setView(view);
  await scene.renderer.ready(scene.world);
  return scene.picture(width, height);
}

/** Metres of a pixel's middle along both axes, seen from above; and the pixel of a place. */
const metres = (at: number) => ((at + 0.5) / PIXELS - 0.5) * SIDE;
const pixels = (at: number) => (at / SIDE + 0.5) * PIXELS;

const brightness = ([r, g, b]: Rgb) => (r + g + b) / 3;
const distanceOf = (a: Rgb, b: Rgb) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const isOrange = ([r, , b]: Rgb) => r > b + 90;

/** For each pixel how far, in pixels, the nearest edge of a drawn triangle is from its middle (no farther than 4 matters). */
async function edgeDistances(mesh: TerrainMesh, nodes = mesh.nodes()): Promise<Float32Array> {
  const { words, indices } = await PoolReading.of(mesh, nodes);
  const away = new Float32Array(PIXELS * PIXELS).fill(4);
  const corner = (index: number) => [pixels(words[index * 23]) - 0.5, pixels(words[index * 23 + 2]) - 0.5];
  for (let i = 0; i < indices.length; i++) {
    const [ax, ay] = corner(indices[i]);
    const [bx, by] = corner(indices[i % 3 === 2 ? i - 2 : i + 1]);
    const length2 = (bx - ax) ** 2 + (by - ay) ** 2;
    for (
      let y = Math.max(0, Math.floor(Math.min(ay, by) - 4));
      y < Math.min(PIXELS, Math.max(ay, by) + 4);
      y++
    )
      for (
        let x = Math.max(0, Math.floor(Math.min(ax, bx) - 4));
        x < Math.min(PIXELS, Math.max(ax, bx) + 4);
        x++
      ) {
        const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / (length2 || 1);
        const part = Math.min(Math.max(along, 0), 1);
        const d = Math.hypot(x - ax - part * (bx - ax), y - ay - part * (by - ay));
        away[y * PIXELS + x] = Math.min(away[y * PIXELS + x], d);
      }
  }
  return away;
}

/** All nodes of one level, none stitched. */
function allOf({ cut }: TerrainMesh, level: number): TerrainNode[] {
  const size = cut.root.size / 2 ** level;
  const along = SIDE / size;
  return Array.from({ length: along ** 2 }, (_, slot) => {
    const [ix, iz] = [slot % along, Math.floor(slot / along)];
    return { level, ix, iz, x: ix * size - SIDE / 2, z: iz * size - SIDE / 2, size, slot, coarseMask: 0 };
  });
}

/** How far a node's vertices at a place have gone toward the coarser level's, on flat ground: 0..1. */
function morphAt({ level, size }: TerrainNode, mesh: TerrainMesh, x: number, y: number, z: number): number {
  if (level === 0) return 0;
  const { viewpoint, cut } = mesh;
  const away = Math.hypot(x - viewpoint.x, y - viewpoint.y, z - viewpoint.z);
  const band = cut.lodFactor * size * 2;
  return Math.min(Math.max((away - 0.7 * band) / (0.3 * band), 0), 1);
}

describe('views', function () {
  this.timeout(60_000);

  it('wireframe has a line where a drawn triangle has an edge, and nowhere else', () =>
    inScene((scene) =>
      land(
        scene,
        GROUNDS.hilly,
        async ({ mesh }) => {
          const picture = await show(scene, 'wireframe');
          const away = await edgeDistances(mesh);
          let [lines, fills] = [0, 0];
          for (let i = 0; i < away.length; i++) {
            const bright = brightness(pixel(picture, i % PIXELS, Math.floor(i / PIXELS)));
            // Slivers are thinner than a line: what is near any edge is told apart only where there is room.
            if (away[i] > 1.3) fills += Number(bright < 70);
            else if (away[i] < 0.2) lines += Number(bright > 90);
          }
          const sharp = [...away].filter((d) => d > 1.3).length;
          const near = [...away].filter((d) => d < 0.2).length;
          expect(sharp).to.be.above(5000);
          expect(near).to.be.above(5000);
          expect(fills / sharp).to.equal(1);
          expect(lines / near).to.be.above(0.97);
        },
        ROOMY,
      ),
    ));

  it('draws what the shaded picture draws, in as many draws, ground in one', () =>
    inScene((scene) =>
      land(scene, GROUNDS.hilly, async () => {
        const { meshes } = scene.renderer;
        const ball = meshes.sphere({ radius: 3 });
        for (const x of [-10, 0, 10]) scene.model(ball, { position: [x, 60, 0] });
        scene.model(ball, { position: [0, 60, 10], scale: [-1, 1, 1] });
        await show(scene, 'shaded');
        const { forward } = scene.renderer.stats().passes;
        for (const view of VIEWS.slice(1)) {
          await show(scene, view);
          const { passes } = scene.renderer.stats();
          expect(Object.keys(passes)).to.deep.equal(['view']);
          // The ground, the balls, the mirrored ball, and the picture itself.
          expect(passes.view).to.deep.equal({ draws: 4, triangles: forward.triangles + 1 });
          expect(forward.draws).to.equal(3);
        }
      }),
    ));

  it('lod has a colour a level, and the coarser one’s where vertices have gone there', () =>
    inScene((scene) =>
      land(
        scene,
        GROUNDS.flat,
        async ({ mesh }) => {
          // Colours by level and by the place on the checkerboard: where nothing morphs yet, and where all has.
          const still = new Map<string, Rgb[]>();
          const gone = new Map<string, Rgb[]>();
          for (let level = 0; level <= mesh.cut.maxLevel; level++) {
            const nodes = allOf(mesh, level);
            mesh.build(nodes);
            const picture = await show(scene, 'lod');
            const away = await edgeDistances(mesh, nodes);
            for (const node of nodes) {
              const { x, z, size } = node;
              // A pixel's quad, an eighth of the node, has to be on one side of the band; stops stand up to half a texel off.
              const reach = size / 8 + SIDE / TEXELS / 2;
              for (let py = Math.ceil(pixels(z)) + 3; py < pixels(z + size) - 3; py += 2)
                for (let px = Math.ceil(pixels(x)) + 3; px < pixels(x + size) - 3; px += 2) {
                  if (away[py * PIXELS + px] < 1.8) continue;
                  const around = (of: TerrainNode, by: number) =>
                    [-by, by].flatMap((dx) =>
                      [-by, by].map((dz) => morphAt(of, mesh, metres(px) + dx, 12.5, metres(py) + dz)),
                    );
                  const morphs = around(node, reach);
                  const [least, most] = [Math.min(...morphs), Math.max(...morphs)];
                  if (least !== most || (least !== 0 && least !== 1)) continue;
                  // Where the coarser level's vertices have moved on in turn, they are a coarser one's yet.
                  const coarser = { ...node, level: level - 1, size: size * 2 };
                  if (least === 1 && Math.max(...around(coarser, 2 * reach)) > 0) continue;
                  const key = `${level - least} ${(node.ix ^ node.iz) & 1}`;
                  const into = least === 0 ? still : gone;
                  if (!into.has(key)) into.set(key, []);
                  into.get(key)!.push(pixel(picture, px, py));
                }
            }
          }
          expect(still.size).to.be.above(5);
          for (const [key, list] of still) {
            expect(Math.max(...list.map((color) => distanceOf(color, list[0]))), key).to.be.below(3);
            for (const [other, [color]] of still)
              if (other !== key) expect(distanceOf(color, list[0]), `${key}, ${other}`).to.be.above(8);
          }
          expect(gone.size).to.be.above(3);
          for (const [key, list] of gone)
            expect(Math.max(...list.map((color) => distanceOf(color, still.get(key)![0]))), key).to.be.below(
              3,
            );
        },
        { ...ROOMY, nodeVerts: 9, lodFactor: 1, camera: { x: -104, y: 14, z: -96 } },
      ),
    ));

  for (const origin of [
    [0, 0],
    [-84_000, 51_000],
  ] as [number, number][])
    it(`stitching marks the stitched sides of nodes and no others, around ${origin.join(', ')}`, () =>
      inScene((scene) =>
        land(
          scene,
          GROUNDS.flat,
          async ({ mesh }) => {
            const picture = await show(scene, 'stitching');
            const pool = await PoolReading.of(mesh);
            const last = pool.nodeVerts - 1;
            let [stitched, plain] = [0, 0];
            for (const { x, z, slot, coarseMask } of mesh.shownNodes()) {
              const corner = (i: number, j: number) => {
                const [cornerX, , cornerZ] = pool.position(slot, i * last, j * last);
                return [pixels(cornerX - origin[0]), pixels(cornerZ - origin[1])];
              };
              const [from, to] = [corner(0, 0), corner(1, 1)];
              for (const bit of [1, 2, 4, 8]) {
                for (const part of [0.4, 0.5, 0.6]) {
                  // The pixel inside of the side where it is drawn, so that it is this node's own.
                  const across = bit & 3 ? 0 : 1;
                  const at = [0, 0];
                  at[across] = bit & 5 ? Math.ceil(from[across]) : Math.floor(to[across]) - 1;
                  at[1 - across] = Math.floor(from[1 - across] + part * (to[1 - across] - from[1 - across]));
                  if (Math.min(...at) < 1 || Math.max(...at) > PIXELS - 2) continue;
                  const is = isOrange(pixel(picture, at[0], at[1]));
                  expect(is, `${bit} of ${x}, ${z} with mask ${coarseMask}`).to.equal(
                    (coarseMask & bit) !== 0,
                  );
                  if (is) stitched++;
                  else plain++;
                }
              }
            }
            expect(stitched).to.be.above(20);
            expect(plain).to.be.above(100);
          },
          {},
          origin,
        ),
      ));

  it('normals and slope are those that the heightfield answers', () =>
    inScene((scene) =>
      land(
        scene,
        (i, j) => 24 * Math.sin(i * 0.2) * Math.cos(j * 0.17) + 0.08 * i * j,
        async ({ hf }) => {
          const normals = await show(scene, 'normals');
          const slopes = await show(scene, 'slope');
          const scale = await slopeScale(scene);
          let steepest = 0;
          for (let y = 2; y < PIXELS - 2; y += 3)
            for (let x = 2; x < PIXELS - 2; x += 3) {
              const place = [metres(x), metres(y)] as const;
              const byte = hf.normalAt(...place).map((part) => (part * 0.5 + 0.5) * 255) as unknown as Rgb;
              expect(distanceOf(pixel(normals, x, y), byte), place.join()).to.be.below(2);
              const degrees = (hf.slopeAt(...place) * 180) / Math.PI;
              steepest = Math.max(steepest, degrees);
              expect(scale(pixel(slopes, x, y)), place.join()).to.be.closeTo(degrees, 1);
            }
          expect(steepest).to.be.above(50);
        },
      ),
    ));

  it('height has lines at round heights', () => {
    for (const [step, round] of [
      [3, 5],
      [0.11, 0.2],
      [1, 1],
      [5.5, 10],
      [70, 100],
    ])
      expect(roundStep(step)).to.be.closeTo(round, 1e-12);
    return inScene((scene) =>
      // Up 1 m in 16 along X: 16 m over all, a line each metre of height and a thicker one each fifth.
      land(
        scene,
        (i) => (i + 0.5) / 4,
        async () => {
          const picture = await show(scene, 'height');
          const row = (x: number) => brightness(pixel(picture, x, 100));
          for (let meters = 2; meters < 15; meters++) {
            const at = pixels(meters * 16 - SIDE / 2);
            const [line, beside] = [Math.min(row(at - 1), row(at)), row(at + 7)];
            expect(line, `at ${meters} m`).to.be.below(beside * (meters % 5 === 0 ? 0.45 : 0.75));
          }
        },
      ),
    );
  });

  it('overdraw counts what was drawn to a pixel, whatever came first', () =>
    inScene(async (scene) => {
      const { meshes } = scene.renderer;
      const plane = meshes.plane({ width: 4, depth: 8 });
      const counts = [1, 2, 4, 8, 12, 20];
      counts.forEach((count, k) => {
        for (let i = 0; i < count; i++)
          scene.model(plane, { position: [k * 4 - 10, k % 2 ? i * 0.1 : -i * 0.1, 0] });
      });
      scene.look([0, 50, 0], [0, 0, -1e-4], { orthographic: true, height: 6 });
      const picture = await show(scene, 'overdraw', 96, 24);
      const colors = counts.map((_, k) => pixel(picture, 8 + k * 16, 12));
      const [blue, green, yellow, red, white, more] = colors;
      expect(blue[2]).to.be.above(Math.max(blue[0], blue[1]) + 30);
      expect(green[1]).to.be.above(Math.max(green[0], green[2]) + 20);
      expect(Math.min(yellow[0], yellow[1])).to.be.above(yellow[2] + 80);
      expect(red[0]).to.be.above(Math.max(red[1], red[2]) + 100);
      expect(white).to.deep.equal([255, 255, 255]);
      expect(more).to.deep.equal(white);
    }));

  it('are the same twice, leave the shaded picture as it was, and give back what they took', () =>
    inScene((scene) =>
      land(scene, GROUNDS.hilly, async () => {
        const gpu = await sharedGpu();
        scene.model(scene.renderer.meshes.sphere({ radius: 4 }), { position: [0, 30, 0] });
        const before = await show(scene, 'shaded', 64, 64);
        const { bytes } = gpu;
        const seen = new Set<string>();
        for (const view of VIEWS.slice(1)) {
          const once = await show(scene, view, 64, 64);
          expect(largestDifference(once, await show(scene, view, 64, 64)), view).to.equal(0);
          seen.add(Buffer.from(once.data).toString('base64'));
        }
        expect(seen.size).to.equal(VIEWS.length - 1);
        expect(gpu.bytes).to.be.above(bytes);
        const after = await show(scene, 'shaded', 64, 64);
        expect(gpu.bytes).to.equal(bytes);
        expect(largestDifference(before, after)).to.equal(0);
      }),
    ));

  it('follow an edit, a mesh that goes and one that is swapped', () =>
    inScene((scene) =>
      land(scene, GROUNDS.flat, async ({ hf }) => {
        const gpu = await sharedGpu();
        const { meshes } = scene.renderer;
        const flat = pixel(await show(scene, 'normals'), 180, 180);
        expectNear(flat, [128, 255, 128]);
        const [col, row] = [22, 22];
        hf.setHeights(
          col - 4,
          row - 4,
          8,
          8,
          Float32Array.from({ length: 64 }, (_, i) => 12.5 + 4 * (i % 8)),
        );
        const tilted = pixel(await show(scene, 'normals'), 180, 180);
        expect(tilted[0]).to.be.below(60);
        // The standard material, once made, stays.
        const first = meshes.box();
        scene.model(first).position = [0, 60, 0];
        await show(scene, 'normals');
        meshes.destroy(first);
        await show(scene, 'normals');
        const bytes = gpu.bytes;
        const box = meshes.box({ size: [32, 32, 32] });
        scene.model(box, { position: [0, 60, 0] });
        await show(scene, 'normals');
        expect(gpu.bytes).to.be.above(bytes);
        const ball = meshes.sphere({ radius: 16 });
        const { vertexBuffer, indexBuffer, bounds } = meshes.get(ball);
        meshes.update(box, { vertexBuffer, indexBuffer, bounds });
        const round = await show(scene, 'normals');
        expect(pixel(round, 256 + 20, 256)[0]).to.be.within(200, 230);
        meshes.destroy(box);
        meshes.destroy(ball);
        await show(scene, 'normals');
        expect(gpu.bytes).to.equal(bytes);
      }),
    ));

  it('are what a capture of another size and depth shows, which leaves the picture as it was', () =>
    inScene((scene) =>
      land(scene, GROUNDS.hilly, async () => {
        const shown = await show(scene, 'slope', 96, 96);
        const request = { width: 96, height: 96, channel: 'color', bits: 16, step: 1 } as const;
        const deep = await scene.renderer.capture(scene.world, request);
        expect(Math.max(...shown.data.map((byte, i) => Math.abs(deep.data[i] / 257 - byte)))).to.be.at.most(
          1,
        );
        const wide = await scene.renderer.capture(scene.world, {
          ...request,
          width: 40,
          height: 20,
          bits: 8,
        });
        expect(wide.data.length).to.equal(40 * 20 * 4);
        expect(largestDifference(shown, await scene.renderer.readPixels())).to.equal(0);
      }),
    ));

  it('are compiled when they are first asked for, and refused before', () =>
    freeing(async (gpu) => {
      const made: string[] = [];
      const own = Object.getPrototypeOf(gpu) as typeof gpu;
      gpu.renderPipeline = function (label, descriptor) {
        made.push(label);
        return own.renderPipeline.call(this, label, descriptor);
      };
      const renderer = new Renderer(gpu);
      const scene = new Scene(renderer);
      try {
        await renderer.ready();
        expect(made.filter((label) => label.startsWith('view'))).to.deep.equal([]);
        renderer.setView('slope');
        expect(() => renderer.render(scene.world, { width: 8, height: 8 })).to.throw(
          'renderer.render: await renderer.ready(world) first, for its view "slope"',
        );
        await renderer.ready(scene.world);
        const own = made.filter((label) => label.startsWith('view'));
        expect(own).to.deep.equal([
          'view slope ground',
          'view slope model',
          'view slope mirrored',
          'view show, rgba8unorm',
        ]);
        expectNear(middle(await scene.picture(8, 8)), [23, 26, 31]);
      } finally {
        delete (gpu as Partial<typeof gpu>).renderPipeline;
        renderer.destroy();
      }
    }));

  it('have names, and no others are taken', async () => {
    const renderer = new Renderer(await sharedGpu());
    for (const name of ['wires', '', 3, undefined])
      expect(() => renderer.setView(name as ViewName)).to.throw(
        'renderer.setView: view must be one of "shaded", "wireframe", "lod", "stitching", "normals", "slope", "height", "overdraw", got',
      );
    expect(renderer.view).to.equal('shaded');
    renderer.destroy();
  });

  describe('from Lua', () => {
    const WORLD = `
      local hills = terrain.noise { width = 64, height = 64, size = { 128, 128 }, amplitude = 14, seed = 2 }
      local land = entity.create("land")
      land.component.add("Terrain", { texture = terrain.to_texture(hills), holes = nil })
      land.component.add("Water", { level = 0 })
      land.component.add("Scatter", { mesh = renderer.mesh.box { size = { 2, 4, 2 } }, density = 0.01, seed = 1 })
      local bumps = texture.create { width = 4, height = 4, format = "r8", data = function(c, r) return (c * 5 + r * 3) % 7 * 30 end }
      local tiles = entity.create("tiles", { position = { 0, 25, 0 }, scale = { 20, 20, 20 } })
      tiles.component.add("Model", { mesh = renderer.mesh.plane { columns = 2, rows = 2 }, material = renderer.material.create { displacementMap = bumps } })
      tiles.component.add("Tessellation", { level = 3 })
      camera.main().position = { 40, 45, 80 }
      camera.main():lookAt { 0, 0, 0 }`;

    for (const view of VIEWS)
      it(`${view} shows ground, water, instances and a tessellated surface`, () =>
        runScene(`${WORLD}\nrenderer.setView("${view}")\nassert(renderer.getView() == "${view}")`, {
          frames: 3,
          async look({ runtime }) {
            const { passes } = runtime.stats();
            const picture = await runtime.renderer.readPixels();
            const colors = new Set(
              Array.from({ length: 64 * 36 }, (_, i) => pixel(picture, i % 64, Math.floor(i / 64)).join()),
            );
            expect(colors.size).to.be.above(3);
            if (view === 'shaded') return void expect(passes).to.include.keys('forward', 'water');
            // Ground, tiles, instances, in two views water, and the picture.
            expect(passes.view.draws).to.equal(view === 'wireframe' || view === 'overdraw' ? 5 : 4);
          },
        }));

    it('goes back to shaded with the scene', async () => {
      const { runtime } = await runScene('renderer.setView("lod")', { frames: 1 });
      expect(runtime.renderer.view).to.equal('shaded');
    });

    it('refuses what is no view, at the script’s line', async () => {
      for (const [call, got] of [
        ['renderer.setView("wire")', 'got "wire"'],
        ['renderer.setView()', 'got nothing'],
        ['renderer.setView(2)', 'got 2'],
      ])
        expect((await failureOf(`\n${call}`)).message).to.match(
          new RegExp(`^scene.lua:2: .*view must be one of "shaded", "wireframe", .*${got}`),
        );
    });
  });

  for (const view of VIEWS.slice(1))
    it(`${view} of a crater with a ball is as stored`, () =>
      inScene((scene) =>
        land(
          scene,
          (i, j) => crater((i - 31) * 6.25, (j - 31) * 6.25) / 1.5,
          async () => {
            scene.model(scene.renderer.meshes.sphere({ radius: 10 }), { position: [32, 48, 48] });
            scene.look([88, 68, 136], [-12, 12, -12], { orthographic: false });
            expectGolden(`view-${view}`, await show(scene, view, 160, 90));
          },
          { camera: { x: 88, y: 68, z: 136 } },
        ),
      ));
});

/** Halves fall either way when an adapter rounds to bytes. */
function expectNear(found: Rgb, wanted: Rgb): void {
  found.forEach((part, i) => expect(part, String(found)).to.be.within(wanted[i] - 1, wanted[i] + 1));
}

/** Degrees by the colour of the slope view, from planes that are tilted so: each degree its own, none like another. */
async function slopeScale(scene: Scene): Promise<(color: Rgb) => number> {
  const { world, renderer } = scene;
  const models = [...world.query('Model')];
  const kept = models.map((entity) => entity.position);
  models.forEach((entity) => (entity.position = [0, -1e6, 0]));
  const plane = scene.model(renderer.meshes.plane({ width: 1e5, depth: 1e5 }));
  const colors: Rgb[] = [];
  for (let degrees = 0; degrees < 90; degrees++) {
    plane.rotation = [0, 0, degrees];
    colors.push(middle(await show(scene, 'slope', 8, 8)));
  }
  plane.destroy();
  models.forEach((entity, i) => (entity.position = kept[i]));
  for (let i = 0; i < 90; i++)
    for (let j = 0; j < i; j++) expect(distanceOf(colors[i], colors[j]), `${i} and ${j}`).to.be.above(2);
  return (color) => {
    const away = colors.map((other) => distanceOf(color, other));
    return away.indexOf(Math.min(...away));
  };
}
