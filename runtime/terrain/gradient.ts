// The carried gradient: blended between four texels, and the normal it makes. Mirrored by terrain_mesh.wgsl.

/** Any indexed triple of numbers: an array, a Float32Array, a Float64Array. */
export interface Triple {
  [index: number]: number;
}

/** Bilinear between four texels: `at` is the word of the first, `right` and `down` lead to its neighbours' same word. */
export function blend(
  texels: Float32Array,
  at: number,
  right: number,
  down: number,
  fx: number,
  fz: number,
): number {
  const near = texels[at] + (texels[at + right] - texels[at]) * fx;
  const far = texels[at + down] + (texels[at + down + right] - texels[at + down]) * fx;
  return near + (far - near) * fz;
}

/** Turns the gradient in out[0] (along X) and out[2] (along Z) into the unit normal, in place. Returns `out`. */
export function toNormal<T extends Triple>(out: T): T {
  const vector: Triple = out;
  const scale = 1 / Math.hypot(vector[0], 1, vector[2]);
  vector[0] = 0 - vector[0] * scale;
  vector[1] = scale;
  vector[2] = 0 - vector[2] * scale;
  return out;
}
