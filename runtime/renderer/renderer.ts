// The forward renderer: from a world to a picture. It holds the meshes and materials by guid, the ordered list of
// passes, and the last picture. The runtime calls render once a frame. Past 400 lines, as frames and captures share what
// they are drawn with; passes, exposure, targets and captured texels are files of their own.
import { checkOneOf, MoonscapeError, refuse } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { Scatter } from '../scatter/scatter.js';
import type { World } from '../world/world.js';
import type { CaptureRequest, Shot } from './capture.js';
import { TONE_MAPPERS, type ToneMapper } from './exposure.js';
import { ForwardPass } from './forwardPass.js';
import { castsShadows, FrameBinding, gatherFrame, hasLocalLights, type Frame } from './frame.js';
import { MaterialStore } from './materialStore.js';
import { MeshStore } from './meshStore.js';
import { MeterPass } from './meterPass.js';
import { DEEP_FORMAT, type PassStats, type ScenePass } from './pass.js';
import { ScatterPass } from './scatterPass.js';
import { ShadowPass } from './shadowPass.js';
import { SkyPass } from './skyPass.js';
import { Solids } from './solids.js';
import { SURVEY_BYTES, SurveyPass } from './surveyPass.js';
import { PICTURE_BYTES, readTexels, Targets } from './targets.js';
import { TonemapPass, type ToneMapping } from './tonemapPass.js';
import { ViewPass, VIEWS, type ViewName } from './viewPass.js';
import { WaterPass } from './waterPass.js';

/** What the last frame cost. */
export interface RendererStats {
  draws: number;
  /** Submitted: of a scatter those of all its instances, as what is left of them after culling is known on the GPU alone. */
  triangles: number;
  passes: Record<string, PassStats>;
  /** Compute dispatches since the frame before it, as countDispatch was told. */
  dispatches: number;
  /** Live bytes of GPU buffers and textures, now. */
  bytes: number;
}

interface Size {
  width: number;
  height: number;
}

export interface Picture {
  width: number;
  height: number;
  /** rgba, 8 bits, sRGB, rows from the top. */
  data: Uint8Array<ArrayBuffer>;
}

export class Renderer {
  readonly meshes: MeshStore;
  readonly materials: MaterialStore;
  /** A flat background, sRGB parts 0..1, in place of the sky, the fog and the tone mapping behind things. */
  background: Frame['background'] = null;
  /** Standing waters; what draws them adds them here. */
  readonly water: WaterPass;
  /** Seconds that the next frame is long: how far a metered exposure goes. */
  dt = 0;
  private readonly frame: FrameBinding;
  private readonly solids: Solids;
  private readonly shadows: ShadowPass;
  /** What is drawn into the scene, in this order. */
  private readonly scenePasses: ScenePass[];
  private readonly scatter: ScatterPass;
  private readonly meter: MeterPass;
  private readonly tonemap: TonemapPass;
  private readonly survey: SurveyPass;
  private readonly views: ViewPass;
  private shownView: ViewName = 'shaded';
  private targets: Targets | null = null;
  private destroyed = false;
  private preparing: Promise<void> | null = null;
  private preparingLit: Promise<void> | null = null;
  private isReady = false;
  private isLitReady = false;
  /** Passes that not every world needs: their pipelines as they are compiled, by name and light. */
  private readonly compiling = new Map<string, Promise<void>>();
  private readonly compiled = new Set<string>();
  private pendingDispatches = 0;
  private last: Omit<RendererStats, 'bytes'> = { draws: 0, triangles: 0, passes: {}, dispatches: 0 };

  constructor(private readonly gpu: Gpu) {
    this.meshes = new MeshStore(gpu);
    this.materials = new MaterialStore();
    this.frame = new FrameBinding(gpu);
    this.scatter = new ScatterPass(gpu, this.frame, this.meshes, this.materials);
    this.solids = new Solids(gpu, this.meshes, this.materials);
    this.shadows = new ShadowPass(gpu, this.frame, this.solids, this.scatter);
    this.water = new WaterPass(gpu, this.frame, this.meshes);
    this.scenePasses = [
      new ForwardPass(gpu, this.frame, this.meshes, this.materials, this.solids),
      this.scatter,
      new SkyPass(gpu, this.frame),
      this.water,
    ];
    this.meter = new MeterPass(gpu);
    this.tonemap = new TonemapPass(gpu, this.frame);
    this.survey = new SurveyPass(gpu, this.frame, this.solids, this.scatter);
    this.views = new ViewPass(gpu, this.frame, this.meshes, this.solids, this.scatter, this.water);
  }

