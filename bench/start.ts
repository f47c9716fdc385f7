// How long `moonscape run` takes to its first picture, whole process, against the least WebGPU script that draws a
// displaced plane (bench/bare.mjs): run in turn, so that a busy machine slows both. Needs the build.
// `node --import ./scripts/register.mjs bench/start.ts [PAIRS]`
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hasVulkanLoader } from '../runtime/host/node.js';
import { unpackDriver } from '../runtime/host/software.js';
import { median, type Row } from './measurement.js';

const PAIRS = 11;
const MOST = 2.5;
const SIZE = '640x360';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

/** The environment that gives any Vulkan program of this machine the adapter that the command finds by itself. */
function adapterEnvironment(): NodeJS.ProcessEnv {
  if (hasVulkanLoader()) return process.env;
  const folder = unpackDriver();
  const driver = join(folder, 'vk_swiftshader_icd.json');
  return { ...process.env, LD_LIBRARY_PATH: folder, VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver };
}

/** Milliseconds from the start of a Node process to its end. It must end well and leave a picture at `out`. */
function time(args: string[], out: string, env: NodeJS.ProcessEnv): number {
  rmSync(out, { force: true });
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with status ${status}:\n${stderr}`);
  if (statSync(out).size === 0) throw new Error(`${args.join(' ')} left an empty picture`);
  return ms;
}

export async function run(pairs = PAIRS): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'moonscape-start-'));
  try {
    const out = join(folder, 'picture.png');
    const scene = path('../examples/first-ground.lua');
    const command = [path('../dist/cli.js'), 'run', scene, '--size', SIZE, '--out', out];
    const env = adapterEnvironment();
    const pair = () => [time(command, out, process.env), time([path('bare.mjs'), out], out, env)] as const;
    pair(); // Files come from the disk and the driver is unpacked.
    const times = Array.from({ length: pairs }, pair);
    const ratios = times.map(([ours, bare]) => ours / bare);
    const ratio = median(ratios);
    const ms = (index: 0 | 1) => median(times.map((both) => both[index])).toFixed(0);
    return [
      {
        name: `moonscape run to the first ${SIZE} PNG`,
        value:
          `${ratio.toFixed(2)}x a bare script (median of ${pairs} pairs, ` +
          `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}): ${ms(0)} against ${ms(1)} ms`,
        bound: `at most ${MOST}x`,
        ok: ratio <= MOST,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.table(await run(Number(process.argv[2] ?? PAIRS)));
