// Group 1 of the ground material: the heightfield's texels and where they stand, seen from the camera.
import source from '../../shaders/include/ground.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { GroundShading } from './meshStore.js';
import type { View } from './view.js';

/** The least relief that colours are spread over, metres: a flat field is one cover, not noise of rounding. */
const LEAST_RELIEF = 0.01;

export const groundLayout = (gpu: Gpu): GPUBindGroupLayout =>
  gpu.device.createBindGroupLayout({
    label: 'ground',
    entries: [
      { binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'read-only-storage' } },
    ],
  });

export class GroundBinding {
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;

  constructor(
    gpu: Gpu,
    layout: GPUBindGroupLayout,
    private readonly ground: GroundShading,
  ) {
    this.block = new UniformBlock(gpu, 'ground', source, 'Ground');
    const size = ground.width * ground.height * 16;
    this.group = gpu.device.createBindGroup({
      label: 'ground',
      layout,
      entries: [
        { binding: 0, resource: { buffer: this.block.buffer } },
        { binding: 1, resource: { buffer: ground.texels, size } },
      ],
    });
  }

  /** Sends the camera's place over the rect, taken in doubles. */
  write({ position }: View): void {
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
  }

  destroy(): void {
    this.block.destroy();
  }
}
