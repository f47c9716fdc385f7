// The quadtree that one cut is taken from: grown from its roots at each selection, in arrays that are kept. It knows
// places, ratios, neighbours and the budget; cut.ts gives the chosen nodes their slots and says what changed.
//
// A node's ratio is the camera's distance to its box over its size. Nodes split in order of ratio, each with the splits
// that the 2:1 balance asks for first, until none wants to or the next would pass the pool.
import type { NodeBounds } from './nodeBounds.js';
import { RatioHeap } from './ratioHeap.js';

/** What becomes of a node that is not split. */
const ABSENT = 0; // it stands wholly past the rect
const DRAWN = 1;
const REFUSED = 2; // by keep

/** Nodes one selection may look at, however many `keep` refuses; past it a split is refused as by the pool. */
const MOST_NODES = 2 ** 18;

/** The sides of a node, as bits of a coarse mask: 1 << side. A side and its opposite differ in the lowest bit. */
const WEST = 0; // −X
const EAST = 1; // +X
const NORTH = 2; // −Z
const SOUTH = 3; // +Z

export interface TreeShape {
  columns: number;
  rows: number;
  /** Metres: a root's side, and the rect's sides. */
  rootSize: number;
  width: number;
  depth: number;
  maxLevel: number;
  maxNodes: number;
  /** Nodes of each level along X and Z that are not wholly past the rect. */
  across: Int32Array;
  along: Int32Array;
}

export class CutTree {
  /** Nodes grown, and of them the ones that are drawn leaves. */
  count = 0;
  drawn = 0;
  // Per node: its place, its first of four children (-1: a leaf), its parent, what becomes of it, and its neighbours of
  // the same level at 4 × node + side (-1: none, which is a coarser leaf or the rect's end). Children lie in the order
  // −X −Z, +X −Z, −X +Z, +X +Z.
  level!: Uint8Array;
  ix!: Int32Array;
  iz!: Int32Array;
  child!: Int32Array;
  private parent!: Int32Array;
  private state!: Uint8Array;
  private beside!: Int32Array;
  private room = 0;

  private readonly heap: RatioHeap;
  /** Splits that must be made together: the wanted one first, those it forces after it, coarser and coarser. */
  private pending = new Int32Array(256);
  private readonly sizes: Float64Array;
  private readonly pair = new Float64Array(2);
  /**
   * What grow goes by, metres from the rect's corner (y in metres of world), and the factor it answers. Fields, because
   * numbers passed or returned across a call may be boxed, and a selection allocates nothing.
   */
  cameraX = NaN;
  cameraY = NaN;
  cameraZ = NaN;
  lodFactor = NaN;

  /** `keeps` answers whether a node is to be drawn; null draws them all. */
  constructor(
    private readonly shape: TreeShape,
    private readonly bounds: NodeBounds,
    private readonly askedLodFactor: number,
    private readonly keeps: ((level: number, ix: number, iz: number) => boolean) | null,
  ) {
    this.sizes = Float64Array.from({ length: shape.maxLevel + 1 }, (_, level) => shape.rootSize / 2 ** level);
    // Without keep a split draws at least as many as it takes away, so this room is enough; with it the room may grow.
    this.reserve(4 * (shape.maxNodes + shape.maxLevel) + 64);
    this.heap = new RatioHeap(this.room);
  }

  /**
   * Grows the tree for the camera. `lodFactor` is then the factor the cut was taken with: the ratio of the first split
   * refused for the pool, else the asked one. If keep throws, so does this; the tree is then not to be used.
   */
  grow(): void {
    this.lodFactor = this.askedLodFactor;
    this.count = this.drawn = this.heap.count = 0;
    this.plant();
    while (this.heap.count > 0) {
      const ratio = this.heap.ratios[0];
      const node = this.heap.pop();
      if (this.child[node] >= 0) continue; // a neighbour's split has forced it
      const splits = this.collect(node);
      const after = this.drawn + this.gain(splits);
      if (after > this.shape.maxNodes || this.count + 4 * splits > MOST_NODES) {
        this.lodFactor = ratio;
        return;
      }
      for (let k = splits - 1; k >= 0; k--) this.split(this.pending[k]);
      this.drawn = after;
    }
  }

