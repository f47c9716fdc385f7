// The surface of ground that stands over a rect of world: what every query answers from one copy of the texels. The base of
// Heightfield, which opens, edits, refreshes and closes it.
import { checkInteger, checkNumber, MoonscapeError, refuse } from '../errors.js';
import { cellSurface } from './cell.js';
import { tileRect, type ColliderTile } from './colliderTiles.js';
import { snapOf, spread, type checkRectOptions } from './fieldRect.js';
import { blend, toNormal, type Triple } from './gradient.js';
import type { HoleMask } from './holes.js';
import { surfaceRange, type Rect } from './surfaceRange.js';
import { TEXEL_WORDS, type HeightRange } from './texels.js';

export type GroundState = 'ground' | 'hole' | 'outside';

// A place in texels from the first centre is (x - MinX) * PerX + Bias, where Bias is Snap - 1/2: one that rounding has
// put within Snap of a texel centre (see snapOf) then falls in the cell that starts there, and is put at fraction 0.
// Inlined, where a constant would be loaded at each query.
const enum Frame {
  MinX,
  MinZ,
  PerX,
  PerZ,
  Bias,
  Snap,
  LastX,
  LastZ,
}
const UNFRAMED = new Float64Array(8);
export const CLOSED_TEXELS = new Float32Array(0);
/** The most samples that one sampleGrid may answer. */
const MAX_SAMPLES = 2 ** 27;

/**
 * Texels over a rect, and the queries. Those outside the rect answer for its nearest point; arguments that are not finite
 * numbers are refused. A closed one refuses everything.
 */
export abstract class GroundSurface {
  /** Texels along X and Z. */
  readonly width: number;
  readonly height: number;
  /** Metres. */
  readonly size: { readonly width: number; readonly depth: number };
  /** The rect's centre, metres. */
  readonly origin: { readonly x: number; readonly z: number };
  readonly minX: number;
  readonly minZ: number;
  readonly maxX: number;
  readonly maxZ: number;
  /** A texel's sides, metres. */
  readonly texelX: number;
  readonly texelZ: number;
  readonly path: string | null;
  readonly guid: string | null;
  closed = false;
  /** Rows × columns × 4, row-major: height, gradient along X, along Z, coverage. Empty once closed. */
  cpu: Float32Array = CLOSED_TEXELS;
  /** One byte a texel, 0 cuts; null where the ground is whole. */
  mask: HoleMask | null = null;

  /** Frame: what turns a place into texels, side by side because that loads faster than fields. */
  private readonly frame: Float64Array = UNFRAMED;
  private readonly lastX: number;
  private readonly lastZ: number;
  /** Words a row of `cpu`. */
  private readonly stride: number = 0;

  /** `of` says how many texels, and where they came from; `where` names the caller in errors. */
  protected constructor(
    where: string,
    of: { width: number; height: number; path: string | null; guid: string | null },
    rect: ReturnType<typeof checkRectOptions>,
  ) {
    const [width, depth] = rect.size;
    const [x, z] = rect.origin;
    this.width = of.width;
    this.height = of.height;
    this.size = { width, depth };
    this.origin = { x, z };
    this.texelX = width / this.width;
    this.texelZ = depth / this.height;
    this.minX = x - width / 2;
    this.minZ = z - depth / 2;
    this.maxX = x + width / 2;
    this.maxZ = z + depth / 2;
    this.path = of.path;
    this.guid = of.guid;

    const snap = Math.max(
      snapOf(where, 'size.width', this.minX, this.maxX, this.width),
      snapOf(where, 'size.depth', this.minZ, this.maxZ, this.height),
    );
    this.lastX = this.width - 1;
    this.lastZ = this.height - 1;
    this.stride = this.width * TEXEL_WORDS;
    this.frame = Float64Array.of(
      this.minX,
      this.minZ,
      this.width / width,
      this.height / depth,
      snap - 0.5,
      snap,
      this.lastX,
      this.lastZ,
    );
  }

