// Drives spec/fixtures/walk.lua for many frames, and counts what stands each time it has settled.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Lua } from '../../bindings/index.js';
import type { Runtime } from '../../runtime/runtime.js';

export const WALK = readFileSync(new URL('../fixtures/walk.lua', import.meta.url), 'utf8');

/** What stands once the walk has settled: these are the same each time, but for the heap, which a collector keeps. */
export interface Standing {
  frame: number;
  gpuBytes: number;
  entities: number;
  meshes: number;
  fields: number;
  terrains: number;
  components: number;
  /** Bytes of heap and buffers. */
  heap: number;
}

/** Walks `frames` frames from where the scene is, drawing each `drawEvery`th, and settles each `settleEvery`. */
export async function walk(
  runtime: Runtime,
  lua: Lua,
  { frames, drawEvery, settleEvery }: { frames: number; drawEvery: number; settleEvery: number },
): Promise<Standing[]> {
  const list: Standing[] = [];
  for (let frame = 1; frame <= frames; frame++) {
    await lua.run('step()', 'step.lua');
    if (frame % drawEvery === 0) await runtime.frame(1 / 60);
    else await runtime.update(1 / 60);
    lua.check();
    if (frame % settleEvery !== 0) continue;
    await lua.run('settle()', 'settle.lua');
    await runtime.frame(1 / 60);
    list.push(await standing(runtime, lua, frame));
  }
  return list;
}

async function standing(runtime: Runtime, lua: Lua, frame: number): Promise<Standing> {
  const { gpu, world, renderer, fields, terrains } = runtime;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 4; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { heapUsed, external } = process.memoryUsage();
  return {
    frame,
    gpuBytes: gpu.bytes,
    entities: world.entities().length,
    meshes: renderer.meshes.count,
    fields: fields.size,
    terrains: terrains.size,
    components: lua.components,
    heap: heapUsed + external,
  };
}
