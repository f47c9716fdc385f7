// Ground out of nothing: gradient noise in octaves, plain or ridged. Only integers, + - * / and sqrt go into it, which
// IEEE 754 defines to the last bit, so a seed gives the same bits in every engine.
// Perlin, "Improving noise" (SIGGRAPH 2002); ridges after Musgrave in "Texturing and Modeling" (2003), chapter 16.
import { checkFields, checkInteger, checkNumber, refuse } from '../errors.js';
import { checkSides } from '../texture/texture.js';
import { checkGroundSize, makeGround, type Ground } from './ground.js';
import { computedOrigin } from './report.js';

export interface NoiseOptions {
  /** Texels. */
  width: number;
  height: number;
  /** Metres, `[width, depth]`; default one metre a texel. */
  size?: readonly [number, number];
  /** A whole number in -2^31..2^32-1; default 0. */
  seed?: number;
  /** 1..16, each twice as fine and half as high as the one before; default 5. */
  octaves?: number;
  /** Periods of the first octave along the longer side, above 0; default 4. */
  frequency?: number;
  /** Metres: heights lie in ±amplitude; at least 0, default 1. */
  amplitude?: number;
  /** Sharp crests instead of rounded hills; default false. */
  ridged?: boolean;
}

/** A period is one cell of the noise's lattice, whose indices stay exact up to here. */
const MOST_CELLS = 2 ** 30;
/** The octaves are turned against each other by the angle of the 3-4-5 triangle, so that no axis shows. */
const TURN_COS = 0.8;
const TURN_SIN = 0.6;
/** Unit gradients reach at most √½ in two dimensions. */
const TO_UNIT = Math.SQRT2;
const DIRECTIONS = 256;

/** Unit vectors, x and z in turn, by repeated rotation: Math.sin may differ between engines. */
const GRADIENTS = (() => {
  // Cosine and sine of 2π/256.
  const [cos, sin] = [0.9996988186962042, 0.024541228522912288];
  const table = new Float64Array(DIRECTIONS * 2);
  let [x, z] = [1, 0];
  for (let i = 0; i < DIRECTIONS; i++) {
    table[2 * i] = x;
    table[2 * i + 1] = z;
    const [turnedX, turnedZ] = [x * cos - z * sin, x * sin + z * cos];
    const length = Math.sqrt(turnedX * turnedX + turnedZ * turnedZ);
    [x, z] = [turnedX / length, turnedZ / length];
  }
  return table;
})();

/** Ground of seeded noise. The same options at other texel counts give the same land, sampled elsewhere. */
export function noise(options: NoiseOptions): Ground {
  const where = 'terrain.noise';
  checkFields(where, options, [
    ...['width', 'height', 'size', 'seed', 'octaves', 'frequency', 'amplitude', 'ridged'],
  ]);
  const { width, height, ridged = false } = options;
  checkSides(where, width, height);
  const size = checkGroundSize(where, options.size, { width, depth: height });
  const seed = checkInteger(where, 'seed', options.seed ?? 0, { min: -(2 ** 31), max: 2 ** 32 - 1 });
  const octaves = checkInteger(where, 'octaves', options.octaves ?? 5, { min: 1, max: 16 });
  const most = MOST_CELLS / 2 ** octaves;
  const frequency = checkNumber(where, 'frequency', options.frequency ?? 4, { above: 0, max: most });
  const amplitude = checkNumber(where, 'amplitude', options.amplitude ?? 1, { min: 0, max: 1e30 });
  if (typeof ridged !== 'boolean') refuse(where, 'ridged', 'true or false', ridged);

  const shape = ridged ? ridges : hills;
  const longer = Math.max(size.width, size.depth);
  const [stepX, stepZ] = [
    (size.width / width / longer) * frequency,
    (size.depth / height / longer) * frequency,
  ];
  // Float32 rounds to nearest, which must not carry a height past the amplitude.
  const reach = roundDown(amplitude);
  const heights = new Float32Array(width * height);
  for (let row = 0, at = 0; row < height; row++) {
    for (let col = 0; col < width; col++, at++) {
      heights[at] = reach * shape((col + 0.5) * stepX, (row + 0.5) * stepZ, octaves, seed);
    }
  }
  return makeGround(where, { width, height, size, heights, coverage: null }, computedOrigin('noise'));
}

