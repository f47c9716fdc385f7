// The error of every node of a quadtree over a heightfield: how far, in metres, the node's drawn triangles can be from any stop under them,
// whatever vertices finer neighbours put on its edges, and no less than its children's, so that it only rises toward the root. Beside it
// the node's lowest and highest ground, for its box.
//
// A node's fan is four triangles, each over one edge. A vertex that a neighbour puts on an edge moves the fan below it in proportion to the
// way from the centre (0) to the edge (1), so the fan stays between two planes an edge: through the centre and the edge, raised by how far it
// can come up, and lowered by how far it can come down (edgeReach.ts). The error is the farthest stop from either plane.
import type { TexelArea } from '../terrain/gradient.js';
import { EdgeReach } from './edgeReach.js';
import { Cover, nodeCover } from './nodeCover.js';
import { apexOf, NodeTree } from './nodeTree.js';
import type { StopLattice } from './stopLattice.js';

/** What rounding to float32 may take off an error, as a part of it. */
const ROUND_UP = 1 + 2 ** -22;
/** The error of a node without ground, which is drawn as nothing. */
export const NO_GROUND = -1;

export class ErrorTree {
  readonly nodes: NodeTree;
  /** Metres a node, by its number; NO_GROUND, and infinite where some of its cells are cut out. */
  readonly errors: Float32Array;
  /** Metres: lowest and highest stop of each node. */
  readonly lows: Float32Array;
  readonly highs: Float32Array;
  private readonly reach: EdgeReach;
  private cover: Uint8Array | null = null;
  /** The largest error of the row of nodes in hand. */
  private most = 0;

  constructor(readonly lattice: StopLattice) {
    this.nodes = new NodeTree(lattice.cellsX, lattice.cellsZ);
    this.errors = new Float32Array(this.nodes.count);
    this.lows = new Float32Array(this.nodes.count);
    this.highs = new Float32Array(this.nodes.count);
    this.reach = new EdgeReach(lattice, this.nodes);
    this.rebuild();
  }

  /** Takes all again: the lattice's heights and holes are other ones. */
  rebuild(): void {
    this.cover = nodeCover(this.lattice, this.nodes);
    this.reach.rebuild();
    const { cellsX, cellsZ } = this.nodes;
    this.take(0, cellsX, 0, cellsZ);
  }

  /** Takes again what an edit of texels changes, after reading them into the lattice. */
  update(area: TexelArea): void {
    const { fromX, toX, fromZ, toZ } = this.lattice.read(area);
    this.reach.rebuild(fromX, toX, fromZ, toZ);
    this.take(fromX, toX, fromZ, toZ);
  }

  /** Metres: the error of the coarsest mesh, one fan. */
  get rootError(): number {
    return this.errors[this.nodes.root];
  }

  /** Takes the nodes that touch the stops of a range again; level by level, as a node needs its children. */
  private take(fromX: number, toX: number, fromZ: number, toZ: number): void {
    const { nodes } = this;
    for (let level = 1; level <= nodes.top; level++) {
      const side = 1 << level;
      const firstX = Math.max(0, Math.ceil(fromX / side) - 1);
      const firstZ = Math.max(0, Math.ceil(fromZ / side) - 1);
      const lastX = Math.min(nodes.columns[level] - 1, Math.floor(toX / side));
      const lastZ = Math.min(nodes.rows[level] - 1, Math.floor(toZ / side));
      for (let iz = firstZ; iz <= lastZ; iz++)
        for (let ix = firstX; ix <= lastX; ix++) this.takeNode(level, ix, iz);
    }
  }

  private takeNode(level: number, ix: number, iz: number): void {
    const { nodes, errors, lows, highs, cover } = this;
    const id = nodes.id(level, ix, iz);
    let error = 0;
    if (level === 1) this.takeRange(id, ix, iz);
    else {
      let low = Infinity;
      let high = -Infinity;
      const toX = Math.min(2 * ix + 2, nodes.columns[level - 1]);
      const toZ = Math.min(2 * iz + 2, nodes.rows[level - 1]);
      for (let z = 2 * iz; z < toZ; z++) {
        for (let x = 2 * ix; x < toX; x++) {
          const child = nodes.id(level - 1, x, z);
          if (errors[child] > error) error = errors[child];
          if (lows[child] < low) low = lows[child];
          if (highs[child] > high) high = highs[child];
        }
      }
      lows[id] = low;
      highs[id] = high;
    }
    if (cover && cover[id] !== Cover.Whole) {
      errors[id] = cover[id] === Cover.None ? NO_GROUND : Infinity;
      return;
    }
    this.most = 0;
    this.scan(level, ix, iz);
    errors[id] = Math.max(error, this.most * ROUND_UP);
  }

