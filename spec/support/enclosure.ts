// Which rays must meet a drawn terrain, whatever its level of detail: a judge of pictures that knows only the drawn
// triangles' rim and asks which side of the ground a ray begins and ends on.
//
// The drawn ground is one sheet over its rect, hung from a closed rim along the rect's four edges. Over the rect a ray is
// on one side of the sheet or on the other, and changes sides exactly where it crosses. So a ray that comes into the
// column over the rect above the ground and leaves it below (or the other way) has crossed the sheet an odd number of
// times, once at least, and a pixel of it that shows the background shows it through a crack. One that begins and ends on
// one side may have crossed it never, and may show the background by right: past a ridge, over the far edge, under it.
// A ray that slips through a crack goes on under the ground, and has to cross it again or leave below: but for two cracks
// on one ray nothing is missed. How coarse a node is does not matter, as the sheet is the drawn one.
import type { Vec3 } from '../../runtime/world/vector.js';
import { drawnTriangles } from './seams.js';
import type { PoolReading } from './terrain.js';

type Rect = { minX: number; maxX: number; minZ: number; maxZ: number };

/** +1 above the ground, -1 below, 0 too near to its rim to say. */
type Side = 1 | -1 | 0;

/** Metres: heights of the rim nearer than this to a ray decide nothing; float32 has 6e-5 at 1000 m. */
const RIM_SLACK = 0.01;

export class Enclosure {
  /** Segments of the rim: for each edge (−X, +X, −Z, +Z) from, to (along the edge) and the heights there. */
  private readonly rim: number[][] = [[], [], [], []];
  private readonly triangles: [number, number, number][][];

  /** @param reading a terrain whose cut tiles `rect` exactly, with nothing dropped and no holes */
  constructor(
    reading: PoolReading,
    private readonly rect: Rect,
  ) {
    this.triangles = [...drawnTriangles(reading)];
    for (const corners of this.triangles) {
      for (let k = 0; k < 3; k++) {
        const [a, b] = [corners[k], corners[(k + 1) % 3]];
        [rect.minX, rect.maxX].forEach((x, edge) => {
          if (a[0] === x && b[0] === x) this.rim[edge].push(a[2], b[2], a[1], b[1]);
        });
        [rect.minZ, rect.maxZ].forEach((z, edge) => {
          if (a[2] === z && b[2] === z) this.rim[2 + edge].push(a[0], b[0], a[1], b[1]);
        });
      }
    }
  }

  /** The side of the ground that a camera in the column over the rect stands on: by the triangles straight above it. */
  sideOf({ x, y, z }: Vec3): Side {
    let above = 0;
    for (const [a, b, c] of this.triangles) {
      const area = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0]);
      const u = ((x - a[0]) * (c[2] - a[2]) - (z - a[2]) * (c[0] - a[0])) / area;
      const v = ((b[0] - a[0]) * (z - a[2]) - (b[2] - a[2]) * (x - a[0])) / area;
      if (u >= 0 && v >= 0 && u + v <= 1 && a[1] + (b[1] - a[1]) * u + (c[1] - a[1]) * v > y) above++;
    }
    return above % 2 === 0 ? 1 : -1;
  }

  /** Whether a ray has to meet the ground. `start` is sideOf(from). */
  mustMeet(from: Vec3, direction: Vec3, start: Side): boolean {
    const { rect } = this;
    let [enter, leave] = [0, Infinity];
    let [enterEdge, leaveEdge] = [-1, -1];
    for (const [axis, low, high, edge] of [
      ['x', rect.minX, rect.maxX, 0],
      ['z', rect.minZ, rect.maxZ, 2],
    ] as const) {
      const d = direction[axis];
      if (d === 0) {
        if (from[axis] <= low || from[axis] >= high) return false;
        continue;
      }
      const near = ((d > 0 ? low : high) - from[axis]) / d;
      const far = ((d > 0 ? high : low) - from[axis]) / d;
      if (near > enter) [enter, enterEdge] = [near, edge + (d > 0 ? 0 : 1)];
      if (far < leave) [leave, leaveEdge] = [far, edge + (d > 0 ? 1 : 0)];
    }
    if (leave <= enter) return false;
    const begin = enterEdge < 0 ? start : this.sideAtRim(from, direction, enter, enterEdge);
    const end =
      leaveEdge < 0 ? (direction.y > 0 ? 1 : -1) : this.sideAtRim(from, direction, leave, leaveEdge);
    return begin * end === -1;
  }

  /** Whether a ray passes through the inside of a drawn triangle: exact but for double rounding, as no rasterizer has to be. */
  hits(from: Vec3, direction: Vec3): boolean {
    const d = [direction.x, direction.y, direction.z];
    for (const corners of this.triangles) {
      const [a, b, c] = corners.map(([x, y, z]) => [x - from.x, y - from.y, z - from.z]);
      const sides = [triple(d, a, b), triple(d, b, c), triple(d, c, a)];
      if (!sides.every((side) => side > 0) && !sides.every((side) => side < 0)) continue;
      // Along the ray it lies at a·n / d·n, and d·n is the sum of the three.
      if (triple(a, b, c) / (sides[0] + sides[1] + sides[2]) > 0) return true;
    }
    return false;
  }

  /** The side that a ray is on where it passes through the plane of one of the rect's edges. */
  private sideAtRim(from: Vec3, direction: Vec3, t: number, edge: number): Side {
    const along = edge < 2 ? from.z + t * direction.z : from.x + t * direction.x;
    const y = from.y + t * direction.y;
    const segments = this.rim[edge];
    let [low, high] = [Infinity, -Infinity];
    for (let s = 0; s < segments.length; s += 4) {
      const [a, b] = [segments[s], segments[s + 1]];
      if (along < Math.min(a, b) || along > Math.max(a, b) || a === b) continue;
      const height = segments[s + 2] + ((segments[s + 3] - segments[s + 2]) * (along - a)) / (b - a);
      [low, high] = [Math.min(low, height), Math.max(high, height)];
    }
    if (y > high + RIM_SLACK) return 1;
    return y < low - RIM_SLACK ? -1 : 0;
  }
}

/** a · (b × c) */
const triple = (a: readonly number[], b: readonly number[], c: readonly number[]): number =>
  a[0] * (b[1] * c[2] - b[2] * c[1]) +
  a[1] * (b[2] * c[0] - b[0] * c[2]) +
  a[2] * (b[0] * c[1] - b[1] * c[0]);
