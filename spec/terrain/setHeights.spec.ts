import { expect } from 'chai';
import fc from 'fast-check';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { Heightfield, type FieldEdit } from '../../runtime/terrain/heightfield.js';
import { NodeBounds } from '../../runtime/terrain/nodeBounds.js';
import type { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from '../support/fields.js';
import { freeing } from '../support/gpu.js';
import { openEdges, sharedVertices } from '../support/seams.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';

interface Stroke {
  col: number;
  row: number;
  cols: number;
  rows: number;
  heights: number[];
}

/** Any edit of a field of `width` × `height` texels, often at its rim. */
const strokeOf = (width: number, height: number, amplitude = 40): fc.Arbitrary<Stroke> => {
  const span = (texels: number) =>
    fc
      .tuple(
        fc.oneof(fc.constant(0), fc.nat(texels - 1), fc.constant(texels - 1)),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([first, count]) => [first, Math.min(count, texels - first)] as const);
  return fc.tuple(span(width), span(height), fc.nat(2 ** 30)).map(([[col, cols], [row, rows], seed]) => {
    const random = randomFrom(seed);
    const heights = Array.from({ length: cols * rows }, () => amplitude * (2 * random() - 1));
    return { col, row, cols, rows, heights };
  });
};

const SIDES: [number, number][] = [
  [1, 1],
  [1, 9],
  [9, 1],
  [2, 2],
  [3, 2],
  [24, 17],
];

const scene = fc
  .tuple(fc.constantFrom(...SIDES), fc.constantFrom([1, 1], [0.7, 3.3], [30, 30]), fc.nat(99))
  .chain(([[width, height], [texelX, texelZ], seed]) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      size: fc.constant<[number, number]>([width * texelX, height * texelZ]),
      seed: fc.constant(seed),
      strokes: fc.array(strokeOf(width, height), { minLength: 1, maxLength: 5 }),
    }),
  );

/** The heights of a field, edited as a plain grid: what the spec holds the edits against. */
class Grid {
  readonly heights: Float32Array;
  constructor(
    readonly width: number,
    readonly height: number,
    readonly size: [number, number],
    seed: number,
  ) {
    const random = randomFrom(seed);
    this.heights = Float32Array.from({ length: width * height }, () => 20 * random() - 10);
  }

  set({ col, row, cols, heights }: Stroke): void {
    heights.forEach((value, k) => {
      this.heights[(row + Math.floor(k / cols)) * this.width + col + (k % cols)] = value;
    });
  }

  texture(): Texture {
    return fieldTexture(this.width, this.height, (i, j) => this.heights[j * this.width + i], this.size);
  }
}

const edit = (hf: Heightfield, { col, row, cols, rows, heights }: Stroke) =>
  hf.setHeights(col, row, cols, rows, heights);
const bitsOf = (floats: Float32Array) => [...new Uint32Array(floats.slice().buffer)];

/** The vertices of each drawn node, by its place in the quadtree. */
async function verticesOf(mesh: TerrainMesh): Promise<Map<string, Uint32Array>> {
  const { nodes, bits, nodeVerts } = await PoolReading.of(mesh);
  const words = nodeVerts ** 2 * VERTEX_WORDS;
  return new Map(
    nodes.map(({ level, ix, iz, slot, coarseMask }) => [
      `${level}/${ix}/${iz}/${coarseMask}`,
      bits.slice(slot * words, (slot + 1) * words),
    ]),
  );
}

/** Throws unless two meshes draw the same nodes with the same vertices, bit for bit. Their slots may differ. */
async function expectSameVertices(mesh: TerrainMesh, fresh: TerrainMesh): Promise<void> {
  const [got, wanted] = [await verticesOf(mesh), await verticesOf(fresh)];
  expect([...got.keys()].sort()).to.deep.equal([...wanted.keys()].sort());
  for (const [node, bits] of wanted) {
    const off = got.get(node)!.findIndex((word, at) => word !== bits[at]);
    if (off >= 0)
      expect.fail(`node ${node}: word ${off % VERTEX_WORDS} of vertex ${Math.floor(off / VERTEX_WORDS)}`);
  }
}

