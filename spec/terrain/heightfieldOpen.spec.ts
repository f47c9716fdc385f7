import { expect } from 'chai';
import fc from 'fast-check';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import {
  fieldFacts,
  fieldOf,
  randomFrom,
  randomTexture,
  SMALL,
  small,
  openSmall,
} from '../support/fields.js';

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe('terrainHeightfield', () => {
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
