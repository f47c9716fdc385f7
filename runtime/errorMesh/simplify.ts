// A heightfield as few triangles, without a camera: every texel lies within a stated distance of them, measured along the vertical. Seeds from a
// quadtree, then greedy insertion. What errorMesh.simplify and `moonscape export` call; it needs no GPU.
import { checkNumber, MoonscapeError } from '../errors.js';
import type { Heightfield } from '../terrain/heightfield.js';
import { Refiner } from './refine.js';
import { seedMesh } from './seeds.js';
import { StopLattice } from './stopLattice.js';
import { checkMeshSize } from './vertices.js';

export interface SimplifiedGround {
  lattice: StopLattice;
  /** The stop of the lattice on which each vertex stands. */
  stops: Int32Array;
  /** Three vertices a triangle, counter-clockwise seen from above. */
  indices: Uint32Array;
  /** Metres: the farthest that a texel is from its triangle; at most what was asked. */
  maxError: number;
}

export interface SimplifyOptions {
  /** Told now and then: triangles so far, and how far the worst texel may be off, in metres. */
  progress?: (triangles: number, off: number) => void;
}

/**
 * The mesh of all ground that has no hole, its outlines exact. A bound of 0 is the whole surface, two triangles a cell.
 * @param maxErrorMetres at least 0
 */
export function simplify(
  hf: Heightfield,
  maxErrorMetres: number,
  { progress }: SimplifyOptions = {},
  where = 'terrainErrorMesh.simplify',
): SimplifiedGround {
  hf.assertOpen(where);
  checkNumber(where, 'maxErrorMetres', maxErrorMetres, { min: 0 });
  checkMeshSize(where, hf);
  const lattice = new StopLattice(hf);
  const mesh = maxErrorMetres === 0 ? wholeSurface(lattice) : within(lattice, maxErrorMetres, progress);
  if (mesh.indices.length === 0)
    throw new MoonscapeError(
      `${where}: the heightfield has no ground, all of it is cut out (${hf.describe()})`,
    );
  return mesh;
}

function within(
  lattice: StopLattice,
  bound: number,
  progress: SimplifyOptions['progress'],
): SimplifiedGround {
  const mesh = seedMesh(lattice, bound);
  const refiner = new Refiner(lattice, mesh, bound);
  refiner.run(progress);
  return {
    lattice,
    stops: mesh.tag.slice(0, mesh.vertices),
    indices: new Uint32Array(mesh.corners.subarray(0, 3 * mesh.triangles)),
    maxError: refiner.maxError,
  };
}

/** Every cell that has ground. */
function wholeSurface(lattice: StopLattice): SimplifiedGround {
  const { cols, cellsX, cellsZ, count } = lattice;
  const vertexOf = new Int32Array(count).fill(-1);
  const stops = new Int32Array(count);
  const indices = new Uint32Array(cellsX * cellsZ * 6);
  let vertices = 0;
  let used = 0;
  const put = (stop: number) => {
    if (vertexOf[stop] < 0) {
      stops[vertices] = stop;
      vertexOf[stop] = vertices++;
    }
    indices[used++] = vertexOf[stop];
  };
  for (let j = 0; j < cellsZ; j++) {
    for (let i = 0; i < cellsX; i++) {
      if (!lattice.hasGround(i, j)) continue;
      const corner = j * cols + i;
      for (const stop of [corner, corner + cols, corner + 1]) put(stop);
      for (const stop of [corner + 1, corner + cols, corner + cols + 1]) put(stop);
    }
  }
  return { lattice, stops: stops.slice(0, vertices), indices: indices.slice(0, used), maxError: 0 };
}