  private takeRange(id: number, ix: number, iz: number): void {
    const { heights, cols } = this.lattice;
    const toX = Math.min(2 * ix + 2, this.nodes.cellsX);
    const toZ = Math.min(2 * iz + 2, this.nodes.cellsZ);
    let low = Infinity;
    let high = -Infinity;
    for (let j = 2 * iz; j <= toZ; j++) {
      for (let i = 2 * ix; i <= toX; i++) {
        const height = heights[j * cols + i];
        if (height < low) low = height;
        if (height > high) high = height;
      }
    }
    this.lows[id] = low;
    this.highs[id] = high;
  }

  /** Raises `most` to how far the stops of a node are from the planes of its fan. */
  private scan(level: number, ix: number, iz: number): void {
    const { lattice, nodes, reach } = this;
    const { heights, cols, placeX, placeZ } = lattice;
    const x0 = ix << level;
    const z0 = iz << level;
    const x2 = Math.min(x0 + (1 << level), nodes.cellsX);
    const z2 = Math.min(z0 + (1 << level), nodes.cellsZ);
    if (x2 - x0 === 1 && z2 - z0 === 1) return; // a cell: the ground itself
    const x1 = apexOf(x0, x2);
    const z1 = apexOf(z0, z2);
    const { upright, level: flat } = reach;
    const left = upright.start[level] + ix * upright.along[level] + iz;
    const right = left + upright.along[level];
    const upper = flat.start[level] + iz * flat.along[level] + ix;
    const lower = upper + flat.along[level];

    const [west, east] = [placeX[x0] - placeX[x1], placeX[x2] - placeX[x1]];
    const [north, south] = [placeZ[z0] - placeZ[z1], placeZ[z2] - placeZ[z1]];
    const apex = heights[z1 * cols + x1];
    const h00 = heights[z0 * cols + x0] - apex;
    const h10 = heights[z0 * cols + x2] - apex;
    const h01 = heights[z2 * cols + x0] - apex;
    const h11 = heights[z2 * cols + x2] - apex;
    // Slopes along each edge, and from the centre to it: of the plane that is raised, and of the one that is lowered.
    const leftZ = (h01 - h00) / (south - north);
    const rightZ = (h11 - h10) / (south - north);
    const upperX = (h10 - h00) / (east - west);
    const lowerX = (h11 - h01) / (east - west);
    const leftAt = h00 - leftZ * north;
    const rightAt = h10 - rightZ * north;
    const upperAt = h00 - upperX * west;
    const lowerAt = h01 - lowerX * west;
    const leftHigh = (leftAt + upright.high[left]) / west;
    const leftLow = (leftAt + upright.low[left]) / west;
    const rightHigh = east === 0 ? 0 : (rightAt + upright.high[right]) / east;
    const rightLow = east === 0 ? 0 : (rightAt + upright.low[right]) / east;
    const upperHigh = (upperAt + flat.high[upper]) / north;
    const upperLow = (upperAt + flat.low[upper]) / north;
    const lowerHigh = south === 0 ? 0 : (lowerAt + flat.high[lower]) / south;
    const lowerLow = south === 0 ? 0 : (lowerAt + flat.low[lower]) / south;

    for (let j = z0; j <= z2; j++) {
      const dz = placeZ[j] - placeZ[z1];
      // Where this row crosses the two diagonals: between them it lies in the upper or lower triangle.
      const part = dz < 0 ? dz / north : dz > 0 ? dz / south : 0;
      const from = west * part;
      const to = east * part;
      const row = j * cols;
      const base = apex + leftZ * dz;
      let i = x0;
      for (; i <= x2; i++) {
        const dx = placeX[i] - placeX[x1];
        if (dx > from) break;
        this.meet(base + leftHigh * dx - heights[row + i], heights[row + i] - base - leftLow * dx);
      }
      const edgeX = dz < 0 ? upperX : lowerX;
      const high = apex + (dz < 0 ? upperHigh : lowerHigh) * dz;
      const low = apex + (dz < 0 ? upperLow : lowerLow) * dz;
      for (; i <= x2; i++) {
        const dx = placeX[i] - placeX[x1];
        if (dx > to) break;
        this.meet(high + edgeX * dx - heights[row + i], heights[row + i] - low - edgeX * dx);
      }
      const rest = apex + rightZ * dz;
      for (; i <= x2; i++) {
        const dx = placeX[i] - placeX[x1];
        this.meet(rest + rightHigh * dx - heights[row + i], heights[row + i] - rest - rightLow * dx);
      }
    }
  }

  private meet(above: number, below: number): void {
    if (above > this.most) this.most = above;
    if (below > this.most) this.most = below;
  }
}