  /** What frames show; `shaded` until setView says otherwise. */
  get view(): ViewName {
    return this.shownView;
  }

  /** Has frames show one of VIEWS from the next one on, after `ready`. Refuses another name, listing them. */
  setView(view: ViewName): void {
    this.shownView = checkOneOf('renderer.setView', 'view', view, VIEWS);
    if (view === 'shaded') this.views.release();
  }

  /**
   * Resolves when every pipeline is compiled that a picture of `world` needs, or of any world if none is given. render
   * needs it once, and again once there are point or spot lights, shadows, or something else that not every world has.
   */
  async ready(world?: World): Promise<void> {
    const always = this.scenePasses.filter((pass) => !pass.needed);
    const lit = !world || hasLocalLights(world);
    this.preparing ??= Promise.all([
      ...always.map((pass) => pass.ready(false)),
      this.tonemap.ready('neutral'),
    ]).then(() => {
      // Who destroys it while it compiles gets none of it.
      if (!this.destroyed) this.warm();
      this.isReady = true;
    });
    if (lit)
      this.preparingLit ??= Promise.all(always.map((pass) => pass.ready(true))).then(() => {
        this.isLitReady = true;
      });
    const others = this.scenePasses.filter((pass) => pass.needed?.());
    const lights = world ? [lit] : [false, true];
    // Works the sky out while the pipelines compile: it is kept until the frame asks for it.
    if (world) castsShadows(world);
    await Promise.all([
      ...[this.preparing, this.preparingLit],
      ...others.map((pass) => this.compile(pass, lit)),
      ...this.scenePasses.flatMap((pass) => lights.map((some) => pass.readyFor?.(!world, some))),
    ]);
    if (!world || castsShadows(world)) await this.shadows.ready();
    const camera = world?.mainCamera.components.get('Camera');
    for (const toneMapper of TONE_MAPPERS)
      if (!camera || camera.get('toneMapper') === toneMapper) await this.tonemap.ready(toneMapper);
    if (!camera || camera.get('exposure') === 'picture') await this.meter.ready();
    await this.views.ready(this.shownView);
  }

  /**
   * Encodes and submits one frame from the world's on-screen camera; the picture stays until the next one.
   * @param size pixels, each side from 1 to the adapter's texture limit
   */
  render(world: World, size: Size): void {
    if (!this.isReady) throw new MoonscapeError('renderer.render: await renderer.ready() first');
    const { width, height } = size;
    Targets.check(this.gpu, width, height);
    const view = this.shownView;
    if (view !== 'shaded') this.views.assertReady(view);
    const frame = this.gather(world, size, { shaded: view === 'shaded' });
    if (view !== 'shaded') return this.renderView(frame, view);
    const { metered, toneMapper } = frame.exposure;
    this.tonemap.checkReady(toneMapper);
    if (metered && !this.meter.compiled)
      throw new MoonscapeError('renderer.render: await renderer.ready(world) first, for its exposure');
    const targets = this.ensureTargets(width, height);
    const encoder = this.gpu.device.createCommandEncoder({ label: 'frame' });
    const passes: Record<string, PassStats> = {};
    this.countDispatch(this.encodeScene(encoder, frame, targets, passes));
    if (metered) this.countDispatch(this.meter.encode(encoder, targets.resolved, this.dt));
    else this.meter.reset();
    passes[this.tonemap.name] = this.tonemap.encode(encoder, this.mapping(targets, toneMapper));
    this.gpu.device.queue.submit([encoder.finish()]);
    this.shadows.submitted();
    this.count(passes);
  }

