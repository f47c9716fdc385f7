// Which nodes of an error tree are drawn from a camera: from the root down, a node whose error looks small enough is drawn, another is
// split; what is outside the view is left out of the picture, and below a node that is wholly inside nothing is tested against it again.
//
// A mark a node says what was decided. Marks of each update are other numbers than those of the last one (its `base` moves on), so nothing is
// cleared: a node whose mark is of an older update was not come to in this one. What differs from the last update is noted by squares of
// the field (units), of which errorRun.ts builds again those that changed.
import type { ErrorTree } from './errorTree.js';
import { Seen, type ErrorView } from './errorView.js';

/** What a mark says beyond its base. Marks of an older base: not come to. */
export const enum Mark {
  Split = 1,
  Drawn = 2,
  /** Outside the view: drawn into shadow maps alone, or not at all. */
  Hidden = 3,
  /** Split outside the view; `& ~HIDDEN_BIT` makes it Split. */
  SplitHidden = 5,
}
/** The bit by which the two marks of split nodes differ. Bases are multiples of its double. */
export const HIDDEN_BIT = 4;
/** Marks an update. */
const STEP = 8;
/** Bases begin anew from here. */
const LAST_BASE = 2 ** 30;
/** Percent: what a hidden node's threshold is a multiple of, where the threshold is under this. */
const LEAST_HIDDEN = 0.1;
/** Level of the squares that are built again as one. */
const UNIT_LEVEL = 5;

export class ErrorCut {
  /** Marks by node number. */
  readonly flags: Int32Array;
  /** What this update's marks are counted from. */
  base = 0;
  /** Level of a unit: 2^level cells a side. */
  readonly unitLevel: number;
  readonly unitColumns: number;
  /** By unit, the update in which something of it, or next to it, last changed. */
  readonly unitChanged: Float64Array;
  /** Counts updates. */
  update = 0;
  /** Something differs from the last update. */
  changed = false;
  // Nodes of the last update.
  drawn = 0;
  culled = 0;
  split = 0;
  /** Percent: the largest error of a node that is drawn. */
  maxErrorPercent = 0;

  /** Whether what is outside the view is drawn for its shadow. */
  casting = false;

  private view!: ErrorView;
  private threshold = 0;
  private hiddenThreshold = 0;
  private readonly unitRows: number;

  constructor(readonly tree: ErrorTree) {
    const { nodes } = tree;
    this.flags = new Int32Array(nodes.count);
    this.unitLevel = Math.min(nodes.top, UNIT_LEVEL);
    this.unitColumns = nodes.columns[this.unitLevel];
    this.unitRows = nodes.rows[this.unitLevel];
    this.unitChanged = new Float64Array(this.unitColumns * this.unitRows);
  }

  /** Has all units built again at the next update: the tree's errors or holes are other ones. */
  reset(): void {
    this.flags.fill(0);
    this.base = 0;
  }

  /**
   * Chooses the nodes.
   * @param threshold percent of the frame's height: a node whose error looks smaller is drawn. 0 draws every cell
   * @param hidden what is outside the view is drawn for its shadow with a threshold this many times as high; 0: not at all
   * @param cull false: all counts as inside the view
   */
  select(view: ErrorView, threshold: number, { hidden = 0, cull = true } = {}): void {
    this.view = view;
    this.threshold = threshold;
    this.hiddenThreshold = hidden * Math.max(threshold, LEAST_HIDDEN);
    // What was not asked for before has no triangles yet.
    if (this.casting !== hidden > 0) this.reset();
    this.casting = hidden > 0;
    this.base += STEP;
    if (this.base >= LAST_BASE) {
      this.reset();
      this.base = STEP;
    }
    this.update++;
    this.changed = false;
    this.drawn = this.culled = this.split = 0;
    this.maxErrorPercent = 0;
    this.visit(this.tree.nodes.top, 0, 0, cull ? Seen.Crossing : Seen.Inside);
  }

  private visit(level: number, ix: number, iz: number, parent: Seen): void {
    const { tree, view } = this;
    const { nodes, lattice } = tree;
    const id = nodes.id(level, ix, iz);
    if (tree.errors[id] < 0) return this.mark(id, Mark.Drawn, level, ix, iz); // no ground: nothing to draw
    const x = ix << level;
    const z = iz << level;
    const side = 1 << level;
    const { box } = view;
    box[0] = lattice.worldX[x];
    box[1] = tree.lows[id];
    box[2] = lattice.worldZ[z];
    box[3] = lattice.worldX[x + side < nodes.cellsX ? x + side : nodes.cellsX];
    box[4] = tree.highs[id];
    box[5] = lattice.worldZ[z + side < nodes.cellsZ ? z + side : nodes.cellsZ];
    let seen = parent;
    if (seen === Seen.Crossing) {
      seen = view.sees();
      if (seen === Seen.Outside) this.culled++;
    }
    if (seen === Seen.Outside && this.hiddenThreshold === 0) return this.mark(id, Mark.Hidden, level, ix, iz);
    view.measure(tree.errors, id);
    const percent = view.percent[0];
    if (percent < (seen === Seen.Outside ? this.hiddenThreshold : this.threshold)) {
      if (seen === Seen.Outside) return this.mark(id, Mark.Hidden, level, ix, iz);
      this.drawn++;
      if (percent > this.maxErrorPercent) this.maxErrorPercent = percent;
      return this.mark(id, Mark.Drawn, level, ix, iz);
    }
    this.mark(id, seen === Seen.Outside ? Mark.SplitHidden : Mark.Split, level, ix, iz);
    if (seen !== Seen.Outside) this.split++;
    if (level === 1) {
      // Its cells are the ground itself, and have no marks of their own.
      if (seen !== Seen.Outside) this.drawn += Math.min(2, nodes.cellsX - x) * Math.min(2, nodes.cellsZ - z);
      return;
    }
    const toX = Math.min(2 * ix + 2, nodes.columns[level - 1]);
    const toZ = Math.min(2 * iz + 2, nodes.rows[level - 1]);
    for (let b = 2 * iz; b < toZ; b++) for (let a = 2 * ix; a < toX; a++) this.visit(level - 1, a, b, seen);
  }

  /** Notes what was decided for a node, and whether that is what was decided last time. */
  private mark(id: number, mark: Mark, level: number, ix: number, iz: number): void {
    const { flags, base } = this;
    if (flags[id] !== base - STEP + mark) this.touch(level, ix, iz);
    flags[id] = base + mark;
  }

  /** Has the units that a node lies in or next to built again: their fans read its mark. */
  private touch(level: number, ix: number, iz: number): void {
    this.changed = true;
    const { unitLevel, unitColumns, unitRows, unitChanged, update } = this;
    const fromX = Math.max(0, ((ix << level) - 1) >> unitLevel);
    const fromZ = Math.max(0, ((iz << level) - 1) >> unitLevel);
    const toX = Math.min(unitColumns - 1, ((ix + 1) << level) >> unitLevel);
    const toZ = Math.min(unitRows - 1, ((iz + 1) << level) >> unitLevel);
    for (let z = fromZ; z <= toZ; z++)
      for (let x = fromX; x <= toX; x++) unitChanged[z * unitColumns + x] = update;
  }
}
