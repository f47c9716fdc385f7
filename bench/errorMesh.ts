// The error-driven mesh against its peers, in one process: ground without a camera against @mapbox/martini and delatin at the error that each truly
// reaches, the table of errors, and updates for a camera that moves. `node --import ./scripts/register.mjs bench/errorMesh.ts`
// Milliseconds are processor time, the least of rounds that take turns: other work on the machine does not count.
import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import Martini from '@mapbox/martini';
import Delatin from 'delatin';
import { ErrorCut } from '../runtime/errorMesh/errorCut.js';
import { ErrorRun } from '../runtime/errorMesh/errorRun.js';
import { ErrorTree } from '../runtime/errorMesh/errorTree.js';
import { ErrorView } from '../runtime/errorMesh/errorView.js';
import { simplify } from '../runtime/errorMesh/simplify.js';
import { StopLattice } from '../runtime/errorMesh/stopLattice.js';
import { fromTexture, type FromTextureOptions } from '../runtime/terrain/fromTexture.js';
import type { Ground } from '../runtime/terrain/ground.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { noise } from '../runtime/terrain/noise.js';
import { toTexture } from '../runtime/terrain/toTexture.js';
import { decodePng } from '../runtime/texture/png.js';
import { median, type Row } from './measurement.js';

const METRES = [0.5, 1, 2, 5, 10];
const ROUNDS = 5;
/** Steps of a camera that moves 5 m a frame, and how many are timed as one. */
const STEPS = 400;
const WINDOW = 20;
const DATA = new URL('../../shared/data/', import.meta.url);

/** Heights on a square grid of 2^n + 1, as martini takes them. */
interface Grid {
  side: number;
  heights: Float32Array;
}

interface Field {
  name: string;
  hf: Heightfield;
  /** The same ground for the peers: the lattice of stops where it is a power of two and one, else the texels with their last row and column twice. */
  grid: Grid;
}

/** What a peer makes: vertices as x, y in turn. */
interface PeerMesh {
  vertices: ArrayLike<number>;
  triangles: ArrayLike<number>;
}

function fieldOf(name: string, ground: Ground): Field {
  const hf = Heightfield.fromTexture(toTexture(ground));
  const lattice = new StopLattice(hf);
  if (Number.isInteger(Math.log2(lattice.cols - 1)))
    return { name, hf, grid: { side: lattice.cols, heights: lattice.heights } };
  const side = ground.width + 1;
  const heights = new Float32Array(side * side);
  for (let j = 0; j < side; j++)
    for (let i = 0; i < side; i++)
      heights[j * side + i] =
        ground.heights[Math.min(j, ground.height - 1) * ground.width + Math.min(i, ground.width - 1)];
  return { name, hf, grid: { side, heights } };
}

function fields(): Field[] {
  const found = [
    fieldOf('noise 1025²', noise({ width: 1023, height: 1023, amplitude: 120, frequency: 4, seed: 5 })),
  ];
  const files: [string, string, FromTextureOptions][] = [
    ['panda 1024²', 'panda_1024_gray16.png', { encoding: 'gray', range: [0, 250] }],
    ['San Francisco 512²', 'sanfrancisco_512_terrainrgb.png', { encoding: 'mapbox' }],
  ];
  for (const [name, file, options] of files) {
    const path = new URL(file, DATA);
    if (!existsSync(path))
      console.error(`bench/errorMesh: ${name} is left out, there is no ${path.pathname}`);
    else found.push(fieldOf(name, fromTexture(decodePng(readFileSync(path), file), options)));
  }
  return found;
}

/** Processor time of `work`, ms, and what it made. */
function timed<T>(work: () => T): { ms: number; made: T } {
  const before = process.cpuUsage();
  const made = work();
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1000, made };
}

