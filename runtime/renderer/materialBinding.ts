// Group 1 of shaders/model.wgsl: a material's factors.
import source from '../../shaders/include/material.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import type { Material } from './materialStore.js';

export const materialLayout = (gpu: Gpu): GPUBindGroupLayout =>
  gpu.device.createBindGroupLayout({
    label: 'material',
    entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } }],
  });

export class MaterialBinding {
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;

  constructor(gpu: Gpu, layout: GPUBindGroupLayout, { albedo, roughness, metallic, emissive }: Material) {
    this.block = new UniformBlock(gpu, 'material', source, 'Material');
    this.block.write({
      albedo: [albedo.x, albedo.y, albedo.z],
      roughness,
      metallic,
      emissive: [emissive.x, emissive.y, emissive.z],
    });
    this.group = gpu.device.createBindGroup({
      label: 'material',
      layout,
      entries: [{ binding: 0, resource: { buffer: this.block.buffer } }],
    });
  }

  destroy(): void {
    this.block.destroy();
  }
}
