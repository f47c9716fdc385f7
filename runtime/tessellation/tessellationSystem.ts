// The system behind the component Tessellation: each frame it looks at what surfaces are to be made from, has their boundaries
// worked out, and bakes those that changed; what is baked takes the place of the Model's mesh in the MeshInstance. Owned by the
// runtime, which calls update once everything has moved. Long because it is one state machine: looked at, wanted, baked, installed.
import { MoonscapeError } from '../errors.js';
import type { Gpu } from '../gpu/gpu.js';
import type { Renderer } from '../renderer/renderer.js';
import type { View } from '../renderer/view.js';
import type { Component } from '../world/component.js';
import type { World } from '../world/world.js';
import { exactLevel, LEVEL_SPACING, Screen, sphereOf, steadyLevel } from './adaptive.js';
import { NO_PLAN, outputBytes, type BoundaryPlan, type Displacement } from './bakeJob.js';
import { Boundaries } from './boundaries.js';
import { TessellationResources, revisionOf } from './resources.js';
import { alikeStretch, stretchOf } from './stretch.js';
import { bakedBounds, shapeBounds, TessellatedSurface, type Shape } from './surface.js';
import type { BakedBuffers, TessellateKernels } from './tessellateKernels.js';
import { levelOf, tessellationComponent } from './tessellation.js';

/** Bytes of vertices and indices that a bake may make. */
const OUTPUT_CAP = 64 * 2 ** 20;

/** Reading, baking, and baking again what neighbours of those that came now ask for; more would be a fault. */
const ROUNDS = 8;

/** What surfaces of mode "adaptive" are seen by, asked only where there is one. */
export interface Sight {
  view(): View;
  /** Pixels of the picture from its upper to its lower edge. */
  height: number;
  /** Seconds of frames so far. */
  time: number;
}

/** One update's sight, and what is made of it where it is asked for. */
interface Now {
  readonly sight: Sight;
  /** Of this frame, once it is asked for; the object of the frame before where nothing moved. */
  screen: Screen | null;
}

export interface TessellationStats {
  surfaces: number;
  /** Bakes so far. */
  bakes: number;
}

export class TessellationSystem {
  private readonly surfaces = new Map<Component, TessellatedSurface>();
  private readonly resources: TessellationResources;
  private readonly boundaries = new Boundaries();
  /** Those that boundaries are worked out for, of the last update. */
  private readonly standing: TessellatedSurface[] = [];
  private readonly pending = new Set<Promise<unknown>>();
  /** What the last frame that asked was seen on. */
  private screen: Screen | null = null;
  private baking = false;
  private bakes = 0;
  private failures: unknown[] = [];
  private destroyed = false;

  private readonly forgetRestore: () => void;

  /** Registers Tessellation in the world. `track` holds the end of a frame back for what is begun in it. */
  constructor(
    private readonly gpu: Gpu,
    world: World,
    private readonly renderer: Renderer,
    private readonly track: <T>(work: Promise<T>) => Promise<T>,
  ) {
    this.resources = new TessellationResources(gpu);
    this.forgetRestore = gpu.onRestore(() => this.bakeAnew());
    world.defineComponent(
      tessellationComponent({
        added: (instance) => void this.surfaces.set(instance, new TessellatedSurface(instance)),
        changed: (instance) => {
          const surface = this.surfaces.get(instance);
          if (surface) surface.dirty = true;
        },
        removed: (instance) => this.remove(instance),
        report: (instance) => this.surfaces.get(instance)?.report(),
      }),
    );
  }

  /** On another device what was baked is empty: it is due again, with the plan that it has. */
  private bakeAnew(): void {
    for (const surface of this.surfaces.values()) {
      surface.plan = { ...surface.plan };
      surface.frozen = false;
    }
  }

  /** Whether a mesh is what a surface is drawn as: it is not a script's to change. */
  owns(guid: string): boolean {
    for (const { baked } of this.surfaces.values()) if (baked?.guid === guid) return true;
    return false;
  }

  stats(): TessellationStats {
    return { surfaces: this.surfaces.size, bakes: this.bakes };
  }

  /** Brings all surfaces up to date and begins the bakes that are due. Throws what a source could not be read for, once. */
  update(sight: Sight): void {
    if (this.surfaces.size === 0) return;
    this.throwFailure();
    const { standing } = this;
    standing.length = 0;
    const now: Now = { sight, screen: null };
    for (const surface of this.surfaces.values()) {
      if (!this.isSettled(surface, now)) this.refresh(surface, now);
      if (surface.shape) standing.push(surface);
      else surface.plan = NO_PLAN;
    }
    for (const changed of this.boundaries.update(standing))
      (changed as TessellatedSurface).plan = this.boundaries.planOf(changed.id);
    if (this.baking) return;
    let due: TessellatedSurface[] | null = null;
    for (const surface of standing) if (isDue(surface)) (due ??= []).push(surface);
    if (due) this.begin(due);
  }

