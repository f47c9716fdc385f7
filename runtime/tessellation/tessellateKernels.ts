// The tessellation kernel: its pipelines, and how a bake is dispatched. Buffers of a source and of heights are made here and
// freed by whoever asked (tessellationSystem.ts keeps them as long as somebody is tessellated with them).
import paramsSource from '../../shaders/include/tessellate_params.wgsl';
import meshSource from '../../shaders/tessellate.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { GpuBuffer } from '../gpu/gpuBuffer.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { VERTEX_BYTES } from '../renderer/vertex.js';
import { latticeOf, microOf, slopeSteps, stepsOf, type BakeJob, type HeightMap } from './bakeJob.js';
import type { SourceMesh } from './sourceMesh.js';

/** Invocations a workgroup; 64 vertices are a whole number of vectors. */
const WORKGROUP = 64;
/** Of a group that no neighbour asks anything of. */
const NONE = 0xffffffff;

/** How vertices are written: scattered by each thread, or staged in workgroup memory and stored coalesced. The bits are the same. */
export type Epilogue = 'direct' | 'staged';

/** A source's arrays on the GPU, bound; `destroy` frees them. */
export interface SourceBuffers {
  readonly group: GPUBindGroup;
  destroy(): void;
}

/** What a bake makes. Whoever asked destroys it. */
export interface BakedBuffers {
  vertexBuffer: GpuBuffer;
  indexBuffer: GpuBuffer;
  /** Indices in use; the buffers hold a multiple of four vertices and of four indices. */
  indexCount: number;
}

/** A bake that is asked for. */
export interface BakeRequest {
  job: BakeJob;
  source: SourceBuffers;
  heights: GPUTexture | null;
  into?: BakedBuffers | null;
}

const fours = (count: number) => Math.max(4, Math.ceil(count / 4) * 4);

function sizesOf({ source, level }: BakeJob) {
  const indexCount = source.patchCount * microOf(level) * 3;
  const vertexBytes = fours(source.patchCount * latticeOf(level)) * VERTEX_BYTES;
  return { vertexBytes, indexBytes: fours(indexCount) * 4, indexCount };
}

function fits(into: BakedBuffers | null | undefined, job: BakeJob): into is BakedBuffers {
  if (!into || into.vertexBuffer.destroyed || into.indexBuffer.destroyed) return false;
  const { vertexBytes, indexCount } = sizesOf(job);
  return into.vertexBuffer.byteLength === vertexBytes && into.indexCount === indexCount;
}

/** Heights of a surface that has none. */
const LEVEL: HeightMap = {
  ...{ data: new Float32Array(1), width: 1, height: 1, clamp: false, low: 0, high: 0 },
};

const compiled = new WeakMap<Gpu, Map<Epilogue, Promise<TessellateKernels>>>();

/** The kernels of a device. They are compiled when the first surface asks. */
export class TessellateKernels {
  private readonly samplers: Record<'repeated' | 'edged', GPUSampler>;

  private constructor(
    private readonly gpu: Gpu,
    private readonly layouts: Layouts,
    private readonly pipeline: GPUComputePipeline,
  ) {
    const sampler = (mode: GPUAddressMode) =>
      gpu.device.createSampler({ label: `heights ${mode}`, addressModeU: mode, addressModeV: mode });
    this.samplers = { repeated: sampler('repeat'), edged: sampler('clamp-to-edge') };
  }

  /** Compiles them, once a device and epilogue. */
  static of(gpu: Gpu, epilogue: Epilogue = gpu.software ? 'direct' : 'staged'): Promise<TessellateKernels> {
    const ofDevice = compiled.get(gpu) ?? new Map<Epilogue, Promise<TessellateKernels>>();
    compiled.set(gpu, ofDevice);
    const known = ofDevice.get(epilogue);
    if (known) return known;
    const made = compile(gpu, epilogue).then(
      ({ layouts, pipeline }) => new TessellateKernels(gpu, layouts, pipeline),
    );
    ofDevice.set(epilogue, made);
    made.catch(() => ofDevice.delete(epilogue));
    return made;
  }

  /** Sends a source to the GPU. */
  upload({ vertices, patches, groups, participants }: SourceMesh): SourceBuffers {
    const { gpu } = this;
    const buffers = Object.entries({ vertices, patches, groups, participants }).map(([name, data]) =>
      gpu.createBufferWith(`tessellation source ${name}`, data, GPUBufferUsage.STORAGE),
    );
    return {
      group: this.bind('source', buffers),
      destroy: () => buffers.forEach((buffer) => gpu.free(buffer)),
    };
  }

