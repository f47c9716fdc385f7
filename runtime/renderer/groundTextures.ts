// The textures that bare ground is drawn with: made once from the recipes of groundRecipes.ts, when the first ground without layers is
// drawn: by the kernels ground_relief and ground_maps, for a software adapter by their twin. Owned by the forward pass.
import mapsSource from '../../shaders/ground_maps.wgsl';
import reliefSource from '../../shaders/ground_relief.wgsl';
import planSource from '../../shaders/include/ground_relief.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { layoutOf, listLayoutOf } from '../gpu/layouts.js';
import { StructView } from '../gpu/structView.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { levelCount } from '../texture/mipChain.js';
import { sliceLevels, type SliceLevel } from './groundReliefTwin.js';
import {
  sliceOf,
  SLICES,
  SQUARE,
  type SliceName,
  type ReliefSlice,
  type ReliefStep,
} from './groundRecipes.js';

/** Texels a side: a power of two. A CPU adapter makes and reads fewer. */
const TEXELS = { hardware: 512, software: 64 };

/** Invocations a workgroup along X and Y. */
const SIDE = 8;
/** Cells narrower than this many texels are left out: they would be noise of the grid, not of the ground. */
const LEAST_CELL = 2.2;
/** As STEP_… in shaders/include/ground_relief.wgsl. */
const KINDS: readonly ReliefStep['kind'][] = ['noise', 'stones', 'pebbles', 'cracks', 'waves'];

/** Two arrays of SLICES with all mip levels: colour and height, slopes and roughness and occlusion. `destroy` frees them. */
export class GroundTextures {
  private readonly filled = new Set<SliceName>();

  private constructor(
    private readonly gpu: Gpu,
    readonly side: number,
    readonly colors: GPUTexture,
    readonly matters: GPUTexture,
  ) {}

  /**
   * Compiles what makes them, once a device, and resolves to it. What draws with textures that it answers may be submitted at once.
   * @param side texels, a power of two from 16 on; `by` says on what they are made
   */
  static async maker(
    gpu: Gpu,
    side = gpu.software ? TEXELS.software : TEXELS.hardware,
    by: 'kernels' | 'twin' = gpu.software ? 'twin' : 'kernels',
  ): Promise<() => GroundTextures> {
    const kernels = by === 'kernels' ? await kernelsOf(gpu) : null;
    return () => GroundTextures.make(gpu, side, kernels);
  }

  /** What kernels made is made again on another device. */
  private forgetRestore: (() => void) | null = null;

