// What hangs on an open heightfield for its layers: the weights that layersAt answers from, and the same weights and the maps
// on the GPU. Made by terrainHeightfield.open; re-made by setLayers and refresh while standing meshes draw it; it goes with
// its heightfield.
import type { Assets } from '../assets/assets.js';
import { checkNumber } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import { LayerResources } from '../renderer/layerResources.js';
import type { MaterialStore } from '../renderer/materialStore.js';
import type { Heightfield } from './heightfield.js';
import { loadLayers, type LoadedLayers, type WeightPixels } from './layerFiles.js';
import { checkLayerList, type LayerOptions } from './layerList.js';

const NONE: LoadedLayers = { weights: [], layers: [] };

/** Where a heightfield's layers come from: the list in force, else its container's. */
export class LayerSource {
  /** Undefined where nobody has said: then the container does. */
  list: readonly LayerOptions[] | undefined;

  /**
   * @param list what a script wrote, unchecked; `container` answers what the container says now
   */
  constructor(
    private readonly engine: { gpu: Gpu; assets: Assets; renderer?: { materials: MaterialStore } },
    list: readonly LayerOptions[] | undefined,
    private readonly container: (where: string) => Promise<readonly LayerOptions[] | undefined>,
  ) {
    this.list = list;
  }

  /** Checks and loads `list`, or the container's layers where it is undefined. Errors change nothing. */
  async read(where: string, list: readonly LayerOptions[] | undefined): Promise<LoadedLayers> {
    const { gpu, assets, renderer } = this.engine;
    const found = list ?? (await this.container(where));
    if (found === undefined) return NONE;
    const loader = {
      assets,
      materials: renderer?.materials ?? null,
      maxSide: gpu.limits.maxTextureDimension2D,
    };
    return loadLayers(loader, where, checkLayerList(where, found));
  }
}

const attached = new WeakMap<Heightfield, FieldLayers>();

export class FieldLayers {
  /** What draws bind; null where there are no layers. */
  resources: LayerResources | null = null;
  private loaded = NONE;
  /** Raw weights at a place, where weightsInto works. */
  private readonly scratch = new Float64Array(4);
  private calls = 0;
  /** Which of the calls to `set` holds. */
  private held = 0;
  private readonly listeners = new Set<() => void>();

  private constructor(
    private readonly gpu: Gpu,
    private readonly hf: Heightfield,
    private readonly source: LayerSource,
  ) {}

  /** Puts the layers that were read on the GPU and has them follow `hf`: refreshed when it is, freed when it closes. */
  static attach(gpu: Gpu, hf: Heightfield, source: LayerSource, loaded: LoadedLayers): FieldLayers {
    const field = new FieldLayers(gpu, hf, source);
    field.install(loaded);
    attached.set(hf, field);
    hf.onRead(async (_ground, where) => {
      const { list } = source;
      const again = await source.read(where, list);
      // Set anew while the refresh read the old ones, they are as fresh as it is.
      return { put: () => list === source.list && field.install(again), drop: () => {} };
    });
    hf.onClose(() => field.install(NONE));
    return field;
  }

  /** The layers of `hf`, or undefined for one that was not opened by terrainHeightfield.open. */
  static of(hf: Heightfield): FieldLayers | undefined {
    return attached.get(hf);
  }

  /** The layers' names, in their order. */
  get names(): string[] {
    return this.loaded.layers.map(({ name }) => name);
  }

  /** The weight textures: this heightfield's own copies. */
  get weights(): readonly WeightPixels[] {
    return this.loaded.weights;
  }

  /**
   * Draws the ground with other layers from the next frame on, or with none, whatever its container says. Waits for their
   * files. A refused list changes nothing; of several calls the last one made holds.
   */
  set(list: readonly LayerOptions[] = []): Promise<void> {
    return this.give('terrainHeightfield.setLayers', list);
  }

  /** As set, back to the container's layers, whatever the heightfield was opened with; none where there is no container. */
  reset(): Promise<void> {
    return this.give('terrainHeightfield.resetLayers', undefined);
  }

