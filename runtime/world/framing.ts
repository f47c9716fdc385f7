// The pose from which a camera shows a whole box: what the on-screen camera takes until a script moves it.
import { anglesOf, axesToward, dot, vec3, type Bounds, type Vec3 } from './vector.js';

/** Opposite to where the camera looks: from the south-south-east and 17 degrees down, so that the sky is in the picture. */
const BACK = vec3(0.38, 0.28, 0.82);
/** How far from the picture's middle the box may reach, of the way to each edge: most of the sky stays free. */
const REACH = { side: 0.94, top: 0.42, bottom: 0.92 };
/** The side of a box that has none, metres: the picture of a point still has a place to stand. */
const LEAST_SIDE = 0.5;

export interface View {
  /** Vertical field of view, degrees. */
  fov: number;
  /** Width over height of the picture. */
  aspect: number;
  near: number;
}

/**
 * The nearest place, looking along a fixed direction, from which every corner of `bounds` is in the picture.
 * Each side of the view is a plane through the camera; in the camera's axes the corner that pushes it farthest back
 * is the largest of `±across + tan · back`, and the two opposite sides meet where their sum allows.
 * @returns position (metres) and rotation (degrees, order XYZ)
 */
export function frameBounds(bounds: Bounds, { fov, aspect, near }: View): { position: Vec3; rotation: Vec3 } {
  const { min, max } = bounds;
  const middle = vec3((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2);
  const half = [max.x - min.x, max.y - min.y, max.z - min.z].map((side) => Math.max(side, LEAST_SIDE) / 2);
  const axes = axesToward(BACK, vec3(0, 0, 0));
  const [right, up, back] = axes;
  const tan = Math.tan((fov * Math.PI) / 360);
  const [tanX, tanTop, tanBottom] = [tan * aspect * REACH.side, tan * REACH.top, tan * REACH.bottom];
  // Left, right, lower and upper side, and the farthest any corner comes toward the camera; from the box's middle.
  const reach = [-Infinity, -Infinity, -Infinity, -Infinity, -Infinity];
  const corners: [across: number, upward: number, back: number][] = [];
  for (let corner = 0; corner < 8; corner++) {
    const p = vec3(
      corner & 1 ? half[0] : -half[0],
      corner & 2 ? half[1] : -half[1],
      corner & 4 ? half[2] : -half[2],
    );
    const [x, y, z] = [dot(p, right), dot(p, up), dot(p, back)];
    corners.push([x, y, z]);
    [-x + tanX * z, x + tanX * z, -y + tanBottom * z, y + tanTop * z, z].forEach((value, i) => {
      reach[i] = Math.max(reach[i], value);
    });
  }
  const distance = Math.max(
    (reach[0] + reach[1]) / (2 * tanX),
    (reach[2] + reach[3]) / (tanTop + tanBottom),
    reach[4] + near * 1.01,
  );
  const across = centre(
    corners.map(([x, , z]) => [x, distance - z]),
    tanX,
    tanX,
  );
  const upward = centre(
    corners.map(([, y, z]) => [y, distance - z]),
    tanBottom,
    tanTop,
  );
  const along = (axis: 'x' | 'y' | 'z') =>
    middle[axis] + right[axis] * across + up[axis] * upward + back[axis] * distance;
  return { position: vec3(along('x'), along('y'), along('z')), rotation: anglesOf(axes) };
}

/** Where to stand across so that points (across, depth > 0) leave the same part of both sides' reach free; by bisection. */
function centre(points: readonly (readonly [number, number])[], reachLow: number, reachHigh: number): number {
  let low = Math.min(...points.map(([across]) => across)) - reachHigh * points[0][1];
  let high = Math.max(...points.map(([across]) => across)) + reachLow * points[0][1];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    const sides = points.map(([across, depth]) => (across - middle) / depth);
    if (Math.max(...sides) / reachHigh + Math.min(...sides) / reachLow > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
