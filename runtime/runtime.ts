// The engine as one object: host, device, files, world, renderer, terrains. The only file that states the order of
// systems in a frame. It knows nothing of Lua: what drives it adds its callbacks through onUpdate.
import { Assets } from './assets/assets.js';
import { checkInteger, checkNumber, MoonscapeError, refuse } from './errors.js';
import { Gpu, type GpuOptions } from './gpu/gpu.js';
import type { AdapterOptions, Host } from './host/host.js';
import { Renderer } from './renderer/renderer.js';
import { TerrainBindings } from './terrain/terrainBinding.js';
import { compile } from './terrain/terrainKernels.js';
import type { TerrainMesh } from './terrain/terrainMesh.js';
import { encodePicture } from './texture/encodePicture.js';
import { World } from './world/world.js';

export interface RuntimeOptions extends AdapterOptions, GpuOptions {
  host: Host;
  /** The picture, in pixels. */
  width: number;
  height: number;
}

/** Called each frame with its length in seconds; a promise holds the frame back until it settles. */
export type UpdateCallback = (dt: number) => void | Promise<void>;

/** What was drawn by the last frame, and what stands. */
export interface RuntimeStats {
  draws: number;
  triangles: number;
  passes: Record<string, { draws: number; triangles: number }>;
  dispatches: number;
  /** Live GPU bytes. */
  bytes: number;
}

/** A world on a device of a host: what a program drives frame by frame. `create` it, `destroy` it at the end. */
export class Runtime {
  readonly terrains = new Set<TerrainMesh>();
  readonly bindings = new TerrainBindings();
  /** Edit until play begins. */
  mode: 'edit' | 'play' = 'edit';
  /** Seconds of frames so far. */
  time = 0;
  frames = 0;
  destroyed = false;
  private readonly updates = new Set<UpdateCallback>();
  private readonly pending = new Set<Promise<unknown>>();
  private readonly captures: { path: string; done: () => void; failed: (error: unknown) => void }[] = [];

  private constructor(
    readonly host: Host,
    readonly gpu: Gpu,
    readonly assets: Assets,
    readonly renderer: Renderer,
    readonly world: World,
    readonly size: { width: number; height: number },
  ) {}

  /** Opens a device and starts compiling; rejects with NoAdapterError where there is none. `destroy` it at the end. */
  static async create({ host, software, limits, width, height }: RuntimeOptions): Promise<Runtime> {
    checkInteger('runtime.create', 'width', width, { min: 1 });
    checkInteger('runtime.create', 'height', height, { min: 1 });
    const gpu = await Gpu.open(await host.requestAdapter({ software }), { limits, rest: host.rest });
    try {
      const renderer = new Renderer(gpu);
      const world = new World({ meshes: renderer.meshes, materials: renderer.materials });
      // Pipelines compile while the scene's script runs; who needs them waits, and meets the error if there is one.
      compile(gpu, gpu.software ? 'direct' : 'staged').catch(() => {});
      const preparing = renderer.ready(world).catch(() => {});
      // A software driver makes its code when they are first drawn with, on a thread of its own: let that begin now.
      if (gpu.software) await preparing;
      return new Runtime(host, gpu, new Assets(host.files), renderer, world, { width, height });
    } catch (error) {
      await gpu.destroy();
      throw error;
    }
  }

  /** Adds a callback that runs at the start of every frame, in the order of adding. Returns what takes it off again. */
  onUpdate(callback: UpdateCallback): () => void {
    this.updates.add(callback);
    return () => void this.updates.delete(callback);
  }

  /** Holds the end of the frame in progress back until `work` settles. */
  track<T>(work: Promise<T>): Promise<T> {
    this.pending.add(work);
    const forget = () => void this.pending.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** One frame of `dt` seconds: scripts, terrains, picture, and then everything that was begun in it. */
  async frame(dt: number): Promise<void> {
    checkNumber('runtime.frame', 'dt', dt, { min: 0 });
    this.assertAlive('runtime.frame');
    this.time += dt;
    for (const update of [...this.updates]) await update(dt);
    this.bindings.sweep((id) => this.world.has(id));
    await this.renderer.ready(this.world);
    this.renderer.render(this.world, this.size);
    while (this.pending.size > 0) await Promise.allSettled(this.pending);
    await this.gpu.settle();
    this.frames++;
    await this.takeCaptures();
  }

  /** Writes the next finished frame as a PNG; resolves once the file stands. */
  capture(path: string): Promise<void> {
    const place = this.assets.resolve('renderer.capture', path);
    if (!/\.png$/i.test(place)) refuse('renderer.capture', 'path', 'a file with the extension .png', path);
    return new Promise((done, failed) => this.captures.push({ path, done, failed }));
  }

  /** The last finished frame, as a PNG file's bytes. */
  async picture(): Promise<Uint8Array> {
    this.assertAlive('runtime.picture');
    if (this.frames === 0) throw new MoonscapeError('runtime.picture: no frame is finished yet');
    return encodePicture(await this.renderer.readPixels(), this.host.deflate);
  }

  stats(): RuntimeStats {
    return this.renderer.stats();
  }

  /** Lets go of the device and of everything on it; the host closes once nothing of it is at work. */
  async destroy(): Promise<void> {
    if (this.destroyed) return;
    this.destroyed = true;
    this.bindings.clear();
    for (const terrain of [...this.terrains]) terrain.destroy();
    this.renderer.destroy();
    await this.gpu.destroy();
    this.host.close();
  }

  private async takeCaptures(): Promise<void> {
    if (this.captures.length === 0) return;
    const bytes = await this.picture();
    for (const { path, done, failed } of this.captures.splice(0)) {
      await this.assets.write('renderer.capture', path, bytes).then(done, failed);
    }
  }

  private assertAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: the runtime is destroyed`);
  }
}
