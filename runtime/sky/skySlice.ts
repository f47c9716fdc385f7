// The light that the air sends to an eye near the ground, for one height of the sun: a small table over the upper
// half of all directions, without the phase functions, which are sharp and known: shaders multiply them in again. Single
// scattering is summed along each ray over the round planet; all further scattering is taken as coming evenly from all
// around, an infinite series (Hillaire, "A Scalable and Production Ready Sky and Atmosphere Rendering Technique", 2020,
// section 5.5). Everything is for a sun that sends 1, white, to the air's end. What only the way through the air decides
// is worked out once for all suns. Made by runtime/sky/sky.ts.
import {
  airOf,
  gaussLegendre,
  GROUND,
  hazeAt,
  moleculesAt,
  ozoneAt,
  rayleighPhase,
  sunlightAt,
  toTop,
  type Air,
} from './atmosphere.js';

/** Heights of the table: row i looks up by an angle of sine (i / (ROWS - 1))². */
export const ROWS = 20;
/** Ways round of the table: column j looks aside of the sun by j / (COLUMNS - 1) · 180 degrees. */
export const COLUMNS = 7;
/** Numbers a place of the table: what molecules send, the evenly scattered light included (r, g, b), and what haze sends. */
export const PARTS = 6;
/** The eye's height, km. */
export const EYE_HEIGHT = 0.2;
const STEPS = 16;
/** Steps grow with the distance: step k ends at this part of the way. */
const ENDS = Float64Array.from({ length: STEPS + 1 }, (_, k) => (k / STEPS) ** 2.4);
/** Steps of a ray that gathers what is scattered a second time. */
const FEW_STEPS = 8;
/** Heights for which evenly scattered light is known: the highest, km, and how many; they crowd at the ground. */
const HIGHEST = 32;
const LEVELS = 6;
/** Sines of the sun's height for which it is known: w·|w|, w in steps of 0.1 from -0.6 to 1. */
const SUN_FIRST = -6;
const SUN_LAST = 10;
/** Directions in which second light is gathered: up and down, and to one side of the sun and the other. */
const UPWARD = 8;
const SIDEWAYS = Math.SQRT1_2;
/** Light is as likely to turn any way. */
const EVEN = 1 / (4 * Math.PI);
const EYE = GROUND + EYE_HEIGHT;

const arriving = new Float64Array(3);

/** Rays cut into steps, one after the other. Of a step: where it is, and what part of the light that falls on it is sent to the ray's begin. */
interface Steps {
  /** Km along the ray and from the planet's middle. */
  readonly along: Float64Array;
  readonly radius: Float64Array;
  /** By molecules and by haze, three each. */
  readonly molecules: Float64Array;
  readonly haze: Float64Array;
  /** What of a ray's own light is left at its end, three a ray. */
  readonly left: Float64Array;
}

/** Cuts a ray from radius `from` along sine `up` over `end` km at the parts `ends`, into ray number `ray`. */
function cut(
  steps: Steps,
  air: Air,
  ray: number,
  way: { from: number; up: number; end: number; ends: Float64Array },
): void {
  const { from, up, end, ends } = way;
  const count = ends.length - 1;
  const { left } = steps;
  left.fill(1, ray * 3, ray * 3 + 3);
  for (let k = 0; k < count; k++) {
    const at = ray * count + k;
    const step = end * (ends[k + 1] - ends[k]);
    const t = end * ends[k] + 0.5 * step;
    const r = Math.max(GROUND, Math.sqrt(from * from + 2 * from * up * t + t * t));
    const dense = moleculesAt(r - GROUND);
    const hazy = hazeAt(r - GROUND);
    const rare = ozoneAt(r - GROUND);
    steps.along[at] = t;
    steps.radius[at] = r;
    for (let c = 0; c < 3; c++) {
      const takes = air.molecules[c] * dense + air.hazeExtinction[c] * hazy + air.ozone[c] * rare;
      const passed = Math.exp(-takes * step);
      // All along the step, what is sent is dimmed by what lies before it.
      const part = (left[ray * 3 + c] * (1 - passed)) / takes;
      steps.molecules[at * 3 + c] = part * air.molecules[c] * dense;
      steps.haze[at * 3 + c] = part * air.haze[c] * hazy;
      left[ray * 3 + c] *= passed;
    }
  }
}

