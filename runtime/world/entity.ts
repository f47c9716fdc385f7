// An entity as scripts hold it: a name, a place under a parent, and components. Its world makes and destroys it; a
// handle kept past that refuses everything, naming the entity.
import { checkFields, MoonscapeError, refuse } from '../errors.js';
import { mat4d } from 'wgpu-matrix';
import type { Component } from './component.js';
import {
  apply,
  axesOfTurn,
  columnsOf,
  frameOf,
  orthonormal,
  turnOfAxes,
  unitTurn,
  type Columns,
  type Quaternion,
} from './rotation.js';
import {
  anglesOf,
  axesOf,
  axesToward,
  checkVector,
  composeAxes,
  composeMatrix,
  dot,
  ONE,
  vec3,
  ZERO,
} from './vector.js';
import type { Matrix, Vec3, VectorLike } from './vector.js';
import type { World } from './world.js';

export interface EntityOptions {
  /** Metres, in the parent's space; default the origin. */
  position?: VectorLike;
  /** Degrees about X, Y and Z, order XYZ. */
  rotation?: VectorLike;
  /** Default 1; negative and unequal factors are fine. */
  scale?: VectorLike;
  parent?: Entity | null;
}

const UNMOVED: Matrix = composeMatrix(ZERO, ZERO, ONE);

/** A named thing with a pose and components. Its world makes and destroys it. */
export class Entity {
  destroyed = false;
  /** True while it is being destroyed: what is added to it now would outlive it. */
  leaving = false;
  /** A script has placed it (the on-screen camera frames the world until then). */
  moved = false;
  /** Components by name; change them through the world. */
  readonly components = new Map<string, Component>();
  private readonly childList = new Set<Entity>();
  private parentEntity: Entity | null = null;
  private pose: Pose = { position: ZERO, rotation: ZERO, turn: null, scale: ONE };
  private matrix: Matrix | null = null;

  /** Use `World.createEntity`. */
  constructor(
    readonly world: World,
    readonly id: number,
    private label: string,
    /** How many entities of its world were made before it. */
    readonly order: number,
  ) {}

  get name(): string {
    return this.label;
  }

  set name(value: string) {
    this.checkAlive('entity.name');
    if (typeof value !== 'string') refuse('entity.name', 'name', 'a string', value);
    this.label = value;
  }

  /** Metres, in the parent's space. */
  get position(): Vec3 {
    this.world.settlePose(this);
    return this.pose.position;
  }

  set position(value: VectorLike) {
    this.move({ position: value });
  }

  /** Degrees about X, Y and Z: the rotation Rx · Ry · Rz. */
  get rotation(): Vec3 {
    this.world.settlePose(this);
    const { pose } = this;
    // What physics turns is kept as it came; degrees are read off it when they are asked for.
    return (pose.rotation ??= anglesOf(axesOfTurn(pose.turn!)));
  }

  set rotation(value: VectorLike) {
    this.move({ rotation: value });
  }

  /** Factors along X, Y and Z, before the rotation. */
  get scale(): Vec3 {
    return this.pose.scale;
  }

  set scale(value: VectorLike) {
    this.move({ scale: value });
  }

  /** What it hangs under, or null. */
  get parent(): Entity | null {
    return this.parentEntity;
  }

  /** Hangs it under another entity; its position, rotation and scale stay as they are and are now in that one's space. */
  set parent(value: Entity | null) {
    this.checkAlive('entity.parent');
    if (value !== null) {
      if (!(value instanceof Entity) || value.world !== this.world)
        refuse('entity.parent', 'parent', 'an entity of this world', value);
      value.checkStays('entity.parent');
      if (value.isWithin(this))
        throw new MoonscapeError(`entity.parent: ${value} hangs under ${this}, so it cannot be its parent`);
    }
    this.moved = true;
    this.parentEntity?.childList.delete(this);
    this.parentEntity = value;
    value?.childList.add(this);
    this.stale();
  }

  /** Its children, in the order in which they were hung under it. */
  get children(): Entity[] {
    return [...this.childList];
  }

  /** Local to world, column-major doubles: the parents' matrices · T · R · S. Not to be written to. */
  get worldMatrix(): Matrix {
    this.world.settlePose(this);
    if (!this.matrix) {
      const { position, rotation, turn, scale } = this.pose;
      const local = turn
        ? composeAxes(position, axesOfTurn(turn), scale)
        : composeMatrix(position, rotation!, scale);
      this.matrix = this.parentEntity ? mat4d.multiply(this.parentEntity.worldMatrix, local) : local;
    }
    return this.matrix;
  }

  /** What places its mesh: its world matrix, or nothing at all for a terrain's, whose vertices are places of the world. */
  get meshMatrix(): Matrix {
    return this.world.worldSpace.has(this.id) ? UNMOVED : this.worldMatrix;
  }

  /** Where it stands in the world, metres. */
  get worldPosition(): Vec3 {
    const m = this.worldMatrix;
    return vec3(m[12], m[13], m[14]);
  }

  /**
   * Moves it to a place of the world, metres, and turns it as a whole: its scale and its parents' stay. `turn` is the turn of its
   * `frameOf(worldMatrix)`, of length 1 but for rounding. Nothing is lost on the way to degrees: they are read off the turn only when they are asked for.
   */
  setWorldPose(place: Vec3, turn: Quaternion): void {
    this.checkAlive('entity');
    const local = this.localPose(place, unitTurn(turn));
    if (!local) return;
    this.moved = true;
    this.pose = { ...local, rotation: null, scale: this.pose.scale };
    this.stale();
  }

