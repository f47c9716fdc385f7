// A judge of the sky that shares nothing with runtime/sky but the air's coefficients: photons followed backward from the eye
// through a round planet's air, one collision after the other (Woodcock's null collisions), each lit by the sun through
// optical depths that are summed there and then. Unbiased for any number of scatterings, with the true phase functions.
import type { Air } from '../../runtime/sky/atmosphere.js';

type Vector = readonly [number, number, number];

const GROUND_KM = 6360;
const TOP_KM = 6460;

/** Mulberry32: the same numbers each time. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const along = (p: Vector, d: Vector, t: number): Vector => [
  p[0] + d[0] * t,
  p[1] + d[1] * t,
  p[2] + d[2] * t,
];

/** Km to the sphere of a radius around the planet's middle: the nearer crossing ahead if `first`, else the farther; Infinity if none. */
function crossing(p: Vector, d: Vector, radius: number, first: boolean): number {
  const b = dot(p, d);
  const root = b * b - dot(p, p) + radius * radius;
  if (root < 0) return Infinity;
  const t = first ? -b - Math.sqrt(root) : -b + Math.sqrt(root);
  return t > 1e-9 ? t : Infinity;
}

/** Molecules, haze and ozone at a place, against their densest. */
function densities(p: Vector): Vector {
  const height = Math.hypot(...p) - GROUND_KM;
  return [Math.exp(-height / 8), Math.exp(-height / 1.2), Math.max(0, 1 - Math.abs(height - 25) / 15)];
}

/** Part of one channel's light that passes from `p` along `d` out of the air; 0 where the ground stands in the way. Simpson's rule over steps that grow. */
export function passes(air: Air, channel: number, p: Vector, d: Vector, steps = 96): number {
  if (crossing(p, d, GROUND_KM, true) < Infinity) return 0;
  const end = crossing(p, d, TOP_KM, false);
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const x = i / steps;
    const [molecules, haze, ozone] = densities(along(p, d, end * x * x));
    const takes =
      air.molecules[channel] * molecules + air.hazeExtinction[channel] * haze + air.ozone[channel] * ozone;
    sum += takes * 2 * x * end * (i === 0 || i === steps ? 1 : i % 2 ? 4 : 2);
  }
  return Math.exp(-sum / (3 * steps));
}

const rayleigh = (c: number) => (3 / (16 * Math.PI)) * (1 + c * c);
const henyey = (c: number, g: number) => (1 - g * g) / (4 * Math.PI * (1 + g * g - 2 * g * c) ** 1.5);
const cornette = (c: number, g: number) =>
  ((3 / (8 * Math.PI)) * ((1 - g * g) * (1 + c * c))) / ((2 + g * g) * (1 + g * g - 2 * g * c) ** 1.5);