/** Metres: the farthest point of a grid from a mesh over it. */
function trueError({ side, heights }: Grid, { vertices, triangles }: PeerMesh): number {
  let most = 0;
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [2 * triangles[k], 2 * triangles[k + 1], 2 * triangles[k + 2]];
    const [ax, ay] = [vertices[a], vertices[a + 1]];
    const [bx, by] = [vertices[b] - ax, vertices[b + 1] - ay];
    const [cx, cy] = [vertices[c] - ax, vertices[c + 1] - ay];
    const area = bx * cy - cx * by;
    const ha = heights[ay * side + ax];
    const hb = heights[(ay + by) * side + ax + bx] - ha;
    const hc = heights[(ay + cy) * side + ax + cx] - ha;
    for (let y = Math.min(0, by, cy); y <= Math.max(0, by, cy); y++) {
      for (let x = Math.min(0, bx, cx); x <= Math.max(0, bx, cx); x++) {
        const v = (x * cy - cx * y) / area;
        const w = (bx * y - x * by) / area;
        if (v < 0 || w < 0 || v + w > 1) continue;
        most = Math.max(most, Math.abs(ha + v * hb + w * hc - heights[(ay + y) * side + ax + x]));
      }
    }
  }
  return most;
}

/** The bound to state so that martini's true error is at most `metres`, to a thousandth of it. */
function statedBound(grid: Grid, tile: { getMesh(maxError: number): PeerMesh }, metres: number): number {
  let [low, high] = [0, metres];
  if (trueError(grid, tile.getMesh(high)) <= metres) return high;
  for (let k = 0; k < 10; k++) {
    const middle = (low + high) / 2;
    if (trueError(grid, tile.getMesh(middle)) <= metres) low = middle;
    else high = middle;
  }
  return low;
}

const count = new Intl.NumberFormat('en').format;

function simplifyRows({ name, hf, grid }: Field): Row[] {
  const martini = new Martini(grid.side);
  const tile = martini.createTile(grid.heights);
  const rows: Row[] = [];
  for (const metres of METRES) {
    const stated = statedBound(grid, tile, metres);
    const least = { ours: Infinity, tile: Infinity, mesh: Infinity, delatin: Infinity };
    const triangles = { ours: 0, martini: 0, delatin: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const ours = timed(() => simplify(hf, metres));
      const fresh = timed(() => martini.createTile(grid.heights));
      const mesh = timed(() => fresh.made.getMesh(stated));
      least.ours = Math.min(least.ours, ours.ms);
      least.tile = Math.min(least.tile, fresh.ms);
      least.mesh = Math.min(least.mesh, mesh.ms);
      triangles.ours = ours.made.indices.length / 3;
      triangles.martini = mesh.made.triangles.length / 3;
      if (round > 1) continue;
      const delatin = timed(() => {
        const made = new Delatin(grid.heights, grid.side, grid.side);
        made.run(metres);
        return made;
      });
      least.delatin = Math.min(least.delatin, delatin.ms);
      triangles.delatin = delatin.made.triangles.length / 3;
    }
    const { ours, martini: theirs, delatin } = triangles;
    rows.push({
      name: `${name}, every texel within ${metres} m: triangles`,
      value: `${count(ours)}; martini ${count(theirs)} (asked for ${stated.toFixed(2)} m), delatin ${count(delatin)}: ${(ours / theirs).toFixed(2)} and ${(ours / delatin).toFixed(2)} of theirs`,
      bound: 'fewer than martini, at most 2 delatin',
      ok: ours <= theirs && ours <= 2 * delatin,
    });
    rows.push({
      name: `${name}, every texel within ${metres} m: time`,
      value: `${least.ours.toFixed(1)} ms; martini ${(least.tile + least.mesh).toFixed(1)} (its tile ${least.tile.toFixed(1)}, its mesh ${least.mesh.toFixed(1)}), delatin ${least.delatin.toFixed(1)}`,
      bound: 'at most martini, tile and mesh',
      ok: least.ours <= least.tile + least.mesh,
    });
  }
  return rows;
}

/** The table of errors against martini's. */
function tableRow({ name, hf, grid }: Field): Row {
  const martini = new Martini(grid.side);
  let [ours, theirs] = [Infinity, Infinity];
  for (let round = 0; round < ROUNDS; round++) {
    ours = Math.min(ours, timed(() => new ErrorTree(new StopLattice(hf))).ms);
    theirs = Math.min(theirs, timed(() => martini.createTile(grid.heights)).ms);
  }
  return {
    name: `${name}, table of errors`,
    value: `${(ours / theirs).toFixed(2)} of martini's tile (${ours.toFixed(1)} and ${theirs.toFixed(1)} ms)`,
    bound: 'at most 3',
    ok: ours <= 3 * theirs,
  };
}

