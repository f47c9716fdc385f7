import { expect } from 'chai';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createNodeHost } from '../../runtime/host/node.js';
import { Runtime } from '../../runtime/runtime.js';
import { FieldTexels } from '../../runtime/terrain/fieldTexels.js';
import { TerrainMesh } from '../../runtime/terrain/terrainMesh.js';
import { Texture } from '../../runtime/texture/texture.js';
import { SOFTWARE, cleanly, freeing } from '../support/gpu.js';
import { fieldTexture, GROUNDS, makeMesh, openField } from '../support/terrain.js';

/**
 * Bytes that heap and buffers may grow by over a thousand rounds, once what is garbage is gone: less than a thousand of
 * the smallest thing that could be kept (a closure, a listener), and more than what a JIT and its caches add.
 */
const HEAP_SLACK = 500_000;
/** The same for the process, where the device frees late and allocators keep: under half of what the rounds allocate. */
const PROCESS_SLACK = 64 * 2 ** 20;

/** Memory once garbage is collected. Wrappers of GPU objects are let go of in later turns, so it is collected a few times. */
async function settled(): Promise<{ heap: number; process: number }> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, process: rss };
}

describe('memory', function () {
  this.timeout(120_000);

  it('of a heightfield is 16 bytes a texel on the CPU and on the GPU, and at most 4 for a mask', () =>
    freeing((gpu) => {
      for (const [width, height] of [
        [1, 1],
        [257, 3],
        [200, 100],
      ]) {
        const texels = width * height;
        const texture = fieldTexture(width, height, GROUNDS.hilly, [width, height]);
        const before = gpu.bytes;
        const plain = openField(gpu, texture);
        expect(plain.cpu.byteLength).to.equal(16 * texels);
        expect(FieldTexels.of(plain, 'spec').texels.buffer.size).to.equal(16 * texels);
        // Without a mask a single word stands in for it.
        expect(gpu.bytes - before).to.equal(16 * texels + 4);
        plain.close();
        expect(gpu.bytes).to.equal(before);

        const holes = Texture.create({ width, height, format: 'r8', data: (i, j) => [(i + j) % 2] });
        const masked = openField(gpu, texture, { holes });
        expect(masked.mask!.data.byteLength).to.be.at.most(4 * texels);
        expect(gpu.bytes - before - 16 * texels, 'mask on the GPU').to.be.within(1, 4 * texels);
        masked.close();
        expect(gpu.bytes).to.equal(before);
      }
    }));

  for (const [kind, every] of [
    ['before any frame', Infinity],
    ['with a mesh now and then', 20],
  ] as const)
    it(`does not grow over 1,000 times open and close, ${kind}`, () =>
      cleanly(async (gpu) => {
        const texture = fieldTexture(96, 96, GROUNDS.hilly, [96, 96]);
        const holes = Texture.create({ width: 96, height: 96, format: 'r8', data: (i, j) => [(i * j) % 7] });
        const start = gpu.bytes;
        const round = async (count: number) => {
          const hf = openField(gpu, texture, count % 3 === 0 ? { holes } : {});
          if (count % every === 0) {
            const camera = { x: count % 40, y: 20, z: 0 };
            const { mesh, meshes } = await makeMesh(gpu, hf, { camera, nodeVerts: 9, maxNodes: 64 });
            mesh.updateCut({ ...camera, x: -30 });
            if (count % 40 === 0) await hf.refresh();
            mesh.destroy();
            expect(meshes.count).to.equal(0);
          }
          hf.close();
          if (gpu.bytes !== start) expect.fail(`${gpu.bytes - start} GPU bytes stayed after round ${count}`);
        };
        // The first rounds fill caches: compiled code, the device's own pools.
        for (let count = 1; count <= 500; count++) await round(count);
        const before = await settled();
        for (let count = 1; count <= 1000; count++) await round(count);
        const after = await settled();
        expect(after.heap - before.heap, 'bytes of heap and buffers').to.be.below(HEAP_SLACK);
        expect(after.process - before.process, 'bytes of the process').to.be.below(PROCESS_SLACK);
      }));

  it('does not grow over 1,000 frames of a moving camera', async () => {
    const host = createNodeHost({ project: '.' });
    const runtime = await Runtime.create({ host, software: SOFTWARE, width: 16, height: 9 });
    try {
      const { gpu, renderer, world, terrains } = runtime;
      const hf = openField(gpu, fieldTexture(64, 64, GROUNDS.hilly, [640, 640]));
      const mesh = await TerrainMesh.create({ gpu, renderer, terrains }, hf, {
        camera: { x: 0, y: 40, z: 0 },
        nodeVerts: 5,
        maxNodes: 100,
      });
      const land = world.createEntity('land');
      world.addComponent(land, 'Model', { mesh: mesh.mesh });
      runtime.bindings.bind(land.id, hf, mesh);
      let frame = 0;
      let [remeshed, changes] = [0, 0];
      runtime.onUpdate(() => {
        const turn = frame++ / 40;
        const eye = world.mainCamera;
        eye.position = [300 * Math.sin(turn), 40 + 20 * Math.sin(turn * 3.1), 300 * Math.sin(turn * 1.7)];
        eye.lookAt([0, 0, 0]);
        const update = runtime.bindings.follow(land.id, eye.worldPosition);
        remeshed += update.remeshed;
        if (update.changed) changes++;
      });
      // Of four thousand frames the first thousand leaves half a megabyte of code and caches, the last gives some back.
      for (let i = 0; i < 700; i++) await runtime.frame(1 / 60);
      const bytes = gpu.bytes;
      const before = await settled();
      for (let i = 0; i < 1000; i++) {
        await runtime.frame(1 / 60);
        if (gpu.bytes !== bytes) expect.fail(`${gpu.bytes - bytes} GPU bytes more after frame ${i}`);
      }
      const after = await settled();
      expect(changes).to.be.greaterThan(200);
      expect(remeshed).to.be.greaterThan(1000);
      expect(after.heap - before.heap, 'bytes of heap and buffers').to.be.below(HEAP_SLACK);
      expect(after.process - before.process, 'bytes of the process').to.be.below(PROCESS_SLACK);
    } finally {
      await runtime.destroy();
    }
    expect(runtime.gpu.bytes, 'GPU bytes of a destroyed runtime').to.equal(0);
  });
});
