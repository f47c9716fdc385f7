// What an edit costs: 64 × 64 texels of a field of 2048², end to end with the GPU's copy and a standing mesh, against the
// bytes it must touch (a plain copy and a plain upload of the same texels) in the same run, in rounds that take turns.
// `node --import ./scripts/register.mjs bench/setHeights.ts`
import { pathToFileURL } from 'node:url';
import { Gpu } from '../runtime/gpu/gpu.js';
import { createNodeHost } from '../runtime/host/node.js';
import { MeshStore } from '../runtime/renderer/meshStore.js';
import { Cut } from '../runtime/terrain/cut.js';
import { FieldTexels } from '../runtime/terrain/fieldTexels.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import { TerrainMesh } from '../runtime/terrain/terrainMesh.js';
import { Texture } from '../runtime/texture/texture.js';
import { median, type Row } from './measurement.js';

const SIDE = 2048;
const EDIT = 64;
/** The texels that change: the edited ones, and one more on each side for their gradients. */
const TOUCHED = EDIT + 2;
const ROUNDS = 200;
const WARM = 60;
/** Times reading everything again: the whole pass over 2048² texels that an edit saves. */
const MOST_SHARE = 1 / 20;

function makeField(): Heightfield {
  const texels = new Float32Array(SIDE * SIDE * 4);
  for (let j = 0, at = 0; j < SIDE; j++)
    for (let i = 0; i < SIDE; i++, at += 4) {
      texels[at] = 30 * Math.sin(i / 61) + 20 * Math.cos(j / 47);
      texels[at + 3] = 1;
    }
  return Heightfield.fromTexture(new Texture(SIDE, SIDE, 'rgba32f', texels), { size: [SIDE, SIDE] });
}

/** The first column and row of round `k`: around the middle, where the camera of the mesh is. */
const placeOf = (k: number) => ({ col: 990 + ((k * 37) % 90), row: 990 + ((k * 53) % 90) });

/** Median ms of each of `works`, in rounds that take turns. */
async function timeEach(works: ((round: number) => void | Promise<unknown>)[]): Promise<number[]> {
  const times = works.map(() => [] as number[]);
  for (let round = 0; round < WARM + ROUNDS; round++) {
    for (let k = 0; k < works.length; k++) {
      const start = performance.now();
      const done = works[k](round);
      if (done) await done;
      if (round >= WARM) times[k].push(performance.now() - start);
    }
  }
  return times.map(median);
}

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter());
  const { queue } = gpu.device;
  const [bare, drawn] = [makeField(), makeField()];
  FieldTexels.attach(gpu, drawn);
  const renderer = { meshes: new MeshStore(gpu), countDispatch: () => {} };
  const camera = { x: 13, y: 60, z: -27 };
  const mesh = await TerrainMesh.create({ gpu, renderer }, drawn, { camera });
  const cut = new Cut({ hf: bare });

  const copy = new Float32Array(SIDE * SIDE * 4);
  const target = gpu.createBuffer('plain copy', copy.byteLength, GPUBufferUsage.COPY_DST);
  const patches = [0, 1].map((n) =>
    Float32Array.from({ length: EDIT * EDIT }, (_, k) => 10 + n + 5 * Math.sin(k / 40)),
  );
  const plain = (round: number, upload: boolean) => {
    const { col, row } = placeOf(round);
    for (let j = 0; j < TOUCHED; j++) {
      const first = ((row - 1 + j) * SIDE + col - 1) * 4;
      const texels = drawn.cpu.subarray(first, first + TOUCHED * 4) as Float32Array<ArrayBuffer>;
      copy.set(texels, first);
      if (upload) queue.writeBuffer(target, first * 4, texels);
    }
  };
  const edit = (hf: Heightfield, round: number) => {
    const { col, row } = placeOf(round);
    hf.setHeights(col, row, EDIT, EDIT, patches[round % 2]);
  };
  const area = { cols: EDIT, rows: EDIT };
  let [remeshed, edits] = [0, 0];
  const [copied, set, bounded, reset, uploaded, whole, uploadedDone, wholeDone] = await timeEach([
    (round) => plain(round, false),
    (round) => edit(bare, round),
    (round) => cut.edited({ ...placeOf(round), ...area }),
    () => cut.reset(),
    (round) => plain(round, true),
    (round) => {
      edit(drawn, round);
      remeshed += mesh.stats().remeshed;
      edits++;
    },
    (round) => (plain(round, true), queue.onSubmittedWorkDone()),
    (round) => (edit(drawn, round + 1), queue.onSubmittedWorkDone()),
  ]);
  const us = (ms: number) => `${(1000 * ms).toFixed(1)} µs`;
  const against = (ms: number, least: number) => `${us(ms)}, ${(ms / least).toFixed(1)} times`;
  const kilobytes = ((TOUCHED * TOUCHED * 16) / 1024).toFixed(0);
  const name = gpu.info.description || gpu.info.architecture || gpu.info.vendor;
  const none = { bound: '', ok: true };
  const rows: Row[] = [
    { name: `plain copy of ${TOUCHED}² texels (${kilobytes} KiB) on the CPU`, value: us(copied), ...none },
    { name: `setHeights of ${EDIT}² texels in ${SIDE}², pixels alone`, value: against(set, copied), ...none },
    {
      name: `bounds of the cut's nodes after it, against reading all again (${us(reset)})`,
      value: `${us(bounded)}, ${(bounded / reset).toFixed(4)} of it`,
      bound: `at most ${MOST_SHARE}`,
      ok: bounded / reset <= MOST_SHARE,
    },
    { name: `the plain copy, uploaded as well, on ${name}`, value: us(uploaded), ...none },
    {
      name: `setHeights with the GPU's copy and a mesh of ${mesh.nodes().length} nodes, ${(remeshed / edits).toFixed(1)} of them built`,
      value: against(whole, uploaded),
      ...none,
    },
    { name: 'the plain upload until the GPU is done', value: us(uploadedDone), ...none },
    { name: 'setHeights until the GPU is done', value: against(wholeDone, uploadedDone), ...none },
  ];
  mesh.destroy();
  drawn.close();
  bare.close();
  gpu.free(target);
  await gpu.destroy();
  host.close();
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
