// What a cut costs: selected, balanced, matched with the last one and diffed, along the way of a moving camera, over
// fields of 1k² to 8k² texels. `node --import ./scripts/register.mjs bench/cut.ts`
import { pathToFileURL } from 'node:url';
import { Cut } from '../runtime/terrain/cut.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { Texture } from '../runtime/texture/texture.js';
import { median, type Row } from './measurement.js';

const SIDES = [1024, 2048, 4096, 8192];
const POOL = 512;
const MOST_MS = 0.1;
/** A cut that fills the pool counts as one of 512 nodes. */
const FULL = 500;
const STEPS = 1500;
const WARM = 500;
const WINDOWS = 15;

/** Rolling ground, a metre a texel. */
function makeField(side: number): Heightfield {
  const texels = new Float32Array(side * side * 4);
  const wave = Float32Array.from({ length: side }, (_, i) => 30 * Math.sin(i / 61) + 4 * Math.sin(i / 7));
  for (let j = 0, at = 0; j < side; j++) {
    for (let i = 0; i < side; i++, at += 4) {
      texels[at] = wave[i] + wave[(j + 300) % side];
      texels[at + 3] = 1;
    }
  }
  // Not kept for a refresh: the heightfield's own copy is then the only one.
  const readAgain = () => Promise.reject(new Error('bench/cut: nothing to read again'));
  return Heightfield.fromTexture(
    new Texture(side, side, 'rgba32f', texels),
    { size: [side, side] },
    readAgain,
  );
}

/** A walk of 2 m steps, turning, some 20 m over the ground around the middle. */
function camera(step: number, reach: number, out: { x: number; y: number; z: number }): void {
  const turn = step / 160;
  out.x = reach * Math.sin(turn) * Math.cos(turn / 3.7);
  out.y = 40 + 25 * Math.sin(turn * 1.3);
  out.z = reach * Math.cos(turn * 0.9);
}

/** Median ms of a select, mean nodes and the share of changed cuts along the walk; bytes of heap left by a call. */
function walk(cut: Cut, reach: number) {
  const at = { x: 0, y: 0, z: 0 };
  const ms = new Float64Array(STEPS);
  let nodes = 0;
  let changed = 0;
  for (let step = 0; step < WARM; step++) {
    camera(step, reach, at);
    cut.select(at);
  }
  for (let step = 0; step < STEPS; step++) {
    camera(WARM + step, reach, at);
    const start = performance.now();
    const answer = cut.select(at);
    ms[step] = performance.now() - start;
    nodes += cut.count;
    if (answer.changed) changed++;
  }
  // In windows, of which the middle one counts: a collection in one, or code that V8 makes, is no call's own.
  const windows = Array.from({ length: WINDOWS }, () => 0);
  for (let step = WARM + STEPS, window = 0; window < WINDOWS; window++) {
    const before = process.memoryUsage().heapUsed;
    for (const end = step + STEPS / 5; step < end; step++) {
      camera(step, reach, at);
      cut.select(at);
    }
    windows[window] = (process.memoryUsage().heapUsed - before) / (STEPS / 5);
  }
  const bytes = median(windows);
  return { ms: median(ms), nodes: nodes / STEPS, changed: changed / STEPS, bytes };
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const perNode: number[] = [];
  for (const side of SIDES) {
    const hf = makeField(side);
    const start = performance.now();
    const cut = new Cut({ hf, maxNodes: POOL, lodFactor: 6 });
    const made = performance.now() - start;
    const { ms, nodes, changed, bytes } = walk(cut, 300);
    perNode.push((ms * 1000) / nodes);
    rows.push({
      name: `cut of ${side}² texels, ${nodes.toFixed(0)} nodes`,
      value:
        `${(ms * 1000).toFixed(1)} µs (${((ms * 1000) / nodes).toFixed(3)} µs a node, ` +
        `${(100 * changed).toFixed(0)} % of cuts changed; made in ${made.toFixed(0)} ms)`,
      bound: `at most ${MOST_MS * 1000} µs`,
      ok: ms <= MOST_MS && nodes >= FULL,
    });
    rows.push({
      name: `cut of ${side}² texels, heap a call`,
      value: `${bytes.toFixed(1)} bytes`,
      bound: 'under 64',
      ok: bytes < 64,
    });
    if (side === SIDES[0]) {
      for (const maxNodes of [64, 128, 256, 1024, 2048]) {
        const other = walk(new Cut({ hf, maxNodes, lodFactor: 30, nodeVerts: 17 }), 300);
        rows.push({
          name: `cut of ${side}² texels, ${other.nodes.toFixed(0)} nodes`,
          value: `${(other.ms * 1000).toFixed(1)} µs (${((other.ms * 1000) / other.nodes).toFixed(3)} µs a node)`,
          bound: 'in step with the nodes',
          ok: true,
        });
      }
    }
    hf.close();
  }
  const growth = perNode[perNode.length - 1] / perNode[0];
  rows.push({
    name: `cut, time a node at ${SIDES.at(-1)}² over that at ${SIDES[0]}²`,
    value: `${growth.toFixed(2)}x for ${(SIDES.at(-1)! / SIDES[0]) ** 2} times the texels`,
    bound: 'at most 2x',
    ok: growth <= 2,
  });
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