  /**
   * A picture of the world as it stands, of any size, beside the one on the screen, which it leaves as it is; exposed as that
   * one was. What it is drawn with is freed. Refused where the adapter has not the memory.
   */
  async capture(world: World, request: CaptureRequest): Promise<Shot> {
    const { width, height, channel, bits } = request;
    const where = 'renderer.capture';
    await this.ready(world);
    if (channel === 'color') {
      const toneMapper = world.mainCamera.components.get('Camera')!.get('toneMapper') as ToneMapper;
      if (bits === 16) await this.tonemap.ready(toneMapper, DEEP_FORMAT);
      if (bits === 16) await this.views.ready(this.shownView, DEEP_FORMAT);
    } else await this.survey.ready();
    const { device } = this.gpu;
    const { aspect } = world;
    // Textures that there was no memory for spoil the commands that name them: those complaints are kept from later frames.
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    let drawn: { picture: GPUTexture; free: () => void };
    let complaints: Promise<GPUError | null>[];
    try {
      drawn = channel === 'color' ? this.drawColor(world, request) : this.drawSurvey(world, request);
    } finally {
      complaints = [device.popErrorScope(), device.popErrorScope()];
      world.aspect = aspect;
    }
    try {
      const [invalid, memory] = await Promise.all(complaints);
      if (memory) refuse(where, 'size', 'what the adapter has memory for', `${width}x${height}`);
      if (invalid) throw new MoonscapeError(`${where}: the GPU refused a command: ${invalid.message}`);
      const bytes = channel === 'color' ? PICTURE_BYTES[bits] : SURVEY_BYTES;
      const { buffer } = await readTexels(this.gpu, drawn.picture, bytes);
      const Pixels = channel !== 'color' ? Float32Array : bits === 16 ? Uint16Array : Uint8Array;
      return { width, height, channel, data: new Pixels(buffer) };
    } finally {
      drawn.free();
    }
  }

  /** The last picture's pixels. Refused before there is one. */
  async readPixels(): Promise<Picture> {
    if (!this.targets) throw new MoonscapeError('renderer.readPixels: nothing has been rendered yet');
    const { picture, width, height } = this.targets;
    return { width, height, data: await readTexels(this.gpu, picture, PICTURE_BYTES[8]) };
  }

  /** The last picture was metered, so that the next may be exposed otherwise even if it shows the same. */
  get adapting(): boolean {
    return this.meter.active;
  }

  /** Pixels that a picture's side may have on this adapter. */
  get longestSide(): number {
    return this.gpu.limits.maxTextureDimension2D;
  }

  /** The last picture as a texture (rgba8unorm, sRGB bytes), or null; replaced when the size changes. */
  get picture(): GPUTexture | null {
    return this.targets?.picture ?? null;
  }

  /** The scatters that stand: each enters when it is made and leaves when it is destroyed. */
  get scatters(): Set<Scatter> {
    return this.scatter.scatters;
  }

  stats(): RendererStats {
    return { ...this.last, bytes: this.gpu.bytes };
  }

  /** Counts compute dispatches toward the frame that is rendered next. */
  countDispatch(count = 1): void {
    this.pendingDispatches += count;
  }

  /** Frees targets, meshes, materials and blocks. Buffers handed in stay their makers'. */
  destroy(): void {
    this.destroyed = true;
    this.targets?.destroy();
    this.targets = null;
    this.meshes.destroyAll();
    this.materials.destroyAll();
    for (const pass of this.scenePasses) pass.destroy();
    this.shadows.destroy();
    this.views.release();
    this.solids.destroy();
    this.meter.destroy();
    this.frame.destroy();
    this.isReady = false;
    this.isLitReady = false;
    this.compiled.clear();
  }

  /** Compiles a pass that not every world needs, once for the sun alone and once for other lights. */
  private compile(pass: ScenePass, lit: boolean): Promise<void> {
    const key = compileKey(pass, lit);
    let work = this.compiling.get(key);
    if (!work) {
      work = pass.ready(lit).then(() => void this.compiled.add(key));
      this.compiling.set(key, work);
    }
    return work;
  }

  /** Gathers a frame and sends all that its draws read. `shaded`: with the sun's shadows, whose maps are made for `shown`. */
  private gather(world: World, size: Size, { shaded = true, shown = size } = {}): Frame {
    const frame = gatherFrame(world, size, this.background);
    if (frame.lit && !this.isLitReady)
      throw new MoonscapeError('renderer.render: await renderer.ready(world) first, for its lights');
    const used = this.used();
    for (const pass of used)
      if (pass.needed && !this.compiled.has(compileKey(pass, frame.lit)))
        throw new MoonscapeError(`renderer.render: await renderer.ready(world) first, for its ${pass.name}`);
    this.solids.gather(frame);
    if (shaded) this.shadows.prepare(frame, shown);
    const cascades = shaded ? this.shadows.cascades : [];
    this.solids.place(frame, cascades);
    for (const pass of used) pass.prepare?.(frame, cascades);
    this.frame.write(frame, cascades);
    return frame;
  }

  /** The passes that this frame's world has something for. */
  private used(): ScenePass[] {
    return this.scenePasses.filter((pass) => !pass.needed || pass.needed());
  }

