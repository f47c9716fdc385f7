import { expect } from 'chai';
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cellHeight, Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import { ABOVE, GroundCollider, TILT } from '../support/collider.js';
import {
  fieldFacts,
  fieldOf,
  randomFrom,
  randomTexture,
  slopeAround,
  TEXELS,
  type FieldFacts,
} from '../support/fields.js';

/** Rapier works in f32: a unit in the last place of `extent`. */
const ulp32 = (extent: number) => 2 ** (Math.floor(Math.log2(extent)) - 23);

const height = fc.double({ min: -1e4, max: 1e4, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });

/** A 3 × 2 field of 6 × 8 m centred on 10, 20, heights 0 to 5. */
const SMALL: RectOptions = { size: [6, 8], origin: [10, 20] };
const small = (edit: (texels: number[][]) => void = () => {}) => {
  const texels = Array.from({ length: 6 }, (_, k) => [k, 0.1 * k, -0.2 * k, 1]);
  edit(texels);
  return Texture.create({ width: 3, height: 2, format: 'rgba32f', data: texels.flat() });
};
const openSmall = (options: RectOptions = {}) => Heightfield.fromTexture(small(), { ...SMALL, ...options });

describe('terrainHeightfield', () => {
  describe('cellHeight', () => {
    it('answers each corner its own height, and level ground its level', () => {
      fc.assert(
        fc.property(height, height, height, height, share, share, (a, b, c, d, fx, fz) => {
          expect(cellHeight(a, b, c, d, 0, 0)).to.equal(a);
          expect(cellHeight(a, b, c, d, 1, 0)).to.equal(b);
          expect(cellHeight(a, b, c, d, 0, 1)).to.equal(c);
          expect(cellHeight(a, b, c, d, 1, 1)).to.equal(d);
          expect(cellHeight(a, a, a, a, fx, fz)).to.equal(a);
        }),
      );
    });

    it('is two planes that meet on the diagonal from +Z to +X', () => {
      expect(cellHeight(8, 0, 0, 0, 0.5, 0.5)).to.equal(0);
      expect(cellHeight(0, 0, 0, 8, 0.5, 0.5)).to.equal(0);
      expect(cellHeight(0, 8, 0, 0, 0.5, 0.5)).to.equal(4);
      fc.assert(
        fc.property(height, height, height, height, share, share, (a, b, c, d, fx, fz) => {
          const plane =
            fx + fz <= 1 ? a + (b - a) * fx + (c - a) * fz : d + (c - d) * (1 - fx) + (b - d) * (1 - fz);
          expect(cellHeight(a, b, c, d, fx, fz)).to.be.closeTo(plane, 1e-10);
        }),
      );
    });
  });

  describe('heightAt', () => {
    it("answers a stop its texel's own number, however its coordinate was worked out", () => {
      fc.assert(
        fc.property(fieldFacts, (facts) => {
          const hf = fieldOf(facts);
          const ways = (
            min: number,
            origin: number,
            size: number,
            texel: number,
            count: number,
            k: number,
          ) =>
            k < 0
              ? [min, origin - size / 2]
              : k === count
                ? [min + size, origin + size / 2]
                : [
                    min + (k + 0.5) * texel,
                    origin + ((k + 0.5) / count - 0.5) * size,
                    min + texel / 2 + k * texel,
                  ];
          for (let j = -1; j <= hf.height; j += 1 + (hf.height >> 4)) {
            for (let i = -1; i <= hf.width; i += 1 + (hf.width >> 4)) {
              const own = hf.read(
                Math.min(Math.max(i, 0), hf.width - 1),
                Math.min(Math.max(j, 0), hf.height - 1),
              )[0];
              for (const x of ways(hf.minX, hf.origin.x, hf.size.width, hf.texelX, hf.width, i)) {
                for (const z of ways(hf.minZ, hf.origin.z, hf.size.depth, hf.texelZ, hf.height, j))
                  expect(hf.heightAt(x, z)).to.equal(own);
              }
            }
          }
        }),
      );
    });

    it('reads the cell around a place through cellHeight, and the nearest point of the rect outside it', () => {
      fc.assert(
        fc.property(fieldFacts, fc.tuple(share, share), (facts, [a, b]) => {
          const hf = fieldOf(facts);
          const [x, z] = [hf.minX + (3 * a - 1) * hf.size.width, hf.minZ + (3 * b - 1) * hf.size.depth];
          const inX = Math.min(Math.max(x, hf.minX), hf.maxX);
          const inZ = Math.min(Math.max(z, hf.minZ), hf.maxZ);
          expect(hf.heightAt(x, z)).to.equal(hf.heightAt(inX, inZ));
          const u = Math.min(Math.max((inX - hf.minX) / hf.texelX - 0.5, 0), hf.width - 1);
          const v = Math.min(Math.max((inZ - hf.minZ) / hf.texelZ - 0.5, 0), hf.height - 1);
          const [i, j] = [Math.floor(u), Math.floor(v)];
          const [right, down] = [Math.min(i + 1, hf.width - 1), Math.min(j + 1, hf.height - 1)];
          const at = (c: number, r: number) => hf.read(c, r)[0];
          const expected = cellHeight(at(i, j), at(right, j), at(i, down), at(right, down), u - i, v - j);
          const slack = 1e-13 * (1e5 + hf.size.width + hf.size.depth) * (1 + slopeAround(hf, inX, inZ));
          expect(hf.heightAt(x, z)).to.be.closeTo(expected, slack);
        }),
      );
      const hf = openSmall();
      expect(hf.heightAt(1e308, -1e308)).to.equal(2);
      expect(hf.heightAt(-Number.MAX_VALUE, Number.MAX_VALUE)).to.equal(3);
    });

    it('meets a Rapier collider of its tiles everywhere', async function () {
      this.timeout(120_000);
      const facts = fc.record({ field: fieldFacts, perTile: fc.constantFrom(1, 7, 64), seed: fc.nat(1e9) });
      await fc.assert(
        fc.asyncProperty(facts, async ({ field, perTile, seed }) => {
          const hf = fieldOf(field);
          await agreesWithRays(hf, perTile, seed, 60);
        }),
        { numRuns: 60 },
      );
      for (const texels of [...TEXELS, [800, 600] as [number, number]]) {
        const field: FieldFacts = { texels, texel: [1.5, 0.8], origin: [1e5, -40], seed: 9 };
        await agreesWithRays(fieldOf(field), 64, 3, 200);
      }
    });

    it('refuses places that are no numbers', () => {
      const hf = openSmall();
      for (const bad of [NaN, Infinity, -Infinity, undefined as never]) {
        expect(() => hf.heightAt(bad, 0)).to.throw(
          'terrainHeightfield.heightAt: x must be a finite number, got',
        );
        expect(() => hf.heightAt(0, bad)).to.throw(
          'terrainHeightfield.heightAt: z must be a finite number, got',
        );
        expect(() => hf.normalAt(bad, 0)).to.throw('terrainHeightfield.normalAt: x must be');
        expect(() => hf.slopeAt(0, bad)).to.throw('terrainHeightfield.slopeAt: z must be');
        expect(() => hf.hasGroundAt(bad, 0)).to.throw('terrainHeightfield.hasGroundAt: x must be');
        expect(() => hf.heightsAt([0, 0, 1, bad])).to.throw('heightsAt: point 2 must be');
      }
      expect(() => hf.heightsAt([1, 2, 3])).to.throw('heightsAt: points must be pairs');
    });
  });

  /** Rays at random places, on lines between cells, on tile borders and at corners meet the ground at heightAt. */
  async function agreesWithRays(hf: Heightfield, perTile: number, seed: number, rays: number): Promise<void> {
    const judge = await GroundCollider.of(hf, perTile);
    try {
      const random = randomFrom(seed);
      const along = (min: number, size: number, texel: number, texels: number) => {
        const kind = random();
        if (kind < 0.6) return min + size * random();
        if (kind < 0.9) return min + texel * (Math.floor(random() * texels) + 0.5);
        return min + (kind < 0.95 ? 0 : size);
      };
      const inF32 = (place: number, min: number, max: number) => {
        const nearest = Math.fround(place);
        // The rim in f32 may stand past the rect: there a ray meets nothing, rightly.
        const step = ulp32(Math.max(Math.abs(min), Math.abs(max)));
        return Math.min(Math.max(nearest, Math.fround(min) + step), Math.fround(max) - step);
      };
      for (let k = 0; k < rays; k++) {
        const x = inF32(along(hf.minX, hf.size.width, hf.texelX, hf.width), hf.minX, hf.maxX);
        const z = inF32(along(hf.minZ, hf.size.depth, hf.texelZ, hf.height), hf.minZ, hf.maxZ);
        const expected = hf.heightAt(x, z);
        const extent = Math.max(Math.abs(x), Math.abs(z), Math.abs(expected), hf.size.width, hf.size.depth);
        const met = judge.heightNear(x, expected, z, ulp32(extent));
        const slack =
          4 * ulp32(extent) * (1 + slopeAround(hf, x, z)) + 2 * TILT * ABOVE * slopeAround(hf, x, z);
        expect(met, `a ray at ${x}, ${z}`).not.to.be.null;
        expect(met).to.be.closeTo(expected, slack);
      }
    } finally {
      judge.free();
    }
  }

  describe('normalAt and slopeAt', () => {
    it('turn the carried gradient, blended between four texels, into a unit normal and its angle', () => {
      fc.assert(
        fc.property(fieldFacts, share, share, (facts, a, b) => {
          const hf = fieldOf(facts);
          const [x, z] = [hf.minX + a * hf.size.width, hf.minZ + b * hf.size.depth];
          const u = Math.min(Math.max((x - hf.minX) / hf.texelX - 0.5, 0), hf.width - 1);
          const v = Math.min(Math.max((z - hf.minZ) / hf.texelZ - 0.5, 0), hf.height - 1);
          let [gx, gz] = [0, 0];
          for (const [i, wx] of [[Math.floor(u), 1 - (u % 1)] as const, [Math.ceil(u), u % 1] as const]) {
            for (const [j, wz] of [[Math.floor(v), 1 - (v % 1)] as const, [Math.ceil(v), v % 1] as const]) {
              gx += hf.read(i, j)[1] * wx * wz;
              gz += hf.read(i, j)[2] * wx * wz;
            }
          }
          const length = Math.hypot(gx, 1, gz);
          const normal = hf.normalAt(x, z);
          const into = hf.normalInto(x, z, new Float64Array(3));
          [-gx / length, 1 / length, -gz / length].forEach((part, k) => {
            expect(normal[k]).to.be.closeTo(part, 1e-8);
            expect(into[k]).to.equal(normal[k]);
          });
          expect(Math.hypot(...normal)).to.be.closeTo(1, 1e-14);
          expect(hf.slopeAt(x, z)).to.be.closeTo(Math.acos(1 / length), 1e-7);
        }),
      );
    });

    it('answer a texel its own gradient', () => {
      const hf = Heightfield.fromTexture(
        small((texels) => (texels[4] = [4, 3, 4, 1])),
        SMALL,
      );
      expect(hf.slopeAt(10, 22)).to.equal(Math.atan(5));
      expect(hf.normalAt(10, 22)[0]).to.be.closeTo(-3 / Math.sqrt(26), 1e-15);
    });
  });

  describe('sampleGrid, heightsAt and minMax', () => {
    it('sample from edge to edge, a single one in the middle', () => {
      const hf = openSmall();
      expect([...hf.sampleGrid(2, 2)]).to.deep.equal([0, 2, 3, 5]);
      expect([...hf.sampleGrid(1, 1)]).to.deep.equal([hf.heightAt(10, 20)]);
      expect(hf.sampleGrid(4, 3)).to.have.length(12);
      expect(hf.sampleGrid(4, 3)[5]).to.equal(hf.heightAt(9, 20));
      expect([...hf.heightsAt([7, 16, 13, 24])]).to.deep.equal([0, 5]);
      for (const bad of [0, -1, 1.5, NaN]) {
        expect(() => hf.sampleGrid(bad, 2)).to.throw('sampleGrid: cols must be an integer');
        expect(() => hf.sampleGrid(2, bad)).to.throw('sampleGrid: rows must be an integer');
      }
    });

    it('find the lowest and highest ground of any rect', () => {
      fc.assert(
        fc.property(
          fc.oneof(
            fieldFacts,
            // Few cells, where an edge often holds what no corner of a cell does.
            fieldFacts.map((facts) => ({ ...facts, texels: [3, 2] as [number, number] })),
          ),
          fc.tuple(share, share, share, share),
          fc.nat(),
          (facts, [a, b, c, d], seed) => {
            const hf = fieldOf(facts);
            const place = (t: number, min: number, size: number) => min + (1.4 * t - 0.2) * size;
            const rect = {
              minX: place(Math.min(a, b), hf.minX, hf.size.width),
              maxX: place(Math.max(a, b), hf.minX, hf.size.width),
              minZ: place(Math.min(c, d), hf.minZ, hf.size.depth),
              maxZ: place(Math.max(c, d), hf.minZ, hf.size.depth),
            };
            const { low, high } = hf.minMax(rect);
            const random = randomFrom(seed);
            for (let k = 0; k < 100; k++) {
              const ground = hf.heightAt(
                rect.minX + random() * (rect.maxX - rect.minX),
                rect.minZ + random() * (rect.maxZ - rect.minZ),
              );
              expect(ground).to.be.within(low - 1e-7, high + 1e-7);
            }
            // Along the rect's edges the extremes stand, at whatever place the surface bends.
            const steps = 256;
            for (let k = 0; k <= steps; k++) {
              const x = rect.minX + ((rect.maxX - rect.minX) * k) / steps;
              const z = rect.minZ + ((rect.maxZ - rect.minZ) * k) / steps;
              for (const ground of [
                hf.heightAt(x, rect.minZ),
                hf.heightAt(x, rect.maxZ),
                hf.heightAt(rect.minX, z),
                hf.heightAt(rect.maxX, z),
              ])
                expect(ground).to.be.within(low - 1e-7, high + 1e-7);
            }
            expect(low).to.be.at.least(hf.heightRange.low);
            expect(high).to.be.at.most(hf.heightRange.high);
          },
        ),
        { numRuns: 200 },
      );
      // A ridge along the diagonal of one cell, crossed by the long edges of a narrow rect.
      const ridge = [0, 1, 1, 0].flatMap((h) => [h, 0, 0, 1]);
      const cell = Texture.create({ width: 2, height: 2, format: 'rgba32f', data: ridge });
      const one = Heightfield.fromTexture(cell, { size: [2, 2] });
      const [near, far] = [
        { min: -0.3, max: -0.2 },
        { min: -0.1, max: 0.4 },
      ];
      for (const [x, z] of [
        [near, far],
        [far, near],
      ])
        expect(one.minMax({ minX: x.min, maxX: x.max, minZ: z.min, maxZ: z.max }).high).to.equal(1);
      const hf = openSmall();
      expect(hf.minMax({ minX: -99, minZ: -99, maxX: 99, maxZ: 99 })).to.deep.equal({ low: 0, high: 5 });
      expect(hf.minMax({ minX: 50, minZ: 50, maxX: 60, maxZ: 60 })).to.deep.equal({ low: 5, high: 5 });
      expect(() => hf.minMax({ minX: 5, minZ: 0, maxX: 4, maxZ: 1 })).to.throw(
        'minMax: rect.minX must be at most',
      );
    });
  });

  describe('colliderTiles', () => {
    it('are their caller’s: each has lists of its own', () => {
      const tiles = openSmall().colliderTiles();
      const before = JSON.stringify(tiles.slice(1));
      tiles[0].xs.push(9);
      tiles[0].zs.length = 0;
      expect(JSON.stringify(tiles.slice(1))).to.equal(before);
    });

    it('cover the rect with evenly spaced grids whose samples stand at heightAt', () => {
      const perTile = fc.integer({ min: 1, max: 80 });
      fc.assert(
        fc.property(fieldFacts, perTile, (facts, most) => {
          const hf = fieldOf(facts);
          const tiles = hf.colliderTiles(most);
          const edges = (min: 'minX' | 'minZ') =>
            [...new Set(tiles.map((tile) => tile[min]))].sort((a, b) => a - b);
          const [lefts, nears] = [edges('minX'), edges('minZ')];
          expect(tiles).to.have.length(lefts.length * nears.length);
          tiles.forEach((tile, k) => {
            const [column, row] = [k % lefts.length, Math.floor(k / lefts.length)];
            expect([tile.minX, tile.minZ]).to.deep.equal([lefts[column], nears[row]]);
            const slack = 1e-11 * (1 + Math.abs(tile.minX) + Math.abs(tile.minZ));
            expect(tile.minX + tile.sizeX).to.be.closeTo(lefts[column + 1] ?? hf.maxX, slack);
            expect(tile.minZ + tile.sizeZ).to.be.closeTo(nears[row + 1] ?? hf.maxZ, slack);
            expect(tile.xs.length - 1).to.be.within(1, Math.max(1, most));
            const strip = column === 0 || column === lefts.length - 1;
            const spacing = strip ? hf.texelX / 2 : hf.texelX;
            expect(tile.sizeX / (tile.xs.length - 1)).to.be.closeTo(spacing, slack);
            const heights = hf.texelLattice(tile.xs, tile.zs);
            for (const [i, j] of [
              [0, 0],
              [tile.xs.length - 1, 0],
              [tile.xs.length >> 1, tile.zs.length >> 1],
            ]) {
              const x = tile.minX + (tile.sizeX * i) / (tile.xs.length - 1);
              const z = tile.minZ + (tile.sizeZ * j) / (tile.zs.length - 1);
              expect(heights[j * tile.xs.length + i]).to.equal(hf.heightAt(x, z));
            }
          });
          expect([lefts[0], nears[0]]).to.deep.equal([hf.minX, hf.minZ]);
        }),
      );
    });

    it('are as many as the reference counts: strips, corners and tiles of 64 cells', () => {
      const hf = fieldOf({ texels: [129, 66], texel: [1, 1], origin: [0, 0], seed: 1 });
      const tiles = hf.colliderTiles();
      expect(tiles).to.have.length((2 + 2) * (2 + 2));
      expect(tiles[0]).to.deep.equal({
        minX: -64.5,
        minZ: -33,
        sizeX: 0.5,
        sizeZ: 0.5,
        xs: [0, 0],
        zs: [0, 0],
      });
      expect(tiles[5].xs).to.deep.equal([...Array(65).keys()]);
      expect(() => hf.colliderTiles(0)).to.throw(
        'colliderTiles: perTile must be an integer of at least 1, got 0',
      );
      expect(() => hf.texelLattice([129], [0])).to.throw(
        'texelLattice: xs must be an integer in 0..128, got 129',
      );
    });
  });

  describe('holes', () => {
    const maskOf = (width: number, height: number, seed: number) => {
      const random = randomFrom(seed);
      const data = Array.from({ length: width * height }, () =>
        random() < 0.4 ? 0 : 1 + Math.floor(random() * 255),
      );
      return Texture.create({ width, height, format: 'r8', data });
    };

    it('cut the cell past a texel, rims by their outermost one, and a mask of another size by its place', () => {
      fc.assert(
        fc.property(
          fieldFacts,
          fc.option(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 90 }))),
          share,
          share,
          (facts, other, a, b) => {
            const [width, height] = facts.texels;
            const holes = maskOf(other?.[0] ?? width, other?.[1] ?? height, facts.seed);
            const hf = fieldOf(facts, { holes });
            expect(hf.mask!.data.byteLength).to.equal(width * height);
            const [u, v] = [a * width, b * height];
            const i = Math.min(Math.max(Math.floor(u - 0.5), 0), width - 1);
            const j = Math.min(Math.max(Math.floor(v - 0.5), 0), height - 1);
            const away = Math.min(
              Math.abs((u - 0.5) % 1),
              1 - Math.abs((u - 0.5) % 1),
              Math.abs((v - 0.5) % 1),
              1 - Math.abs((v - 0.5) % 1),
            );
            fc.pre(away > 1e-6);
            // The mask's texel over the centre of the field's texel.
            const column = Math.floor(((i + 0.5) / width) * holes.width + 1e-9);
            const row = Math.floor(((j + 0.5) / height) * holes.height + 1e-9);
            if (!other) expect([column, row]).to.deep.equal([i, j]);
            const state = holes.read(column, row)[0] === 0 ? 'hole' : 'ground';
            const [x, z] = [hf.minX + u * hf.texelX, hf.minZ + v * hf.texelZ];
            expect(hf.groundState(x, z)).to.equal(state);
            expect(hf.hasGroundAt(x, z)).to.equal(state === 'ground');
          },
        ),
      );
    });

    it('leave the heights as they are, give the line between two cells to the later one, and end at the rect', () => {
      const holes = Texture.create({ width: 3, height: 2, format: 'r8', data: [255, 0, 1, 255, 255, 255] });
      const hf = openSmall({ holes });
      expect(hf.groundState(10, 20)).to.equal('hole');
      expect(hf.heightAt(10, 18)).to.equal(1);
      expect([9.9, 10, 11.9, 12, 13].map((x) => hf.hasGroundAt(x, 18))).to.deep.equal([
        true,
        false,
        false,
        true,
        true,
      ]);
      expect(hf.groundState(10, 16)).to.equal('hole');
      expect(hf.groundState(13.001, 18)).to.equal('outside');
      expect(openSmall().groundState(6.99, 18)).to.equal('outside');
      expect(openSmall().hasGroundAt(7, 16)).to.be.true;
      expect([-1, 0, 1, 2].map((i) => hf.cellHasGround(i, -1))).to.deep.equal([true, true, false, true]);
    });

    it('take only the value 0 of the first channel, in any format', () => {
      const data = [0, 9, 9, 9, -0, 0, 0, 0, 1e-30, 0, 0, 0];
      const floats = Texture.create({ width: 3, height: 1, format: 'rgba32f', data });
      const hf = openSmall({ holes: floats });
      expect([0, 1, 2].map((i) => hf.cellHasGround(i, 0))).to.deep.equal([false, false, true]);
    });

    it('come from texels without coverage if nodata says so', () => {
      const uncovered = small((texels) => (texels[1][3] = 0));
      expect(Heightfield.fromTexture(uncovered, SMALL).mask).to.be.null;
      const hf = Heightfield.fromTexture(uncovered, { ...SMALL, nodata: 'hole' });
      expect([0, 1, 2].map((i) => hf.cellHasGround(i, 0))).to.deep.equal([true, false, true]);
      expect(openSmall({ nodata: 'hole' }).mask).to.be.null;
      expect(() => openSmall({ nodata: 'skip' as never })).to.throw(
        'nodata must be one of "hole", got "skip"',
      );
    });

    it('refuse a mask of no size', () => {
      const holes = new Texture(0, 4, 'r8', new Uint8Array(0));
      expect(() => openSmall({ holes })).to.throw(
        'holes must be a texture of at least 1 × 1 texels, got 0 × 4',
      );
      expect(() => openSmall({ holes: 'mask.png' as never })).to.throw(
        'holes must be a texture, got "mask.png"',
      );
    });
  });

  describe('open', () => {
    it('stands a texture over its rect', () => {
      const hf = openSmall();
      expect(hf).to.include({
        width: 3,
        height: 2,
        minX: 7,
        maxX: 13,
        minZ: 16,
        maxZ: 24,
        texelX: 2,
        texelZ: 4,
        gen: 1,
      });
      expect(hf.size).to.deep.equal({ width: 6, depth: 8 });
      expect(hf.origin).to.deep.equal({ x: 10, z: 20 });
      expect(hf.heightRange).to.deep.equal({ low: 0, high: 5 });
      expect(hf.cpu.byteLength).to.equal(16 * 6);
      const own = small();
      const other = Heightfield.fromTexture(own, SMALL);
      own.update({ data: () => [99, 0, 0, 1] });
      expect(other.heightAt(7, 16)).to.equal(0);
    });

    it("takes the size that the texture records, and scales the gradients of one stood over another's", () => {
      const texture = small();
      expect(() => Heightfield.fromTexture(texture, {})).to.throw(
        /terrainHeightfield\.open: size must be .*got nothing/,
      );
      texture.size = [6, 8];
      const own = Heightfield.fromTexture(texture, {});
      expect([own.size.width, own.size.depth, own.minX]).to.deep.equal([6, 8, -3]);
      expect([...own.cpu]).to.deep.equal([...texture.data]);
      const wide = Heightfield.fromTexture(texture, { size: [12, 2] });
      expect(wide.read(2, 1)[0]).to.equal(5);
      expect(wide.read(2, 1)[1]).to.be.closeTo(0.25, 1e-7);
      expect(wide.read(2, 1)[2]).to.be.closeTo(-4, 1e-6);
      expect(texture.read(2, 1)[1]).to.be.closeTo(0.5, 1e-7);
    });

    it('refuses what is no ground, naming the thing, the value and the rule', () => {
      const r8 = Texture.create({ width: 1, height: 1, format: 'r8', data: [3] });
      expect(() => Heightfield.fromTexture(r8, SMALL)).to.throw(/rgba32f .*got r8; .*terrain\.from_texture/);
      for (const [options, message] of [
        [{ size: [0, 8] }, 'terrainHeightfield.open: size.width must be a finite number above 0, got 0'],
        [{ size: [6, -8] }, 'size.depth must be a finite number above 0, got -8'],
        [{ size: [NaN, 8] }, 'size.width must be a finite number above 0, got NaN'],
        [{ size: [6] as never }, 'size must be { width, depth }'],
        [{ origin: [0, Infinity] }, 'origin.z must be a finite number, got Infinity'],
        [
          { heightRange: [5, 0] },
          'heightRange must be { low, high } in metres, low at most high, got { 5, 0 }',
        ],
        [
          { heightRange: [0, 3] },
          'heightRange { 0, 3 } must hold every height, got 2 outside it, the first at column 1, row 1 (4 m)',
        ],
        [{ hole: 1 } as never, 'there is no field "hole" (did you mean "holes"?)'],
        [{ size: [1e-9, 8], origin: [1e5, 0] }, 'size.width must make texels that numbers can tell apart'],
      ] as [RectOptions, string][]) {
        expect(() => openSmall(options), message).to.throw(message);
      }
    });

    it('takes a declared range whose ends are f32 heights but for rounding', () => {
      const texture = small((texels) => ([texels[0][0], texels[5][0]] = [0.1, 10.3]));
      expect(
        Heightfield.fromTexture(texture, { ...SMALL, heightRange: [0.1, 10.3] }).heightRange.high,
      ).to.equal(10.3);
    });

    it('refuses texels that are not finite, with their count and first place', () => {
      fc.assert(
        fc.property(
          fc.uniqueArray(fc.nat(5), { minLength: 1 }),
          fc.constantFrom(NaN, Infinity, -Infinity),
          fc.integer({ min: 0, max: 3 }),
          (bad, value, channel) => {
            const texture = small();
            for (const texel of bad) texture.data[4 * texel + channel] = value;
            const first = Math.min(...bad);
            const count = `got ${bad.length} texel${bad.length > 1 ? 's' : ''} `;
            const place = `column ${first % 3}, row ${Math.floor(first / 3)} (channel ${'RGBA'[channel]} is ${value})`;
            expect(() => Heightfield.fromTexture(texture, SMALL))
              .to.throw(count)
              .with.property('message')
              .contains(place);
          },
        ),
      );
      const huge = small((texels) => (texels[0] = [3e38, 3e38, 3e38, 1]));
      expect(Heightfield.fromTexture(huge, SMALL).heightAt(7, 16)).to.equal(Math.fround(3e38));
    });
  });

  describe('refresh', () => {
    it('reads the pixels and the mask again, bumps gen, and has its listeners follow', async () => {
      let lift = 0;
      const holes = Texture.create({ width: 1, height: 1, format: 'r8', data: [0] });
      const read = async () => ({
        texture: small((texels) => (texels[0][0] = lift)),
        ...(lift > 50 && { holes }),
      });
      const hf = Heightfield.fromTexture(small(), SMALL, read);
      const seen: number[] = [];
      const off = hf.onRefresh(async () => void seen.push(hf.gen));
      const { cpu } = hf;
      lift = 9;
      await hf.refresh();
      expect([hf.heightAt(7, 16), hf.gen, hf.heightRange.high, hf.mask]).to.deep.equal([9, 2, 9, null]);
      expect(hf.cpu).to.equal(cpu);
      lift = 99;
      await hf.refresh();
      expect(hf.hasGroundAt(10, 20)).to.be.false;
      off();
      lift = -1;
      await hf.refresh();
      expect(seen).to.deep.equal([2, 3]);
      expect([hf.gen, hf.hasGroundAt(10, 20), hf.heightRange.low]).to.deep.equal([4, true, -1]);
    });

    it('takes a declared range as the numbers of its texels can hold it', () => {
      const edge = () => small((texels) => texels.forEach((texel, k) => (texel[0] = k < 3 ? 0.7 : 5.3)));
      const hf = Heightfield.fromTexture(edge(), { ...SMALL, heightRange: [0.7, 5.3] });
      expect([hf.heightAt(7, 16), hf.heightAt(7, 24)]).to.deep.equal([0.7, 5.3].map(Math.fround));
    });

    it('keeps the range that was declared, and the size that gradients were recorded over', async () => {
      const texture = small();
      texture.size = [12, 16];
      const declared = { ...SMALL, heightRange: [-50, 500] as const };
      const hf = Heightfield.fromTexture(texture, declared, async () => ({ texture: small() }));
      const before = [hf.read(1, 1), hf.heightRange];
      expect(before[0]).to.deep.equal([4, 0.1 * 4 * 2, -0.2 * 4 * 2, 1].map(Math.fround));
      await hf.refresh(); // with a texture that records none
      expect([hf.read(1, 1), hf.heightRange]).to.deep.equal(before);
      expect(hf.heightRange).to.deep.equal({ low: -50, high: 500 });
    });

    it('is over once its listeners are', async () => {
      const hf = openSmall();
      let done = false;
      hf.onRefresh(async () => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        done = true;
      });
      await hf.refresh();
      expect(done).to.be.true;
    });

    it('is refused if the heightfield is closed while it reads', async () => {
      const hf = Heightfield.fromTexture(small(), SMALL, async () => {
        hf.close();
        return { texture: small() };
      });
      const message = await hf.refresh().catch((error: Error) => error.message);
      expect(message).to.contain('terrainHeightfield.refresh: this heightfield is closed');
      expect(hf.gen).to.equal(1);
    });

    it('leaves everything as it was if the new pixels are refused', async () => {
      let next: () => Texture = small;
      const hf = Heightfield.fromTexture(small(), { ...SMALL, heightRange: [-1, 6] }, async () => ({
        texture: next(),
      }));
      const before = [...hf.cpu];
      for (const [wrong, message] of [
        [
          () => small((texels) => (texels[3][0] = NaN)),
          'terrainHeightfield.refresh: every number of the texels',
        ],
        [
          () => small((texels) => (texels[3][0] = 7)),
          'terrainHeightfield.refresh: heightRange { -1, 6 } must hold',
        ],
        [() => randomTexture(2, 2, 1), 'the texture must still have 3 × 2 texels, got 2 × 2'],
        [
          () => {
            throw new Error('no such file');
          },
          'no such file',
        ],
      ] as [() => Texture, string][]) {
        next = wrong;
        const failed = await hf.refresh().then(
          () => 'nothing',
          (error: Error) => error.message,
        );
        expect(failed).to.contain(message);
        expect([[...hf.cpu], hf.gen]).to.deep.equal([before, 1]);
      }
    });
  });

  describe('close', () => {
    it('lets go once; afterwards every method says that it is closed and which', async () => {
      const texture = small();
      texture.path = '/zero/source/dunes.texture';
      const hf = Heightfield.fromTexture(texture, SMALL);
      let closes = 0;
      hf.onClose(() => closes++);
      hf.close();
      hf.close();
      expect([closes, hf.closed, hf.cpu.length]).to.deep.equal([1, true, 0]);
      const calls: Record<string, () => unknown> = {
        heightAt: () => hf.heightAt(10, 20),
        heightsAt: () => hf.heightsAt([1, 2]),
        normalAt: () => hf.normalAt(10, 20),
        slopeAt: () => hf.slopeAt(10, 20),
        sampleGrid: () => hf.sampleGrid(2, 2),
        colliderTiles: () => hf.colliderTiles(),
        texelLattice: () => hf.texelLattice([0], [0]),
        hasGroundAt: () => hf.hasGroundAt(10, 20),
        minMax: () => hf.minMax({ minX: 0, minZ: 0, maxX: 1, maxZ: 1 }),
        read: () => hf.read(0, 0),
      };
      for (const [method, call] of Object.entries(calls)) {
        expect(call).to.throw(
          `terrainHeightfield.${method}: this heightfield is closed (/zero/source/dunes.texture)`,
        );
      }
      const refreshed = await hf.refresh().catch((error: Error) => error.message);
      expect(refreshed).to.equal(
        'terrainHeightfield.refresh: this heightfield is closed (/zero/source/dunes.texture)',
      );
    });

    it('holds nothing over a thousand openings', async function () {
      this.timeout(60_000);
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const texture = randomTexture(64, 64, 1);
      const holes = Texture.create({ width: 64, height: 64, format: 'r8', data: () => 1 });
      const cycle = (times: number) => {
        for (let k = 0; k < times; k++) {
          const hf = Heightfield.fromTexture(texture, { size: [64, 64], holes });
          hf.onClose(() => hf.gen);
          hf.heightAt(k % 32, 3);
          hf.close();
        }
      };
      // Buffers are let go of beside the program, some time after a collection: the least of a few looks counts.
      const held = async () => {
        let least = Infinity;
        for (let look = 0; look < 8; look++) {
          collect();
          await new Promise((done) => setTimeout(done, 5));
          const { heapUsed, arrayBuffers } = process.memoryUsage();
          least = Math.min(least, heapUsed + arrayBuffers);
        }
        return least;
      };
      cycle(100);
      const before = await held();
      cycle(1000);
      // Had each kept its texels, this would be 64 MiB.
      expect((await held()) - before).to.be.below(2 ** 20);
    });
  });
});
