// Group 1 of the ground's materials: the heightfield's texels and where they stand, seen from the camera, and its layers if it has any.
import source from '../../shaders/include/ground.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { LayerBinding, layeredLayout } from './layerBinding.js';
import type { LayerResources } from './layerResources.js';
import type { GroundShading } from './meshStore.js';
import type { View } from './view.js';

/** The least relief that colours are spread over, metres: a flat field is one cover, not noise of rounding. */
const LEAST_RELIEF = 0.01;

const ENTRIES = (): GPUBindGroupLayoutEntry[] => [
  { binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } },
  { binding: 1, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'read-only-storage' } },
];

/** The layouts of ground without layers and with them. */
export const groundLayouts = (gpu: Gpu) => ({
  ground: gpu.device.createBindGroupLayout({ label: 'ground', entries: ENTRIES() }),
  layered: layeredLayout(gpu, ENTRIES()),
});

export class GroundBinding {
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;
  private readonly layerBinding: LayerBinding | null;

  /** @param layers what the ground is drawn with, null for the material by slope and height; another needs another binding */
  constructor(
    gpu: Gpu,
    layouts: ReturnType<typeof groundLayouts>,
    private readonly ground: GroundShading,
    readonly layers: LayerResources | null,
  ) {
    this.block = new UniformBlock(gpu, 'ground', source, 'Ground');
    this.layerBinding = layers && new LayerBinding(gpu, layers);
    const size = ground.width * ground.height * 16;
    this.group = gpu.device.createBindGroup({
      label: 'ground',
      layout: layers ? layouts.layered : layouts.ground,
      entries: [
        { binding: 0, resource: { buffer: this.block.buffer } },
        { binding: 1, resource: { buffer: ground.texels, size } },
        ...(this.layerBinding?.entries() ?? []),
      ],
    });
  }

  /** Sends the camera's place over the rect, taken in doubles. */
  write(view: View): void {
    const { position } = view;
    const { width, height, minX, minZ, sizeX, sizeZ, low, high, heightAt } = this.ground;
    this.block.write({
      fromCorner: [position.x - minX, position.z - minZ],
      texel: [sizeX / width, sizeZ / height],
      count: [width, height],
      cameraHeight: position.y - low,
      low,
      relief: Math.max(high - low, LEAST_RELIEF),
      submerged: position.y < heightAt(position.x, position.z) ? 1 : 0,
      extent: Math.max(sizeX, sizeZ),
    });
    this.layerBinding?.write(view);
  }

  destroy(): void {
    this.block.destroy();
    this.layerBinding?.destroy();
  }
}
