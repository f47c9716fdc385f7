// One Collider component as the world has it now: its solid and where that stands, worked out again only when something moved.
// Rays and the simulation both read it.
import type { Component } from '../world/component.js';
import type { Entity } from '../world/entity.js';
import { apply, frameOf, type Columns } from '../world/rotation.js';
import { vec3, type Matrix, type Vec3 } from '../world/vector.js';
import type { MeshTrianglesCache } from './meshTriangles.js';
import { specOf, type ShapeSpec } from './physicsComponents.js';
import { solidOf, type Solid } from './solid.js';

/** Share of a stretch that rounding may change as an entity turns. */
const ROUNDING = 1e-9;
const UNTURNED: Columns = [vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)];

export class ColliderState {
  /** Null where it is nothing: squashed flat, or a mesh that is not there. */
  solid: Solid | null = null;
  /** The RigidBody that it is part of: its own entity's, or that of the nearest entity above. Null: it is fixed. */
  body: Component | null = null;
  /** Counts the changes of the solid, the body and the fields. */
  version = 0;
  private changed = true;
  /** What the fields say, read again when one was set. */
  private spec: ShapeSpec | null = null;
  /** The name of the triangles that the solid is made of. */
  private mesh: string | null = null;
  /** What the solid is stretched by, and what that was read off: the scale of an entity that hangs under none, else the matrix. */
  private stretch = UNTURNED;
  private stretchedBy: object | null = null;
  private pose: { matrix: Matrix; place: Vec3; axes: Columns } | null = null;

  constructor(readonly instance: Component) {}

  get entity(): Entity {
    return this.instance.entity;
  }

  /** Where the solid stands in the world, metres. */
  get place(): Vec3 {
    return this.poseNow().place;
  }

  /** How it is turned. */
  get axes(): Columns {
    return this.poseNow().axes;
  }

  /** A field was set. */
  touch(): void {
    this.changed = true;
    this.spec = null;
  }

  /** The guid of the mesh that it needs, if it needs one: its own, or what its entity draws now (its Model's, or that subdivided). */
  get meshGuid(): string | null {
    const spec = (this.spec ??= specOf(this.instance));
    if (spec.shape !== 'mesh') return null;
    return spec.mesh ?? ((this.entity.components.get('MeshInstance')?.get('mesh') ?? null) as string | null);
  }

  /** Brings the solid up to date. Meshes that it needs have to be read. */
  settle(meshes: MeshTrianglesCache): void {
    const { entity } = this;
    const body = bodyOf(entity);
    const guid = this.meshGuid;
    const mesh = guid === null ? null : (meshes.get(guid) ?? null);
    const name = mesh?.name ?? null;
    const other = this.changed || body !== this.body || name !== this.mesh;
    const stretchedBy = entity.parent ? entity.worldMatrix : entity.scale;
    if (stretchedBy === this.stretchedBy && !other) return;
    const { stretch } = frameOf(entity.worldMatrix);
    this.stretchedBy = stretchedBy;
    if (!other && alike(stretch, this.stretch)) return;
    const hull = body?.get('kind') === 'dynamic';
    this.solid = solidOf((this.spec ??= specOf(this.instance)), stretch, mesh, hull);
    this.stretch = stretch;
    this.body = body;
    this.mesh = name;
    this.changed = false;
    this.pose = null;
    this.version++;
  }

  private poseNow(): { place: Vec3; axes: Columns } {
    const matrix = this.entity.worldMatrix;
    if (this.pose?.matrix === matrix) return this.pose;
    const { axes, stretch } = frameOf(matrix);
    const shift = apply(axes, apply(stretch, this.instance.get('offset') as Vec3));
    const place = vec3(matrix[12] + shift.x, matrix[13] + shift.y, matrix[14] + shift.z);
    this.pose = { matrix, place, axes };
    return this.pose;
  }
}

/** Whether two stretches are the same but for the rounding that a turn brings. */
const alike = (a: Columns, b: Columns): boolean =>
  a.every((column, k) => near(column.x, b[k].x) && near(column.y, b[k].y) && near(column.z, b[k].z));

const near = (a: number, b: number) => Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(a), Math.abs(b));

/** The RigidBody on an entity or on the nearest one above it. */
function bodyOf(entity: Entity): Component | null {
  for (let at: Entity | null = entity; at; at = at.parent) {
    const body = at.components.get('RigidBody');
    if (body) return body;
  }
  return null;
}
