// Edits of a field at random, and the plain grid that they are held against.
import fc from 'fast-check';
import { Heightfield } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';
import { randomFrom } from './fields.js';
import { fieldTexture } from './terrain.js';

export interface Stroke {
  col: number;
  row: number;
  cols: number;
  rows: number;
  heights: number[];
}

/** Any edit of a field of `width` × `height` texels, often at its rim. */
export const strokeOf = (width: number, height: number, amplitude = 40): fc.Arbitrary<Stroke> => {
  const span = (texels: number) =>
    fc
      .tuple(
        fc.oneof(fc.constant(0), fc.nat(texels - 1), fc.constant(texels - 1)),
        fc.integer({ min: 1, max: 9 }),
      )
      .map(([first, count]) => [first, Math.min(count, texels - first)] as const);
  return fc.tuple(span(width), span(height), fc.nat(2 ** 30)).map(([[col, cols], [row, rows], seed]) => {
    const random = randomFrom(seed);
    const heights = Array.from({ length: cols * rows }, () => amplitude * (2 * random() - 1));
    return { col, row, cols, rows, heights };
  });
};

export const SIDES: [number, number][] = [
  [1, 1],
  [1, 9],
  [9, 1],
  [2, 2],
  [3, 2],
  [24, 17],
];

export const scene = fc
  .tuple(fc.constantFrom(...SIDES), fc.constantFrom([1, 1], [0.7, 3.3], [30, 30]), fc.nat(99))
  .chain(([[width, height], [texelX, texelZ], seed]) =>
    fc.record({
      width: fc.constant(width),
      height: fc.constant(height),
      size: fc.constant<[number, number]>([width * texelX, height * texelZ]),
      seed: fc.constant(seed),
      strokes: fc.array(strokeOf(width, height), { minLength: 1, maxLength: 5 }),
    }),
  );

/** The heights of a field, edited as a plain grid: what the spec holds the edits against. */
export class Grid {
  readonly heights: Float32Array;
  constructor(
    readonly width: number,
    readonly height: number,
    readonly size: [number, number],
    seed: number,
  ) {
    const random = randomFrom(seed);
    this.heights = Float32Array.from({ length: width * height }, () => 20 * random() - 10);
  }

  set({ col, row, cols, heights }: Stroke): void {
    heights.forEach((value, k) => {
      this.heights[(row + Math.floor(k / cols)) * this.width + col + (k % cols)] = value;
    });
  }

  texture(): Texture {
    return fieldTexture(this.width, this.height, (i, j) => this.heights[j * this.width + i], this.size);
  }
}

export const edit = (hf: Heightfield, { col, row, cols, rows, heights }: Stroke) =>
  hf.setHeights(col, row, cols, rows, heights);
export const bitsOf = (floats: Float32Array) => [...new Uint32Array(floats.slice().buffer)];
