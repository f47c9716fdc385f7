// The engine as one object: host, device, files, world, renderer, terrains. The only file that states the order of
// systems in a frame. It knows nothing of Lua: what drives it adds its callbacks through onUpdate. Past 400 lines, as frames,
// play, stop and a closed scene all decide on the same state.
import { Assets } from './assets/assets.js';
import { Captures } from './captures.js';
import { CameraControls } from './controls/cameraControls.js';
import { checkInteger, checkNumber, MoonscapeError } from './errors.js';
import { Gpu, type GpuOptions } from './gpu/gpu.js';
import type { AdapterOptions, Host } from './host/host.js';
import { Input } from './input/input.js';
import { Physics } from './physics/physics.js';
import type { CaptureOptions } from './renderer/capture.js';
import { Renderer } from './renderer/renderer.js';
import { rayThrough, viewOf, type Ray } from './renderer/view.js';
import { GroundUndo } from './terrain/groundUndo.js';
import type { Heightfield } from './terrain/heightfield.js';
import { ScatterBindings } from './scatter/scatterBinding.js';
import { TerrainBindings } from './terrain/terrainBinding.js';
import { compile } from './terrain/terrainKernels.js';
import type { TerrainMesh } from './terrain/terrainMesh.js';
import { TessellationSystem, type Sight } from './tessellation/tessellationSystem.js';
import { WorldSnapshot } from './world/snapshot.js';
import { World } from './world/world.js';

export interface RuntimeOptions extends AdapterOptions, GpuOptions {
  host: Host;
  /** The picture, in pixels. */
  width: number;
  height: number;
}

/** Promises between the end of a callback and its being known: more than there are. */
const PROMISE_TURNS = 32;

/** What messages say while play begins or ends. */
const PLAY_TURNS = 'play is just beginning or ending';

/** Called each frame with its length in seconds; a promise holds the frame back until it settles. */
export type UpdateCallback = (dt: number) => void | Promise<void>;

/**
 * Where in a frame a callback runs, in this order: the scene's own callbacks, its components, and, once everything has
 * moved, what follows the camera.
 */
export type Phase = 'scene' | 'components' | 'follow';

