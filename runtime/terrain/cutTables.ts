// The tables that a cut's kernels load: the stops of both axes, and which stop each finest vertex index stands on.
// They are made once, in doubles, on the CPU, so that the kernels, their CPU twin and the holes share whole numbers
// and copied coordinates, whatever a shader compiler contracts. Used by terrainMesh.ts and terrainVertex.ts.
import type { Cut } from './cut.js';
import type { Heightfield } from './heightfield.js';
import { axisStops, stopOfIndex, type AxisStops } from './lattice.js';

/** A stop's words in `stops`: world (f32), local (f32), place (u32, 1/1024 texel), fraction (f32). Mirrors `Stop` in terrain_cut.wgsl. */
export const STOP_WORDS = 4;
/** Parts of a texel that `place` counts. */
export const PLACES = 1024;

export interface CutTables {
  /** Stops along X, then along Z: STOP_WORDS words each. */
  stops: Uint32Array<ArrayBuffer>;
  /** The same words, read as floats. */
  stopFloats: Float32Array;
  stopCountX: number;
  /** Finest vertex index to stop, along X, then along Z. */
  stopOf: Uint32Array<ArrayBuffer>;
  indexCountX: number;
  /** Along X and Z: stop k stands in texel cell k + offset, held to first..last. */
  cells: { offset: [number, number]; first: [number, number]; last: [number, number] };
}

/** Makes the tables of `cut` over `hf`. Their size follows the finest index, not the nodes. */
export function makeCutTables(hf: Heightfield, cut: Cut): CutTables {
  const { minX, minZ, maxX, maxZ } = cut.rect;
  const x = axisStops({ min: hf.minX, texel: hf.texelX, texels: hf.width }, { min: minX, max: maxX });
  const z = axisStops({ min: hf.minZ, texel: hf.texelZ, texels: hf.height }, { min: minZ, max: maxZ });
  const finestSide = (cut.nodeVerts - 1) * 2 ** cut.maxLevel;
  const spacing = cut.root.size / finestSide;
  const alongX = stopOfIndex(x, spacing, cut.root.columns * finestSide + 1);
  const alongZ = stopOfIndex(z, spacing, cut.root.rows * finestSide + 1);
  const stops = new Uint32Array((x.count + z.count) * STOP_WORDS);
  packStops(stops, 0, x, { offset: minX - hf.minX, texel: hf.texelX, texels: hf.width });
  packStops(stops, x.count, z, { offset: minZ - hf.minZ, texel: hf.texelZ, texels: hf.height });
  const stopOf = new Uint32Array(alongX.length + alongZ.length);
  stopOf.set(alongX);
  stopOf.set(alongZ, alongX.length);
  return {
    stops,
    stopFloats: new Float32Array(stops.buffer),
    stopCountX: x.count,
    stopOf,
    indexCountX: alongX.length,
    cells: {
      offset: [cellOffset(x), cellOffset(z)],
      first: [x.cell[0], z.cell[0]],
      last: [x.cell[x.count - 1], z.cell[z.count - 1]],
    },
  };
}

/**
 * Between a stop's number and its texel cell. The first stop is an edge, and the second, if it is a centre, is in the
 * cell of its own texel; a cut without a centre between its edges has all of them in one cell.
 */
const cellOffset = ({ cell, count }: AxisStops) => (count > 2 ? cell[1] - 1 : cell[0]);

/** An axis of the field as a cut sees it: `offset` metres from the field's edge to the cut's corner, texels of `texel` metres. */
interface FieldAxis {
  offset: number;
  texel: number;
  texels: number;
}

/** Writes an axis from stop `first` on. */
function packStops(words: Uint32Array<ArrayBuffer>, first: number, stops: AxisStops, axis: FieldAxis): void {
  const floats = new Float32Array(words.buffer);
  for (let k = 0; k < stops.count; k++) {
    const at = (first + k) * STOP_WORDS;
    floats[at] = stops.world[k];
    floats[at + 1] = stops.local[k];
    words[at + 2] = placeOf(
      (axis.offset + stops.local[k]) / axis.texel,
      stops.cell[k],
      stops.fraction[k],
      axis.texels,
    );
    floats[at + 3] = stops.fraction[k];
  }
}

/**
 * A stop's place in PLACES parts of a texel. `u` is the same in texels, as near as doubles have it: the field's edges
 * and its texel centres are exact, and a stop between two centres (a pool rect's edge) stays between them.
 */
function placeOf(u: number, cell: number, fraction: number, texels: number): number {
  const centre = PLACES * cell + PLACES / 2;
  if (fraction !== 0) return Math.min(Math.max(Math.round(u * PLACES), centre + 1), centre + PLACES - 1);
  if (u < 0.25) return 0;
  return u > texels - 0.25 ? PLACES * texels : centre;
}
