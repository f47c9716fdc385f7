// The triangles of a cut, in one run of indices: first what is in the view, then what only casts shadows. Built by squares of the field (units):
// those in which nothing changed are copied from the last run. Allocates only when a run is longer than any before.
import { Mark, type ErrorCut } from './errorCut.js';
import { Fans } from './fans.js';

/** Where each unit's indices stand in a run, and since which update. */
interface Places {
  first: Int32Array;
  count: Int32Array;
}

const makePlaces = (units: number): Places => ({
  first: new Int32Array(units),
  count: new Int32Array(units),
});

export class ErrorRun {
  readonly seen: Fans;
  readonly hidden: Fans;
  /** Units whose triangles were built anew by the last update, and all that have some. */
  rebuilt = 0;
  units = 0;
  private readonly seenPlaces: Places;
  private readonly hiddenPlaces: Places;
  /** By unit, the build in which it last had a place. */
  private readonly placed: Float64Array;
  private builds = 0;
  /** The update that the last build was of. */
  private builtUpdate = 0;

  constructor(private readonly cut: ErrorCut) {
    const { lattice, nodes } = cut.tree;
    this.seen = new Fans(lattice, nodes, cut.flags);
    this.hidden = new Fans(lattice, nodes, cut.flags);
    const units = cut.unitChanged.length;
    this.seenPlaces = makePlaces(units);
    this.hiddenPlaces = makePlaces(units);
    this.placed = new Float64Array(units);
  }

  /** Builds the run of what the cut last chose. */
  build(): void {
    this.rebuilt = this.units = 0;
    this.builds++;
    this.seen.begin();
    this.hidden.begin();
    this.visit(this.cut.tree.nodes.top, 0, 0);
    this.builtUpdate = this.cut.update;
  }

  /** From the root down to the units. */
  private visit(level: number, ix: number, iz: number): void {
    const { cut } = this;
    if (level === cut.unitLevel) return this.unit(ix, iz);
    const { nodes } = cut.tree;
    const mark = cut.flags[nodes.id(level, ix, iz)] - cut.base;
    if (mark !== Mark.Split && mark !== Mark.SplitHidden) return this.leaf(level, ix, iz, mark);
    const toX = Math.min(2 * ix + 2, nodes.columns[level - 1]);
    const toZ = Math.min(2 * iz + 2, nodes.rows[level - 1]);
    for (let b = 2 * iz; b < toZ; b++) for (let a = 2 * ix; a < toX; a++) this.visit(level - 1, a, b);
  }

  /** A unit: as it was in the last run, where nothing has changed since. */
  private unit(ix: number, iz: number): void {
    const { cut, seen, hidden, seenPlaces, hiddenPlaces } = this;
    const unit = iz * cut.unitColumns + ix;
    const seenFirst = seen.count;
    const hiddenFirst = hidden.count;
    this.units++;
    if (this.placed[unit] === this.builds - 1 && cut.unitChanged[unit] <= this.builtUpdate) {
      seen.keep(seenPlaces.first[unit], seenPlaces.count[unit]);
      hidden.keep(hiddenPlaces.first[unit], hiddenPlaces.count[unit]);
    } else {
      this.rebuilt++;
      this.fill(cut.unitLevel, ix, iz);
    }
    this.placed[unit] = this.builds;
    seenPlaces.first[unit] = seenFirst;
    seenPlaces.count[unit] = seen.count - seenFirst;
    hiddenPlaces.first[unit] = hiddenFirst;
    hiddenPlaces.count[unit] = hidden.count - hiddenFirst;
  }

  /** Within a unit. */
  private fill(level: number, ix: number, iz: number): void {
    const { cut } = this;
    const { nodes } = cut.tree;
    const mark = cut.flags[nodes.id(level, ix, iz)] - cut.base;
    const split = mark === Mark.Split || mark === Mark.SplitHidden;
    if (!split) this.leaf(level, ix, iz, mark);
    else if (level === 1) (mark === Mark.Split ? this.seen : this.hidden).putCells(ix, iz);
    else {
      const toX = Math.min(2 * ix + 2, nodes.columns[level - 1]);
      const toZ = Math.min(2 * iz + 2, nodes.rows[level - 1]);
      for (let b = 2 * iz; b < toZ; b++) for (let a = 2 * ix; a < toX; a++) this.fill(level - 1, a, b);
    }
  }

  private leaf(level: number, ix: number, iz: number, mark: number): void {
    const { tree, base, casting } = this.cut;
    if (tree.errors[tree.nodes.id(level, ix, iz)] < 0) return;
    if (mark === Mark.Drawn) this.seen.putNode(level, ix, iz, base + Mark.Split);
    else if (casting) this.hidden.putNode(level, ix, iz, base + Mark.Split);
  }
}