  private async give(where: string, list: readonly LayerOptions[] | undefined): Promise<void> {
    this.hf.assertOpen(where);
    const call = ++this.calls;
    const loaded = await this.source.read(where, list);
    this.hf.assertOpen(where);
    if (call < this.held) return;
    this.held = call;
    this.source.list = list;
    this.change(loaded);
  }

  /** Answers what puts the layers of now back, with the weights that they have now. Once the heightfield is closed it does nothing. */
  remember(): () => void {
    const { loaded } = this;
    const { list } = this.source;
    return () => {
      // What is still being loaded was asked for since.
      this.held = ++this.calls;
      this.source.list = list;
      if (this.loaded !== loaded && !this.hf.closed) this.change(loaded);
    };
  }

  /** Calls `listener` once other layers were set. Returns what takes it off again. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /**
   * The layers' shares of a place, before heights: each is its weight, bilinear between the texel centres of its texture
   * laid over the rect, over the sum of all, so that they make 1. A first layer without weights has what the others leave of
   * 1; where all weights are 0 the first layer has everything. Past the rect its nearest place answers. Mirrors share_of of
   * shaders/ground_layers.wgsl.
   * @param out gets one share a layer, in their order; returned
   */
  weightsInto(x: number, z: number, out: Float64Array): Float64Array {
    const where = 'terrainHeightfield.layersAt';
    this.hf.assertOpen(where);
    const { minX, minZ, size } = this.hf;
    const u = (checkNumber(where, 'x', x) - minX) / size.width;
    const v = (checkNumber(where, 'z', z) - minZ) / size.depth;
    const { layers, weights } = this.loaded;
    let covered = 0;
    weights.forEach((texture, index) => {
      const raw = sample(texture, u, v, this.scratch);
      layers.forEach((layer, i) => {
        if (layer.texture === index) covered += out[i] = raw[layer.channel];
      });
    });
    layers.forEach((layer, i) => {
      if (layer.texture < 0) out[i] = Math.max(1 - covered, 0);
      else if (covered === 0) out[i] = i === 0 ? 1 : 0;
      else out[i] /= layers[0].texture < 0 ? Math.max(covered, 1) : covered;
    });
    return out;
  }

  /** The shares of a place by layer name; empty where there are no layers. */
  at(x: number, z: number): Record<string, number> {
    const { layers } = this.loaded;
    const shares = this.weightsInto(x, z, new Float64Array(layers.length));
    return Object.fromEntries(layers.map(({ name }, i) => [name, shares[i]]));
  }

  private change(loaded: LoadedLayers): void {
    this.install(loaded);
    for (const listener of [...this.listeners]) listener();
  }

  private install(loaded: LoadedLayers): void {
    const made =
      loaded.layers.length > 0
        ? LayerResources.create(this.gpu, loaded.layers, loaded.weights, this.resources)
        : null;
    this.resources?.destroy();
    this.resources = made;
    this.loaded = loaded;
  }
}

/** The four channels at a place of the rect (0..1 along both sides), 0..1, bilinear between texel centres. */
function sample(
  { width, height, data }: WeightPixels,
  u: number,
  v: number,
  out: Float64Array,
): Float64Array {
  const x = Math.min(Math.max(u * width - 0.5, 0), width - 1);
  const z = Math.min(Math.max(v * height - 0.5, 0), height - 1);
  const [i, j] = [Math.floor(x), Math.floor(z)];
  const [fx, fz] = [x - i, z - j];
  const right = i < width - 1 ? 4 : 0;
  const below = j < height - 1 ? width * 4 : 0;
  const at = (j * width + i) * 4;
  for (let channel = 0; channel < 4; channel++) {
    const near = data[at + channel] * (1 - fx) + data[at + right + channel] * fx;
    const far = data[at + below + channel] * (1 - fx) + data[at + below + right + channel] * fx;
    out[channel] = (near * (1 - fz) + far * fz) / 255;
  }
  return out;
}
