// The pose from which a camera shows a whole box: what the on-screen camera takes until a script moves it.
import { anglesOf, axesToward, dot, vec3, type Bounds, type Vec3 } from './vector.js';

/** From the box's middle toward the camera: south-east, about 21 degrees up, so that the horizon stays in the picture. */
const TOWARD_CAMERA = vec3(0.52, 0.37, 0.78);
/** The part of the half picture that the box may fill. */
const FILL = 0.94;
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
  const axes = axesToward(TOWARD_CAMERA, vec3(0, 0, 0));
  const [right, up, back] = axes;
  const tanY = Math.tan((fov * Math.PI) / 360) * FILL;
  const tanX = tanY * aspect;
  // Left, right, lower and upper side, and the farthest any corner comes toward the camera; from the box's middle.
  const reach = [-Infinity, -Infinity, -Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const p = vec3(
      corner & 1 ? half[0] : -half[0],
      corner & 2 ? half[1] : -half[1],
      corner & 4 ? half[2] : -half[2],
    );
    const [x, y, z] = [dot(p, right), dot(p, up), dot(p, back)];
    [-x + tanX * z, x + tanX * z, -y + tanY * z, y + tanY * z, z].forEach((value, i) => {
      reach[i] = Math.max(reach[i], value);
    });
  }
  const distance = Math.max(
    (reach[0] + reach[1]) / (2 * tanX),
    (reach[2] + reach[3]) / (2 * tanY),
    reach[4] + near * 1.01,
  );
  const across = (reach[1] - reach[0]) / 2;
  const upward = (reach[3] - reach[2]) / 2;
  const along = (axis: 'x' | 'y' | 'z') =>
    middle[axis] + right[axis] * across + up[axis] * upward + back[axis] * distance;
  return { position: vec3(along('x'), along('y'), along('z')), rotation: anglesOf(axes) };
}
