// What the commands that run a scene share: its files, a runtime with Lua on it, what is said, and the exit status of what
// went wrong.
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { MoonscapeError, NoAdapterError } from '../../runtime/errors.js';
import { createNodeHost } from '../../runtime/host/node.js';
import { Runtime } from '../../runtime/runtime.js';
import { openLua, type Lua } from '../index.js';
import { Abort, LuaError } from '../vm/index.js';
import { EXIT, UsageError } from './command.js';

export interface SessionOptions {
  /** Path of the scene, as it was typed. */
  scene: string;
  project: string | null;
  width: number;
  height: number;
  software: boolean;
  quiet: boolean;
  budgetMs: number | null;
}

/** An open scene. */
export interface Session {
  runtime: Runtime;
  lua: Lua;
  /** The scene's text. */
  source: string;
  /** A line for a person, unless the command is to be quiet. */
  say(line: string): void;
  /** Components that failed so far; their errors were shown. */
  failures(): number;
}

/**
 * Opens a runtime for a scene, has `work` done in it and closes it; resolves to the exit status. Wrong usage (a scene or a project
 * that cannot be read) is a UsageError.
 */
export async function inSession(
  options: SessionOptions,
  work: (session: Session) => Promise<number>,
): Promise<number> {
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
    return await work({ runtime, lua, source, say, failures: () => failures });
  } catch (error) {
    return fail(error);
  } finally {
    lua?.close();
    if (runtime) await runtime.destroy();
    else host.close();
  }
}

/** Writes files, each whole, and all of them or none; answers their paths as they were typed. */
export async function writeFiles(
  files: readonly [path: string, content: Uint8Array | string][],
): Promise<string[]> {
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
