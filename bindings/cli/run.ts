// `moonscape run`: a scene's script to its end, its frames, then the picture and the stats. Nothing is written unless
// everything before it went well.
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { MoonscapeError, NoAdapterError } from '../../runtime/errors.js';
import { createNodeHost } from '../../runtime/host/node.js';
import { Runtime, type RuntimeStats } from '../../runtime/runtime.js';
import { openLua, type Lua } from '../index.js';
import { Abort, LuaError } from '../vm/index.js';
import { EXIT, UsageError, type RunOptions } from './command.js';

/** What `--stats` writes. Milliseconds; `start` runs from the process's own start to the end of the scene's script. */
export interface RunStats {
  adapter: { vendor: string; architecture: string; description: string };
  frames: number;
  passes: RuntimeStats['passes'];
  terrain: { nodes: number; remeshed: number; vertices: number }[];
  ms: { start: number; frame: { median: number; max: number } };
  /** Live GPU bytes, and the process's heap and buffers. */
  bytes: { gpu: number; cpu: number };
}

/** Runs a scene; resolves to the exit status. Wrong usage (a scene or a project that cannot be read) is a UsageError. */
export async function run(options: RunOptions): Promise<number> {
  const project = await folder(options.project ?? dirname(options.scene));
  const source = await readScene(options.scene);
  const say = (line: string) => {
    if (!options.quiet) process.stdout.write(`${line}\n`);
  };
  const host = createNodeHost({ project });
  let runtime: Runtime | null = null;
  let lua: Lua | null = null;
  let failures = 0;
  try {
    const { width, height, software } = options;
    runtime = await Runtime.create({ host, width, height, software });
    const longest = runtime.gpu.limits.maxTextureDimension2D;
    if (Math.max(width, height) > longest)
      throw new UsageError(
        `--size must be at most ${longest}x${longest} on this adapter, got "${width}x${height}"`,
      );
    const { vendor, architecture, description } = runtime.gpu.info;
    say(`adapter  ${description || vendor} (${[vendor, architecture].filter(Boolean).join(', ')})`);
    lua = openLua(runtime, {
      budgetMs: options.budgetMs ?? undefined,
      failed: (error) => {
        failures++;
        for (const text of [error.message, error.traceback]) if (text) process.stderr.write(`${text}\n`);
      },
      report: (lines) => lines.forEach((line) => say(`ground   ${line}`)),
    });
    const stats = await play(runtime, lua, source, options);
    // The scene went on without the components that failed; what it shows is not what it says.
    if (failures > 0) return EXIT.script;
    const written = await write(runtime, options, stats);
    for (const line of summary(stats)) say(line);
    for (const path of written) say(`wrote    ${path}`);
    return EXIT.done;
  } catch (error) {
    return fail(error);
  } finally {
    lua?.close();
    if (runtime) await runtime.destroy();
    else host.close();
  }
}

/** The script, then the frames. */
async function play(runtime: Runtime, lua: Lua, source: string, options: RunOptions): Promise<RunStats> {
  await lua.run(source, options.scene);
  const start = performance.now();
  if (options.play && runtime.mode === 'edit') await runtime.play();
  const times: number[] = [];
  for (let frame = 0; frame < options.frames; frame++) {
    const begin = performance.now();
    await runtime.frame(options.dt);
    lua.check();
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  const { heapUsed, external } = process.memoryUsage();
  return {
    adapter: runtime.gpu.info,
    frames: runtime.frames,
    passes: runtime.stats().passes,
    terrain: [...runtime.terrains].map((terrain) => terrain.stats()),
    ms: { start, frame: { median: times[times.length >> 1], max: times[times.length - 1] } },
    bytes: { gpu: runtime.gpu.bytes, cpu: heapUsed + external },
  };
}

/** Writes the picture and the stats, each file whole; answers their paths as they were typed. */
async function write(
  runtime: Runtime,
  { out, stats: statsPath }: RunOptions,
  stats: RunStats,
): Promise<string[]> {
  const files: [string, Uint8Array | string][] = [];
  if (out !== null) files.push([out, await runtime.picture()]);
  if (statsPath !== null) files.push([statsPath, `${JSON.stringify(stats, null, 2)}\n`]);
  const partOf = (path: string) => `${path}.${process.pid}.part`;
  // All of them beside their places first: where one cannot be written, none is.
  const each = async (step: (path: string, content: Uint8Array | string) => Promise<void>) => {
    for (const [path, content] of files) {
      await step(path, content).catch(async (cause: Error) => {
        for (const [other] of files) await rm(partOf(other), { force: true }).catch(() => {});
        throw new UsageError(`${path} cannot be written: ${cause.message}`, { cause });
      });
    }
  };
  await each(async (path, content) => {
    await mkdir(dirname(path), { recursive: true });
    if (await isFolder(path)) throw new Error('it is a folder');
    await writeFile(partOf(path), content);
  });
  await each((path) => rename(partOf(path), path));
  return files.map(([path]) => path);
}

function summary({ frames, passes, terrain, ms, bytes }: RunStats): string[] {
  const count = new Intl.NumberFormat('en').format;
  const mib = (size: number) => `${(size / 2 ** 20).toFixed(1)} MiB`;
  const lines = Object.entries(passes).map(
    ([name, { draws, triangles }]) =>
      `pass     ${name}: ${count(draws)} draws, ${count(triangles)} triangles`,
  );
  for (const { nodes, remeshed, vertices } of terrain)
    lines.push(
      `terrain  ${count(nodes)} nodes, ${count(remeshed)} built last, ${count(vertices)} vertices, one draw`,
    );
  lines.push(
    `time     ${ms.start.toFixed(0)} ms to the end of the script, then ${count(frames)} × ${ms.frame.median.toFixed(1)} ms a frame (median; ${ms.frame.max.toFixed(1)} at most)`,
    `memory   ${mib(bytes.gpu)} on the GPU, ${mib(bytes.cpu)} on the CPU`,
  );
  return lines;
}

/** Shows what went wrong, and answers the exit status. */
function fail(error: unknown): number {
  if (error instanceof UsageError) throw error;
  const show = (text: string) => process.stderr.write(`${text}\n`);
  if (error instanceof NoAdapterError) {
    show(`moonscape: ${error.message}`);
    return EXIT.adapter;
  }
  if (error instanceof LuaError) {
    show(error.message);
    if (error.traceback) show(error.traceback);
    return error instanceof Abort ? EXIT.budget : EXIT.script;
  }
  // Not the script's own error, but of what it asked for (a capture, the device): the same status.
  show(
    error instanceof MoonscapeError
      ? `moonscape: ${error.message}`
      : `moonscape: internal fault: ${(error as Error)?.stack ?? String(error)}`,
  );
  return EXIT.script;
}

async function readScene(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (cause) {
    throw new UsageError(`the scene ${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** The absolute path of a project's folder; one that is not there is a UsageError. */
export async function folder(path: string): Promise<string> {
  if (!(await isFolder(path))) throw new UsageError(`the project's folder ${path} does not exist`);
  return resolve(path);
}
