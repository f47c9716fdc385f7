// The gallery: each scene is short, shows what it says, and bears being looked at from all sides; and the sheet that holds them.
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decode } from 'fast-png';
import type { Picture } from '../runtime/renderer/renderer.js';
import type { Runtime } from '../runtime/runtime.js';
import type { Heightfield } from '../runtime/terrain/heightfield.js';
import {
  contactSheet,
  GALLERY,
  galleryProject,
  HAS_TILE,
  pictureFrom,
  placesAround,
  PLACES,
  withScene,
  type GalleryScene,
} from '../scripts/galleryScenes.js';
import { SOFTWARE } from './support/gpu.js';
import { expectGolden, luma, pixel } from './support/picture.js';

const WIDTH = 160;
const HEIGHT = 90;
/** A scene's erosion takes some seconds without a GPU. */
const PATIENCE_MS = 120_000;
const MOST_LINES = 40;
/** Published for the tile: see ../shared/data/truth.json. */
const CANYON = { low: 715.2, high: 2489 };

/** Of a stored picture: on a GPU textures are finer, shadows sharper, and some river of an erosion has turned elsewhere. */
const PIXELS_ALLOWED = 0.12;

let folder = '';
/** Runs a scene of the gallery at a small size. */
function scene<T>(
  name: GalleryScene,
  look: (runtime: Runtime, picture: Picture) => T | Promise<T>,
  project = folder,
): Promise<T> {
  return withScene(name, { project, width: WIDTH, height: HEIGHT, software: SOFTWARE }, async (runtime) => {
    const picture = await runtime.renderer.readPixels();
    const golden = name === 'canyon' && project !== folder ? 'canyonOfNoise' : name;
    expectGolden(golden, picture, PIXELS_ALLOWED);
    return look(runtime, picture);
  });
}

/** Part of a picture's pixels that `test` holds for. */
function share({ data }: Picture, test: (r: number, g: number, b: number) => boolean): number {
  let count = 0;
  for (let i = 0; i < data.length; i += 4) if (test(data[i], data[i + 1], data[i + 2])) count++;
  return count / (data.length / 4);
}

/** Standard deviation of luma: 0 where there is nothing to see. */
function contrast(picture: Picture): number {
  const { width, height } = picture;
  const lumas = Array.from({ length: width * height }, (_, i) =>
    luma(pixel(picture, i % width, Math.floor(i / width))),
  );
  const mean = lumas.reduce((sum, l) => sum + l, 0) / lumas.length;
  return Math.sqrt(lumas.reduce((sum, l) => sum + (l - mean) ** 2, 0) / lumas.length);
}

/** From near, far, above, behind and along the ground: all of it in one draw a pass, and never a picture of nothing. */
async function lookAround(runtime: Runtime): Promise<void> {
  const places = placesAround(runtime);
  for (const which of PLACES) {
    const picture = await pictureFrom(runtime, places[which]);
    expect(contrast(picture), which).to.be.above(4);
    expect(
      share(picture, (r, g, b) => r + g + b < 6),
      `black from ${which}`,
    ).to.be.below(0.02);
    for (const hf of runtime.terrains) expect(hf.stats().nodes, which).to.be.above(0);
  }
}

/** The ground's slopes over a grid of places, each with the way it falls (unit, x and z). */
function slopes(hf: Heightfield, count = 150): { degrees: number; x: number; z: number }[] {
  const { width, depth } = hf.size;
  return Array.from({ length: count * count }, (_, i) => {
    const [x, y, z] = hf.normalAt(
      hf.minX + ((i % count) + 0.5) * (width / count),
      hf.minZ + (Math.floor(i / count) + 0.5) * (depth / count),
    );
    const flat = Math.hypot(x, z) || 1;
    return { degrees: (Math.acos(y) * 180) / Math.PI, x: x / flat, z: z / flat };
  });
}

const part = <T>(list: readonly T[], test: (item: T) => boolean) => list.filter(test).length / list.length;