  /** Sends heights to the GPU; `gpu.free` frees them. Refuses a map with more texels a side than the adapter's textures have. */
  uploadHeights({ data, width, height }: HeightMap): GPUTexture {
    const { gpu } = this;
    const max = gpu.limits.maxTextureDimension2D;
    if (Math.max(width, height) > max)
      throw new MoonscapeError(
        `Tessellation: a displacementMap must have at most ${max} × ${max} texels on this adapter, got ${width} × ${height}`,
      );
    const { TEXTURE_BINDING, COPY_DST } = GPUTextureUsage;
    const texture = gpu.createTexture(
      {
        ...{ label: 'tessellation heights', size: [width, height], format: 'r32float' },
        usage: TEXTURE_BINDING | COPY_DST,
      },
      4,
    );
    gpu.device.queue.writeTexture(
      { texture },
      data as Float32Array<ArrayBuffer>,
      { bytesPerRow: width * 4, rowsPerImage: height },
      [width, height],
    );
    return texture;
  }

  /**
   * Bakes jobs in one submit, without heights where nothing is displaced; their buffers hold the result for whatever is submitted
   * after it. `into`: buffers of an earlier bake, written again where they are of the right size.
   */
  bake(jobs: readonly BakeRequest[]): BakedBuffers[] {
    const { gpu } = this;
    const passing: (() => void)[] = [];
    const baked: BakedBuffers[] = [];
    try {
      const encoder = gpu.device.createCommandEncoder({ label: 'tessellation' });
      const pass = encoder.beginComputePass({
        label: 'tessellation',
        timestampWrites: gpu.timer?.writes('tessellation'),
      });
      for (const { job, source, heights, into } of jobs) {
        const out = fits(into, job) ? into : this.makeOut(job);
        baked.push(out);
        if (job.source.patchCount === 0) continue;
        const params = this.makeParams(job);
        passing.push(() => params.destroy());
        const asked = this.makePlan(job);
        passing.push(() => gpu.free(asked));
        const vertexCount = job.source.patchCount * latticeOf(job.level);
        pass.setBindGroup(0, this.bind('params', [params.buffer]));
        pass.setPipeline(this.pipeline);
        pass.setBindGroup(1, source.group);
        // Where nothing is displaced no height is read, but the layout wants a texture.
        const map = heights ?? this.uploadHeights(LEVEL);
        if (!heights) passing.push(() => gpu.free(map));
        pass.setBindGroup(2, this.bindSurface(map, asked, job.heights?.clamp ?? false));
        pass.setBindGroup(3, this.bind('out', [out.vertexBuffer.buffer, out.indexBuffer.buffer]));
        pass.dispatchWorkgroups(Math.ceil(vertexCount / WORKGROUP));
        out.vertexBuffer.written();
        out.indexBuffer.written();
      }
      pass.end();
      gpu.device.queue.submit([encoder.finish()]);
      return baked;
    } catch (error) {
      baked.forEach((out, i) => {
        if (out === jobs[i].into) return;
        out.vertexBuffer.destroy();
        out.indexBuffer.destroy();
      });
      throw error;
    } finally {
      for (const free of passing) free();
    }
  }

  private makeOut(job: BakeJob): BakedBuffers {
    const { vertexBytes, indexBytes, indexCount } = sizesOf(job);
    const vertexBuffer = GpuBuffer.create(this.gpu, { size: vertexBytes, label: 'tessellated vertices' });
    try {
      const indexBuffer = GpuBuffer.create(this.gpu, { size: indexBytes, label: 'tessellated indices' });
      return { vertexBuffer, indexBuffer, indexCount };
    } catch (error) {
      vertexBuffer.destroy();
      throw error;
    }
  }

