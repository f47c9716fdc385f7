// What scenes have of physics: bodies that move in play, ground that they rest on, rays in edit and in play. Made with the runtime;
// the engine behind it is loaded when the first collider is asked about or the first body moves.
import { checkFields, checkNumber, MoonscapeError, refuse } from '../errors.js';
import { castGroundRay } from '../terrain/groundRay.js';
import type { Heightfield } from '../terrain/heightfield.js';
import type { Component } from '../world/component.js';
import type { Entity } from '../world/entity.js';
import { checkVector, vec3, type Vec3, type VectorLike } from '../world/vector.js';
import type { World } from '../world/world.js';
import { ColliderState } from './colliderState.js';
import { MeshTrianglesCache, type MeshLookup } from './meshTriangles.js';
import { physicsComponents } from './physicsComponents.js';
import { loadRapier, rapierIfLoaded } from './rapier.js';
import { Simulation } from './simulation.js';
import { SolidRays } from './solidRay.js';

export interface RaycastOptions {
  /** Metres. */
  origin: VectorLike;
  /** Of any length but 0. */
  direction: VectorLike;
  /** Metres, at least 0; default unlimited. */
  maxDistance?: number;
}

export interface RaycastHit {
  /** Whose collider or ground was met. */
  entity: Entity;
  point: Vec3;
  /** Unit length, on the side that the ray came from. */
  normal: Vec3;
  /** Metres. */
  distance: number;
}

/** What stands of physics, for statistics and specs. */
export interface PhysicsStats {
  /** RigidBody and Collider components, and grounds. */
  components: number;
  grounds: number;
  /** In the simulation: bodies, colliders (tiles of ground among them), tiles, tiles built, and built again after edits. */
  bodies: number;
  colliders: number;
  tiles: number;
  built: number;
  rebuilt: number;
  /** Solids that rays are cast at. */
  solids: number;
}

interface Ground {
  hf: Heightfield;
  release(): void;
}

/** A step of the simulation is at most this long, seconds. */
const LONGEST_STEP = 1 / 60;
/** Of a frame's length that is a whole number of steps but for rounding. */
const STEP_SLACK = 1e-6;
/** Seconds that one call may advance: a minute is 3,600 steps. */
const LONGEST_FRAME = 60;
/** Solids kept for rays beyond those that colliders have now. */
const SPARE_SOLIDS = 64;

export class Physics {
  private readonly bodies = new Set<Component>();
  private readonly states = new Map<Component, ColliderState>();
  private readonly grounds = new Map<number, Ground>();
  private readonly meshes: MeshTrianglesCache;
  private playing = false;
  /** Counts the plays: a step that waited is not for the next one. */
  private plays = 0;
  private simulation: Simulation | null = null;
  private rays: SolidRays | null = null;
  /** Steps that wait for the engine or for meshes, one after the other. */
  private waiting: Promise<void> | null = null;

  /** Registers RigidBody and Collider in the world. `meshes` is where shapes of kind mesh come from. */
  constructor(
    private readonly world: World,
    meshes: MeshLookup,
  ) {
    this.meshes = new MeshTrianglesCache(meshes);
    for (const type of physicsComponents({
      added: (instance) => this.added(instance),
      changed: (instance, field) => this.changed(instance, field),
      removed: (instance) => this.removed(instance),
      live: (instance, field) => this.live(instance, field),
    }))
      world.defineComponent(type);
  }

  /** Play begins: bodies move from the next step on. */
  begin(): void {
    this.playing = true;
    this.plays++;
    // Whoever steps waits for it; an error is met there.
    if (this.bodies.size > 0) loadRapier().catch(() => {});
  }

  /** Play ends: velocities and sleep are forgotten. A second time does nothing. */
  end(): void {
    this.playing = false;
    this.simulation?.free();
    this.simulation = null;
  }

