// Group 1 of shaders/ground_layers.wgsl: what groundBinding.ts binds, and the layers' maps, weights and constants.
import source from '../../shaders/include/ground_layers.wgsl';
import type { Gpu } from '../gpu/gpu.js';
import { UniformBlock } from '../gpu/uniformBlock.js';
import { samplersOf } from '../texture/gpuTexture.js';
import type { View } from './view.js';
import type { LayerResources } from './layerResources.js';

/** As in shaders/ground_layers.wgsl: after so many repeats both sizes of the maps begin anew. */
const PERIOD = 29;
/** Weight textures that the shader names. */
const WEIGHTS = [0, 1, 2, 3];

/** The layout of the entries that groundLayout has, and of those for layers. */
export function layeredLayout(gpu: Gpu, ground: readonly GPUBindGroupLayoutEntry[]): GPUBindGroupLayout {
  const visibility = GPUShaderStage.FRAGMENT;
  const array = { viewDimension: '2d-array' } as const;
  return gpu.device.createBindGroupLayout({
    label: 'ground layers',
    entries: [
      ...ground,
      { binding: 2, visibility, buffer: { type: 'uniform' } },
      ...WEIGHTS.map((i) => ({ binding: 3 + i, visibility, texture: {} })),
      { binding: 7, visibility, sampler: {} },
      { binding: 8, visibility, texture: array },
      { binding: 9, visibility, texture: array },
      { binding: 10, visibility, sampler: {} },
    ],
  });
}

export class LayerBinding {
  private readonly block: UniformBlock;

  constructor(
    private readonly gpu: Gpu,
    readonly layers: LayerResources,
  ) {
    this.block = new UniformBlock(gpu, 'ground layers', source, 'GroundLayers');
  }

  /** The entries of the bind group beside the ground's own. */
  entries(): GPUBindGroupEntry[] {
    const { layers, gpu } = this;
    const { repeated, clamped } = samplersOf(gpu);
    const array = (texture: GPUTexture) => texture.createView({ dimension: '2d-array' });
    return [
      { binding: 2, resource: { buffer: this.block.buffer } },
      // Those that are not there are never read.
      ...WEIGHTS.map((i) => ({
        binding: 3 + i,
        resource: (layers.weights[i] ?? layers.weights[0]).createView(),
      })),
      { binding: 7, resource: clamped },
      { binding: 8, resource: array(layers.maps.colors) },
      { binding: 9, resource: array(layers.maps.matters) },
      { binding: 10, resource: repeated },
    ];
  }

  /** Sends the layers, with the camera's place among their repeats, taken in doubles: maps lie still 100 km from the origin. */
  write({ position }: View): void {
    const { constants, weightCount, finest } = this.layers;
    this.block.write({
      count: constants.length,
      weightTextures: weightCount,
      finest: [...finest],
      layers: constants.map((layer) => {
        const period = PERIOD / layer.perMetre;
        const from = (place: number) => place - Math.floor(place / period) * period;
        return { ...layer, fromOrigin: [from(position.x), from(position.y), from(position.z)] };
      }),
    });
  }

  destroy(): void {
    this.block.destroy();
  }
}
