import { expect } from 'chai';
import fc from 'fast-check';
import type { Gpu } from '../../runtime/gpu/gpu.js';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';
import { TerrainMesh, type Point, type TerrainMeshOptions } from '../../runtime/terrain/terrainMesh.js';
import { quadCell, terrainVertex } from '../../runtime/terrain/terrainVertex.js';
import { VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from '../support/fields.js';
import { freeing, sharedGpu } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';

const CAMERA = { x: 5, y: 30, z: -8 };

/** Runs `work` over a field and its mesh, and gives everything back. */
function withMesh(
  options: Partial<TerrainMeshOptions> & {
    ground?: keyof typeof GROUNDS;
    texels?: [number, number];
    holes?: Texture;
  },
  work: (it: { mesh: TerrainMesh; hf: Heightfield; texture: Texture; gpu: Gpu }) => Promise<void> | void,
): Promise<void> {
  const { ground = 'hilly', texels: [width, height] = [64, 64], holes, ...rest } = options;
  return freeing(async (gpu) => {
    const texture = fieldTexture(width, height, GROUNDS[ground], [width, height]);
    const hf = openField(gpu, texture, { holes });
    const { mesh, meshes } = await makeMesh(gpu, hf, {
      camera: CAMERA,
      nodeVerts: 9,
      maxNodes: 128,
      ...rest,
    });
    await work({ mesh, hf, texture, gpu });
    mesh.destroy();
    expect(meshes.count).to.equal(0);
    hf.close();
  });
}

/** Each vertex drawn against its CPU twin: how many that have not moved are the same to the bit, and the worst distance in metres. */
function againstTwin(mesh: TerrainMesh, hf: Heightfield, camera: Point, reading: PoolReading) {
  const { cut, tables, nodeVerts } = mesh;
  const local = { x: camera.x - cut.cornerX, y: camera.y, z: camera.z - cut.cornerZ };
  const input = { hf, cut, tables, camera: local, lodFactor: cut.lodFactor };
  let [exact, unmoved, worst] = [0, 0, 0];
  for (const node of reading.nodes) {
    for (let j = 0; j < nodeVerts; j++) {
      for (let i = 0; i < nodeVerts; i++) {
        const twin = terrainVertex(input, node, i, j);
        const drawn = reading.position(node.slot, i, j);
        const off = [drawn[0] - twin.x, drawn[1] - twin.y, drawn[2] - twin.z];
        worst = Math.max(worst, ...off.map(Math.abs));
        if (twin.moved) continue;
        unmoved++;
        exact += off.every((distance) => distance === 0) ? 1 : 0;
      }
    }
  }
  return { exact, unmoved, worst };
}

async function refusal(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
}

describe('terrainMesh', () => {
  describe('updateCut', () => {
    it('re-meshes nothing from the same viewpoint', () =>
      withMesh({}, ({ mesh }) => {
        expect(mesh.updateCut(CAMERA)).to.include({ changed: false, remeshed: 0 });
        mesh.updateCut({ x: -20, y: 9, z: 20 });
        expect(mesh.updateCut({ x: -20, y: 9, z: 20 })).to.include({ changed: false, remeshed: 0 });
      }));

    it('re-meshes the nodes that a moved camera can morph, and only those', () =>
      withMesh({ camera: { ...CAMERA, y: 5 }, lodFactor: 3, maxNodes: 1000 }, async ({ mesh }) => {
        const before = await PoolReading.of(mesh);
        const near = { ...CAMERA, y: 5.001 };
        const { remeshed, nodes } = mesh.updateCut(near);
        expect(remeshed).to.be.greaterThan(0);
        expect(remeshed).to.be.lessThan(nodes);
        // A fresh mesh from the same place has the same bits: what was left out would not have changed.
        const after = await PoolReading.of(mesh);
        expect(after.nodes).to.deep.equal(before.nodes);
        mesh.build(mesh.nodes());
        const whole = await PoolReading.of(mesh);
        for (const { slot } of after.nodes) {
          for (let j = 0; j < 9; j++) {
            for (let i = 0; i < 9; i++) expect(after.key(slot, i, j)).to.equal(whole.key(slot, i, j));
          }
        }
      }));

    for (const [nodeVerts, lodFactor] of [
      [9, 1.3],
      [9, 3],
      [3, 0.4],
    ])
      it(`leaves the pool as a whole build would on any walk, with ${nodeVerts} a side at factor ${lodFactor}`, () =>
        withMesh({ nodeVerts, lodFactor, minNodeSize: 2, maxNodes: 500 }, async ({ mesh }) => {
          const random = randomFrom(nodeVerts + 10 * lodFactor);
          let left = 0;
          const camera = { ...CAMERA };
          for (let step = 0; step < 24; step++) {
            const reach = step % 3 === 0 ? 80 : 12;
            camera.x = Math.max(-40, Math.min(40, camera.x + reach * (random() - 0.5)));
            camera.y = 4 + 20 * random();
            camera.z = Math.max(-40, Math.min(40, camera.z + reach * (random() - 0.5)));
            const { nodes, remeshed } = mesh.updateCut(camera);
            left += nodes - remeshed;
            const kept = await PoolReading.of(mesh);
            mesh.build(mesh.nodes());
            const whole = await PoolReading.of(mesh);
            const words = nodeVerts ** 2 * VERTEX_WORDS;
            for (const { slot } of kept.nodes) {
              const part = ({ words: all }: PoolReading) => all.subarray(slot * words, (slot + 1) * words);
              expect(
                Buffer.compare(
                  Buffer.from(part(kept).slice().buffer),
                  Buffer.from(part(whole).slice().buffer),
                ),
              ).to.equal(0);
            }
          }
          if (lodFactor === 3) expect(left).to.be.above(0);
        }));

    it('builds by hand what stands still on a stitched edge, as its CPU twin does', () =>
      withMesh({ camera: { x: 0, y: 9, z: 0 }, lodFactor: 6, maxNodes: 1000 }, async ({ mesh, hf }) => {
        const nodes = mesh.nodes().filter(({ level }) => level > 0);
        mesh.build(nodes.map((node) => ({ ...node, coarseMask: 15 })));
        const reading = await PoolReading.of(mesh);
        reading.nodes.forEach((node) => (node.coarseMask = 15));
        const { worst } = againstTwin(mesh, hf, { x: 0, y: 9, z: 0 }, reading);
        expect(worst).to.be.below(1e-3);
      }));

    it('re-meshes every node after a refresh, and says that the run changed', () =>
      withMesh({}, async ({ mesh, hf, texture }) => {
        texture.update({ data: Array.from({ length: 64 * 64 }, () => [99, 0, 0, 1]).flat() });
        await hf.refresh();
        expect(hf.gen).to.equal(2);
        const { changed, remeshed, nodes } = mesh.updateCut(CAMERA);
        expect({ changed, remeshed }).to.deep.equal({ changed: true, remeshed: nodes });
        const { words } = await PoolReading.of(mesh);
        expect(words[1]).to.equal(99);
        expect(mesh.updateCut(CAMERA)).to.include({ changed: false, remeshed: 0 });
      }));

    it('builds by hand from a mask that was read again, before any update', () =>
      withMesh(
        { holes: Texture.create({ width: 1, height: 1, format: 'r8', data: [255] }) },
        async ({ mesh, hf }) => {
          await hf.refresh(); // frees the buffer of the mask that the kernels were bound to
          mesh.build(mesh.nodes());
          expect(mesh.updateCut(CAMERA).remeshed).to.equal(0);
        },
      ));

    it('re-meshes exactly the nodes that an invalidated rect meets, grown by a texel', () =>
      withMesh({}, ({ mesh, hf }) => {
        // Crossing nodes, and half a texel past a border of the finest on either side.
        const rects = [
          { minX: 3.25, minZ: -6, maxX: 3.5, maxZ: -1 },
          { minX: 8.5, minZ: -3, maxX: 8.75, maxZ: -2 },
          { minX: 7.25, minZ: -3, maxX: 7.5, maxZ: -2 },
          { minX: 2, minZ: -7.5, maxX: 3, maxZ: -7.25 },
          { minX: 2, minZ: -8.75, maxX: 3, maxZ: -8.5 },
        ];
        for (const rect of rects) {
          const meets = mesh
            .nodes()
            .filter(
              ({ x, z, size }) =>
                x - hf.texelX <= rect.maxX &&
                x + size + hf.texelX >= rect.minX &&
                z - hf.texelZ <= rect.maxZ &&
                z + size + hf.texelZ >= rect.minZ,
            ).length;
          expect(meets).to.be.greaterThan(0);
          expect(mesh.invalidate(rect)).to.equal(meets);
          expect(mesh.updateCut(CAMERA)).to.deep.include({ changed: false, remeshed: meets });
        }
        expect(mesh.invalidate({ minX: 500, minZ: 500, maxX: 501, maxZ: 501 })).to.equal(0);
        expect(mesh.updateCut(CAMERA)).to.include({ remeshed: 0 });
      }));

    it('keeps the slot and the guid of what stays', () =>
      withMesh({}, ({ mesh }) => {
        const guid = mesh.mesh;
        const before = new Map(
          mesh.nodes().map((node) => [`${node.level},${node.ix},${node.iz}`, node.slot]),
        );
        expect(mesh.updateCut({ x: 15, y: 12, z: 3 }).changed).to.equal(true);
        let stayed = 0;
        for (const node of mesh.nodes()) {
          const slot = before.get(`${node.level},${node.ix},${node.iz}`);
          if (slot === undefined) continue;
          stayed++;
          expect(node.slot).to.equal(slot);
        }
        expect(stayed).to.be.greaterThan(10);
        expect(mesh.mesh).to.equal(guid);
      }));
  });

  describe('vertices', () => {
    const fields: [number, number][] = [
      [1, 1],
      [1, 64],
      [2, 2],
      [33, 33],
      [34, 34],
      [257, 3],
      [800, 600],
    ];
    for (const [width, height] of fields) {
      for (const origin of [
        [0, 0],
        [1e5, -1e5],
      ] as const) {
        it(`are the CPU twin's on ${width} × ${height} texels at ${origin.join(', ')}`, () =>
          freeing(async (gpu) => {
            const texture = fieldTexture(width, height, GROUNDS.hilly, [width * 2, height * 3]);
            const hf = openField(gpu, texture, { origin });
            const camera = { x: origin[0] + 2, y: 25, z: origin[1] - 3 };
            const { mesh } = await makeMesh(gpu, hf, { camera, nodeVerts: 17, maxNodes: 96 });
            const reading = await PoolReading.of(mesh);
            const { exact, unmoved, worst } = againstTwin(mesh, hf, camera, reading);
            expect(unmoved).to.be.greaterThan(0);
            expect(exact).to.equal(unmoved);
            // A morph's distance is rounded otherwise by a contracted multiply-add: 1e-5 of a 40 m relief, and the
            // ulp of a coordinate (2^-7 m at 1e5 m).
            expect(worst).to.be.lessThan(origin[0] === 0 ? 1e-3 : 0.02);
            mesh.destroy();
            hf.close();
          }));
      }
    }

    it("are the CPU twin's in a rect of the mesh's own: on centres, between them, in one cell, past the field", () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(33, 20, GROUNDS.hilly, [66, 60]));
        const rects = [
          [20.3, 17.1, 1.3, -0.9],
          [16, 12, 1, 1.5],
          [0.7, 0.9, 3.2, 4.1],
          [400, 300, 20, 10],
        ];
        const camera = { x: 2, y: 25, z: -3 };
        for (const [width, depth, x, z] of rects) {
          const { mesh } = await makeMesh(gpu, hf, {
            camera,
            nodeVerts: 9,
            maxNodes: 96,
            rect: { size: [width, depth], origin: [x, z] },
          });
          const { worst } = againstTwin(mesh, hf, camera, await PoolReading.of(mesh));
          expect(worst, `${width} × ${depth} at ${x}, ${z}`).to.be.lessThan(1e-3);
          mesh.destroy();
        }
        hf.close();
      }));

    for (const nodeVerts of [3, 17]) {
      it(`have the same bits from both epilogues, ${nodeVerts}² a node, neighbours in the pool untouched`, () =>
        freeing(async (gpu) => {
          const hf = openField(gpu, fieldTexture(40, 24, GROUNDS.hilly, [40, 24]));
          const readings: PoolReading[] = [];
          const camera = { x: 1, y: 9, z: 2 };
          for (const epilogue of ['direct', 'staged'] as const) {
            const rect = { size: [31.3, 22.9] as const, origin: [0.7, 0.1] as const };
            const { mesh } = await makeMesh(gpu, hf, { camera, nodeVerts, maxNodes: 40, rect, epilogue });
            readings.push(await PoolReading.of(mesh));
            // Some nodes again: their first and last words share vectors with nodes that stay as they are.
            expect(mesh.invalidate({ minX: 0, minZ: 0, maxX: 0.1, maxZ: 0.1 })).to.be.greaterThan(0);
            expect(mesh.updateCut(camera).remeshed).to.be.within(1, readings[0].nodes.length - 1);
            readings.push(await PoolReading.of(mesh));
            mesh.destroy();
          }
          expect(readings[0].nodes.length).to.be.greaterThan(3);
          for (const reading of readings.slice(1)) expect(reading.bits).to.deep.equal(readings[0].bits);
          hf.close();
        }));
    }

    it('carry unit normals of the texels, uv0 over the rect and uv1 in metres', () =>
      withMesh({}, async ({ mesh, hf }) => {
        const { words, nodes, ...reading } = await PoolReading.of(mesh);
        void reading;
        for (let at = 0; at < nodes.length * 81 * 23; at += 23) {
          const [x, , z, nx, ny, nz, tx, ty, tz, tw, u, v, wx, wz] = words.subarray(at, at + 14);
          expect(Math.hypot(nx, ny, nz)).to.be.closeTo(1, 1e-5);
          expect(nx * tx + ny * ty + nz * tz).to.be.closeTo(0, 1e-5);
          expect(tw).to.equal(1);
          expect([wx, wz]).to.deep.equal([x, z]);
          expect(u).to.be.closeTo((x - hf.minX) / hf.size.width, 1e-5);
          expect(v).to.be.closeTo((z - hf.minZ) / hf.size.depth, 1e-5);
        }
      }));

    it('visit every stop of the lattice at the finest level', () =>
      withMesh({ texels: [8, 8], nodeVerts: 5, lodFactor: 1000 }, async ({ mesh }) => {
        const xs = new Set<number>();
        const reading = await PoolReading.of(mesh);
        for (const { slot } of reading.nodes)
          for (let i = 0; i < 5; i++) xs.add(reading.position(slot, i, 0)[0]);
        expect([...xs].sort((a, b) => a - b)).to.deep.equal([
          -4, -3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4,
        ]);
      }));
  });

  describe('holes', () => {
    const maskOf = (width: number, height: number, cut: (i: number, j: number) => boolean) =>
      Texture.create({ width, height, format: 'r8', data: (i, j) => [cut(i, j) ? 0 : 255] });

    it('are cut by the quad at every level, by the one rule in whole numbers', async () => {
      await fc.assert(
        fc.asyncProperty(fc.nat(999), fc.double({ min: 1, max: 4, noNaN: true }), (seed, lodFactor) =>
          withMesh(
            { holes: maskOf(64, 64, (i, j) => ((i * 7 + j * 13 + seed) ^ (i * j)) % 5 === 0), lodFactor },
            async ({ mesh, hf }) => {
              const reading = await PoolReading.of(mesh);
              const { cut, tables } = mesh;
              reading.nodes.forEach((node, entry) => {
                for (let j = 0; j < 8; j++) {
                  for (let i = 0; i < 8; i++) {
                    const at = ((entry * 8 + j) * 8 + i) * 6;
                    const drawn = new Set(reading.indices.subarray(at, at + 6)).size > 1;
                    expect(drawn).to.equal(hf.cellHasGround(...quadCell({ hf, cut, tables }, node, i, j)));
                  }
                }
              });
            },
          ),
        ),
        { numRuns: 6 },
      );
    });

    it('end where hasGroundAt says, at the finest level', () =>
      withMesh(
        {
          texels: [12, 9],
          nodeVerts: 5,
          lodFactor: 1000,
          maxNodes: 400,
          holes: maskOf(12, 9, (i, j) => (i + j) % 3 === 0),
        },
        async ({ mesh, hf }) => {
          const reading = await PoolReading.of(mesh);
          let asked = 0;
          reading.nodes.forEach(({ slot, level }, entry) => {
            if (level < mesh.cut.maxLevel) return;
            for (let quad = 0; quad < 16; quad++) {
              const [i, j] = [quad % 4, quad >> 2];
              const a = reading.position(slot, i, j);
              const b = reading.position(slot, i + 1, j + 1);
              if (a[0] === b[0] || a[2] === b[2]) continue;
              const at = (entry * 16 + quad) * 6;
              const drawn = new Set(reading.indices.subarray(at, at + 6)).size > 1;
              expect(drawn).to.equal(hf.hasGroundAt((a[0] + b[0]) / 2, (a[2] + b[2]) / 2));
              asked++;
            }
          });
          expect(asked).to.be.greaterThan(100);
        },
      ));

    it('move with a mask that is read again under a standing terrain', async () => {
      const holes = maskOf(64, 64, (i) => i === 20);
      await withMesh({ holes }, async ({ mesh, hf }) => {
        const degenerate = async () => {
          const { indices } = await PoolReading.of(mesh);
          return indices.filter((index, at) => at % 6 === 0 && index === indices[at + 1]).length;
        };
        const before = await degenerate();
        expect(before).to.be.greaterThan(0);
        holes.update({ data: new Array(64 * 64).fill(255) });
        await hf.refresh();
        expect(mesh.updateCut(CAMERA).changed).to.equal(true);
        expect(await degenerate()).to.equal(0);
      });
    });
  });

  describe('bad input', () => {
    it('is refused by name, value and rule, and leaves nothing made', async () => {
      const gpu = await sharedGpu();
      const hf = openField(gpu, fieldTexture(16, 16, GROUNDS.flat, [16, 16]));
      const before = gpu.bytes;
      const make = (options: Partial<TerrainMeshOptions>) =>
        refusal(() => makeMesh(gpu, hf, { camera: CAMERA, ...options }));
      expect(await make({ maxNodes: 3 })).to.equal(
        'terrainMesh.create: maxNodes must be an integer in 4..4096, got 3',
      );
      expect(await make({ nodeVerts: 32 })).to.match(
        /nodeVerts must be one of 3, 5, 9, 17, 33, 65, 129, got 32/,
      );
      expect(await make({ camera: { x: NaN, y: 0, z: 0 } })).to.match(
        /camera.x must be a finite number, got NaN/,
      );
      expect(await make({ rootSize: 0.1, maxNodes: 64 })).to.match(
        /rootSize 0.1 makes 25600 root squares .* pool of 64/,
      );
      expect(await make({ lodFactor: 0 })).to.match(/lodFactor must be .* above 0, at most 1000, got 0/);
      expect(await make({ rect: { size: [4, 4], origin: [99, 0] } })).to.match(
        /rect must be one that overlaps/,
      );
      expect(await make({ rect: { size: [0, 4] } })).to.match(/rect.size\[1\] must be .* above 0, got 0/);
      expect(await make({ keep: () => 'yes' as never })).to.match(/^terrainMesh.create: keep.*boolean/);
      expect(
        await make({
          keep: () => {
            throw new Error('no idea');
          },
        }),
      ).to.match(/keep.*no idea/);
      expect(gpu.bytes).to.equal(before);
      hf.close();
    });

    it('a pool past the adapter is refused by its parts', async () => {
      const gpu = await sharedGpu();
      const hf = openField(gpu, fieldTexture(16, 16, GROUNDS.flat, [16, 16]));
      expect(
        await refusal(() => makeMesh(gpu, hf, { camera: CAMERA, maxNodes: 4096, nodeVerts: 129 })),
      ).to.match(
        /terrainMesh.create: the pool of maxNodes 4096 × nodeVerts 129² vertices takes 6270861312 bytes.* at most \d+/,
      );
      hf.close();
    });

    it('a node off the grid is refused, naming the node and the grid', () =>
      withMesh({}, async ({ mesh }) => {
        const [node] = mesh.nodes();
        const build = (change: object) => refusal(() => mesh.build([{ ...node, ...change }]));
        expect(await build({ x: node.x + 0.5 })).to.match(
          /node 1 of the list \(level \d+, ix \d+, .*\) does not stand on the cut's grid: \d+ × \d+ nodes of [\d.]+ m from -32, -32/,
        );
        expect(await build({ ix: 1e6 })).to.match(/does not stand on the cut's grid/);
        expect(await build({ level: 99 })).to.match(
          /node 1 of the list: level must be an integer in 0\.\.\d+, got 99/,
        );
        expect(await build({ slot: 128 })).to.match(
          /node 1 of the list: slot must be an integer in 0\.\.127, got 128/,
        );
        expect(await refusal(() => mesh.build([node, node]))).to.match(
          /node 2 of the list: slot must be a slot that no other node has/,
        );
        expect(mesh.updateCut(CAMERA)).to.include({ changed: false, remeshed: 0 });
      }));

    it('a closed heightfield and a destroyed mesh say so', () =>
      withMesh({}, async ({ mesh, hf }) => {
        hf.close();
        expect(await refusal(() => mesh.updateCut(CAMERA))).to.match(
          /terrainMesh.updateCut: this heightfield is closed/,
        );
        mesh.destroy();
        expect(await refusal(() => mesh.updateCut(CAMERA))).to.match(/this terrain mesh is destroyed/);
      }));

    it('a keep that fails later leaves the last cut standing', async () => {
      let fail = false;
      const keep = () => {
        if (fail) throw new Error('late');
        return true;
      };
      await withMesh({ keep }, async ({ mesh }) => {
        const nodes = mesh.nodes();
        fail = true;
        expect(await refusal(() => mesh.updateCut({ x: 20, y: 3, z: 20 }))).to.match(/keep.*late/);
        expect(mesh.nodes()).to.deep.equal(nodes);
      });
    });
  });
});
