// Sculpting: strokes of a round brush over Heightfield.setHeights, each one edit. What the Lua module terrainBrush calls.
import { checkFields, checkNumber, MoonscapeError, refuse } from '../errors.js';
import { FORMAT_FACTS, Texture } from '../texture/texture.js';
import { Heightfield, type Rect } from './heightfield.js';

export interface BrushOptions {
  /** Metres, above 0: the brush fades to nothing there. */
  radius: number;
  /** Metres in the middle for raise, lower and stamp, default 1; for smooth and flatten the part of the way, 0..1, default 0.5. */
  strength?: number;
}

export interface FlattenOptions extends BrushOptions {
  /** Metres to flatten to; default: the ground in the brush's middle. */
  height?: number;
}

export interface StampOptions extends BrushOptions {
  /** Laid over the brush's square, column 0 at −X, row 0 at −Z; its first channel counts, whole numbers as 0..1. */
  texture: Texture;
}

/** A texel under the brush. */
interface Touch {
  col: number;
  row: number;
  /** Metres: its height. */
  height: number;
  /** Metres from the brush's middle, over the radius: −1..1. */
  u: number;
  v: number;
}

/**
 * Raises the ground round (x, z), metres, by `strength` metres in the middle, fading by (1 − (d / radius)²)². As of every
 * stroke: answers the rect that changed as setHeights does, or null where no texel centre of the field is under the brush.
 * The texels of the square around it count as edited too: their heights stay, their coverage becomes 1. A height outside a
 * declared heightRange is refused, and nothing changes.
 */
export function raise(hf: Heightfield, x: number, z: number, options: BrushOptions): Rect | null {
  return lift('terrainBrush.raise', hf, x, z, options, 1);
}

/** Lowers the ground by `strength` metres in the middle. */
export function lower(hf: Heightfield, x: number, z: number, options: BrushOptions): Rect | null {
  return lift('terrainBrush.lower', hf, x, z, options, -1);
}

/** Brings each height nearer to the mean of its 3 × 3 texels; the field's rim counts its own again. */
export function smooth(hf: Heightfield, x: number, z: number, options: BrushOptions): Rect | null {
  const where = 'terrainBrush.smooth';
  const { radius, strength } = check(where, hf, x, z, options, [], 0.5, 1);
  return stroke(hf, x, z, radius, ({ col, row, height }, weight) => {
    let sum = 0;
    for (let j = row - 1; j <= row + 1; j++)
      for (let i = col - 1; i <= col + 1; i++) sum += texelAt(hf, i, j);
    return height + (sum / 9 - height) * strength * weight;
  });
}

/** Brings the ground nearer to `height`. */
export function flatten(hf: Heightfield, x: number, z: number, options: FlattenOptions): Rect | null {
  const where = 'terrainBrush.flatten';
  const { radius, strength } = check(where, hf, x, z, options, ['height'], 0.5, 1);
  const level = checkNumber(where, 'height', options.height ?? hf.heightAt(x, z));
  return stroke(hf, x, z, radius, ({ height }, weight) => height + (level - height) * strength * weight);
}

/** Adds a picture's relief: its values times `strength` metres, sampled bilinearly. */
export function stamp(hf: Heightfield, x: number, z: number, options: StampOptions): Rect | null {
  const where = 'terrainBrush.stamp';
  const { radius, strength } = check(where, hf, x, z, options, ['texture'], 1, Infinity);
  const { texture } = options;
  if (!(texture instanceof Texture)) refuse(where, 'texture', 'a texture', texture);
  if (texture.destroyed) throw new MoonscapeError(`${where}: texture is destroyed`);
  const sample = sampler(texture);
  return stroke(
    hf,
    x,
    z,
    radius,
    ({ height, u, v }, weight) => height + sample((u + 1) / 2, (v + 1) / 2) * strength * weight,
  );
}

function lift(
  where: string,
  hf: Heightfield,
  x: number,
  z: number,
  options: BrushOptions,
  sign: number,
): Rect | null {
  const { radius, strength } = check(where, hf, x, z, options, [], 1, Infinity);
  return stroke(hf, x, z, radius, ({ height }, weight) => height + sign * strength * weight);
}

