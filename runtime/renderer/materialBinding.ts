// Group 1 of shaders/model.wgsl and scatter.wgsl, a material's factors; and that of model_maps.wgsl and scatter_maps.wgsl, with
// its maps.
import source from '../../shaders/include/material.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { createMapArray, samplersOf } from '../texture/gpuTexture.js';
import { colorOf, firstOf, plain, putChannel, slopesOf } from '../texture/mapPixels.js';
import { resize, type FloatImage, type PixelKind } from '../texture/mipChain.js';
import type { Texture } from '../texture/texture.js';
import type { Material, MaterialMaps } from './materialStore.js';

/** The longest side of a model's map: larger ones are brought down to it. */
const MAX_MAP_SIDE = 4096;

export const materialLayout = (gpu: Gpu): GPUBindGroupLayout =>
  gpu.device.createBindGroupLayout({
    label: 'material',
    entries: [{ binding: 0, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'uniform' } }],
  });

export function mappedLayout(gpu: Gpu): GPUBindGroupLayout {
  const visibility = GPUShaderStage.FRAGMENT;
  return gpu.device.createBindGroupLayout({
    label: 'material with maps',
    entries: [
      { binding: 0, visibility, buffer: { type: 'uniform' } },
      ...[1, 2, 3].map((binding) => ({ binding, visibility, texture: {} })),
      { binding: 4, visibility, sampler: {} },
    ],
  });
}

export class MaterialBinding {
  /** Factors alone. */
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;
  private maps: { group: GPUBindGroup; textures: GPUTexture[] } | null = null;

  constructor(
    private readonly gpu: Gpu,
    layout: GPUBindGroupLayout,
    private readonly material: Material,
  ) {
    const { albedo, roughness, metallic, emissive } = material;
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

  /** Factors and maps; the maps are uploaded when this is first asked. */
  mappedGroup(layout: GPUBindGroupLayout): GPUBindGroup {
    if (this.maps) return this.maps.group;
    const { gpu, material } = this;
    const textures = imagesOf(material.maps).map(({ image, kind }) =>
      createMapArray(gpu, { label: `material ${kind}`, images: [image], kind }),
    );
    const group = gpu.device.createBindGroup({
      label: 'material with maps',
      layout,
      entries: [
        { binding: 0, resource: { buffer: this.block.buffer } },
        ...textures.map((texture, i) => ({
          binding: i + 1,
          resource: texture.createView({ dimension: '2d' }),
        })),
        { binding: 4, resource: samplersOf(gpu).repeated },
      ],
    });
    this.maps = { group, textures };
    return group;
  }

  destroy(): void {
    this.block.destroy();
    for (const texture of this.maps?.textures ?? []) this.gpu.free(texture);
    this.maps = null;
  }
}

/** The three pictures of shaders/include/body_maps.wgsl, each of the sides of the largest map in it; a single texel where there is none. */
function imagesOf(maps: MaterialMaps): { image: FloatImage; kind: PixelKind }[] {
  const { albedoMap, normalMap, roughnessMap, occlusionMap, emissiveMap, metallicMap } = maps;
  const together = (given: (Texture | undefined)[]) => {
    const side = (sides: (number | undefined)[]) =>
      Math.min(MAX_MAP_SIDE, Math.max(1, ...sides.map((texels) => texels ?? 1)));
    const sides = [side(given.map((map) => map?.width)), side(given.map((map) => map?.height))] as const;
    return (image: FloatImage) => resize(image, ...sides);
  };
  const one = (map: Texture | undefined, read: (map: Texture) => FloatImage, texel: number[]) =>
    map ? read(map) : plain(1, 1, texel);
  const color = together([albedoMap])(one(albedoMap, colorOf, [1, 1, 1, 1]));
  const fitMatter = together([normalMap, roughnessMap, occlusionMap]);
  const matter = fitMatter(one(normalMap, slopesOf, [0, 0, 1, 1]));
  putChannel(matter, 2, fitMatter(one(roughnessMap, firstOf, [1, 1, 1, 1])), 0);
  putChannel(matter, 3, fitMatter(one(occlusionMap, firstOf, [1, 1, 1, 1])), 0);
  const fitGlow = together([emissiveMap, metallicMap]);
  const glow = fitGlow(one(emissiveMap, colorOf, [1, 1, 1, 1]));
  putChannel(glow, 3, fitGlow(one(metallicMap, firstOf, [1, 1, 1, 1])), 0);
  return [
    { image: color, kind: 'color' },
    { image: matter, kind: 'matter' },
    { image: glow, kind: 'color' },
  ];
}
