// Writes examples/source/maunga-whau.png from the heights of the npm package vega-datasets. Run by hand, once:
//   node scripts/volcano.mjs
// The file's numbers are metres × 300, so that `encoding = "gray", range = { 0, 218.45 }` gives the whole metres back
// exactly (65535 / 300 = 218.45), and no reader takes it for 8 bits made wider. The same input gives the same bytes.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { encode } from 'fast-png';

const STEPS_PER_METRE = 300;
const [WIDTH, HEIGHT] = [87, 61];

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const { width, height, values } = JSON.parse(
  readFileSync(at('node_modules/vega-datasets/data/volcano.json'), 'utf8'),
);
if (width !== WIDTH || height !== HEIGHT || values.length !== WIDTH * HEIGHT)
  throw new Error(
    `volcano.json must hold ${WIDTH}×${HEIGHT} heights, got ${width}×${height}, ${values.length}`,
  );

const data = Uint16Array.from(values, (metres) => metres * STEPS_PER_METRE);
const target = at('examples/source/maunga-whau.png');
writeFileSync(target, encode({ width, height, channels: 1, depth: 16, data }));
console.log(`${target}: ${width}×${height}, ${Math.min(...values)}..${Math.max(...values)} m`);
