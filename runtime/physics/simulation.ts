// Play's bodies: one Rapier world, made of the components when play first steps and gone when it ends, so that play after play is
// the same to the bit. Entities stay the masters: what scripts move is moved here before a step, what fell is put back after it.
//
// Long because it is one state machine: entity to body, step, body to entity, and the ground under what moves.
import type { Collider, RigidBody, World } from '@dimforge/rapier3d-compat';
import { MoonscapeError } from '../errors.js';
import type { Heightfield, Rect, TexelArea } from '../terrain/heightfield.js';
import type { Component } from '../world/component.js';
import type { Entity } from '../world/entity.js';
import { applyBack, columnsOf, orthonormal, turnBetween, turnOfAxes } from '../world/rotation.js';
import type { Quaternion } from '../world/rotation.js';
import { subtract, vec3, type Matrix, type Vec3 } from '../world/vector.js';
import type { ColliderState } from './colliderState.js';
import { GroundTiles, type TileRange } from './groundCollider.js';
import { standingOn } from './groundLift.js';
import type { BodyKind } from './physicsComponents.js';
import type { Rapier } from './rapier.js';

/** m/s². */
const GRAVITY = 9.81;
/** kg/m³: water. */
const DENSITY = 1000;
/** Kilograms of a body without colliders. */
const BARE_MASS = 1;
/** A child's pose within its body is taken again past this, metres and parts of axes: rounding moves it by less. */
const MOVED = 1e-6;
/** Seconds that a body which has left its tiles may go on the next ones. */
const AHEAD = 0.2;

interface SimBody {
  readonly instance: Component;
  readonly body: RigidBody;
  readonly kind: BodyKind;
  /** The entity's matrix that the body stands at. */
  matrix: Matrix;
  readonly parts: Set<SimCollider>;
  /** Metres from its place that its parts reach. */
  reach: number;
  /** It was awake at some time since it was last put back. */
  moved: boolean;
  /** The tiles that stand for it. */
  readonly ground: Map<GroundTiles, TileRange>;
  /** Of a kinematic one that is moved: from where to where, in this frame. */
  way: { place: [Vec3, Vec3]; turn: [Quaternion, Quaternion] } | null;
}

interface SimCollider {
  readonly state: ColliderState;
  readonly collider: Collider | null;
  readonly version: number;
  readonly owner: SimBody | null;
  place: Vec3;
  turn: Quaternion;
}

/** What stands when play begins to move. */
export interface SimulationParts {
  bodies: Iterable<Component>;
  states: Iterable<ColliderState>;
  grounds: Iterable<Heightfield>;
}

export class Simulation {
  readonly world: World;
  private readonly bodies = new Map<Component, SimBody>();
  private readonly colliders = new Map<ColliderState, SimCollider>();
  private readonly grounds = new Map<Heightfield, GroundTiles>();
  private readonly origin: Vec3;
  /** What could not be made as it was asked for; each is said once. */
  private readonly problems: MoonscapeError[] = [];

  constructor(
    private readonly rapier: Rapier,
    private readonly parts: SimulationParts,
  ) {
    const bodies = byAge(parts.bodies, (body) => body.entity);
    const first = bodies.find((body) => body.get('kind') === 'dynamic') ?? bodies[0];
    const { x, y, z } = first ? first.entity.worldPosition : vec3(0, 0, 0);
    // Whole metres, so that what stands on a grid still does.
    this.origin = vec3(Math.round(x), Math.round(y), Math.round(z));
    this.world = new rapier.World({ x: 0, y: -GRAVITY, z: 0 });
    for (const hf of parts.grounds) this.addGround(hf);
    for (const body of bodies) this.addBody(body);
    for (const state of byAge(parts.states, ({ entity }) => entity)) this.addCollider(state);
  }