  /** Metres: the surface at a place. At a texel's centre and along the rim it is the texel's own number, exactly. */
  heightAt(x: number, z: number): number {
    const frame = this.frame;
    const u = (x - frame[Frame.MinX]) * frame[Frame.PerX] + frame[Frame.Bias];
    const v = (z - frame[Frame.MinZ]) * frame[Frame.PerZ] + frame[Frame.Bias];
    if (!(u >= 0 && v >= 0 && u < frame[Frame.LastX] && v < frame[Frame.LastZ]))
      return this.heightBeyond(x, z);
    const i = u | 0;
    const j = v | 0;
    const snap = frame[Frame.Snap];
    const fx = u - i - snap;
    const fz = v - j - snap;
    const texels = this.cpu;
    const at = j * this.stride + i * 4;
    const below = at + this.stride;
    return cellSurface(
      texels[at],
      texels[at + 4],
      texels[below],
      texels[below + 4],
      fx > snap ? fx : 0,
      fz > snap ? fz : 0,
    );
  }

  /** `heightAt` of each pair of `points` (x, z, x, z, …), in metres. */
  heightsAt(points: ArrayLike<number>): Float64Array {
    this.alive('heightsAt');
    const where = 'terrainHeightfield.heightsAt';
    if (points.length % 2 !== 0)
      throw new MoonscapeError(`${where}: points must be pairs of x and z, got ${points.length} numbers`);
    const heights = new Float64Array(points.length / 2);
    for (let k = 0; k < heights.length; k++) {
      const x = points[2 * k];
      const z = points[2 * k + 1];
      if (!Number.isFinite(x) || !Number.isFinite(z))
        refuse(where, `point ${k + 1}`, 'two finite numbers', [x, z]);
      heights[k] = this.heightAt(x, z);
    }
    return heights;
  }

  /** The unit normal at a place, from the gradients its four texels carry, blended across them. */
  normalAt(x: number, z: number): [number, number, number] {
    const out: [number, number, number] = [0, 1, 0];
    this.gradientInto('normalAt', x, z, out);
    return toNormal(out);
  }

  /** `normalAt` written into `out[0..2]`, which it returns. */
  normalInto<T extends Triple>(x: number, z: number, out: T): T {
    this.gradientInto('normalInto', x, z, out);
    return toNormal(out);
  }

  /** Radians from level, by the same blended gradient; 0 is flat. */
  slopeAt(x: number, z: number): number {
    this.gradientInto('slopeAt', x, z, scratch);
    return Math.atan(Math.hypot(scratch[0], scratch[2]));
  }

  /**
   * Heights over the whole rect, read through heightAt: rows × cols, row-major. The first and last samples stand on the
   * rect's edges, a single one in its middle.
   */
  sampleGrid(cols: number, rows: number): Float64Array {
    this.alive('sampleGrid');
    const where = 'terrainHeightfield.sampleGrid';
    checkInteger(where, 'cols', cols, { min: 1 });
    checkInteger(where, 'rows', rows, { min: 1 });
    if (cols * rows > MAX_SAMPLES)
      refuse(where, 'cols × rows', `at most ${MAX_SAMPLES} samples`, cols * rows);
    const xs = spread(this.minX, this.maxX, cols);
    const zs = spread(this.minZ, this.maxZ, rows);
    const heights = new Float64Array(cols * rows);
    for (let j = 0, at = 0; j < rows; j++) {
      for (let i = 0; i < cols; i++) heights[at++] = this.heightAt(xs[i], zs[j]);
    }
    return heights;
  }

  /**
   * The heightfield collider tiles that hold this ground exactly: grids of evenly spaced samples, `perTile` cells a side
   * at most between texel centres, and strips of half a texel out to each edge. They cover the rect, row-major.
   */
  colliderTiles(perTile = 64): ColliderTile[] {
    this.alive('colliderTiles');
    checkInteger('terrainHeightfield.colliderTiles', 'perTile', perTile, { min: 1 });
    return tileRect(
      { min: this.minX, max: this.maxX, texel: this.texelX, texels: this.width },
      { min: this.minZ, max: this.maxZ, texel: this.texelZ, texels: this.height },
      perTile,
    );
  }

