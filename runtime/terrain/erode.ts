// Ground worn by rain, rivers and slides: what the verb terrain.erode runs. erosion.ts says what the numbers of a run are,
// erodeKernels.ts runs its steps on the GPU, erosionTwin.ts the same on the CPU.
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { ErodeKernels, MOST_BATCH } from './erodeKernels.js';
import { firstState, planErosion, type ErodeOptions } from './erosion.js';
import { ErosionTwin, type ErosionState } from './erosionTwin.js';
import { makeGround, type Ground } from './ground.js';
import { computedOrigin } from './report.js';

export type { ErodeOptions } from './erosion.js';

/** What an erosion leaves. All grounds have the rect and the texels of the one it began with. */
export interface Eroded {
  ground: Ground;
  /** Heights are square metres: how much ground's rain runs by, on average over the last steps. */
  flow: Ground;
  /** Heights are metres: how deep sediment and scree lie on what was ground before, at least 0. */
  sediment: Ground;
  /** Cubic metres that water still carried at the end, and that ran off the rim. The ground has lost as much. */
  suspended: number;
  carriedOff: number;
}

/** Texel steps between two looks at the clock of everything else: milliseconds of a GPU, some tens of a CPU. */
const BATCH_TEXELS = { gpu: 2 ** 27, cpu: 2 ** 18 };

export interface ErodeWork {
  /** Asked between batches of steps: true ends the work with an error. */
  stopped?: () => boolean;
  /** What runs the steps. Default: the kernels, but their CPU twin where a CPU drives the adapter, which is faster there. */
  by?: 'gpu' | 'cpu';
}

/**
 * Erodes `ground` and leaves it as it was. Texels without data stay; water runs off around them. The same ground, options and
 * adapter give the same bits. Refuses before it begins: options out of range, texels that the adapter cannot hold.
 */
export async function erode(
  gpu: Gpu,
  ground: Ground,
  options: ErodeOptions = {},
  { stopped = () => false, by = gpu.software ? 'cpu' : 'gpu' }: ErodeWork = {},
): Promise<Eroded> {
  const where = 'terrain.erode';
  const { erosion, steps, progress } = planErosion(where, ground, options);
  ErodeKernels.checkSize(gpu, where, ground.width, ground.height);
  const { state, base } = firstState(ground, erosion.rain);
  const run = by === 'gpu' ? await ErodeKernels.create(gpu, erosion, state) : new ErosionTwin(erosion, state);
  const rest = by === 'gpu' ? () => gpu.settle() : () => new Promise((go) => setTimeout(go));
  try {
    const most = Math.floor(BATCH_TEXELS[by] / (ground.width * ground.height));
    const batch = Math.max(1, Math.min(MOST_BATCH, most));
    for (let done = 0; done < steps;) {
      const count = Math.min(batch, steps - done);
      run.run(count, steps);
      await rest();
      done += count;
      if (stopped())
        throw new MoonscapeError(`${where}: the scene was closed after ${done} of ${steps} steps`);
      await progress?.(done, steps);
    }
    return erodedOf(where, ground, base, await run.read());
  } finally {
    if (run instanceof ErodeKernels) run.destroy();
  }
}

/** The grounds of a finished state. */
function erodedOf(where: string, before: Ground, base: number, { state, flow, gone }: ErosionState): Eroded {
  const { width, height, size, coverage } = before;
  const texelArea = (size.width / width) * (size.depth / height);
  const origin = computedOrigin('erode', [before]);
  const raster = (heightOf: (i: number) => number): Ground => {
    const heights = new Float32Array(width * height);
    for (let i = 0; i < heights.length; i++) heights[i] = heightOf(i);
    return makeGround(where, { width, height, size, heights, coverage }, origin);
  };
  const hasData = (i: number) => coverage === null || coverage[i] === 1;
  let [suspended, carriedOff] = [0, 0];
  for (let i = 0; i < gone.length; i++) {
    suspended += state[i * 4 + 2];
    carriedOff += gone[i];
  }
  return {
    ground: raster((i) => (hasData(i) ? base + state[i * 4] : before.heights[i])),
    flow: raster((i) => flow[i] * texelArea),
    sediment: raster((i) => Math.max(0, state[i * 4 + 3])),
    suspended: suspended * texelArea,
    carriedOff: carriedOff * texelArea,
  };
}
