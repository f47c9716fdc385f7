// The textures of bare ground made on the CPU: what a software adapter is given, for which compiling the kernels alone would take
// longer. Mirrors shaders/ground_relief.wgsl and shaders/ground_maps.wgsl; spec/renderer/groundTextures.spec.ts compares the two.
import { levelCount } from '../texture/mipChain.js';
import { SQUARE, type ReliefSlice, type ReliefStep } from './groundRecipes.js';

/** One level of a slice: rgba8, rows from the top. */
export interface SliceLevel {
  side: number;
  /** Colour, halved, and height. */
  color: Uint8Array<ArrayBuffer>;
  /** Slopes along u and v, roughness, occlusion. */
  matter: Uint8Array<ArrayBuffer>;
}

/** All levels of a slice of `side` texels (a power of two), finest first. `steps` are those of its own that so many texels can show, the first of them number `first` of all slices'. */
export function sliceLevels(
  slice: ReliefSlice,
  steps: readonly ReliefStep[],
  first: number,
  side: number,
): SliceLevel[] {
  const levels = [finest(slice, reliefOf(steps, first, side), side)];
  while (levels.length < levelCount(side, side)) levels.push(coarser(levels.at(-1)!));
  return levels;
}

/** Numbers for each texel: height, brightness, hue. */
const WORDS = 3;

/** Mirrors ground_relief: side × side × WORDS. */
function reliefOf(steps: readonly ReliefStep[], first: number, side: number): Float32Array {
  const texels = side * side;
  const relief = new Float32Array(texels * WORDS);
  const pushedX = new Float32Array(texels);
  const pushedY = new Float32Array(texels);
  const kept = new Float32Array(texels).fill(1);
  // Step by step over all texels: each loop stays small.
  steps.forEach((step, number) => {
    const { cells, height = 0, tone = 0, hue = 0, fold = 0, range, vary = 0 } = step;
    const { warp = 0, follow = 1, gate = 0, keep = false, density = 0 } = step;
    const shear = cells[2] ?? 0;
    place(cells[0], cells[1], shear, first + number + 1);
    const [low, high] = range ?? [0, 0];
    for (let y = 0, at = 0; y < side; y++) {
      for (let x = 0; x < side; x++, at++) {
        const u = (x + 0.5) / side + pushedX[at] * follow;
        const v = (y + 0.5) / side + pushedY[at] * follow;
        const px = across * u + shear * v;
        const py = along * v;
        let value: number;
        let ownHeight = 0;
        let ownTone = 0;
        let ownHue = 0;
        if (step.kind === 'noise') {
          value = squareNoise(px, py);
          pushedX[at] += warp * slopeX;
          pushedY[at] += warp * slopeY;
        } else if (step.kind === 'waves') {
          const turn = px - Math.floor(px);
          const rising = Math.min(turn / 0.72, (1 - turn) / 0.28);
          value = rising * rising * (3 - 2 * rising) * 2 - 1;
        } else {
          nearest(px, py);
          const a = Math.imul(nearBits, 0x9e3779b1);
          const b = Math.imul(nearBits, 0x85ebca77);
          const someX = lowPart(a);
          const someY = lowPart(b);
          const moreX = highPart(a);
          const moreY = highPart(b);
          value = step.kind === 'cracks' ? 1 - ramp(0, 0.14, nearBorder) : ramp(0, 0.32, nearBorder);
          if (step.kind === 'pebbles') {
            const radius = 0.32 + 0.12 * moreY;
            const inside = Math.max(1 - (nearFirst * nearFirst) / (radius * radius), 0);
            value = someX < 2 * density - 1 ? Math.sqrt(inside) : 0;
          } else {
            ownHeight = (0.5 * someX + 0.9 * (nearX * someY + nearY * moreY)) * vary * value;
          }
          ownTone = moreX * vary * value;
          ownHue = someY * vary * value;
        }
        if (fold !== 0) value = fold * (1 - 2 * Math.abs(value));
        if (high > low) value = ramp(low, high, value);
        const part = gate > 0 ? kept[at] : gate < 0 ? 1 - kept[at] : 1;
        if (keep) kept[at] = value;
        relief[at * WORDS] += part * (height * value + Math.abs(height) * ownHeight);
        relief[at * WORDS + 1] += part * (tone * value + Math.abs(tone) * ownTone);
        relief[at * WORDS + 2] += part * (hue * value + Math.abs(hue) * ownHue);
      }
    }
  });
  return relief;
}