  /** True for a leaf that the cut draws. */
  isDrawn(node: number): boolean {
    return this.state[node] === DRAWN && this.child[node] < 0;
  }

  /** The sides of a leaf whose drawn neighbour is one level coarser: 1 −X, 2 +X, 4 −Z, 8 +Z. */
  coarseMask(node: number): number {
    const parent = this.parent[node];
    if (parent < 0) return 0;
    const { beside } = this;
    let mask = 0;
    for (let side = 0; side < 4; side++) {
      if (beside[4 * node + side] >= 0) continue;
      const coarser = beside[4 * parent + side];
      if (coarser >= 0 && this.isDrawn(coarser)) mask |= 1 << side;
    }
    return mask;
  }

  private plant(): void {
    const { columns, rows } = this.shape;
    for (let iz = 0; iz < rows; iz++) {
      for (let ix = 0; ix < columns; ix++) {
        const node = this.add(0, ix, iz, -1);
        const at = 4 * node;
        this.beside[at + WEST] = ix > 0 ? node - 1 : -1;
        this.beside[at + EAST] = ix < columns - 1 ? node + 1 : -1;
        this.beside[at + NORTH] = iz > 0 ? node - columns : -1;
        this.beside[at + SOUTH] = iz < rows - 1 ? node + columns : -1;
        if (this.state[node] === DRAWN) this.drawn++;
      }
    }
  }

  /** Fills `pending` with `node` and every leaf that must split before it. Returns how many. */
  private collect(node: number): number {
    const { beside, parent, child } = this;
    this.pending[0] = node;
    let count = 1;
    for (let k = 0; k < count; k++) {
      const above = parent[this.pending[k]];
      if (above < 0) continue;
      for (let side = 0; side < 4; side++) {
        if (beside[4 * this.pending[k] + side] >= 0) continue;
        // No neighbour of its own level: the parent's neighbour, if there is one, is a leaf and would be two coarser.
        const coarser = beside[4 * above + side];
        if (coarser < 0 || child[coarser] >= 0 || this.isPending(coarser, count)) continue;
        if (count === this.pending.length) this.pending = doubled(this.pending, Int32Array);
        this.pending[count++] = coarser;
      }
    }
    return count;
  }

  private isPending(node: number, count: number): boolean {
    for (let k = 0; k < count; k++) if (this.pending[k] === node) return true;
    return false;
  }

  /** How many more nodes are drawn once the first `splits` of `pending` are made. */
  private gain(splits: number): number {
    const { across, along } = this.shape;
    let gain = 0;
    for (let k = 0; k < splits; k++) {
      const node = this.pending[k];
      const level = this.level[node] + 1;
      const ix = 2 * this.ix[node];
      const iz = 2 * this.iz[node];
      if (this.state[node] === DRAWN) gain--;
      for (let q = 0; q < 4; q++) {
        const x = ix + (q & 1);
        const z = iz + (q >> 1);
        if (x < across[level] && z < along[level] && (this.keeps === null || this.keeps(level, x, z))) gain++;
      }
    }
    return gain;
  }

  private split(node: number): void {
    if (this.count + 4 > this.room) this.reserve(this.room * 2);
    const level = this.level[node] + 1;
    const ix = 2 * this.ix[node];
    const iz = 2 * this.iz[node];
    const first = this.count;
    for (let q = 0; q < 4; q++) this.add(level, ix + (q & 1), iz + (q >> 1), node);
    this.child[node] = first;
    this.joinX(first, first + 1);
    this.joinX(first + 2, first + 3);
    this.joinZ(first, first + 2);
    this.joinZ(first + 1, first + 3);
    // Across each side the neighbour is there (the balance saw to it) or the rect ends; its children may be.
    const west = this.childrenBeside(node, WEST);
    if (west >= 0) {
      this.joinX(west + 1, first);
      this.joinX(west + 3, first + 2);
    }
    const east = this.childrenBeside(node, EAST);
    if (east >= 0) {
      this.joinX(first + 1, east);
      this.joinX(first + 3, east + 2);
    }
    const north = this.childrenBeside(node, NORTH);
    if (north >= 0) {
      this.joinZ(north + 2, first);
      this.joinZ(north + 3, first + 1);
    }
    const south = this.childrenBeside(node, SOUTH);
    if (south >= 0) {
      this.joinZ(first + 2, south);
      this.joinZ(first + 3, south + 1);
    }
  }

