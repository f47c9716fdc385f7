// A camera as a frame sees it: its place in doubles, its axes, its projection (reversed Z, nothing too far), and which
// boxes it can see.
import type { Entity } from '../world/entity.js';
import { axesOf, dot, normalize, vec3, type Bounds, type Vec3 } from '../world/vector.js';

export interface View {
  /** Metres, doubles. */
  readonly position: Vec3;
  readonly right: Vec3;
  readonly up: Vec3;
  readonly forward: Vec3;
  readonly orthographic: boolean;
  /** Half of what is seen at 1 m for perspective (tangents), half of what is seen anywhere for parallel rays (metres). */
  readonly halfWidth: number;
  readonly halfHeight: number;
  readonly near: number;
  /** The sides of what is seen, for leaving out what is not. */
  readonly sides: readonly { readonly normal: Vec3; readonly offset: number }[];
  /** Camera-relative world to clip, column-major. */
  readonly viewProjection: Float32Array;
}

/** @param bounds what the world holds: parallel rays need a farthest depth, and it is taken past all of it */
export function viewOf(camera: Entity, aspect: number, bounds: Bounds | null): View {
  const matrix = camera.worldMatrix;
  const position = vec3(matrix[12], matrix[13], matrix[14]);
  const [right, up, back] = axesOf(matrix);
  const forward = vec3(-back.x, -back.y, -back.z);
  const settings = camera.components.get('Camera')!;
  const near = settings.number('near');
  const orthographic = settings.get('orthographic') === true;
  const halfHeight = orthographic
    ? settings.number('height') / 2
    : Math.tan((settings.number('fov') * Math.PI) / 360);
  const halfWidth = halfHeight * aspect;
  // Rows of the projection over (right, up, back): x / w, y / h; z and w differ.
  // Perspective: z = near, w = -back. Parallel: z = (far - depth) / (far - near), w = 1.
  const far = near + 1 + (bounds ? farthest(bounds, position) * 1.01 : 1000);
  const rowX = [1 / halfWidth, right] as const;
  const rowY = [1 / halfHeight, up] as const;
  const m = new Float32Array(16);
  (['x', 'y', 'z'] as const).forEach((axis, column) => {
    m[column * 4] = rowX[0] * rowX[1][axis];
    m[column * 4 + 1] = rowY[0] * rowY[1][axis];
    m[column * 4 + 2] = orthographic ? back[axis] / (far - near) : 0;
    m[column * 4 + 3] = orthographic ? 0 : -back[axis];
  });
  m[14] = orthographic ? far / (far - near) : near;
  m[15] = orthographic ? 1 : 0;
  return {
    position,
    right,
    up,
    forward,
    orthographic,
    halfWidth,
    halfHeight,
    near,
    sides: sidesOf(
      forward,
      [
        [right, halfWidth],
        [up, halfHeight],
      ],
      orthographic,
    ),
    viewProjection: m,
  };
}

/** A ray of the world, metres; `direction` has length 1. */
export interface Ray {
  origin: Vec3;
  direction: Vec3;
}

/**
 * The ray through a place of the picture: `x` and `y` are 0..1 from its upper left corner, and beyond that outside of it. It starts at
 * the camera, or with parallel rays where it passes the near plane.
 */
export function rayThrough(view: View, x: number, y: number): Ray {
  const { position, right, up, forward, halfWidth, halfHeight, orthographic, near } = view;
  const across = (2 * x - 1) * halfWidth;
  const upward = (1 - 2 * y) * halfHeight;
  const from = (base: Vec3, ahead: number) =>
    vec3(
      base.x + right.x * across + up.x * upward + forward.x * ahead,
      base.y + right.y * across + up.y * upward + forward.y * ahead,
      base.z + right.z * across + up.z * upward + forward.z * ahead,
    );
  if (orthographic) return { origin: from(position, near), direction: forward };
  return { origin: position, direction: normalize(from(vec3(0, 0, 0), 1)) };
}

/** Whether any of a box of the world may be in the picture. A box is left out only if it lies wholly outside one side. */
export function sees(view: View, { min, max }: Bounds): boolean {
  const { position, forward, sides, near } = view;
  const center = vec3(
    (min.x + max.x) / 2 - position.x,
    (min.y + max.y) / 2 - position.y,
    (min.z + max.z) / 2 - position.z,
  );
  const half = vec3((max.x - min.x) / 2, (max.y - min.y) / 2, (max.z - min.z) / 2);
  if (reach(forward, center, half) < near) return false;
  for (const { normal, offset } of sides) if (reach(normal, center, half) + offset < 0) return false;
  return true;
}

/** The farthest that a box reaches along a direction. */
const reach = (n: Vec3, center: Vec3, half: Vec3): number =>
  dot(n, center) + Math.abs(n.x) * half.x + Math.abs(n.y) * half.y + Math.abs(n.z) * half.z;

/** The four sides of what is seen, as planes: dot(normal, place from the camera) + offset is 0 on one, and above it within. */
function sidesOf(
  forward: Vec3,
  axes: readonly (readonly [axis: Vec3, half: number])[],
  orthographic: boolean,
): View['sides'] {
  return axes.flatMap(([axis, half]) =>
    [1, -1].map((sign) => {
      const tilt = orthographic ? 0 : half;
      const part = (of: 'x' | 'y' | 'z') => sign * axis[of] + tilt * forward[of];
      return { normal: vec3(part('x'), part('y'), part('z')), offset: orthographic ? half : 0 };
    }),
  );
}

/** Distance from `from` to the farthest corner of a box. */
function farthest({ min, max }: Bounds, from: Vec3): number {
  const most = (axis: 'x' | 'y' | 'z') =>
    Math.max(Math.abs(min[axis] - from[axis]), Math.abs(max[axis] - from[axis]));
  return Math.hypot(most('x'), most('y'), most('z'));
}
