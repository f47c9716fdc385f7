// The grids of uniform spacing that together hold a heightfield's surface exactly, as a physics heightfield needs them.

/** A grid of samples over `[minX, minX + sizeX] × [minZ, minZ + sizeZ]`, metres of world. */
export interface ColliderTile {
  minX: number;
  minZ: number;
  sizeX: number;
  sizeZ: number;
  /** The texel column of each of its columns of samples, evenly spaced; an edge strip repeats the outermost one. */
  xs: number[];
  /** The texel row of each of its rows of samples. */
  zs: number[];
}

/** A stretch of one axis: metres of world, and the texels its samples stand on. */
interface Stretch {
  min: number;
  size: number;
  texels: number[];
}

export interface TiledAxis {
  min: number;
  max: number;
  texel: number;
  texels: number;
}

/** Row-major tiles: half-texel strips along the edges, `perTile` cells at most between texel centres. */
export function tileRect(x: TiledAxis, z: TiledAxis, perTile: number): ColliderTile[] {
  const columns = stretches(x, perTile);
  return stretches(z, perTile).flatMap((row) =>
    columns.map((column) => ({
      minX: column.min,
      minZ: row.min,
      sizeX: column.size,
      sizeZ: row.size,
      xs: [...column.texels],
      zs: [...row.texels],
    })),
  );
}

//  min |--|--------|--------|--------|--| max      strip, cells in stretches of at most perTile, strip
function stretches({ min, max, texel, texels }: TiledAxis, perTile: number): Stretch[] {
  const last = texels - 1;
  const centre = (i: number) => min + (i + 0.5) * texel;
  const list: Stretch[] = [{ min, size: centre(0) - min, texels: [0, 0] }];
  for (let from = 0; from < last; from += perTile) {
    const to = Math.min(from + perTile, last);
    const run = Array.from({ length: to - from + 1 }, (_, k) => from + k);
    list.push({ min: centre(from), size: centre(to) - centre(from), texels: run });
  }
  list.push({ min: centre(last), size: max - centre(last), texels: [last, last] });
  return list;
}