  private childrenBeside(node: number, side: number): number {
    const neighbour = this.beside[4 * node + side];
    return neighbour < 0 ? -1 : this.child[neighbour];
  }

  /** Makes two nodes neighbours, the first on the −X side, unless one of them is past the rect. */
  private joinX(a: number, b: number): void {
    if (this.state[a] === ABSENT || this.state[b] === ABSENT) return;
    this.beside[4 * a + EAST] = b;
    this.beside[4 * b + WEST] = a;
  }

  /** As joinX, the first on the −Z side. */
  private joinZ(a: number, b: number): void {
    if (this.state[a] === ABSENT || this.state[b] === ABSENT) return;
    this.beside[4 * a + SOUTH] = b;
    this.beside[4 * b + NORTH] = a;
  }

  /** Adds a leaf without neighbours, and has it queue for a split if it wants one. */
  private add(level: number, ix: number, iz: number, parent: number): number {
    const node = this.count++;
    const at = 4 * node;
    this.level[node] = level;
    this.ix[node] = ix;
    this.iz[node] = iz;
    this.child[node] = -1;
    this.parent[node] = parent;
    this.beside[at] = this.beside[at + 1] = this.beside[at + 2] = this.beside[at + 3] = -1;
    if (ix >= this.shape.across[level] || iz >= this.shape.along[level]) {
      this.state[node] = ABSENT;
      return node;
    }
    this.state[node] = this.keeps === null || this.keeps(level, ix, iz) ? DRAWN : REFUSED;
    if (level < this.shape.maxLevel) {
      this.offerRatio(level, ix, iz);
      if (this.heap.offer[0] < this.askedLodFactor) this.heap.push(node);
    }
    return node;
  }

  /** Offers the heap the camera's distance to a node's box (its part inside the rect) over the node's size. */
  private offerRatio(level: number, ix: number, iz: number): void {
    const { bounds, pair, heap, cameraX, cameraY, cameraZ } = this;
    const { width, depth } = this.shape;
    const size = this.sizes[level];
    bounds.read(level, ix, iz, pair, 0);
    const west = ix * size;
    const north = iz * size;
    const east = west + size < width ? west + size : width;
    const south = north + size < depth ? north + size : depth;
    const dx = cameraX < west ? west - cameraX : cameraX > east ? cameraX - east : 0;
    const dy = cameraY < pair[0] ? pair[0] - cameraY : cameraY > pair[1] ? cameraY - pair[1] : 0;
    const dz = cameraZ < north ? north - cameraZ : cameraZ > south ? cameraZ - south : 0;
    heap.offer[0] = Math.sqrt(dx * dx + dy * dy + dz * dz) / size;
  }

  /** Makes room for `nodes`. */
  private reserve(nodes: number): void {
    const copy = <T extends Uint8Array | Int32Array>(old: T | undefined, fresh: T): T => {
      if (old) fresh.set(old);
      return fresh;
    };
    this.level = copy(this.level, new Uint8Array(nodes));
    this.state = copy(this.state, new Uint8Array(nodes));
    this.ix = copy(this.ix, new Int32Array(nodes));
    this.iz = copy(this.iz, new Int32Array(nodes));
    this.child = copy(this.child, new Int32Array(nodes));
    this.parent = copy(this.parent, new Int32Array(nodes));
    this.beside = copy(this.beside, new Int32Array(4 * nodes));
    this.room = nodes;
  }
}

function doubled(array: Int32Array, make: Int32ArrayConstructor): Int32Array<ArrayBuffer> {
  const bigger = new make(array.length * 2);
  bigger.set(array);
  return bigger;
}