const ramp = (low: number, high: number, value: number): number => {
  const t = Math.min(Math.max((value - low) / (high - low), 0), 1);
  return t * t * (3 - 2 * t);
};

// The lattice of the step in hand, and what its functions found last: no objects are made a texel.
let [across, along, sheared, seed] = [1, 1, 0, 0];
let [slopeX, slopeY] = [0, 0];
let [nearFirst, nearBorder, nearX, nearY, nearBits] = [0, 0, 0, 0, 0];

function place(cellsAcross: number, cellsAlong: number, shear: number, number: number): void {
  [across, along, sheared, seed] = [cellsAcross, cellsAlong, shear, number];
}

/** Mirrors seeds_of. */
function bitsOf(x: number, y: number): number {
  const turns = Math.floor((y + 0.5) / along);
  const far = x - turns * sheared;
  const column = far - Math.floor((far + 0.5) / across) * across;
  const row = y - turns * along;
  const v = Math.imul(column + seed * 613, 0x9e3779b1) ^ Math.imul(row + seed * 197, 0x85ebca77);
  return Math.imul(v ^ (v >>> 16), 0x7feb352d);
}

const lowPart = (bits: number): number => (bits << 16) / 2147483648;
const highPart = (bits: number): number => (bits | 0) / 2147483648;

/** Mirrors square_noise; the slope goes into slopeX and slopeY. */
function squareNoise(x: number, y: number): number {
  const cx = Math.floor(x);
  const cy = Math.floor(y);
  const fx = x - cx;
  const fy = y - cy;
  const ux = fx * fx * fx * (fx * (fx * 6 - 15) + 10);
  const uy = fy * fy * fy * (fy * (fy * 6 - 15) + 10);
  let b00 = bitsOf(cx, cy);
  let b10 = bitsOf(cx + 1, cy);
  let b01 = bitsOf(cx, cy + 1);
  let b11 = bitsOf(cx + 1, cy + 1);
  b00 ^= b00 >>> 15;
  b10 ^= b10 >>> 15;
  b01 ^= b01 >>> 15;
  b11 ^= b11 >>> 15;
  const x00 = lowPart(b00) * 1.6;
  const x10 = lowPart(b10) * 1.6;
  const x01 = lowPart(b01) * 1.6;
  const x11 = lowPart(b11) * 1.6;
  const y00 = highPart(b00) * 1.6;
  const y10 = highPart(b10) * 1.6;
  const y01 = highPart(b01) * 1.6;
  const y11 = highPart(b11) * 1.6;
  const v00 = x00 * fx + y00 * fy;
  const v10 = x10 * (fx - 1) + y10 * fy;
  const v01 = x01 * fx + y01 * (fy - 1);
  const v11 = x11 * (fx - 1) + y11 * (fy - 1);
  const low = v00 + (v10 - v00) * ux;
  const high = v01 + (v11 - v01) * ux;
  const lowX = x00 + (x10 - x00) * ux;
  const lowY = y00 + (y10 - y00) * ux;
  slopeX = lowX + (x01 + (x11 - x01) * ux - lowX) * uy;
  slopeY = lowY + (y01 + (y11 - y01) * ux - lowY) * uy;
  slopeX += 30 * fx * fx * (fx * (fx - 2) + 1) * (v10 - v00 + (v11 - v01 - v10 + v00) * uy);
  slopeY += 30 * fy * fy * (fy * (fy - 2) + 1) * (high - low);
  return low + (high - low) * uy;
}

/** Mirrors nearest; what it finds goes into nearFirst and its like. */
function nearest(x: number, y: number): void {
  const cx = Math.floor(x);
  const cy = Math.floor(y);
  const fx = x - cx;
  const fy = y - cy;
  let first = 64;
  let second = 64;
  for (let j = -1; j <= 1; j++) {
    for (let i = -1; i <= 1; i++) {
      const bits = bitsOf(cx + i, cy + j);
      const dx = i + 0.5 - fx + 0.42 * lowPart(bits);
      const dy = j + 0.5 - fy + 0.42 * highPart(bits);
      const d = dx * dx + dy * dy;
      if (d < first) {
        second = first;
        first = d;
        nearX = dx;
        nearY = dy;
        nearBits = bits;
      } else if (d < second) second = d;
    }
  }
  nearFirst = Math.sqrt(first);
  nearBorder = Math.sqrt(second) - nearFirst;
}

