// A first, coarse mesh for errorMesh.simplify: the fans of a quadtree whose nodes are split by a guess at their error, from a few stops each. The
// guess only decides how much is left to do (refine.ts holds the bound), so it may be wrong; along holes the mesh is exact already.
import { Fans } from './fans.js';
import { Cover, nodeCover } from './nodeCover.js';
import { NodeTree } from './nodeTree.js';
import type { StopLattice } from './stopLattice.js';
import { Triangulation } from './triangulation.js';

/** Nodes of this level are not split for their error: what they lack is put in stop by stop. */
const FINEST = 2;

const SPLIT = 1;

/** The first mesh; its vertices' tags are stops. @param metres nodes that seem farther off than this are split */
export function seedMesh(lattice: StopLattice, metres: number): Triangulation {
  const tree = new NodeTree(lattice.cellsX, lattice.cellsZ);
  const cover = nodeCover(lattice, tree);
  const guess = guessErrors(lattice, tree);
  const flags = new Int32Array(tree.count);
  const fans = new Fans(lattice, tree, flags);
  const visit = (level: number, ix: number, iz: number, put: boolean): void => {
    const id = tree.id(level, ix, iz);
    if (cover?.[id] === Cover.None) return;
    const split = cover?.[id] === Cover.Some || (level > FINEST && guess[id] > metres);
    if (!put) flags[id] = split ? SPLIT : 0;
    if (!split) {
      if (put) fans.putNode(level, ix, iz, SPLIT);
    } else if (level === 1) {
      if (put) fans.putCells(ix, iz);
    } else {
      const toX = Math.min(2 * ix + 2, tree.columns[level - 1]);
      const toZ = Math.min(2 * iz + 2, tree.rows[level - 1]);
      for (let z = 2 * iz; z < toZ; z++) for (let x = 2 * ix; x < toX; x++) visit(level - 1, x, z, put);
    }
  };
  visit(tree.top, 0, 0, false);
  visit(tree.top, 0, 0, true);
  return triangulate(lattice, fans.indices.subarray(0, fans.count));
}

/** Numbers the stops that indices name, in the order in which they come, and makes a triangulation of them. */
function triangulate(lattice: StopLattice, indices: Uint32Array): Triangulation {
  const { cols, placeX, placeZ, count } = lattice;
  const vertexOf = new Int32Array(count);
  const corners = new Int32Array(indices.length);
  const stops = new Int32Array(Math.min(indices.length, count));
  let vertices = 0;
  for (let k = 0; k < indices.length; k++) {
    const stop = indices[k];
    if (vertexOf[stop] === 0) {
      stops[vertices++] = stop;
      vertexOf[stop] = vertices;
    }
    corners[k] = vertexOf[stop] - 1;
  }
  const tag = stops.subarray(0, vertices);
  const x = new Int32Array(vertices);
  const z = new Int32Array(vertices);
  for (let v = 0; v < vertices; v++) {
    x[v] = placeX[tag[v] % cols];
    z[v] = placeZ[(tag[v] / cols) | 0];
  }
  const mesh = new Triangulation(Math.max(1024, 2 * vertices));
  mesh.begin(x, z, tag, corners);
  return mesh;
}

/** Metres by which a few stops of each node are off its fan: the middles of its edges and of its quarters; no less than its children's. */
function guessErrors(lattice: StopLattice, tree: NodeTree): Float32Array {
  const { heights, cols } = lattice;
  const { cellsX, cellsZ, top } = tree;
  const guess = new Float32Array(tree.count);
  for (let level = FINEST + 1; level <= top; level++) {
    const side = 1 << level;
    const half = side >> 1;
    const quarter = side >> 2;
    const columns = tree.columns[level];
    const below = level > FINEST + 1 ? tree.columns[level - 1] : 0;
    const wholeX = Math.floor(cellsX / side);
    const wholeZ = Math.floor(cellsZ / side);
    for (let iz = 0; iz < tree.rows[level]; iz++) {
      for (let ix = 0; ix < columns; ix++) {
        let most = 0;
        if (ix < wholeX && iz < wholeZ) {
          const a = iz * side * cols + ix * side;
          const c = a + side * cols;
          const middle = a + half * cols + half;
          const [h00, h10, h01, h11] = [heights[a], heights[a + side], heights[c], heights[c + side]];
          most = Math.max(
            Math.abs((h00 + h10) / 2 - heights[a + half]),
            Math.abs((h01 + h11) / 2 - heights[c + half]),
            Math.abs((h00 + h01) / 2 - heights[a + half * cols]),
            Math.abs((h10 + h11) / 2 - heights[a + half * cols + side]),
          );
          if (quarter > 0) {
            const apex = heights[middle];
            const up = middle - quarter * cols;
            const down = middle + quarter * cols;
            most = Math.max(
              most,
              Math.abs((h00 + apex) / 2 - heights[up - quarter]),
              Math.abs((h10 + apex) / 2 - heights[up + quarter]),
              Math.abs((h01 + apex) / 2 - heights[down - quarter]),
              Math.abs((h11 + apex) / 2 - heights[down + quarter]),
            );
          }
        }
        if (below > 0) {
          const toX = Math.min(2 * ix + 2, below);
          const toZ = Math.min(2 * iz + 2, tree.rows[level - 1]);
          for (let z = 2 * iz; z < toZ; z++)
            for (let x = 2 * ix; x < toX; x++)
              most = Math.max(most, guess[tree.start[level - 1] + z * below + x]);
        }
        guess[tree.start[level] + iz * columns + ix] = most;
      }
    }
  }
  return guess;
}
