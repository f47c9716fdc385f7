// Heightfields without a device, for the specs of queries and cuts, and what judges them.
import fc from 'fast-check';
import { Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { Texture } from '../../runtime/texture/texture.js';

/** A small generator of numbers in 0..1, the same for a seed everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** rgba32f texels of random heights in ±amplitude, random gradients, full coverage. */
export function randomTexture(width: number, height: number, seed: number, amplitude = 10): Texture {
  const random = randomFrom(seed);
  return Texture.create({
    width,
    height,
    format: 'rgba32f',
    data: () => [amplitude * (2 * random() - 1), 2 * random() - 1, 2 * random() - 1, 1],
  });
}

export interface FieldFacts {
  texels: [number, number];
  texel: [number, number];
  origin: [number, number];
  seed: number;
}

/** The texel counts that everything must hold for. */
export const TEXELS: [number, number][] = [
  [1, 1],
  [1, 64],
  [64, 1],
  [2, 2],
  [33, 33],
  [34, 34],
  [257, 3],
];

/** Any field: the named counts and random ones, square and oblong texels, near and far origins. */
export const fieldFacts = fc.record<FieldFacts>({
  texels: fc.oneof(
    fc.constantFrom(...TEXELS),
    fc.tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 70 })),
  ),
  texel: fc.oneof(
    fc.constantFrom<[number, number]>([1, 1], [0.5, 0.5], [10, 10], [1, 7.3], [30.1, 0.7]),
    fc.tuple(fc.double({ min: 0.3, max: 40, noNaN: true }), fc.double({ min: 0.3, max: 40, noNaN: true })),
  ),
  origin: fc.oneof(
    fc.constantFrom<[number, number]>([0, 0], [1e5, -1e5], [-12.34, 1e5]),
    fc.tuple(
      fc.double({ min: -5e3, max: 5e3, noNaN: true }),
      fc.double({ min: -5e3, max: 5e3, noNaN: true }),
    ),
  ),
  seed: fc.nat(2 ** 31),
});

/** The field that some facts describe. */
export function fieldOf({ texels, texel, origin, seed }: FieldFacts, options: RectOptions = {}): Heightfield {
  const size: [number, number] = [texels[0] * texel[0], texels[1] * texel[1]];
  return Heightfield.fromTexture(randomTexture(...texels, seed), { size, origin, ...options });
}

/** The steepest triangle of the cells around a place. */
export function slopeAround(hf: Heightfield, x: number, z: number): number {
  const at = (i: number, j: number) =>
    hf.read(Math.min(Math.max(i, 0), hf.width - 1), Math.min(Math.max(j, 0), hf.height - 1))[0];
  const i = Math.floor((x - hf.minX) / hf.texelX - 0.5);
  const j = Math.floor((z - hf.minZ) / hf.texelZ - 0.5);
  let steepest = 0;
  for (let b = j - 1; b <= j + 2; b++) {
    for (let a = i - 1; a <= i + 2; a++) {
      steepest = Math.max(
        steepest,
        Math.hypot((at(a + 1, b) - at(a, b)) / hf.texelX, (at(a, b + 1) - at(a, b)) / hf.texelZ),
        Math.hypot((at(a, b) - at(a - 1, b)) / hf.texelX, (at(a, b) - at(a, b - 1)) / hf.texelZ),
      );
    }
  }
  return steepest;
}

/** A 3 × 2 field of 6 × 8 m centred on 10, 20, heights 0 to 5. */
export const SMALL: RectOptions = { size: [6, 8], origin: [10, 20] };

/** Its texture, its texels edited. */
export const small = (edit: (texels: number[][]) => void = () => {}) => {
  const texels = Array.from({ length: 6 }, (_, k) => [k, 0.1 * k, -0.2 * k, 1]);
  edit(texels);
  return Texture.create({ width: 3, height: 2, format: 'rgba32f', data: texels.flat() });
};

export const openSmall = (options: RectOptions = {}) =>
  Heightfield.fromTexture(small(), { ...SMALL, ...options });
