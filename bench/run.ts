// `npm run bench [NAME …]`: every measurement, or those named, as a Markdown table. Each bounded figure is a ratio
// against something run beside it in the same process, or in pairs of processes: these say more than seconds do.
import { cpus } from 'node:os';
import type { Row } from './measurement.js';

const BENCHES: Record<string, () => Promise<{ run(): Promise<Row[]> }>> = {
  cut: () => import('./cut.js'),
  heightAt: () => import('./heightAt.js'),
  heightAtLua: () => import('./heightAtLua.js'),
  tessellation: () => import('./tessellation.js'),
  terrainMesh: () => import('./terrainMesh.js'),
  setHeights: () => import('./setHeights.js'),
  erode: () => import('./erode.js'),
  collider: () => import('./collider.js'),
  scatter: () => import('./scatter.js'),
  layers: () => import('./layers.js'),
  errorMesh: () => import('./errorMesh.js'),
  boundaries: () => import('./boundaries.js'),
  budget: () => import('./budget.js'),
  shadows: () => import('./shadows.js'),
  alpine: () => import('./alpine.js'),
  memory: () => import('./memory.js'),
  frame: () => import('./frame.js'),
  start: () => import('./start.js'),
  walk: () => import('./walk.js'),
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`bench: there is no ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}\n`);
let missed = 0;
for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
  const rows = await (await BENCHES[name]()).run();
  console.log(`### ${name}\n\n| what | measured | bound | |\n| --- | --- | --- | --- |`);
  for (const { name: what, value, bound, ok } of rows) {
    console.log(`| ${what} | ${value} | ${bound} | ${bound === '' ? '' : ok ? 'kept' : 'MISSED'} |`);
    if (!ok) missed++;
  }
  console.log('');
}
if (missed > 0) console.error(`bench: ${missed} ${missed === 1 ? 'bound was' : 'bounds were'} missed`);
process.exitCode = missed > 0 ? 1 : 0;