  /** Turns it so that its −Z looks at a point of the world and its Y stays as upright as that allows. */
  lookAt(point: VectorLike): void {
    this.checkAlive('entity:lookAt');
    const target = checkVector('entity:lookAt', 'point', point);
    const from = this.worldPosition;
    if (Math.hypot(from.x - target.x, from.y - target.y, from.z - target.z) === 0)
      refuse('entity:lookAt', 'point', 'another place than the entity’s own', target);
    const axes = axesToward(from, target);
    if (!this.parentEntity) return this.move({ rotation: anglesOf(axes) });
    const frame = axesOf(this.parentEntity.worldMatrix);
    const local = axes.map((axis) => vec3(dot(frame[0], axis), dot(frame[1], axis), dot(frame[2], axis)));
    this.move({ rotation: anglesOf(local as [Vec3, Vec3, Vec3]) });
  }

  /** Destroys it and its children. */
  destroy(): void {
    this.world.destroy(this);
  }

  /** Whether it is `other` or hangs somewhere under it. */
  isWithin(other: Entity): boolean {
    return this === other || (this.parentEntity?.isWithin(other) ?? false);
  }

  /** `"name" (id)`, as messages show it. */
  toString(): string {
    return `"${this.label}" (${this.id})`;
  }

  /** Refuses the use of a destroyed entity, naming it. */
  checkAlive(where: string): void {
    if (this.destroyed) throw new MoonscapeError(`${where}: the entity ${this} was destroyed`);
  }

  /** Refuses what would be added to an entity that is destroyed, or about to be. */
  checkStays(where: string): void {
    this.checkAlive(where);
    if (this.leaving) throw new MoonscapeError(`${where}: the entity ${this} is being destroyed`);
  }

  /** Checks and sets what creation gives. The world calls this once. */
  initialize(options: EntityOptions): void {
    checkFields('entity.create', options, ['position', 'rotation', 'scale', 'parent']);
    const { parent, ...pose } = options;
    this.place(checkPose('entity.create', pose));
    if (parent) this.parent = parent;
    this.moved = false;
  }

  /** Sets parts of the pose without the mark of a script's move; what the framing of the world uses. */
  place(pose: { position?: Vec3; rotation?: Vec3; scale?: Vec3 }): void {
    const turn = pose.rotation ? null : this.pose.turn;
    this.pose = { ...this.pose, ...pose, turn };
    this.stale();
  }

  /** Answers what puts its name, pose, parent and place among its siblings back; call that for all of a world's entities in turn. */
  remember(): () => void {
    const { label, pose, moved, parentEntity } = this;
    const children = [...this.childList];
    return () => {
      this.label = label;
      this.pose = pose;
      this.moved = moved;
      this.parentEntity = parentEntity;
      this.childList.clear();
      for (const child of children) this.childList.add(child);
      // Not `stale`: it trusts that the children of one without a matrix have none, which holds again once all are back.
      this.matrix = null;
    };
  }

  /** Puts its components in the order of `names`; others follow them. */
  orderComponents(names: readonly string[]): void {
    const rest = new Map(this.components);
    const ordered = names.flatMap((name) => (rest.has(name) ? [[name, rest.get(name)!] as const] : []));
    for (const [name] of ordered) rest.delete(name);
    this.components.clear();
    for (const [name, instance] of [...ordered, ...rest]) this.components.set(name, instance);
  }

  private move(pose: { position?: VectorLike; rotation?: VectorLike; scale?: VectorLike }): void {
    this.checkAlive('entity');
    const checked = checkPose('entity', pose);
    this.world.settlePose(this);
    this.moved = true;
    this.place(checked);
  }

  /** A pose of the world in the parent's space, or null where that is squashed to nothing. */
  private localPose(place: Vec3, turn: Quaternion): { position: Vec3; turn: Quaternion } | null {
    const { parentEntity, pose } = this;
    const { x, y, z } = pose.scale;
    if (!parentEntity && x > 0 && y > 0 && z > 0) return { position: place, turn };
    const axes = axesOfTurn(turn);
    const { stretch } = frameOf(this.worldMatrix);
    const world: Columns = [apply(axes, stretch[0]), apply(axes, stretch[1]), apply(axes, stretch[2])];
    const inverse = parentEntity ? mat4d.inverse(parentEntity.worldMatrix) : mat4d.identity();
    const back = columnsOf(inverse);
    const shift = apply(back, place);
    const position = vec3(shift.x + inverse[12], shift.y + inverse[13], shift.z + inverse[14]);
    const column = (k: 0 | 1 | 2, factor: number) => {
      const c = apply(back, world[k]);
      return factor < 0 ? vec3(-c.x, -c.y, -c.z) : c;
    };
    const local = turnOfAxes(orthonormal([column(0, x), column(1, y), column(2, z)]));
    const numbers = [position.x, position.y, position.z, local.x, local.y, local.z, local.w];
    return numbers.every(Number.isFinite) ? { position, turn: local } : null;
  }

  /** Forgets the world matrix, and the children's with it; where there is none, the children have none either. */
  private stale(): void {
    if (!this.matrix) return;
    this.matrix = null;
    for (const child of this.childList) child.stale();
  }
}

/** Of `rotation` (degrees) and `turn` one is there, or both and they agree. */
interface Pose {
  position: Vec3;
  rotation: Vec3 | null;
  turn: Quaternion | null;
  scale: Vec3;
}

function checkPose(where: string, pose: Record<string, unknown>): Record<string, Vec3> {
  const checked: Record<string, Vec3> = {};
  for (const [name, value] of Object.entries(pose))
    if (value !== undefined) checked[name] = checkVector(where, name, value);
  return checked;
}