const makeSteps = (rays: number, count: number): Steps => ({
  along: new Float64Array(rays * count),
  radius: new Float64Array(rays * count),
  molecules: new Float64Array(rays * count * 3),
  haze: new Float64Array(rays * count * 3),
  left: new Float64Array(rays * 3),
});

/** An air over a ground: what slices of its sky are made from. Kept as long as its sky is. */
export class Atmosphere {
  readonly air: Air;
  /** The rays of the table's rows. */
  private readonly rows = makeSteps(ROWS, STEPS);
  /** The rays that gather second light, UPWARD a level: their sines, weights and lengths, and which meet the ground. */
  private readonly rays = makeSteps(LEVELS * UPWARD, FEW_STEPS);
  private readonly up: Float64Array;
  private readonly weights: Float64Array;
  private readonly ends = new Float64Array(LEVELS * UPWARD);
  private readonly meets = new Uint8Array(LEVELS * UPWARD);
  /** What one turn more sends on, at each level, of light 1 from everywhere. */
  private readonly again = new Float64Array(LEVELS * 3);
  /** Evenly scattered light by sun, LEVELS × 3 each, made when first needed. */
  private readonly even: (Float64Array | undefined)[] = [];

  /** @param turbidity 1.8..10; @param albedo what the ground returns, linear, 0..1 */
  constructor(
    turbidity: number,
    private readonly albedo: readonly number[],
  ) {
    this.air = airOf(turbidity);
    for (let i = 0; i < ROWS; i++) {
      const up = (i / (ROWS - 1)) ** 2;
      cut(this.rows, this.air, i, { from: EYE, up, end: toTop(EYE, up), ends: ENDS });
    }
    const ends = Float64Array.from({ length: FEW_STEPS + 1 }, (_, k) => (k / FEW_STEPS) ** 2);
    // Sines x·|x| crowd at the horizon, where the air is brightest.
    const [nodes, weights] = gaussLegendre(UPWARD);
    this.up = nodes.map((x) => x * Math.abs(x));
    this.weights = weights.map((weight, i) => weight * 2 * Math.abs(nodes[i]));
    for (let ray = 0; ray < LEVELS * UPWARD; ray++) {
      const level = Math.floor(ray / UPWARD);
      const up = this.up[ray % UPWARD];
      const from = levelRadius(level);
      const down = from * from * (up * up - 1) + GROUND * GROUND;
      const meets = up < 0 && down > 0;
      const end = meets ? -from * up - Math.sqrt(down) : toTop(from, up);
      this.meets[ray] = meets ? 1 : 0;
      this.ends[ray] = end;
      cut(this.rays, this.air, ray, { from, up, end, ends });
      const { molecules, haze, left } = this.rays;
      const weight = 0.5 * this.weights[ray % UPWARD];
      if (meets)
        for (let c = 0; c < 3; c++) this.again[level * 3 + c] += weight * left[ray * 3 + c] * albedo[c];
      for (let at = ray * FEW_STEPS * 3; at < (ray + 1) * FEW_STEPS * 3; at++)
        this.again[level * 3 + (at % 3)] += weight * (molecules[at] + haze[at]);
    }
  }

