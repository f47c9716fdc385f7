// What a camera sees of a scatter, by doubles: the CPU twin of shaders/scatter_cull.wgsl's decision.
import { maxDistanceOf, planesOf } from '../../runtime/renderer/scatterPass.js';
import type { View } from '../../runtime/renderer/view.js';
import type { Scatter } from '../../runtime/scatter/scatter.js';
import type { Bounds } from '../../runtime/world/vector.js';

/**
 * For each instance how clearly it is seen: above 0 it is, below 0 it is not, in parts of its own size and of its
 * limit's distance. Near 0 the kernel's float32 may decide either way.
 */
export function judge(scatter: Scatter, view: View, { min, max }: Bounds): Float64Array {
  const { places, records } = scatter.table();
  const center = [min.x + max.x, min.y + max.y, min.z + max.z].map((sum) => sum / 2);
  const radius = Math.hypot(max.x - center[0], max.y - center[1], max.z - center[2]);
  const fadeEnd = maxDistanceOf(scatter, radius);
  const planes = planesOf(view);
  return Float64Array.from({ length: scatter.count }, (_, k) => {
    const relative = [
      places[k * 3] - view.position.x,
      places[k * 3 + 1] - view.position.y,
      places[k * 3 + 2] - view.position.z,
    ];
    let size = 1;
    let clearly = Infinity;
    if (!view.orthographic) {
      const limit = fadeEnd + (0.6 * fadeEnd - fadeEnd) * numberOf(records.subarray(k * 8, k * 8 + 3));
      const left = 1 - Math.hypot(...relative) / limit;
      if (left <= 0) return left;
      clearly = left;
      size = Math.min(1, left / 0.1);
    }
    const scale = records[k * 8 + 3] * size;
    const middle = turned(
      records.subarray(k * 8 + 4, k * 8 + 8),
      center.map((part) => part * scale),
    ).map((part, axis) => part + relative[axis]);
    for (const [x, y, z, w] of planes) {
      const inside = x * middle[0] + y * middle[1] + z * middle[2] + w + radius * scale;
      clearly = Math.min(clearly, inside / (radius * scale + Math.hypot(...relative)));
    }
    return clearly;
  });
}

/** Mirrors scatter_number of shaders/include/scatter.wgsl. */
export function numberOf(place: Float32Array): number {
  const bits = new Uint32Array(Float32Array.from(place).buffer);
  let v = bits[0] ^ Math.imul(bits[2], 0x9e3779b1);
  v = Math.imul(v ^ (v >>> 16), 0x21f0aaad);
  v = Math.imul(v ^ (v >>> 15), 0xd35a2d97);
  return ((v ^ (v >>> 15)) >>> 8) / 16777216;
}

/** `v` turned by the matrix of a unit quaternion. */
function turned([x, y, z, w]: Float32Array, v: number[]): number[] {
  return [
    (1 - 2 * (y * y + z * z)) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2],
    2 * (x * y + w * z) * v[0] + (1 - 2 * (x * x + z * z)) * v[1] + 2 * (y * z - w * x) * v[2],
    2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (1 - 2 * (x * x + y * y)) * v[2],
  ];
}
