// What bodies rest on, asked for its height at places: rays down onto the very colliders that the simulation stands bodies on,
// in a Rapier world of their own. The self-check's witness.
import type { Ray, World } from '@dimforge/rapier3d-compat';
import type { Heightfield } from '../terrain/heightfield.js';
import type { Vec3 } from '../world/vector.js';
import { GroundTiles, type TileRange } from './groundCollider.js';
import { loadRapier, type Rapier } from './rapier.js';

/** An exactly vertical ray on a line between triangles may miss both; this much sideways a metre cures it. */
const TILT = 1e-6;
/** Metres over the expected ground that a ray starts at, at least. */
const ABOVE = 2;
/** Places whose tiles stand at a time: a tile is some 16 KiB. */
const BATCH = 512;
const DIAGONALS = [
  [1, 1],
  [-1, -1],
  [1, -1],
  [-1, 1],
] as const;

/** `free` it at the end. */
export class GroundProbe {
  private readonly tiles: GroundTiles;
  private readonly ray: Ray;

  private constructor(
    private readonly hf: Heightfield,
    rapier: Rapier,
    private readonly world: World,
  ) {
    this.tiles = new GroundTiles(rapier, world, hf);
    this.ray = new rapier.Ray({ x: 0, y: 0, z: 0 }, { x: 0, y: -1, z: 0 });
  }

  /** Loads the physics engine, if it is not there yet. */
  static async of(hf: Heightfield): Promise<GroundProbe> {
    const rapier = await loadRapier();
    return new GroundProbe(hf, rapier, new rapier.World({ x: 0, y: 0, z: 0 }));
  }

  /** Visits every place while the colliders around it stand, in an order of its own, the same each time. */
  forEach<T extends { x: number; z: number }>(places: readonly T[], visit: (place: T) => void): void {
    const rangeOf = ({ x, z }: T) => this.rangeAt(x, z);
    const sorted = places
      .map((place, at) => ({ place, at, range: rangeOf(place) }))
      .sort(
        (a, b) =>
          a.range.firstRow - b.range.firstRow || a.range.firstColumn - b.range.firstColumn || a.at - b.at,
      );
    for (let from = 0; from < sorted.length; from += BATCH) {
      const batch = sorted.slice(from, from + BATCH);
      for (const { range } of batch) this.tiles.acquire(range);
      // Rays see what stood at the last step.
      this.world.step();
      for (const { place } of batch) visit(place);
      for (const { range } of batch) this.tiles.release(range);
    }
  }

  /**
   * Where a ray from over `y` meets ground at x, z, or null where it meets none; within `forEach`. It starts in f32 and leans
   * a little, so what it met stands a little aside. `reach` metres around `y` are looked at first, then all the way.
   */
  heightAt(x: number, y: number, z: number, reach: number): Vec3 | null {
    const { low, high } = this.hf.heightRange;
    const near = Math.max(ABOVE, reach);
    const far = Math.max(high, y) - Math.min(low, y) + 2 * near;
    return this.fall(x, y + near, z, 2 * near) ?? this.fall(x, Math.max(high, y) + near, z, far);
  }

  free(): void {
    this.tiles.free();
    this.world.free();
  }

  private fall(x: number, top: number, z: number, length: number): Vec3 | null {
    const { ray } = this;
    for (const [dx, dz] of DIAGONALS) {
      ray.origin = { x: Math.fround(x), y: Math.fround(top), z: Math.fround(z) };
      ray.dir = { x: dx * TILT, y: -1, z: dz * TILT };
      const hit = this.world.castRay(ray, length, false);
      if (!hit) continue;
      const t = hit.timeOfImpact;
      return { x: ray.origin.x + t * ray.dir.x, y: ray.origin.y - t, z: ray.origin.z + t * ray.dir.z };
    }
    return null;
  }

  /** The tiles at a place and at the nearest numbers of f32 around it. */
  private rangeAt(x: number, z: number): TileRange {
    const aside = Math.max(Math.abs(x), Math.abs(z), 1) * 2 ** -21;
    return this.tiles.tilesIn({ minX: x - aside, minZ: z - aside, maxX: x + aside, maxZ: z + aside });
  }
}
