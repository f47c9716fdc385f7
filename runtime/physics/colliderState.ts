// One Collider component as the world has it now: its solid and where that stands, worked out again only when something moved.
// Rays and the simulation both read it.
import type { Component } from '../world/component.js';
import type { Entity } from '../world/entity.js';
import { apply, frameOf, type Columns } from '../world/rotation.js';
import { vec3, ZERO, type Matrix, type Vec3 } from '../world/vector.js';
import type { MeshTrianglesCache } from './meshTriangles.js';
import { specOf } from './physicsComponents.js';
import { solidOf, type Solid } from './solid.js';

/** Share of a stretch that rounding may change as an entity turns. */
const ROUNDING = 1e-9;
const UNTURNED: Columns = [vec3(1, 0, 0), vec3(0, 1, 0), vec3(0, 0, 1)];

export class ColliderState {
  /** Null where it is nothing: squashed flat, or a mesh that is not there. */
  solid: Solid | null = null;
  /** Of the solid, in the world: its place in metres, its axes. */
  place: Vec3 = ZERO;
  axes: Columns = UNTURNED;
  /** The RigidBody that it is part of: its own entity's, or that of the nearest entity above. Null: it is fixed. */
  body: Component | null = null;
  /** Counts the changes of the solid, the body and the fields. */
  version = 0;
  private matrix: Matrix | null = null;
  /** What the solid is stretched by. */
  private stretch = UNTURNED;
  private changed = true;
  /** The name of the triangles that the solid is made of. */
  private mesh: string | null = null;

  constructor(readonly instance: Component) {}

  get entity(): Entity {
    return this.instance.entity;
  }

  /** A field was set. */
  touch(): void {
    this.changed = true;
  }

  /** The guid of the mesh that it needs, if it needs one. */
  get meshGuid(): string | null {
    const spec = specOf(this.instance);
    return spec.shape === 'mesh' ? spec.mesh : null;
  }

  /** Brings it up to date. Meshes that it needs have to be read. */
  settle(meshes: MeshTrianglesCache): void {
    const { entity, instance } = this;
    const body = bodyOf(entity);
    const matrix = entity.worldMatrix;
    const guid = this.meshGuid;
    const mesh = guid === null ? null : (meshes.get(guid) ?? null);
    const name = mesh?.name ?? null;
    if (matrix === this.matrix && body === this.body && name === this.mesh && !this.changed) return;
    const { axes, stretch } = frameOf(matrix);
    const other = this.changed || body !== this.body || name !== this.mesh;
    if (other || !alike(stretch, this.stretch)) {
      const hull = body?.get('kind') === 'dynamic';
      this.solid = solidOf(specOf(instance), stretch, mesh, hull);
      this.stretch = stretch;
      this.version++;
    }
    const shift = apply(axes, apply(stretch, instance.get('offset') as Vec3));
    this.axes = axes;
    this.place = vec3(matrix[12] + shift.x, matrix[13] + shift.y, matrix[14] + shift.z);
    this.body = body;
    this.matrix = matrix;
    this.mesh = name;
    this.changed = false;
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
