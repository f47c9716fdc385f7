// A ground made by hand for specs of the renderer: a grid in the engine's vertex layout between texel centres, and the
// texel buffer that its pixels are shaded by.
import { GpuBuffer } from '../../runtime/gpu/gpuBuffer.js';
import type { MeshFields } from '../../runtime/renderer/meshStore.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../../runtime/renderer/vertex.js';
import { vec3, type Bounds } from '../../runtime/world/vector.js';
import { sharedGpu } from './gpu.js';

export interface HandGround {
  fields: MeshFields & { bounds: Bounds };
  destroy(): void;
}

export interface HandGroundOptions {
  /** Texels along each side. */
  texels: number;
  /** Metres along each side. */
  size: number;
  /** The rect's centre. */
  origin?: readonly [number, number];
  /** Every how manieth texel has a vertex, default 1. */
  step?: number;
  /** Height in metres at metres from the rect's centre. */
  height: (x: number, z: number) => number;
}

export async function handGround(options: HandGroundOptions): Promise<HandGround> {
  const { texels: count, size, origin = [0, 0], step = 1, height } = options;
  const gpu = await sharedGpu();
  const texel = size / count;
  const local = (index: number) => (index + 0.5) * texel - size / 2;
  const data = new Float32Array(count * count * 4);
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < count; row++) {
    for (let column = 0; column < count; column++) {
      const [x, z] = [local(column), local(row)];
      const h = height(x, z);
      const dx = (height(x + texel, z) - height(x - texel, z)) / (2 * texel);
      const dz = (height(x, z + texel) - height(x, z - texel)) / (2 * texel);
      data.set([h, dx, dz, 1], (row * count + column) * 4);
      [low, high] = [Math.min(low, h), Math.max(high, h)];
    }
  }
  const stops = Array.from({ length: Math.ceil((count - 1) / step) + 1 }, (_, i) =>
    Math.min(i * step, count - 1),
  );
  const side = stops.length;
  const vertices = new Float32Array(side * side * VERTEX_WORDS);
  const indices: number[] = [];
  stops.forEach((row, iz) =>
    stops.forEach((column, ix) => {
      const at = (iz * side + ix) * VERTEX_WORDS;
      const [h, dx, dz] = data.subarray((row * count + column) * 4);
      const length = Math.hypot(dx, 1, dz);
      vertices.set([origin[0] + local(column), h, origin[1] + local(row)], at + VERTEX_OFFSET.position);
      vertices.set([-dx / length, 1 / length, -dz / length], at + VERTEX_OFFSET.normal);
      if (ix === 0 || iz === 0) return;
      const [a, c] = [(iz - 1) * side + ix - 1, iz * side + ix - 1];
      indices.push(a, c, a + 1, a + 1, c, c + 1);
    }),
  );
  const buffers = [
    GpuBuffer.create(gpu, { data: vertices, label: 'hand ground vertices' }),
    GpuBuffer.create(gpu, { data: Uint32Array.from(indices), label: 'hand ground indices' }),
    GpuBuffer.create(gpu, { data, label: 'hand ground texels' }),
  ];
  const [minX, minZ] = [origin[0] - size / 2, origin[1] - size / 2];
  const texelBuffer = buffers[2].buffer;
  return {
    fields: {
      vertexBuffer: buffers[0],
      indexBuffer: buffers[1],
      bounds: { min: vec3(minX, low, minZ), max: vec3(minX + size, high, minZ + size) },
      ground: {
        ...{ texels: texelBuffer, width: count, height: count, minX, minZ, sizeX: size, sizeZ: size },
        ...{ low, high },
        heightAt: (x: number, z: number) => height(x - origin[0], z - origin[1]),
      },
    },
    destroy: () => buffers.forEach((buffer) => buffer.destroy()),
  };
}

/** A crater on a cone, 60 m high, for a rect of some 400 m: steep rock, grass below and scree on top. */
export function crater(x: number, z: number): number {
  const r = Math.hypot(x - 20, z + 10) / 150;
  const ridges = 4 * Math.sin(x / 23) * Math.cos(z / 31);
  return 62 * Math.exp(-r * r * 1.6) - 40 * Math.exp(-r * r * 22) + ridges;
}
