// A camera as a frame sees it: its place in doubles, its axes, its projection (reversed Z, nothing too far), and which
// boxes it can see.
import type { Entity } from '../world/entity.js';
import { axesOf, vec3, type Bounds, type Vec3 } from '../world/vector.js';

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
    viewProjection: m,
  };
}

/** Whether any of a box of the world may be in the picture. A box is left out only if it lies wholly outside one side. */
export function sees(view: View, { min, max }: Bounds): boolean {
  const { position: p, right, up, forward, halfWidth, halfHeight } = view;
  const center = vec3((min.x + max.x) / 2 - p.x, (min.y + max.y) / 2 - p.y, (min.z + max.z) / 2 - p.z);
  const half = vec3((max.x - min.x) / 2, (max.y - min.y) / 2, (max.z - min.z) / 2);
  const outside = (nx: number, ny: number, nz: number, offset: number) => {
    const reach = Math.abs(nx) * half.x + Math.abs(ny) * half.y + Math.abs(nz) * half.z;
    return nx * center.x + ny * center.y + nz * center.z + offset + reach < 0;
  };
  if (outside(forward.x, forward.y, forward.z, -view.near)) return false;
  for (const [axis, extent] of [
    [right, halfWidth],
    [up, halfHeight],
  ] as const) {
    for (const sign of [1, -1]) {
      const tilt = view.orthographic ? 0 : extent;
      const offset = view.orthographic ? extent : 0;
      const part = (of: 'x' | 'y' | 'z') => sign * axis[of] + tilt * forward[of];
      if (outside(part('x'), part('y'), part('z'), offset)) return false;
    }
  }
  return true;
}

/** Distance from `from` to the farthest corner of a box. */
function farthest({ min, max }: Bounds, from: Vec3): number {
  const reach = (axis: 'x' | 'y' | 'z') =>
    Math.max(Math.abs(min[axis] - from[axis]), Math.abs(max[axis] - from[axis]));
  return Math.hypot(reach('x'), reach('y'), reach('z'));
}