/** The greatest float32 that is at most `value`, which is at least 0. */
function roundDown(value: number): number {
  const near = Math.fround(value);
  if (near <= value) return near;
  const bits = new Float32Array([near]);
  new Uint32Array(bits.buffer)[0]--;
  return bits[0];
}

/** Octaves summed to a common spread, then eased into ±1 so that rare summits round off instead of being cut. */
function hills(x: number, z: number, octaves: number, seed: number): number {
  let [sum, power, weight] = [0, 0, 1];
  for (let octave = 0; octave < octaves; octave++, weight *= 0.5) {
    sum += weight * gradientNoise(x, z, octaveSeed(seed, octave));
    power += weight * weight;
    [x, z] = [2 * (x * TURN_COS - z * TURN_SIN), 2 * (x * TURN_SIN + z * TURN_COS)];
  }
  const spread = Math.max(-1, Math.min(1, sum / Math.sqrt(power)));
  return spread * (1.5 - 0.5 * spread * spread);
}

/** Crests where the noise crosses 0; each octave is strong only where the one before it was, so that valleys stay smooth. */
function ridges(x: number, z: number, octaves: number, seed: number): number {
  let [sum, total, weight, strength] = [0, 0, 1, 1];
  for (let octave = 0; octave < octaves; octave++, weight *= 0.5) {
    const crest = 1 - Math.abs(gradientNoise(x, z, octaveSeed(seed, octave)));
    const ridge = crest * crest * strength;
    sum += weight * ridge;
    total += weight;
    strength = Math.min(1, 2 * ridge);
    [x, z] = [2 * (x * TURN_COS - z * TURN_SIN), 2 * (x * TURN_SIN + z * TURN_COS)];
  }
  return Math.max(-1, Math.min(1, (2 * sum) / total - 1));
}

/** Gradient noise in ±1, zero at the lattice's points. */
function gradientNoise(x: number, z: number, seed: number): number {
  const [ix, iz] = [Math.floor(x), Math.floor(z)];
  const [fx, fz] = [x - ix, z - iz];
  const [sx, sz] = [fade(fx), fade(fz)];
  const near = mix(slope(ix, iz, fx, fz, seed), slope(ix + 1, iz, fx - 1, fz, seed), sx);
  const far = mix(slope(ix, iz + 1, fx, fz - 1, seed), slope(ix + 1, iz + 1, fx - 1, fz - 1, seed), sx);
  return TO_UNIT * mix(near, far, sz);
}

/** The height at (dx, dz) from a lattice point on the plane through its gradient. */
function slope(ix: number, iz: number, dx: number, dz: number, seed: number): number {
  const direction = (hash(ix, iz, seed) >>> 24) * 2;
  return GRADIENTS[direction] * dx + GRADIENTS[direction + 1] * dz;
}

const mix = (a: number, b: number, t: number): number => a + (b - a) * t;
/** 6t⁵ - 15t⁴ + 10t³: flat in slope and curvature at both ends. */
const fade = (t: number): number => t * t * t * (t * (t * 6 - 15) + 10);
const octaveSeed = (seed: number, octave: number): number => (seed | 0) + Math.imul(octave + 1, 0x9e3779b9);

/** Whitens a lattice point and a seed into 32 bits (the mixer is Ellis' lowbias32). */
function hash(ix: number, iz: number, seed: number): number {
  let h = Math.imul(ix, 0x27d4eb2d) ^ Math.imul(iz, 0x165667b1) ^ Math.imul(seed, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}
