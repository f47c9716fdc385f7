// The two terrain kernels over one pool: their pipelines, buffers and bind groups. Owned by a TerrainMesh, which says
// what to build; this file knows how it is dispatched.
import cutSource from '../../shaders/include/terrain_cut.wgsl';
import indexSource from '../../shaders/terrain_index.wgsl';
import meshSource from '../../shaders/terrain_mesh.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { GpuBuffer } from '../gpu/gpuBuffer.js';
import { layoutOf } from '../gpu/layouts.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { VERTEX_BYTES } from '../renderer/vertex.js';
import type { CutTables } from './cutTables.js';
import type { FieldTexels } from './fieldTexels.js';

/** Words of a TerrainNode in terrain_cut.wgsl: ix, iz, packed, slot. */
const NODE_WORDS = 4;

/** Writes record number `at` of `meshNodes` or `indexNodes`; terrain_cut.wgsl says what `packed` and `slot` hold in each. */
export function putNode(
  records: Uint32Array,
  at: number,
  ix: number,
  iz: number,
  packed: number,
  slot: number,
): void {
  const first = at * NODE_WORDS;
  records[first] = ix;
  records[first + 1] = iz;
  records[first + 2] = packed;
  records[first + 3] = slot;
}

/** Invocations a workgroup. */
const WORKGROUP = { direct: 64, staged: 64, index: 64 } as const;

/** How vertices are written: scattered by each thread, or staged in workgroup memory and stored coalesced. The bits are the same. */
export type Epilogue = keyof Omit<typeof WORKGROUP, 'index'>;

/** Workgroups a node: a staged one builds a vertex of the next, and so brings its work on by one less. */
const GROUPS: Record<Epilogue, (vertices: number) => number> = {
  direct: (vertices) => Math.ceil(vertices / WORKGROUP.direct),
  staged: (vertices) => Math.ceil((vertices - 1) / (WORKGROUP.staged - 1)),
};

export interface PoolSize {
  maxNodes: number;
  nodeVerts: number;
}

export class TerrainKernels {
  /** maxNodes slots of nodeVerts² vertices. */
  readonly pool: GpuBuffer;
  /** The index run: a fixed stride of (nodeVerts - 1)² × 6 indices a node. */
  readonly run: GpuBuffer;
  /** The uniform of the kernels; `write` it before a dispatch. */
  readonly params: UniformBlock;
  /** Records of nodes whose vertices are to be built, NODE_WORDS each. */
  readonly meshNodes: Uint32Array<ArrayBuffer>;
  /** Records of nodes whose indices are to be written. */
  readonly indexNodes: Uint32Array<ArrayBuffer>;
  private readonly own: GPUBuffer[];
  private readonly stops: GPUBuffer;
  private readonly stopOf: GPUBuffer;
  private readonly meshNodeBuffer: GPUBuffer;
  private readonly indexNodeBuffer: GPUBuffer;
  private readonly cutGroup: GPUBindGroup;
  private readonly meshGroup: GPUBindGroup;
  private readonly indexGroup: GPUBindGroup;
  private fieldGroup: GPUBindGroup;

  private constructor(
    private readonly gpu: Gpu,
    private readonly size: PoolSize,
    private readonly pipelines: Pipelines,
    field: FieldTexels,
    tables: CutTables,
  ) {
    const { maxNodes, nodeVerts } = size;
    const { STORAGE, COPY_DST } = GPUBufferUsage;
    this.pool = GpuBuffer.create(gpu, {
      size: maxNodes * nodeVerts ** 2 * VERTEX_BYTES,
      label: 'terrain pool',
    });
    this.run = GpuBuffer.create(gpu, {
      size: maxNodes * (nodeVerts - 1) ** 2 * 6 * 4,
      label: 'terrain index run',
    });
    this.meshNodes = new Uint32Array(maxNodes * NODE_WORDS);
    this.indexNodes = new Uint32Array(maxNodes * NODE_WORDS);
    if (layoutOf(cutSource, 'TerrainNode').size !== NODE_WORDS * 4)
      throw new Error('TerrainNode in terrain_cut.wgsl is not NODE_WORDS long');
    this.params = new UniformBlock(gpu, 'terrain cut', cutSource, 'TerrainCut');
    this.stops = gpu.createBufferWith('terrain stops', tables.stops, STORAGE);
    this.stopOf = gpu.createBufferWith('terrain stop of index', tables.stopOf, STORAGE);
    this.meshNodeBuffer = gpu.createBuffer(
      'terrain nodes to build',
      this.meshNodes.byteLength,
      STORAGE | COPY_DST,
    );
    this.indexNodeBuffer = gpu.createBuffer(
      'terrain nodes to index',
      this.indexNodes.byteLength,
      STORAGE | COPY_DST,
    );
    this.own = [this.params.buffer, this.stops, this.stopOf, this.meshNodeBuffer, this.indexNodeBuffer];

    const { device } = gpu;
    const { layouts } = pipelines;
    this.cutGroup = device.createBindGroup({
      label: 'terrain cut',
      layout: layouts.cut,
      entries: [{ binding: 0, resource: { buffer: this.params.buffer } }],
    });
    const passGroup = (label: string, nodes: GPUBuffer) =>
      device.createBindGroup({
        label,
        layout: layouts.pass,
        entries: [nodes, this.pool.buffer, this.run.buffer].map((buffer, binding) => ({
          binding,
          resource: { buffer },
        })),
      });
    this.meshGroup = passGroup('terrain_mesh', this.meshNodeBuffer);
    this.indexGroup = passGroup('terrain_index', this.indexNodeBuffer);
    this.fieldGroup = this.makeFieldGroup(field);
  }

