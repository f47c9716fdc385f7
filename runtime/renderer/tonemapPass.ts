// From the resolved scene to the picture (shaders/tonemap.wgsl). A curve's pipeline is compiled once a camera asks for it,
// and that of deep pictures once one is captured.
import source from '../../shaders/tonemap.wgsl';
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { ToneMapper } from './exposure.js';
import type { FrameBinding } from './frame.js';
import { DEEP_FORMAT, PICTURE_FORMAT, type PassStats } from './pass.js';

export interface ToneMapping {
  /** Linear radiance, resolved. */
  scene: GPUTexture;
  /** Filled: of PICTURE_FORMAT, or DEEP_FORMAT. */
  picture: GPUTexture;
  toneMapper: ToneMapper;
  /** shaders/include/metered.wgsl's block. */
  metered: GPUBuffer;
}

export class TonemapPass {
  readonly name = 'tonemap';
  private readonly layout: GPUBindGroupLayout;
  /** By curve and format. */
  private readonly pipelines = new Map<string, GPURenderPipeline>();
  private bound: { scene: GPUTexture; metered: GPUBuffer; group: GPUBindGroup } | null = null;

  constructor(
    private readonly gpu: Gpu,
    private readonly frame: FrameBinding,
  ) {
    this.layout = gpu.device.createBindGroupLayout({
      label: 'tonemap',
      entries: [
        { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'unfilterable-float' } },
        { binding: 1, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } },
      ],
    });
  }

  /** Compiles a curve for 8 bits a channel, or for 16. Cheap where nothing is new. */
  async ready(toneMapper: ToneMapper, format: GPUTextureFormat = PICTURE_FORMAT): Promise<void> {
    const key = keyOf(toneMapper, format);
    if (this.pipelines.has(key)) return;
    const module = this.gpu.shader('shaders/tonemap.wgsl', source);
    const pipeline = await this.gpu.renderPipeline(`tonemap, ${key}`, {
      layout: this.gpu.device.createPipelineLayout({
        label: 'tonemap',
        bindGroupLayouts: [this.frame.layout, this.layout],
      }),
      vertex: { module, entryPoint: 'tonemap_vertex' },
      fragment: {
        module,
        entryPoint: format === DEEP_FORMAT ? 'tonemap_deep_fragment' : 'tonemap_fragment',
        constants: { AGX: toneMapper === 'agx' ? 1 : 0 },
        targets: [{ format }],
      },
    });
    this.pipelines.set(key, pipeline);
  }

  /** Refuses a curve that is not compiled. */
  checkReady(toneMapper: ToneMapper): void {
    if (!this.pipelines.has(keyOf(toneMapper, PICTURE_FORMAT)))
      throw new MoonscapeError('renderer.render: await renderer.ready(world) first, for its tone mapper');
  }

  /** Fills a picture. */
  encode(encoder: GPUCommandEncoder, { scene, picture, toneMapper, metered }: ToneMapping): PassStats {
    if (this.bound?.scene !== scene || this.bound.metered !== metered) {
      const group = this.gpu.device.createBindGroup({
        label: 'tonemap',
        layout: this.layout,
        entries: [
          { binding: 0, resource: scene.createView() },
          { binding: 1, resource: { buffer: metered } },
        ],
      });
      this.bound = { scene, metered, group };
    }
    const pass = encoder.beginRenderPass({
      label: 'tonemap',
      timestampWrites: this.gpu.timer?.writes('tonemap'),
      colorAttachments: [{ view: picture.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(this.pipelines.get(keyOf(toneMapper, picture.format))!);
    pass.setBindGroup(0, this.frame.group);
    pass.setBindGroup(1, this.bound.group);
    pass.draw(3);
    pass.end();
    return { draws: 1, triangles: 1 };
  }
}

const keyOf = (toneMapper: ToneMapper, format: GPUTextureFormat) => `${toneMapper} to ${format}`;
