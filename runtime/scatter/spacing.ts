// Which cells of a scatter's lattice keep their place when no two may be nearer than `spacing`: cells come in the order
// of their ranks (a hash), and each keeps its place unless one that came before and kept its own is too near. That is
// random sequential adsorption, the fullest simple thinning; asked cell by cell, it looks only at neighbours of lower
// rank, and theirs, so an answer depends on the seed alone and not on the part of the ground that is looked at.

/** Where cells stand, and in which order they come. */
export interface Lattice {
  /** Cells along X and Z. */
  readonly columns: number;
  readonly rows: number;
  /** Metres: a cell's side. */
  readonly side: number;
  /** Writes the place of a cell to out[0], out[1] (metres from the lattice's corner) and its rank to out[2]. False if it stands off the ground's rect. */
  cellInto(column: number, row: number, out: Float64Array): boolean;
}

export class Spacing {
  private readonly answers = new Map<number, boolean>();
  private readonly reach: number;
  private readonly squared: number;
  /** One place for each depth of the search. */
  private readonly places: Float64Array[] = [];
  private depth = 0;

  /** @param spacing metres, above 0 */
  constructor(
    private readonly lattice: Lattice,
    spacing: number,
  ) {
    this.reach = Math.ceil(spacing / lattice.side);
    this.squared = spacing * spacing;
  }

  /** Whether a cell, whose place is on the ground's rect, keeps it. */
  keeps(column: number, row: number): boolean {
    const key = row * this.lattice.columns + column;
    const known = this.answers.get(key);
    if (known !== undefined) return known;
    const own = (this.places[this.depth] ??= new Float64Array(3));
    const other = (this.places[this.depth + 1] ??= new Float64Array(3));
    this.lattice.cellInto(column, row, own);
    this.depth++;
    const kept = !this.isTooNear(column, row, own, other);
    this.depth--;
    this.answers.set(key, kept);
    return kept;
  }

  private isTooNear(column: number, row: number, own: Float64Array, other: Float64Array): boolean {
    const { lattice, reach } = this;
    const lastRow = Math.min(row + reach, lattice.rows - 1);
    const lastColumn = Math.min(column + reach, lattice.columns - 1);
    for (let j = Math.max(row - reach, 0); j <= lastRow; j++) {
      for (let i = Math.max(column - reach, 0); i <= lastColumn; i++) {
        if ((i === column && j === row) || !lattice.cellInto(i, j, other)) continue;
        const [dx, dz] = [other[0] - own[0], other[1] - own[1]];
        if (dx * dx + dz * dz >= this.squared) continue;
        // Equal ranks are told apart by where their cells stand.
        const before = other[2] < own[2] || (other[2] === own[2] && (j < row || (j === row && i < column)));
        if (before && this.keeps(i, j)) return true;
      }
    }
    return false;
  }
}
