// Ground that rises under a body takes it along: the surface has no inside that would push it out again.
import type { Collider, RigidBody } from '@dimforge/rapier3d-compat';
import type { Heightfield } from '../terrain/heightfield.js';
import { apply, axesOfTurn } from '../world/rotation.js';
import type { Vec3 } from '../world/vector.js';
import type { GroundTiles } from './groundCollider.js';
import type { Solid } from './solid.js';

/** Places a side at which the ground under a solid's box is looked at. */
const FOOTPRINT = 9;

/**
 * Remembers the ground that tiles hold under a body. Called once the heights have changed, what it answers says by how many metres
 * the body has to rise to stand clear of them as it did; 0 for one that was under the ground.
 * @param origin the place of the world that is the Rapier world's zero
 */
export function standingOn(
  tiles: GroundTiles,
  origin: Vec3,
  body: RigidBody,
  solids: readonly { collider: Collider; solid: Solid }[],
): (hf: Heightfield) => number {
  const centre = body.translation();
  const under = tiles.heldHeight(centre.x + origin.x, centre.z + origin.z);
  if (under !== null && centre.y + origin.y < under) return () => 0;
  const places: [x: number, z: number, floor: number][] = [];
  for (const { collider, solid } of solids) {
    const axes = axesOfTurn(collider.rotation());
    const at = collider.translation();
    const middle = apply(axes, solid.middle);
    // Half the sides of the upright box around the turned one.
    const span = (axis: 'x' | 'y' | 'z') =>
      Math.abs(axes[0][axis]) * solid.half.x +
      Math.abs(axes[1][axis]) * solid.half.y +
      Math.abs(axes[2][axis]) * solid.half.z;
    const bottom = at.y + middle.y + origin.y - span('y');
    for (let k = 0; k < FOOTPRINT * FOOTPRINT; k++) {
      const share = (step: number) => (2 * step) / (FOOTPRINT - 1) - 1;
      const x = at.x + middle.x + origin.x + span('x') * share(k % FOOTPRINT);
      const z = at.z + middle.z + origin.z + span('z') * share(Math.floor(k / FOOTPRINT));
      const held = tiles.heldHeight(x, z);
      if (held !== null) places.push([x, z, Math.max(held, bottom)]);
    }
  }
  return (hf) => {
    let rise = 0;
    for (const [x, z, floor] of places)
      if (hf.hasGroundAt(x, z)) rise = Math.max(rise, hf.heightAt(x, z) - floor);
    return rise;
  };
}
