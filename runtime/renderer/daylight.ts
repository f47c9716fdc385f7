// The light of a day from its sun and its sky: what the sun sends through the air, what the sky and the ground around
// send from all sides, and the table that shaders read the sky from. Made once for a sun and a sky and kept while they stand.
import { gaussLegendre, GROUND, hazePhase, rayleighPhase, sunlightAt } from '../sky/atmosphere.js';
import {
  atmosphereOf,
  horizonTexels,
  readTable,
  sliceSine,
  skyTable,
  skyTexels,
  type SkyTable,
} from '../sky/sky.js';
import { ONE, vec3, type Vec3 } from '../world/vector.js';

/** What a sky is made from (the fields of a Sky). */
export interface SkyFields {
  /** How hazy it is: 1.8 to 10. */
  readonly turbidity: number;
  /** What the ground returns, linear 0..1. */
  readonly groundAlbedo: Vec3;
  /** Multiplies the sky's light, not the sun's. */
  readonly intensity: number;
  /** Multiplies the glow that is left at night. */
  readonly night: number;
}

export const DEFAULT_SKY: SkyFields = Object.freeze({
  turbidity: 2.5,
  groundAlbedo: Object.freeze(vec3(0.22, 0.2, 0.16)),
  intensity: 1,
  night: 1,
});

export interface Daylight {
  /** Linear irradiance on a surface that faces the sun, at the ground. */
  readonly sunColor: Vec3;
  /**
   * Linear irradiance by the direction that a surface faces, from the sky and the ground around: terms 1, y, s, y·y, y·s, s·s
   * of a unit normal that reaches y up and s toward the sun, level (r, g, b each). Spherical harmonics up to the second order.
   */
  readonly ambient: readonly (readonly number[])[];
  /** Linear irradiance from the upper hemisphere on a surface that faces up, and from the ground around on one that faces down. */
  readonly skyAmbient: Vec3;
  readonly groundAmbient: Vec3;
  /** averageLight of this day with a white sun of intensity 1. */
  readonly whiteLight: number;
  /** Unit, toward the sun, level: x and z. */
  readonly sunLevel: readonly [number, number];
  /** What the air takes at the ground, of red, green and blue, 1/metre. */
  readonly extinction: readonly number[];
  readonly table: SkyTable;
  /** The table and its horizon as texels, rgba16float. */
  readonly texels: Uint16Array<ArrayBuffer>;
  readonly horizon: Uint16Array<ArrayBuffer>;
}

/** What the sun sends to the air's end: around 4 is left of it on a clear midday, and that and the sky together are white there. */
const SUNLIGHT = [6.1, 6.5, 7];

/** Toward the sun that shines in a world without one: from the south-west, 35 degrees up, where a slice of the sky stands. */
export const DEFAULT_SUN = (() => {
  const up = sliceSine(22);
  const level = Math.sqrt(1 - up * up) / Math.hypot(0.62, 0.5);
  return vec3(-0.62 * level, up, 0.5 * level);
})();

/** The days that were asked for last. */
const KEPT = 2;
const days: { key: string; day: Daylight }[] = [];

const luminance = ({ x, y, z }: Vec3): number => 0.2126 * x + 0.7152 * y + 0.0722 * z;

/** @param direction unit, toward the sun; @param color its own colour times its intensity, 1 at a clear midday; the same objects answer as long as nothing changes */
export function daylight(direction: Vec3, color: Vec3, sky: SkyFields = DEFAULT_SKY): Daylight {
  const { turbidity, groundAlbedo: albedo, intensity, night } = sky;
  const parts = [direction, color, albedo].flatMap(({ x, y, z }) => [x, y, z]);
  const key = [...parts, turbidity, intensity, night].join();
  const at = days.findIndex((known) => known.key === key);
  const [found] = at < 0 ? [{ key, day: makeDay(direction, color, sky) }] : days.splice(at, 1);
  days.push(found);
  if (days.length > KEPT) days.shift();
  return found.day;
}

function makeDay(direction: Vec3, color: Vec3, sky: SkyFields): Daylight {
  const look = {
    turbidity: sky.turbidity,
    albedo: [sky.groundAlbedo.x, sky.groundAlbedo.y, sky.groundAlbedo.z],
  };
  const { air } = atmosphereOf(look);
  const flat = Math.hypot(direction.x, direction.z);
  const own = lightOf(direction.y, color, sky);
  const white = color.x === 1 && color.y === 1 && color.z === 1 ? own : lightOf(direction.y, ONE, sky);
  return {
    ...own,
    whiteLight: averageLight(white),
    sunLevel: flat > 1e-6 ? [direction.x / flat, direction.z / flat] : [1, 0],
    extinction: air.molecules.map((part, c) => (part + air.hazeExtinction[c]) / 1000),
    texels: skyTexels(own.table),
    horizon: horizonTexels(own.table, Math.min(1, Math.max(-1, direction.y))),
  };
}

