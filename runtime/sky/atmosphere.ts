// The air as a physical model: what a spherical planet's air takes from light and scatters, by height, for three
// wavelengths that stand for red, green and blue (680, 550 and 440 nm). Molecules by Bodhaine and others ("On Rayleigh
// Optical Depth Calculations", 1999), haze by turbidity (Preetham, Shirley and Smits, "A Practical Analytic Model for
// Daylight", 1999, appendix 1), ozone and the shape of it all as in Hillaire ("A Scalable and Production Ready Sky and
// Atmosphere Rendering Technique", 2020). Lengths are kilometres, counted from the planet's middle.

/** Micrometres: what red, green and blue stand for. */
export const WAVELENGTHS = [0.68, 0.55, 0.44] as const;
/** Radii of the ground and of the air's end, km. */
export const GROUND = 6360;
export const TOP = 6460;
/** Metres over which molecules and haze thin out to 1/e, in km. */
const MOLECULES_FALL = 8;
const HAZE_FALL = 1.2;
/** Ozone stands in a layer: most at this height, none this far from it, km. */
const OZONE_MIDDLE = 25;
const OZONE_REACH = 15;
/** What ozone takes at its densest, 1/km. */
const OZONE_EXTINCTION = [0.65e-3, 1.881e-3, 0.085e-3] as const;
/** Part of what haze takes that it scatters. */
const HAZE_ALBEDO = 0.96;
/** Half the sun's opening, a little more than the real 0.27 degrees: as a sine. */
const SUN_RADIUS = 0.006;

/** Coefficients of one air, for each of red, green and blue. */
export interface Air {
  /** What molecules scatter at the ground, 1/km; they take as much. */
  readonly molecules: readonly number[];
  /** What haze scatters, and what it takes, at the ground, 1/km. */
  readonly haze: readonly number[];
  readonly hazeExtinction: readonly number[];
  /** What ozone takes at its densest, 1/km. */
  readonly ozone: readonly number[];
}

/** Vertical optical depth of all molecules at sea level, for a wavelength in micrometres (Bodhaine's fit, equation 30). */
export function rayleighDepth(wavelength: number): number {
  const square = wavelength * wavelength;
  const above = 1.0455996 - 341.29061 / square - 0.9023085 * square;
  const below = 1 + 0.0027059889 / square - 85.968563 * square;
  return (0.002152 * above) / below;
}

/** Vertical optical depth of haze: Ångström's law with the exponent 1.3 (Preetham). @param turbidity from 1 (none) */
export function hazeDepth(turbidity: number, wavelength: number): number {
  return Math.max(0, 0.04608 * turbidity - 0.04586) * wavelength ** -1.3;
}

/** The air of a turbidity. */
export function airOf(turbidity: number): Air {
  const hazeExtinction = WAVELENGTHS.map((length) => hazeDepth(turbidity, length) / HAZE_FALL);
  return {
    molecules: WAVELENGTHS.map((length) => rayleighDepth(length) / MOLECULES_FALL),
    haze: hazeExtinction.map((part) => part * HAZE_ALBEDO),
    hazeExtinction,
    ozone: OZONE_EXTINCTION,
  };
}

/** Densities at a height in km, against the ground's (ozone: against its densest). */
export const moleculesAt = (height: number): number => Math.exp(-height / MOLECULES_FALL);
export const hazeAt = (height: number): number => Math.exp(-height / HAZE_FALL);
export const ozoneAt = (height: number): number =>
  Math.max(0, 1 - Math.abs(height - OZONE_MIDDLE) / OZONE_REACH);

/** Parts of the light that turn by an angle of cosine `c`, per steradian: molecules, and haze (Cornette and Shanks, 1992). */
export const rayleighPhase = (c: number): number => (3 / (16 * Math.PI)) * (1 + c * c);
/** As in shaders/include/frame.wgsl. */
export const HAZE_FORWARD = 0.66;
export function hazePhase(c: number): number {
  const g = HAZE_FORWARD;
  const spread = 1 + g * g - 2 * g * c;
  return ((3 / (8 * Math.PI)) * ((1 - g * g) * (1 + c * c))) / ((2 + g * g) * spread * Math.sqrt(spread));
}

/** Km from a place at radius `r` to the air's end along a way whose cosine against the vertical is `mu`. */
export const toTop = (r: number, mu: number): number =>
  Math.max(0, -r * mu + Math.sqrt(Math.max(0, r * r * (mu * mu - 1) + TOP * TOP)));

/** Cosine against the vertical of the horizon at radius `r`. */
export const horizonAt = (r: number): number => -Math.sqrt(Math.max(0, 1 - (GROUND / r) ** 2));

