// A first, coarse mesh for errorMesh.simplify: the fans of a quadtree whose nodes are split by a guess at their error, from a few stops each. The
// guess only decides how much is left to do (refine.ts holds the bound), so it may be wrong; along holes the mesh is exact already.
import { Fans } from './fans.js';
import { Cover, nodeCover } from './nodeCover.js';
import { apexOf, NodeTree } from './nodeTree.js';
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
  const mesh = new Triangulation(Math.max(1024, 2 * vertices));
  mesh.begin(
    tag.map((stop) => placeX[stop % cols]),
    tag.map((stop) => placeZ[(stop / cols) | 0]),
    tag,
    corners,
  );
  return mesh;
}

/** Metres by which a few stops of each node are off its fan: the middles of its edges and of its quarters; no less than its children's. */
function guessErrors({ heights, cols }: StopLattice, tree: NodeTree): Float32Array {
  const guess = new Float32Array(tree.count);
  for (let level = FINEST + 1; level <= tree.top; level++) {
    for (let iz = 0; iz < tree.rows[level]; iz++) {
      for (let ix = 0; ix < tree.columns[level]; ix++) {
        const [x0, z0] = [ix << level, iz << level];
        const x2 = Math.min(x0 + (1 << level), tree.cellsX);
        const z2 = Math.min(z0 + (1 << level), tree.cellsZ);
        const x1 = apexOf(x0, x2);
        const z1 = apexOf(z0, z2);
        const apex = heights[z1 * cols + x1];
        let most = 0;
        for (let side = 0; side < 4; side++) {
          // The corner where this edge begins and the one where it ends; between them its middle.
          const fromX = side === 0 || side === 3 ? x0 : x2;
          const fromZ = side < 2 ? z0 : z2;
          const toX = side < 2 ? x2 : x0;
          const toZ = side === 0 || side === 3 ? z0 : z2;
          const from = heights[fromZ * cols + fromX];
          const to = heights[toZ * cols + toX];
          most = Math.max(
            most,
            off(heights, cols, fromX, fromZ, toX, toZ, from, to),
            off(heights, cols, fromX, fromZ, x1, z1, from, apex),
          );
        }
        if (level > FINEST + 1) {
          const toX = Math.min(2 * ix + 2, tree.columns[level - 1]);
          const toZ = Math.min(2 * iz + 2, tree.rows[level - 1]);
          for (let z = 2 * iz; z < toZ; z++)
            for (let x = 2 * ix; x < toX; x++) most = Math.max(most, guess[tree.id(level - 1, x, z)]);
        }
        guess[tree.id(level, ix, iz)] = most;
      }
    }
  }
  return guess;
}

/** How far the stop in the middle of a line lies off it; 0 where none stands there. */
function off(
  heights: Float32Array,
  cols: number,
  x0: number,
  z0: number,
  x1: number,
  z1: number,
  from: number,
  to: number,
): number {
  if (((x0 + x1) | (z0 + z1)) & 1) return 0;
  return Math.abs((from + to) / 2 - heights[((z0 + z1) >> 1) * cols + ((x0 + x1) >> 1)]);
}
