// The sky behind everything (shaders/sky.wgsl): one triangle where no solid thing was drawn.
import source from '../../shaders/sky.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import type { Frame, FrameBinding } from './frame.js';
import { DEPTH_FORMAT, SAMPLES, SCENE_FORMAT, type PassStats, type ScenePass } from './pass.js';

export class SkyPass implements ScenePass {
  readonly name = 'sky';
  private pipeline!: GPURenderPipeline;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
  ) {}

  async ready(): Promise<void> {
    const module = this.gpu.shader('shaders/sky.wgsl', source);
    this.pipeline = await this.gpu.renderPipeline('sky', {
      layout: this.gpu.device.createPipelineLayout({ label: 'sky', bindGroupLayouts: [this.frame.layout] }),
      vertex: { module, entryPoint: 'sky_vertex' },
      fragment: { module, entryPoint: 'sky_fragment', targets: [{ format: SCENE_FORMAT }] },
      depthStencil: { format: DEPTH_FORMAT, depthWriteEnabled: false, depthCompare: 'greater-equal' },
      multisample: { count: SAMPLES },
    });
  }

  warm(encoder: GPURenderPassEncoder): null {
    encoder.setPipeline(this.pipeline);
    encoder.draw(3);
    return null;
  }

  draw(encoder: GPURenderPassEncoder, { background }: Frame): PassStats {
    if (background) return { draws: 0, triangles: 0 };
    encoder.setPipeline(this.pipeline);
    encoder.draw(3);
    return { draws: 1, triangles: 1 };
  }

  destroy(): void {}
}
