// The carried gradient: blended between four texels and the normal it makes (mirrored by terrain_mesh.wgsl), and the
// differences it is taken by, for terrain.to_texture and for edits alike.

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

/** Texels of a field: columns from `col`, rows from `row`. */
export interface TexelArea {
  readonly col: number;
  readonly row: number;
  readonly cols: number;
  readonly rows: number;
}

/** Texels (height, gradient along X, along Z, coverage; row-major) and their sides in metres. */
export interface TexelGrid {
  readonly texels: Float32Array;
  readonly width: number;
  readonly height: number;
  readonly texelX: number;
  readonly texelZ: number;
}

/** Writes the gradients along X of an area, metres a metre: central differences, one-sided at the rim, 0 across a single texel. */
export function putGradientsX({ texels, width, texelX }: TexelGrid, area: TexelArea): void {
  for (let row = area.row; row < area.row + area.rows; row++) {
    for (let col = area.col; col < area.col + area.cols; col++) {
      const at = (row * width + col) * 4;
      const west = col > 0 ? 1 : 0;
      const east = col < width - 1 ? 1 : 0;
      const run = (west + east) * texelX;
      texels[at + 1] = run > 0 ? (texels[at + east * 4] - texels[at - west * 4]) / run : 0;
    }
  }
}

/** As putGradientsX, along Z. */
export function putGradientsZ({ texels, width, height, texelZ }: TexelGrid, area: TexelArea): void {
  for (let row = area.row; row < area.row + area.rows; row++) {
    const north = row > 0 ? 1 : 0;
    const south = row < height - 1 ? 1 : 0;
    const run = (north + south) * texelZ;
    for (let col = area.col; col < area.col + area.cols; col++) {
      const at = (row * width + col) * 4;
      texels[at + 2] = run > 0 ? (texels[at + south * width * 4] - texels[at - north * width * 4]) / run : 0;
    }
  }
}
