// The CPU twin of the terrain kernels: mirrors terrain_vertex in shaders/include/terrain_vertex.wgsl and has_ground in
// shaders/terrain_index.wgsl. Specs hold the two to each other; nothing draws from it. In float32 throughout.
import type { Cut } from './cut.js';
import { STOP_WORDS, type CutTables } from './cutTables.js';
import type { Heightfield } from './heightfield.js';

const f = Math.fround;

/** A vertex before it is laid out: world position, place from the cut's corner, gradient; metres. */
export interface GroundPoint {
  x: number;
  y: number;
  z: number;
  localX: number;
  localZ: number;
  gradientX: number;
  gradientZ: number;
  /** Moved off its own stop by a morph, or ended a level early for a coarser neighbour. */
  moved: boolean;
}

/** What the twin places a vertex from: the numbers that the kernel's uniform holds. */
export interface TwinInput {
  hf: Heightfield;
  cut: Cut;
  tables: CutTables;
  /** Metres: x and z from the cut's corner. */
  camera: { x: number; y: number; z: number };
  lodFactor: number;
}

/** One node as the kernel sees it; `base` is the level that the loop starts at (0 is always right). */
export interface TwinNode {
  level: number;
  ix: number;
  iz: number;
  coarseMask: number;
  base?: number;
}

/** The vertex at column `i`, row `j` of `node`'s grid. */
export function terrainVertex(input: TwinInput, node: TwinNode, i: number, j: number): GroundPoint {
  const { cut } = input;
  const side = cut.nodeVerts - 1;
  const mask = node.coarseMask;
  const stitched =
    (i === 0 && (mask & 1) !== 0) ||
    (i === side && (mask & 2) !== 0) ||
    (j === 0 && (mask & 4) !== 0) ||
    (j === side && (mask & 8) !== 0);
  const last = node.level - (stitched ? 1 : 0);
  const column = node.ix * side + i;
  const row = node.iz * side + j;
  const { stops, stopOf, stopCountX, indexCountX } = input.tables;
  const finest = cut.maxLevel - node.level;
  const onEdgeX = stopOf[column << finest] === stopCountX - 1;
  const onEdgeZ = stopOf[indexCountX + (row << finest)] === stops.length / STOP_WORDS - stopCountX - 1;
  const base = node.base ?? 0;
  let q: GroundPoint = { x: 0, y: 0, z: 0, localX: 0, localZ: 0, gradientX: 0, gradientZ: 0, moved: false };
  for (let level = base; level <= last; level++) {
    const up = node.level - level;
    const rest = 2 ** up - 1;
    const atX = (column + (onEdgeX ? rest : 0)) >> up;
    const atZ = (row + (onEdgeZ ? rest : 0)) >> up;
    const p = stopPoint(input, level, atX, atZ);
    const m = level === base ? 0 : morph(input, level, atX, atZ, p.y);
    if (m < 1) q = blend(p, q, m);
    else q.moved = true;
  }
  if (stitched) q.moved = true;
  return q;
}

/** The stop that the index (column, row) of `level` stands on, with the ground's height and gradient there. */
function stopPoint({ hf, cut, tables }: TwinInput, level: number, column: number, row: number): GroundPoint {
  const shift = cut.maxLevel - level;
  const { stops, stopFloats, stopOf, stopCountX, indexCountX } = tables;
  const x = stopOf[column << shift] * STOP_WORDS;
  const z = (stopCountX + stopOf[indexCountX + (row << shift)]) * STOP_WORDS;
  const i = stopCell(stops[x + 2]);
  const j = stopCell(stops[z + 2]);
  const ground = groundAt(hf, i, j, stopFloats[x + 3], stopFloats[z + 3]);
  return {
    x: stopFloats[x],
    y: ground[0],
    z: stopFloats[z],
    localX: stopFloats[x + 1],
    localZ: stopFloats[z + 1],
    gradientX: ground[1],
    gradientZ: ground[2],
    moved: false,
  };
}

/** The texel column or row whose centre lies at or below a stop; an edge takes its outermost texel. */
const stopCell = (place: number) => (Math.max(place, 512) - 512) >> 10;