  /** Resolves once nothing that was begun is under way: with updates between, once all that is due stands. */
  async finish(sight: Sight): Promise<void> {
    for (let round = 0; this.pending.size > 0 && round < ROUNDS; round++) {
      await Promise.all(this.pending);
      if (this.gpu.lost) return;
      this.update(sight);
    }
  }

  /** Frees what stands. */
  destroy(): void {
    this.forgetRestore();
    this.destroyed = true;
    for (const instance of [...this.surfaces.keys()]) this.remove(instance);
  }

  /** Whether nothing that a surface is made from has changed since it was refreshed: a few numbers to compare. */
  private isSettled(surface: TessellatedSurface, now: Now): boolean {
    const { model, drawn, seen, texture, settings, status } = surface;
    if (surface.dirty || status === 'pending' || !model || !drawn || model.removed || drawn.removed)
      return false;
    const { meshes, materials } = this.renderer;
    if (
      model.version !== seen.model ||
      drawn.version !== seen.drawn ||
      meshes.version !== seen.meshes ||
      materials.version !== seen.materials ||
      (texture && revisionOf(texture) !== surface.revision) ||
      surface.entity.meshMatrix !== surface.placed
    )
      return false;
    if (!settings.adaptive || settings.rejected) return true;
    if (status === 'too_large') return false;
    // As it was on this very screen.
    if (surface.steadyOn && surface.steadyOn === this.screenOf(now)) return true;
    return this.adaptiveLevel(surface, now) === surface.shape?.level;
  }

  private refresh(surface: TessellatedSurface, now: Now): void {
    const { components } = surface.entity;
    const { meshes, materials } = this.renderer;
    const model = components.get('Model');
    const mesh = model && meshes.find(model.stored('mesh') as string);
    if (!mesh) return this.release(surface);
    if (surface.dirty) readSettings(surface);
    if (mesh !== surface.mesh) this.takeMesh(surface, mesh);
    this.takeMaterial(surface, model.stored('material') as string | null);
    const matrix = surface.entity.meshMatrix;
    if (matrix !== surface.placed) {
      surface.placed = matrix;
      surface.sphere = null;
      const stretch = stretchOf(matrix);
      if (!alikeStretch(stretch, surface.stretch)) surface.stretch = stretch;
    }
    this.keepDrawn(surface);
    surface.model = model;
    surface.drawn = components.get('MeshInstance') ?? null;
    Object.assign(surface.seen, {
      ...{ model: model.version, drawn: surface.drawn?.version ?? -1 },
      ...{ meshes: meshes.version, materials: materials.version },
    });
    this.decide(surface, now, mesh.indexCount / 3);
  }

  /** What is to stand, and the status of that. */
  private decide(surface: TessellatedSurface, now: Now, patches: number): void {
    const { settings } = surface;
    const fits = (level: number) => outputBytes(patches, level) <= OUTPUT_CAP;
    surface.frozen = false;
    if (settings.rejected) return this.freeze(surface, 'rejected_mode');
    if (!fits(settings.adaptive ? 0 : settings.level)) return this.freeze(surface, 'too_large');
    if (!this.isRead(surface)) {
      surface.status = 'pending';
      return;
    }
    const level = settings.adaptive ? this.adaptiveLevel(surface, now) : settings.level;
    if (!fits(level)) return this.freeze(surface, 'too_large');
    if (level !== surface.shape?.level) surface.levelChanged = now.sight.time;
    this.reshape(surface, level);
    surface.status = isDue(surface) ? 'pending' : settings.clamped ? 'clamped' : 'ok';
  }

  /** Leaves it with what stands. */
  private freeze(surface: TessellatedSurface, status: 'rejected_mode' | 'too_large'): void {
    surface.status = status;
    surface.frozen = true;
    const standing = surface.baked?.shape ?? null;
    if (surface.shape !== standing) this.setShape(surface, standing);
  }

  /** The level for the screen. The source has been read. */
  private adaptiveLevel(surface: TessellatedSurface, now: Now): number {
    const { settings, shape, entry } = surface;
    const { level: ceiling, screenError } = settings;
    let radius = 0;
    if (screenError > 0) {
      const screen = this.screenOf(now);
      surface.sphere ??= sphereOf(
        shape?.bounds ?? shapeBounds(entry!.source!, displacementOf(surface)),
        surface.placed!,
      );
      radius = screen.radius(surface.sphere);
    }
    const exact = exactLevel(radius, (shape?.source ?? entry!.source!).patchCount, screenError);
    const active = shape ? shape.level : null;
    const level = steadyLevel(exact, active, ceiling);
    // The ceiling is never passed, whatever the time.
    const waits =
      active !== null && active <= ceiling && now.sight.time - surface.levelChanged < LEVEL_SPACING;
    surface.steadyOn = waits && level !== active ? null : now.screen;
    return waits ? active : level;
  }