  private static make(gpu: Gpu, side: number, kernels: Kernels | null): GroundTextures {
    const { TEXTURE_BINDING, STORAGE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
    const texture = (label: string) =>
      gpu.createTexture(
        {
          label,
          size: [side, side, slices().length],
          mipLevelCount: levelCount(side, side),
          format: 'rgba8unorm',
          usage: TEXTURE_BINDING | COPY_SRC | (kernels ? STORAGE_BINDING : COPY_DST),
        },
        4,
      );
    const made = new GroundTextures(gpu, side, texture('ground colours'), texture('ground matter'));
    if (kernels) {
      made.encode(kernels);
      made.forgetRestore = gpu.onRestore(() => made.encode(kernels));
      Object.keys(SLICES).forEach((name) => made.filled.add(name as SliceName));
    }
    return made;
  }

  destroy(): void {
    this.forgetRestore?.();
    this.gpu.free(this.colors);
    this.gpu.free(this.matters);
  }

  /** Sees that slices are there: the twin makes each when it is first asked for, the kernels have made all. */
  fill(names: Iterable<SliceName>): void {
    for (const name of names) {
      if (this.filled.has(name)) continue;
      this.filled.add(name);
      levelsOf(name, this.side).forEach((level, mipLevel) => this.upload(sliceOf(name), mipLevel, level));
    }
  }

  private upload(z: number, mipLevel: number, { side, color, matter }: SliceLevel): void {
    for (const [texture, data] of [
      [this.colors, color],
      [this.matters, matter],
    ] as const)
      this.gpu.device.queue.writeTexture(
        { texture, mipLevel, origin: [0, 0, z] },
        data,
        { bytesPerRow: side * 4 },
        [side, side],
      );
  }

  private encode({ relief, maps, layouts }: Kernels): void {
    const { gpu, side, colors, matters } = this;
    const { device } = gpu;
    const steps = stepsFor(side);
    const plan = new UniformBlock(gpu, 'ground relief', planSource, 'ReliefPlan');
    plan.write({ side, count: slices().length, slices: slicesFor(steps) });
    const { STORAGE, UNIFORM } = GPUBufferUsage;
    const stepBuffer = gpu.createBufferWith('ground relief steps', layOut(steps.flat()), UNIFORM);
    const heights = gpu.createBuffer('ground relief', slices().length * side ** 2 * 16, STORAGE);
    const group = (label: string, layout: GPUBindGroupLayout, resources: (GPUBuffer | GPUTextureView)[]) =>
      device.createBindGroup({
        label,
        layout,
        entries: resources.map((resource, binding) => ({
          binding,
          resource: resource instanceof GPUBuffer ? { buffer: resource } : resource,
        })),
      });
    const encoder = device.createCommandEncoder({ label: 'ground textures' });
    const pass = encoder.beginComputePass({ label: 'ground textures' });
    const dispatch = (size: number) => {
      const groups = Math.ceil(size / SIDE);
      pass.dispatchWorkgroups(groups, groups, slices().length);
    };
    pass.setPipeline(relief);
    pass.setBindGroup(0, group('ground_relief', layouts.relief, [plan.buffer, stepBuffer, heights]));
    dispatch(side);
    pass.setPipeline(maps);
    pass.setBindGroup(0, group('ground_maps', layouts.plan, [plan.buffer, heights]));
    for (let level = 0; level < colors.mipLevelCount; level++) {
      // The finest has no finer one: it binds the next, which it does not read.
      const finer = level === 0 ? 1 : level - 1;
      const view = (texture: GPUTexture, baseMipLevel: number) =>
        texture.createView({ dimension: '2d-array', baseMipLevel, mipLevelCount: 1 });
      const own = [view(colors, finer), view(matters, finer), view(colors, level), view(matters, level)];
      pass.setBindGroup(1, group('ground_maps level', layouts.level, own));
      dispatch(side >> level);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    plan.destroy();
    for (const buffer of [stepBuffer, heights]) gpu.free(buffer);
  }
}

const slices = (): readonly ReliefSlice[] => Object.values(SLICES);

/** The steps of each slice that a square of `side` texels can show. */
const stepsFor = (side: number): readonly ReliefStep[][] =>
  slices().map(({ steps }) => steps.filter(({ cells }) => Math.max(cells[0], cells[1]) * LEAST_CELL <= side));

const twins = new Map<string, readonly SliceLevel[]>();

/** What the twin makes of a slice, kept: ground comes and goes. */
function levelsOf(name: SliceName, side: number): readonly SliceLevel[] {
  const key = `${name} ${side}`;
  let made = twins.get(key);
  if (!made) {
    const steps = stepsFor(side);
    const first = steps.slice(0, sliceOf(name)).reduce((sum, { length }) => sum + length, 0);
    twins.set(key, (made = sliceLevels(SLICES[name], steps[sliceOf(name)], first, side)));
  }
  return made;
}

function slicesFor(steps: readonly (readonly ReliefStep[])[]): object[] {
  let first = 0;
  return slices().map(({ relief, roughness, tint, hollow }, i) => {
    const slice = {
      steps: [first, steps[i].length],
      steepness: (0.5 * relief) / SQUARE,
      roughness,
      tint,
      hollow,
    };
    first += steps[i].length;
    return slice;
  });
}

/** Steps as the kernel reads them. */
function layOut(steps: readonly ReliefStep[]): Uint8Array<ArrayBuffer> {
  const { count, stride } = listLayoutOf(reliefSource, 'steps');
  if (steps.length > count)
    throw new MoonscapeError(`ground relief: at most ${count} steps, got ${steps.length}`);
  const bytes = new Uint8Array(count * stride);
  const view = new StructView(layoutOf(planSource, 'ReliefStep'));
  steps.forEach((step, i) => {
    const { kind, cells, range, height = 0, tone = 0, hue = 0, keep, ...given } = step;
    const [across, along, shear = 0] = cells;
    view.clear();
    view.set({
      follow: 1,
      ...given,
      kind: KINDS.indexOf(kind),
      cells: [across, along, shear, i + 1],
      amount: [height, tone, hue],
      range: range ?? [0, 0],
      keep: keep ? 1 : 0,
    });
    bytes.set(new Uint8Array(view.arrayBuffer), i * stride);
  });
  return bytes;
}

interface Kernels {
  relief: GPUComputePipeline;
  maps: GPUComputePipeline;
  layouts: Record<'relief' | 'plan' | 'level', GPUBindGroupLayout>;
}

const compiled = new WeakMap<Gpu, Promise<Kernels>>();

function kernelsOf(gpu: Gpu): Promise<Kernels> {
  const known = compiled.get(gpu);
  if (known) return known;
  const made = compile(gpu);
  compiled.set(gpu, made);
  made.catch(() => compiled.delete(gpu));
  return made;
}

async function compile(gpu: Gpu): Promise<Kernels> {
  const { device } = gpu;
  const layout = (label: string, entries: Omit<GPUBindGroupLayoutEntry, 'binding' | 'visibility'>[]) =>
    device.createBindGroupLayout({
      label,
      entries: entries.map((entry, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, ...entry })),
    });
  const uniform = { buffer: { type: 'uniform' } } as const;
  const read = { buffer: { type: 'read-only-storage' } } as const;
  const array = { texture: { viewDimension: '2d-array' } } as const;
  const target = {
    storageTexture: { access: 'write-only', format: 'rgba8unorm', viewDimension: '2d-array' },
  } as const;
  const layouts = {
    relief: layout('ground_relief', [uniform, uniform, { buffer: { type: 'storage' } }]),
    plan: layout('ground_maps', [uniform, read]),
    level: layout('ground_maps level', [array, array, target, target]),
  };
  const kernel = (entryPoint: 'ground_relief' | 'ground_maps', code: string, own: GPUBindGroupLayout[]) =>
    gpu.computePipeline(entryPoint, {
      layout: device.createPipelineLayout({ label: entryPoint, bindGroupLayouts: own }),
      compute: { module: gpu.shader(`shaders/${entryPoint}.wgsl`, code), entryPoint, constants: { SIDE } },
    });
  const [relief, maps] = await Promise.all([
    kernel('ground_relief', reliefSource, [layouts.relief]),
    kernel('ground_maps', mapsSource, [layouts.plan, layouts.level]),
  ]);
  return { relief, maps, layouts };
}