  /**
   * Advances the bodies by `dt` seconds, 0..60, in even steps of at most 1/60 s. Nothing happens in edit and where there is no RigidBody.
   * The promise, where there is one, is for the engine's first load or a mesh's; steps keep their order.
   */
  step(dt: number): void | Promise<void> {
    checkNumber('physics.step', 'dt', dt, { min: 0, max: LONGEST_FRAME });
    if (!this.playing || this.bodies.size === 0 || dt === 0) return undefined;
    if (!this.busy) return this.advance(dt);
    const { plays } = this;
    const waiting = (this.waiting ?? Promise.resolve())
      .then(() => this.prepare())
      .then(() => {
        if (this.playing && this.plays === plays) this.advance(dt);
      });
    const settled = waiting.catch(() => {});
    this.waiting = settled;
    void settled.then(() => {
      if (this.waiting === settled) this.waiting = null;
    });
    return waiting;
  }

  /** Gives an entity ground: bodies rest on it and rays meet it, as long as the heightfield is open. It takes the place of what the entity had. */
  addGround(entityId: number, hf: Heightfield): void {
    const where = 'terrainCollider.add';
    this.world.get(entityId, where);
    hf.assertOpen(where);
    if (this.grounds.get(entityId)?.hf === hf) return;
    for (const [id, ground] of this.grounds)
      if (ground.hf === hf)
        throw new MoonscapeError(
          `${where}: this heightfield is the ground of the entity ${this.world.get(id)} already`,
        );
    this.removeGround(entityId);
    const off = [
      hf.onEdit({ edited: ({ area }) => this.simulation?.groundChanged(hf, area) }),
      hf.onRefresh(() => this.simulation?.groundChanged(hf)),
      hf.onClose(() => void this.removeGround(entityId)),
    ];
    this.grounds.set(entityId, { hf, release: () => off.forEach((take) => take()) });
    this.simulation?.addGround(hf);
  }

  /** Takes an entity's ground away; answers whether it had any. */
  removeGround(entityId: number): boolean {
    const ground = this.grounds.get(entityId);
    if (!ground) return false;
    this.grounds.delete(entityId);
    ground.release();
    this.simulation?.removeGround(ground.hf);
    return true;
  }

  /** Whether a step would wait. */
  get busy(): boolean {
    return this.waiting !== null || !this.ready;
  }

  /** Whether `raycast` can answer at once: no collider stands, or the engine is loaded and meshes are read. */
  get ready(): boolean {
    if (this.bodies.size === 0 && this.states.size === 0) return true;
    return rapierIfLoaded() !== null && this.missingMeshes().length === 0;
  }

  /** Loads the engine and reads the meshes that colliders need. */
  async prepare(): Promise<void> {
    while (!this.ready) {
      await loadRapier();
      await Promise.all(this.missingMeshes().map((guid) => this.meshes.read(guid)));
    }
  }

  /**
   * The nearest collider or ground along a ray, or null. Ground is met from both sides, as are meshes; any other collider that
   * the ray starts in is not met. Refused while `ready` is false.
   */
  raycast(options: RaycastOptions): RaycastHit | null {
    const { origin, direction, maxDistance } = checkRay(options);
    if (!this.ready)
      throw new MoonscapeError(
        'physics.raycast: the physics engine is not loaded yet; await physics.prepare() first',
      );
    this.sweep();
    let nearest: RaycastHit | null = null;
    const take = (entity: Entity, hit: Omit<RaycastHit, 'entity'> | null) => {
      if (hit && (nearest === null || hit.distance < nearest.distance)) nearest = { entity, ...hit };
    };
    const reach = () => nearest?.distance ?? maxDistance;
    for (const [id, { hf }] of this.grounds)
      take(this.world.get(id), castGroundRay(hf, origin, direction, reach()));
    if (this.states.size > 0) {
      this.rays ??= new SolidRays(rapierIfLoaded()!);
      for (const state of this.states.values()) {
        state.settle(this.meshes);
        take(state.entity, this.rays.cast(state, origin, direction, reach()));
      }
      if (this.rays.count > this.states.size + SPARE_SOLIDS) this.rays.keep(this.states.values());
    }
    return nearest;
  }

