import { expect } from 'chai';
import fc from 'fast-check';
import { createNodeHost } from '../../runtime/host/node.js';
import { Gpu } from '../../runtime/gpu/gpu.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { terrainVertex } from '../../runtime/terrain/terrainVertex.js';
import type { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { Texture } from '../../runtime/texture/texture.js';
import { World } from '../../runtime/world/world.js';
import {
  fieldFacts,
  randomFrom,
  randomTexture,
  slopeAround,
  TEXELS,
  type FieldFacts,
} from '../support/fields.js';
import { SOFTWARE, freeing } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField, PoolReading } from '../support/terrain.js';

/** The drawn surface may differ from the one that heightAt answers by this many units in the last place of f32 … */
const ULPS = 4;
/** … of the largest coordinate, times 1 + slope, the steepest around: a vertex that is off by a unit moves creases, and heights by the slope's part of it. */
const ulp32 = (extent: number) => 2 ** (Math.floor(Math.log2(extent)) - 23);
const POINTS_A_TRIANGLE = 3;

type Place = readonly [number, number, number];

/** Heights at random points of what is drawn, against heightAt; answers how many points were compared. */
async function compareSurface(hf: Heightfield, mesh: TerrainMesh, camera: Place, seed: number) {
  const { cut, tables, nodeVerts } = mesh;
  const reading = await PoolReading.of(mesh);
  const local = { x: camera[0] - cut.cornerX, y: camera[1], z: camera[2] - cut.cornerZ };
  const input = { hf, cut, tables, camera: local, lodFactor: cut.lodFactor };
  const { minX, maxX, minZ, maxZ } = hf;
  const random = randomFrom(seed);
  const side = nodeVerts - 1;
  let [points, holes] = [0, 0];
  reading.nodes.forEach((node, entry) => {
    const spacing = node.size / side;
    if (spacing > Math.min(hf.texelX, hf.texelZ) / 2 + 1e-9 * node.size) return;
    // A corner is unmoved where it stands on its own stop: the CPU twin knows which those are, and the GPU must agree.
    const unmoved = Array.from({ length: nodeVerts ** 2 }, (_, k) => {
      const [i, j] = [k % nodeVerts, Math.floor(k / nodeVerts)];
      const twin = terrainVertex(input, node, i, j);
      if (twin.moved) return false;
      expect(reading.position(node.slot, i, j)).to.deep.equal([twin.x, twin.y, twin.z]);
      return true;
    });
    for (let quad = 0; quad < side ** 2; quad++) {
      const [i, j] = [quad % side, Math.floor(quad / side)];
      const first = j * nodeVerts + i;
      if (![0, 1, nodeVerts, nodeVerts + 1].every((step) => unmoved[first + step])) continue;
      for (let t = 0; t < 2; t++) {
        const at = (entry * side ** 2 + quad) * 6 + t * 3;
        const [a, b, c] = [0, 1, 2].map((corner): Place => {
          const word = reading.indices[at + corner] * 23;
          return [reading.words[word], reading.words[word + 1], reading.words[word + 2]];
        });
        const area = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]);
        if (area === 0) {
          if (reading.indices[at] === reading.indices[at + 1]) holes++;
          continue;
        }
        for (let n = 0; n < POINTS_A_TRIANGLE; n++) {
          let [u, v] = [random(), random()];
          if (u + v > 1) [u, v] = [1 - u, 1 - v];
          const place = (axis: 0 | 1 | 2) => a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]);
          const [x, drawn, z] = [place(0), place(1), place(2)];
          const largest = Math.max(...[minX, maxX, minZ, maxZ, drawn].map(Math.abs));
          const allowed = ULPS * ulp32(largest) * (1 + slopeAround(hf, x, z));
          const off = Math.abs(hf.heightAt(x, z) - drawn);
          if (off > allowed)
            expect.fail(
              `level ${node.level}, quad ${i}, ${j}: drawn ${drawn} at ${x}, ${z}, heightAt ${hf.heightAt(x, z)}; ` +
                `${off} apart, ${allowed} allowed`,
            );
          points++;
        }
      }
    }
  });
  return { points, holes };
}

