// What specs of tessellation share: heights, jobs, and a bake read back from the GPU.
import type { Gpu } from '../../runtime/gpu/gpu.js';
import type { Geometry } from '../../runtime/renderer/primitives.js';
import { NO_PLAN, type BakeJob, type HeightMap } from '../../runtime/tessellation/bakeJob.js';
import { SourceMesh } from '../../runtime/tessellation/sourceMesh.js';
import { TessellateKernels, type Epilogue } from '../../runtime/tessellation/tessellateKernels.js';
import { randomFrom } from './fields.js';

/** Heights of a function of u and v at the texels' centres, f32. */
export function heightMap(
  width: number,
  height: number,
  at: (u: number, v: number) => number,
  clamp = false,
): HeightMap {
  const data = Float32Array.from({ length: width * height }, (_, k) =>
    at(((k % width) + 0.5) / width, (Math.floor(k / width) + 0.5) / height),
  );
  return { data, width, height, clamp, low: Math.min(...data), high: Math.max(...data) };
}

/** Heights without any order. */
export function roughMap(seed = 1, width = 16, height = 8): HeightMap {
  const random = randomFrom(seed);
  return heightMap(width, height, () => random());
}

export const sourceOf = ({ vertices, indices }: Geometry): SourceMesh =>
  SourceMesh.of('of a spec', vertices, indices);

/** A job of a source, displaced roughly unless it says otherwise. */
export const jobOf = (source: SourceMesh, rest: Partial<BakeJob> = {}): BakeJob => ({
  source,
  level: 1,
  heights: roughMap(),
  scale: 0.2,
  stretch: null,
  plan: NO_PLAN,
  ...rest,
});

/** A bake read back; the vertex buffer whole. */
export async function bakeOf(gpu: Gpu, job: BakeJob, epilogue: Epilogue) {
  const kernels = await TessellateKernels.of(gpu, epilogue);
  const source = kernels.upload(job.source);
  const heights = job.heights && kernels.uploadHeights(job.heights);
  const [{ vertexBuffer, indexBuffer, indexCount }] = kernels.bake([{ job, source, heights }]);
  const [vertices, indices] = await Promise.all([
    vertexBuffer.read({ type: 'f32' }),
    indexBuffer.read({ type: 'u32', count: indexCount }),
  ]);
  vertexBuffer.destroy();
  indexBuffer.destroy();
  source.destroy();
  gpu.free(heights);
  return { vertices, indices };
}
