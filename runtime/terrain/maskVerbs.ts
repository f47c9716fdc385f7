// The verbs of the ground graph that measure land: its slope, and masks by height, slope and curvature, whose heights are
// weights in 0..1 for terrain.blend or, through terrain.to_weights, for layers.
import { checkFields, checkNumber, refuse } from '../errors.js';
import { checkGround, type Ground } from './ground.js';
import { putGradientsX, putGradientsZ } from './gradient.js';
import { derive } from './groundVerbs.js';

/** From `low` to `high`; one that is left out is no bound. */
export type Band = readonly [number | undefined, number | undefined];

export interface MaskOptions {
  /** Metres. */
  height?: Band;
  /** Degrees, 0..90. */
  slope?: Band;
  /** One a metre: above 0 on ridges and summits, below 0 in valleys and hollows. */
  curvature?: Band;
  /** How far outside its band a weight still falls from 1 to 0, in the band's own unit; at least 0, default 0. */
  soft?: { height?: number; slope?: number; curvature?: number };
}

/** Ground whose heights are the slope in degrees, 0..90: of central differences, one-sided at the rim. */
export function slope(ground: Ground): Ground {
  const where = 'terrain.slope';
  checkGround(where, 'ground', ground);
  return derive(where, 'slope', [ground], slopesOf(ground));
}

/** Ground whose heights are weights: the product, over the bands that are given, of 1 inside and 0 outside. */
export function mask(ground: Ground, options: MaskOptions): Ground {
  const where = 'terrain.mask';
  checkGround(where, 'the first argument', ground);
  checkFields(where, options, ['height', 'slope', 'curvature', 'soft']);
  const soft = options.soft ?? {};
  if (typeof soft !== 'object') refuse(where, 'soft', 'a table of distances', soft);
  checkFields(`${where}: soft`, soft, ['height', 'slope', 'curvature']);
  const measures = {
    height: () => (i: number) => ground.heights[i],
    slope: () => slopesOf(ground),
    curvature: () => curvaturesOf(ground),
  };
  const weights: ((i: number) => number)[] = [];
  for (const name of ['height', 'slope', 'curvature'] as const) {
    const away = checkNumber(where, `soft.${name}`, soft[name] ?? 0, { min: 0 });
    const band = options[name];
    if (band === undefined) {
      if (soft[name] !== undefined)
        refuse(where, `soft.${name}`, `left out where there is no ${name}`, soft[name]);
      continue;
    }
    const [low, high] = checkBand(where, name, band);
    const measure = measures[name]();
    weights.push((i) => weightOf(measure(i), low, high, away));
  }
  if (weights.length === 0)
    refuse(where, 'the second argument', 'a table with height, slope or curvature', options);
  return derive(where, 'mask', [ground], (i) => weights.reduce((product, weight) => product * weight(i), 1));
}

function checkBand(where: string, name: string, band: unknown): [number, number] {
  if (!Array.isArray(band) || band.length > 2) refuse(where, name, 'a band { low, high }', band);
  const [low, high] = band as unknown[];
  if (low === undefined && high === undefined) refuse(where, name, 'a band with low or high', band);
  const least = low === undefined ? -Infinity : checkNumber(where, `${name}.low`, low);
  const most = high === undefined ? Infinity : checkNumber(where, `${name}.high`, high);
  if (least > most) refuse(where, name, 'a band with low at most high', band);
  return [least, most];
}

/** 1 within low..high, from there smoothly (3t² - 2t³) to 0 at a distance of `soft`. */
function weightOf(value: number, low: number, high: number, soft: number): number {
  const outside = Math.max(low - value, value - high);
  if (outside <= 0) return 1;
  if (outside >= soft) return 0;
  const t = 1 - outside / soft;
  return t * t * (3 - 2 * t);
}

function slopesOf({ heights, width, height, size }: Ground): (i: number) => number {
  const texels = new Float32Array(width * height * 4);
  for (let i = 0; i < heights.length; i++) texels[i * 4] = heights[i];
  const grid = { texels, width, height, texelX: size.width / width, texelZ: size.depth / height };
  const all = { col: 0, row: 0, cols: width, rows: height };
  putGradientsX(grid, all);
  putGradientsZ(grid, all);
  return (i) => (Math.atan(Math.hypot(texels[i * 4 + 1], texels[i * 4 + 2])) * 180) / Math.PI;
}

/** Minus half the sum of the second differences along X and Z; at the rim those of the texel next to it, 0 across under three texels. */
function curvaturesOf({ heights, width, height, size }: Ground): (i: number) => number {
  const second = (at: number, k: number, count: number, stride: number, texel: number) => {
    if (count < 3) return 0;
    const middle = at + (Math.min(count - 2, Math.max(1, k)) - k) * stride;
    return (heights[middle - stride] - 2 * heights[middle] + heights[middle + stride]) / texel ** 2;
  };
  return (i) => {
    const col = i % width;
    const row = (i - col) / width;
    const alongX = second(i, col, width, 1, size.width / width);
    const alongZ = second(i, row, height, width, size.depth / height);
    return -(alongX + alongZ) / 2;
  };
}