const byte = (part: number): number => Math.round(Math.min(Math.max(part, 0), 1) * 255);

/** Mirrors ground_maps at the finest level. */
function finest(slice: ReliefSlice, relief: Float32Array, side: number): SliceLevel {
  const color = new Uint8Array(side * side * 4);
  const matter = new Uint8Array(side * side * 4);
  const mask = side - 1;
  const heightAt = (x: number, y: number) => relief[((y & mask) * side + (x & mask)) * WORDS];
  const steepness = (0.5 * slice.relief) / SQUARE;
  const reach = Math.max(Math.floor(side / 48), 1);
  const ringX = Array.from({ length: 8 }, (_, i) => Math.round(Math.cos(i * 0.78539816) * reach));
  const ringY = Array.from({ length: 8 }, (_, i) => Math.round(Math.sin(i * 0.78539816) * reach));
  for (let y = 0, at = 0; y < side; y++) {
    for (let x = 0; x < side; x++, at++) {
      const height = relief[at * WORDS];
      const bright = 1 + relief[at * WORDS + 1];
      const hue = relief[at * WORDS + 2];
      let around = 0;
      for (let k = 0; k < 8; k++) around += 0.125 * heightAt(x + ringX[k], y + ringY[k]);
      const slope = 0.5 * side * steepness * (127 / 255);
      for (let i = 0; i < 3; i++) color[at * 4 + i] = byte(0.5 * bright * (1 + hue * slice.tint[i]));
      color[at * 4 + 3] = byte(0.5 + 0.5 * height);
      matter[at * 4] = byte(128 / 255 + slope * (heightAt(x + 1, y) - heightAt(x - 1, y)));
      matter[at * 4 + 1] = byte(128 / 255 + slope * (heightAt(x, y + 1) - heightAt(x, y - 1)));
      matter[at * 4 + 2] = byte(slice.roughness);
      matter[at * 4 + 3] = byte(1 - slice.hollow * Math.max(around - height, 0) * 2.5);
    }
  }
  return { side, color, matter };
}

/** Mirrors ground_maps at any other level. */
function coarser(finer: SliceLevel): SliceLevel {
  const side = finer.side >> 1;
  const color = new Uint8Array(side * side * 4);
  const matter = new Uint8Array(side * side * 4);
  for (let y = 0, at = 0; y < side; y++) {
    for (let x = 0; x < side; x++, at += 4) {
      const a = (2 * y * finer.side + 2 * x) * 4;
      const c = a + finer.side * 4;
      for (let i = 0; i < 4; i++) {
        color[at + i] = Math.round(0.25 * sum(finer.color, a + i, c + i));
        if (i !== 2) matter[at + i] = Math.round(0.25 * sum(finer.matter, a + i, c + i));
      }
      const mean =
        slopeOf(0.25 * sum(finer.matter, a, c)) ** 2 + slopeOf(0.25 * sum(finer.matter, a + 1, c + 1)) ** 2;
      const rough =
        0.25 *
        (spread(finer.matter, a) +
          spread(finer.matter, a + 4) +
          spread(finer.matter, c) +
          spread(finer.matter, c + 4));
      const slopes2 =
        0.25 *
        (steep(finer.matter, a) +
          steep(finer.matter, a + 4) +
          steep(finer.matter, c) +
          steep(finer.matter, c + 4));
      matter[at + 2] = byte(Math.sqrt(Math.sqrt(Math.min(rough + Math.max(slopes2 - mean, 0), 1))));
    }
  }
  return { side, color, matter };
}

/** Of four texels, two by two, whose bytes begin at `a` and `c`. */
const sum = (bytes: Uint8Array, a: number, c: number): number =>
  bytes[a] + bytes[a + 4] + bytes[c] + bytes[c + 4];

/** The square of a texel's slope, and of its alpha. */
const steep = (matter: Uint8Array, at: number): number =>
  slopeOf(matter[at]) ** 2 + slopeOf(matter[at + 1]) ** 2;
const spread = (matter: Uint8Array, at: number): number => (matter[at + 2] / 255) ** 4;

/** The slope that a byte holds; 128 is 0. */
const slopeOf = (value: number): number => (value - 128) / 127;