/** Part of the sun's disc that stands over the ground at radius `r`, 0..1, for its middle's cosine `mu`. */
export function sunShown(r: number, mu: number): number {
  const t = Math.min(1, Math.max(0, 0.5 + (mu - horizonAt(r)) / (2 * SUN_RADIUS)));
  return t * t * (3 - 2 * t);
}

// Columns: density along a way up to the air's end, km, for molecules, haze and ozone. They are the same in every air, so
// that they are summed once; laid out by Bruneton and Neyret ("Precomputed Atmospheric Scattering", 2008), whose
// coordinates crowd at the horizon and near the ground.
const RADII = 20;
const WAYS = 24;
const STEPS = 12;
const FARTHEST = Math.sqrt(TOP * TOP - GROUND * GROUND);
let columns: Float64Array | null = null;

/** Sums all columns: RADII × WAYS × 3. */
function sumColumns(): Float64Array {
  const table = new Float64Array(RADII * WAYS * 3);
  const [nodes, weights] = gaussLegendre(STEPS);
  for (let i = 0; i < RADII; i++) {
    const along = (FARTHEST * i) / (RADII - 1);
    const r = Math.sqrt(along * along + GROUND * GROUND);
    for (let j = 0; j < WAYS; j++) {
      const d = TOP - r + ((along + FARTHEST - TOP + r) * j) / (WAYS - 1);
      const mu = d < 1e-9 ? 1 : Math.min(1, Math.max(-1, (TOP * TOP - r * r - d * d) / (2 * r * d)));
      let molecules = 0;
      let haze = 0;
      let ozone = 0;
      for (let k = 0; k < STEPS; k++) {
        // Steps crowd at the near end, where the air is.
        const x = 0.5 + 0.5 * nodes[k];
        const t = d * x * x;
        const height = Math.max(0, Math.sqrt(r * r + 2 * r * mu * t + t * t) - GROUND);
        const step = d * x * weights[k];
        molecules += moleculesAt(height) * step;
        haze += hazeAt(height) * step;
        ozone += ozoneAt(height) * step;
      }
      const at = (i * WAYS + j) * 3;
      table[at] = molecules;
      table[at + 1] = haze;
      table[at + 2] = ozone;
    }
  }
  return table;
}

/** Columns from radius `r` toward cosine `mu`, which must not meet the ground, into out[0..2]: molecules, haze, ozone. */
export function columnsAt(r: number, mu: number, out: Float64Array): void {
  const table = (columns ??= sumColumns());
  const along = Math.sqrt(Math.max(0, r * r - GROUND * GROUND));
  const x = Math.min(1, along / FARTHEST) * (RADII - 1);
  const least = TOP - r;
  const y = Math.min(1, Math.max(0, (toTop(r, mu) - least) / (along + FARTHEST - least))) * (WAYS - 1);
  const i = Math.min(RADII - 2, Math.floor(x));
  const j = Math.min(WAYS - 2, Math.floor(y));
  const fx = x - i;
  const fy = y - j;
  for (let k = 0; k < 3; k++) {
    const at = (i * WAYS + j) * 3 + k;
    const low = table[at] + (table[at + 3] - table[at]) * fy;
    const high = table[at + WAYS * 3] + (table[at + WAYS * 3 + 3] - table[at + WAYS * 3]) * fy;
    out[k] = low + (high - low) * fx;
  }
}

const scratch = new Float64Array(3);

/** The part of light that comes from outside the air to radius `r` from cosine `mu`, into out[0..2]; the ground's shadow included. */
export function sunlightAt(air: Air, r: number, mu: number, out: Float64Array): void {
  const shown = sunShown(r, mu);
  if (shown <= 0) return void out.fill(0, 0, 3);
  columnsAt(r, mu, scratch);
  for (let k = 0; k < 3; k++)
    out[k] =
      shown *
      Math.exp(
        -(air.molecules[k] * scratch[0] + air.hazeExtinction[k] * scratch[1] + air.ozone[k] * scratch[2]),
      );
}

/** Nodes in -1..1 and weights of Gauss's quadrature, by Newton's method from Chebyshev's points. */
export function gaussLegendre(count: number): readonly [Float64Array, Float64Array] {
  const nodes = new Float64Array(count);
  const weights = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let x = -Math.cos((Math.PI * (i + 0.75)) / (count + 0.5));
    let slope = 1;
    for (let turn = 0; turn < 8; turn++) {
      let before = 1;
      let value = x;
      for (let n = 2; n <= count; n++) {
        const next = ((2 * n - 1) * x * value - (n - 1) * before) / n;
        before = value;
        value = next;
      }
      slope = (count * (x * value - before)) / (x * x - 1);
      x -= value / slope;
    }
    nodes[i] = x;
    weights[i] = 2 / ((1 - x * x) * slope * slope);
  }
  return [nodes, weights];
}
