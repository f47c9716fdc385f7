// Where things stand and how they are turned, pixel by pixel at the pixels' centres (shaders/survey_*.wgsl): what captures of depth
// and normals are made from. It draws what the frame just gathered has prepared, ground in its one draw. Water hides nothing
// from it. Compiled once such a capture is asked for.
import groundSource from '../../shaders/survey_ground.wgsl';
import modelSource from '../../shaders/survey_model.wgsl';
import scatterSource from '../../shaders/survey_scatter.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import type { FrameBinding } from './frame.js';
import { groundLayouts, type GroundBinding } from './groundBinding.js';
import { DEPTH_FORMAT } from './pass.js';
import type { ScatterPass } from './scatterPass.js';
import type { Solid, Solids } from './solids.js';
import { VERTEX_LAYOUT } from './vertex.js';

/** A normal and a depth a pixel; see shaders/include/survey.wgsl. */
const FORMAT: GPUTextureFormat = 'rgba32float';
export const SURVEY_BYTES = 16;

type Kind = 'ground' | 'layered' | 'model' | 'mirrored' | 'scatter';
const SHADERS = {
  ground: ['survey_ground', groundSource],
  layered: ['survey_ground', groundSource],
  model: ['survey_model', modelSource],
  mirrored: ['survey_model', modelSource],
  scatter: ['survey_scatter', scatterSource],
} as const;

export class SurveyPass {
  private pipelines: Partial<Record<Kind, GPURenderPipeline>> = {};
  private readonly empty: GPUBindGroupLayout;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
    private readonly solids: Solids,
    private readonly scatter: ScatterPass,
  ) {
    this.empty = gpu.device.createBindGroupLayout({ label: 'nothing', entries: [] });
  }

  /** Compiles what a survey is drawn with, that of scatters where there are some. */
  async ready(): Promise<void> {
    const { ground, layered } = groundLayouts(this.gpu);
    const draws = this.scatter.drawLayout;
    await Promise.all([
      this.compile('ground', ground, this.solids.layout),
      this.compile('layered', layered, this.solids.layout),
      this.compile('model', this.empty, this.solids.layout),
      this.compile('mirrored', this.empty, this.solids.layout),
      draws && this.compile('scatter', this.empty, draws),
    ]);
  }

  /** Draws a survey: rgba32float, to be copied from. `free` it once that is done. */
  encode(
    encoder: GPUCommandEncoder,
    { width, height }: { width: number; height: number },
  ): { survey: GPUTexture; free: () => void } {
    const { RENDER_ATTACHMENT, COPY_SRC } = GPUTextureUsage;
    const size = [width, height];
    const survey = this.gpu.createTexture(
      { label: 'survey', size, format: FORMAT, usage: RENDER_ATTACHMENT | COPY_SRC },
      SURVEY_BYTES,
    );
    const depth = this.gpu.createTexture(
      { label: 'survey depth', size, format: DEPTH_FORMAT, usage: RENDER_ATTACHMENT },
      4,
    );
    const pass = encoder.beginRenderPass({
      label: 'survey',
      colorAttachments: [
        { view: survey.createView(), clearValue: [0, 0, 0, 0], loadOp: 'clear', storeOp: 'store' },
      ],
      depthStencilAttachment: {
        view: depth.createView(),
        depthClearValue: 0,
        depthLoadOp: 'clear',
        depthStoreOp: 'discard',
      },
    });
    pass.setBindGroup(0, this.frame.group);
    this.drawSolids(pass);
    if (this.scatter.needed()) this.scatter.drawSeen(pass, this.pipelines.scatter!);
    pass.end();
    return { survey, free: () => [survey, depth].forEach((texture) => this.gpu.free(texture)) };
  }

  private drawSolids(pass: GPURenderPassEncoder): void {
    const { list, seen, group } = this.solids;
    if (seen === 0) return;
    pass.setBindGroup(2, group);
    const kindOf = ({ mesh, material, mirrored }: Solid): Kind => {
      if (material) return mirrored ? 'mirrored' : 'model';
      return (mesh.binding as GroundBinding).layers ? 'layered' : 'ground';
    };
    for (let first = 0, next = 0; first < seen; first = next) {
      const { mesh, material } = list[first];
      const kind = kindOf(list[first]);
      while (next < seen && list[next].mesh === mesh && kindOf(list[next]) === kind) next++;
      pass.setPipeline(this.pipelines[kind]!);
      if (!material) pass.setBindGroup(1, (mesh.binding as GroundBinding).group);
      pass.setVertexBuffer(0, mesh.vertexBuffer.buffer);
      pass.setIndexBuffer(mesh.indexBuffer.buffer, 'uint32');
      pass.drawIndexed(mesh.indexCount, next - first, mesh.firstIndex, 0, first);
    }
  }

  private async compile(kind: Kind, feature: GPUBindGroupLayout, placed: GPUBindGroupLayout): Promise<void> {
    if (this.pipelines[kind]) return;
    const [name, code] = SHADERS[kind];
    const module = this.gpu.shader(`shaders/${name}.wgsl`, code);
    const isGround = kind === 'ground' || kind === 'layered';
    this.pipelines[kind] = await this.gpu.renderPipeline(`${name}, ${kind}`, {
      layout: this.gpu.device.createPipelineLayout({
        label: name,
        bindGroupLayouts: [this.frame.layout, feature, placed],
      }),
      vertex: { module, entryPoint: `${name}_vertex`, buffers: [VERTEX_LAYOUT] },
      fragment: { module, entryPoint: `${name}_fragment`, targets: [{ format: FORMAT }] },
      // As forwardPass.ts draws them.
      primitive: {
        topology: 'triangle-list',
        cullMode: isGround ? 'none' : 'back',
        frontFace: kind === 'mirrored' ? 'cw' : 'ccw',
      },
      depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: true, depthCompare: 'greater' },
    });
  }
}
