// Rays against colliders. Each solid stands alone, at zero, in a Rapier world that is never stepped, and the ray is brought to it
// in doubles: so answers do not wait for a step, are as fine at 1e6 metres as at 0, and leave the simulation alone.
import type { Collider, World } from '@dimforge/rapier3d-compat';
import { apply, applyBack } from '../world/rotation.js';
import { cross, dot, normalize, subtract, vec3, type Vec3 } from '../world/vector.js';
import type { ColliderState } from './colliderState.js';
import type { Rapier } from './rapier.js';
import type { Solid } from './solid.js';

export interface SolidHit {
  distance: number;
  point: Vec3;
  normal: Vec3;
}

/** A ray starts this share of a solid's size, and no less than this many metres, before the ball that holds it. */
const BEFORE = 0.01;

export class SolidRays {
  private readonly world: World;
  private readonly standing = new Map<string, Collider | null>();

  constructor(private readonly rapier: Rapier) {
    this.world = new rapier.World({ x: 0, y: 0, z: 0 });
  }

  /** Solids that stand here. */
  get count(): number {
    return this.standing.size;
  }

  /**
   * Where a ray meets a collider's solid within `maxDistance`, or null. A box, sphere, capsule, cylinder or hull that the ray
   * starts in is not met; triangles are met from both sides.
   * @param direction of length 1
   */
  cast(state: ColliderState, origin: Vec3, direction: Vec3, maxDistance: number): SolidHit | null {
    const { solid, place, axes } = state;
    if (!solid) return null;
    // The way to the ball around the solid, and past it, first: most rays meet none.
    const toward = subtract(place, origin);
    const along = dot(toward, direction);
    const aside = cross(toward, direction);
    const reach = solid.radius * (1 + BEFORE) + BEFORE;
    if (dot(aside, aside) > reach * reach) return null;
    const start = Math.max(0, along - reach);
    const length = Math.min(maxDistance, along + reach) - start;
    if (!(length >= 0)) return null;
    const collider = this.standUp(solid);
    if (!collider) return null;
    const from = applyBack(axes, {
      x: direction.x * start - toward.x,
      y: direction.y * start - toward.y,
      z: direction.z * start - toward.z,
    });
    const ray = new this.rapier.Ray(from, applyBack(axes, direction));
    const hit = collider.castRayAndGetNormal(ray, length, true);
    if (!hit || (start === 0 && hit.timeOfImpact === 0)) return null;
    const distance = start + hit.timeOfImpact;
    const normal = normalize(apply(axes, hit.normal));
    const away = dot(normal, direction) > 0;
    return {
      distance,
      point: vec3(
        origin.x + direction.x * distance,
        origin.y + direction.y * distance,
        origin.z + direction.z * distance,
      ),
      normal: away ? vec3(-normal.x, -normal.y, -normal.z) : normal,
    };
  }

  /** Lets go of the solids that no state has any more. */
  keep(states: Iterable<ColliderState>): void {
    const used = new Set<string>();
    for (const { solid } of states) if (solid) used.add(solid.key);
    for (const [key, collider] of this.standing) {
      if (used.has(key)) continue;
      if (collider) this.world.removeCollider(collider, false);
      this.standing.delete(key);
    }
  }

  free(): void {
    this.standing.clear();
    this.world.free();
  }

  private standUp(solid: Solid): Collider | null {
    let collider = this.standing.get(solid.key);
    if (collider === undefined) {
      const shape = solid.describe(this.rapier);
      collider = shape && this.world.createCollider(shape);
      this.standing.set(solid.key, collider);
    }
    return collider;
  }
}
