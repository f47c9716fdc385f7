// Buffers on a restorable device: whatever was written in whatever pieces is there on the next device, byte for byte.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Host } from '../../runtime/host/host.js';
import { createNodeHost } from '../../runtime/host/node.js';
import { Gpu } from '../../runtime/gpu/gpu.js';
import { GpuBuffer } from '../../runtime/gpu/gpuBuffer.js';
import { SOFTWARE } from '../support/gpu.js';

const WORDS = 256;

describe('a restorable device', function () {
  this.timeout(60_000);
  let host: Host;
  let gpu: Gpu;

  before(async () => {
    host = createNodeHost({ project: '.' });
    gpu = await Gpu.open(await host.requestAdapter({ software: SOFTWARE }), { restorable: true });
  });
  after(async () => {
    await gpu.destroy();
    host.close();
  });

  /** Takes the device away and opens another. */
  async function lose(): Promise<void> {
    const lost = new Promise((resolve) => gpu.onLost(resolve));
    gpu.device.destroy();
    await lost;
    await gpu.reopen(await host.requestAdapter({ software: SOFTWARE }));
  }

  it('has what random writes left in its buffers, also out of one array that is written over', async () => {
    const write = fc.record({
      first: fc.integer({ min: 0, max: WORDS - 1 }),
      words: fc.array(fc.integer({ min: 1, max: 2 ** 31 }), { minLength: 1, maxLength: 40 }),
      own: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 200 }), async (writes) => {
        const shared = new Uint32Array(WORDS);
        const expected = new Uint32Array(WORDS);
        const buffer = GpuBuffer.create(gpu, { size: WORDS * 4 });
        for (const { first, words, own } of writes) {
          const fitting = words.slice(0, WORDS - first);
          expected.set(fitting, first);
          // The array that holds all of it, as a heightfield does its texels, or one that comes and goes.
          shared.set(expected);
          const data = own ? Uint32Array.from(fitting) : shared.subarray(first, first + fitting.length);
          buffer.write({ first, data });
        }
        await lose();
        expect(await buffer.read({ type: 'u32' })).to.deep.equal(expected);
        buffer.destroy();
      }),
      { numRuns: 8 },
    );
  });

  it('makes again what is still of use, tells its followers, and has no complaint of what is gone', async () => {
    let restored = 0;
    const off = gpu.onRestore(() => restored++);
    const { device } = gpu;
    const gone = gpu.createBuffer('gone', 64, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST);
    const code =
      '@group(0) @binding(0) var<storage, read_write> a: array<u32>; @compute @workgroup_size(1) fn f() { a[0] += 7u; }';
    const module = gpu.shader('f', code);
    const pipeline = await gpu.computePipeline('f', { layout: 'auto', compute: { module, entryPoint: 'f' } });
    const bind = (buffer: GPUBuffer) =>
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [{ binding: 0, resource: { buffer } }],
      });
    const buffer = GpuBuffer.create(gpu, { data: Uint32Array.of(1, 2) });
    const [group, old] = [bind(buffer.buffer), bind(gone)];
    gpu.free(gone);
    await lose();
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    await gpu.settle();
    expect([...(await buffer.read({ type: 'u32' }))]).to.deep.equal([8, 2]);
    expect(restored).to.equal(1);
    // Held until here: it stood on what is gone, and was left alone.
    expect(old instanceof GPUBindGroup).to.equal(true);
    off();
    buffer.destroy();
  });

  it('is refused where the device was not opened so', async () => {
    const plain = await Gpu.open(await host.requestAdapter({ software: SOFTWARE }));
    const again = plain.reopen(await host.requestAdapter({ software: SOFTWARE }));
    expect(await again.catch((error: Error) => error.message)).to.match(/was not opened to be restored/);
    await plain.destroy();
  });
});