describe('the gallery', function () {
  this.timeout(PATIENCE_MS);
  before(() => {
    folder = galleryProject(mkdtempSync(join(tmpdir(), 'moonscape-gallery-')));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('has six scenes of under 40 lines each', () => {
    expect(GALLERY).to.have.length(6);
    for (const name of GALLERY) {
      const lines = readFileSync(join(folder, `${name}.lua`), 'utf8')
        .trimEnd()
        .split('\n');
      expect(lines.length, name).to.be.below(MOST_LINES);
      // Nobody reads past the edge of a page.
      expect(Math.max(...lines.map((line) => line.length)), name).to.be.at.most(170);
    }
  });

  it('alpine.lua: a lake between peaks that a low sun lights', () =>
    scene('alpine', async (runtime, picture) => {
      const [hf] = [...runtime.fields];
      const { low, high } = hf.heightRange;
      expect(high - low).to.be.above(1200);
      const { forward, water } = runtime.stats().passes;
      expect([forward.draws, water.draws]).to.deep.equal([1, 1]);
      const sun = runtime.world.find('sun')!.position;
      expect(sun.y / Math.hypot(sun.x, sun.z), 'low').to.be.within(0.05, 0.35);
      // The lake lies in the picture's lower half, and what is up there is sky, lit rock and rock in shadow.
      const lake = pixel(picture, WIDTH * 0.45, HEIGHT * 0.9);
      expect(lake[2]).to.be.above(lake[0]);
      expect(part(slopes(hf), ({ degrees }) => degrees > 30)).to.be.above(0.25);
      expect(contrast(picture)).to.be.above(20);
      await lookAround(runtime);
    }));

  it('dunes.lua: long backs upwind, slip faces about as steep as sand lies, and next to nothing steeper', () =>
    scene('dunes', async (runtime) => {
      const [hf] = [...runtime.fields];
      const found = slopes(hf);
      // The wind blows along 0.94, 0.34.
      const lee = found.filter(({ x, z }) => 0.94 * x + 0.34 * z > 0.7);
      const windward = found.filter(({ x, z }) => 0.94 * x + 0.34 * z < -0.7);
      expect(part(lee, ({ degrees }) => degrees > 25)).to.be.above(0.3);
      expect(part(windward, ({ degrees }) => degrees < 25)).to.be.above(0.75);
      expect(windward.length).to.be.above(1.2 * lee.length);
      expect(
        part(found, ({ degrees }) => degrees > 45),
        'steeper than sand',
      ).to.be.below(0.02);
      await lookAround(runtime);
    }));

  it('canyon.lua: beds of rock, cut by noise and rain where there is no tile', async () => {
    const noTile = galleryProject(`${folder}-without`, false);
    try {
      await scene('canyon', (runtime) => expectBeds(runtime), noTile);
    } finally {
      rmSync(noTile, { recursive: true, force: true });
    }
  });

  it('canyon.lua: the Grand Canyon where the tile is', async function () {
    if (!HAS_TILE) {
      console.log('      ../shared/data/grandcanyon_256_terrarium.png is not there: the tile is not drawn');
      return this.skip();
    }
    await scene('canyon', async (runtime) => {
      const [hf] = [...runtime.fields];
      // Its terraces are 120 m high, and draw heights to themselves.
      expect(hf.heightRange.low).to.be.within(CANYON.low - 60, CANYON.low + 60);
      expect(hf.heightRange.high).to.be.within(CANYON.high - 60, CANYON.high + 60);
      await expectBeds(runtime);
    });
  });

  /** A gorge through red and pale rock, whose ledges lie at heights of their own. */
  async function expectBeds(runtime: Runtime): Promise<void> {
    const [hf] = [...runtime.fields];
    expect(hf.heightRange.high - hf.heightRange.low).to.be.above(1000);
    const heights = Float64Array.from({ length: 200 * 200 }, (_, i) =>
      hf.heightAt(
        hf.minX + ((i % 200) + 0.5) * (hf.size.width / 200),
        hf.minZ + (Math.floor(i / 200) + 0.5) * (hf.size.depth / 200),
      ),
    );
    const ledges =
      [...heights].filter((h) => Math.abs(h / 120 - Math.round(h / 120)) < 0.25).length / heights.length;
    expect(ledges, 'on ledges').to.be.above(0.6);
    const picture = await runtime.renderer.readPixels();
    expect(
      share(picture, (r, g, b) => r > 1.25 * b && r > g),
      'red rock',
    ).to.be.above(0.2);
    expect(runtime.stats().passes.forward.draws).to.equal(1);
    await lookAround(runtime);
  }

  it('island.lua: ground that ends at the seabed, and water all around it', () =>
    scene('island', async (runtime) => {
      const [hf] = [...runtime.fields];
      const [terrain] = [...runtime.terrains];
      const DEEP = -30;
      const cut = terrain.nodes();
      expect(cut.length).to.be.above(20);
      let area = 0;
      for (const node of cut) {
        const inside = hf.minMax({
          minX: node.x,
          minZ: node.z,
          maxX: node.x + node.size,
          maxZ: node.z + node.size,
        });
        expect(inside.high, `node at ${node.x}, ${node.z}`).to.be.above(DEEP);
        area += node.size ** 2;
      }
      expect(area, 'of what the rect has').to.be.below(0.6 * hf.size.width * hf.size.depth);
      // Every place above that is on a node.
      for (let i = 0; i < 4000; i++) {
        const x = hf.minX + hf.size.width * ((i * 0.754877666) % 1);
        const z = hf.minZ + hf.size.depth * ((i * 0.569840291) % 1);
        const kept = cut.some((n) => x >= n.x && x <= n.x + n.size && z >= n.z && z <= n.z + n.size);
        if (hf.heightAt(x, z) > DEEP) expect(kept, `${x}, ${z}`).to.equal(true);
      }
      for (let i = 0; i <= 100; i++) {
        const [along, low, high] = [(i / 100 - 0.5) * hf.size.width, hf.minX, hf.minX + hf.size.width];
        for (const [x, z] of [
          [along, low],
          [along, high],
          [low, along],
          [high, along],
        ])
          expect(hf.heightAt(x, z), 'at the rim').to.be.below(DEEP);
      }
      await lookAround(runtime);
    }));

  it('nodes.lua: three levels of nodes over a hand’s breadth, stitched where they meet', () =>
    scene('nodes', async (runtime, picture) => {
      expect(runtime.renderer.view).to.equal('lod');
      // Stitched edges are white lines.
      expect(share(picture, (r, g, b) => Math.min(r, g, b) > 200)).to.be.within(0.002, 0.05);
      const [hf] = [...runtime.fields];
      const [grid] = [...runtime.terrains];
      expect(Math.max(hf.size.width, hf.size.depth)).to.be.below(0.4);
      expect(new Set(grid.nodes().map(({ level }) => level)).size).to.be.at.least(3);
      expect(grid.nodes().filter(({ coarseMask }) => coarseMask > 0).length).to.be.above(5);
      await lookAround(runtime);
    }));

  it('stones.lua: stones that stand in the ground and shade it', () =>
    scene('stones', async (runtime, lit) => {
      const [hf] = [...runtime.fields];
      const { world } = runtime;
      const stones = world.entities().filter(({ name }) => name === 'stone');
      expect(stones.length).to.be.above(5);
      for (const { position } of stones)
        expect(position.y - hf.heightAt(position.x, position.z)).to.be.within(0.5, 3);
      world.getComponent(world.find('sun')!, 'Light')!.set('shadows', false);
      await runtime.frame(1 / 60);
      const without = await runtime.renderer.readPixels();
      let darker = 0;
      for (let y = HEIGHT / 2; y < HEIGHT; y++)
        for (let x = 0; x < WIDTH; x++)
          if (luma(pixel(lit, x, y)) < 0.8 * luma(pixel(without, x, y))) darker++;
      expect(darker / ((WIDTH * HEIGHT) / 2), 'in shadow').to.be.within(0.05, 0.5);
      world.getComponent(world.find('sun')!, 'Light')!.set('shadows', true);
      await lookAround(runtime);
    }));

  describe('contactSheet', () => {
    const flat = (value: number): Picture => ({ width: 4, height: 2, data: new Uint8Array(32).fill(value) });

    it('halves pictures by their light, in rows, and lets what lies behind shine through between them', () => {
      const checks = flat(255);
      for (const i of [0, 3, 5, 6]) checks.data.fill(0, i * 4, i * 4 + 3);
      const sheet = contactSheet([checks, flat(90), flat(17)], 2, 1);
      expect([sheet.width, sheet.height]).to.deep.equal([5, 3]);
      // Half of the light is byte 188, not 128.
      expect([...pixel(sheet, 0, 0)]).to.deep.equal([188, 188, 188]);
      expect([...pixel(sheet, 4, 0)]).to.deep.equal([90, 90, 90]);
      expect([...pixel(sheet, 1, 2)]).to.deep.equal([17, 17, 17]);
      const alpha = Array.from({ length: 15 }, (_, i) => sheet.data[i * 4 + 3]);
      expect(alpha).to.deep.equal([255, 255, 0, 90, 90, 0, 0, 0, 0, 0, 17, 17, 0, 0, 0]);
    });
  });

  describe('npm run gallery', () => {
    const gallery = (...args: string[]) =>
      spawnSync(process.execPath, ['--import', './scripts/register.mjs', 'scripts/gallery.ts', ...args], {
        encoding: 'utf8',
      });

    it('refuses scenes and sizes that it does not have, and draws nothing', () => {
      for (const [args, said] of [
        [['--only', 'alpine,alps'], /--only must name some of alpine, dunes, .*, got alps/],
        [['--size', '100x75'], /--size must be two even numbers as 1280x720, got 100x75/],
        [['--size', 'big'], /--size must be .*, got big/],
        [['--every'], /--every/],
      ] as const) {
        const { status, stdout, stderr } = gallery(...args);
        expect(status).to.equal(1);
        expect(stdout).to.equal('');
        expect(stderr).to.match(said);
      }
    });

    it('made the sheet that the README shows: three rows of two', () => {
      const { width, height } = decode(readFileSync(new URL('../docs/gallery.png', import.meta.url)));
      expect([width, height]).to.deep.equal([2 * 640 + 8, 3 * 360 + 16]);
      expect(readFileSync(new URL('../README.md', import.meta.url), 'utf8')).to.contain(
        '](docs/gallery.png)',
      );
    });
  });
});
