// Where a scatter's instances stand: CPU, pure. The ground's rect is a lattice of square cells of one place each, jittered
// over its cell, so that places lie evenly and yet in no rows (stratified sampling; Cook, "Stochastic sampling in
// computer graphics", 1986). A cell's place, turn and scale come from its hash; whether it stands is asked of the ground
// there. So an edit of the ground changes only the cells whose places it covers.
import { MoonscapeError, refuse } from '../errors.js';
import type { Rect } from '../terrain/heightfield.js';
import { hashCell, unit, type Words } from './cellHash.js';
import type { Rules } from './scatterRules.js';
import { Spacing, type Lattice } from './spacing.js';

/** What a placement asks of a heightfield. */
export interface ScatterGround {
  readonly minX: number;
  readonly minZ: number;
  readonly maxX: number;
  readonly maxZ: number;
  hasGroundAt(x: number, z: number): boolean;
  heightAt(x: number, z: number): number;
  /** Radians. */
  slopeAt(x: number, z: number): number;
  normalInto<T extends { [index: number]: number }>(x: number, z: number, out: T): T;
  /** The water over a place, or null where it is dry. */
  waterAt(x: number, z: number): object | null;
}

/** An instance as it stands. */
export interface Placed {
  /** World metres, its mesh's origin. */
  x: number;
  y: number;
  z: number;
  scale: number;
  /** Unit quaternion: x, y, z, w. */
  readonly turn: [number, number, number, number];
}

/** The most cells of a lattice: their instance numbers alone take 4 bytes each. */
const MOST_CELLS = 2 ** 24;
/** Which words of a cell's hashes are what. */
const STREAM = { place: 0, look: 1 } as const;

export const nowhere = (): Placed => ({ x: 0, y: 0, z: 0, scale: 1, turn: [0, 0, 0, 1] });

/** The places of one set of rules on one ground. Cells of the part they cover (`rect`) are numbered from 0, row by row. */
export class Placement implements Lattice {
  /** Cells along X and Z of the whole ground, counted from its −X, −Z corner. */
  readonly columns: number;
  readonly rows: number;
  /** Metres. */
  readonly side: number;
  /** The part that is covered, in world metres, and its cells. */
  readonly part: Rect;
  readonly first: { readonly column: number; readonly row: number };
  readonly wide: number;
  readonly cells: number;
  private readonly spacing: Spacing | null;
  private readonly width: number;
  private readonly depth: number;
  private readonly words: Words = new Uint32Array(4);
  private readonly place = new Float64Array(3);
  private readonly normal = new Float64Array(3);

  /**
   * Refuses a density that makes more cells than can be numbered.
   * @param where names the caller in errors
   * @param weightAt the share of the rules' layer at a place, 0..1; needed where they name one
   */
  constructor(
    private readonly where: string,
    private readonly ground: ScatterGround,
    private readonly rules: Rules,
    private readonly weightAt: ((x: number, z: number) => number) | null = null,
  ) {
    const { minX, minZ, maxX, maxZ } = ground;
    this.width = maxX - minX;
    this.depth = maxZ - minZ;
    const { density, rect, spacing } = rules;
    this.side = density > 0 ? 1 / Math.sqrt(density) : Infinity;
    const count = (length: number) => (density > 0 ? Math.max(1, Math.ceil(length / this.side)) : 0);
    this.columns = count(this.width);
    this.rows = count(this.depth);
    this.part = rect
      ? {
          minX: Math.max(rect.minX, minX),
          minZ: Math.max(rect.minZ, minZ),
          maxX: Math.min(rect.maxX, maxX),
          maxZ: Math.min(rect.maxZ, maxZ),
        }
      : { minX, minZ, maxX, maxZ };
    const { column, row, columns, rows } = this.cellsOver(this.part);
    this.first = { column, row };
    this.wide = columns;
    this.cells = columns * rows;
    if (this.cells > MOST_CELLS)
      throw new MoonscapeError(
        `${where}: density must be at most ${MOST_CELLS} places over the ground, got ${density} a square metre, ` +
          `which makes ${this.cells}; lower it, or cover less with rect`,
      );
    this.spacing = spacing > 0 && this.cells > 0 ? new Spacing(this, spacing) : null;
  }

  /** Writes the place of a cell of the ground (metres from its corner) and its rank; false if it is off the ground's rect. */
  cellInto(column: number, row: number, out: Float64Array): boolean {
    const { words, side } = this;
    hashCell(words, column, row, this.rules.seed, STREAM.place);
    out[0] = (column + unit(words[0])) * side;
    out[1] = (row + unit(words[1])) * side;
    out[2] = words[2];
    return out[0] <= this.width && out[1] <= this.depth;
  }

