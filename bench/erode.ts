// What terrain.erode costs: steps × texels a second of the kernels and of their CPU twin, and the kernels against a plain copy
// of the state's bytes, read and written once a step, in the same run, in rounds that take turns.
// `node --import ./scripts/register.mjs bench/erode.ts`
import { pathToFileURL } from 'node:url';
import { Gpu } from '../runtime/gpu/gpu.js';
import { PassTimer } from '../runtime/gpu/passTimer.js';
import { createNodeHost } from '../runtime/host/node.js';
import { ErodeKernels, MOST_BATCH } from '../runtime/terrain/erodeKernels.js';
import { firstState, planErosion } from '../runtime/terrain/erosion.js';
import { ErosionTwin } from '../runtime/terrain/erosionTwin.js';
import { noise } from '../runtime/terrain/noise.js';
import copySource from './copy.wgsl';
import { median, type Row } from './measurement.js';

const STEPS = 200;
/** Times a plain copy of the state, on a GPU. */
const MOST_RATIO = 4;
const ROUNDS = 7;

/** A run of `steps` copies to and fro between two buffers of `texels` states, in one pass a MOST_BATCH. */
async function makeCopy(gpu: Gpu, side: number) {
  const { STORAGE } = GPUBufferUsage;
  const states = [0, 1].map(() => gpu.createBuffer('copied state', side * side * 16, STORAGE));
  const pipeline = await gpu.computePipeline('copy_state', {
    layout: 'auto',
    compute: {
      module: gpu.shader('copy.wgsl', copySource),
      entryPoint: 'copy_state',
      constants: { WIDTH: side },
    },
  });
  const groups = [0, 1].map((from) =>
    gpu.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: [states[from], states[1 - from]].map((buffer, binding) => ({ binding, resource: { buffer } })),
    }),
  );
  const start = (count: number) => {
    const encoder = gpu.device.createCommandEncoder();
    const pass = encoder.beginComputePass({ timestampWrites: gpu.timer?.writes('copy') });
    pass.setPipeline(pipeline);
    for (let k = 0; k < count; k++) {
      pass.setBindGroup(0, groups[k % 2]);
      pass.dispatchWorkgroups(Math.ceil(side / 32), Math.ceil(side / 4));
    }
    pass.end();
    gpu.device.queue.submit([encoder.finish()]);
  };
  return { start, free: () => states.forEach((buffer) => gpu.free(buffer)) };
}

/** GPU ms of `start` over `steps` steps, by timestamps. */
async function timed(timer: PassTimer, steps: number, start: (count: number) => void): Promise<number> {
  for (let done = 0; done < steps; done += MOST_BATCH) start(Math.min(MOST_BATCH, steps - done));
  return (await timer.read()).reduce((sum, { ns }) => sum + ns, 0) / 1e6;
}

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter());
  const [side, steps, rounds] = gpu.software ? [256, 16, 3] : [1024, STEPS, ROUNDS];
  const ground = noise({
    width: side,
    height: side,
    size: [side * 20, side * 20],
    amplitude: 900,
    octaves: 8,
  });
  const { erosion } = planErosion('bench/erode', ground, { iterations: steps });
  const { state } = firstState(ground, erosion.rain);
  const timer = (gpu.timer = new PassTimer(gpu));
  const copy = await makeCopy(gpu, side);
  const [eroding, copying] = [[] as number[], [] as number[]];
  for (let round = 0; round <= rounds; round++) {
    const kernels = await ErodeKernels.create(gpu, erosion, state);
    const eroded = await timed(timer, steps, (count) => kernels.run(count, steps));
    const copied = await timed(timer, steps, copy.start);
    kernels.destroy();
    // The first round warms up.
    if (round === 0) continue;
    eroding.push(eroded);
    copying.push(copied);
  }
  gpu.timer = null;
  timer.destroy();
  copy.free();
  const twin = new ErosionTwin(erosion, state);
  const twinSteps = Math.ceil(2 ** 21 / (side * side));
  twin.run(twinSteps, 8 * twinSteps);
  const began = performance.now();
  twin.run(twinSteps, 8 * twinSteps);
  const twinMs = performance.now() - began;
  const rate = (ms: number, count: number) => ((side * side * count) / ms / 1e3).toPrecision(3);
  const [erodeMs, copyMs] = [median(eroding), median(copying)];
  const ratio = erodeMs / copyMs;
  const name = gpu.info.description || gpu.info.architecture || gpu.info.vendor;
  const none = { bound: '', ok: true };
  const rows: Row[] = [
    {
      name: `erosion of ${side}² texels, ${steps} steps, on ${name}, against a plain copy of the state`,
      value: `${ratio.toFixed(2)} copies (${erodeMs.toFixed(2)} ms, ${copyMs.toFixed(2)} ms)`,
      bound: gpu.software ? '' : `at most ${MOST_RATIO}`,
      ok: gpu.software || ratio <= MOST_RATIO,
    },
    { name: 'texel steps a second, kernels', value: `${rate(erodeMs, steps)} million`, ...none },
    { name: 'texel steps a second, CPU twin', value: `${rate(twinMs, twinSteps)} million`, ...none },
  ];
  await gpu.destroy();
  host.close();
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
