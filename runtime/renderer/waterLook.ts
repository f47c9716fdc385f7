// How water looks: what scripts may say of it, and its defaults.
import { checkFields, checkNumber } from '../errors.js';
import { checkColor, vec3, type Vec3, type VectorLike } from '../world/vector.js';

export interface WaterLookFields {
  /** What deep water scatters back of the light that falls on it: linear, 0..1. Default a green blue. */
  color?: VectorLike;
  /** Metres of sight: what lies this far in has all but vanished; above 0. Default 7. */
  clarity?: number;
  /** Height of the waves against the usual, 0..4; 0 is a mirror. Default 1. */
  waves?: number;
  /** Foam at the shore and in fast water against the usual, 0..4; 0 is none. Default 1. */
  foam?: number;
}

export interface WaterLook {
  readonly color: Vec3;
  readonly clarity: number;
  readonly waves: number;
  readonly foam: number;
}

export const LOOK_FIELDS = ['color', 'clarity', 'waves', 'foam'] as const;

const DEFAULT: WaterLook = Object.freeze({ color: vec3(0.022, 0.085, 0.088), clarity: 7, waves: 1, foam: 1 });
const STRENGTH = { min: 0, max: 4 };

/** Checks a look; what is left out is as in `old`. */
export function checkLook(where: string, fields: WaterLookFields, old: WaterLook = DEFAULT): WaterLook {
  checkFields(where, fields, LOOK_FIELDS);
  const { color, clarity, waves, foam } = fields;
  return {
    color: color === undefined ? old.color : checkColor(where, 'color', color, 1),
    clarity: clarity === undefined ? old.clarity : checkNumber(where, 'clarity', clarity, { above: 0 }),
    waves: waves === undefined ? old.waves : checkNumber(where, 'waves', waves, STRENGTH),
    foam: foam === undefined ? old.foam : checkNumber(where, 'foam', foam, STRENGTH),
  };
}

/**
 * Extinction a metre and channel: 5 % are left after `clarity` metres of the channel that the water scatters best, and
 * less of those it scatters less, as red goes first in blue water and blue in brown.
 */
export function extinctionOf({ color, clarity }: WaterLook): [number, number, number] {
  const most = Math.max(color.x, color.y, color.z, 1e-6);
  const of = (part: number) => (3 / clarity) * (2 - part / most);
  return [of(color.x), of(color.y), of(color.z)];
}
