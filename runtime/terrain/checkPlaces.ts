// The places that the self-check asks at: everywhere at random, and where surfaces that are made in different ways come apart
// first. The same for a seed on every machine.
import type { Heightfield, Rect } from './heightfield.js';

/** Kinds of places, in the order of the report. */
export const PLACE_KINDS = ['random', 'line', 'texel', 'rim', 'hole', 'vertex'] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

/** A place in the world, metres. */
export interface CheckPlace {
  x: number;
  z: number;
  kind: PlaceKind;
}

/** Places on either side of a hole's border stand this far from it, in texels. */
const BESIDE = 1 / 16;
/** One golden section of a list is coprime to its length after a step or two, and spreads any number of picks. */
const GOLDEN = 0.6180339887498949;

/** A generator of numbers in 0..1 (mulberry32), the same for a seed everywhere. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * `samples` places of each kind over `hf` (fewer texel centres and borders where it has fewer). Half of them lie in `near`, the
 * part that is drawn finely, if that is given.
 */
export function checkPlaces(hf: Heightfield, samples: number, seed: number, near: Rect | null): CheckPlace[] {
  return new Places(hf, samples, randomOf(seed), near).all();
}

class Places {
  private readonly places: CheckPlace[] = [];

  constructor(
    private readonly hf: Heightfield,
    private readonly samples: number,
    private readonly random: () => number,
    private readonly near: Rect | null,
  ) {}

  all(): CheckPlace[] {
    for (let k = 0; k < this.samples; k++) {
      const area = this.area(k);
      this.put('random', this.between(area.minX, area.maxX), this.between(area.minZ, area.maxZ));
    }
    for (let k = 0; k < this.samples; k++) this.line(k);
    this.texels();
    for (let k = 0; k < this.samples; k++) this.rim(k);
    this.borders();
    return this.places;
  }

  private put(kind: PlaceKind, x: number, z: number): void {
    this.places.push({ kind, x, z });
  }

  private between = (low: number, high: number) => low + (high - low) * this.random();

  private area(k: number): Rect {
    return this.near && k % 2 === 1 ? this.near : this.hf;
  }

  private centreX = (i: number) => this.hf.minX + (i + 0.5) * this.hf.texelX;
  private centreZ = (j: number) => this.hf.minZ + (j + 0.5) * this.hf.texelZ;

  /** A texel whose centre lies in an area, as near as there is one. */
  private texelIn(area: Rect): [number, number] {
    const { hf } = this;
    const pick = (low: number, high: number, min: number, texel: number, count: number) =>
      Math.min(Math.max(Math.floor((this.between(low, high) - min) / texel), 0), count - 1);
    return [
      pick(area.minX, area.maxX, hf.minX, hf.texelX, hf.width),
      pick(area.minZ, area.maxZ, hf.minZ, hf.texelZ, hf.height),
    ];
  }

  /** On a line between two triangles: along a column or a row of texel centres, or on a cell's diagonal. */
  private line(k: number): void {
    const area = this.area(k);
    const [i, j] = this.texelIn(area);
    const along = k % 3;
    if (along === 0) this.put('line', this.centreX(i), this.between(area.minZ, area.maxZ));
    else if (along === 1) this.put('line', this.between(area.minX, area.maxX), this.centreZ(j));
    else {
      const t = this.random();
      this.put('line', this.clampX(this.centreX(i + t)), this.clampZ(this.centreZ(j + 1 - t)));
    }
  }

  private clampX = (x: number) => Math.min(x, this.hf.maxX);
  private clampZ = (z: number) => Math.min(z, this.hf.maxZ);

  private texels(): void {
    const { hf, samples } = this;
    const count = hf.width * hf.height;
    if (count <= samples) {
      for (let k = 0; k < count; k++) this.putTexel(k % hf.width, Math.floor(k / hf.width));
      return;
    }
    const spread = spreadOver(count, this.random());
    for (let k = 0; k < samples; k++) {
      const texel = spread(k);
      if (this.near && k % 2 === 1) this.putTexel(...this.texelIn(this.near));
      else this.putTexel(texel % hf.width, Math.floor(texel / hf.width));
    }
  }

  private putTexel = (i: number, j: number) => this.put('texel', this.centreX(i), this.centreZ(j));

