// What terrain_mesh costs on this machine's adapter: 512 nodes of 33 × 33 vertices, both epilogues, against a plain fill
// of the same bytes in the same run, by GPU timestamps. And whether the bits are right there: epilogue against epilogue,
// vertex against shared vertex. `node --import ./scripts/register.mjs bench/terrainMesh.ts`
import { pathToFileURL } from 'node:url';
import { Gpu } from '../runtime/gpu/gpu.js';
import { createNodeHost } from '../runtime/host/node.js';
import { MeshStore } from '../runtime/renderer/meshStore.js';
import { VERTEX_BYTES } from '../runtime/renderer/vertex.js';
import { FieldTexels } from '../runtime/terrain/fieldTexels.js';
import { Heightfield } from '../runtime/terrain/heightfield.js';
import type { Epilogue } from '../runtime/terrain/terrainKernels.js';
import { TerrainMesh } from '../runtime/terrain/terrainMesh.js';
import { Texture } from '../runtime/texture/texture.js';
import { makeFills, timeEach } from './gpuTimes.js';
import { median, type Row } from './measurement.js';

const NODES = 512;
const NODE_VERTS = 33;
/** Times a plain fill of the same bytes, on a GPU. A first trial reached 1.65. */
const MOST_RATIO = 1.7;

/** Rolling ground, a metre a texel, with true gradients. */
function makeField(side: number): Heightfield {
  const texels = new Float32Array(side * side * 4);
  const wave = (i: number) => 30 * Math.sin(i / 61) + 4 * Math.sin(i / 7);
  const slope = (i: number) => (30 / 61) * Math.cos(i / 61) + (4 / 7) * Math.cos(i / 7);
  const heights = Float32Array.from({ length: side }, (_, i) => wave(i));
  const slopes = Float32Array.from({ length: side }, (_, i) => slope(i));
  for (let j = 0, at = 0; j < side; j++) {
    for (let i = 0; i < side; i++, at += 4) {
      texels[at] = heights[i] + heights[j];
      texels[at + 1] = slopes[i];
      texels[at + 2] = slopes[j];
      texels[at + 3] = 1;
    }
  }
  const readAgain = () => Promise.reject(new Error('bench/terrainMesh: nothing to read again'));
  return Heightfield.fromTexture(
    new Texture(side, side, 'rgba32f', texels),
    { size: [side, side] },
    readAgain,
  );
}

/** The pool's used words. */
async function bitsOf(mesh: TerrainMesh): Promise<Uint32Array> {
  const slots = mesh.nodes().reduce((most, { slot }) => Math.max(most, slot + 1), 0);
  return mesh.vertexBuffer.read({ count: (slots * mesh.nodeVerts ** 2 * VERTEX_BYTES) / 4, type: 'u32' });
}

/** Vertices that two nodes of one level share along their edges: how many, and how many differ in a bit. */
function shared(mesh: TerrainMesh, bits: Uint32Array): { compared: number; different: number } {
  const words = VERTEX_BYTES / 4;
  const n = mesh.nodeVerts - 1;
  const first = (slot: number, i: number, j: number) =>
    ((slot * mesh.nodeVerts + j) * mesh.nodeVerts + i) * words;
  const nodes = mesh.nodes();
  const byPlace = new Map(nodes.map((node) => [`${node.level},${node.ix},${node.iz}`, node]));
  let [compared, different] = [0, 0];
  const compare = (a: number, b: number) => {
    compared++;
    for (let word = 0; word < words; word++) if (bits[a + word] !== bits[b + word]) return void different++;
  };
  for (const node of nodes) {
    const east = byPlace.get(`${node.level},${node.ix + 1},${node.iz}`);
    const south = byPlace.get(`${node.level},${node.ix},${node.iz + 1}`);
    for (let k = 0; k <= n; k++) {
      if (east) compare(first(node.slot, n, k), first(east.slot, 0, k));
      if (south) compare(first(node.slot, k, n), first(south.slot, k, 0));
    }
    // Across to a coarser neighbour: the stitched edge is the neighbour's own polyline.
    const sides = [
      { bit: 1, dx: -1, dz: 0 },
      { bit: 2, dx: 1, dz: 0 },
      { bit: 4, dx: 0, dz: -1 },
      { bit: 8, dx: 0, dz: 1 },
    ];
    for (const { bit, dx, dz } of sides) {
      if ((node.coarseMask & bit) === 0) continue;
      const over = byPlace.get(`${node.level - 1},${(node.ix + dx) >> 1},${(node.iz + dz) >> 1}`);
      if (!over) continue;
      for (let k = 0; k <= n; k++) {
        const [i, j] = dx !== 0 ? [dx < 0 ? 0 : n, k] : [k, dz < 0 ? 0 : n];
        const column = dx !== 0 ? (dx < 0 ? n : 0) : ((node.ix * n + k) >> 1) - over.ix * n;
        const row = dz !== 0 ? (dz < 0 ? n : 0) : ((node.iz * n + k) >> 1) - over.iz * n;
        compare(first(node.slot, i, j), first(over.slot, column, row));
      }
    }
  }
  return { compared, different };
}

