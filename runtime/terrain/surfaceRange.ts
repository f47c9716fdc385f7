// The lowest and highest ground over a rect: the surface is flat triangles, so its extremes stand on their corners,
// where their sides cross the rect's edges, or at the rect's own corners.
import { checkNumber, refuse } from '../errors.js';

/** A closed rect of world, metres. */
export interface Rect {
  minX: number;
  minZ: number;
  maxX: number;
  maxZ: number;
}

/** What it needs of a heightfield. */
interface Surface extends Rect {
  width: number;
  height: number;
  texelX: number;
  texelZ: number;
  cpu: Float32Array;
  heightAt(x: number, z: number): number;
}

/** Checks a rect: finite, minimum at most maximum. Returns it. */
export function checkRect(where: string, rect: Rect): Rect {
  if (typeof rect !== 'object' || rect === null) refuse(where, 'rect', '{ minX, minZ, maxX, maxZ }', rect);
  for (const side of ['minX', 'minZ', 'maxX', 'maxZ'] as const)
    checkNumber(where, `rect.${side}`, rect[side]);
  if (rect.minX > rect.maxX) refuse(where, 'rect.minX', `at most rect.maxX (${rect.maxX})`, rect.minX);
  if (rect.minZ > rect.maxZ) refuse(where, 'rect.minZ', `at most rect.maxZ (${rect.maxZ})`, rect.minZ);
  return rect;
}

/** The range of the surface over the part of `field` that `rect` holds, or that is nearest to it. */
export function surfaceRange(field: Surface, rect: Rect): { low: number; high: number } {
  checkRect('terrainHeightfield.minMax', rect);
  let low = Infinity;
  let high = -Infinity;
  const take = (height: number) => {
    if (height < low) low = height;
    if (height > high) high = height;
  };
  const clampX = (x: number) => Math.min(Math.max(x, field.minX), field.maxX);
  const clampZ = (z: number) => Math.min(Math.max(z, field.minZ), field.maxZ);
  const [x0, x1] = [clampX(rect.minX), clampX(rect.maxX)];
  const [z0, z1] = [clampZ(rect.minZ), clampZ(rect.maxZ)];
  // Texels from the first centre; the centres from `ceil` to `floor` stand inside.
  const alongX = (x: number) => (x - field.minX) / field.texelX - 0.5;
  const alongZ = (z: number) => (z - field.minZ) / field.texelZ - 0.5;
  const columns = inside(alongX(x0), alongX(x1), field.width);
  const rows = inside(alongZ(z0), alongZ(z1), field.height);

  for (let j = rows.from; j <= rows.to; j++) {
    for (let i = columns.from; i <= columns.to; i++) take(field.cpu[(j * field.width + i) * 4]);
  }
  const centreX = (i: number) => field.minX + (i + 0.5) * field.texelX;
  const centreZ = (j: number) => field.minZ + (j + 0.5) * field.texelZ;
  // Along each edge: its ends, the lines between cells, and each cell's diagonal.
  for (const x of [x0, x1]) {
    const f = fraction(alongX(x), field.width);
    take(field.heightAt(x, z0));
    take(field.heightAt(x, z1));
    for (let j = rows.from - 1; j <= rows.to; j++) {
      take(field.heightAt(x, Math.min(Math.max(centreZ(j), z0), z1)));
      take(field.heightAt(x, Math.min(Math.max(centreZ(j + 1 - f), z0), z1)));
    }
  }
  for (const z of [z0, z1]) {
    const f = fraction(alongZ(z), field.height);
    for (let i = columns.from - 1; i <= columns.to; i++) {
      take(field.heightAt(Math.min(Math.max(centreX(i), x0), x1), z));
      take(field.heightAt(Math.min(Math.max(centreX(i + 1 - f), x0), x1), z));
    }
  }
  return { low, high };
}

/** The texels whose centres stand between two places; none if from > to. */
function inside(low: number, high: number, texels: number): { from: number; to: number } {
  return { from: Math.max(0, Math.ceil(low)), to: Math.min(texels - 1, Math.floor(high)) };
}

/** A place's share of its cell; past the outermost centres the ground is level and it does not matter. */
function fraction(place: number, texels: number): number {
  return place > 0 && place < texels - 1 ? place - Math.floor(place) : 0;
}