describe('terrainMesh', () => {
  describe('surface', function () {
    this.timeout(120_000);

    /** A field's near part at the finest level, compared with heightAt. */
    const compare = (facts: FieldFacts, at: [number, number], withHoles: boolean) =>
      freeing(async (gpu) => {
        const { texels, texel, origin, seed } = facts;
        const size: [number, number] = [texels[0] * texel[0], texels[1] * texel[1]];
        const random = randomFrom(seed);
        const mask = withHoles
          ? Texture.create({
              width: texels[0],
              height: texels[1],
              format: 'r8',
              data: () => [random() < 0.3 ? 0 : 1],
            })
          : undefined;
        const hf = openField(gpu, randomTexture(...texels, seed), { size, origin, holes: mask });
        const camera: Place = [hf.minX + at[0] * size[0], 0, hf.minZ + at[1] * size[1]];
        const { mesh } = await makeMesh(gpu, hf, {
          camera: { x: camera[0], y: camera[1], z: camera[2] },
          nodeVerts: 9,
          maxNodes: 160,
          lodFactor: 3,
        });
        const compared = await compareSurface(hf, mesh, camera, seed);
        mesh.destroy();
        hf.close();
        return compared;
      });

    it('drawn at half a texel and not morphing is the one that heightAt answers, on any field', async () => {
      const share = fc.double({ min: -0.1, max: 1.1, noNaN: true });
      let [points, holes] = [0, 0];
      await fc.assert(
        fc.asyncProperty(fieldFacts, fc.tuple(share, share), fc.boolean(), async (facts, at, withHoles) => {
          const compared = await compare(facts, at, withHoles);
          points += compared.points;
          holes += compared.holes;
        }),
        { numRuns: 120 },
      );
      expect(points).to.be.greaterThan(10_000);
      expect(holes).to.be.greaterThan(50);
    });

    for (const texels of TEXELS)
      it(`is that one on ${texels.join(' × ')} texels, square and oblong, near and 1e5 m away`, async () => {
        for (const [texel, origin] of [
          [
            [1, 1],
            [0, 0],
          ],
          [
            [1, 1],
            [1e5, -1e5],
          ],
          [
            [30.1, 0.7],
            [1e5, 1e5],
          ],
          [
            [0.5, 7.3],
            [-3.21, 17],
          ],
        ] as [[number, number], [number, number]][]) {
          const facts = { texels, texel, origin, seed: 7 };
          const { points } = await compare(facts, [0.4, 0.6], false);
          // Oblong texels may leave the finest level out of the pool's reach: a long thin field of them has many nodes.
          if (texel[0] === texel[1]) expect(points).to.be.greaterThan(0);
        }
      });
  });

  describe('followed by a camera that turns', () => {
    it('re-meshes nothing, however it turns on the spot', () =>
      freeing(async (gpu) => {
        const hf = openField(gpu, fieldTexture(64, 64, GROUNDS.hilly, [64, 64]));
        const world = new World();
        const eye = world.mainCamera;
        eye.position = [5, 9, -8];
        const { mesh, counter } = await makeMesh(gpu, hf, {
          camera: eye.worldPosition,
          nodeVerts: 9,
          maxNodes: 128,
        });
        const dispatches = counter.dispatches;
        for (let turn = 0; turn < 360; turn += 7) {
          eye.rotation = [(turn * 3) % 90, turn, (turn * 5) % 20];
          expect(mesh.updateCut(eye.worldPosition)).to.include({ changed: false, remeshed: 0 });
        }
        // Under a parent that turns it moves, and that is another matter.
        expect(counter.dispatches).to.equal(dispatches);
        const arm = world.createEntity('arm');
        eye.parent = arm;
        expect(mesh.updateCut(eye.worldPosition)).to.include({ remeshed: 0 });
        arm.rotation = [0, 90, 0];
        expect(mesh.updateCut(eye.worldPosition).remeshed).to.be.greaterThan(0);
        mesh.destroy();
        hf.close();
      }));
  });
});

describe('terrainHeightfield on a device of small limits', () => {
  it('opens a field exactly at the limit and refuses one row more by name, leaving nothing', async function () {
    this.timeout(60_000);
    const host = createNodeHost({ project: '.' });
    const asked = 2 ** 20;
    const gpu = await Gpu.open(await host.requestAdapter({ software: SOFTWARE }), {
      limits: { maxBufferSize: asked, maxStorageBufferBindingSize: asked },
    });
    try {
      // WebGPU raises a request below its defaults to them: what the device says is what holds.
      const limit = Math.min(gpu.limits.maxBufferSize, gpu.limits.maxStorageBufferBindingSize);
      expect(limit).to.be.within(asked, 2 ** 28);
      const width = 4096;
      const rows = limit / 16 / width;
      expect(rows).to.satisfy(Number.isInteger);
      const fieldOf = (height: number) =>
        Heightfield.fromTexture(
          Texture.create({ width, height, format: 'rgba32f', data: new Float32Array(width * height * 4) }),
          { size: [width, height] },
        );
      const before = gpu.bytes;
      const full = fieldOf(rows);
      FieldTexels.attach(gpu, full);
      expect(FieldTexels.of(full, 'spec').texels.buffer.size).to.equal(limit);
      await gpu.settle();
      full.close();
      expect(gpu.bytes).to.equal(before);

      const past = fieldOf(rows + 1);
      expect(() => FieldTexels.attach(gpu, past)).to.throw(
        `terrainHeightfield.open: a heightfield of ${width} × ${rows + 1} texels, 16 bytes each, takes ` +
          `${limit + width * 16} bytes, and a buffer of this adapter holds at most ${limit}`,
      );
      expect(gpu.bytes).to.equal(before);
      expect(() => FieldTexels.of(past, 'spec')).to.throw('made without a GPU');
      past.close();
      await gpu.settle();
    } finally {
      await gpu.destroy();
      host.close();
    }
  });
});
