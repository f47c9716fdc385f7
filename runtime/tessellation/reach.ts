// How far displacement can carry a mesh: a box around each patch's possible directions, and from it the box of the displaced
// mesh. Never too small, whatever the level and the neighbours; exact where normals are parallel to an axis.
import type { Bounds } from '../world/vector.js';
import { vec3 } from '../world/vector.js';
import { PARTICIPANT_WORDS, PATCH_OFFSET, PATCH_WORDS, SOURCE_OFFSET, SOURCE_WORDS } from './sourceMesh.js';
import type { SourceMesh } from './sourceMesh.js';

/** Share by which a direction in f32 may be longer than its parts say. */
const ROUNDING = 1e-6;

/**
 * The box of the unit directions in which points of each patch may move: six numbers a patch, low x y z, high x y z. A direction
 * is a sum, with weights of 0 or more, of the normals that meet at the patch's corners, brought to length 1. The sum of unit
 * vectors with weights that add up to 1 is no shorter than the least part of one along their mean, which bounds what the division
 * adds.
 */
export function normalRanges(source: SourceMesh): Float32Array {
  const { vertices, patches, patchCount, groups, participants } = source;
  const ranges = new Float32Array(patchCount * 6);
  const found: number[] = [];
  for (let patch = 0; patch < patchCount; patch++) {
    found.length = 0;
    for (let k = 0; k < 3; k++) {
      const group = patches[patch * PATCH_WORDS + PATCH_OFFSET.corners + k];
      const [first, count] = [groups[group * 2], groups[group * 2 + 1]];
      for (let p = first; p < first + count; p++) {
        const at = participants[p * PARTICIPANT_WORDS] * SOURCE_WORDS + SOURCE_OFFSET.normal;
        const length = Math.hypot(vertices[at], vertices[at + 1], vertices[at + 2]) || 1;
        found.push(vertices[at] / length, vertices[at + 1] / length, vertices[at + 2] / length);
      }
    }
    rangeInto(found, ranges, patch * 6);
  }
  return ranges;
}

function rangeInto(normals: number[], ranges: Float32Array, at: number): void {
  const mean = [0, 0, 0];
  for (let k = 0; k < normals.length; k++) mean[k % 3] += normals[k];
  const length = Math.hypot(...mean) || 1;
  let least = Infinity;
  for (let k = 0; k < normals.length; k += 3)
    least = Math.min(
      least,
      (normals[k] * mean[0] + normals[k + 1] * mean[1] + normals[k + 2] * mean[2]) / length,
    );
  for (let axis = 0; axis < 3; axis++) {
    let [low, high] = [Infinity, -Infinity];
    for (let k = axis; k < normals.length; k += 3) {
      low = Math.min(low, normals[k]);
      high = Math.max(high, normals[k]);
    }
    const widen = (part: number) => (least > 0 ? part / least : part * Infinity) * (1 + ROUNDING);
    ranges[at + axis] = low < 0 ? Math.max(-1, widen(low)) : low;
    ranges[at + 3 + axis] = high > 0 ? Math.min(1, widen(high)) : high;
  }
}

/** Metres of the mesh's own space, along a direction: from `low` to `high`, with 0 between. */
export interface Travel {
  low: number;
  high: number;
}

/** The box of a mesh whose points are moved by `travel` along their normals; never too small. */
export function displacedBounds(source: SourceMesh, { low, high }: Travel): Bounds {
  const { vertices, patches, patchCount, normals } = source;
  const min = [Infinity, Infinity, Infinity];
  const max = [-Infinity, -Infinity, -Infinity];
  for (let patch = 0; patch < patchCount; patch++) {
    for (let axis = 0; axis < 3; axis++) {
      const [from, to] = [normals[patch * 6 + axis], normals[patch * 6 + 3 + axis]];
      const least = Math.min(from * low, from * high, to * low, to * high);
      const most = Math.max(from * low, from * high, to * low, to * high);
      for (let k = 0; k < 3; k++) {
        const place = vertices[patches[patch * PATCH_WORDS + k] * SOURCE_WORDS + axis];
        if (place + least < min[axis]) min[axis] = place + least;
        if (place + most > max[axis]) max[axis] = place + most;
      }
    }
  }
  if (patchCount === 0) return { min: vec3(0, 0, 0), max: vec3(0, 0, 0) };
  // Half an ulp of f32 outward: the kernel's sums are rounded.
  const out = (value: number, way: number) => value + way * Math.abs(value) * 2 ** -22;
  return {
    min: vec3(out(min[0], -1), out(min[1], -1), out(min[2], -1)),
    max: vec3(out(max[0], 1), out(max[1], 1), out(max[2], 1)),
  };
}
