// The sun's shadow maps: for each cascade (cascades.ts) a pass of depth alone, with everything that may cast onto it
// (shaders/shadow.wgsl for solids, shadow_scatter.wgsl for scatters): ground in its one draw, entities that look alike in
// one. Shades read the maps through shaders/include/shadow.wgsl. Nothing is compiled, kept or drawn where no sun casts.
import cascadeSource from '../../shaders/include/cascade.wgsl';
import scatterSource from '../../shaders/shadow_scatter.wgsl';
import solidSource from '../../shaders/shadow.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { unite } from '../world/vector.js';
import { cascadesOf, MAX_CASCADES, type Cascade } from './cascades.js';
import type { Frame, FrameBinding } from './frame.js';
import type { PassStats } from './pass.js';
import type { ScatterPass } from './scatterPass.js';
import type { Solids } from './solids.js';
import { VERTEX_LAYOUT } from './vertex.js';

const FORMAT: GPUTextureFormat = 'depth32float';
/** Texels along a map's side; on a CPU adapter as many as a picture needs, for a power of two. */
const SIZE = 2048;
const LEAST_SIZE = 256;
/** Maps at most on a CPU adapter: each draws the ground once more. */
const SOFTWARE_CASCADES = 3;

export class ShadowPass {
  /** Of the frame that was prepared last; none where the sun casts no shadows. */
  cascades: readonly Cascade[] = [];
  private readonly layout: GPUBindGroupLayout;
  private readonly blocks: { block: UniformBlock; group: GPUBindGroup }[] = [];
  private maps: GPUTexture | null = null;
  private views: GPUTextureView[] = [];
  /** What each map was drawn with, and what it is to be drawn with by the commands that are not yet submitted. */
  private shown: unknown[][] = [];
  private encoded: unknown[][] = [];
  private solid: GPURenderPipeline | null = null;
  private scattered: GPURenderPipeline | null = null;
  private readonly forgetRestore: () => void;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly solids: Solids,
    private readonly scatter: ScatterPass,
  ) {
    // Maps are there again after a loss, but empty.
    this.forgetRestore = gpu.onRestore(() => (this.shown = []));
    this.layout = gpu.device.createBindGroupLayout({
      label: 'cascade',
      entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer: { type: 'uniform' } }],
    });
  }

  /** Compiles what shadows are drawn with, that of scatters where there are some. Cheap where nothing is new. */
  async ready(): Promise<void> {
    this.solid ??= await this.makePipeline('shadow', solidSource, this.solids.layout);
    const layout = this.scatter.drawLayout;
    if (layout) this.scattered ??= await this.makePipeline('shadow_scatter', scatterSource, layout);
  }

  /**
   * Chooses a frame's cascades and sends them: none where nothing is seen that they could fall on.
   * @param screen the picture that the maps are made for: the one on the screen, also for a capture beside it
   */
  prepare({ view, bounds: models, sun, casting }: Frame, screen: { width: number; height: number }): void {
    this.cascades = [];
    const shown = this.solids.seen > 0 || this.scatter.needed();
    const bounds = casting && shown ? unite(models, this.scatter.bounds()) : null;
    if (!bounds) return;
    if (!this.solid || (this.scatter.needed() && !this.scattered))
      throw new MoonscapeError('renderer.render: await renderer.ready(world) first, for its shadows');
    const { software, limits } = this.gpu;
    const wanted = 2 ** Math.ceil(Math.log2(Math.max(screen.width, screen.height)));
    const size = Math.min(software ? Math.max(wanted, LEAST_SIZE) : SIZE, SIZE, limits.maxTextureDimension2D);
    const count = software ? SOFTWARE_CASCADES : MAX_CASCADES;
    this.cascades = cascadesOf(view, { sun: sun.direction, bounds, count, size });
    this.ensureMaps(size, count);
    this.cascades.forEach(({ x, y, z, texel, bias, band }, k) =>
      this.blocks[k].block.write({ x, y, z, texel, bias, band }),
    );
  }

  /**
   * Draws the maps, and counts each as a pass of its own: shadow1, the nearest, shadow2, ... One on which nothing has changed since it
   * was drawn is kept, a pass without a draw: the same part of the world, the same casters, none of which moved or was written to.
   */
  encode(encoder: GPUCommandEncoder, passes: Record<string, PassStats>): void {
    this.encoded = [];
    this.cascades.forEach((_, k) => {
      const label = `shadow${k + 1}`;
      if (this.keeps(k)) {
        passes[label] = { draws: 0, triangles: 0 };
        return;
      }
      // Nothing is known of it until the commands are submitted, which they may never be.
      this.shown[k] = [];
      const pass = encoder.beginRenderPass({
        label,
        timestampWrites: this.gpu.timer?.writes(label),
        colorAttachments: [],
        depthStencilAttachment: {
          view: this.views[k],
          depthClearValue: 1,
          depthLoadOp: 'clear',
          depthStoreOp: 'store',
        },
      });
      pass.setBindGroup(0, this.blocks[k].group);
      const stats = { draws: 0, triangles: 0 };
      this.drawSolids(pass, k, stats);
      if (this.scatter.needed()) this.scatter.drawShadows(pass, k, this.scattered!, stats);
      pass.end();
      passes[label] = stats;
    });
  }

  /** Says that what `encode` encoded was submitted, and well. */
  submitted(): void {
    for (const [k, shows] of this.encoded.entries()) if (shows) this.shown[k] = shows;
    this.encoded = [];
  }

  /** Frees the maps and blocks. */
  destroy(): void {
    this.forgetRestore();
    this.frame.showShadows(null);
    this.gpu.free(this.maps);
    this.maps = null;
    for (const { block } of this.blocks) block.destroy();
    this.blocks.length = 0;
    this.shown = [];
    this.cascades = [];
  }

  /** Whether a map shows already what it has to; else it is taken down as drawn now. What scatters cast is culled anew each time. */
  private keeps(cascade: number): boolean {
    const shows: unknown[] = [this.maps, ...this.cascades[cascade].place];
    if (this.scatter.needed()) shows.push(NaN);
    const bit = 1 << cascade;
    for (const { casts, mesh, matrix } of this.solids.list)
      if (casts & bit) {
        const { vertexBuffer, indexBuffer, firstIndex, castCount } = mesh;
        shows.push(matrix, vertexBuffer.buffer, vertexBuffer.writes, indexBuffer.buffer, indexBuffer.writes);
        shows.push(firstIndex, castCount);
      }
    this.encoded[cascade] = shows;
    const shown = this.shown[cascade];
    // NaN is like nothing.
    return shown?.length === shows.length && shows.every((part, i) => part === shown[i]);
  }

  private drawSolids(pass: GPURenderPassEncoder, cascade: number, stats: PassStats): void {
    const { list, group } = this.solids;
    if (!group) return;
    const bit = 1 << cascade;
    pass.setPipeline(this.solid!);
    pass.setBindGroup(1, group);
    for (let first = 0; first < list.length; first++) {
      const { mesh, casts } = list[first];
      if (!(casts & bit)) continue;
      let next = first + 1;
      while (next < list.length && list[next].mesh === mesh && list[next].casts & bit) next++;
      pass.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      pass.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      pass.drawIndexed(mesh.castCount, next - first, mesh.firstIndex, 0, first);
      stats.draws++;
      stats.triangles += ((next - first) * mesh.castCount) / 3;
      first = next - 1;
    }
  }

  /** Makes maps and blocks for as many as there may ever be, so that what is kept does not change with the view. */
  private ensureMaps(size: number, layers: number): void {
    const { maps, gpu } = this;
    while (this.blocks.length < layers) this.addBlock();
    if (maps?.width === size) return;
    gpu.free(maps);
    const { RENDER_ATTACHMENT, TEXTURE_BINDING } = GPUTextureUsage;
    const made = gpu.createTexture(
      {
        label: 'shadow maps',
        size: [size, size, layers],
        format: FORMAT,
        usage: RENDER_ATTACHMENT | TEXTURE_BINDING,
      },
      4,
    );
    this.maps = made;
    this.views = Array.from({ length: layers }, (_, layer) =>
      made.createView({ dimension: '2d', baseArrayLayer: layer, arrayLayerCount: 1 }),
    );
    this.frame.showShadows(made);
  }

  private addBlock(): void {
    const block = new UniformBlock(this.gpu, 'cascade', cascadeSource, 'Cascade');
    const group = this.gpu.device.createBindGroup({
      label: 'cascade',
      layout: this.layout,
      entries: [{ binding: 0, resource: { buffer: block.buffer } }],
    });
    this.blocks.push({ block, group });
  }

  private makePipeline(
    name: 'shadow' | 'shadow_scatter',
    code: string,
    draws: GPUBindGroupLayout,
  ): Promise<GPURenderPipeline> {
    return this.gpu.renderPipeline(name, {
      layout: this.gpu.device.createPipelineLayout({ label: name, bindGroupLayouts: [this.layout, draws] }),
      vertex: {
        module: this.gpu.shader(`shaders/${name}.wgsl`, code),
        entryPoint: `${name}_vertex`,
        buffers: [VERTEX_LAYOUT],
      },
      // Both sides cast: ground and open meshes have no inside.
      primitive: { topology: 'triangle-list', cullMode: 'none' },
      depthStencil: { format: FORMAT, depthWriteEnabled: true, depthCompare: 'less' },
    });
  }
}