  /** Forgets the ground of entities that are no more. The runtime calls it each frame. */
  sweep(): void {
    for (const id of this.grounds.keys()) if (!this.world.has(id)) this.removeGround(id);
  }

  stats(): PhysicsStats {
    const none = { bodies: 0, colliders: 0, tiles: 0, built: 0, rebuilt: 0 };
    return {
      components: this.bodies.size + this.states.size,
      grounds: this.grounds.size,
      ...(this.simulation?.stats() ?? none),
      solids: this.rays?.count ?? 0,
    };
  }

  /** Lets go of everything. */
  destroy(): void {
    this.end();
    for (const id of [...this.grounds.keys()]) this.removeGround(id);
    this.rays?.free();
    this.rays = null;
  }

  private advance(dt: number): void {
    if (this.bodies.size === 0) return;
    this.sweep();
    for (const state of this.states.values()) state.settle(this.meshes);
    this.meshes.keep(new Set([...this.states.values()].flatMap(({ meshGuid }) => meshGuid ?? [])));
    this.simulation ??= new Simulation(rapierIfLoaded()!, {
      bodies: this.bodies,
      states: { [Symbol.iterator]: () => this.states.values() },
      grounds: [...this.grounds.values()].map(({ hf }) => hf),
    });
    this.simulation.step(dt, Math.max(1, Math.ceil(dt / LONGEST_STEP - STEP_SLACK)));
  }

  private missingMeshes(): string[] {
    const missing = new Set<string>();
    for (const { meshGuid } of this.states.values())
      if (meshGuid !== null && this.meshes.get(meshGuid) === undefined) missing.add(meshGuid);
    return [...missing];
  }

  private added(instance: Component): void {
    if (instance.type.name === 'RigidBody') this.bodies.add(instance);
    else this.states.set(instance, new ColliderState(instance));
  }

  private changed(instance: Component, field: string): void {
    if (instance.type.name === 'Collider') return this.states.get(instance)?.touch();
    this.simulation?.bodyChanged(instance, field);
    // A mesh is its hull on a dynamic body only.
    if (field === 'kind')
      for (const state of this.states.values()) if (state.body === instance) state.touch();
  }

  private removed(instance: Component): void {
    if (instance.type.name === 'RigidBody') {
      this.bodies.delete(instance);
      this.simulation?.removeBody(instance);
      return;
    }
    const state = this.states.get(instance);
    if (!state) return;
    this.states.delete(instance);
    this.simulation?.removeCollider(state);
    if (this.states.size > 0) return;
    this.rays?.free();
    this.rays = null;
    this.meshes.keep(new Set());
  }

  private live(instance: Component, field: string): unknown {
    if (field !== 'velocity' && field !== 'angularVelocity') return undefined;
    return this.simulation?.velocityOf(instance, field === 'angularVelocity');
  }
}

function checkRay(options: RaycastOptions): { origin: Vec3; direction: Vec3; maxDistance: number } {
  const where = 'physics.raycast';
  if (typeof options !== 'object' || options === null)
    refuse(where, 'options', '{ origin, direction, maxDistance? }', options);
  checkFields(where, options, ['origin', 'direction', 'maxDistance']);
  const origin = checkVector(where, 'origin', options.origin);
  const { x, y, z } = checkVector(where, 'direction', options.direction);
  const greatest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  if (greatest === 0) refuse(where, 'direction', 'longer than 0', options.direction);
  // By its greatest part first: the square of a very short or very long one is no number.
  const length = Math.hypot(x / greatest, y / greatest, z / greatest);
  const { maxDistance = Infinity } = options;
  if (maxDistance !== Infinity) checkNumber(where, 'maxDistance', maxDistance, { min: 0 });
  const direction = vec3(x / greatest / length, y / greatest / length, z / greatest / length);
  return { origin, direction, maxDistance };
}