  private makeParams(job: BakeJob): UniformBlock {
    const { source, level, heights, scale, stretch, plan } = job;
    const block = new UniformBlock(this.gpu, 'tessellation', paramsSource, 'Tessellation');
    const slope = heights ? slopeSteps(source, level, heights) : { u: 1, v: 1 };
    block.write({
      level,
      steps: stepsOf(level),
      lattice: latticeOf(level),
      micro: microOf(level),
      patchCount: source.patchCount,
      cornerCount: source.cornerCount,
      planned: isPlanned(plan) ? 1 : 0,
      clamped: heights?.clamp ? 1 : 0,
      texels: heights ? [heights.width, heights.height] : [0, 0],
      slopeStep: [slope.u, slope.v],
      stepSize: 1 / stepsOf(level),
      scale,
      stretched: stretch ? 1 : 0,
      vertexCount: source.patchCount * latticeOf(level),
      stretchDiagonal: stretch ? [...stretch.subarray(0, 3)] : [1, 1, 1],
      indexCount: source.patchCount * microOf(level) * 3,
      stretchOther: stretch ? [...stretch.subarray(3, 6)] : [0, 0, 0],
    });
    return block;
  }

  /** The buffer `plan` of shaders/include/tessellate.wgsl; a word where nothing is asked. */
  private makePlan({ source, level, plan }: BakeJob): GPUBuffer {
    const { cornerCount, edgeCount } = source;
    const count = isPlanned(plan) ? cornerCount + edgeCount : 0;
    let words = count * 2;
    const places = [...plan.cornerPlaces.values(), ...plan.edgePlaces.values()];
    const data = new Float32Array(places.reduce((sum, { length }) => sum + length, words) + 1);
    const records = new Uint32Array(data.buffer);
    for (let group = 0; group < count; group++) {
      const edge = group - cornerCount;
      const given = edge < 0 ? plan.cornerPlaces.get(group) : plan.edgePlaces.get(edge);
      records[group * 2] = given ? words : NONE;
      records[group * 2 + 1] = edge < 0 ? level : (plan.edgeLevels?.[edge] ?? level);
      if (!given) continue;
      data.set(given, words);
      words += given.length;
    }
    return this.gpu.createBufferWith('tessellation plan', data, GPUBufferUsage.STORAGE);
  }

  private bindSurface(heights: GPUTexture, plan: GPUBuffer, clamp: boolean): GPUBindGroup {
    return this.gpu.device.createBindGroup({
      label: 'tessellation surface',
      layout: this.layouts.surface,
      entries: [
        { binding: 0, resource: heights.createView() },
        { binding: 1, resource: { buffer: plan } },
        { binding: 2, resource: clamp ? this.samplers.edged : this.samplers.repeated },
      ],
    });
  }

  private bind(name: keyof Layouts, buffers: GPUBuffer[]): GPUBindGroup {
    return this.gpu.device.createBindGroup({
      label: `tessellation ${name}`,
      layout: this.layouts[name],
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
  }
}

const isPlanned = ({ edgeLevels, edgePlaces, cornerPlaces }: BakeJob['plan']): boolean =>
  edgeLevels !== null || edgePlaces.size > 0 || cornerPlaces.size > 0;

type Layouts = Record<'params' | 'source' | 'surface' | 'out', GPUBindGroupLayout>;

async function compile(
  gpu: Gpu,
  epilogue: Epilogue,
): Promise<{ layouts: Layouts; pipeline: GPUComputePipeline }> {
  const { device } = gpu;
  const group = (label: string, types: GPUBufferBindingType[]) =>
    device.createBindGroupLayout({
      label: `tessellation ${label}`,
      entries: types.map((type, binding) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type },
      })),
    });
  const read = 'read-only-storage';
  const layouts: Layouts = {
    params: group('params', ['uniform']),
    source: group('source', [read, read, read, read]),
    surface: device.createBindGroupLayout({
      label: 'tessellation surface',
      entries: [
        {
          binding: 0,
          visibility: GPUShaderStage.COMPUTE,
          texture: { sampleType: 'unfilterable-float' },
        },
        { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: read } },
        { binding: 2, visibility: GPUShaderStage.COMPUTE, sampler: { type: 'non-filtering' } },
      ],
    }),
    out: group('out', ['storage', 'storage']),
  };
  const { params, source, surface, out } = layouts;
  const entryPoint = `tessellate_${epilogue}`;
  const pipeline = await gpu.computePipeline(entryPoint, {
    layout: device.createPipelineLayout({
      label: entryPoint,
      bindGroupLayouts: [params, source, surface, out],
    }),
    compute: {
      module: gpu.shader('tessellate.wgsl', meshSource),
      entryPoint,
      constants: { WORKGROUP },
    },
  });
  return { layouts, pipeline };
}