  /** Bodies and colliders in the Rapier world, tiles of ground among the latter; tiles built so far, and of those again for edits. */
  stats(): { bodies: number; colliders: number; tiles: number; built: number; rebuilt: number } {
    const sum = { tiles: 0, built: 0, rebuilt: 0 };
    for (const tiles of this.grounds.values()) {
      sum.tiles += tiles.count;
      sum.built += tiles.stats.built;
      sum.rebuilt += tiles.stats.rebuilt;
    }
    return { bodies: this.world.bodies.len(), colliders: this.world.colliders.len(), ...sum };
  }

  /** Advances by `dt` seconds in `steps` even steps. The states have to be settled. Throws, once it is done, what could not be made. */
  step(dt: number, steps: number): void {
    this.follow();
    this.world.timestep = dt / steps;
    for (let step = 1; step <= steps; step++) {
      for (const body of this.bodies.values()) {
        if (body.way) drive(body, step / steps);
        if (body.kind !== 'dynamic' || body.body.isSleeping()) continue;
        body.moved = true;
        this.standGround(body, dt / steps);
      }
      this.world.step();
    }
    for (const body of this.bodies.values()) body.way = null;
    this.putBack();
    const problem = this.problems.shift();
    if (problem) throw problem;
  }

  /** The live velocity of a body, metres or radians a second; undefined where it has none here. */
  velocityOf(instance: Component, turning: boolean): Vec3 | undefined {
    const found = this.bodies.get(instance);
    if (!found || found.kind === 'fixed') return undefined;
    const { x, y, z } = turning ? found.body.angvel() : found.body.linvel();
    return Object.freeze(vec3(x, y, z));
  }

  /** A field of a RigidBody was set. */
  bodyChanged(instance: Component, field: string): void {
    const found = this.bodies.get(instance);
    if (!found) return;
    const { body } = found;
    if (field === 'velocity' || field === 'angularVelocity') {
      if (found.kind !== 'dynamic') return;
      if (field === 'velocity') body.setLinvel(instance.stored(field) as Vec3, true);
      else body.setAngvel(instance.stored(field) as Vec3, true);
      return;
    }
    // Made anew, at its pace if it still has one of its own.
    const pace = found.kind === 'dynamic' && instance.get('kind') === 'dynamic';
    const [linear, angular] = [body.linvel(), body.angvel()];
    this.removeBody(instance);
    const fresh = this.addBody(instance);
    if (pace) {
      fresh.body.setLinvel(linear, true);
      fresh.body.setAngvel(angular, true);
    }
  }

  /** Takes a body off the world, and its colliders with it; what is left of them comes back at the next step. */
  removeBody(instance: Component): void {
    const found = this.bodies.get(instance);
    if (!found) return;
    for (const part of [...found.parts]) this.colliders.delete(part.state);
    for (const [tiles, range] of found.ground) tiles.release(range);
    this.world.removeRigidBody(found.body);
    this.bodies.delete(instance);
  }

  removeCollider(state: ColliderState): void {
    const found = this.colliders.get(state);
    if (!found) return;
    this.colliders.delete(state);
    found.owner?.parts.delete(found);
    if (found.collider?.isValid()) this.world.removeCollider(found.collider, true);
    if (found.owner) this.weigh(found.owner);
  }

  addGround(hf: Heightfield): void {
    this.grounds.set(hf, new GroundTiles(this.rapier, this.world, hf, { origin: this.origin }));
  }

  /** Takes ground away under what lies on it. */
  removeGround(hf: Heightfield): void {
    const tiles = this.grounds.get(hf);
    if (!tiles) return;
    this.grounds.delete(hf);
    for (const { ground, body } of this.bodies.values()) if (ground.delete(tiles)) body.wakeUp();
    tiles.free();
  }

