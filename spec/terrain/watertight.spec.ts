import { expect } from 'chai';
import fc from 'fast-check';
import type { TerrainMeshOptions } from '../../runtime/terrain/terrainMesh.js';
import { freeing } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';
import { drawnTriangles, openEdges, sharedVertices } from '../support/seams.js';

/** Everything that a random cut is made of. */
const scene = fc.record({
  texels: fc.constantFrom<[number, number]>([1, 1], [2, 2], [33, 33], [34, 34], [48, 20], [64, 64], [40, 97]),
  texelX: fc.constantFrom(1, 0.37, 30),
  aspect: fc.constantFrom(1, 1, 1.7),
  ground: fc.constantFrom('flat', 'hilly', 'stepped' as const),
  origin: fc.constantFrom<[number, number]>([0, 0], [1e5, -1e5], [13.7, 4]),
  nodeVerts: fc.constantFrom(3, 5, 9, 17),
  maxNodes: fc.integer({ min: 4, max: 160 }),
  lodFactor: fc.double({ min: 0.5, max: 4, noNaN: true }),
  /** The camera in rect sides from the rect's corner; outside and far off too. */
  at: fc.tuple(fc.double({ min: -1, max: 2, noNaN: true }), fc.double({ min: -1, max: 2, noNaN: true })),
  up: fc.double({ min: 0, max: 1.5, noNaN: true }),
  keepSeed: fc.option(fc.nat(1000)),
  inset: fc.boolean(),
});

/** Drops about a third of the nodes, by their place. */
const dropSome = (seed: number): TerrainMeshOptions['keep'] => {
  return ({ level, ix, iz }) => ((ix * 73856093) ^ (iz * 19349663) ^ (level * 83492791) ^ seed) % 3 !== 0;
};

describe('terrainMesh', () => {
  describe('seams', () => {
    it('draws every edge inside the drawn ground exactly twice, for random cuts', async function () {
      this.timeout(120_000);
      await fc.assert(
        fc.asyncProperty(scene, async (s) => {
          await freeing(async (gpu) => {
            const [width, height] = s.texels;
            const size: [number, number] = [width * s.texelX, height * s.texelX * s.aspect];
            const hf = openField(gpu, fieldTexture(width, height, GROUNDS[s.ground], size), {
              origin: s.origin,
            });
            const camera = {
              x: hf.minX + s.at[0] * size[0],
              y: hf.heightRange.high + s.up * size[0],
              z: hf.minZ + s.at[1] * size[1],
            };
            const { mesh, meshes } = await makeMesh(gpu, hf, {
              camera,
              maxNodes: s.maxNodes,
              nodeVerts: s.nodeVerts,
              lodFactor: s.lodFactor,
              keep: s.keepSeed === null ? undefined : dropSome(s.keepSeed),
              rect: s.inset ? { size: [size[0] * 0.61, size[1] * 0.83], origin: s.origin } : undefined,
            });
            const reading = await PoolReading.of(mesh);
            expect(openEdges(reading, mesh.cut), 'edges used once inside the drawn ground').to.deep.equal([]);
            expect(sharedVertices(reading, mesh.cut).different).to.deep.equal([]);
            mesh.destroy();
            meshes.destroyAll();
            hf.close();
          });
        }),
        { numRuns: 80 },
      );
    });

    it('compares shared vertices by the thousand and finds their bits equal', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(96, 96, GROUNDS.stepped, [96, 96]));
        const { mesh } = await makeMesh(gpu, hf, {
          camera: { x: 9, y: 1010, z: -14 },
          nodeVerts: 9,
          lodFactor: 3,
        });
        const { compared, different } = sharedVertices(await PoolReading.of(mesh), mesh.cut);
        expect(compared).to.be.greaterThan(500);
        expect(different).to.deep.equal([]);
        mesh.destroy();
        hf.close();
      }));

    it('puts the odd vertices of a stitched edge on the even one before', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(96, 96, GROUNDS.hilly, [96, 96]));
        const { mesh } = await makeMesh(gpu, hf, {
          camera: { x: 9, y: 30, z: -14 },
          nodeVerts: 9,
          lodFactor: 1.5,
        });
        const reading = await PoolReading.of(mesh);
        let odd = 0;
        for (const { slot, coarseMask } of reading.nodes) {
          for (let k = 1; k < 8; k += 2) {
            const sides = [
              [0, k, 0, k - 1],
              [8, k, 8, k - 1],
              [k, 0, k - 1, 0],
              [k, 8, k - 1, 8],
            ];
            sides.forEach(([i, j, beforeI, beforeJ], side) => {
              if ((coarseMask & (1 << side)) === 0) return;
              odd++;
              expect(reading.key(slot, i, j)).to.equal(reading.key(slot, beforeI, beforeJ));
            });
          }
        }
        expect(odd).to.be.greaterThan(50);
        mesh.destroy();
        hf.close();
      }));

    it('leaves no hole and no overlap: the drawn triangles cover the rect once, seen from above', () =>
      freeing(async (gpu) => {
        for (const [width, height] of [
          [1, 1],
          [1, 64],
          [2, 2],
          [33, 33],
          [34, 34],
          [257, 3],
        ] as const) {
          const hf = openField(gpu, fieldTexture(width, height, GROUNDS.hilly, [width, height * 2]));
          const { mesh } = await makeMesh(gpu, hf, {
            camera: { x: 0.3, y: 4, z: 0.2 },
            nodeVerts: 9,
            maxNodes: 200,
          });
          let area = 0;
          let folded = 0;
          for (const [a, b, c] of drawnTriangles(await PoolReading.of(mesh))) {
            const half = ((b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2])) / 2;
            area += half;
            // Four corners that share a stop begin to morph one by one, so a sliver may turn over on its way.
            if (half < 0) folded -= half;
          }
          expect(area / (width * height * 2)).to.be.closeTo(1, 1e-5);
          expect(folded / (width * height * 2)).to.be.lessThan(0.001);
          mesh.destroy();
          hf.close();
        }
      }));
  });
});
