import { expect } from 'chai';
import fc from 'fast-check';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import type { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { freeing } from '../support/gpu.js';
import { openEdges, sharedVertices } from '../support/seams.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';
import { bitsOf, edit, SIDES, strokeOf } from '../support/strokes.js';

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
});