  /** Encodes the compute work, the shadows and the scene of a gathered frame. Answers how many dispatches that was. */
  private encodeScene(
    encoder: GPUCommandEncoder,
    frame: Frame,
    targets: Targets,
    passes: Record<string, PassStats>,
  ): number {
    const used = this.used();
    let dispatches = 0;
    for (const pass of used) dispatches += pass.encode?.(encoder, frame) ?? 0;
    this.shadows.encode(encoder, passes);
    const scene = this.beginScene(encoder, targets);
    for (const pass of used) passes[pass.name] = pass.draw(scene, frame);
    scene.end();
    return dispatches;
  }

  private mapping({ resolved, picture }: Targets, toneMapper: ToneMapper): ToneMapping {
    return { scene: resolved, picture, toneMapper, metered: this.meter.factor };
  }

  private drawColor(world: World, { width, height, bits }: CaptureRequest) {
    const view = this.shownView;
    const frame = this.gather(
      world,
      { width, height },
      { shaded: view === 'shaded', shown: this.targets ?? undefined },
    );
    const targets = new Targets(this.gpu, width, height, bits);
    const encoder = this.gpu.device.createCommandEncoder({ label: 'capture' });
    if (view === 'shaded') {
      this.encodeScene(encoder, frame, targets, {});
      this.tonemap.encode(encoder, this.mapping(targets, frame.exposure.toneMapper));
    } else {
      if (this.scatter.needed()) this.scatter.encode(encoder);
      this.views.encode(encoder, view, frame, targets);
    }
    this.gpu.device.queue.submit([encoder.finish()]);
    return { picture: targets.picture, free: () => targets.destroy() };
  }

  private drawSurvey(world: World, { width, height }: CaptureRequest) {
    const frame = this.gather(world, { width, height }, { shaded: false });
    const encoder = this.gpu.device.createCommandEncoder({ label: 'capture' });
    for (const pass of this.used()) pass.encode?.(encoder, frame);
    const { survey, free } = this.survey.encode(encoder, { width, height });
    this.gpu.device.queue.submit([encoder.finish()]);
    return { picture: survey, free };
  }

  /** A frame of a view: without light, shadows, sky, exposure and tone mapping. */
  private renderView(frame: Frame, view: ViewName): void {
    const targets = this.ensureTargets(frame.width, frame.height);
    const encoder = this.gpu.device.createCommandEncoder({ label: 'view' });
    if (this.scatter.needed()) this.countDispatch(this.scatter.encode(encoder));
    const stats = this.views.encode(encoder, view, frame, targets);
    this.meter.reset();
    this.gpu.device.queue.submit([encoder.finish()]);
    this.count({ view: stats });
  }

  private beginScene(encoder: GPUCommandEncoder, targets: Targets): GPURenderPassEncoder {
    const scene = encoder.beginRenderPass({
      label: 'scene',
      timestampWrites: this.gpu.timer?.writes('scene'),
      ...targets.attachments,
    });
    scene.setBindGroup(0, this.frame.group);
    return scene;
  }

  /** Drivers may turn a pipeline into code at its first draw only: a picture of nothing, so that the first frame need not wait for it. */
  private warm(): void {
    const { device } = this.gpu;
    const targets = new Targets(this.gpu, 1, 1);
    const encoder = device.createCommandEncoder({ label: 'warm-up' });
    const scene = this.beginScene(encoder, targets);
    const used = this.scenePasses.map((pass) => (pass.needed ? null : pass.warm(scene)));
    scene.end();
    this.tonemap.encode(encoder, this.mapping(targets, 'neutral'));
    device.queue.submit([encoder.finish()]);
    targets.destroy();
    for (const buffer of used) this.gpu.free(buffer);
  }

  private ensureTargets(width: number, height: number): Targets {
    if (this.targets?.width === width && this.targets.height === height) return this.targets;
    this.targets?.destroy();
    return (this.targets = new Targets(this.gpu, width, height));
  }

  private count(passes: Record<string, PassStats>): void {
    let [draws, triangles] = [0, 0];
    for (const pass of Object.values(passes)) {
      draws += pass.draws;
      triangles += pass.triangles;
    }
    this.last = { draws, triangles, passes, dispatches: this.pendingDispatches };
    this.pendingDispatches = 0;
  }
}

const compileKey = (pass: ScenePass, lit: boolean) => `${pass.name}${lit ? ', lit' : ''}`;
