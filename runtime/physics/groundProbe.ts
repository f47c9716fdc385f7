// What bodies rest on, asked for its height at places: rays down onto the very colliders that the simulation stands bodies on,
// in a Rapier world of their own. The self-check's witness.
import type { Ray, World } from '@dimforge/rapier3d-compat';
import type { Heightfield } from '../terrain/heightfield.js';
import { vec3, type Vec3 } from '../world/vector.js';
import { GroundTiles, type TileRange } from './groundCollider.js';
import { loadRapier, type Rapier } from './rapier.js';

/** An exactly vertical ray on a line between triangles may miss both; this much sideways a metre cures it. */
const TILT = 1e-6;
/** Metres over the expected ground that a ray starts at, and less over a small field: it starts in f32. */
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
  /** The place of the world that is the Rapier world's zero: whole metres, as the simulation has it. */
  private readonly origin: Vec3;

  private constructor(
    private readonly hf: Heightfield,
    rapier: Rapier,
    private readonly world: World,
  ) {
    const { low, high } = hf.heightRange;
    this.origin = vec3(Math.round(hf.origin.x), Math.round((low + high) / 2), Math.round(hf.origin.z));
    this.tiles = new GroundTiles(rapier, world, hf, { origin: this.origin });
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
    const { size, heightRange } = this.hf;
    const { low, high } = heightRange;
    const near = Math.max(Math.min(ABOVE, size.width / 16, size.depth / 16), reach);
    const far = Math.max(high, y) - Math.min(low, y) + 2 * near;
    return this.fall(x, y + near, z, 2 * near) ?? this.fall(x, Math.max(high, y) + near, z, far);
  }

  free(): void {
    this.tiles.free();
    this.world.free();
  }

  /** A ray in f32 may run along an edge and miss both sides: it is tried again a unit or two aside. */
  private fall(x: number, top: number, z: number, length: number): Vec3 | null {
    const { ray, origin } = this;
    const local = { x: x - origin.x, y: top - origin.y, z: z - origin.z };
    const unit = 2 ** (Math.floor(Math.log2(Math.max(Math.abs(local.x), Math.abs(local.z), 1e-9))) - 23);
    for (const aside of [0, unit, 2 * unit]) {
      for (const [dx, dz] of DIAGONALS) {
        const from = {
          x: Math.fround(local.x + dx * aside),
          y: Math.fround(local.y),
          z: Math.fround(local.z + dz * aside),
        };
        ray.origin = from;
        ray.dir = { x: dx * TILT, y: -1, z: dz * TILT };
        const t = this.world.castRay(ray, length, false)?.timeOfImpact;
        if (t === undefined) continue;
        return vec3(
          origin.x + from.x + t * dx * TILT,
          origin.y + from.y - t,
          origin.z + from.z + t * dz * TILT,
        );
      }
    }
    return null;
  }

  /** The tiles at a place and at the nearest numbers of f32 around it. */
  private rangeAt(x: number, z: number): TileRange {
    const aside = Math.max(Math.abs(x), Math.abs(z), 1) * 2 ** -21;
    return this.tiles.tilesIn({ minX: x - aside, minZ: z - aside, maxX: x + aside, maxZ: z + aside });
  }
}
