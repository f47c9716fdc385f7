// The cut: which nodes of the quadtree are drawn from a camera, which slot of the pool each has, which of its edges meet
// a coarser node, and what differs from the last selection. Pure CPU; terrainMesh.ts meshes what it says.
import { checkFields, checkInteger, checkNumber, MoonscapeError, refuse, show } from '../errors.js';
import { CutTree } from './cutTree.js';
import type { Heightfield, Rect, TexelArea } from './heightfield.js';
import { KeepAnswers, type Keep } from './keepAnswers.js';
import { NodeBounds } from './nodeBounds.js';
import { NodeKeys } from './nodeKeys.js';
import { rootGrid, SIDE_TOLERANCE, squaresAlong, type RootGrid } from './quadtree.js';
import { checkRect } from './surfaceRange.js';

export interface CutOptions {
  hf: Heightfield;
  /** What the cut tiles, metres of world; default the field's rect. Must overlap it. */
  rect?: Rect;
  /** Slots in the pool, 4..4096; default 512. */
  maxNodes?: number;
  /** Vertices along a node's side: 3, 5, 9, 17, 33, 65 or 129; default 33. */
  nodeVerts?: number;
  /** Metres, above 0; a node splits only while it is larger. Default (nodeVerts − 1) × half the smaller texel side. */
  minNodeSize?: number;
  /** Metres: states the root's side. */
  rootSize?: number;
  /** A node wants to split while the camera is nearer than this many of its sizes; above 0, at most 1000; default 2. */
  lodFactor?: number;
  /** Whether a node is to be drawn; asked once a node and remembered until reset. */
  keep?: Keep;
}

const NODE_VERTS = [3, 5, 9, 17, 33, 65, 129];
const OPTIONS = ['hf', 'rect', 'maxNodes', 'nodeVerts', 'minNodeSize', 'rootSize', 'lodFactor', 'keep'];
/** Whole indices up to here are exact in f32. */
const MAX_INDEX = 2 ** 24;
/** Slots a level may need around a camera that stands in the nodes' boxes, so that the factor cannot reach 0. */
const SLOTS_A_LEVEL = 16;

/** The cut of one rect of one heightfield. It holds no GPU object and needs no freeing. */
export class Cut {
  readonly hf: Heightfield;
  readonly rect: Readonly<Rect>;
  readonly root: Readonly<RootGrid>;
  readonly maxNodes: number;
  readonly nodeVerts: number;
  readonly minNodeSize: number;
  /** The finest level; 0 is a root. */
  readonly maxLevel: number;
  /** The finest level that minNodeSize asked for, where the pool was too small for it; else null. */
  readonly loweredFrom: number | null;
  /** The rect's −X, −Z corner, which whole indices count from. */
  readonly cornerX: number;
  readonly cornerZ: number;
  readonly askedLodFactor: number;
  /** The factor the last selection was taken with: at most the asked one. */
  lodFactor = NaN;

  /** Nodes in the cut. The arrays below hold them at 0..count − 1, in the order of the tree. */
  count = 0;
  readonly level: Uint8Array;
  readonly ix: Uint32Array;
  readonly iz: Uint32Array;
  readonly slot: Uint16Array;
  /** Edges whose drawn neighbour is one level coarser: 1 −X, 2 +X, 4 −Z, 8 +Z. */
  readonly coarseMask: Uint8Array;
  /** 1 where the node is new to the cut since the last selection; `added` lists these entries, the first addedCount. */
  readonly isNew: Uint8Array;
  readonly added: Uint16Array;
  addedCount = 0;
  /** 1 where a node that stayed has another coarse mask. */
  readonly maskChanged: Uint8Array;
  /** The camera of the last selection: x, y, z, metres of world; NaN before the first. An array holds numbers without boxing them. */
  private readonly eye = new Float64Array(3).fill(NaN);

  private readonly bounds: NodeBounds;
  private readonly tree: CutTree;
  private readonly keep: KeepAnswers | null;
  /** Where the last selection's nodes are in the arrays; the two tables take turns. */
  private last: NodeKeys;
  private next: NodeKeys;
  private readonly lastSlot: Uint16Array;
  private readonly lastMask: Uint8Array;
  /** Selection that a slot was last taken in. */
  private readonly taken: Float64Array;
  private selection = 0;
  private fresh = true;
  /** True while keep is being asked. */
  selecting = false;
  private readonly stack: Int32Array;
  private readonly pair = new Float64Array(2);
  private readonly answer = { changed: false };

