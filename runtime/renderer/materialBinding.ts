// Group 1 of shaders/model.wgsl and scatter.wgsl, a material's factors; and that of model_maps.wgsl and scatter_maps.wgsl, with
// its maps.
import source from '../../shaders/include/material.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { createMapArray, samplersOf } from '../texture/gpuTexture.js';
import { channelOf, colorOf, firstOf, plain, putChannel, slopesOf } from '../texture/mapPixels.js';
import { resize, type FloatImage, type PixelKind } from '../texture/mipChain.js';
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
    const textures = imagesOf(material).map(({ image, kind }) =>
      createMapArray(gpu, { label: `material ${kind}`, images: [image], kind }),
    );
    const { repeated, edged } = samplersOf(gpu);
    const group = gpu.device.createBindGroup({
      label: 'material with maps',
      layout,
      entries: [
        { binding: 0, resource: { buffer: this.block.buffer } },
        ...textures.map((texture, i) => ({
          binding: i + 1,
          resource: texture.createView({ dimension: '2d' }),
        })),
        { binding: 4, resource: material.wrap === 'clamp' ? edged : repeated },
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

const roughnessOf = ({ roughnessMap, metallicRoughnessMap: pair }: MaterialMaps): FloatImage | null =>
  roughnessMap ? firstOf(roughnessMap) : pair ? channelOf(pair, 1) : null;

const metallicOf = ({ metallicMap, metallicRoughnessMap: pair }: MaterialMaps): FloatImage | null =>
  metallicMap ? firstOf(metallicMap) : pair ? channelOf(pair, 2) : null;

/** The three pictures of shaders/include/body_maps.wgsl, each of the sides of the largest map in it; a single texel where there is none. */
function imagesOf({ maps, wrap }: Material): { image: FloatImage; kind: PixelKind }[] {
  const { albedoMap, normalMap, occlusionMap, emissiveMap } = maps;
  const blank = () => plain(1, 1, [1, 1, 1, 1]);
  const rough = roughnessOf(maps) ?? blank();
  const metal = metallicOf(maps) ?? blank();
  const closed = occlusionMap ? firstOf(occlusionMap) : blank();
  const slopes = normalMap ? slopesOf(normalMap) : plain(1, 1, [0, 0, 1, 1]);
  const emission = emissiveMap ? colorOf(emissiveMap) : blank();
  const together = (images: FloatImage[]) => {
    const side = (sides: number[]) => Math.min(MAX_MAP_SIDE, Math.max(...sides));
    const width = side(images.map((image) => image.width));
    const height = side(images.map((image) => image.height));
    return (image: FloatImage) => resize(image, width, height, wrap === 'repeat');
  };
  const color = albedoMap ? colorOf(albedoMap) : blank();
  const fitMatter = together([slopes, rough, closed]);
  const matter = fitMatter(slopes);
  putChannel(matter, 2, fitMatter(rough), 0);
  putChannel(matter, 3, fitMatter(closed), 0);
  const fitGlow = together([emission, metal]);
  const glow = fitGlow(emission);
  putChannel(glow, 3, fitGlow(metal), 0);
  return [
    { image: together([color])(color), kind: 'color' },
    { image: matter, kind: 'matter' },
    { image: glow, kind: 'color' },
  ];
}
