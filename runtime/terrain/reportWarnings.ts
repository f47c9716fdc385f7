// Signs that a raster was read in the wrong way. Each is plain: what is odd, and what would look right. They must stay
// silent on real files that are read rightly.
import { describeBorder, tidy, type ZeroBorder } from './report.js';

/** Metres; no ground on Earth, dry or under the sea, lies outside them. */
const LOWEST_GROUND = -11500;
const HIGHEST_GROUND = 9000;
/** Mean step between neighbours over the standard deviation: real ground stays under 0.1, noise is at 1.1. */
const NOISE_ROUGHNESS = 0.8;
const SMOOTH_ROUGHNESS = 0.4;
/** Fewer texels than this say nothing about roughness. */
const ENOUGH_TEXELS = 64;
/** The slope of one level's step from texel to texel above which a terrace shows (14 degrees). */
const TERRACE_SLOPE = 0.25;
/** The share of neighbours at most one level apart in a terraced raster. */
const TERRACE_SHARE = 0.75;

/** A raster that was read, before any filling. `samples` and `coverage` are row-major. */
export interface ReadRaster {
  encoding: string;
  width: number;
  height: number;
  heights: Float32Array;
  coverage: Uint8Array | null;
  /** The stored numbers, channels interleaved. */
  samples: ArrayLike<number>;
  channels: number;
  /** Bits a sample in the file. */
  bitDepth: number;
  /** The channel that was asked for by name, or null. */
  channel: number | null;
  /** Metres of the lesser side of a texel. */
  texel: number;
  /** Metres that one whole step of the stored number makes; 0 where a step means nothing. */
  step: number;
  zeroBorder: ZeroBorder;
}

/** Height in metres of a Mapbox Terrain-RGB texel. */
export const mapboxHeight = (r: number, g: number, b: number): number =>
  -10000 + (r * 65536 + g * 256 + b) * 0.1;

/** Height in metres of a Terrarium texel. */
export const terrariumHeight = (r: number, g: number, b: number): number => r * 256 + g + b / 256 - 32768;

const TILE_HEIGHTS = { mapbox: mapboxHeight, terrarium: terrariumHeight };
type TileEncoding = keyof typeof TILE_HEIGHTS;

/** All that is odd about `raster`, in sentences. */
export function findWarnings(raster: ReadRaster): string[] {
  return [coloursOdd, depthOdd, terraced, framed].flatMap((check) => check(raster) ?? []);
}

/** Encodings over colours: the wrong one of two, grey pictures, pictures that are no ground, ground read from red alone. */
function coloursOdd(raster: ReadRaster): string | null {
  const { encoding, channels, heights, channel } = raster;
  if (channels !== 4 || raster.bitDepth > 8) return null;
  if (encoding === 'gray' || encoding === 'metres') {
    if (channel !== null || isGrey(raster)) return null;
    const right = rightTile(raster);
    return right
      ? `read as ${encoding}, which takes only the first of its three channels; ${right}`
      : `read as ${encoding}, which takes only the first of its three channels, and they differ; say which channel holds the heights, or an encoding of three channels`;
  }
  const reach = measure(raster, heights);
  if (isGrey(raster) && reach.low < reach.high)
    return `read as ${encoding}, but its three channels are equal, as in a grey picture; encoding "gray" with a range would look right`;
  if (encoding === 'rgb24') return reach.roughness > NOISE_ROUGHNESS ? noisy(encoding) : null;
  if (reach.low < LOWEST_GROUND || reach.high > HIGHEST_GROUND) {
    const right = rightTile(raster);
    const said = `read as ${encoding}, its heights reach from ${tidy(reach.low)} to ${tidy(reach.high)} m, where no ground is`;
    return right ? `${said}; ${right}` : `${said}; it may be a picture, or its colours were changed`;
  }
  return reach.roughness > NOISE_ROUGHNESS ? noisy(encoding) : null;
}