/** Whoever takes part in play: told when it begins, before the world is put back, and after that. */
export interface PlayFollower {
  begin?(): void | Promise<void>;
  ending?(): void;
  ended?(): void;
}

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
  /** The heightfields that are open. */
  readonly fields = new Set<Heightfield>();
  readonly bindings: TerrainBindings;
  readonly scatterBindings = new ScatterBindings();
  /** What features that load when they are first asked for have on the device: it goes with the runtime. */
  readonly guests = new Set<{ destroy(): void }>();
  readonly physics: Physics;
  readonly tessellation: TessellationSystem;
  /** What a person does: whoever has it feeds events. */
  readonly input = new Input();
  /** How a person moves the on-screen camera; by default not at all. */
  readonly controls: CameraControls;
  /** Seconds of frames so far. */
  time = 0;
  frames = 0;
  destroyed = false;
  /**
   * Set where pictures go on a screen and wait for nobody: who gets the errors of callbacks that a frame did not wait for. Null in a
   * headless run, whose frames end when all that was begun in them has.
   */
  live: ((error: unknown) => void) | null = null;
  private readonly updates: Record<Phase, Set<UpdateCallback>> = {
    scene: new Set(),
    components: new Set(),
    follow: new Set(),
  };
  private readonly playFollowers = new Set<PlayFollower>();
  /** The way back to edit, while it plays. */
  private before: { world: WorldSnapshot; ground: GroundUndo; materials: () => void } | null = null;
  /** What is just being done to the whole world, as messages say it: nothing else that is may be asked for meanwhile. */
  private turning: string | null = null;
  private readonly pending = new Set<Promise<unknown>>();
  private readonly captures: Captures;

  private constructor(
    readonly host: Host,
    readonly gpu: Gpu,
    readonly assets: Assets,
    readonly renderer: Renderer,
    readonly world: World,
    /** Of the picture, pixels. `resize` sets it. */
    readonly size: { width: number; height: number },
  ) {
    this.bindings = new TerrainBindings(world.worldSpace);
    this.controls = new CameraControls({ world, size, terrains: this.terrains });
    this.physics = new Physics(world, renderer.meshes);
    this.captures = new Captures(this);
    this.tessellation = new TessellationSystem(gpu, world, renderer, (work) => this.track(work));
    const end = () => this.physics.end();
    this.onPlay({ begin: () => this.physics.begin(), ending: end, ended: end });
  }

  /** Opens a device and starts compiling; rejects with NoAdapterError where there is none. `destroy` it at the end. */
  static async create({
    host,
    software,
    limits,
    restorable,
    width,
    height,
  }: RuntimeOptions): Promise<Runtime> {
    checkInteger('runtime.create', 'width', width, { min: 1 });
    checkInteger('runtime.create', 'height', height, { min: 1 });
    const gpu = await Gpu.open(await host.requestAdapter({ software }), {
      ...{ limits, rest: host.rest, restorable },
    });
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

  /** Adds a callback that runs in every frame, in the order of adding within its phase. Returns what takes it off again. */
  onUpdate(callback: UpdateCallback, phase: Phase = 'scene'): () => void {
    this.updates[phase].add(callback);
    return () => void this.updates[phase].delete(callback);
  }

  /** Edit until play begins, and after stop. */
  get mode(): 'edit' | 'play' {
    return this.before ? 'play' : 'edit';
  }

  /** Has `follower` take part in play. Returns what takes it off again. */
  onPlay(follower: PlayFollower): () => void {
    this.playFollowers.add(follower);
    return () => void this.playFollowers.delete(follower);
  }

  /** Begins play: from here on `stop` puts the world back as it is now. Refused while it plays. */
  async play(): Promise<void> {
    const where = 'scene.play';
    this.assertSettled(where);
    if (this.before) throw new MoonscapeError(`${where}: the scene plays already; scene.stop ends it`);
    this.turning = PLAY_TURNS;
    try {
      const { bindings, fields, world } = this;
      this.before = {
        world: new WorldSnapshot(world),
        ground: new GroundUndo(fields, (hf) => bindings.entityOf(hf)),
        materials: this.renderer.materials.remember(),
      };
      for (const follower of [...this.playFollowers]) await follower.begin?.();
    } catch (error) {
      this.abandonPlay();
      throw error;
    } finally {
      this.turning = null;
    }
  }

  /**
   * Ends play and puts the world back as it was when it began: entities and their ids, poses, parents, components with
   * their fields, materials, the ground. Resolves once that is done; then throws the first error of what could not be.
   */
  async stop(): Promise<void> {
    const where = 'scene.stop';
    this.assertSettled(where);
    if (!this.before) throw new MoonscapeError(`${where}: the scene does not play; scene.play begins it`);
    const { world, ground, materials } = this.before;
    const errors: unknown[] = [];
    const failed = (error: unknown) => void errors.push(error);
    this.before = null;
    this.turning = PLAY_TURNS;
    try {
      for (const follower of [...this.playFollowers]) follower.ending?.();
      materials();
      await world.restore(failed);
      this.bindings.sweep((id) => this.world.has(id));
      this.scatterBindings.sweep((id) => this.world.has(id));
      await ground.restore((entity) => this.bindings.forEntity(entity)?.hf, failed);
    } finally {
      this.turning = null;
      for (const follower of [...this.playFollowers]) follower.ended?.();
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Does `work`, which replaces the world (`doing` says it in messages); play, stop and other such work are refused meanwhile. */
  async turn<T>(where: string, doing: string, work: () => Promise<T>): Promise<T> {
    this.assertSettled(where);
    this.turning = doing;
    try {
      return await work();
    } finally {
      this.turning = null;
    }
  }

  /** Refuses what needs the world as one whole while it is just being replaced. */
  assertSettled(where: string): void {
    this.assertAlive(where);
    if (this.turning) throw new MoonscapeError(`${where}: ${this.turning}`);
  }

  /** Ends play and leaves the world as it is: for a scene that is closed while it plays. */
  abandonPlay(): void {
    this.before?.ground.drop();
    this.before?.world.drop();
    const played = this.before !== null;
    this.before = null;
    if (played) for (const follower of [...this.playFollowers]) follower.ended?.();
  }

  /** Holds the end of the frame in progress back until `work` settles. */
  track<T>(work: Promise<T>): Promise<T> {
    this.pending.add(work);
    const forget = () => void this.pending.delete(work);
    work.then(forget, forget);
    return work;
  }

  /** One frame of `dt` seconds: an update, the picture, and then everything that was begun in it. */
  async frame(dt: number): Promise<void> {
    await this.update(dt);
    await this.tessellation.finish(this.sight());
    await this.renderer.ready(this.world);
    this.renderer.water.time = this.time;
    this.renderer.dt = dt;
    this.renderer.render(this.world, this.size);
    while (this.pending.size > 0) await Promise.allSettled(this.pending);
    await this.gpu.settle();
    this.frames++;
    await this.captures.take();
  }

  /**
   * One frame of `dt` seconds for a screen: an update and the picture, which `present` gets to put on it. What scripts wait for and what
   * is loaded or baked comes when it comes.
   */
  async show(dt: number, present: (picture: GPUTexture) => void): Promise<void> {
    await this.update(dt);
    await this.renderer.ready(this.world);
    this.assertAlive('runtime.show');
    this.renderer.water.time = this.time;
    this.renderer.dt = dt;
    this.renderer.render(this.world, this.size);
    present(this.renderer.picture!);
    this.frames++;
    if (this.captures.count > 0) {
      await this.gpu.settle();
      await this.captures.take();
    }
    this.gpu.throwFailure();
  }

  /** The picture's size from the next frame on, pixels, each side from 1 to the adapter's limit. */
  resize(width: number, height: number): void {
    const max = this.gpu.limits.maxTextureDimension2D;
    checkInteger('runtime.resize', 'width', width, { min: 1, max });
    checkInteger('runtime.resize', 'height', height, { min: 1, max });
    this.size.width = width;
    this.size.height = height;
  }

  /** Whether something that was begun is under way: a load, a bake, a capture, a script that waits. */
  get busy(): boolean {
    return this.turning !== null || this.pending.size > 0 || this.captures.count > 0;
  }

  /** Whether the next frame would show the same, as long as nobody changes the world from outside: nothing moves, waits or comes. */
  get still(): boolean {
    return (
      this.updates.scene.size === 0 &&
      this.mode === 'edit' &&
      !this.busy &&
      !this.renderer.adapting &&
      !this.renderer.water.needed() &&
      !this.controls.moving &&
      !this.input.pending
    );
  }

  /**
   * A frame without its picture: what a person did, the scene's callbacks, components, bodies in play, what follows the camera, and tessellated
   * surfaces, whose bakes are begun and not waited for.
   */
  async update(dt: number): Promise<void> {
    checkNumber('runtime.frame', 'dt', dt, { min: 0 });
    this.assertAlive('runtime.frame');
    this.time += dt;
    this.controls.frame(this.input.begin(), dt);
    await this.run('scene', dt);
    await this.run('components', dt);
    if (this.mode === 'play') await this.physics.step(dt);
    this.physics.sweep();
    this.bindings.sweep((id) => this.world.has(id));
    this.scatterBindings.sweep((id) => this.world.has(id));
    await this.run('follow', dt);
    this.tessellation.update(this.sight());
  }

  /** The ray of the world through a pixel of the picture (0, 0 is its upper left corner, 0.5, 0.5 the first pixel's middle). */
  pick(x: number, y: number): Ray {
    checkNumber('camera.pick', 'x', x);
    checkNumber('camera.pick', 'y', y);
    const { width, height } = this.size;
    return rayThrough(viewOf(this.world.mainCamera, width / height, null), x / width, y / height);
  }

  /**
   * Writes the next finished frame as a PNG (depth and normals also as a .texture of floats), of any size, without disturbing the
   * picture on the screen; resolves once the file stands.
   * @param owner what it goes with: see dropCaptures
   */
  capture(path: string, options: CaptureOptions = {}, owner?: object): Promise<void> {
    this.assertAlive('runtime.capture');
    return this.captures.add(path, options, owner);
  }

  /** Takes back the captures of `owner` that still wait for a frame; their promises reject. */
  dropCaptures(owner: object): void {
    this.captures.drop('the scene was closed before a frame was finished', owner);
  }

  /** The last finished frame, or the world as it left it in another size or channel, as a PNG file's bytes. */
  async picture(options: CaptureOptions = {}): Promise<Uint8Array> {
    this.assertAlive('runtime.picture');
    if (this.frames === 0) throw new MoonscapeError('runtime.picture: no frame is finished yet');
    return this.captures.picture('runtime.picture', options);
  }

  stats(): RuntimeStats {
    return this.renderer.stats();
  }

  /** Lets go of the device and of everything on it; the host closes once nothing of it is at work. */
  async destroy(): Promise<void> {
    if (this.destroyed) return;
    this.destroyed = true;
    this.captures.drop('the runtime was destroyed before a frame was finished');
    this.abandonPlay();
    this.physics.destroy();
    this.tessellation.destroy();
    this.bindings.clear();
    for (const terrain of [...this.terrains]) terrain.destroy();
    for (const guest of [...this.guests]) guest.destroy();
    this.renderer.destroy();
    await this.gpu.destroy();
    this.host.close();
  }

  /** What adaptive surfaces are seen by in this frame. */
  private sight(): Sight {
    const { world, size, time } = this;
    return {
      view: () => viewOf(world.mainCamera, size.width / size.height, null),
      height: size.height,
      time,
    };
  }

  private async run(phase: Phase, dt: number): Promise<void> {
    const callbacks = this.updates[phase];
    for (const callback of [...callbacks]) {
      if (!callbacks.has(callback)) continue;
      const work = callback(dt);
      if (work) await this.pace(work, () => callbacks.delete(callback));
    }
  }

  /**
   * Awaits a callback as far as a frame does: to its end in a headless run; on a screen only until it is seen to wait for something. There its
   * error goes to `live`, and `failed` is called.
   */
  async pace(work: Promise<void>, failed?: () => void): Promise<void> {
    const { live } = this;
    if (!live) return work;
    let ended = false;
    work
      .catch((error: unknown) => {
        failed?.();
        live(error);
      })
      .finally(() => {
        ended = true;
      });
    // What waits for nothing has ended after a few turns of promises.
    for (let turn = 0; turn < PROMISE_TURNS && !ended; turn++) await null;
  }

  private assertAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: the runtime is destroyed`);
  }
}
