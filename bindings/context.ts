// What the bindings of one scene share: the runtime they drive, and everything the scene's scripts made, so that it goes when the
// scene goes (Fengari has no finalizers). openLua makes one for each VM; bindings find theirs with contextOf.
import type { lua_State } from 'fengari';
import { MoonscapeError } from '../runtime/errors.js';
import type { GpuBuffer } from '../runtime/gpu/gpuBuffer.js';
import type { Runtime } from '../runtime/runtime.js';
import type { Heightfield } from '../runtime/terrain/heightfield.js';
import type { TerrainMesh } from '../runtime/terrain/terrainMesh.js';
import type { Entity } from '../runtime/world/entity.js';
import { ScriptComponents, type ScriptComponentOptions } from './scriptComponents.js';
import { checkCanWait, vmOf, wait, type Vm } from './vm/index.js';

/** What a context tells its host. */
export interface ContextOptions {
  /** Gets a line of a warning. */
  warn: (line: string) => void;
  /** Gets the load report of each ground that a script reads from a texture, as lines for a person. */
  report: (lines: string[]) => void;
  /** Where components written in Lua come from, and who gets their errors. */
  components: ScriptComponentOptions;
}

const contexts = new WeakMap<Vm, Context>();

/** The context of the scene whose script runs on `L`. */
export const contextOf = (L: lua_State): Context => contexts.get(vmOf(L))!;

export class Context {
  closed = false;
  private readonly callbacks = new Set<() => void>();
  private readonly heightfields = new Set<Heightfield>();
  private readonly terrains = new WeakSet<TerrainMesh>();
  private readonly guests = new Set<{ destroy(): void }>();
  private readonly entities = new WeakSet<Entity>();
  private readonly buffers = new Set<GpuBuffer>();
  private readonly meshes = new Set<string>();
  private readonly materials = new Set<string>();
  private readonly failures: unknown[] = [];
  /** Components written in Lua. */
  readonly components: ScriptComponents;
  /** Takes off the callbacks that were added in play. */
  private readonly playCallbacks = new Set<() => void>();
  private readonly leavePlay: () => void;
  private readonly resetCamera: () => void;

  constructor(
    readonly runtime: Runtime,
    readonly vm: Vm,
    readonly options: ContextOptions,
  ) {
    contexts.set(vm, this);
    const resetCamera = runtime.world.rememberCamera();
    const { controls } = runtime;
    const { style } = controls;
    this.resetCamera = () => {
      resetCamera();
      controls.style = style;
    };
    this.components = new ScriptComponents(runtime, vm, options.components);
    this.leavePlay = runtime.onPlay({
      ending: () => {
        for (const takeOff of this.playCallbacks) takeOff();
        this.playCallbacks.clear();
      },
    });
  }

  /** Keeps what takes a callback of the scene off again; one that is added in play goes at stop. */
  addCallback(takeOff: () => void): void {
    this.callbacks.add(takeOff);
    if (this.runtime.mode === 'play') this.playCallbacks.add(takeOff);
    if (this.closed) this.close();
  }

  /** Keeps a heightfield until it closes. */
  addHeightfield(hf: Heightfield): void {
    this.heightfields.add(hf);
    hf.onClose(() => void this.heightfields.delete(hf));
    this.refuseClosed();
  }

  /** Keeps a terrain mesh; the runtime's own list forgets it when it is destroyed. */
  addTerrain(state: TerrainMesh): void {
    this.terrains.add(state);
    this.refuseClosed();
  }

  /** Keeps something of a feature that is loaded when it is first asked for. */
  addGuest(guest: { destroy(): void }): void {
    this.guests.add(guest);
    this.refuseClosed();
  }

  addEntity(entity: Entity): void {
    this.entities.add(entity);
    this.refuseClosed();
  }

  addBuffer(buffer: GpuBuffer): void {
    this.buffers.add(buffer);
    this.refuseClosed();
  }

  ownsBuffer(buffer: GpuBuffer): boolean {
    return this.buffers.has(buffer);
  }

  forgetBuffer(buffer: GpuBuffer): void {
    this.buffers.delete(buffer);
  }

  addMesh(guid: string): void {
    this.meshes.add(guid);
    this.refuseClosed();
  }

  forgetMesh(guid: string): void {
    this.meshes.delete(guid);
  }

  addMaterial(guid: string): void {
    this.materials.add(guid);
    this.refuseClosed();
  }

  forgetMaterial(guid: string): void {
    this.materials.delete(guid);
  }

  /** Refuses a mesh that a terrain draws through: it goes with the terrain. */
  refuseTerrain(where: string, guid: string): void {
    for (const state of this.runtime.terrains)
      if (state.mesh === guid)
        throw new MoonscapeError(
          `${where}: the mesh ${guid} belongs to a terrain mesh; use terrainMesh.destroy`,
        );
  }

  /** Refuses a mesh that a Tessellation made: it goes with the component. */
  refuseTessellated(where: string, guid: string): void {
    if (this.runtime.tessellation.owns(guid))
      throw new MoonscapeError(
        `${where}: the mesh ${guid} belongs to a Tessellation; remove that, or change the Model's mesh`,
      );
  }

  /** Remembers an error of work that no script waits for (a capture). */
  fail(error: unknown): void {
    this.failures.push(error);
  }

  /** Throws the first error of work that no script waited for, once. */
  check(): void {
    if (this.failures.length > 0) throw this.failures.shift();
  }

  /** Takes the scene's callbacks off and frees all that its scripts made. A second close does nothing more. */
  close(): void {
    this.closed = true;
    const { world, renderer, bindings, terrains } = this.runtime;
    for (const takeOff of this.callbacks) takeOff();
    this.callbacks.clear();
    this.leavePlay();
    if (this.runtime.destroyed) return;
    this.runtime.dropCaptures(this);
    this.runtime.abandonPlay();
    for (const entity of world.entities()) {
      if (!this.entities.has(entity) || entity.destroyed) continue;
      // The on-screen camera always exists: it leaves a parent that goes.
      if (world.mainCamera.isWithin(entity)) world.mainCamera.parent = null;
      entity.destroy();
    }
    this.components.close();
    this.resetCamera();
    renderer.setView('shaded');
    bindings.sweep((id) => world.has(id));
    this.runtime.scatterBindings.sweep((id) => world.has(id));
    for (const state of [...terrains]) if (this.terrains.has(state)) state.destroy();
    for (const guest of this.guests) guest.destroy();
    this.guests.clear();
    for (const hf of [...this.heightfields]) hf.close();
    for (const guid of this.meshes) if (renderer.meshes.has(guid)) renderer.meshes.destroy(guid);
    for (const guid of this.materials) if (renderer.materials.has(guid)) renderer.materials.destroy(guid);
    for (const buffer of this.buffers) buffer.destroy();
    this.meshes.clear();
    this.materials.clear();
    this.buffers.clear();
  }

  /** Frees what came after the scene was closed (a load that was under way), and says so to the script. */
  private refuseClosed(): void {
    if (!this.closed) return;
    this.close();
    throw new MoonscapeError('this scene is closed');
  }
}

/**
 * Suspends the script until `work` has ended, and the end of the frame with it; then `deliver` pushes results and returns their
 * number. Work is not begun where Lua cannot be suspended. A rejection is an error at the script's line.
 */
export function waitFor<T>(
  L: lua_State,
  work: () => Promise<T>,
  deliver: (L: lua_State, value: T) => number = () => 0,
): number {
  checkCanWait(L);
  return wait(L, contextOf(L).runtime.track(work()), deliver);
}
