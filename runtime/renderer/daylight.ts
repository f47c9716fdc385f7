// The light of a day from the sun's height: what it sends down, and what the sky and the ground send back. Plain
// curves tuned by eye between night, a low warm sun and a clear midday; a physical sky can take this file's place.
import { normalize, vec3, type Vec3 } from '../world/vector.js';

export interface Daylight {
  /** Linear irradiance on a surface that faces the sun. */
  sunColor: Vec3;
  /** Linear radiance of the sky straight up and at the horizon. */
  zenith: Vec3;
  horizon: Vec3;
  /** Linear irradiance from the upper and from the lower hemisphere. */
  skyAmbient: Vec3;
  groundAmbient: Vec3;
}

/** Toward the sun that shines in a world without one: from the south-west, 35 degrees up. */
export const DEFAULT_SUN = normalize(vec3(-0.62, 0.56, 0.5));

const mix = (a: Vec3, b: Vec3, t: number) =>
  vec3(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
const times = (a: Vec3, b: Vec3, factor = 1) =>
  vec3(a.x * b.x * factor, a.y * b.y * factor, a.z * b.z * factor);
const step = (from: number, to: number, value: number) => {
  const t = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return t * t * (3 - 2 * t);
};

/** @param direction unit, toward the sun; @param color its own colour times its intensity, 1 at a clear midday */
export function daylight(direction: Vec3, color: Vec3): Daylight {
  const up = direction.y;
  const day = step(-0.12, 0.2, up);
  const high = step(0.02, 0.45, up);
  const sunColor = times(color, mix(vec3(3.2, 1.3, 0.4), vec3(4.3, 3.75, 3.0), high), step(-0.03, 0.06, up));
  // A dimmer or tinted sun lights its sky accordingly.
  const tint = (a: Vec3) => times(a, color);
  const zenith = tint(
    mix(vec3(0.006, 0.009, 0.02), mix(vec3(0.12, 0.16, 0.32), vec3(0.1, 0.235, 0.56), high), day),
  );
  const horizon = tint(
    mix(vec3(0.012, 0.015, 0.026), mix(vec3(0.75, 0.45, 0.3), vec3(0.52, 0.65, 0.8), high), day),
  );
  const skyAmbient = mix(zenith, horizon, 0.6);
  const bounce = times(mix(vec3(0, 0, 0), sunColor, Math.max(up, 0) * 0.3), vec3(0.3, 0.26, 0.2));
  const groundAmbient = mix(bounce, times(horizon, vec3(0.35, 0.32, 0.28)), 0.5);
  const hemisphere = vec3(Math.PI, Math.PI, Math.PI);
  return {
    sunColor,
    zenith,
    horizon,
    skyAmbient: times(skyAmbient, hemisphere, 0.68),
    groundAmbient: times(groundAmbient, hemisphere, 0.68),
  };
}