/** Height and gradient in the cell at texel (i, j), `fx` and `fz` of the way to the next texel. */
function groundAt(hf: Heightfield, i: number, j: number, fx: number, fz: number): [number, number, number] {
  const at = (column: number, row: number, channel: number) =>
    hf.cpu[(Math.min(row, hf.height - 1) * hf.width + Math.min(column, hf.width - 1)) * 4 + channel];
  if (fx === 0 && fz === 0) return [at(i, j, 0), at(i, j, 1), at(i, j, 2)];
  const height =
    fx + fz <= 1
      ? at(i, j, 0) + (at(i + 1, j, 0) - at(i, j, 0)) * fx + (at(i, j + 1, 0) - at(i, j, 0)) * fz
      : at(i + 1, j + 1, 0) +
        (at(i, j + 1, 0) - at(i + 1, j + 1, 0)) * (1 - fx) +
        (at(i + 1, j, 0) - at(i + 1, j + 1, 0)) * (1 - fz);
  const gradient = (channel: number) =>
    (at(i, j, channel) * (1 - fx) + at(i + 1, j, channel) * fx) * (1 - fz) +
    (at(i, j + 1, channel) * (1 - fx) + at(i + 1, j + 1, channel) * fx) * fz;
  return [f(height), f(gradient(1)), f(gradient(2))];
}

/** How far a vertex has gone toward the coarser level: 0 up to 0.7 of the band, 1 from (1 - 2^-11) of it on. */
function morph(
  { cut, camera, lodFactor }: TwinInput,
  level: number,
  column: number,
  row: number,
  y: number,
): number {
  const spacing = f(f(cut.root.size / (cut.nodeVerts - 1)) * 2 ** -level);
  const dx = f(Math.min(f(column * spacing), f(cut.rect.maxX - cut.rect.minX)) - f(camera.x));
  const dy = f(y - f(camera.y));
  const dz = f(Math.min(f(row * spacing), f(cut.rect.maxZ - cut.rect.minZ)) - f(camera.z));
  const d = f(Math.sqrt(f(f(f(dx * dx) + f(dy * dy)) + f(dz * dz))));
  const band = f(f(f(lodFactor) * f(cut.root.size)) * 2 ** (1 - level));
  const low = f(0.7 * band);
  const high = f((1 - 2 ** -11) * band);
  if (d <= low) return 0;
  return d >= high ? 1 : f(f(d - low) / f(high - low));
}

/** p moved by m toward q. */
function blend(p: GroundPoint, q: GroundPoint, m: number): GroundPoint {
  if (m === 0) return p;
  const mix = (a: number, b: number) => f(a + f(f(b - a) * m));
  return {
    x: mix(p.x, q.x),
    y: mix(p.y, q.y),
    z: mix(p.z, q.z),
    localX: mix(p.localX, q.localX),
    localZ: mix(p.localZ, q.localZ),
    gradientX: mix(p.gradientX, q.gradientX),
    gradientZ: mix(p.gradientZ, q.gradientZ),
    moved: true,
  };
}

/**
 * The cell (column and row of its lower texel, rims -1 and the last) that quad (i, j) of a node asks for ground: the one
 * that the middle of its corners' unmorphed, unstitched stops falls in.
 */
export function quadCell(
  { cut, tables }: Omit<TwinInput, 'camera' | 'lodFactor'>,
  node: TwinNode,
  i: number,
  j: number,
): [number, number] {
  const shift = cut.maxLevel - node.level;
  const side = cut.nodeVerts - 1;
  const near = (index: number) => index << shift;
  const place = (stop: number) => tables.stops[stop * STOP_WORDS + 2];
  const alongX = (index: number) => place(tables.stopOf[index]);
  const alongZ = (index: number) => place(tables.stopCountX + tables.stopOf[tables.indexCountX + index]);
  const middle = (a: number, b: number) => Math.floor((a + b + 1024) / 2048) - 1;
  const column = node.ix * side + i;
  const row = node.iz * side + j;
  return [
    middle(alongX(near(column)), alongX(near(column + 1))),
    middle(alongZ(near(row)), alongZ(near(row + 1))),
  ];
}