  /** The heights of the texels at columns `xs` and rows `zs`, as they are: zs.length × xs.length, row-major. */
  texelLattice(xs: ArrayLike<number>, zs: ArrayLike<number>): Float32Array {
    this.alive('texelLattice');
    const where = 'terrainHeightfield.texelLattice';
    for (let i = 0; i < xs.length; i++) checkInteger(where, 'xs', xs[i], { min: 0, max: this.lastX });
    for (let j = 0; j < zs.length; j++) checkInteger(where, 'zs', zs[j], { min: 0, max: this.lastZ });
    const heights = new Float32Array(xs.length * zs.length);
    for (let j = 0, at = 0; j < zs.length; j++) {
      for (let i = 0; i < xs.length; i++) heights[at++] = this.cpu[zs[j] * this.stride + xs[i] * TEXEL_WORDS];
    }
    return heights;
  }

  /** True where a place has ground: false over a hole and outside the rect. */
  hasGroundAt(x: number, z: number): boolean {
    return this.groundState(x, z) === 'ground';
  }

  /** As hasGroundAt, saying which. A place on a line between two cells belongs to the one on its +X, +Z side, one on the
   * rect's edge (but for rounding) to the rect. */
  groundState(x: number, z: number): GroundState {
    this.alive('hasGroundAt');
    checkPlace('hasGroundAt', x, z);
    const u = this.texelsX(x);
    const v = this.texelsZ(z);
    const slack = 2 * this.frame[Frame.Snap];
    if (u < -0.5 || u > this.width - 0.5 + slack || v < -0.5 || v > this.height - 0.5 + slack)
      return 'outside';
    return this.cellHasGround(Math.floor(u), Math.floor(v)) ? 'ground' : 'hole';
  }

  /**
   * THE rule of holes, in whole numbers: the cell between texel centres (i, j) and (i + 1, j + 1) is cut where the mask
   * is 0 at texel (i, j). The strips between the rim and the outermost centres (i or j of -1, and width - 1 or
   * height - 1) take their outermost texel. Mirrored by the index kernel.
   */
  cellHasGround(i: number, j: number): boolean {
    if (!this.mask) return true;
    const column = i > 0 ? (i < this.lastX ? i : this.lastX) : 0;
    const row = j > 0 ? (j < this.lastZ ? j : this.lastZ) : 0;
    return this.mask.data[row * this.width + column] !== 0;
  }

  /** Another number of the texels (1..3) at a place, by the same triangles as heightAt. */
  numberAt(x: number, z: number, channel: number): number {
    this.alive('numberAt');
    return this.heightBeyond(x, z, channel);
  }

  /** The lowest and highest ground over a closed rect of world, or over the part of this field nearest to it. */
  minMax(rect: Rect): HeightRange {
    this.alive('minMax');
    return surfaceRange(this, rect);
  }

  /** A texel's four numbers: height, gradient along X, along Z, coverage. */
  read(col: number, row: number): [number, number, number, number] {
    this.alive('read');
    checkInteger('terrainHeightfield.read', 'col', col, { min: 0, max: this.lastX });
    checkInteger('terrainHeightfield.read', 'row', row, { min: 0, max: this.lastZ });
    const at = row * this.stride + col * TEXEL_WORDS;
    return [this.cpu[at], this.cpu[at + 1], this.cpu[at + 2], this.cpu[at + 3]];
  }

  /** For messages: where it came from, or its texels. */
  describe(): string {
    return (
      this.path ?? this.guid ?? `${this.width} × ${this.height} texels at ${this.origin.x}, ${this.origin.z}`
    );
  }

