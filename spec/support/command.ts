// The built command as a person runs it: a child process over dist/cli.js in a folder of its own, judged by its exit status,
// its two outputs and the files that stand afterwards.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodePng } from '../../runtime/texture/png.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CLI = join(ROOT, 'dist/cli.js');
/** A run that has not ended by itself by then hangs: a start takes 0.3 s, and a busy machine many times that. */
export const PATIENCE_MS = 20_000;
export const SMALL = ['--size', '48x27', '--software'];

export interface Run {
  status: number | null;
  out: string;
  err: string;
}

export interface RunSettings {
  /** Default: the built command by Node. */
  command?: string[];
}

/** A folder of its own for each spec, with the files that it asks for. */
export let folder = '';
export const at = (...path: string[]) => join(folder, ...path);
export const put = (path: string, content: string | Uint8Array) => {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), content);
  return path;
};
/** Writes a scene; its path, as it is typed in the folder. */
export const scene = (source: string, path = 'scene.lua') => put(path, source);

/** Runs the command in the folder, to its own end. One that hangs or is ended by a signal (an abort is one) fails. */
export function moonscape(
  args: string[],
  { command = [process.execPath, CLI] }: RunSettings = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const [file, ...first] = command;
    const child = spawn(file, [...first, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    child.on('error', reject);
    child.on('close', (status, signal) => {
      clearTimeout(patience);
      const said = `moonscape ${args.join(' ')}\n${out}${err}`;
      if (signal === 'SIGKILL') reject(new Error(`did not end in ${PATIENCE_MS} ms: ${said}`));
      else if (signal || (status ?? 0) > 4) reject(new Error(`ended by ${signal ?? status}: ${said}`));
      else resolve({ status, out, err });
    });
  });
}

/** Runs a scene in the small size. */
export const run = (path: string, ...options: string[]) => moonscape(['run', path, ...SMALL, ...options]);
export const pictureAt = (path: string) => decodePng(new Uint8Array(readFileSync(at(path))), path);

/** Hooks of a describe: a fresh folder for each spec; without a built command there is nothing to judge. */
export function inFolders(): void {
  before(() => {
    if (!existsSync(CLI))
      throw new Error(`${CLI} is not there: these specs run the built command; npm run build makes it`);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'moonscape-cli-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
}