/** Updates for a camera that moves 5 m a frame, 30 m over the ground, turning. */
function updateRow(tree: ErrorTree, hf: Heightfield, percent: number): Row {
  const cut = new ErrorCut(tree);
  const run = new ErrorRun(cut);
  const view = new ErrorView();
  const ms: number[] = [];
  let [triangles, rebuilt, units] = [0, 0, 0];
  const go = (step: number) => {
    const turn = (step * 5) / 300;
    const [x, z] = [300 * Math.sin(turn), 300 * Math.cos(turn)];
    view.setCamera(
      'bench',
      {
        position: { x, y: hf.heightAt(x, z) + 30, z },
        forward: { x: Math.cos(turn), y: -0.15, z: -Math.sin(turn) },
        up: { x: 0, y: 1, z: 0 },
        ...{ fovY: 60, aspect: 16 / 9, near: 0.1 },
      },
      1080,
    );
    cut.select(view, percent, { hidden: 4 });
    if (cut.changed) run.build();
    triangles += run.seen.count / 3 / STEPS;
    if (cut.changed) rebuilt += run.rebuilt;
    units += run.units;
  };
  for (let step = -100; step < 0; step++) go(step);
  triangles = rebuilt = units = 0;
  for (let step = 0; step < STEPS; step += WINDOW) {
    const { ms: taken } = timed(() => {
      for (let k = 0; k < WINDOW; k++) go(step + k);
    });
    ms.push(taken / WINDOW);
  }
  return {
    name: `update over 1025² for a camera that moves 5 m a frame, ${percent} percent`,
    value: `${median(ms).toFixed(2)} ms, ${count(Math.round(triangles))} triangles, ${((100 * rebuilt) / units).toFixed(0)} % of the squares built again`,
    bound: percent >= 1 ? 'at most 2 ms' : '',
    ok: percent < 1 || median(ms) <= 2,
  };
}

/** The article's setting: 1024² cells, seen from one side. */
function articleRows(tree: ErrorTree): Row[] {
  const cut = new ErrorCut(tree);
  const run = new ErrorRun(cut);
  const view = new ErrorView();
  const { nodes, lattice } = tree;
  view.setCamera(
    'bench',
    {
      position: { x: 0, y: 90 + lattice.heights[700 * lattice.cols + 512], z: 190 },
      forward: { x: 0.1, y: -0.25, z: -1 },
      up: { x: 0, y: 1, z: 0 },
      ...{ fovY: 45, aspect: 4 / 3, near: 1 },
    },
    768,
  );
  const triangles = (percent: number, cull = true) => {
    cut.select(view, percent, { cull });
    run.build();
    return run.seen.count / 3;
  };
  const whole = triangles(0, false);
  const culled = triangles(0);
  const row = (name: string, value: string): Row => ({ name, value, bound: '', ok: true });
  return [
    row(
      `the article's setting, ${nodes.cellsX} × ${nodes.cellsZ} cells: all; in the view`,
      `${count(whole)}; ${count(culled)} (the article: 2,097,152; 362,670)`,
    ),
    row(
      'the same with an error of at most 0.1, 0.5, 1, 3, 8 percent',
      [0.1, 0.5, 1, 3, 8].map((percent) => count(triangles(percent))).join(', '),
    ),
  ];
}

export async function run(): Promise<Row[]> {
  const all = fields();
  const rows = all.flatMap(simplifyRows);
  rows.push(...all.map(tableRow));
  const tree = new ErrorTree(new StopLattice(all[0].hf));
  for (const percent of [0.1, 0.5, 1, 3]) rows.push(updateRow(tree, all[0].hf, percent));
  rows.push(...articleRows(tree));
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const { name, value, ok } of await run()) console.log(ok ? 'kept  ' : 'MISSED', name, '|', value);