  /**
   * Whether an instance stands in a cell of the part, and how, which is written to `out`. The ground's rules are asked
   * from the cheapest on, the filter last.
   */
  stands(cell: number, out: Placed): boolean {
    const { ground, rules, part, place } = this;
    const column = this.first.column + (cell % this.wide);
    const row = this.first.row + Math.floor(cell / this.wide);
    if (!this.cellInto(column, row, place)) return false;
    const thin = unit(this.words[3]);
    const x = ground.minX + place[0];
    const z = ground.minZ + place[1];
    if (x < part.minX || x > part.maxX || z < part.minZ || z > part.maxZ) return false;
    if (!ground.hasGroundAt(x, z)) return false;
    if (this.spacing && !this.spacing.keeps(column, row)) return false;
    const height = ground.heightAt(x, z);
    const [low, high] = rules.height;
    if (height < low || height > high) return false;
    let share = softness(height, rules.height, rules.heightSoft);
    const [flattest, steepest] = rules.slope;
    if (flattest > 0 || steepest < 90) {
      const slope = (ground.slopeAt(x, z) * 180) / Math.PI;
      if (slope < flattest || slope > steepest) return false;
      share *= softness(
        slope,
        [flattest > 0 ? flattest : -Infinity, steepest < 90 ? steepest : Infinity],
        rules.slopeSoft,
      );
    }
    if (thin >= share) return false;
    if (!rules.underwater && ground.waterAt(x, z)) return false;
    if (this.weightAt && !(this.weightAt(x, z) >= rules.layerMin)) return false;
    if (rules.filter && !this.passes(rules.filter(x, z, height))) return false;
    this.dress(column, row, x, z, out);
    out.x = x;
    out.y = height - rules.sink;
    out.z = z;
    return true;
  }

  /** Calls `visit` for each cell whose place is within a closed rect of world. */
  visit(rect: Rect, visit: (cell: number) => void): void {
    const over = this.cellsOver({
      minX: Math.max(rect.minX, this.part.minX),
      minZ: Math.max(rect.minZ, this.part.minZ),
      maxX: Math.min(rect.maxX, this.part.maxX),
      maxZ: Math.min(rect.maxZ, this.part.maxZ),
    });
    const { ground, place } = this;
    for (let row = over.row; row < over.row + over.rows; row++) {
      for (let column = over.column; column < over.column + over.columns; column++) {
        if (!this.cellInto(column, row, place)) continue;
        const x = ground.minX + place[0];
        const z = ground.minZ + place[1];
        if (x < rect.minX || x > rect.maxX || z < rect.minZ || z > rect.maxZ) continue;
        visit((row - this.first.row) * this.wide + column - this.first.column);
      }
    }
  }

  /** The cells of the ground that a rect of world meets. */
  private cellsOver({ minX, minZ, maxX, maxZ }: Rect) {
    const { ground, side, columns, rows } = this;
    const none = { column: 0, row: 0, columns: 0, rows: 0 };
    if (!(minX <= maxX && minZ <= maxZ) || columns === 0) return none;
    const at = (offset: number, count: number) => Math.min(Math.max(Math.floor(offset / side), 0), count - 1);
    const column = at(minX - ground.minX, columns);
    const row = at(minZ - ground.minZ, rows);
    return {
      column,
      row,
      columns: at(maxX - ground.minX, columns) - column + 1,
      rows: at(maxZ - ground.minZ, rows) - row + 1,
    };
  }

  private passes(answer: unknown): boolean {
    if (typeof answer !== 'boolean') refuse(`${this.where}: filter`, 'its answer', 'true or false', answer);
    return answer;
  }

  /** Writes the scale and the turn: a random yaw, then the shortest turn from the world's up to the instance's. */
  private dress(column: number, row: number, x: number, z: number, out: Placed): void {
    const { rules, words, normal } = this;
    hashCell(words, column, row, rules.seed, STREAM.look);
    out.scale = mix(rules.scale, unit(words[0]));
    const half = (mix(rules.yaw, unit(words[1])) * Math.PI) / 360;
    const [sin, cos] = [Math.sin(half), Math.cos(half)];
    const { turn } = out;
    if (rules.align === 0) {
      turn[0] = turn[2] = 0;
      turn[1] = sin;
      turn[3] = cos;
      return;
    }
    this.ground.normalInto(x, z, normal);
    const [ux, uy, uz] = [
      normal[0] * rules.align,
      1 + (normal[1] - 1) * rules.align,
      normal[2] * rules.align,
    ];
    // From +Y to up: the axis is their cross product (uz, 0, -ux), the scalar 1 + cosine, both to be brought to length 1.
    const length = Math.hypot(ux, uy, uz);
    const scalar = length + uy;
    const unitLength = Math.hypot(ux, uz, scalar);
    const [ax, az, aw] = [uz / unitLength, -ux / unitLength, scalar / unitLength];
    turn[0] = ax * cos - az * sin;
    turn[1] = aw * sin;
    turn[2] = ax * sin + az * cos;
    turn[3] = aw * cos;
  }
}

const mix = ([low, high]: readonly [number, number], t: number) => low + (high - low) * t;

/** How many of all places stay, 0..1: all of them `soft` inside the bounds, none at a bound. */
function softness(value: number, [low, high]: readonly [number, number], soft: number): number {
  if (soft === 0) return 1;
  return Math.min(1, (value - low) / soft, (high - value) / soft);
}
