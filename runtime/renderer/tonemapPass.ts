// From the resolved scene to the picture (shaders/tonemap.wgsl).
import source from '../../shaders/tonemap.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import type { FrameBinding } from './frame.js';
import { PICTURE_FORMAT, type PassStats } from './pass.js';
import type { Targets } from './targets.js';

export class TonemapPass {
  readonly name = 'tonemap';
  private readonly layout: GPUBindGroupLayout;
  private pipeline!: GPURenderPipeline;
  private bound: { targets: Targets; group: GPUBindGroup } | null = null;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
  ) {
    this.layout = gpu.device.createBindGroupLayout({
      label: 'tonemap',
      entries: [
        { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'unfilterable-float' } },
      ],
    });
  }

  async ready(): Promise<void> {
    const module = this.gpu.shader('shaders/tonemap.wgsl', source);
    this.pipeline = await this.gpu.renderPipeline('tonemap', {
      layout: this.gpu.device.createPipelineLayout({
        label: 'tonemap',
        bindGroupLayouts: [this.frame.layout, this.layout],
      }),
      vertex: { module, entryPoint: 'tonemap_vertex' },
      fragment: { module, entryPoint: 'tonemap_fragment', targets: [{ format: PICTURE_FORMAT }] },
    });
  }

  /** Fills the picture. */
  encode(encoder: GPUCommandEncoder, targets: Targets): PassStats {
    if (this.bound?.targets !== targets) {
      const group = this.gpu.device.createBindGroup({
        label: 'tonemap',
        layout: this.layout,
        entries: [{ binding: 0, resource: targets.resolved.createView() }],
      });
      this.bound = { targets, group };
    }
    const pass = encoder.beginRenderPass({
      label: 'tonemap',
      colorAttachments: [{ view: targets.picture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, this.frame.group);
    pass.setBindGroup(1, this.bound.group);
    pass.draw(3);
    pass.end();
    return { draws: 1, triangles: 1 };
  }
}
