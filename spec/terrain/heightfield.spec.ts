import { expect } from 'chai';
import fc from 'fast-check';
import { cellHeight, Heightfield } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import { ABOVE, GroundCollider, TILT } from '../support/collider.js';
import {
  fieldFacts,
  fieldOf,
  randomFrom,
  slopeAround,
  TEXELS,
  type FieldFacts,
  SMALL,
  small,
  openSmall,
} from '../support/fields.js';

/** Rapier works in f32: a unit in the last place of `extent`. */
const ulp32 = (extent: number) => 2 ** (Math.floor(Math.log2(extent)) - 23);

const height = fc.double({ min: -1e4, max: 1e4, noNaN: true });
const share = fc.double({ min: 0, max: 1, noNaN: true });

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
});