  private screenOf(now: Now): Screen {
    if (now.screen) return now.screen;
    const screen = new Screen(now.sight.view(), now.sight.height);
    if (!this.screen?.sees(screen)) this.screen = screen;
    return (now.screen = this.screen!);
  }

  /** Makes the shape another where anything of it is. */
  private reshape(surface: TessellatedSurface, level: number): void {
    const { shape, mesh, entry, heightEntry, stretch, settings } = surface;
    if (
      shape &&
      shape.entry === entry &&
      shape.level === level &&
      shape.heightEntry === heightEntry &&
      shape.scale === settings.scale &&
      shape.stretch === stretch
    )
      return;
    const source = entry!.source!;
    const displacement = displacementOf(surface);
    const same = shape?.entry === entry && sameDisplacement(shape, displacement);
    const bounds = same ? shape.bounds : shapeBounds(source, displacement);
    const fresh: Shape = { mesh: mesh!, entry: entry!, source, heightEntry, level, bounds, ...displacement };
    this.setShape(surface, fresh);
  }

  /** Shapes hold what they are made from. */
  private setShape(surface: TessellatedSurface, shape: Shape | null): void {
    hold(shape);
    const old = surface.shape;
    surface.shape = shape;
    surface.sphere = null;
    surface.steadyOn = null;
    surface.version++;
    this.letGo(old);
  }

  private letGo(shape: Shape | null): void {
    if (!shape) return;
    this.resources.releaseSource(shape.entry);
    this.resources.releaseHeights(shape.heightEntry);
  }

  private takeMesh(surface: TessellatedSurface, mesh: NonNullable<TessellatedSurface['mesh']>): void {
    // Another mesh is drawn as it is until it is baked; the same one changed is drawn as it was.
    if (surface.mesh && surface.mesh.guid !== mesh.guid) this.takeDown(surface);
    surface.mesh = mesh;
    this.resources.releaseSource(surface.entry);
    surface.entry = null;
  }

  /** Whether the source has been read; begins to where that has not begun. */
  private isRead(surface: TessellatedSurface): boolean {
    if (surface.entry) return surface.entry.source !== null;
    const entry = this.resources.source(surface.mesh!);
    surface.entry = entry;
    if (entry.source) return true;
    this.work(
      entry.reading.then(() => {
        // What is gone by now need not be readable.
        const gone = entry.users === 0 || this.renderer.meshes.find(entry.mesh.guid) !== entry.mesh;
        if (!entry.error || gone) return;
        this.failures.push(entry.error);
        // Said once.
        entry.error = null;
      }),
    );
    return false;
  }

  private takeMaterial(surface: TessellatedSurface, guid: string | null): void {
    const material = guid === null ? undefined : this.renderer.materials.find(guid);
    const texture = material?.maps.displacementMap ?? null;
    const revision = texture ? revisionOf(texture) : -1;
    if (material === surface.material && revision === surface.revision) return;
    surface.material = material;
    surface.texture = texture;
    surface.revision = revision;
    const entry = texture ? this.resources.heightsOf(texture, material!.wrap === 'clamp') : null;
    this.resources.releaseHeights(surface.heightEntry);
    surface.heightEntry = entry;
  }

  /** Has the MeshInstance draw what is baked, also after its Model made it anew. */
  private keepDrawn({ entity, baked }: TessellatedSurface): void {
    if (!baked) return;
    const drawn = entity.components.get('MeshInstance');
    if (drawn && drawn.stored('mesh') !== baked.guid) drawn.fill({ mesh: baked.guid });
  }

  private begin(due: TessellatedSurface[]): void {
    this.baking = true;
    const jobs = due.map((surface) => ({
      surface,
      shape: surface.shape!,
      plan: surface.plan,
    }));
    for (const { surface, shape } of jobs) {
      surface.status = 'pending';
      hold(shape);
    }
    const work = import('./tessellateKernels.js')
      .then(({ TessellateKernels }) => TessellateKernels.of(this.gpu))
      .then((kernels) => this.install(kernels, jobs))
      .catch((error: unknown) => void this.failures.push(error))
      .finally(() => {
        this.baking = false;
        for (const { shape } of jobs) this.letGo(shape);
      });
    this.work(work);
  }