  /** Checks the options and makes the tree; refuses what cannot be cut. Nothing is selected yet. `where` names the caller. */
  constructor(options: CutOptions, where = 'terrainMesh.create') {
    checkFields(where, options, OPTIONS);
    const { hf } = options;
    hf.assertOpen(where);
    this.hf = hf;
    const field = { minX: hf.minX, minZ: hf.minZ, maxX: hf.maxX, maxZ: hf.maxZ };
    this.rect = options.rect === undefined ? field : overlapping(where, { ...options.rect }, field);
    this.cornerX = this.rect.minX;
    this.cornerZ = this.rect.minZ;
    this.maxNodes = checkInteger(where, 'maxNodes', options.maxNodes ?? 512, { min: 4, max: 4096 });
    this.nodeVerts = options.nodeVerts ?? 33;
    if (!NODE_VERTS.includes(this.nodeVerts))
      refuse(where, 'nodeVerts', `one of ${NODE_VERTS.join(', ')}`, options.nodeVerts);
    this.askedLodFactor = checkNumber(where, 'lodFactor', options.lodFactor ?? 2, { above: 0, max: 1000 });
    this.lodFactor = this.askedLodFactor;
    this.minNodeSize = checkNumber(
      where,
      'minNodeSize',
      options.minNodeSize ?? ((this.nodeVerts - 1) * Math.min(hf.texelX, hf.texelZ)) / 2,
      { above: 0 },
    );
    if (options.keep !== undefined && typeof options.keep !== 'function')
      refuse(where, 'keep', 'a function of a node', options.keep);

    const width = this.rect.maxX - this.rect.minX;
    const depth = this.rect.maxZ - this.rect.minZ;
    const { minNodeSize, maxNodes } = this;
    this.root = rootGrid(width, depth, { minNodeSize, maxNodes, rootSize: options.rootSize }, where);
    const { size, columns, rows } = this.root;
    const wanted = levelsDownTo(size, minNodeSize);
    this.maxLevel = Math.min(wanted, Math.floor((maxNodes - columns * rows) / SLOTS_A_LEVEL));
    this.loweredFrom = this.maxLevel < wanted ? wanted : null;
    const finest = Math.max(columns, rows) * 2 ** this.maxLevel * (this.nodeVerts - 1);
    if (finest > MAX_INDEX)
      throw new MoonscapeError(
        `${where}: minNodeSize ${minNodeSize} must keep the finest vertex index at most ${MAX_INDEX}, got ${finest} ` +
          `(${Math.max(columns, rows)} roots of ${size} m, ${this.maxLevel} levels, nodeVerts ${this.nodeVerts})`,
      );

    const { maxLevel, cornerX, cornerZ } = this;
    this.bounds = new NodeBounds(hf, { cornerX, cornerZ, width, depth, rootSize: size, maxLevel });
    this.keep = options.keep ? new KeepAnswers(options.keep, this.root.size, cornerX, cornerZ) : null;
    const inRect = (side: number) =>
      Int32Array.from({ length: maxLevel + 1 }, (_, level) =>
        nodesInside(side, size / 2 ** level, width, depth),
      );
    this.tree = new CutTree(
      {
        columns,
        rows,
        rootSize: size,
        width,
        depth,
        maxLevel,
        maxNodes,
        across: inRect(width),
        along: inRect(depth),
      },
      this.bounds,
      this.askedLodFactor,
      this.keep && ((level, ix, iz) => this.keep!.keeps(level, ix, iz)),
    );

    this.level = new Uint8Array(maxNodes);
    this.ix = new Uint32Array(maxNodes);
    this.iz = new Uint32Array(maxNodes);
    this.slot = new Uint16Array(maxNodes);
    this.coarseMask = new Uint8Array(maxNodes);
    this.isNew = new Uint8Array(maxNodes);
    this.added = new Uint16Array(maxNodes);
    this.maskChanged = new Uint8Array(maxNodes);
    this.last = new NodeKeys(maxNodes);
    this.next = new NodeKeys(maxNodes);
    this.lastSlot = new Uint16Array(maxNodes);
    this.lastMask = new Uint8Array(maxNodes);
    this.taken = new Float64Array(maxNodes);
    this.stack = new Int32Array(columns * rows + 4 * (maxLevel + 1));
  }

