// What ground costs in memory, and that it does not grow: bytes a texel on both carriers, 1,000 fields opened and closed,
// 1,000 frames of a moving camera. `node --import ./scripts/register.mjs bench/memory.ts`
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pathToFileURL } from 'node:url';
import { createNodeHost } from '../runtime/host/node.js';
import { Runtime } from '../runtime/runtime.js';
import { FieldTexels } from '../runtime/terrain/fieldTexels.js';
import { noise } from '../runtime/terrain/noise.js';
import { toTexture } from '../runtime/terrain/toTexture.js';
import { openHeightfield } from '../runtime/terrain/terrainHeightfield.js';
import { TerrainMesh } from '../runtime/terrain/terrainMesh.js';
import { Texture } from '../runtime/texture/texture.js';
import type { Row } from './measurement.js';

const SIDE = 512;
const ROUNDS = 1000;
/** Heap and buffers that may come and go with the garbage collector's mood, bytes. */
const SLACK = 4 * 2 ** 20;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of heap and buffers that live after a collection. */
async function live(): Promise<number> {
  for (let pass = 0; pass < 3; pass++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export async function run(): Promise<Row[]> {
  const rows: Row[] = [];
  const host = createNodeHost({ project: '.' });
  const runtime = await Runtime.create({ host, width: 16, height: 9 });
  const { gpu } = runtime;
  const texture = toTexture(noise({ width: SIDE, height: SIDE, amplitude: 30, seed: 1 }));
  const holes = Texture.create({
    width: SIDE,
    height: SIDE,
    format: 'r8',
    data: (i, j) => ((i ^ j) & 63 ? 255 : 0),
  });

  const before = gpu.bytes;
  const hf = await openHeightfield(runtime, texture, { holes });
  const field = FieldTexels.of(hf, 'bench/memory');
  const texels = SIDE * SIDE;
  const each = {
    'heights on the CPU': [hf.cpu.byteLength / texels, 16],
    'heights on the GPU': [field.texels.byteLength / texels, 16],
    'holes on the CPU': [hf.mask!.data.byteLength / texels, 4],
    'holes on the GPU': [field.holes.byteLength / texels, 4],
  } as const;
  for (const [name, [bytes, most]] of Object.entries(each))
    rows.push({ name, value: `${bytes} bytes a texel`, bound: `at most ${most}`, ok: bytes <= most });
  hf.close();
  rows.push({
    name: 'GPU bytes after close',
    value: `${gpu.bytes - before}`,
    bound: '0',
    ok: gpu.bytes === before,
  });

  const small = toTexture(noise({ width: 64, height: 64, amplitude: 9, seed: 2 }));
  const cycle = async () => (await openHeightfield(runtime, small)).close();
  for (let round = 0; round < 50; round++) await cycle();
  await gpu.settle();
  const [openGpu, openCpu] = [gpu.bytes, await live()];
  for (let round = 0; round < ROUNDS; round++) await cycle();
  await gpu.settle();
  const opened = (await live()) - openCpu;
  rows.push({
    name: `${ROUNDS} fields of 64² opened and closed`,
    value: `${gpu.bytes - openGpu} GPU bytes, ${(opened / 1024).toFixed(0)} KiB of ${((ROUNDS * 64 * 64 * 16) / 2 ** 20).toFixed(0)} MiB opened`,
    bound: `0, under ${SLACK / 2 ** 20} MiB`,
    ok: gpu.bytes === openGpu && opened < SLACK,
  });

  const ground = await openHeightfield(runtime, small);
  const camera = { x: 0, y: 14, z: 0 };
  const engine = { gpu, renderer: runtime.renderer, terrains: runtime.terrains };
  const mesh = await TerrainMesh.create(engine, ground, { camera, nodeVerts: 9, maxNodes: 128 });
  const entity = runtime.world.createEntity('ground');
  runtime.world.addComponent(entity, 'Model', { mesh: mesh.mesh });
  const frame = async (step: number) => {
    mesh.updateCut({
      x: 25 * Math.sin(step / 31),
      y: camera.y + 3 * Math.sin(step / 7),
      z: 25 * Math.cos(step / 43),
    });
    await runtime.frame(1 / 60);
  };
  for (let step = 0; step < 100; step++) await frame(step);
  const [frameGpu, frameCpu] = [gpu.bytes, await live()];
  for (let step = 0; step < ROUNDS; step++) await frame(step);
  const grown = (await live()) - frameCpu;
  rows.push({
    name: `${ROUNDS} frames of a moving camera`,
    value: `${gpu.bytes - frameGpu} GPU bytes, ${(grown / 1024).toFixed(0)} KiB`,
    bound: `0, under ${SLACK / 2 ** 20} MiB`,
    ok: gpu.bytes === frameGpu && grown < SLACK,
  });
  await runtime.destroy();
  ground.close();
  return rows;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.table(await run());