const noisy = (encoding: string) =>
  `read as ${encoding}, its heights jump from texel to texel like noise; it may be a picture, or its colours were changed`;

/** A sentence that names the tile encoding under which the raster looks like ground, if one does. */
function rightTile(raster: ReadRaster): string | null {
  const { samples } = raster;
  for (const name of Object.keys(TILE_HEIGHTS) as TileEncoding[]) {
    if (name === raster.encoding) continue;
    const height = TILE_HEIGHTS[name];
    const read = Float32Array.from(raster.heights, (_, i) =>
      height(samples[i * 4], samples[i * 4 + 1], samples[i * 4 + 2]),
    );
    const { low, high, roughness } = measure(raster, read);
    if (low >= LOWEST_GROUND && high <= HIGHEST_GROUND && roughness < SMOOTH_ROUGHNESS)
      return `encoding "${name}" would give ${tidy(low)}..${tidy(high)} m, which looks right`;
  }
  return null;
}

/** Whether no covered texel has a colour. */
function isGrey({ samples, heights, coverage }: ReadRaster): boolean {
  return heights.every(
    (_, i) =>
      coverage?.[i] === 0 || (samples[i * 4] === samples[i * 4 + 1] && samples[i * 4] === samples[i * 4 + 2]),
  );
}

/** Lowest, highest and roughness over the covered texels; a raster too small or flat has roughness 0. */
function measure({ width, height, coverage }: ReadRaster, heights: Float32Array) {
  let [low, high, sum, squares, count] = [Infinity, -Infinity, 0, 0, 0];
  let [steps, pairs] = [0, 0];
  // Moments are taken about a height of the raster, so that far-off heights lose no digits.
  const pivot = heights[coverage ? coverage.indexOf(1) : 0];
  for (let i = 0; i < heights.length; i++) {
    if (coverage?.[i] === 0) continue;
    const h = heights[i];
    low = Math.min(low, h);
    high = Math.max(high, h);
    sum += h - pivot;
    squares += (h - pivot) * (h - pivot);
    count++;
    if ((i + 1) % width !== 0 && coverage?.[i + 1] !== 0) {
      steps += Math.abs(heights[i + 1] - h);
      pairs++;
    }
  }
  const deviation = Math.sqrt(Math.max(0, squares / count - (sum / count) * (sum / count)));
  const enough = width > 1 && height > 1 && pairs >= ENOUGH_TEXELS && deviation > 0;
  return { low, high, roughness: enough ? steps / pairs / deviation : 0 };
}

/** A 16-bit file that holds 8 bits of height. */
function depthOdd({ encoding, bitDepth, samples, channels, channel, coverage }: ReadRaster): string | null {
  if (encoding !== 'gray' || bitDepth !== 16) return null;
  let [greatest, least, bits, unequal] = [0, 65535, 0, false];
  for (let i = channel ?? 0, texel = 0; i < samples.length; i += channels, texel++) {
    if (coverage?.[texel] === 0) continue;
    const sample = samples[i];
    greatest = Math.max(greatest, sample);
    least = Math.min(least, sample);
    bits |= sample;
    if (sample >> 8 !== (sample & 255)) unequal = true;
  }
  if (greatest === least) return null;
  if (greatest <= 255)
    return `a 16-bit file whose numbers all fit 8 bits (${least}..${greatest}), so that it fills ${tidy((greatest - least) / 655.35)} percent of its range; range = { low, high } is for 0..65535`;
  if (!unequal || (bits & 255) === 0)
    return `a 16-bit file that was widened from 8 bits: it has at most 256 levels, which may show as terraces`;
  return null;
}

