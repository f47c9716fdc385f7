// A first mesh for errorMesh.simplify: the fans of a quadtree whose nodes are split by a guess at their error, from a few stops each. The
// guess only decides how much is left to do (refine.ts holds the bound), so it may be wrong; along holes the mesh is exact already.
import { Fans } from './fans.js';
import { Cover, nodeCover } from './nodeCover.js';
import { NodeTree } from './nodeTree.js';
import type { StopLattice } from './stopLattice.js';
import { Triangulation } from './triangulation.js';

const SPLIT = 1;
/** Triangles to have room for, in parts of those that the nodes have without their neighbours' vertices. */
const ROOM = 1.5;
/** Indices to have room for at least. */
const LEAST = 3 * 1024;
/** How many bounds a node may seem off before it is split, by level (levels above count as the last): more leave more to do, and fewer triangles. */
const SEED_FACTORS = [0, 3, 2, 2, 2.25];

/** The first mesh; its vertices' tags are stops. @param bound metres that no stop shall be off in the end */
export function seedMesh(lattice: StopLattice, bound: number): Triangulation {
  const tree = new NodeTree(lattice.cellsX, lattice.cellsZ);
  const cover = nodeCover(lattice, tree);
  const { flags, triangles } = splitNodes(lattice, tree, cover, bound);
  const fans = new Fans(lattice, tree, flags, 3 * Math.ceil(triangles * ROOM) + LEAST);
  const put = (level: number, ix: number, iz: number): void => {
    const id = tree.id(level, ix, iz);
    if (flags[id] !== SPLIT) {
      if (cover?.[id] !== Cover.None) fans.putNode(level, ix, iz, SPLIT);
      return;
    }
    if (level === 1) return fans.putCells(ix, iz);
    const x = 2 * ix;
    const z = 2 * iz;
    const wide = x + 1 < tree.columns[level - 1];
    put(level - 1, x, z);
    if (wide) put(level - 1, x + 1, z);
    if (z + 1 >= tree.rows[level - 1]) return;
    put(level - 1, x, z + 1);
    if (wide) put(level - 1, x + 1, z + 1);
  };
  put(tree.top, 0, 0);
  return triangulate(lattice, fans.indices, fans.count);
}

/**
 * Numbers the stops that the indices of fans name, in the order in which they come, and makes a triangulation of them; it keeps the list. The
 * other side of a spoke is the next triangle's or the last one's, as that of a cell's diagonal; all other edges lie along an axis, where
 * the end and the direction say which they are.
 */
function triangulate(lattice: StopLattice, indices: Uint32Array, count: number): Triangulation {
  const { cols, placeX, placeZ } = lattice;
  // A cell that stands alone has the most vertices for its triangles: four for two.
  const room = Math.min(lattice.count, Math.ceil((2 * count) / 3)) + 1024;
  const mesh = new Triangulation(new Int32Array(indices.buffer), room);
  const { corners, opposite, tag, x, z } = mesh;
  const vertexOf = new Int32Array(lattice.count);
  let vertices = 0;
  const number = (stop: number): number => {
    if (vertexOf[stop] > 0) return vertexOf[stop] - 1;
    const row = (stop / cols) | 0;
    tag[vertices] = stop;
    x[vertices] = placeX[stop - row * cols];
    z[vertices] = placeZ[row];
    vertexOf[stop] = ++vertices;
    return vertices - 1;
  };
  // By vertex and direction: the edge that leaves it and waits for its other side, plus one.
  const waiting = new Int32Array(4 * Math.min(room, count));
  /** The spoke that a fan begins with, which its last one meets. */
  let first = 0;
  const meet = (e: number, from: number, to: number): void => {
    const way =
      x[from] === x[to] ? (z[from] < z[to] ? 0 : 1) : z[from] === z[to] ? (x[from] < x[to] ? 2 : 3) : -1;
    let other = way < 0 ? first : waiting[4 * to + (way ^ 1)] - 1;
    if (way < 0 && (corners[first] !== to || corners[first + 1] !== from)) {
      first = e;
      other = -1;
    }
    opposite[e] = other;
    if (other >= 0) opposite[other] = e;
    else if (way >= 0) waiting[4 * from + way] = e + 1;
  };
  let [stopA, stopB, stopC] = [-1, -1, -1];
  let [a, c] = [-1, -1];
  for (let e = 0; e < count; e += 3) {
    const [lastA, lastB, lastC] = [stopA, stopB, stopC];
    const [oldA, oldC] = [a, c];
    stopA = indices[e];
    stopB = indices[e + 1];
    stopC = indices[e + 2];
    const goesOn = stopA === lastA && stopB === lastC;
    if (!goesOn && e > 0) meet(e - 1, oldC, oldA);
    a = goesOn ? oldA : number(stopA);
    const b = goesOn ? oldC : number(stopB);
    c = number(stopC);
    corners[e] = a;
    corners[e + 1] = b;
    corners[e + 2] = c;
    const other = goesOn ? e - 1 : stopA === lastC && stopB === lastB ? e - 2 : -1;
    if (other >= 0) {
      opposite[e] = other;
      opposite[other] = e;
    } else meet(e, a, b);
    meet(e + 1, b, c);
  }
  if (count > 0) meet(count - 1, c, a);
  mesh.begin(vertices, count / 3);
  return mesh;
}