  /** The corners first; then on the edges, in the half texel within them, and just outside. */
  private rim(k: number): void {
    const { hf } = this;
    if (k < 4) return this.put('rim', k % 2 ? hf.maxX : hf.minX, k < 2 ? hf.minZ : hf.maxZ);
    const depth = [0, this.random() / 2, -0.25][k % 3];
    const edge = Math.floor(this.random() * 4);
    const x = this.between(hf.minX, hf.maxX);
    const z = this.between(hf.minZ, hf.maxZ);
    if (edge === 0) this.put('rim', hf.minX + depth * hf.texelX, z);
    else if (edge === 1) this.put('rim', hf.maxX - depth * hf.texelX, z);
    else if (edge === 2) this.put('rim', x, hf.minZ + depth * hf.texelZ);
    else this.put('rim', x, hf.maxZ - depth * hf.texelZ);
  }

  /** On both sides of lines between a cell that is cut and one that is not, in the middle of both, and at the line's ends. */
  private borders(): void {
    const { hf } = this;
    if (!hf.mask) return;
    // A border is a cell and whether it lies toward its +X (0) or its +Z (1) neighbour.
    const borders: number[] = [];
    for (let j = -1; j < hf.height; j++) {
      for (let i = -1; i < hf.width; i++) {
        const ground = hf.cellHasGround(i, j);
        const cell = (j + 1) * (hf.width + 1) + i + 1;
        if (i + 1 < hf.width && hf.cellHasGround(i + 1, j) !== ground) borders.push(cell * 2);
        if (j + 1 < hf.height && hf.cellHasGround(i, j + 1) !== ground) borders.push(cell * 2 + 1);
      }
    }
    if (borders.length === 0) return;
    const spread = spreadOver(borders.length, this.random());
    const picks = Math.min(borders.length, Math.ceil(this.samples / PER_BORDER));
    for (let k = 0; k < picks; k++) {
      const border = borders[spread(k)];
      const cell = border >> 1;
      this.border((cell % (hf.width + 1)) - 1, Math.floor(cell / (hf.width + 1)) - 1, border % 2 === 1);
    }
  }

  private border(i: number, j: number, down: boolean): void {
    const { hf } = this;
    const x = [this.stopX(i), this.stopX(i + 1), this.stopX(down ? i + 1 : i + 2)];
    const z = [this.stopZ(j), this.stopZ(j + 1), this.stopZ(down ? j + 2 : j + 1)];
    const [besideX, besideZ] = [hf.texelX * BESIDE, hf.texelZ * BESIDE];
    const middle = (a: number, b: number) => (a + b) / 2;
    this.put('hole', middle(x[0], x[1]), middle(z[0], z[1]));
    if (down) {
      const along = this.between(x[0], x[1]);
      this.put('hole', along, z[1] - besideZ);
      this.put('hole', along, z[1] + besideZ);
      this.put('hole', middle(x[0], x[1]), middle(z[1], z[2]));
      for (const dx of [-besideX, besideX]) this.put('hole', x[0] + dx, z[1] + (dx > 0 ? besideZ : -besideZ));
    } else {
      const along = this.between(z[0], z[1]);
      this.put('hole', x[1] - besideX, along);
      this.put('hole', x[1] + besideX, along);
      this.put('hole', middle(x[1], x[2]), middle(z[0], z[1]));
      for (const dz of [-besideZ, besideZ]) this.put('hole', x[1] + (dz > 0 ? besideX : -besideX), z[0] + dz);
    }
  }

  /** Where cell k begins along an axis: texel centres, and the edges at both ends. */
  private stopX = (k: number) => (k < 0 ? this.hf.minX : k < this.hf.width ? this.centreX(k) : this.hf.maxX);
  private stopZ = (k: number) => (k < 0 ? this.hf.minZ : k < this.hf.height ? this.centreZ(k) : this.hf.maxZ);
}

/** Places that `border` puts. */
const PER_BORDER = 6;

/** Numbers 0..count - 1 in an order whose beginnings are spread over all of them, each once; `at` 0..1 says where it begins. */
export function spreadOver(count: number, at: number): (k: number) => number {
  let step = Math.max(1, Math.round(count * GOLDEN));
  while (greatestDivisor(step, count) !== 1) step++;
  const start = Math.floor(at * count);
  return (k) => (start + k * step) % count;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
