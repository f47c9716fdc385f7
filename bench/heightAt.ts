// What hf.heightAt costs from TypeScript, against a bare branch-free lookup of the same two triangles over the same
// texels in the same process. `node --import ./scripts/register.mjs bench/heightAt.ts`
import { pathToFileURL } from 'node:url';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { Texture } from '../runtime/texture/texture.js';
import { median, type Row } from './measurement.js';

const SIDE = 1024;
const QUERIES = 1 << 16;
const ROUNDS = 61;
const MOST_RATIO = 1.5;

function makeField(): Heightfield {
  const texels = new Float32Array(SIDE * SIDE * 4);
  for (let texel = 0; texel < SIDE * SIDE; texel++) {
    const [i, j] = [texel % SIDE, Math.floor(texel / SIDE)];
    texels.set(
      [40 * Math.sin(i / 50) * Math.cos(j / 70) + ((i * 7919 + j * 104729) % 97) / 97, 0, 0, 1],
      texel * 4,
    );
  }
  return Heightfield.fromTexture(new Texture(SIDE, SIDE, 'rgba32f', texels), { size: [2048, 2048] });
}

/** The least that answers a place inside the field: no ends, no checks, no stops. */
function bare(
  texels: Float32Array,
  width: number,
  minX: number,
  minZ: number,
  perX: number,
  perZ: number,
  points: Float64Array,
): number {
  let sum = 0;
  for (let k = 0; k < points.length; k += 2) {
    const u = (points[k] - minX) * perX - 0.5;
    const v = (points[k + 1] - minZ) * perZ - 0.5;
    const i = u | 0;
    const j = v | 0;
    const fx = u - i;
    const fz = v - j;
    const at = (j * width + i) * 4;
    const h00 = texels[at];
    const h10 = texels[at + 4];
    const h01 = texels[at + width * 4];
    const h11 = texels[at + width * 4 + 4];
    // Both triangles as one sum: level at their common diagonal, bent past it by what is over 1.
    const side = fx + fz - 1;
    const over = (side + Math.abs(side)) * 0.5;
    sum += h00 + (h10 - h00) * fx + (h01 - h00) * fz + (h00 - h10 - h01 + h11) * over;
  }
  return sum;
}

function asked(hf: Heightfield, points: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < points.length; k += 2) sum += hf.heightAt(points[k], points[k + 1]);
  return sum;
}

/** Random places, or a walk in small steps, all inside the outermost texel centres. */
function places(walk: boolean): Float64Array {
  const points = new Float64Array(QUERIES * 2);
  let [x, z] = [0, 0];
  let state = 1;
  const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32;
  for (let k = 0; k < QUERIES; k++) {
    const wrap = (place: number) => (Math.abs(place) > 1000 ? 0 : place);
    [x, z] = walk
      ? [wrap(x + random() - 0.4), wrap(z + random() - 0.45)]
      : [2000 * random() - 1000, 2000 * random() - 1000];
    points[2 * k] = x;
    points[2 * k + 1] = z;
  }
  return points;
}

export async function run(): Promise<Row[]> {
  const hf = makeField();
  const rows = [];
  for (const walk of [false, true]) {
    const points = places(walk);
    const bareNs: number[] = [];
    const askedNs: number[] = [];
    const ratios: number[] = [];
    let difference = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      const a = bare(hf.cpu, SIDE, hf.minX, hf.minZ, SIDE / 2048, SIDE / 2048, points);
      const between = performance.now();
      const b = asked(hf, points);
      const end = performance.now();
      difference = Math.abs(a - b) / QUERIES;
      if (round < 10) continue;
      bareNs.push(((between - start) * 1e6) / QUERIES);
      askedNs.push(((end - between) * 1e6) / QUERIES);
      ratios.push((end - between) / (between - start));
    }
    if (difference > 1e-9) throw new Error(`bench/heightAt: the two disagree by ${difference} m a query`);
    const ratio = median(ratios);
    rows.push({
      name: `heightAt, ${walk ? 'a walk' : 'random places'}, against a bare lookup`,
      value: `${ratio.toFixed(2)}x (${median(askedNs).toFixed(1)} ns, bare ${median(bareNs).toFixed(1)} ns)`,
      bound: `at most ${MOST_RATIO}x`,
      ok: ratio <= MOST_RATIO,
    });
  }
  rows.push(allocation(hf));
  hf.close();
  return rows;
}

/** Bytes of heap that a query leaves; garbage made and collected within the loop would show as well, at 16 bytes a number. */
function allocation(hf: Heightfield) {
  const points = places(true);
  for (let k = 0; k < 20; k++) asked(hf, points);
  const before = process.memoryUsage().heapUsed;
  for (let k = 0; k < 20; k++) asked(hf, points);
  const bytes = (process.memoryUsage().heapUsed - before) / (20 * QUERIES);
  return {
    name: 'heightAt, heap a query',
    value: `${bytes.toFixed(3)} bytes`,
    bound: 'under 0.1',
    ok: bytes < 0.1,
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