  /** Has the tiles that hold an edited texel (or all) follow, and wakes what stands on them; ground that rises lifts it. */
  groundChanged(hf: Heightfield, area?: TexelArea): void {
    const tiles = this.grounds.get(hf);
    if (!tiles) return;
    const range = area && tiles.tilesOf(area);
    const above = [...this.bodies.values()].filter((body) => {
      const own = body.ground.get(tiles);
      return own !== undefined && (!range || overlap(own, range));
    });
    const rises = above.map(({ body, parts }) => {
      const solids = [...parts].flatMap(({ state, collider }) =>
        collider && !state.instance.get('sensor') ? [{ collider, solid: state.solid! }] : [],
      );
      return standingOn(tiles, this.origin, body, solids);
    });
    tiles.rebuild(range);
    above.forEach((body, k) => {
      const rise = rises[k](hf);
      if (rise > 0) {
        const { x, y, z } = body.body.translation();
        body.body.setTranslation({ x, y: y + rise, z }, true);
      }
      body.body.wakeUp();
    });
  }

  free(): void {
    this.bodies.clear();
    this.colliders.clear();
    this.grounds.clear();
    this.world.free();
  }

  /** Brings bodies and colliders to where the components and poses are now. */
  private follow(): void {
    for (const instance of this.parts.bodies) {
      const found = this.bodies.get(instance) ?? this.addBody(instance);
      const { entity } = instance;
      if (entity.worldMatrix !== found.matrix) this.moveBody(found);
    }
    for (const state of this.parts.states) {
      const found = this.colliders.get(state);
      if (!found || found.version !== state.version || found.owner !== this.ownerOf(state)) {
        if (found) this.removeCollider(state);
        this.addCollider(state);
      } else if (found.collider) this.moveCollider(found);
    }
  }

  private addBody(instance: Component): SimBody {
    const { entity } = instance;
    const kind = instance.get('kind') as BodyKind;
    const { RigidBodyDesc } = this.rapier;
    const description =
      kind === 'dynamic'
        ? RigidBodyDesc.dynamic()
        : kind === 'fixed'
          ? RigidBodyDesc.fixed()
          : RigidBodyDesc.kinematicPositionBased();
    const { x, y, z } = this.local(entity.worldPosition);
    description.setTranslation(x, y, z).setRotation(turnOf(entity.worldMatrix));
    if (kind === 'dynamic') {
      const velocity = instance.get('velocity') as Vec3;
      description
        .setLinvel(velocity.x, velocity.y, velocity.z)
        .setAngvel(instance.get('angularVelocity') as Vec3)
        .setGravityScale(instance.number('gravityScale'))
        .setLinearDamping(instance.number('linearDamping'))
        .setAngularDamping(instance.number('angularDamping'))
        .setCcdEnabled(instance.get('ccd') === true)
        .setCanSleep(instance.get('canSleep') === true);
      if (instance.get('lockRotation')) description.lockRotations();
    }
    const body = this.world.createRigidBody(description);
    const made: SimBody = {
      instance,
      body,
      kind,
      matrix: entity.worldMatrix,
      parts: new Set(),
      reach: 0,
      moved: false,
      ground: new Map(),
      way: null,
    };
    this.bodies.set(instance, made);
    this.weigh(made);
    return made;
  }

  private addCollider(state: ColliderState): void {
    const owner = this.ownerOf(state);
    const { instance, solid, version } = state;
    const pose = this.poseIn(owner, state);
    const description = solid?.describe(this.rapier);
    let collider: Collider | null = null;
    if (solid && !description)
      this.problems.push(
        new MoonscapeError(
          `Collider: the mesh of the entity ${state.entity} must have a volume to be the hull of a dynamic body; a flat one can be fixed or kinematic`,
        ),
      );
    if (description) {
      description
        .setTranslation(pose.place.x, pose.place.y, pose.place.z)
        .setRotation(pose.turn)
        .setFriction(instance.number('friction'))
        .setRestitution(instance.number('restitution'))
        .setSensor(instance.get('sensor') === true);
      collider = this.world.createCollider(description, owner?.body);
    }
    const made: SimCollider = { state, collider, version, owner, ...pose };
    this.colliders.set(state, made);
    if (!owner) return;
    owner.parts.add(made);
    this.weigh(owner);
  }