/** What a sun of a colour sends, and what comes of it. @param sine of its height */
function lightOf(sine: number, color: Vec3, { turbidity, groundAlbedo, intensity, night }: SkyFields) {
  const sun = Math.min(1, Math.max(-1, sine));
  const look = { turbidity, albedo: [groundAlbedo.x, groundAlbedo.y, groundAlbedo.z] };
  const sent = [color.x, color.y, color.z].map((part, c) => part * SUNLIGHT[c]);
  const passed = new Float64Array(3);
  sunlightAt(atmosphereOf(look).air, GROUND, sun, passed);
  const sunColor = sent.map((part, c) => part * passed[c]);
  const scattered = sent.map((part) => part * intensity);
  // A sun that is turned off takes its night along.
  const glow = intensity * night * Math.min(1, Math.max(color.x, color.y, color.z));
  const table = skyTable(look, sun, scattered, glow);
  const { sums, fallen } = project(table, sun);
  const ground = look.albedo.map(
    (part, c) => (part * (sunColor[c] * Math.max(sun, 0) + fallen[c])) / Math.PI,
  );
  return {
    sunColor: toVector(sunColor),
    ambient: irradianceOf(sums, ground),
    skyAmbient: toVector(fallen),
    groundAmbient: toVector(ground.map((part) => part * Math.PI)),
    table,
  };
}

const toVector = ([x, y, z]: readonly number[]) => vec3(x, y, z);

/** Luminance of what arrives at a surface on the average of all the ways that it may face. */
export const averageLight = ({
  sunColor,
  skyAmbient,
  groundAmbient,
}: Pick<Daylight, 'sunColor' | 'skyAmbient' | 'groundAmbient'>): number =>
  luminance(sunColor) / 4 + (luminance(skyAmbient) + luminance(groundAmbient)) / 2;

const [UP_NODES, UP_WEIGHTS] = gaussLegendre(12);
const ROUND_STEPS = 16;

/** Spherical harmonics, to the second order, of the sky's radiance (six that a sky alike on both sides of its sun has; 3 each), and what falls on level ground. */
function project(table: SkyTable, sun: number): { sums: number[][]; fallen: number[] } {
  const sums = Array.from({ length: 6 }, () => [0, 0, 0]);
  const fallen = [0, 0, 0];
  const parts = new Float64Array(6);
  const flat = Math.sqrt(1 - sun * sun);
  for (let i = 0; i < UP_NODES.length; i++) {
    // Even in the root of the sine, as the table is.
    const root = 0.5 + 0.5 * UP_NODES[i];
    const up = root * root;
    const level = Math.sqrt(1 - up * up);
    const weight = (UP_WEIGHTS[i] * root * 2 * Math.PI) / ROUND_STEPS;
    for (let j = 0; j < ROUND_STEPS; j++) {
      const round = Math.cos((Math.PI * (j + 0.5)) / ROUND_STEPS);
      const toSun = up * sun + level * flat * round;
      readTable(table, up, round, parts);
      const [molecules, haze] = [rayleighPhase(toSun), hazePhase(toSun)];
      const s = level * round;
      const t2 = level * level - s * s;
      for (let c = 0; c < 3; c++) {
        const light = weight * (parts[c] * molecules + parts[3 + c] * haze);
        fallen[c] += light * up;
        sums[0][c] += 0.282095 * light;
        sums[1][c] += 0.488603 * light * up;
        sums[2][c] += 0.488603 * light * s;
        sums[3][c] += 0.315392 * light * (3 * up * up - 1);
        sums[4][c] += 1.092548 * light * up * s;
        sums[5][c] += 0.546274 * light * (s * s - t2);
      }
    }
  }
  return { sums, fallen };
}

/**
 * Irradiance from radiance's harmonics (Ramamoorthi and Hanrahan, "An Efficient Representation for Irradiance Environment
 * Maps", 2001), with ground of an even radiance below, as terms of a normal.
 */
function irradianceOf(sums: number[][], ground: readonly number[]): number[][] {
  const terms = Array.from({ length: 6 }, () => [0, 0, 0]);
  for (let c = 0; c < 3; c++) {
    const even = Math.PI * 0.282095 * (sums[0][c] + 0.282095 * 2 * Math.PI * ground[c]);
    const upward = ((2 * Math.PI) / 3) * 0.488603 * (sums[1][c] - 0.488603 * Math.PI * ground[c]);
    const [poles, tilted, across] = [3, 4, 5].map(
      (k, i) => (Math.PI / 4) * [0.315392, 1.092548, 0.546274][i] * sums[k][c],
    );
    // s² - t² is 2 s² + y² - 1 of a unit normal.
    terms[0][c] = even - poles - across;
    terms[1][c] = upward;
    terms[2][c] = ((2 * Math.PI) / 3) * 0.488603 * sums[2][c];
    terms[3][c] = 3 * poles + across;
    terms[4][c] = tilted;
    terms[5][c] = 2 * across;
  }
  return terms;
}
