// The sRGB transfer curve both ways (IEC 61966-2-1), by tables: pictures have many texels and few values.

/** Steps of the encoding table: fine enough that each byte's own linear value finds it again. */
const STEPS = 1 << 14;
const decoded = Float32Array.from({ length: 256 }, (_, byte) => decode(byte / 255));
const encoded = Uint8Array.from({ length: STEPS + 1 }, (_, step) => Math.round(encode(step / STEPS) * 255));

/** Linear 0..1 of an encoded value 0..1. */
export function decode(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Encoded 0..1 of a linear value 0..1. */
export function encode(linear: number): number {
  return linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055;
}

/** Linear 0..1 of a byte. */
export const decodeSrgb = (byte: number): number => decoded[byte];

/** The byte nearest to a linear value; those outside 0..1 are held to it. */
export const encodeSrgb = (linear: number): number =>
  encoded[Math.round(Math.min(1, Math.max(0, linear)) * STEPS)];