/**
 * Which nodes are split, and how many triangles all have without their neighbours' vertices. A node is split where a few stops, the middles of
 * its edges and of its quarters, are farther off its fan than its level may be, or where one of its children is.
 */
function splitNodes(
  lattice: StopLattice,
  tree: NodeTree,
  cover: Uint8Array | null,
  bound: number,
): { flags: Int32Array; triangles: number } {
  const { heights, cols } = lattice;
  const { cellsX, cellsZ, top } = tree;
  const flags = new Int32Array(tree.count);
  let triangles = 4;
  for (let level = 1; level <= top; level++) {
    const metres = bound * SEED_FACTORS[Math.min(level, SEED_FACTORS.length - 1)];
    const side = 1 << level;
    const half = side >> 1;
    const quarter = side >> 2;
    const columns = tree.columns[level];
    const rows = tree.rows[level];
    const wholeX = Math.floor(cellsX / side);
    const wholeZ = Math.floor(cellsZ / side);
    const start = tree.start[level];
    const above = level < top ? tree.start[level + 1] : -1;
    const columnsAbove = level < top ? tree.columns[level + 1] : 0;
    for (let iz = 0; iz < rows; iz++) {
      for (let ix = 0; ix < columns; ix++) {
        const id = start + iz * columns + ix;
        if (cover && cover[id] !== Cover.Whole) flags[id] = cover[id] === Cover.None ? 0 : SPLIT;
        else if (flags[id] !== SPLIT && ix < wholeX && iz < wholeZ) {
          const a = iz * side * cols + ix * side;
          const c = a + side * cols;
          const side1 = a + half * cols;
          const h00 = heights[a];
          const h10 = heights[a + side];
          const h01 = heights[c];
          const h11 = heights[c + side];
          let split =
            Math.abs((h00 + h10) / 2 - heights[a + half]) > metres ||
            Math.abs((h01 + h11) / 2 - heights[c + half]) > metres ||
            Math.abs((h00 + h01) / 2 - heights[side1]) > metres ||
            Math.abs((h10 + h11) / 2 - heights[side1 + side]) > metres;
          if (!split && quarter > 0) {
            const apex = heights[side1 + half];
            const up = a + quarter * cols;
            const down = c - quarter * cols;
            split =
              Math.abs((h00 + apex) / 2 - heights[up + quarter]) > metres ||
              Math.abs((h10 + apex) / 2 - heights[up + side - quarter]) > metres ||
              Math.abs((h01 + apex) / 2 - heights[down + quarter]) > metres ||
              Math.abs((h11 + apex) / 2 - heights[down + side - quarter]) > metres;
          }
          if (split) flags[id] = SPLIT;
        }
        if (flags[id] !== SPLIT) continue;
        triangles += level === 1 ? 4 : 12;
        if (above >= 0) flags[above + (iz >> 1) * columnsAbove + (ix >> 1)] = SPLIT;
      }
    }
  }
  return { flags, triangles };
}
