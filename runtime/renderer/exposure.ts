// What a picture's light is multiplied by before the tone curve. The camera says how it is found: from the light that the sun
// and the sky send where the sun stands ("sky", the same for every view), from the picture itself ("picture", see
// meterPass.ts), or not at all ("fixed"); `ev` comes on top, in stops.
import type { Entity } from '../world/entity.js';

export const EXPOSURES = ['sky', 'picture', 'fixed'] as const;
export const TONE_MAPPERS = ['neutral', 'agx'] as const;
export type ToneMapper = (typeof TONE_MAPPERS)[number];

/** What the light of a clear day with the sun 35 degrees up is multiplied by, and all light where exposure is fixed. */
export const DAY_EXPOSURE = 1.15;

/** averageLight (daylight.ts) of the day that is exposed by DAY_EXPOSURE: with the sun where it stands in a world without one. */
export const USUAL_LIGHT = 1.74;

/** How much of each stop of darkness is made up for, at first and at most: dusk is lifted, and night stays night. */
export const SKY_LIFT = { share: 0.8, most: 7.5 } as const;
/** The same for a metered picture. */
export const PICTURE_LIFT = { share: 0.9, most: 8 } as const;
/** Brightness of a picture that is not lifted, log2 of linear luminance: what examples have at midday on the average. */
export const PICTURE_USUAL = -2.1;

export interface Exposure {
  /** Multiplies radiance. */
  readonly factor: number;
  /** And so does what meterPass.ts finds. */
  readonly metered: boolean;
  readonly toneMapper: ToneMapper;
}

/** Stops by which a light is lifted that is so many stops darker than usual; below 0 for a brighter one. Mirrors lift_of of shaders/meter.wgsl. */
export function liftOf(darker: number, { share, most }: { share: number; most: number }): number {
  return darker > 0 ? most * (1 - Math.exp((-share * darker) / most)) : share * darker;
}

/**
 * A camera's exposure.
 * @param light averageLight of a white sun of intensity 1 where it stands now: a light's own intensity and colour are not undone
 */
export function exposureOf(camera: Entity, light: number): Exposure {
  const fields = camera.components.get('Camera')!;
  const mode = fields.get('exposure') as (typeof EXPOSURES)[number];
  const lift = mode === 'sky' ? liftOf(Math.log2(USUAL_LIGHT / light), SKY_LIFT) : 0;
  return {
    factor: DAY_EXPOSURE * 2 ** (lift + fields.number('ev')),
    metered: mode === 'picture',
    toneMapper: fields.get('toneMapper') as ToneMapper,
  };
}
