// `moonscape run`: a scene's script to its end, its frames, then the picture and the stats. Nothing is written unless
// everything before it went well.
import type { Runtime, RuntimeStats } from '../../runtime/runtime.js';
import { EXIT, type RunOptions } from './command.js';
import { inSession, writeFiles, type Session } from './session.js';

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
export function run(options: RunOptions): Promise<number> {
  return inSession(options, async (session) => {
    const { runtime, say } = session;
    const stats = await play(session, options);
    // The scene went on without the components that failed; what it shows is not what it says.
    if (session.failures() > 0) return EXIT.script;
    const written = await write(runtime, options, stats);
    for (const line of summary(stats)) say(line);
    for (const path of written) say(`wrote    ${path}`);
    return EXIT.done;
  });
}

/** The script, then the frames. */
async function play({ runtime, lua, source }: Session, options: RunOptions): Promise<RunStats> {
  await lua.run(source, options.scene);
  const start = performance.now();
  if (options.view !== null) runtime.renderer.setView(options.view);
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
  { out, capture, stats: statsPath }: RunOptions,
  stats: RunStats,
): Promise<string[]> {
  const files: [string, Uint8Array | string][] = [];
  if (out !== null) files.push([out, await runtime.picture(capture)]);
  if (statsPath !== null) files.push([statsPath, `${JSON.stringify(stats, null, 2)}\n`]);
  return writeFiles(files);
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
