// Group 1 of the ground's materials: the heightfield's texels and where they stand, seen from the camera, and its layers, or, if it has
// none, its look and the textures of bare ground.
import source from '../../shaders/include/ground.wgsl';
import lookSource from '../../shaders/include/ground_look.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { samplersOf } from '../texture/gpuTexture.js';
import { lookConstants, octavesAt, slicesOf, type GroundLook, type Place } from './groundLook.js';
import type { GroundTextures } from './groundTextures.js';
import { LayerBinding, layeredLayout } from './layerBinding.js';
import { LayerResources } from './layerResources.js';
import type { GroundShading } from './meshStore.js';
import type { View } from './view.js';

/** The least relief that colours are spread over, metres: a flat field is one cover, not noise of rounding. */
const LEAST_RELIEF = 0.01;

const ENTRIES = (): GPUBindGroupLayoutEntry[] => [
  {
    binding: 0,
    visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
    buffer: { type: 'uniform' },
  },
  { binding: 1, visibility: GPUShaderStage.FRAGMENT, buffer: { type: 'read-only-storage' } },
];

/** The layouts of ground without layers and with them. */
export const groundLayouts = (gpu: Gpu) => {
  const visibility = GPUShaderStage.FRAGMENT;
  const array = { viewDimension: '2d-array' } as const;
  return {
    ground: gpu.device.createBindGroupLayout({
      label: 'ground',
      entries: [
        ...ENTRIES(),
        { binding: 2, visibility, buffer: { type: 'uniform' } },
        { binding: 3, visibility, texture: array },
        { binding: 4, visibility, texture: array },
        { binding: 5, visibility, sampler: {} },
      ],
    }),
    layered: layeredLayout(gpu, ENTRIES()),
  };
};

/** The textures of bare ground, held until `release`. */
export interface HeldTextures {
  textures: GroundTextures;
  release(): void;
}

/** Bare ground's own part of group 1: its look and the textures. */
class LookBinding {
  private readonly block: UniformBlock;
  private sent: GroundLook | null = null;

  constructor(
    private readonly gpu: Gpu,
    private readonly held: HeldTextures,
  ) {
    this.block = new UniformBlock(gpu, 'ground look', lookSource, 'GroundLook');
  }

  entries(): GPUBindGroupEntry[] {
    const array = (texture: GPUTexture) => texture.createView({ dimension: '2d-array' });
    return [
      { binding: 2, resource: { buffer: this.block.buffer } },
      { binding: 3, resource: array(this.held.textures.colors) },
      { binding: 4, resource: array(this.held.textures.matters) },
      { binding: 5, resource: samplersOf(this.gpu).sparing },
    ];
  }

  /** @param place the camera's, metres from the rect's corner and its low, in doubles */
  write(place: Place, look: GroundLook, low: number, relief: number): void {
    const { textures } = this.held;
    const constants = look === this.sent ? {} : lookConstants(look, low, relief, textures.side);
    if (look !== this.sent) textures.fill(slicesOf(look, relief));
    this.sent = look;
    this.block.write({ ...constants, octaves: octavesAt(place) });
  }

  destroy(): void {
    this.block.destroy();
    this.held.release();
  }
}

/** Of ground that says nothing of its look. */
const PLAIN: GroundLook = {};

export class GroundBinding {
  readonly group: GPUBindGroup;
  private readonly block: UniformBlock;
  private readonly layerBinding: LayerBinding | null;
  private readonly lookBinding: LookBinding | null;

  /** Which layers it is drawn with, null where it is bare. */
  readonly layers: LayerResources | null;

  /** @param dress what the ground is drawn with, layers or the textures of bare ground; another needs another binding */
  constructor(
    gpu: Gpu,
    layouts: ReturnType<typeof groundLayouts>,
    private readonly ground: GroundShading,
    dress: LayerResources | HeldTextures,
  ) {
    const layers = dress instanceof LayerResources ? dress : null;
    this.layers = layers;
    this.block = new UniformBlock(gpu, 'ground', source, 'Ground');
    this.layerBinding = layers && new LayerBinding(gpu, layers);
    this.lookBinding = dress instanceof LayerResources ? null : new LookBinding(gpu, dress);
    const size = ground.width * ground.height * 16;
    this.group = gpu.device.createBindGroup({
      label: 'ground',
      layout: layers ? layouts.layered : layouts.ground,
      entries: [
        { binding: 0, resource: { buffer: this.block.buffer } },
        { binding: 1, resource: { buffer: ground.texels, size } },
        ...(this.layerBinding ?? this.lookBinding)!.entries(),
      ],
    });
  }

  /** Sends the camera's place over the rect, taken in doubles. */
  write(view: View): void {
    const { position } = view;
    const relief = Math.max(this.ground.high - this.ground.low, LEAST_RELIEF);
    const { width, height, minX, minZ, sizeX, sizeZ, low, heightAt } = this.ground;
    this.block.write({
      fromCorner: [position.x - minX, position.z - minZ],
      texel: [sizeX / width, sizeZ / height],
      count: [width, height],
      cameraHeight: position.y - low,
      low,
      relief,
      submerged: position.y < heightAt(position.x, position.z) ? 1 : 0,
      extent: Math.max(sizeX, sizeZ),
    });
    this.layerBinding?.write(view);
    const place = { x: position.x - minX, y: position.y - low, z: position.z - minZ };
    this.lookBinding?.write(place, this.ground.look?.() ?? PLAIN, low, relief);
  }

  destroy(): void {
    this.block.destroy();
    this.layerBinding?.destroy();
    this.lookBinding?.destroy();
  }
}