  /** Throws where this heightfield is closed; `where` is `<module>.<function>` of the caller. */
  assertOpen(where: string): void {
    if (this.closed) throw new MoonscapeError(`${where}: this heightfield is closed (${this.describe()})`);
  }

  protected alive(method: string): void {
    if (this.closed) this.assertOpen(`terrainHeightfield.${method}`);
  }

  /** heightAt in the strips along the rim and past it; closed, or with a bad argument, it says so. Any number of the texels. */
  private heightBeyond(x: number, z: number, channel = 0): number {
    const frame = this.frame;
    const u = this.texelsX(x);
    const v = this.texelsZ(z);
    if (u * 0 !== v * 0) return this.heightAtOdd(x, z);
    const cu = clamp(u, 0, this.lastX);
    const cv = clamp(v, 0, this.lastZ);
    const i = cu | 0;
    const j = cv | 0;
    const snap = frame[Frame.Snap];
    const fx = cu - i - snap;
    const fz = cv - j - snap;
    const texels = this.cpu;
    const at = j * this.stride + i * TEXEL_WORDS + channel;
    const right = i < this.lastX ? TEXEL_WORDS : 0;
    const below = at + (j < this.lastZ ? this.stride : 0);
    return cellSurface(
      texels[at],
      texels[at + right],
      texels[below],
      texels[below + right],
      fx > snap ? fx : 0,
      fz > snap ? fz : 0,
    );
  }

  /** A place along X in texels from the first centre, plus the width of a snap. */
  private texelsX(x: number): number {
    return (x - this.frame[Frame.MinX]) * this.frame[Frame.PerX] + this.frame[Frame.Bias];
  }

  /** As texelsX, along Z. */
  private texelsZ(z: number): number {
    return (z - this.frame[Frame.MinZ]) * this.frame[Frame.PerZ] + this.frame[Frame.Bias];
  }

  /** heightAt where its arithmetic was not finite: closed, a bad argument, or a place absurdly far off. */
  private heightAtOdd(x: number, z: number): number {
    this.alive('heightAt');
    checkPlace('heightAt', x, z);
    return this.heightAt(clamp(x, this.minX, this.maxX), clamp(z, this.minZ, this.maxZ));
  }

  /** Writes the blended gradient at a place to out[0] and out[2]. */
  private gradientInto(method: string, x: number, z: number, out: Triple): void {
    this.alive(method);
    checkPlace(method, x, z);
    const cu = clamp(this.texelsX(x), 0, this.lastX);
    const cv = clamp(this.texelsZ(z), 0, this.lastZ);
    const i = cu | 0;
    const j = cv | 0;
    const snap = this.frame[Frame.Snap];
    const fx = cu - i - snap > snap ? cu - i - snap : 0;
    const fz = cv - j - snap > snap ? cv - j - snap : 0;
    const at = j * this.stride + i * TEXEL_WORDS;
    const right = i < this.lastX ? TEXEL_WORDS : 0;
    const down = j < this.lastZ ? this.stride : 0;
    out[0] = blend(this.cpu, at + 1, right, down, fx, fz);
    out[2] = blend(this.cpu, at + 2, right, down, fx, fz);
  }

  /** Lets go of the texels: every query refuses from now on. */
  protected closeSurface(): void {
    this.closed = true;
    this.cpu = CLOSED_TEXELS;
    this.mask = null;
    this.frame.fill(NaN); // so that heightAt's own check of its arithmetic finds it closed, at no cost
  }
}

/** Where slopeAt has its gradient. */
const scratch = new Float64Array(3);

const clamp = (value: number, low: number, high: number) =>
  value > low ? (value < high ? value : high) : low;

/** Refuses a place that is not two finite numbers. */
export function checkPlace(method: string, x: number, z: number): void {
  checkNumber(`terrainHeightfield.${method}`, 'x', x);
  checkNumber(`terrainHeightfield.${method}`, 'z', z);
}
