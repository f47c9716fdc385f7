// One runtime for the specs that run Lua, in a project folder of its own. Each scene is opened and closed
// again, and has to give back what it took.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLua, type Lua } from '../../bindings/index.js';
import { LuaError } from '../../bindings/vm/index.js';
import { createNodeHost } from '../../runtime/host/node.js';
import { Runtime } from '../../runtime/runtime.js';
import { SOFTWARE } from './gpu.js';

let opening: Promise<Runtime> | null = null;
/** The project's folder, made with the runtime. */
export let project = '';

/** The shared runtime: pictures of 64×36. A first frame draws something, so that what stays for good is there already. */
export function sharedRuntime(): Promise<Runtime> {
  opening ??= (async () => {
    project = mkdtempSync(join(tmpdir(), 'moonscape-spec-'));
    const host = createNodeHost({ project });
    const runtime = await Runtime.create({ host, software: SOFTWARE, width: 64, height: 36 });
    const { world, renderer } = runtime;
    const plane = world.createEntity('plane');
    world.addComponent(plane, 'Model', { mesh: renderer.meshes.plane() });
    await runtime.frame(0);
    plane.destroy();
    renderer.meshes.destroyAll();
    return runtime;
  })();
  return opening;
}

async function closeSharedRuntime(): Promise<void> {
  if (!opening) return;
  await (await opening).destroy();
  rmSync(project, { recursive: true, force: true });
  opening = null;
}

if (typeof after === 'function') after(closeSharedRuntime);

/** What stands that a scene could have made. */
const standing = ({ gpu, renderer, terrains, world }: Runtime) => ({
  bytes: gpu.bytes,
  meshes: renderer.meshes.count,
  terrains: terrains.size,
  entities: world.entities().length,
});

export interface SceneRun {
  /** What it printed. */
  lines: string[];
  warnings: string[];
  reports: string[][];
  lua: Lua;
  runtime: Runtime;
}

/**
 * Runs a scene, then `frames` frames, then `look` while all stands; closes it and compares what stands with before.
 * The scene's own error is thrown.
 */
export async function runScene(
  source: string,
  { name = 'scene.lua', frames = 0, look, failed }: SceneOptions = {},
): Promise<SceneRun> {
  const runtime = await sharedRuntime();
  const before = standing(runtime);
  const run: Omit<SceneRun, 'lua'> = { lines: [], warnings: [], reports: [], runtime };
  const lua = openLua(runtime, {
    print: (line) => run.lines.push(line),
    warn: (line) => run.warnings.push(line),
    report: (lines) => run.reports.push(lines),
    failed: failed ?? ((error) => failures.push(error)),
  });
  const failures: LuaError[] = [];
  try {
    await lua.run(source, name);
    for (let i = 0; i < frames; i++) await runtime.frame(1 / 60);
    lua.check();
    if (failures.length > 0) throw failures[0];
    await look?.({ ...run, lua });
  } finally {
    lua.close();
  }
  const after = standing(runtime);
  if (JSON.stringify(after) !== JSON.stringify(before))
    throw new Error(
      `the scene left things behind: ${JSON.stringify(before)} became ${JSON.stringify(after)}`,
    );
  return { ...run, lua };
}

export interface SceneOptions {
  name?: string;
  frames?: number;
  /** Gets the errors of components; without it the first is thrown. */
  failed?: (error: LuaError) => void;
  look?: (run: SceneRun) => void | Promise<void>;
}

/** Runs a file of spec/fixtures. */
export function runFixture(file: string, options: Omit<SceneOptions, 'name'> = {}): Promise<SceneRun> {
  const source = readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8');
  return runScene(source, { ...options, name: file });
}

/** Runs a scene that has to fail; answers its error. */
export async function failureOf(source: string, options: SceneOptions = {}): Promise<LuaError> {
  const runtime = await sharedRuntime();
  const before = standing(runtime);
  try {
    await runScene(source, options);
  } catch (error) {
    if (!(error instanceof LuaError)) throw error;
    const after = standing(runtime);
    if (JSON.stringify(after) !== JSON.stringify(before))
      throw new Error(`left things behind: ${JSON.stringify(before)} became ${JSON.stringify(after)}`, {
        cause: error,
      });
    return error;
  }
  throw new Error(`the scene ran to its end:\n${source}`);
}
