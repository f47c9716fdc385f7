// Group 1 of the views' shaders: a mesh's buffers, from which corners are pulled, and the block of shaders/include/view.wgsl; of
// ground also its texels and, by slot, the nodes that it is drawn as. Made and asked by viewPass.ts.
import source from '../../shaders/include/view.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { GroundShading, Mesh } from './meshStore.js';
import type { View } from './view.js';

/** What a mesh is, as shaders/include/view.wgsl numbers it. */
export const VIEW_KINDS = { ground: 0, model: 1, scatter: 2, water: 3 } as const;
export type ViewKind = keyof typeof VIEW_KINDS;

/** Words of a node in shaders/view_ground.wgsl: ix, iz, level, coarse mask. */
const NODE_WORDS = 4;
/** Contour lines over a ground's whole range, about. */
const CONTOURS = 20;
/** The least relief that heights are spread over, metres. */
const LEAST_RELIEF = 0.01;

export const viewLayouts = (gpu: Gpu): Record<'mesh' | 'ground', GPUBindGroupLayout> => {
  const { VERTEX, FRAGMENT } = GPUShaderStage;
  const stored = (binding: number, visibility: number): GPUBindGroupLayoutEntry => ({
    binding,
    visibility,
    buffer: { type: 'read-only-storage' },
  });
  const entries: GPUBindGroupLayoutEntry[] = [
    { binding: 0, visibility: VERTEX | FRAGMENT, buffer: { type: 'uniform' } },
    ...[stored(1, VERTEX), stored(2, VERTEX)],
  ];
  const ground = [...entries, stored(3, VERTEX), stored(4, VERTEX | FRAGMENT)];
  return {
    mesh: gpu.device.createBindGroupLayout({ label: 'view mesh', entries }),
    ground: gpu.device.createBindGroupLayout({ label: 'view ground', entries: ground }),
  };
};

export class ViewBinding {
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;
  private readonly buffers: readonly GPUBuffer[];
  /** By slot; of a ground that is not made of nodes one that is never read. */
  private readonly nodes: { buffer: GPUBuffer; words: Uint32Array<ArrayBuffer> } | null = null;

  constructor(
    private readonly gpu: Gpu,
    layouts: ReturnType<typeof viewLayouts>,
    private readonly kind: ViewKind,
    mesh: Mesh,
  ) {
    this.block = new UniformBlock(gpu, 'view', source, 'ViewMesh');
    this.buffers = buffersOf(kind, mesh);
    const resources: GPUBindingResource[] = [this.block.buffer, ...this.buffers].map((buffer) => ({
      buffer,
    }));
    if (kind === 'ground') {
      const words = new Uint32Array((mesh.ground!.drawn?.().slots ?? 1) * NODE_WORDS);
      const { STORAGE, COPY_DST } = GPUBufferUsage;
      const buffer = gpu.createBuffer('view nodes', words.byteLength, STORAGE | COPY_DST);
      this.nodes = { buffer, words };
      resources.splice(3, 0, { buffer });
    }
    this.group = gpu.device.createBindGroup({
      label: `view of a ${kind}`,
      layout: kind === 'ground' ? layouts.ground : layouts.mesh,
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }

  /** Whether it still stands for a mesh: buffers can be swapped under a mesh's guid, and a ground's by a refresh. */
  fits(mesh: Mesh): boolean {
    const slots = mesh.ground?.drawn?.().slots ?? 1;
    return (
      buffersOf(this.kind, mesh).every((buffer, i) => buffer === this.buffers[i]) &&
      (!this.nodes || this.nodes.words.length === slots * NODE_WORDS)
    );
  }

  /** Sends what a frame shows. `tessellated`: a surface's level over the finest, -1 for other things. */
  write({ ground }: Mesh, { position }: View, tessellated = -1): void {
    const from = [-position.x, -position.y, -position.z];
    this.block.write({
      offsetHigh: from,
      offsetLow: from.map((part) => part - Math.fround(part)),
      kind: VIEW_KINDS[this.kind],
      tessellated,
      ...(this.kind === 'ground' ? this.groundValues(ground!, position) : {}),
    });
  }

  destroy(): void {
    this.block.destroy();
    this.gpu.free(this.nodes?.buffer);
  }

  private groundValues(ground: GroundShading, position: View['position']): Record<string, unknown> {
    const { minX, minZ, sizeX, sizeZ, width, height, low, high } = ground;
    const relief = Math.max(high - low, LEAST_RELIEF);
    const drawn = ground.drawn?.();
    if (drawn) {
      const { words, buffer } = this.nodes!;
      const { nodes } = drawn;
      for (let entry = 0; entry < nodes.count; entry++) {
        const at = nodes.slot[entry] * NODE_WORDS;
        words[at] = nodes.ix[entry];
        words[at + 1] = nodes.iz[entry];
        words[at + 2] = nodes.level[entry];
        words[at + 3] = nodes.coarseMask[entry];
      }
      this.gpu.device.queue.writeBuffer(buffer, 0, words);
    }
    return {
      fromCorner: [position.x - minX, position.z - minZ],
      texel: [sizeX / width, sizeZ / height],
      count: [width, height],
      cameraHeight: position.y,
      low,
      relief,
      contour: roundStep(relief / CONTOURS),
      nodeVerts: drawn?.nodeVerts ?? 0,
      ...(drawn && {
        cutCamera: [drawn.camera.x - drawn.cornerX, drawn.camera.y, drawn.camera.z - drawn.cornerZ],
        lodFactor: drawn.lodFactor,
        cutExtent: [drawn.width, drawn.depth],
        cutOffset: [drawn.cornerX - minX, drawn.cornerZ - minZ],
        rootSize: drawn.rootSize,
        rootSpacing: drawn.rootSize / (drawn.nodeVerts - 1),
        maxLevel: drawn.maxLevel,
      }),
    };
  }
}

/** The buffers that a mesh's group binds. */
const buffersOf = (kind: ViewKind, { vertexBuffer, indexBuffer, ground }: Mesh): GPUBuffer[] => [
  vertexBuffer.buffer,
  indexBuffer.buffer,
  ...(kind === 'ground' ? [ground!.texels] : []),
];

/** The step of 1, 2 or 5 times a power of ten that is nearest to `step` from above. */
export function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  return power * [1, 2, 5, 10].find((times) => times * power >= step * (1 - 1e-9))!;
}