  /** Shares a body's mass out among its colliders, and measures how far they reach. */
  private weigh({ instance, body, kind, parts }: SimBody): void {
    const found = this.bodies.get(instance)!;
    const solids = [...parts].filter(({ collider }) => collider !== null);
    found.reach = Math.max(
      0,
      ...solids.map(({ place, state }) => Math.hypot(place.x, place.y, place.z) + state.solid!.radius),
    );
    if (kind !== 'dynamic') return;
    const mass = instance.get('mass') as number | null;
    const solid = solids.filter(({ state }) => state.instance.get('sensor') !== true);
    const volume = solid.reduce((sum, { collider }) => sum + collider!.volume(), 0);
    const dense = volume > 0;
    for (const { collider, state } of solids)
      collider!.setDensity(
        !dense || state.instance.get('sensor') === true ? 0 : mass === null ? DENSITY : mass / volume,
      );
    const bare = dense ? 0 : (mass ?? BARE_MASS);
    const inertia = { x: 0.1 * bare, y: 0.1 * bare, z: 0.1 * bare };
    body.setAdditionalMassProperties(bare, ZERO_PLACE, inertia, UNTURNED, true);
  }

  /** A body's entity was moved by somebody else than the body. */
  private moveBody(found: SimBody): void {
    const { body, instance, kind } = found;
    const { entity } = instance;
    const place = this.local(entity.worldPosition);
    const turn = turnOf(entity.worldMatrix);
    found.matrix = entity.worldMatrix;
    if (kind === 'kinematic') {
      found.way = { place: [body.translation(), place], turn: [body.rotation(), turn] };
      return;
    }
    body.setTranslation(place, true);
    body.setRotation(turn, true);
  }

  /** A collider that is fixed, or moved within its body. */
  private moveCollider(found: SimCollider): void {
    const { state, owner, collider } = found;
    // Within its own entity's body nothing moves it but a change of its fields, and then it is made anew.
    if (owner && owner.instance.entity === state.entity) return;
    const { place, turn } = this.poseIn(owner, state);
    const far =
      Math.max(
        Math.abs(place.x - found.place.x),
        Math.abs(place.y - found.place.y),
        Math.abs(place.z - found.place.z),
      ) > (owner ? MOVED * (1 + owner.reach) : 0);
    const turned =
      Math.abs(
        turn.x * found.turn.x + turn.y * found.turn.y + turn.z * found.turn.z + turn.w * found.turn.w,
      ) <
      1 - (owner ? MOVED : 0);
    if (!far && !turned) return;
    Object.assign(found, { place, turn });
    if (owner) {
      collider!.setTranslationWrtParent(place);
      collider!.setRotationWrtParent(turn);
      owner.body.wakeUp();
      this.weigh(owner);
    } else {
      collider!.setTranslation(place);
      collider!.setRotation(turn);
    }
  }

  /** Where a collider stands within its body, or in the Rapier world. */
  private poseIn(owner: SimBody | null, state: ColliderState): { place: Vec3; turn: Quaternion } {
    if (!owner) return { place: this.local(state.place), turn: turnOfAxes(state.axes) };
    const { entity } = owner.instance;
    const frame = orthonormal(columnsOf(entity.worldMatrix));
    const place = applyBack(frame, subtract(state.place, entity.worldPosition));
    const axes = state.axes.map((axis) => applyBack(frame, axis));
    return { place, turn: turnOfAxes([axes[0], axes[1], axes[2]]) };
  }

  private ownerOf(state: ColliderState): SimBody | null {
    return (state.body && this.bodies.get(state.body)) ?? null;
  }

