// What waterAt says, against a judge that knows only the raw texels and the rule; opening, replacing, reading again and
// giving back.
import { expect } from 'chai';
import fc from 'fast-check';
import { Assets } from '../../runtime/assets/assets.js';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import type { HostFiles } from '../../runtime/host/host.js';
import { FieldWater, type WaterSource } from '../../runtime/terrain/fieldWater.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { formatTerrainData } from '../../runtime/terrain/terrainData.js';
import { openHeightfield, setWater, type OpenOptions } from '../../runtime/terrain/terrainHeightfield.js';
import { writeTerrainData } from '../../runtime/terrain/writeTerrainData.js';
import { writeTexture } from '../../runtime/texture/ktx.js';
import { Texture } from '../../runtime/texture/texture.js';
import { fieldFacts, fieldOf, randomFrom } from '../support/fields.js';
import { freeing } from '../support/gpu.js';
import { fieldTexture } from '../support/terrain.js';

/** Random water about half covered; what is not covered holds heights that must never be seen. */
function randomWater(width: number, height: number, seed: number, covered = 0.5): Texture {
  const random = randomFrom(seed ^ 0x5a17);
  return Texture.create({
    width,
    height,
    format: 'rgba32f',
    data: () => {
      const wet = random() < covered;
      return [
        wet ? 8 * (2 * random() - 1) : -9999,
        2 * random() - 1,
        2 * random() - 1,
        wet ? 0.01 + random() : 0,
      ];
    },
  });
}

/** A number of the texels at a place in texels from the first centre, over two triangles a cell; rims are level. */
function surfaceOf(
  width: number,
  height: number,
  at: (i: number, j: number) => number,
  u: number,
  v: number,
): number {
  const [cu, cv] = [Math.min(Math.max(u, 0), width - 1), Math.min(Math.max(v, 0), height - 1)];
  const [i, j] = [
    Math.min(Math.floor(cu), Math.max(width - 2, 0)),
    Math.min(Math.floor(cv), Math.max(height - 2, 0)),
  ];
  const [fx, fz] = [cu - i, cv - j];
  const [right, below] = [Math.min(i + 1, width - 1), Math.min(j + 1, height - 1)];
  const [h00, h10, h01, h11] = [at(i, j), at(right, j), at(i, below), at(right, below)];
  return fx + fz <= 1
    ? h00 * (1 - fx - fz) + h10 * fx + h01 * fz
    : h11 * (fx + fz - 1) + h01 * (1 - fx) + h10 * (1 - fz);
}

/** What water says at a place, from the raw texels alone: every texel is looked at to find the nearest covered one. */
function judge(hf: Heightfield, water: Texture, x: number, z: number) {
  const { width, height } = water;
  const [texelX, texelZ] = [hf.size.width / width, hf.size.depth / height];
  const texel = (i: number, j: number) => water.read(i, j);
  const nearest = (i: number, j: number): { least: number; heights: number[] } => {
    let [least, heights] = [Infinity, [] as number[]];
    for (let b = 0; b < height; b++)
      for (let a = 0; a < width; a++) {
        if (texel(a, b)[3] <= 0) continue;
        const away = ((a - i) * texelX) ** 2 + ((b - j) * texelZ) ** 2;
        if (away < least * (1 - 1e-9)) [least, heights] = [away, [texel(a, b)[0]]];
        else if (away <= least * (1 + 1e-9)) heights.push(texel(a, b)[0]);
      }
    return { least, heights };
  };
  const u = (x - hf.minX) / texelX - 0.5;
  const v = (z - hf.minZ) / texelZ - 0.5;
  const read = (channel: number) => surfaceOf(width, height, (i, j) => texel(i, j)[channel], u, v);
  let tied = false;
  const surface = surfaceOf(
    width,
    height,
    (i, j) => {
      const { heights } = nearest(i, j);
      if (new Set(heights).size > 1) tied = true;
      return heights[0] ?? NaN;
    },
    u,
    v,
  );
  return { surface, coverage: read(3), flowX: read(1), flowZ: read(2), tied };
}

/** Metres between two ways to add up the same few numbers of some metres. */
const ROUNDING = 1e-6;

const files = new Map<string, Uint8Array>();
const hostFiles: HostFiles = {
  read: async (path) => {
    const bytes = files.get(path);
    if (!bytes) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    return bytes;
  },
  write: async (path, bytes) => void files.set(path, bytes),
};

const lake = (surface: number, coverage = 1, flow = [0.5, -0.25]) =>
  Texture.create({
    width: 4,
    height: 4,
    format: 'rgba32f',
    data: () => [surface, flow[0], flow[1], coverage],
  });
const bowl = () => fieldTexture(8, 8, (i, j) => Math.abs(i - 3.5) + Math.abs(j - 3.5), [80, 80]);