  /** Compiles the kernels (once a device) and makes the buffers. The caller has checked the pool against the device's limits. */
  static async create(
    gpu: Gpu,
    size: PoolSize,
    epilogue: Epilogue,
    field: FieldTexels,
    tables: CutTables,
  ): Promise<TerrainKernels> {
    return new TerrainKernels(gpu, size, await compile(gpu, epilogue), field, tables);
  }

  /** Points the kernels at a field's buffers again, after they were replaced. */
  bindField(field: FieldTexels): void {
    this.fieldGroup = this.makeFieldGroup(field);
  }

  /** Builds the first `meshes` records of meshNodes and indexes the first `indices` of indexNodes, in one submit. */
  dispatch(meshes: number, indices: number): void {
    const { queue } = this.gpu.device;
    const { nodeVerts } = this.size;
    const encoder = this.gpu.device.createCommandEncoder({ label: 'terrain' });
    const pass = encoder.beginComputePass({
      label: 'terrain',
      timestampWrites: this.gpu.timer?.writes('terrain'),
    });
    pass.setBindGroup(0, this.cutGroup);
    pass.setBindGroup(1, this.fieldGroup);
    if (meshes > 0) {
      queue.writeBuffer(this.meshNodeBuffer, 0, this.meshNodes, 0, meshes * NODE_WORDS);
      pass.setPipeline(this.pipelines.mesh);
      pass.setBindGroup(2, this.meshGroup);
      pass.dispatchWorkgroups(this.pipelines.meshGroups(nodeVerts ** 2), meshes);
      this.pool.written();
    }
    if (indices > 0) {
      queue.writeBuffer(this.indexNodeBuffer, 0, this.indexNodes, 0, indices * NODE_WORDS);
      pass.setPipeline(this.pipelines.index);
      pass.setBindGroup(2, this.indexGroup);
      pass.dispatchWorkgroups(Math.ceil((nodeVerts - 1) ** 2 / WORKGROUP.index), indices);
      this.run.written();
    }
    pass.end();
    queue.submit([encoder.finish()]);
  }

  /** GPU bytes held here. */
  get bytes(): number {
    return this.own.reduce((sum, { size }) => sum + size, this.pool.byteLength + this.run.byteLength);
  }

  destroy(): void {
    this.pool.destroy();
    this.run.destroy();
    for (const buffer of this.own) this.gpu.free(buffer);
  }

  private makeFieldGroup(field: FieldTexels): GPUBindGroup {
    return this.gpu.device.createBindGroup({
      label: 'terrain field',
      layout: this.pipelines.layouts.field,
      entries: [field.texels.buffer, this.stops, this.stopOf, field.holes.buffer].map((buffer, binding) => ({
        binding,
        resource: { buffer },
      })),
    });
  }
}

interface Pipelines {
  mesh: GPUComputePipeline;
  /** Workgroups that build a node of so many vertices. */
  meshGroups(vertices: number): number;
  index: GPUComputePipeline;
  layouts: { cut: GPUBindGroupLayout; field: GPUBindGroupLayout; pass: GPUBindGroupLayout };
}

const compiled = new WeakMap<Gpu, Map<Epilogue, Promise<Pipelines>>>();

/** Compiles the two kernels for a device, once an epilogue. */
export function compile(gpu: Gpu, epilogue: Epilogue): Promise<Pipelines> {
  const ofDevice = compiled.get(gpu) ?? new Map<Epilogue, Promise<Pipelines>>();
  compiled.set(gpu, ofDevice);
  const pipelines = ofDevice.get(epilogue) ?? makePipelines(gpu, epilogue);
  ofDevice.set(epilogue, pipelines);
  pipelines.catch(() => ofDevice.delete(epilogue));
  return pipelines;
}

async function makePipelines(gpu: Gpu, epilogue: Epilogue): Promise<Pipelines> {
  const { device } = gpu;
  const group = (label: string, types: GPUBufferBindingType[]) =>
    device.createBindGroupLayout({
      label,
      entries: types.map((type, binding) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type },
      })),
    });
  const read = 'read-only-storage';
  const layouts = {
    cut: group('terrain cut', ['uniform']),
    field: group('terrain field', [read, read, read, read]),
    pass: group('terrain pass', [read, 'storage', 'storage']),
  };
  const layout = device.createPipelineLayout({
    label: 'terrain',
    bindGroupLayouts: [layouts.cut, layouts.field, layouts.pass],
  });
  const kernel = (file: string, source: string, entryPoint: string, workgroup: number) =>
    gpu.computePipeline(entryPoint, {
      layout,
      compute: { module: gpu.shader(file, source), entryPoint, constants: { WORKGROUP: workgroup } },
    });
  const [mesh, index] = await Promise.all([
    kernel('terrain_mesh.wgsl', meshSource, `terrain_mesh_${epilogue}`, WORKGROUP[epilogue]),
    kernel('terrain_index.wgsl', indexSource, 'terrain_index', WORKGROUP.index),
  ]);
  return { mesh, meshGroups: GROUPS[epilogue], index, layouts };
}
