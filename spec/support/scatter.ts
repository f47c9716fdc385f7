// What the scatter's specs stand on: instances placed without a device, and places as sets.
import { Instances } from '../../runtime/scatter/instances.js';
import { Placement } from '../../runtime/scatter/placement.js';
import { checkRules, type ScatterFields } from '../../runtime/scatter/scatterRules.js';
import { Heightfield, type RectOptions } from '../../runtime/terrain/heightfield.js';
import { fieldTexture, type HeightOf } from './terrain.js';

/** Fields without a mesh: placing needs none. */
export type PlacingFields = Omit<ScatterFields, 'mesh'>;

export const rulesOf = (fields: PlacingFields) => checkRules('spec', { mesh: 'none', ...fields });

export const placeOn = (hf: Heightfield, fields: PlacingFields): Instances =>
  new Instances(new Placement('spec', hf, rulesOf(fields)), 0);

/** A field without a device, `texel` metres a texel. */
export function fieldOn(
  texels: [number, number],
  texel: [number, number],
  heightOf: HeightOf,
  options: RectOptions = {},
): Heightfield {
  const size: [number, number] = [texels[0] * texel[0], texels[1] * texel[1]];
  return Heightfield.fromTexture(fieldTexture(...texels, heightOf, size), { size, ...options });
}

export interface Standing {
  x: number;
  y: number;
  z: number;
  /** Its record's words, joined: equal where the bits are. */
  record: string;
}

/** Each instance as it stands. */
export function standing({ count, places, records }: Instances): Standing[] {
  const words = new Uint32Array(records.buffer);
  return Array.from({ length: count }, (_, k) => ({
    x: places[k * 3],
    y: places[k * 3 + 1],
    z: places[k * 3 + 2],
    record: words.subarray(k * 8, k * 8 + 8).join(),
  }));
}

/** A standing as text: the same for the same bits. */
export const textOf = ({ x, y, z, record }: Standing) => `${x} ${y} ${z} ${record}`;

/** The upward axis of a record's turn. */
export function upOf(records: Float32Array, k: number): [number, number, number] {
  const [x, y, z, w] = records.subarray(k * 8 + 4, k * 8 + 8);
  return [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)];
}