const message = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: Error) => error.message,
  );

describe('fieldWater', () => {
  const wetOver = (hf: Heightfield, source: WaterSource | null) => FieldWater.attach(null, hf, source);

  describe('waterAt', () => {
    it('says what the raw texels say, for fields and waters of any sizes', () => {
      fc.assert(
        fc.property(
          fieldFacts,
          fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
          fc.array(
            fc.tuple(
              fc.double({ min: 0.001, max: 0.999, noNaN: true }),
              fc.double({ min: 0.001, max: 0.999, noNaN: true }),
            ),
            { minLength: 8, maxLength: 8 },
          ),
          (facts, [width, height], places) => {
            const hf = fieldOf(facts);
            const texture = randomWater(width, height, facts.seed);
            wetOver(hf, texture);
            for (const [a, b] of places) {
              const [x, z] = [hf.minX + a * hf.size.width, hf.minZ + b * hf.size.depth];
              const { surface, coverage, flowX, flowZ, tied } = judge(hf, texture, x, z);
              const said = hf.waterAt(x, z);
              if (Number.isNaN(surface)) expect(said).to.equal(null);
              if (Number.isNaN(surface) || tied) continue;
              if (Math.abs(surface - hf.heightAt(x, z)) < ROUNDING || (coverage > 0 && coverage < ROUNDING))
                continue;
              if (coverage <= 0 || surface < hf.heightAt(x, z)) {
                // On the line where coverage begins a rounding may fall to either side.
                if (coverage === 0 && said)
                  expect(hf.water!.surface!.numberAt(x, z, 3)).to.be.below(ROUNDING);
                else expect(said).to.equal(null);
                continue;
              }
              expect(said, `${x}, ${z}`).to.not.equal(null);
              expect(said!.surface).to.be.closeTo(surface, ROUNDING);
              expect(said!.flowX).to.be.closeTo(flowX, ROUNDING);
              expect(said!.flowZ).to.be.closeTo(flowZ, ROUNDING);
            }
            hf.close();
          },
        ),
        { numRuns: 300 },
      );
    });

    it('is dry past the rect, over ground as high, and where nothing is covered', () => {
      const hf = Heightfield.fromTexture(bowl(), { origin: [1000, 0] });
      wetOver(hf, { level: 3 });
      expect(hf.waterAt(1000, 0)).to.deep.equal({ surface: 3, flowX: 0, flowZ: 0 });
      expect(hf.waterAt(1000, 41)).to.equal(null);
      expect(hf.waterAt(959.9, 0)).to.equal(null);
      expect(hf.heightAt(1025, 0)).to.equal(3);
      expect(hf.waterAt(1025, 0)).to.equal(null);
      expect(hf.waterAt(1024.9, 0)).to.not.equal(null);
      const dry = Heightfield.fromTexture(bowl());
      expect(wetOver(dry, lake(3, 0)).surface).to.equal(null);
      expect(dry.waterAt(0, 0)).to.equal(null);
    });

    it('takes no notice of a hole: the heights under it count', () => {
      const holes = Texture.create({ width: 8, height: 8, format: 'r8', data: () => [0] });
      const hf = Heightfield.fromTexture(bowl(), { holes });
      wetOver(hf, { level: 3 });
      expect(hf.hasGroundAt(0, 0)).to.equal(false);
      expect(hf.waterAt(0, 0)!.surface).to.equal(3);
      expect(hf.waterAt(35, 35)).to.equal(null);
    });

    it('keeps level water level to the bit, and follows an edit of the ground', () => {
      const hf = Heightfield.fromTexture(bowl());
      wetOver(hf, { level: 2.1 });
      const random = randomFrom(7);
      for (let k = 0; k < 500; k++) {
        const said = hf.waterAt(80 * random() - 40, 80 * random() - 40);
        if (said) expect(said.surface).to.equal(Math.fround(2.1));
      }
      expect(hf.waterAt(30, 30)).to.equal(null);
      hf.setHeights(0, 0, 8, 8, new Float32Array(64));
      expect(hf.waterAt(30, 30)).to.not.equal(null);
    });

    it('refuses places that are no numbers and a closed heightfield', () => {
      const hf = Heightfield.fromTexture(bowl());
      wetOver(hf, { level: 3 });
      expect(() => hf.waterAt(NaN, 0)).to.throw(
        'terrainHeightfield.waterAt: x must be a finite number, got NaN',
      );
      hf.close();
      expect(() => hf.waterAt(0, 0)).to.throw('terrainHeightfield.waterAt: this heightfield is closed');
    });
  });

  describe('reach', () => {
    it('holds every place that is covered, whatever the ground, in whole texels', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 1, max: 12 }),
          fc.nat(1e6),
          (width, height, seed) => {
            const hf = Heightfield.fromTexture(fieldTexture(5, 5, () => -1e6, [60, 35]));
            const texture = randomWater(width, height, seed, 0.04);
            const { reach } = wetOver(hf, texture);
            const random = randomFrom(seed);
            for (let k = 0; k < 60; k++) {
              const [x, z] = [60 * random() - 30, 35 * random() - 17.5];
              if (!hf.waterAt(x, z)) continue;
              expect(x).to.be.within(reach!.minX, reach!.maxX);
              expect(z).to.be.within(reach!.minZ, reach!.maxZ);
            }
            if (!reach) return;
            for (const edge of [(reach.minX + 30) / (60 / width), (reach.maxX + 30) / (60 / width)])
              expect(Math.abs(edge - Math.round(edge))).to.be.below(1e-9);
            hf.close();
          },
        ),
      );
    });
  });

  describe('open, setWater, refresh and close', () => {
    const assets = new Assets(hostFiles);
    const open = (gpu: Gpu, ground: Texture | string, options?: OpenOptions) =>
      openHeightfield({ gpu, assets }, ground, options);

    beforeEach(() => {
      files.clear();
      files.set('source/ground.texture', writeTexture(bowl(), '22222222-2222-4222-8222-222222222222'));
      files.set('source/lake.texture', writeTexture(lake(3), '44444444-4444-4444-8444-444444444444'));
    });

    it('takes water from a texture, a path, a level and a container, and an option outranks the container', () =>
      freeing(async (gpu) => {
        await writeTerrainData(assets, 'source/land.terrainData', {
          heightfield: '/zero/source/ground.texture',
          water: '/zero/source/lake.texture',
        });
        for (const [ground, water, surface] of [
          [bowl(), lake(3), 3],
          [bowl(), '/zero/source/lake.texture', 3],
          [bowl(), { level: 2 }, 2],
          ['/zero/source/land.terrainData', undefined, 3],
          ['/zero/source/land.terrainData', { level: 1.5 }, 1.5],
        ] as const) {
          const hf = await open(gpu, ground, water === undefined ? {} : { water });
          expect(hf.waterAt(0, 0)!.surface).to.equal(surface);
          hf.close();
        }
        const dry = await open(gpu, bowl());
        expect(dry.waterAt(0, 0)).to.equal(null);
        dry.close();
      }));

    it('holds 16 bytes a texel on the GPU, and setWater and close give them back', () =>
      freeing(async (gpu) => {
        const hf = await open(gpu, bowl());
        const before = gpu.bytes;
        await setWater({ assets }, hf, lake(3));
        // The texels, and the one word of a mask that is not there.
        expect(gpu.bytes - before).to.equal(4 * 4 * 16 + 4);
        expect(hf.water!.surface!.cpu.byteLength).to.equal(4 * 4 * 16);
        await setWater({ assets }, hf, '/zero/source/lake.texture');
        expect(gpu.bytes - before).to.equal(4 * 4 * 16 + 4);
        await setWater({ assets }, hf, null);
        expect(gpu.bytes).to.equal(before);
        expect(hf.waterAt(0, 0)).to.equal(null);
        await setWater({ assets }, hf, { level: 3 });
        const surface = hf.water!.surface!;
        hf.close();
        expect(surface.closed).to.equal(true);
      }));

    it('reads the water again at a refresh: the container’s, or what setWater gave', () =>
      freeing(async (gpu) => {
        await writeTerrainData(assets, 'source/land.terrainData', {
          heightfield: '/zero/source/ground.texture',
          water: '/zero/source/lake.texture',
        });
        const hf = await open(gpu, '/zero/source/land.terrainData');
        files.set('source/lake.texture', writeTexture(lake(5), '44444444-4444-4444-8444-444444444444'));
        expect(hf.waterAt(0, 0)!.surface).to.equal(3);
        await hf.refresh();
        expect(hf.waterAt(0, 0)!.surface).to.equal(5);
        const given = lake(2);
        await setWater({ assets }, hf, given);
        given.update({ data: lake(4).data });
        await hf.refresh();
        expect(hf.waterAt(0, 0)!.surface).to.equal(4);
        await setWater({ assets }, hf);
        await hf.refresh();
        expect(hf.waterAt(0, 0)).to.equal(null);
        hf.close();
      }));

    it('has the water that was asked for last, whichever is read first, and goes back to what was remembered', () =>
      freeing(async (gpu) => {
        const hf = await open(gpu, bowl(), { water: lake(3) });
        const bytes = gpu.bytes;
        const slow = hf.water!.set(async () => {
          await new Promise((done) => setTimeout(done, 20));
          return { level: 5 };
        }, 'spec');
        await setWater({ assets }, hf, { level: 6 });
        await slow;
        expect(hf.waterAt(0, 0)!.surface).to.equal(6);
        const back = hf.water!.remember();
        await setWater({ assets }, hf, null);
        await back();
        expect(hf.waterAt(0, 0)).to.deep.equal({ surface: 6, flowX: 0, flowZ: 0 });
        await hf.refresh();
        expect(hf.waterAt(0, 0)!.surface).to.equal(6);
        await hf.water!.reset('spec');
        expect(hf.waterAt(0, 0)).to.deep.equal({ surface: 3, flowX: 0.5, flowZ: -0.25 });
        expect(gpu.bytes).to.equal(bytes);
        hf.close();
      }));

    it('keeps what was set while a refresh read what was there before', () =>
      freeing(async (gpu) => {
        const hf = await open(gpu, bowl());
        let reads = 0;
        let go = (): void => undefined;
        const delay = new Promise<void>((resolve) => (go = resolve));
        await hf.water!.set(async () => {
          if (++reads > 1) await delay;
          return lake(3);
        }, 'spec');
        const refreshing = hf.refresh();
        while (reads < 2) await new Promise((done) => setTimeout(done, 1));
        await setWater({ assets }, hf, { level: 5 });
        go();
        await refreshing;
        expect(hf.waterAt(0, 0)!.surface).to.equal(5);
        await hf.refresh();
        expect(hf.waterAt(0, 0)!.surface).to.equal(5);
        hf.close();
      }));

    it('refuses a refresh whose water is refused, and all stays as it was', () =>
      freeing(async (gpu) => {
        const ground = bowl();
        const water = lake(3);
        const hf = await open(gpu, ground, { water });
        ground.update({ data: fieldTexture(8, 8, () => 0, [80, 80]).data });
        water.destroy();
        expect(await message(hf.refresh())).to.equal(
          'terrainHeightfield.refresh: the texture given as water is destroyed',
        );
        expect([hf.gen, hf.heightAt(0, 0), hf.waterAt(0, 0)!.surface]).to.deep.equal([1, 1, 3]);
        hf.close();
      }));

    it('names what is wrong with water, and nothing is left open', () =>
      freeing(async (gpu) => {
        const cut = writeTexture(lake(3), '44444444-4444-4444-8444-444444444444');
        files.set('source/half.texture', cut.slice(0, cut.length / 2));
        const bad = Texture.create({
          width: 2,
          height: 1,
          format: 'rgba32f',
          data: [1, 0, 0, 1, NaN, 0, 0, 0],
        });
        const gone = lake(3);
        gone.destroy();
        const wrong: [OpenOptions['water'], RegExp][] = [
          [
            Texture.create({ width: 1, height: 1, format: 'r32f', data: [1] }),
            /: the water texture's format must be rgba32f \(surface, flow x, flow z, coverage\), got "r32f"/,
          ],
          [bad, /: water: every number of the texels must be finite, got 1 texel .* column 1, row 0/],
          [gone, /: the texture given as water is destroyed/],
          ['/zero/source/none.texture', /: there is no file "\/zero\/source\/none\.texture"/],
          ['/zero/source/half.texture', /half\.texture/],
          [{ level: NaN }, /: water\.level must be a finite number, got NaN/],
          [{ levl: 1 } as never, /: water: there is no field "levl" \(did you mean "level"\?\)/],
          [5 as never, /: water must be a texture, a path or a guid, got 5/],
        ];
        const hf = await open(gpu, bowl(), { water: lake(1.25) });
        for (const [water, said] of wrong) {
          expect(await message(open(gpu, bowl(), { water }))).to.match(
            new RegExp(`^terrainHeightfield\\.open${said.source}|^terrainHeightfield\\.open.*${said.source}`),
          );
          expect(await message(setWater({ assets }, hf, water)))
            .to.match(/^terrainHeightfield\.setWater/)
            .and.to.match(said);
          expect(hf.waterAt(0, 0)!.surface).to.equal(1.25);
        }
        hf.close();
        expect(await message(setWater({ assets }, hf, null))).to.match(
          /^terrainHeightfield\.setWater: this heightfield is closed/,
        );
        for (const water of [bad, lake(3), '/zero/source/none.texture'])
          expect(
            await message(
              writeTerrainData(assets, 'source/x.terrainData', {
                heightfield: '/zero/source/ground.texture',
                water,
              }),
            ),
          ).to.match(/^terrain\.write: (water|there is no file)/);
        expect(files.has('source/x.terrainData')).to.equal(false);
        files.set(
          'source/land.terrainData',
          formatTerrainData({
            version: 1,
            guid: '11111111-1111-4111-8111-111111111111',
            size: [80, 80],
            origin: [0, 0],
            heightRange: [0, 20],
            heightfield: '/zero/source/ground.texture',
            water: '/zero/source/none.texture',
          }),
        );
        expect(await message(open(gpu, '/zero/source/land.terrainData'))).to.match(/none\.texture/);
      }));
  });
});
