// The ground inside one cell: the surface that heightAt answers, a Rapier heightfield collides with and the mesh draws.
//
//     h00 ---- h10   +X      two flat triangles that meet on the diagonal from the h01 corner to the h10 corner:
//      |      / |            fx + fz <= 1 on the h00 side
//      |   /    |
//     h01 ---- h11
//     +Z

/**
 * The ground at `fx`, `fz` in 0..1 (along X and Z) of a cell from its four corner heights, in metres. A corner answers
 * its own height, level ground its level, exactly.
 */
export function cellHeight(
  h00: number,
  h10: number,
  h01: number,
  h11: number,
  fx: number,
  fz: number,
): number {
  if (fx === 1) {
    if (fz === 0) return h10;
    if (fz === 1) return h11;
  }
  return fx === 0 && fz === 1 ? h01 : cellSurface(h00, h10, h01, h11, fx, fz);
}

/**
 * cellHeight for fractions under 1. Both triangles as one expression without a branch, which would be guessed wrong at
 * every other place: the plane of the h00 side, bent along the diagonal by how far the place lies over it.
 */
export function cellSurface(
  h00: number,
  h10: number,
  h01: number,
  h11: number,
  fx: number,
  fz: number,
): number {
  const side = fx + fz - 1;
  const over = (side + Math.abs(side)) * 0.5;
  return h00 + (h10 - h00) * fx + (h01 - h00) * fz + (h00 - h10 - h01 + h11) * over;
}
