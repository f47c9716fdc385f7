// How far the edges of a quadtree's nodes can move. A node's edge is a straight line until finer neighbours put vertices on it; then it may run
// along any of their subdivisions. For each edge: how far above and below its straight line any of them can come, in metres.
//
// At a stop of the edge the highest line is the higher of the edge's own and of the highest that its two halves allow, down to single cells,
// which are the ground itself; the lowest likewise. So one pass a lattice line, level by level, has all edges that lie on it.
import type { NodeTree } from './nodeTree.js';
import type { StopLattice } from './stopLattice.js';

/** One direction of edges: those at lattice lines across X (upright ones) or across Z. */
interface Edges {
  /** By edge: at level k, `start[k] + line × along[k] + place`, line counted in nodes across, place in nodes along. */
  high: Float32Array;
  low: Float32Array;
  start: Int32Array;
  along: Int32Array;
}

export class EdgeReach {
  /** Edges along Z, on lattice columns. */
  readonly upright: Edges;
  /** Edges along X, on lattice rows. */
  readonly level: Edges;
  private readonly highest: Float64Array;
  private readonly lowest: Float64Array;

  constructor(
    private readonly lattice: StopLattice,
    private readonly tree: NodeTree,
  ) {
    this.upright = makeEdges(tree.top, tree.columns, tree.rows);
    this.level = makeEdges(tree.top, tree.rows, tree.columns);
    const longest = Math.max(lattice.cols, lattice.rows);
    this.highest = new Float64Array(longest);
    this.lowest = new Float64Array(longest);
  }

  /** Takes all edges again, or those on the lattice lines of stops that changed (both ends included). */
  rebuild(fromX = 0, toX = Infinity, fromZ = 0, toZ = Infinity): void {
    const { cellsX, cellsZ } = this.tree;
    for (let x = 0; x <= cellsX; x++) {
      if (x >= fromX && x <= toX) this.takeLine(this.upright, x, cellsX, cellsZ, 1, this.lattice.placeZ);
    }
    for (let z = 0; z <= cellsZ; z++) {
      if (z >= fromZ && z <= toZ)
        this.takeLine(this.level, z, cellsZ, cellsX, this.lattice.cols, this.lattice.placeX);
    }
  }

  /** @param step between lines, in stops. @param cells cells along a line */
  private takeLine(
    edges: Edges,
    line: number,
    lines: number,
    cells: number,
    step: number,
    places: Int32Array,
  ): void {
    const { top } = this.tree;
    // Lines that no node of level 1 or above ends at have no edges. The far rim is one of every level.
    if (line % 2 !== 0 && line !== lines) return;
    const { heights, cols } = this.lattice;
    const { highest, lowest } = this;
    const first = line * step;
    const along = step === 1 ? cols : 1;
    for (let k = 0; k <= cells; k++) highest[k] = lowest[k] = heights[first + k * along];
    for (let level = 1; level <= top; level++) {
      const side = 1 << level;
      if (line % side !== 0 && line !== lines) return;
      const at = edges.start[level] + Math.ceil(line / side) * edges.along[level];
      for (let from = 0, place = 0; from < cells; from += side, place++) {
        const to = Math.min(from + side, cells);
        const begin = heights[first + from * along];
        const slope = (heights[first + to * along] - begin) / (places[to] - places[from]);
        let high = 0;
        let low = 0;
        for (let k = from + 1; k < to; k++) {
          const straight = begin + slope * (places[k] - places[from]);
          const above = highest[k] - straight;
          const below = lowest[k] - straight;
          if (above > high) high = above;
          else if (above < 0) highest[k] = straight;
          if (below < low) low = below;
          else if (below > 0) lowest[k] = straight;
        }
        edges.high[at + place] = high;
        edges.low[at + place] = low;
      }
    }
  }
}

function makeEdges(top: number, across: Int32Array, along: Int32Array): Edges {
  const start = new Int32Array(top + 1);
  let count = 0;
  for (let level = 1; level <= top; level++) {
    start[level] = count;
    count += (across[level] + 1) * along[level];
  }
  return { high: new Float32Array(count), low: new Float32Array(count), start, along };
}