export async function run(): Promise<Row[]> {
  const host = createNodeHost({ project: '.' });
  const gpu = await Gpu.open(await host.requestAdapter());
  const rows: Row[] = [];
  const side = gpu.software ? 1024 : 4096;
  const hf = makeField(side);
  FieldTexels.attach(gpu, hf);
  const meshes = new MeshStore(gpu);
  const renderer = { meshes, countDispatch: () => {} };
  const name = gpu.info.description || gpu.info.architecture || gpu.info.vendor;
  const camera = { x: 13, y: 60, z: -27 };
  const build = (epilogue: Epilogue) =>
    TerrainMesh.create({ gpu, renderer }, hf, {
      camera,
      maxNodes: NODES,
      nodeVerts: NODE_VERTS,
      lodFactor: 8,
      epilogue,
    });
  const terrains = gpu.software ? [await build('direct')] : [await build('direct'), await build('staged')];
  const nodes = terrains[0].nodes();
  const bytes = nodes.length * NODE_VERTS ** 2 * VERTEX_BYTES;
  const { runs: fills, free } = await makeFills(gpu, bytes);

  const kernels = [
    ...terrains.map((terrain) => ({ label: terrain.epilogue as string, start: () => terrain.build(nodes) })),
    ...fills.map((start, at) => ({ label: ['fill_words', 'fill_vectors'][at], start })),
  ];
  const again = await timeEach(gpu, kernels, true);
  const afresh = await timeEach(gpu, kernels, false);
  const fillOf = (times: Map<string, number[]>) =>
    Math.min(median(times.get('fill_words')!), median(times.get('fill_vectors')!));
  const us = (ns: number) => `${(ns / 1000).toFixed(1)} µs`;
  const megabytes = (bytes / 1e6).toFixed(1);
  for (const [how, times] of [
    ['run after run', again],
    ['after another 128 MiB', afresh],
  ] as const) {
    const fill = fillOf(times);
    const by = (label: string) => us(median(times.get(label)!));
    rows.push({
      name: `fill of ${megabytes} MB on ${name}, ${how}`,
      value: `${by('fill_words')} by words, ${by('fill_vectors')} by vectors`,
      bound: '',
      ok: true,
    });
    for (const { epilogue } of terrains) {
      const ratio = median(times.get(epilogue)!) / fill;
      const judged = epilogue === 'staged';
      rows.push({
        name: `terrain_mesh_${epilogue}, ${nodes.length} nodes of ${NODE_VERTS}² from ${side}², ${how}`,
        value: `${by(epilogue)}, ${ratio.toFixed(2)} fills`,
        bound: judged ? `at most ${MOST_RATIO} fills` : '',
        ok: !judged || (ratio <= MOST_RATIO && nodes.length >= 500),
      });
    }
  }

  const bits = await Promise.all(terrains.map(bitsOf));
  const { compared, different } = shared(terrains[0], bits[0]);
  rows.push({
    name: 'vertices shared by two nodes, bit for bit',
    value: `${different} of ${compared} differ`,
    bound: '0',
    ok: different === 0 && compared > 1000,
  });
  if (bits.length === 2) {
    let off = 0;
    for (let at = 0; at < bits[0].length; at++) if (bits[0][at] !== bits[1][at]) off++;
    rows.push({
      name: 'direct and staged, words that differ',
      value: `${off} of ${bits[0].length}`,
      bound: '0',
      ok: off === 0,
    });
  }

  free();
  for (const terrain of terrains) terrain.destroy();
  hf.close();
  await gpu.destroy();
  host.close();
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
