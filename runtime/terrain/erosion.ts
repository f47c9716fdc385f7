// What an erosion is told and what follows from it: options checked, and the numbers of a run and of each of its steps, as
// the kernels (erodeKernels.ts) and their CPU twin (erosionTwin.ts) take them. The lengths are texels' own, so that ground of
// any size erodes alike; the wear of a step is `WEAR × √(catchment in m²) × slope` metres, which does not ask for the texels.
import { checkFields, checkInteger, checkNumber, MoonscapeError, refuse } from '../errors.js';
import { checkGround, type Ground } from './ground.js';

export interface ErodeOptions {
  /** A whole number in -2^31..2^32-1: where rain falls when. Default 0. */
  seed?: number;
  /** Steps, 1..20,000; default 250. Water runs one texel a step. */
  iterations?: number;
  /** How strongly water wears, 0..10; 0: no water. Default 1. */
  hydraulic?: number;
  /** How fast ground slides that is steeper than `talus`, 0..1; 0: not at all. Default 1. */
  thermal?: number;
  /** Degrees, 1..89: the steepest slope that does not slide. Default 42. */
  talus?: number;
  /** How much rain falls, above 0, at most 100; default 1. */
  rain?: number;
  /** How much sediment water holds, 0..100: more leaves less in the valleys. Default 1. */
  capacity?: number;
  /** Part of the water that dries up in a step, 0..1; default 0.001. */
  evaporation?: number;
  /** Water and sediment stay within the rim; by default they run off it. */
  closed?: boolean;
  /** Told now and then how many steps of how many are done. A promise it answers is awaited; what it throws ends the work. */
  progress?: (done: number, iterations: number) => unknown;
}

const FIELDS = [
  ...['seed', 'iterations', 'hydraulic', 'thermal', 'talus', 'rain', 'capacity', 'evaporation', 'closed'],
  'progress',
];

/** As shaders/include/erode.wgsl's Erosion, by its names; vectors: along X, along Z, across a corner, unused. */
export interface Erosion {
  share: number[];
  reach: number[];
  talus: number[];
  texels: [number, number];
  seed: number;
  closed: 0 | 1;
  rain: number;
  keep: number;
  wear: number;
  carry: number;
  creep: number;
}

/** As shaders/include/erode.wgsl's ErosionStep. */
export interface ErosionStep {
  index: number;
  fade: number;
  average: number;
}

export interface ErosionPlan {
  erosion: Erosion;
  steps: number;
  progress: ((done: number, iterations: number) => unknown) | undefined;
}

/** Wear in texel sides a step, at slope 1 where one texel's rain runs by. */
const WEAR = 0.01;
/** What water holds in texel sides, at slope 1 where one texel's rain runs by. */
const CARRY = 0.08;
/** Depth of a step's rain in texel sides: little against any drop, so that water keeps to the ground's own valleys. */
const RAIN = 1e-6;
/** With eight neighbours, half of what is too steep slides in a step. */
const CREEP = 1 / 16;
/** The part of the steps over which wear fades, so that what is still carried finds a place. */
const FADING = 0.25;
/** Steps that `flow` is the mean of. */
const FLOW_STEPS = 32;
/** Texels × steps that a run may take: minutes on a GPU. */
const MOST_WORK = 2 ** 37;
/** Metres: texel sides, and between the lowest and the highest ground, with which float32 still tells steps apart. */
const TEXEL_SIDES = { min: 1e-3, max: 1e5 };
const MOST_RELIEF = 1e6;