describe('terrainHeightfield', function () {
  this.timeout(60_000);

  describe('setHeights', () => {
    it('makes the field that the edited texture would open as, bit for bit', () => {
      fc.assert(
        fc.property(scene, ({ width, height, size, seed, strokes }) => {
          const grid = new Grid(width, height, size, seed);
          const hf = Heightfield.fromTexture(grid.texture());
          let { low, high } = hf.heightRange;
          for (const stroke of strokes) {
            edit(hf, stroke);
            grid.set(stroke);
            const fresh = Heightfield.fromTexture(grid.texture());
            expect(bitsOf(hf.cpu)).to.deep.equal(bitsOf(fresh.cpu));
            const rect = { minX: -size[0], minZ: -1, maxX: size[0] / 3, maxZ: size[1] };
            expect(hf.minMax(rect)).to.deep.equal(fresh.minMax(rect));
            // A range read off the pixels grows: it holds all that ever stood.
            low = Math.min(low, fresh.heightRange.low);
            high = Math.max(high, fresh.heightRange.high);
          }
          const range = strokes.reduce(
            (so, { heights }) => ({
              low: Math.min(so.low, ...heights.map(Math.fround)),
              high: Math.max(so.high, ...heights.map(Math.fround)),
            }),
            { low, high },
          );
          expect(hf.heightRange).to.deep.equal(range);
          expect([hf.gen, hf.edits]).to.deep.equal([1, strokes.length]);
        }),
        { numRuns: 150 },
      );
    });

    it('answers a rect outside which no height and no normal is another', () => {
      fc.assert(
        fc.property(scene, fc.nat(1e6), ({ width, height, size, seed, strokes: [stroke] }, at) => {
          const hf = Heightfield.fromTexture(new Grid(width, height, size, seed).texture());
          const random = randomFrom(at);
          const places = Array.from({ length: 300 }, () => [
            hf.minX + size[0] * (1.2 * random() - 0.1),
            hf.minZ + size[1] * (1.2 * random() - 0.1),
          ]);
          const ask = () => places.map(([x, z]) => [hf.heightAt(x, z), ...hf.normalAt(x, z)]);
          const before = ask();
          const { minX, minZ, maxX, maxZ } = edit(hf, stroke);
          expect(minX >= hf.minX && maxX <= hf.maxX && minZ >= hf.minZ && maxZ <= hf.maxZ).to.equal(true);
          const after = ask();
          places.forEach(([px, pz], k) => {
            const x = Math.min(Math.max(px, hf.minX), hf.maxX);
            const z = Math.min(Math.max(pz, hf.minZ), hf.maxZ);
            if (x < minX || x > maxX || z < minZ || z > maxZ) expect(after[k]).to.deep.equal(before[k]);
          });
        }),
        { numRuns: 100 },
      );
    });

    it('covers what it edits and leaves holes and carried gradients further off as they are', () => {
      const texture = Texture.create({
        width: 8,
        height: 8,
        format: 'rgba32f',
        data: (i, j) => [0, 7, -7, i === 4 && j === 4 ? 0 : 1],
      });
      const hf = Heightfield.fromTexture(texture, { size: [8, 8], nodata: 'hole' });
      hf.setHeights(4, 4, 1, 1, [5]);
      expect(hf.read(4, 4)).to.deep.equal([5, 0, 0, 1]);
      expect(hf.groundState(0.6, 0.6)).to.equal('hole');
      // West and east: the gradient along X reads the new height. North and south: the one along Z. No other does.
      expect(hf.read(3, 4)).to.deep.equal([0, 2.5, -7, 1]);
      expect(hf.read(5, 4)).to.deep.equal([0, -2.5, -7, 1]);
      expect(hf.read(4, 3)).to.deep.equal([0, 7, 2.5, 1]);
      expect(hf.read(4, 5)).to.deep.equal([0, 7, -2.5, 1]);
      expect(hf.read(3, 3)).to.deep.equal([0, 7, -7, 1]);
    });

    it('takes any list of numbers, also a view of its own pixels', () => {
      const hf = Heightfield.fromTexture(fieldTexture(4, 4, (i, j) => i + 10 * j, [4, 4]));
      hf.setHeights(1, 1, 2, 1, new Int8Array([-3, 4]));
      expect([hf.read(1, 1)[0], hf.read(2, 1)[0]]).to.deep.equal([-3, 4]);
      const own = hf.cpu.subarray(0, 16);
      const wanted = [...own];
      hf.setHeights(0, 0, 4, 4, own);
      expect([...hf.texelLattice([0, 1, 2, 3], [0, 1, 2, 3])]).to.deep.equal(wanted);
    });

    it('is dropped by refresh, and leaves a second heightfield on the texture alone', async () => {
      const texture = fieldTexture(9, 7, GROUNDS.hilly, [9, 7]);
      const [hf, other] = [Heightfield.fromTexture(texture), Heightfield.fromTexture(texture)];
      hf.setHeights(2, 2, 2, 2, [900, 900, 900, 900]);
      expect(bitsOf(other.cpu)).to.deep.equal(bitsOf(texture.data as Float32Array));
      expect(hf.heightRange.high).to.equal(900);
      await hf.refresh();
      expect(bitsOf(hf.cpu)).to.deep.equal(bitsOf(other.cpu));
      expect(hf.heightRange).to.deep.equal(other.heightRange);
      expect(hf.gen).to.equal(2);
    });

    it('refuses bad input by name, and changes nothing', () => {
      const hf = Heightfield.fromTexture(fieldTexture(6, 4, GROUNDS.hilly, [6, 4]), {
        heightRange: [-50, 50],
      });
      const free = Heightfield.fromTexture(fieldTexture(6, 4, GROUNDS.hilly, [6, 4]));
      const cases: [unknown[], RegExp, Heightfield?][] = [
        [[-1, 0, 1, 1, [0]], /setHeights: col must be an integer in 0\.\.5, got -1/],
        [[0, 4, 1, 1, [0]], /row must be an integer in 0\.\.3, got 4/],
        [[4, 0, 3, 1, [0, 0, 0]], /cols must be an integer in 1\.\.2, got 3/],
        [[0, 0, 1, 1.5, [0]], /rows must be an integer in 1\.\.4, got 1\.5/],
        [[0, 0, 2, 2, [1, 2, 3]], /heights must be a list of 4 heights \(2 × 2 texels\), got 3/],
        [[0, 0, 1, 1, 'x'], /heights must be a list of 1 heights/],
        [[0, 0, 1, 1, null], /heights must be a list of 1 heights/],
        [[1, 1, 2, 2, [1, 2, NaN, Infinity]], /got 2 that are not, the first for column 1, row 2 \(NaN\)/],
        [[0, 0, 2, 1, [1, '2']], /got 1 that is not, the first for column 1, row 0 \("2"\)/],
        [[0, 0, 1, 1, [1e39]], /finite number \(in single precision\)/],
        [
          [3, 1, 1, 2, [1, 50.5]],
          /heightRange \{ -50, 50 \} must hold every height, got 1 outside it, .* column 3, row 2/,
        ],
        [
          [0, 0, 2, 1, [3e38, -3e38]],
          /finite gradients, got neighbours too far apart at column 0, row 0/,
          free,
        ],
      ];
      let told = 0;
      for (const field of [hf, free]) field.onEdit({ edited: () => void told++ });
      for (const [given, message, field = hf] of cases) {
        const before = [bitsOf(field.cpu), field.heightRange, field.edits];
        expect(() => (field.setHeights as (...list: unknown[]) => unknown)(...given)).to.throw(message);
        expect([bitsOf(field.cpu), field.heightRange, field.edits]).to.deep.equal(before);
      }
      expect(told).to.equal(0);
      hf.close();
      expect(() => hf.setHeights(0, 0, 1, 1, [0])).to.throw(/setHeights: this heightfield is closed/);
    });

    it('tells every follower though one fails, and none that was taken off', () => {
      const hf = Heightfield.fromTexture(fieldTexture(4, 4, GROUNDS.flat, [4, 4]));
      const seen: FieldEdit[] = [];
      hf.onEdit({
        edited() {
          throw new Error('first');
        },
      });
      hf.onEdit({ edited: (change) => void seen.push(change) });
      hf.onEdit({ edited: () => expect.fail('taken off') })();
      expect(() => hf.setHeights(1, 0, 2, 1, [1, 2])).to.throw('first');
      expect(seen.map(({ area }) => area)).to.deep.equal([{ col: 1, row: 0, cols: 2, rows: 1 }]);
      expect(hf.read(2, 0)[0]).to.equal(2);
    });

    it('brings the bounds of the nodes along as if they were read again', () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 1, max: 150 }),
          fc.integer({ min: 1, max: 150 }),
          fc.constantFrom(0, 1, 2, 3, 5, 7),
          fc.tuple(
            fc.double({ min: -0.25, max: 0.4, noNaN: true }),
            fc.double({ min: 0.3, max: 1.5, noNaN: true }),
          ),
          fc.nat(2 ** 30),
          (width, height, maxLevel, [shift, part], seed) => {
            const random = randomFrom(seed);
            const cpu = Float32Array.from({ length: width * height * 4 }, () => random());
            const field = { width, height, minX: 0, minZ: 0, texelX: 1.3, texelZ: 0.9, cpu };
            const rect = { width: width * 1.3 * part, depth: height * 0.9 * part };
            const corner = { cornerX: shift * width, cornerZ: shift * height };
            const grid = { ...corner, ...rect, rootSize: Math.max(rect.width, rect.depth), maxLevel };
            const bounds = new NodeBounds(field, grid);
            for (let k = 0; k < 3; k++) {
              const [col, row] = [Math.floor(random() * width), Math.floor(random() * height)];
              const cols = 1 + Math.floor(random() * Math.min(20, width - col));
              const rows = 1 + Math.floor(random() * Math.min(20, height - row));
              for (let j = row; j < row + rows; j++)
                for (let i = col; i < col + cols; i++) cpu[(j * width + i) * 4] = 50 * random() - 25;
              bounds.update({ col, row, cols, rows });
            }
            const fresh = new NodeBounds(field, grid);
            const pair = new Float64Array(4);
            for (let level = 0; level <= maxLevel; level++) {
              for (let iz = 0; iz < Math.min(2 ** level, 24); iz++) {
                for (let ix = 0; ix < Math.min(2 ** level, 24); ix++) {
                  bounds.read(level, ix, iz, pair, 0);
                  fresh.read(level, ix, iz, pair, 2);
                  if (pair[0] !== pair[2] || pair[1] !== pair[3])
                    expect.fail(`${level} ${ix} ${iz}: ${pair}`);
                }
              }
            }
          },
        ),
        { numRuns: 60 },
      );
    });
  });

  describe('setHeights on the GPU', () => {
    const camera = { x: 12, y: 25, z: -8 };

    it('uploads what changed: the texels read back are the pixels', () =>
      freeing(async (gpu) => {
        for (const [width, height] of SIDES) {
          const hf = openField(gpu, fieldTexture(width, height, GROUNDS.hilly, [width, height]));
          for (const stroke of fc.sample(strokeOf(width, height), { numRuns: 12, seed: 7 })) edit(hf, stroke);
          const { texels } = FieldTexels.of(hf, 'spec');
          expect(bitsOf(await texels.read())).to.deep.equal(bitsOf(hf.cpu));
          hf.close();
        }
      }));

    for (const [nodeVerts, lodFactor] of [
      [3, 1],
      [5, 2],
      [9, 0.4],
    ])
      it(`has standing meshes draw what fresh ones do, ${nodeVerts} vertices a side, factor ${lodFactor}`, () =>
        freeing(async (gpu) => {
          const hf = openField(gpu, fieldTexture(60, 44, GROUNDS.hilly, [120, 88]));
          const options = { camera, nodeVerts, lodFactor, maxNodes: 200 };
          const inner = { ...options, rect: { size: [50, 31], origin: [17, -9] } as const };
          const wide = { ...options, rect: { size: [200, 200] } as const };
          const made = await Promise.all([options, inner, wide].map((of) => makeMesh(gpu, hf, of)));
          const away = await makeMesh(gpu, hf, options);
          away.mesh.updateCut({ x: -55, y: 20, z: 40 });
          for (const stroke of fc.sample(strokeOf(60, 44), { numRuns: 6, seed: nodeVerts })) {
            edit(hf, stroke);
            const fresh = openField(gpu, hf.toTexture());
            const others = await Promise.all([options, inner, wide].map((of) => makeMesh(gpu, fresh, of)));
            for (let k = 0; k < made.length; k++) {
              await expectSameVertices(made[k].mesh, others[k].mesh);
              expect(made[k].mesh.updateCut(camera)).to.include({ changed: false, remeshed: 0 });
            }
            for (const { mesh } of others) mesh.destroy();
            fresh.close();
          }
          // One that looked elsewhere meanwhile has not kept what its slots held.
          away.mesh.updateCut(camera);
          await expectSameVertices(away.mesh, made[0].mesh);
          for (const { mesh } of [...made, away]) mesh.destroy();
          hf.close();
        }));

    it('builds the nodes that overlap and no other, and dispatches once', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(128, 128, GROUNDS.hilly, [128, 128]), {
          heightRange: [-100, 100],
        });
        const { mesh, counter } = await makeMesh(gpu, hf, { camera, nodeVerts: 9, maxNodes: 300 });
        for (const [col, row, cols, rows] of [
          [64, 64, 1, 1],
          [0, 0, 3, 3],
          [100, 20, 7, 30],
          [127, 127, 1, 1],
          [0, 50, 128, 1],
        ]) {
          const before = await verticesOf(mesh);
          const heights = Array.from(
            { length: cols * rows },
            (_, k) => hf.read(col + (k % cols), row)[0] - 0.01,
          );
          const dispatched = counter.dispatches;
          hf.setHeights(col, row, cols, rows, heights);
          expect(counter.dispatches).to.equal(dispatched + 1);
          // A square grown by one texel, against the ground between the centres next to the edited ones.
          const overlaps = mesh
            .nodes()
            .filter(
              ({ x, z, size }) =>
                x - 1 <= hf.minX + col + cols + 0.5 &&
                x + size + 1 >= hf.minX + col - 0.5 &&
                z - 1 <= hf.minZ + row + rows + 0.5 &&
                z + size + 1 >= hf.minZ + row - 0.5,
            );
          expect(mesh.stats().remeshed).to.equal(overlaps.length);
          expect(overlaps.length).to.be.within(1, mesh.nodes().length / 2);
          const names = new Set(overlaps.map((n) => `${n.level}/${n.ix}/${n.iz}/${n.coarseMask}`));
          for (const [name, bits] of await verticesOf(mesh))
            if (!names.has(name)) expect(bits).to.deep.equal(before.get(name));
        }
        mesh.destroy();
        hf.close();
      }));

    it('is not forgotten by a node that comes back to the slot it had', () =>
      freeing(async (gpu) => {
        const hf = openField(
          gpu,
          fieldTexture(64, 64, (i, j) => GROUNDS.hilly(i, j) / 20, [64, 64]),
        );
        const options = { camera: { x: 1, y: 2, z: 1 }, nodeVerts: 5, maxNodes: 1000, lodFactor: 4 };
        const { mesh } = await makeMesh(gpu, hf, options);
        const slots = mesh.nodes().map(({ slot }) => slot);
        mesh.updateCut({ x: 0, y: 9000, z: 0 });
        expect(mesh.nodes().length).to.equal(1);
        const heights = Array.from(
          { length: 36 },
          (_, k) => hf.read(30 + (k % 6), 30 + Math.floor(k / 6))[0],
        );
        hf.setHeights(
          ...([30, 30, 6, 6] as const),
          heights.map((height) => height + 0.25),
        );
        mesh.updateCut(options.camera);
        expect(mesh.nodes().map(({ slot }) => slot)).to.deep.equal(slots);
        expect(mesh.stats().remeshed).to.be.below(slots.length); // some were skipped
        const fresh = await makeMesh(gpu, hf, options);
        await expectSameVertices(mesh, fresh.mesh);
        fresh.mesh.destroy();
        mesh.destroy();
        hf.setHeights(0, 0, 1, 1, [3]); // and no mesh that is gone is asked to follow
        hf.close();
      }));

    it('draws a peak far above the old range: bounds, cut and seams follow', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(64, 64, GROUNDS.hilly, [64, 64]));
        const high = { x: 5, y: 603, z: 5 };
        const { mesh, meshes } = await makeMesh(gpu, hf, { camera: high, nodeVerts: 5, maxNodes: 400 });
        expect(mesh.nodes().length).to.be.below(64);
        hf.setHeights(30, 30, 8, 8, new Float32Array(64).fill(600));
        expect(mesh.nodes().some(({ level }) => level === mesh.cut.maxLevel)).to.equal(true);
        expect(meshes.get(mesh.mesh)!.bounds!.max.y).to.equal(600);
        const reading = await PoolReading.of(mesh);
        expect(openEdges(reading, mesh.cut)).to.deep.equal([]);
        expect(sharedVertices(reading, mesh.cut).different).to.deep.equal([]);
        mesh.destroy();
        hf.close();
      }));

    it('follows a list that was built by hand, and an edit right after a refresh', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(40, 40, GROUNDS.hilly, [40, 40]));
        const { mesh } = await makeMesh(gpu, hf, { camera, nodeVerts: 5, maxNodes: 100 });
        const root = { ...mesh.nodes()[0], level: 0, ix: 0, iz: 0, size: 40, coarseMask: 0, slot: 3 };
        const list = [{ ...root, x: hf.minX, z: hf.minZ }];
        mesh.build(list);
        hf.setHeights(0, 0, 20, 20, new Float32Array(400).fill(9));
        expect(mesh.stats()).to.include({ nodes: 1, remeshed: 1 });
        mesh.updateCut(camera);
        await hf.refresh();
        hf.setHeights(5, 5, 20, 20, new Float32Array(400).fill(-9));
        const fresh = await makeMesh(gpu, hf, { camera, nodeVerts: 5, maxNodes: 100 });
        await expectSameVertices(mesh, fresh.mesh);
        mesh.destroy();
        fresh.mesh.destroy();
        hf.close();
      }));

    it('is seen by a mesh that is still being made, and refused to a keep that the cut is asking', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(40, 40, GROUNDS.flat, [40, 40]));
        const making = makeMesh(gpu, hf, { camera: { x: 0, y: 293, z: 0 }, nodeVerts: 5, maxNodes: 100 });
        hf.setHeights(10, 10, 20, 20, new Float32Array(400).fill(290));
        const { mesh } = await making;
        expect(mesh.nodes().some(({ level }) => level === mesh.cut.maxLevel)).to.equal(true);
        mesh.destroy();
        const edits = () => hf.setHeights(0, 0, 1, 1, [400]);
        let asked = 0;
        const other = await makeMesh(gpu, hf, {
          camera: { x: 0, y: 9000, z: 0 },
          nodeVerts: 5,
          keep: () => (asked++ > 0 ? (edits(), true) : true),
        });
        const before = bitsOf(hf.cpu);
        expect(() => other.mesh.updateCut({ x: 0, y: 293, z: 0 })).to.throw(/keep must not edit the ground/);
        expect(bitsOf(hf.cpu)).to.deep.equal(before);
        other.mesh.destroy();
        hf.close();
      }));
  });

  describe('toTexture', () => {
    it('is the edited texels with their size, on its own', () => {
      const hf = Heightfield.fromTexture(fieldTexture(5, 4, GROUNDS.hilly, [50, 20]));
      hf.setHeights(1, 1, 2, 2, [7, 8, 9, 10]);
      const texture = hf.toTexture();
      const kept = bitsOf(hf.cpu);
      expect([texture.width, texture.height, texture.format]).to.deep.equal([5, 4, 'rgba32f']);
      expect(texture.size).to.deep.equal([50, 20]);
      hf.setHeights(0, 0, 1, 1, [99]);
      expect(bitsOf(texture.data as Float32Array)).to.deep.equal(kept);
      const again = Heightfield.fromTexture(texture);
      expect(bitsOf(again.cpu)).to.deep.equal(kept);
      hf.close();
      expect(again.read(2, 2)[0]).to.equal(10);
      expect(() => hf.toTexture()).to.throw(/toTexture: this heightfield is closed/);
    });
  });
});