/** Few bits over much relief: flat treads with steps of one level between them. */
function terraced(raster: ReadRaster): string | null {
  const { width, heights, coverage, step, bitDepth, texel } = raster;
  if (bitDepth > 8 || step <= 0 || step / texel < TERRACE_SLOPE) return null;
  const { low, high } = measure(raster, heights);
  let [flat, single, pairs] = [0, 0, 0];
  const compare = (i: number, j: number) => {
    const levels = Math.round(Math.abs(heights[i] - heights[j]) / step);
    // Water and clipped summits are flat in truth.
    if (coverage?.[j] === 0 || (levels === 0 && (heights[i] === low || heights[i] === high))) return;
    pairs++;
    if (levels === 0) flat++;
    else if (levels === 1) single++;
  };
  for (let i = 0; i < heights.length; i++) {
    if (coverage?.[i] === 0) continue;
    if ((i + 1) % width !== 0) compare(i, i + 1);
    if (i + width < heights.length) compare(i, i + width);
  }
  if (pairs < ENOUGH_TEXELS || single === 0 || flat === 0 || flat + single < TERRACE_SHARE * pairs)
    return null;
  return `${bitDepth} bits make steps of ${tidy(step)} m over texels of ${tidy(texel)} m, which will show as terraces; a file of 16 bits has 256 times as many levels`;
}

/** A frame of zeros beside ground that is nowhere zero. */
function framed({
  zeroBorder,
  width,
  height,
  samples,
  channels,
  channel,
  coverage,
}: ReadRaster): string | null {
  const { left, right, top, bottom } = zeroBorder;
  const isZero = (col: number, row: number) =>
    coverage?.[row * width + col] !== 0 && zeroAt(samples, channels, channel, row * width + col);
  const rows = Array.from({ length: height - top - bottom }, (_, i) => top + i);
  const cols = Array.from({ length: width - left - right }, (_, i) => left + i);
  const sides: [number, () => boolean][] = [
    [left, () => rows.some((row) => isZero(left, row))],
    [right, () => rows.some((row) => isZero(width - 1 - right, row))],
    [top, () => cols.some((col) => isZero(col, top))],
    [bottom, () => cols.some((col) => isZero(col, height - 1 - bottom))],
  ];
  // Zeros that the ground beside them reaches are ground as well: a sea.
  if (!sides.some(([lines]) => lines > 0) || sides.some(([lines, meetsZero]) => lines > 0 && meetsZero()))
    return null;
  return `a border of zeros (${describeBorder(zeroBorder)}) that the ground beside it falls to; crop it, or give nodata = 0`;
}

/** Whether the stored number of a texel is zero: of the channel that was read, or of all colours. */
function zeroAt(
  samples: ArrayLike<number>,
  channels: number,
  channel: number | null,
  texel: number,
): boolean {
  const at = texel * channels;
  if (channel !== null || channels < 4) return samples[at + (channel ?? 0)] === 0;
  return samples[at] === 0 && samples[at + 1] === 0 && samples[at + 2] === 0;
}

/** How many whole columns and rows of zeros stand along each edge; none where all is zero. */
export function findZeroBorder(raster: Omit<ReadRaster, 'zeroBorder'>): ZeroBorder {
  const { width, height, samples, channels, channel, coverage } = raster;
  const isZero = (texel: number) => coverage?.[texel] !== 0 && zeroAt(samples, channels, channel, texel);
  const zeroRow = (row: number) => {
    for (let col = 0; col < width; col++) if (!isZero(row * width + col)) return false;
    return true;
  };
  const zeroColumn = (col: number) => {
    for (let row = 0; row < height; row++) if (!isZero(row * width + col)) return false;
    return true;
  };
  const border: ZeroBorder = { left: 0, right: 0, top: 0, bottom: 0 };
  while (border.top < height && zeroRow(border.top)) border.top++;
  if (border.top === height) return { left: 0, right: 0, top: 0, bottom: 0 };
  while (zeroRow(height - 1 - border.bottom)) border.bottom++;
  while (zeroColumn(border.left)) border.left++;
  while (zeroColumn(width - 1 - border.right)) border.right++;
  return border;
}
