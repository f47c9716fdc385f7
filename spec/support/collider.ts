// An independent judge of the surface: a Rapier heightfield collider for each of a heightfield's tiles, met by rays.
import RAPIER from '@dimforge/rapier3d-compat';
import type { Heightfield } from '../../runtime/terrain/heightfield.js';

/** An exactly vertical ray on a grid line may miss altogether; this much sideways a metre cures it. */
export const TILT = 1e-6;
/** How far above the expected ground a ray starts, metres: it drifts by TILT of that. */
export const ABOVE = 2;

let ready: Promise<void> | null = null;

/** Colliders of all of a field's ground. Free it at the end. */
export class GroundCollider {
  private constructor(private readonly world: RAPIER.World) {}

  static async of(hf: Heightfield, perTile?: number): Promise<GroundCollider> {
    await (ready ??= RAPIER.init());
    const world = new RAPIER.World({ x: 0, y: -9.81, z: 0 });
    for (const { minX, minZ, sizeX, sizeZ, xs, zs } of hf.colliderTiles(perTile)) {
      const rows = hf.texelLattice(xs, zs);
      // Rapier's heights are column-major, z fastest.
      const heights = new Float32Array(rows.length);
      for (let i = 0; i < xs.length; i++) {
        for (let j = 0; j < zs.length; j++) heights[j + i * zs.length] = rows[j * xs.length + i];
      }
      const scale = { x: sizeX, y: 1, z: sizeZ };
      const shape = RAPIER.ColliderDesc.heightfield(zs.length - 1, xs.length - 1, heights, scale);
      world.createCollider(shape.setTranslation(minX + sizeX / 2, 0, minZ + sizeZ / 2));
    }
    world.step();
    return new GroundCollider(world);
  }

  /**
   * Where a ray from a little over `y` meets the ground at x, z; null where it meets none. Far from zero a tile's place
   * in f32 leaves a slit of a unit or so beside the next, so a ray that meets none is tried again `step` metres aside.
   */
  heightNear(x: number, y: number, z: number, step: number): number | null {
    const top = Math.fround(y + ABOVE);
    for (const aside of [0, step, 2 * step]) {
      for (const [dx, dz] of [
        [1, 1],
        [-1, -1],
        [1, -1],
        [-1, 1],
      ]) {
        const origin = { x: x + dx * aside, y: top, z: z + dz * aside };
        const ray = new RAPIER.Ray(origin, { x: dx * TILT, y: -1, z: dz * TILT });
        const hit = this.world.castRay(ray, 2 * ABOVE, false);
        if (hit) return top - hit.timeOfImpact;
      }
    }
    return null;
  }

  free(): void {
    this.world.free();
  }
}