/** Checks a ground and options; answers the numbers of the run. `where` goes in front of messages. */
export function planErosion(where: string, ground: Ground, options: ErodeOptions): ErosionPlan {
  checkGround(where, 'the first argument', ground);
  checkFields(where, options, FIELDS);
  const number = (name: keyof ErodeOptions, fallback: number, range: object) =>
    checkNumber(where, name, options[name] ?? fallback, range);
  const steps = checkInteger(where, 'iterations', options.iterations ?? 250, { min: 1, max: 20_000 });
  const seed = checkInteger(where, 'seed', options.seed ?? 0, { min: -(2 ** 31), max: 2 ** 32 - 1 });
  const hydraulic = number('hydraulic', 1, { min: 0, max: 10 });
  const thermal = number('thermal', 1, { min: 0, max: 1 });
  const talus = number('talus', 42, { min: 1, max: 89 });
  const rain = number('rain', 1, { above: 0, max: 100 });
  const capacity = number('capacity', 1, { min: 0, max: 100 });
  const evaporation = number('evaporation', 0.001, { min: 0, max: 1 });
  const { closed = false, progress } = options;
  if (typeof closed !== 'boolean') refuse(where, 'closed', 'true or false', closed);
  if (progress !== undefined && typeof progress !== 'function')
    refuse(where, 'progress', 'a function(done, iterations)', progress);

  const { width, height, size } = ground;
  const [texelX, texelZ] = [size.width / width, size.depth / height];
  checkNumber(where, 'a texel along X (size / texels, metres)', texelX, TEXEL_SIDES);
  checkNumber(where, 'a texel along Z (size / texels, metres)', texelZ, TEXEL_SIDES);
  const { min, max } = heightsOf(ground);
  if (max - min > MOST_RELIEF)
    refuse(where, 'the relief of the ground', `at most ${MOST_RELIEF} metres`, max - min);
  if (width * height * steps > MOST_WORK)
    throw new MoonscapeError(
      `${where}: iterations must be at most ${Math.floor(MOST_WORK / (width * height))} for ${width}×${height} texels, got ${steps}`,
    );

  const side = Math.sqrt(texelX * texelZ);
  const reach = [texelX, texelZ, Math.hypot(texelX, texelZ), 1];
  const weights = reach.map((metres, axis) => (axis < 3 ? 1 / metres ** 2 : 0));
  const all = 2 * weights[0] + 2 * weights[1] + 4 * weights[2];
  const bearing = Math.tan((talus * Math.PI) / 180);
  return {
    erosion: {
      share: weights.map((weight) => weight / all),
      reach,
      talus: reach.map((metres) => metres * bearing),
      texels: [width, height],
      seed: seed >>> 0,
      closed: closed ? 1 : 0,
      rain: RAIN * side,
      keep: 1 - evaporation,
      wear: WEAR * side * hydraulic * Math.sqrt(rain),
      carry: hydraulic > 0 ? CARRY * side * capacity * rain : 0,
      creep: CREEP * thermal,
    },
    steps,
    progress,
  };
}

/** The numbers of step `index` of `steps`. */
export function erosionStep(index: number, steps: number): ErosionStep {
  const counted = Math.min(FLOW_STEPS, steps);
  return {
    index,
    fade: Math.min(1, (steps - index) / Math.max(1, FADING * steps)),
    average: index >= steps - counted ? 1 / counted : 0,
  };
}

/** The state that a run starts from: rows × columns × 4, as the kernels have it; `base`: metres that were taken off the ground. */
export function firstState(ground: Ground, rain: number): { state: Float32Array<ArrayBuffer>; base: number } {
  const { heights, coverage } = ground;
  const base = heightsOf(ground).min;
  const state = new Float32Array(heights.length * 4);
  for (let i = 0; i < heights.length; i++) {
    const hasData = coverage === null || coverage[i] === 1;
    state[i * 4] = heights[i] - base;
    state[i * 4 + 1] = hasData ? rain : 0;
    state[i * 4 + 3] = hasData ? 0 : -1;
  }
  return { state, base };
}

/** Least and greatest height of the texels that take part; 0 where none does. */
function heightsOf({ heights, coverage }: Ground): { min: number; max: number } {
  let [min, max] = [Infinity, -Infinity];
  for (let i = 0; i < heights.length; i++) {
    if (coverage && coverage[i] === 0) continue;
    min = Math.min(min, heights[i]);
    max = Math.max(max, heights[i]);
  }
  return min > max ? { min: 0, max: 0 } : { min, max };
}