/** A direction at an angle of cosine `c` to `d`, turned around it by chance. */
function turned(d: Vector, c: number, chance: number): Vector {
  const s = Math.sqrt(Math.max(0, 1 - c * c));
  const helper: Vector = Math.abs(d[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
  const u: Vector = [
    d[1] * helper[2] - d[2] * helper[1],
    d[2] * helper[0] - d[0] * helper[2],
    d[0] * helper[1] - d[1] * helper[0],
  ];
  const length = Math.hypot(...u);
  const v: Vector = [
    (d[1] * u[2] - d[2] * u[1]) / length,
    (d[2] * u[0] - d[0] * u[2]) / length,
    (d[0] * u[1] - d[1] * u[0]) / length,
  ];
  const [a, b] = [(s * Math.cos(2 * Math.PI * chance)) / length, s * Math.sin(2 * Math.PI * chance)];
  return [c * d[0] + a * u[0] + b * v[0], c * d[1] + a * u[1] + b * v[1], c * d[2] + a * u[2] + b * v[2]];
}

export interface SkyView {
  air: Air;
  /** What the ground returns of a channel. */
  albedo: number;
  channel: number;
  /** Haze's forwardness. */
  g: number;
  /** Km above the ground. */
  height: number;
  /** Unit; y is up. */
  way: Vector;
  sun: Vector;
  /** At most so many scatterings. */
  orders?: number;
}

/** One photon's radiance, for a sun that sends 1 to the air's end. */
export function followed(view: SkyView, random: () => number): number {
  const { air, channel, sun, g, albedo, orders = 100 } = view;
  let place: Vector = [0, GROUND_KM + view.height, 0];
  let way = view.way;
  let weight = 1;
  let light = 0;
  const most = air.molecules[channel] + air.hazeExtinction[channel] + air.ozone[channel];
  for (let order = 0; order < orders;) {
    const ground = crossing(place, way, GROUND_KM, true);
    const end = Math.min(ground, crossing(place, way, TOP_KM, false));
    // To the next true collision.
    let t = 0;
    let found: readonly [number, number, number] | null = null;
    for (;;) {
      t -= Math.log(1 - random()) / most;
      if (t >= end) break;
      const [molecules, haze, ozone] = densities(along(place, way, t));
      const parts = [
        air.molecules[channel] * molecules,
        air.hazeExtinction[channel] * haze,
        air.ozone[channel] * ozone,
      ] as const;
      if (random() * most < parts[0] + parts[1] + parts[2]) {
        found = parts;
        break;
      }
    }
    if (!found) {
      if (ground > end || ground === Infinity) return light;
      place = along(place, way, ground * (1 - 1e-12));
      const up: Vector = [place[0] / GROUND_KM, place[1] / GROUND_KM, place[2] / GROUND_KM];
      place = along(up, up, GROUND_KM + 1e-6 - 1);
      order++;
      weight *= albedo;
      light += (weight * Math.max(0, dot(up, sun)) * passes(air, channel, place, sun)) / Math.PI;
      way = turned(up, Math.sqrt(random()), random());
    } else {
      place = along(place, way, t);
      order++;
      const pick = random() * (found[0] + found[1] + found[2]);
      if (pick < found[0]) {
        light += weight * rayleigh(dot(way, sun)) * passes(air, channel, place, sun);
        // By rejection: 1 + c² of at most 2.
        let c = 2 * random() - 1;
        while (2 * random() > 1 + c * c) c = 2 * random() - 1;
        way = turned(way, c, random());
      } else if (pick < found[0] + found[1]) {
        weight *= air.haze[channel] / air.hazeExtinction[channel];
        light += weight * cornette(dot(way, sun), g) * passes(air, channel, place, sun);
        const x = (1 - g * g) / (1 - g + 2 * g * random());
        const c = (1 + g * g - x * x) / (2 * g);
        weight *= cornette(c, g) / henyey(c, g);
        way = turned(way, c, random());
      } else return light;
    }
    if (weight < 0.05) {
      if (random() < 0.5) return light;
      weight *= 2;
    }
  }
  return light;
}

/** What haze alone sends after one scattering toward a place `height` km up, without its phase function: a fine sum along the way. */
export function hazeOnce(air: Air, channel: number, height: number, way: Vector, sun: Vector): number {
  const steps = 300;
  const from: Vector = [0, GROUND_KM + height, 0];
  const end = crossing(from, way, TOP_KM, false);
  let [sum, depth] = [0, 0];
  for (let i = 0; i < steps; i++) {
    const t = end * ((i + 0.5) / steps) ** 3;
    const step = end * (((i + 1) / steps) ** 3 - (i / steps) ** 3);
    const place = along(from, way, t);
    const [molecules, haze, ozone] = densities(place);
    const takes =
      air.molecules[channel] * molecules + air.hazeExtinction[channel] * haze + air.ozone[channel] * ozone;
    const left = Math.exp(-depth - 0.5 * takes * step);
    sum += left * step * air.haze[channel] * haze * passes(air, channel, place, sun);
    depth += takes * step;
  }
  return sum;
}