  /**
   * Takes the cut from a camera (metres of world). `changed`: the nodes or a mask differ from the last selection. The
   * answer is one object, used again. If keep fails, the error names it and the last cut stands whole.
   */
  select(camera: { x: number; y: number; z: number }, where = 'terrainMesh.updateCut'): { changed: boolean } {
    const { x, y, z } = camera;
    if ((x + y + z) * 0 !== 0) checkCamera(where, x, y, z);
    if (this.selecting) throw new MoonscapeError(`${where}: keep must not take the cut that is asking it`);
    const { eye } = this;
    if (!this.fresh && x === eye[0] && y === eye[1] && z === eye[2]) return this.unchanged();
    this.selecting = true;
    try {
      if (this.keep) this.keep.where = where;
      this.tree.cameraX = x - this.cornerX;
      this.tree.cameraY = y;
      this.tree.cameraZ = z - this.cornerZ;
      this.tree.grow();
    } finally {
      this.selecting = false;
    }
    this.lodFactor = this.tree.lodFactor;
    eye[0] = x;
    eye[1] = y;
    eye[2] = z;
    this.fresh = false;
    this.answer.changed = this.publish();
    return this.answer;
  }

  /** After the ground or its mask was read again: bounds are taken anew and what keep answered is forgotten. */
  reset(): void {
    this.bounds.rebuild();
    this.keep?.forget();
    this.fresh = true;
  }

  /** After what keep answers from has changed: it is asked again, at the next selection, whatever the camera. */
  keepChanged(): void {
    this.keep?.forget();
    this.fresh = true;
  }

  /** After an edit of the ground: its nodes' bounds are taken anew, and the next selection is taken whatever the camera. */
  edited(area: TexelArea): void {
    this.bounds.update(area);
    this.fresh = true;
  }

  /**
   * Metres: the camera's distance to the box of an entry, or of its ancestor `up` levels above it. No vertex place at
   * its stop's height is nearer. The places that the entry's vertices morph to, j levels up, stand in the entry's own
   * box for j up to log2(nodeVerts − 1), and in that of its ancestor j − log2(nodeVerts − 1) levels up beyond.
   */
  nearDistance(entry: number, up = 0): number {
    return this.boxDistance(entry, up, false);
  }

  /** Metres: as nearDistance, to the farthest point of the box. No such place is farther. */
  farDistance(entry: number, up = 0): number {
    return this.boxDistance(entry, up, true);
  }

  /** Metres: as farDistance, for any node of the grid, in the cut or not. */
  farDistanceOf(level: number, ix: number, iz: number, up = 0): number {
    const above = Math.min(level, up);
    return this.distanceTo(level - above, ix >>> above, iz >>> above, true);
  }

  private boxDistance(entry: number, up: number, far: boolean): number {
    const above = Math.min(this.level[entry], up);
    return this.distanceTo(
      this.level[entry] - above,
      this.ix[entry] >>> above,
      this.iz[entry] >>> above,
      far,
    );
  }

  private distanceTo(level: number, ix: number, iz: number, far: boolean): number {
    const size = this.root.size / 2 ** level;
    this.bounds.read(level, ix, iz, this.pair, 0);
    const { maxX, maxZ } = this.rect;
    const x = this.eye[0] - this.cornerX;
    const z = this.eye[2] - this.cornerZ;
    const endX = Math.min((ix + 1) * size, maxX - this.cornerX);
    const endZ = Math.min((iz + 1) * size, maxZ - this.cornerZ);
    const along = far ? farSide : nearSide;
    const dx = along(x, ix * size, endX);
    const dy = along(this.eye[1], this.pair[0], this.pair[1]);
    const dz = along(z, iz * size, endZ);
    return Math.sqrt(dx * dx + dy * dy + dz * dz);
  }