  /**
   * The table for a sun whose height has the sine `sun`: ROWS × COLUMNS × PARTS.
   * Radiance is molecules' part × rayleighPhase + haze's part × hazePhase of the cosine to the sun.
   */
  slice(sun: number): Float64Array {
    const { along, radius, molecules, haze } = this.rows;
    const out = new Float64Array(ROWS * COLUMNS * PARTS);
    const evenly = new Float64Array(3);
    const flat = Math.sqrt(1 - sun * sun);
    for (let i = 0; i < ROWS; i++) {
      const up = (i / (ROWS - 1)) ** 2;
      const level = Math.sqrt(1 - up * up);
      for (let j = 0; j < COLUMNS; j++) {
        const toSun = up * sun + level * flat * Math.cos((Math.PI * j) / (COLUMNS - 1));
        const at = (i * COLUMNS + j) * PARTS;
        const turned = 1 / rayleighPhase(toSun);
        for (let k = i * STEPS; k < (i + 1) * STEPS; k++) {
          const mu = (EYE * sun + along[k] * toSun) / radius[k];
          this.evenAt(radius[k] - GROUND, mu, evenly);
          // After it, as what it gathers goes through the same three numbers.
          sunlightAt(this.air, radius[k], mu, arriving);
          for (let c = 0; c < 3; c++) {
            const own = molecules[k * 3 + c];
            const hazes = haze[k * 3 + c];
            out[at + c] += own * arriving[c] + (own + hazes) * evenly[c] * turned;
            out[at + 3 + c] += hazes * arriving[c];
          }
        }
      }
    }
    return out;
  }

  /** Radiance that reaches a height (km) from all around, on average, but for the sun's own, into out[0..2]. */
  private evenAt(height: number, sun: number, out: Float64Array): void {
    const x = Math.min(LEVELS - 1.000001, Math.sqrt(Math.max(0, height) / HIGHEST) * (LEVELS - 1));
    const y = Math.min(SUN_LAST - 1e-6, Math.max(SUN_FIRST, Math.sign(sun) * Math.sqrt(Math.abs(sun)) * 10));
    const i = Math.floor(x);
    const j = Math.floor(y);
    const low = this.evenFor(j);
    const high = this.evenFor(j + 1);
    for (let c = i * 3; c < i * 3 + 3; c++) {
      const a = low[c] + (low[c + 3] - low[c]) * (x - i);
      const b = high[c] + (high[c + 3] - high[c]) * (x - i);
      out[c - i * 3] = a + (b - a) * (y - j);
    }
  }

  private evenFor(index: number): Float64Array {
    return (this.even[index - SUN_FIRST] ??= this.gather((index * Math.abs(index)) / 100));
  }

  /** At each level: the light scattered twice, from all around, times the sum of the series of all that follows. */
  private gather(sun: number): Float64Array {
    const { along, radius, molecules, haze, left } = this.rays;
    const levels = new Float64Array(LEVELS * 3);
    const flat = Math.sqrt(1 - sun * sun);
    for (let ray = 0; ray < LEVELS * UPWARD; ray++) {
      const level = Math.floor(ray / UPWARD);
      const from = levelRadius(level);
      const up = this.up[ray % UPWARD];
      const aside = Math.sqrt(1 - up * up) * flat * SIDEWAYS;
      // Half of a mean over all directions; half again for the two sides.
      const weight = 0.25 * this.weights[ray % UPWARD];
      for (let side = -1; side <= 1; side += 2) {
        const toSun = up * sun + side * aside;
        for (let k = ray * FEW_STEPS; k < (ray + 1) * FEW_STEPS; k++) {
          sunlightAt(this.air, radius[k], (from * sun + along[k] * toSun) / radius[k], arriving);
          for (let c = 0; c < 3; c++)
            levels[level * 3 + c] += weight * EVEN * (molecules[k * 3 + c] + haze[k * 3 + c]) * arriving[c];
        }
        if (!this.meets[ray]) continue;
        const mu = (from * sun + this.ends[ray] * toSun) / GROUND;
        sunlightAt(this.air, GROUND, mu, arriving);
        for (let c = 0; c < 3; c++)
          levels[level * 3 + c] +=
            (weight * left[ray * 3 + c] * this.albedo[c] * arriving[c] * Math.max(0, mu)) / Math.PI;
      }
    }
    for (let k = 0; k < LEVELS * 3; k++) levels[k] /= 1 - this.again[k];
    return levels;
  }
}

const levelRadius = (level: number): number => GROUND + Math.max(0.01, HIGHEST * (level / (LEVELS - 1)) ** 2);
