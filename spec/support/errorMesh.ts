// Judges of meshes over a lattice of stops: they know triangles and the ground, and nothing of how a mesh was chosen.
import type { StopLattice } from '../../runtime/errorMesh/stopLattice.js';

/** What a mesh is judged by: indices that name stops. */
export interface Judged {
  /** Metres: the farthest that any stop is from a triangle that holds it. */
  error: number;
  /** Cells' worth of ground that it covers, by area in places. */
  area: number;
  /** Edges that one triangle alone has, as pairs of stops. */
  open: [number, number][];
  /** Edges that more than two triangles have, or two that turn the same way along them. */
  bad: number;
  /** Triangles without area or turned over. */
  turned: number;
  /** Stops that no triangle holds. */
  bare: number;
}

/** Twice the area, above 0 where a, b, c turn counter-clockwise seen from above (x to the right, z toward the viewer). */
const turn = (ax: number, az: number, bx: number, bz: number, cx: number, cz: number) =>
  (bz - az) * (cx - ax) - (bx - ax) * (cz - az);

export function judge(lattice: StopLattice, indices: ArrayLike<number>): Judged {
  const { cols, placeX, placeZ, count } = lattice;
  const held = new Uint8Array(count);
  const directed = new Map<string, number>();
  const judged: Judged = { error: 0, area: 0, open: [], bad: 0, turned: 0, bare: 0 };
  for (let k = 0; k < indices.length; k += 3) {
    const stops = [indices[k], indices[k + 1], indices[k + 2]];
    const [x, z] = [
      stops.map((stop) => placeX[stop % cols]),
      stops.map((stop) => placeZ[Math.floor(stop / cols)]),
    ];
    const area = turn(x[0], z[0], x[1], z[1], x[2], z[2]);
    if (!(area > 0)) judged.turned++;
    judged.area += area / 2;
    for (let c = 0; c < 3; c++) {
      const key = `${stops[c]},${stops[(c + 1) % 3]}`;
      const times = (directed.get(key) ?? 0) + 1;
      directed.set(key, times);
      if (times > 1) judged.bad++;
    }
    judged.error = Math.max(judged.error, errorOf(lattice, stops, held));
  }
  for (const key of directed.keys()) {
    const [a, b] = key.split(',').map(Number);
    if (!directed.has(`${b},${a}`)) judged.open.push([a, b]);
  }
  judged.bare = held.reduce((bare, seen) => bare + (seen ? 0 : 1), 0);
  return judged;
}

/** Metres: the farthest stop from one triangle, by its corners' weights; marks those that it holds. */
export function errorOf(lattice: StopLattice, stops: readonly number[], held?: Uint8Array): number {
  const { cols, placeX, placeZ, heights } = lattice;
  const i = stops.map((stop) => stop % cols);
  const j = stops.map((stop) => Math.floor(stop / cols));
  const [ax, bx, cx] = i.map((column) => placeX[column]);
  const [az, bz, cz] = j.map((row) => placeZ[row]);
  const area = turn(ax, az, bx, bz, cx, cz);
  let most = 0;
  for (let row = Math.min(...j); row <= Math.max(...j); row++) {
    for (let column = Math.min(...i); column <= Math.max(...i); column++) {
      const [x, z] = [placeX[column], placeZ[row]];
      const a = turn(x, z, bx, bz, cx, cz);
      const b = turn(ax, az, x, z, cx, cz);
      const c = area - a - b;
      if (a < 0 || b < 0 || c < 0) continue;
      const at = row * cols + column;
      if (held) held[at] = 1;
      const drawn = (a * heights[stops[0]] + b * heights[stops[1]] + c * heights[stops[2]]) / area;
      most = Math.max(most, Math.abs(drawn - heights[at]));
    }
  }
  return most;
}

/** Area of the cells that have ground, in places (a cell between centres has 4). */
export function groundArea(lattice: StopLattice): number {
  const { cellsX, cellsZ, placeX, placeZ } = lattice;
  let area = 0;
  for (let j = 0; j < cellsZ; j++)
    for (let i = 0; i < cellsX; i++)
      if (lattice.hasGround(i, j)) area += (placeX[i + 1] - placeX[i]) * (placeZ[j + 1] - placeZ[j]);
  return area;
}

/** Whether an edge is where ground ends: along the rim, or step by step between a cell with ground and one without. */
export function endsGround(lattice: StopLattice, [a, b]: readonly [number, number]): boolean {
  const { cols, cellsX, cellsZ } = lattice;
  const [ai, aj, bi, bj] = [a % cols, Math.floor(a / cols), b % cols, Math.floor(b / cols)];
  if (ai !== bi && aj !== bj) return false;
  const ground = (i: number, j: number) =>
    i >= 0 && j >= 0 && i < cellsX && j < cellsZ && lattice.hasGround(i, j);
  const upright = ai === bi;
  const [from, to] = upright ? [Math.min(aj, bj), Math.max(aj, bj)] : [Math.min(ai, bi), Math.max(ai, bi)];
  for (let k = from; k < to; k++) {
    const [one, other] = upright ? [ground(ai - 1, k), ground(ai, k)] : [ground(k, aj - 1), ground(k, aj)];
    if (one === other) return false;
  }
  return true;
}