  /** Bakes what is still wanted, all in one submit, and swaps it in. */
  private install(
    kernels: TessellateKernels,
    jobs: { surface: TessellatedSurface; shape: Shape; plan: BoundaryPlan }[],
  ): void {
    if (this.gpu.lost || this.destroyed) return;
    const wanted = jobs.filter(
      ({ surface, shape }) =>
        this.surfaces.get(surface.instance) === surface && surface.shape?.mesh.guid === shape.mesh.guid,
    );
    if (wanted.length === 0) return;
    const baked = kernels.bake(
      wanted.map(({ surface, shape, plan }) => ({
        job: { ...shape, plan },
        source: shape.entry.on(kernels),
        heights: shape.heightEntry?.on(kernels) ?? null,
        into: surface.baked?.buffers,
      })),
    );
    this.bakes += wanted.length;
    this.renderer.countDispatch(wanted.length);
    wanted.forEach(({ surface, shape, plan }, i) => {
      const { vertexBuffer, indexBuffer, indexCount } = baked[i];
      const { meshes } = this.renderer;
      const fields = {
        ...{ vertexBuffer, indexBuffer, indexCount, firstIndex: 0 },
        bounds: bakedBounds(shape, plan),
        ground: shape.mesh.ground,
      };
      const old = surface.baked;
      const standing = old && meshes.has(old.guid);
      if (standing) meshes.update(old.guid, fields);
      const guid = standing ? old.guid : meshes.createBounded(fields);
      if (old && old.buffers !== baked[i]) free(old.buffers);
      hold(shape);
      surface.baked = { shape, plan, guid, buffers: baked[i] };
      this.letGo(old?.shape ?? null);
      this.keepDrawn(surface);
      if (surface.shape === shape && surface.status === 'pending')
        surface.status = surface.settings.clamped ? 'clamped' : 'ok';
    });
  }

  /** Puts the Model's mesh back and frees what was baked. */
  private takeDown(surface: TessellatedSurface): void {
    const { baked, entity } = surface;
    surface.baked = null;
    if (baked) {
      const source = entity.components.get('Model')?.stored('mesh');
      const drawn = entity.components.get('MeshInstance');
      if (drawn && drawn.stored('mesh') === baked.guid) drawn.fill({ mesh: source });
      if (this.renderer.meshes.has(baked.guid)) this.renderer.meshes.destroy(baked.guid);
      free(baked.buffers);
      this.letGo(baked.shape);
    }
    if (surface.shape) this.setShape(surface, null);
  }

  /** Gives everything back: there is no mesh to be made from. */
  private release(surface: TessellatedSurface): void {
    if (!surface.mesh) return;
    this.takeDown(surface);
    this.resources.releaseSource(surface.entry);
    this.resources.releaseHeights(surface.heightEntry);
    Object.assign(surface, {
      ...{ mesh: null, entry: null, heightEntry: null, material: undefined, texture: null },
      ...{ revision: -1, status: '', placed: null },
    });
  }

  private remove(instance: Component): void {
    const surface = this.surfaces.get(instance);
    if (!surface) return;
    this.release(surface);
    this.surfaces.delete(instance);
    if (this.surfaces.size === 0) this.boundaries.update([]);
  }

  private work(work: Promise<unknown>): void {
    this.pending.add(work);
    void this.track(work.finally(() => this.pending.delete(work)));
  }

  private throwFailure(): void {
    const [first] = this.failures.splice(0);
    if (first === undefined || this.gpu.lost) return;
    throw first instanceof Error ? first : new MoonscapeError(String(first));
  }
}

const displacementOf = ({ heightEntry, settings, stretch }: TessellatedSurface): Displacement => ({
  heights: heightEntry?.map ?? null,
  scale: settings.scale,
  stretch,
});

/** Whether something else is to stand than what stands. */
const isDue = ({ shape, baked, plan, frozen }: TessellatedSurface): boolean =>
  !frozen && shape !== null && (baked?.shape !== shape || baked.plan !== plan);

function free({ vertexBuffer, indexBuffer }: BakedBuffers): void {
  vertexBuffer.destroy();
  indexBuffer.destroy();
}

/** A shape's source and heights are not freed while somebody holds it. */
function hold(shape: Shape | null): void {
  if (!shape) return;
  shape.entry.users++;
  if (shape.heightEntry) shape.heightEntry.users++;
}

const sameDisplacement = (
  shape: Shape,
  { heights, scale, stretch }: Pick<Shape, 'heights' | 'scale' | 'stretch'>,
) => shape.heights === heights && shape.scale === scale && shape.stretch === stretch;

function readSettings(surface: TessellatedSurface): void {
  const { instance } = surface;
  const mode = instance.stored('mode');
  surface.dirty = false;
  surface.stitch = instance.stored('stitch') as boolean;
  surface.settings = {
    ...levelOf(instance.stored('level') as number),
    scale: instance.stored('displacementScale') as number,
    adaptive: mode === 'adaptive',
    rejected: mode !== 'static' && mode !== 'adaptive',
    screenError: instance.stored('screenError') as number,
  };
}