  /** The answer to the same camera again. */
  private unchanged(): { changed: boolean } {
    if (this.addedCount > 0) this.isNew.fill(0);
    this.maskChanged.fill(0);
    this.addedCount = 0;
    this.answer.changed = false;
    return this.answer;
  }

  /** Writes the grown tree's drawn leaves to the arrays, with their slots. Returns whether the cut differs. */
  private publish(): boolean {
    const { tree, stack, last, next } = this;
    const before = this.count;
    this.lastSlot.set(this.slot);
    this.lastMask.set(this.coarseMask);
    this.selection++;
    next.clear();
    let count = 0;
    let stayed = 0;
    let masks = 0;
    this.addedCount = 0;
    let top = 0;
    for (let root = this.root.columns * this.root.rows - 1; root >= 0; root--) stack[top++] = root;
    while (top > 0) {
      const node = stack[--top];
      const child = tree.child[node];
      if (child >= 0) {
        stack[top++] = child + 3;
        stack[top++] = child + 2;
        stack[top++] = child + 1;
        stack[top++] = child;
        continue;
      }
      if (!tree.isDrawn(node)) continue;
      const entry = count++;
      const level = (this.level[entry] = tree.level[node]);
      const ix = (this.ix[entry] = tree.ix[node]);
      const iz = (this.iz[entry] = tree.iz[node]);
      const mask = (this.coarseMask[entry] = tree.coarseMask(node));
      const old = last.get(level, ix, iz);
      next.set(level, ix, iz, entry);
      this.maskChanged[entry] = 0;
      if (old < 0) {
        this.isNew[entry] = 1;
        this.added[this.addedCount++] = entry;
        continue;
      }
      this.isNew[entry] = 0;
      this.slot[entry] = this.lastSlot[old];
      this.taken[this.slot[entry]] = this.selection;
      stayed++;
      if (mask !== this.lastMask[old]) masks += this.maskChanged[entry] = 1;
    }
    this.giveSlots();
    this.count = count;
    this.last = next;
    this.next = last;
    return this.addedCount > 0 || stayed < before || masks > 0;
  }

  /** Gives the new entries the lowest slots that no entry that stayed holds. */
  private giveSlots(): void {
    for (let k = 0, slot = 0; k < this.addedCount; k++, slot++) {
      while (this.taken[slot] === this.selection) slot++;
      this.slot[this.added[k]] = slot;
    }
  }
}

const nearSide = (place: number, low: number, high: number) =>
  place < low ? low - place : place > high ? place - high : 0;
const farSide = (place: number, low: number, high: number) =>
  Math.max(Math.abs(place - low), Math.abs(place - high));

/** How often a root halves until it is no larger than `smallest` (but for rounding). */
function levelsDownTo(size: number, smallest: number): number {
  let levels = 0;
  while (size / 2 ** levels > smallest * (1 + SIDE_TOLERANCE)) levels++;
  return levels;
}

/** Nodes of `size` metres along a side that are not wholly past it; an overhang that is rounding takes none. */
function nodesInside(side: number, size: number, width: number, depth: number): number {
  const slack = (SIDE_TOLERANCE * Math.max(width, depth)) / size;
  return slack < 0.5 ? Math.max(1, Math.ceil(side / size - slack)) : squaresAlong(side, size);
}

function overlapping(where: string, rect: Rect, field: Rect): Rect {
  checkRect(where, rect);
  if (rect.minX >= rect.maxX || rect.minZ >= rect.maxZ)
    refuse(where, 'rect', 'of some width and depth', rect);
  if (rect.minX < field.maxX && rect.maxX > field.minX && rect.minZ < field.maxZ && rect.maxZ > field.minZ)
    return rect;
  refuse(
    where,
    'rect',
    `one that overlaps the heightfield's (${field.minX}..${field.maxX} along x, ${field.minZ}..${field.maxZ} along z)`,
    rect,
  );
}

function checkCamera(where: string, x: unknown, y: unknown, z: unknown): void {
  const finite = [x, y, z].every((value) => typeof value === 'number' && Number.isFinite(value));
  if (!finite)
    throw new MoonscapeError(
      `${where}: camera must be three finite numbers, got { x = ${show(x)}, y = ${show(y)}, z = ${show(z)} }`,
    );
}