/** Checks a stroke's arguments; `extra` options are for the caller to check. */
function check(
  where: string,
  hf: Heightfield,
  x: number,
  z: number,
  options: BrushOptions,
  extra: string[],
  strength: number,
  max: number,
): { radius: number; strength: number } {
  if (!(hf instanceof Heightfield)) refuse(where, 'hf', 'a heightfield', hf);
  hf.assertOpen(where);
  checkNumber(where, 'x', x);
  checkNumber(where, 'z', z);
  checkFields(where, options, ['radius', 'strength', ...extra]);
  return {
    radius: checkNumber(where, 'radius', options.radius, { above: 0 }),
    strength: checkNumber(where, 'strength', options.strength ?? strength, { min: 0, max }),
  };
}

/** Sets each texel whose centre is under the brush to what `heightOf` answers for it and its weight. */
function stroke(
  hf: Heightfield,
  x: number,
  z: number,
  radius: number,
  heightOf: (touch: Touch, weight: number) => number,
): Rect | null {
  const [col, lastCol] = under(x, radius, hf.minX, hf.texelX, hf.width);
  const [row, lastRow] = under(z, radius, hf.minZ, hf.texelZ, hf.height);
  const cols = lastCol - col + 1;
  const rows = lastRow - row + 1;
  if (cols < 1 || rows < 1) return null;
  const heights = new Float64Array(cols * rows);
  let touched = 0;
  const touch: Touch = { col, row, height: 0, u: 0, v: 0 };
  for (let k = 0; k < heights.length; k++) {
    touch.col = col + (k % cols);
    touch.row = row + Math.floor(k / cols);
    touch.height = texelAt(hf, touch.col, touch.row);
    touch.u = (hf.minX + (touch.col + 0.5) * hf.texelX - x) / radius;
    touch.v = (hf.minZ + (touch.row + 0.5) * hf.texelZ - z) / radius;
    const rest = 1 - touch.u ** 2 - touch.v ** 2;
    heights[k] = touch.height;
    if (!(rest > 0)) continue;
    touched++;
    heights[k] = heightOf(touch, rest * rest);
  }
  return touched > 0 ? hf.setHeights(col, row, cols, rows, heights) : null;
}

/** The first and last texel along an axis whose centre is within `radius` of `place`. */
function under(place: number, radius: number, min: number, texel: number, texels: number): [number, number] {
  return [
    Math.max(0, Math.ceil((place - radius - min) / texel - 0.5)),
    Math.min(texels - 1, Math.floor((place + radius - min) / texel - 0.5)),
  ];
}

/** A texel's height; past the rim it is the outermost one's. */
function texelAt(hf: Heightfield, col: number, row: number): number {
  const i = Math.min(Math.max(col, 0), hf.width - 1);
  const j = Math.min(Math.max(row, 0), hf.height - 1);
  return hf.cpu[(j * hf.width + i) * 4];
}

/** Reads a picture's first channel at (s, t), each 0..1 over it, between texel centres and level out to its edges. */
function sampler({ width, height, channels, data, format }: Texture): (s: number, t: number) => number {
  const { maximum } = FORMAT_FACTS[format];
  const unit = maximum === Infinity ? 1 : 1 / maximum;
  const at = (i: number, j: number) =>
    data[(Math.min(j, height - 1) * width + Math.min(i, width - 1)) * channels] * unit;
  return (s, t) => {
    const u = Math.min(Math.max(s * width - 0.5, 0), width - 1);
    const v = Math.min(Math.max(t * height - 0.5, 0), height - 1);
    const [i, j] = [Math.floor(u), Math.floor(v)];
    const near = at(i, j) + (at(i + 1, j) - at(i, j)) * (u - i);
    const far = at(i, j + 1) + (at(i + 1, j + 1) - at(i, j + 1)) * (u - i);
    return near + (far - near) * (v - j);
  };
}
