// Stops of a lattice as the engine's vertices: position, the carried normal and its tangent, the place in the rect, world x and z. The same
// numbers that shaders/include/terrain_vertex.wgsl writes for a vertex on that stop.
import { MoonscapeError } from '../errors.js';
import { VERTEX_OFFSET, VERTEX_WORDS } from '../renderer/vertex.js';
import { TEXEL_WORDS } from '../terrain/texels.js';
import type { StopLattice } from './stopLattice.js';

/** Indices are 32 bits wide, and the largest of them is kept free. */
const MOST_STOPS = 2 ** 32 - 1;
/** The most cells along a side whose places stay whole and exact. */
const MOST_CELLS = 2 ** 19;

/** Refuses a field that has more stops than indices can name. */
export function checkMeshSize(where: string, { width, height }: { width: number; height: number }): void {
  const stops = (width + 2) * (height + 2);
  if (stops > MOST_STOPS || Math.max(width, height) >= MOST_CELLS)
    throw new MoonscapeError(
      `${where}: the heightfield must have at most ${MOST_STOPS} stops, (width + 2) × (height + 2), and under ${MOST_CELLS} texels a side, got ${width} × ${height} texels`,
    );
}

/** Writes the vertex of stop `stop` to `words` at word `at`, all 23 of them. */
export function putVertex(lattice: StopLattice, stop: number, words: Float32Array, at: number): void {
  const { field, cols, worldX, worldZ } = lattice;
  const { width, height, cpu } = field;
  const i = stop % cols;
  const j = Math.floor(stop / cols);
  const column = i < 1 ? 0 : i > width ? width - 1 : i - 1;
  const row = j < 1 ? 0 : j > height ? height - 1 : j - 1;
  const texel = (row * width + column) * TEXEL_WORDS;
  const gx = cpu[texel + 1];
  const gz = cpu[texel + 2];
  const scale = 1 / Math.hypot(gx, 1, gz);
  const along = 1 / Math.hypot(1, gx);
  const { position, normal, tangent, uv0, uv1, color, weights, joints } = VERTEX_OFFSET;
  words[at + position] = worldX[i];
  words[at + position + 1] = lattice.heights[stop];
  words[at + position + 2] = worldZ[j];
  words[at + normal] = 0 - gx * scale;
  words[at + normal + 1] = scale;
  words[at + normal + 2] = 0 - gz * scale;
  words[at + tangent] = along;
  words[at + tangent + 1] = gx * along;
  words[at + tangent + 2] = 0;
  words[at + tangent + 3] = 1;
  words[at + uv0] = lattice.placeX[i] / (2 * width);
  words[at + uv0 + 1] = lattice.placeZ[j] / (2 * height);
  words[at + uv1] = worldX[i];
  words[at + uv1 + 1] = worldZ[j];
  words.fill(1, at + color, at + color + 4);
  words.fill(0, at + weights, at + joints + 1);
}

/** The vertices of some stops, in their order. */
export function verticesOf(lattice: StopLattice, stops: Int32Array): Float32Array<ArrayBuffer> {
  const words = new Float32Array(stops.length * VERTEX_WORDS);
  for (let k = 0; k < stops.length; k++) putVertex(lattice, stops[k], words, k * VERTEX_WORDS);
  return words;
}