  /** Has the ground stand that a body may touch in this step and the next. */
  private standGround(found: SimBody, dt: number): void {
    if (this.grounds.size === 0) return;
    const { body, reach, ground } = found;
    const place = this.placeOf(body);
    const v = body.linvel();
    const travel = 2 * dt * (Math.hypot(v.x, v.y, v.z) + GRAVITY * dt);
    for (const [hf, tiles] of this.grounds) {
      const margin = reach + travel + 0.1 * Math.min(hf.texelX, hf.texelZ);
      const own = ground.get(tiles);
      const { low, high } = hf.heightRange;
      const near = place.y - margin <= high && place.y + margin >= low;
      const needed = near ? tiles.tilesIn(square(place, margin)) : null;
      if (!needed || isEmpty(needed)) {
        if (own) tiles.release(own);
        ground.delete(tiles);
      } else if (!own || !contains(own, needed)) {
        const wide = tiles.tilesIn(reachedFrom(square(place, margin), v.x * AHEAD, v.z * AHEAD));
        tiles.acquire(wide);
        if (own) tiles.release(own);
        ground.set(tiles, wide);
      }
    }
  }

  /** Puts what has moved back into its entity, parents before children. */
  private putBack(): void {
    const falling = [...this.bodies.values()].filter(({ kind }) => kind === 'dynamic');
    if (falling.some(({ instance }) => instance.entity.parent))
      falling.sort((a, b) => depthOf(a.instance.entity) - depthOf(b.instance.entity));
    for (const found of falling) {
      const { body, instance } = found;
      const { entity } = instance;
      // One that slept is put back as well where another woke it, or its parent has dragged its entity along.
      if (found.moved || !body.isSleeping() || entity.worldMatrix !== found.matrix)
        entity.setWorldPose(this.placeOf(body), body.rotation());
      found.moved = false;
      found.matrix = entity.worldMatrix;
    }
  }

  private placeOf(body: RigidBody): Vec3 {
    const { x, y, z } = body.translation();
    return vec3(x + this.origin.x, y + this.origin.y, z + this.origin.z);
  }

  private local(place: Vec3): Vec3 {
    return subtract(place, this.origin);
  }
}

const ZERO_PLACE = { x: 0, y: 0, z: 0 };
const UNTURNED = { x: 0, y: 0, z: 0, w: 1 };

/** In the order in which the entities were made: the same after stop as before. */
const byAge = <T>(list: Iterable<T>, entityOf: (item: T) => Entity): T[] =>
  [...list].sort((a, b) => entityOf(a).order - entityOf(b).order);

const turnOf = (matrix: Matrix): Quaternion => turnOfAxes(orthonormal(columnsOf(matrix)));

/** Sends a kinematic body to where it is at `share` of this frame. */
function drive({ body, way }: SimBody, share: number): void {
  const [from, to] = way!.place;
  body.setNextKinematicTranslation({
    x: from.x + (to.x - from.x) * share,
    y: from.y + (to.y - from.y) * share,
    z: from.z + (to.z - from.z) * share,
  });
  body.setNextKinematicRotation(turnBetween(way!.turn[0], way!.turn[1], share));
}

const square = ({ x, z }: Vec3, side: number) => ({
  minX: x - side,
  maxX: x + side,
  minZ: z - side,
  maxZ: z + side,
});

/** A rect and what it passes over as it moves. */
const reachedFrom = ({ minX, minZ, maxX, maxZ }: Rect, x: number, z: number): Rect => ({
  minX: minX + Math.min(x, 0),
  maxX: maxX + Math.max(x, 0),
  minZ: minZ + Math.min(z, 0),
  maxZ: maxZ + Math.max(z, 0),
});

const isEmpty = (range: TileRange) => range.firstColumn > range.lastColumn || range.firstRow > range.lastRow;

const contains = (outer: TileRange, inner: TileRange) =>
  outer.firstColumn <= inner.firstColumn &&
  outer.lastColumn >= inner.lastColumn &&
  outer.firstRow <= inner.firstRow &&
  outer.lastRow >= inner.lastRow;

const overlap = (a: TileRange, b: TileRange) =>
  a.firstColumn <= b.lastColumn &&
  b.firstColumn <= a.lastColumn &&
  a.firstRow <= b.lastRow &&
  b.firstRow <= a.lastRow;

function depthOf(entity: Entity): number {
  let depth = 0;
  for (let at = entity.parent; at; at = at.parent) depth++;
  return depth;
}
