// What several surfaces are made from: sources by mesh and heights by map, kept on the CPU and the GPU as long as a surface uses
// them. Owned by the tessellation system.
import type { Gpu } from '../gpu/gpu.js';
import type { Mesh } from '../renderer/meshStore.js';
import { FORMAT_FACTS, type Texture, type TexturePixels } from '../texture/texture.js';
import type { HeightMap } from './bakeJob.js';
import { SourceMesh } from './sourceMesh.js';
import type { SourceBuffers, TessellateKernels } from './tessellateKernels.js';

/** A mesh as it is read back. */
export class SourceEntry {
  users = 0;
  source: SourceMesh | null = null;
  error: unknown = null;
  /** Settles when `source` or `error` is there. */
  readonly reading: Promise<void>;
  private buffers: SourceBuffers | null = null;

  constructor(readonly mesh: Mesh) {
    this.reading = SourceMesh.read(mesh).then(
      (source) => void (this.source = source),
      (error: unknown) => void (this.error = error),
    );
  }

  /** Its buffers, sent when a bake first asks. */
  on(kernels: TessellateKernels): SourceBuffers {
    return (this.buffers ??= kernels.upload(this.source!));
  }

  free(): void {
    this.buffers?.destroy();
    this.buffers = null;
  }
}

/** The heights of a map as they were at one revision of its texture. */
export class HeightEntry {
  users = 0;
  private texture: GPUTexture | null = null;

  constructor(
    readonly pixels: TexturePixels,
    readonly revision: number,
    readonly map: HeightMap,
  ) {}

  on(kernels: TessellateKernels): GPUTexture {
    return (this.texture ??= kernels.uploadHeights(this.map));
  }

  free(gpu: Gpu): void {
    gpu.free(this.texture);
    this.texture = null;
  }
}

/** Counts the updates of a texture, those of the one that its pixels belong to. */
export const revisionOf = (texture: Texture): number => (texture.original ?? texture).revision;

export class TessellationResources {
  private readonly sources = new Map<Mesh, SourceEntry>();
  private readonly heights: HeightEntry[] = [];

  constructor(private readonly gpu: Gpu) {}

  /** The source of a mesh, which is read back if nobody uses it yet. Give it back with `releaseSource`. */
  source(mesh: Mesh): SourceEntry {
    let entry = this.sources.get(mesh);
    if (!entry) this.sources.set(mesh, (entry = new SourceEntry(mesh)));
    entry.users++;
    return entry;
  }

  releaseSource(entry: SourceEntry | null): void {
    if (!entry || --entry.users > 0) return;
    entry.free();
    this.sources.delete(entry.mesh);
  }

  /** The heights of a displacement map: its first channel, 0..1. Give them back with `releaseHeights`. */
  heightsOf(texture: Texture, clamp: boolean): HeightEntry {
    const { data, width } = texture;
    const revision = revisionOf(texture);
    let entry = this.heights.find(
      (known) =>
        known.pixels === data &&
        known.revision === revision &&
        known.map.clamp === clamp &&
        known.map.width === width,
    );
    if (!entry) this.heights.push((entry = new HeightEntry(data, revision, readHeights(texture, clamp))));
    entry.users++;
    return entry;
  }

  releaseHeights(entry: HeightEntry | null): void {
    if (!entry || --entry.users > 0) return;
    entry.free(this.gpu);
    this.heights.splice(this.heights.indexOf(entry), 1);
  }
}

function readHeights({ width, height, channels, format, data }: Texture, clamp: boolean): HeightMap {
  const { maximum } = FORMAT_FACTS[format];
  const heights = new Float32Array(width * height);
  let [low, high] = [Infinity, -Infinity];
  for (let at = 0; at < heights.length; at++) {
    const value = Math.fround(data[at * channels] / maximum);
    heights[at] = value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { data: heights, width, height, clamp, low, high };
}
