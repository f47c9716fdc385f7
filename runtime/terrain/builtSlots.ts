// What each slot of a terrain's pool was last built as, so that a node is built again only where its vertices would come
// out otherwise. Slots keep what they hold after their node has left the cut: it may come back to it. Owned by a TerrainMesh.
import type { Cut } from './cut.js';
import type { Rect } from './heightfield.js';

/** A node as it is about to be drawn. */
export interface BuiltNode {
  level: number;
  ix: number;
  iz: number;
  coarseMask: number;
  /** The coarsest level whose places its vertices are made from. */
  base: number;
  /** No vertex of it has begun to morph, so no camera that leaves it so moves one. */
  still: boolean;
}

/** A generation that no heightfield has: what stands in the slot has to be built again. */
const STALE = -1;

export class BuiltSlots {
  private readonly level: Int16Array;
  private readonly ix: Uint32Array;
  private readonly iz: Uint32Array;
  private readonly coarseMask: Uint8Array;
  private readonly base: Uint8Array;
  private readonly still: Uint8Array;
  /** Generation of the heightfield. */
  private readonly gen: Float64Array;
  /** Number of the view (camera and factor) it was built for. */
  private readonly view: Float64Array;
  /** Levels up at which a node's own square still holds the places of its vertices. */
  private readonly ownLevels: number;

  constructor(private readonly cut: Cut) {
    const { maxNodes, nodeVerts } = cut;
    this.level = new Int16Array(maxNodes).fill(-1);
    this.ix = new Uint32Array(maxNodes);
    this.iz = new Uint32Array(maxNodes);
    this.coarseMask = new Uint8Array(maxNodes);
    this.base = new Uint8Array(maxNodes);
    this.still = new Uint8Array(maxNodes);
    this.gen = new Float64Array(maxNodes).fill(STALE);
    this.view = new Float64Array(maxNodes);
    this.ownLevels = Math.log2(nodeVerts - 1);
  }

  /** True where `slot` holds the vertices that `node` has in generation `gen` from view number `view`. */
  holds(slot: number, node: BuiltNode, gen: number, view: number): boolean {
    const same =
      this.level[slot] === node.level &&
      this.ix[slot] === node.ix &&
      this.iz[slot] === node.iz &&
      this.coarseMask[slot] === node.coarseMask &&
      this.gen[slot] === gen;
    return same && (this.view[slot] === view || (node.still && this.still[slot] === 1));
  }

  /** No slot holds anything any more. */
  forget(): void {
    this.level.fill(-1);
    this.gen.fill(STALE);
  }

  /** Notes that `node` is built into `slot`. */
  put(slot: number, node: BuiltNode, gen: number, view: number): void {
    this.level[slot] = node.level;
    this.ix[slot] = node.ix;
    this.iz[slot] = node.iz;
    this.coarseMask[slot] = node.coarseMask;
    this.base[slot] = node.base;
    this.still[slot] = node.still ? 1 : 0;
    this.gen[slot] = gen;
    this.view[slot] = view;
  }

  /**
   * Marks the slots whose node meets the closed rect (world metres, infinite sides allowed): nothing holds them until
   * they are built again. A node's square is grown by a texel, whose surface a vertex on its edge reads.
   * @param places count the square of the ancestor in which the coarsest places lie that its vertices were made from
   */
  mark(rect: Rect, places: boolean): void {
    for (let slot = 0; slot < this.level.length; slot++) {
      if (this.meets(slot, rect, places)) this.gen[slot] = STALE;
    }
  }

  /** Whether the node that a slot holds meets a rect, as `mark` has it. False for an empty slot. */
  meets(slot: number, { minX, minZ, maxX, maxZ }: Rect, places: boolean): boolean {
    const { cut } = this;
    const level = this.level[slot];
    if (level < 0) return false;
    const { texelX, texelZ } = cut.hf;
    const up = places ? Math.max(0, level - this.base[slot] - this.ownLevels) : 0;
    const size = cut.root.size / 2 ** (level - up);
    const x = cut.cornerX + (this.ix[slot] >>> up) * size;
    const z = cut.cornerZ + (this.iz[slot] >>> up) * size;
    return x - texelX <= maxX && x + size + texelX >= minX && z - texelZ <= maxZ && z + size + texelZ >= minZ;
  }
}
