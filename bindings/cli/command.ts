// What a command line says: options with their defaults and ranges. Wrong usage is a UsageError.
import { parseArgs } from 'node:util';
import { MoonscapeError, nearest } from '../../runtime/errors.js';
import {
  CAPTURE_CHANNELS,
  type CaptureChannel,
  type CaptureOptions,
} from '../../runtime/renderer/capture.js';
import { VIEWS, type ViewName } from '../../runtime/renderer/viewPass.js';

/** Exit statuses of the command. */
export const EXIT = { done: 0, script: 1, usage: 2, adapter: 3, budget: 4 } as const;

export const USAGE = `moonscape run SCENE.lua [options]    runs a scene headless: its script, then its frames, then the picture

  --frames N       frames to run after the script (default 1)
  --dt SECONDS     length of a frame (default 1/60)
  --size WxH       the picture, in pixels (default 1280x720)
  --view NAME      what frames show: ${VIEWS.slice(0, 4).join(', ')},
                   ${VIEWS.slice(4).join(', ')} (default: what the script says, else shaded)
  --out FILE.png   writes the last frame there
  --bits N         of it a channel, 8 or 16 (default 8, of depth 16)
  --channel NAME   what of it: color, depth (0.1 m a step) or normal (default color)
  --stats FILE     writes what was drawn, and how long it took, as JSON
  --project DIR    the project's folder, which paths in scripts are relative to (default: the scene's folder)
  --play           runs the frames in play instead of edit
  --software       uses the software adapter even where there is a GPU
  --quiet          prints nothing but what the script prints
  --budget MS      stops an entry into the script that runs longer than this, waits excluded (default: none)

moonscape check SCENE.lua [options]  runs a scene, then holds what its ground says, draws and collides with to each other

  --samples N      places of each kind to ask at (default 2000)
  --seed N         another seed asks at other places (default 0)
  --views N        takes the cut from so many more places, since only near the camera all detail is drawn (default 4)
  --stats FILE     writes what was found as JSON
  --project, --software and --quiet as above; disagreements are said all the same

moonscape assets [options]           writes assets.json, by which pages find the textures and the .terrainData of guids

  --project DIR    the project's folder (default: this one)
  --quiet          prints nothing

moonscape export GROUND [options]    writes ground (a .terrainData or a .texture) as few triangles, for other programs

  --max-error M    no texel is farther than so many metres from its triangle; 0 writes all of them
  --out FILE       .glb (glTF 2.0) or .obj
  --project DIR    the project's folder (default: the one over source/, if the ground lies in such a folder, else the ground's)
  --quiet          prints nothing; else long work says how far it is

moonscape --help | --version

Exit status: 0 done, 1 the script failed (check: they disagree, or there is no ground; assets: a file that cannot be read,
or a guid of two files; export: ground that is broken), 2 wrong usage or an unreadable file, 3 no WebGPU adapter, 4 a budget was passed.`;

/** Wrong usage: exit status 2. */
export class UsageError extends MoonscapeError {
  override name = 'UsageError';
}

export interface RunOptions {
  /** Path of the scene, as it was typed. */
  scene: string;
  frames: number;
  /** Seconds. */
  dt: number;
  width: number;
  height: number;
  /** Null: what the script says. */
  view: ViewName | null;
  out: string | null;
  /** What of the picture `out` gets, as renderer.capture has it. */
  capture: Pick<CaptureOptions, 'bits' | 'channel'>;
  stats: string | null;
  project: string | null;
  play: boolean;
  software: boolean;
  quiet: boolean;
  /** Milliseconds; null: none. */
  budgetMs: number | null;
}

export interface CheckOptions {
  scene: string;
  samples: number;
  seed: number;
  views: number;
  stats: string | null;
  project: string | null;
  software: boolean;
  quiet: boolean;
}

export interface AssetsOptions {
  project: string | null;
  quiet: boolean;
}

export interface ExportOptions {
  /** Path of the ground, as it was typed. */
  ground: string;
  /** Metres. */
  maxError: number;
  out: string;
  project: string | null;
  quiet: boolean;
}

export type Command =
  | { name: 'run'; options: RunOptions }
  | { name: 'check'; options: CheckOptions }
  | { name: 'assets'; options: AssetsOptions }
  | { name: 'export'; options: ExportOptions }
  | { name: 'help' }
  | { name: 'version' };

/** The commands, what each does in a word for messages, and the options that it takes. */
const VERBS = {
  run: {
    usage: 'moonscape run SCENE.lua',
    takes: [
      'frames',
      'dt',
      'size',
      'view',
      'out',
      'bits',
      'channel',
      'stats',
      'project',
      'budget',
      'play',
      'software',
      'quiet',
    ],
  },
  check: {
    usage: 'moonscape check SCENE.lua',
    takes: ['samples', 'seed', 'views', 'stats', 'project', 'software', 'quiet'],
  },
  assets: { usage: 'moonscape assets', takes: ['project', 'quiet'] },
  export: { usage: 'moonscape export GROUND', takes: ['max-error', 'out', 'project', 'quiet'] },
} as const satisfies Record<string, { usage: string; takes: readonly (keyof typeof OPTIONS)[] }>;
type Verb = keyof typeof VERBS;

const OPTIONS = {
  frames: { type: 'string' },
  dt: { type: 'string' },
  size: { type: 'string' },
  view: { type: 'string' },
  out: { type: 'string' },
  stats: { type: 'string' },
  bits: { type: 'string' },
  channel: { type: 'string' },
  project: { type: 'string' },
  budget: { type: 'string' },
  samples: { type: 'string' },
  seed: { type: 'string' },
  views: { type: 'string' },
  'max-error': { type: 'string' },
  play: { type: 'boolean' },
  software: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Reads a command line (without node and the script's own path). */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  if (values.help || (positionals.length === 0 && args.length === 0)) return { name: 'help' };
  if (values.version) return { name: 'version' };
  const [verb, ...operands] = positionals;
  checkVerb(verb);
  for (const option of Object.keys(values)) {
    if (!(VERBS[verb].takes as readonly string[]).includes(option))
      throw new UsageError(
        `${verb} has no option --${option}; it has ${VERBS[verb].takes.map((name) => `--${name}`).join(', ')}`,
      );
  }
  const project = values.project ?? null;
  const quiet = values.quiet ?? false;
  if (verb === 'assets') {
    if (operands.length > 0)
      throw new UsageError(`assets takes a folder by --project alone, got ${operands.join(', ')}`);
    return { name: verb, options: { project, quiet } };
  }
  if (verb === 'export') {
    const ground = operandOf(verb, operands, 'ground');
    const out = values.out;
    if (out === undefined) throw new UsageError('export needs --out FILE, a .glb or a .obj');
    if (!/\.(glb|obj)$/i.test(out)) throw new UsageError(`--out must be a .glb or a .obj, got "${out}"`);
    if (values['max-error'] === undefined) throw new UsageError('export needs --max-error METRES');
    const maxError = metres('--max-error', values['max-error']);
    return { name: verb, options: { ground, maxError, out, project, quiet } };
  }
  const scene = operandOf(verb, operands, 'scene');
  const software = values.software ?? false;
  const stats = values.stats ?? null;
  if (verb === 'check') {
    const samples = whole('--samples', values.samples ?? '2000', 1, 1e6);
    const seed = whole('--seed', values.seed ?? '0', 0, 2 ** 32 - 1);
    const views = whole('--views', values.views ?? '4', 0, 1000);
    return { name: verb, options: { scene, samples, seed, views, stats, project, software, quiet } };
  }
  const { width, height } = size(values.size ?? '1280x720');
  return {
    name: verb,
    options: {
      scene,
      frames: whole('--frames', values.frames ?? '1'),
      dt: positive('--dt', values.dt ?? String(1 / 60)),
      width,
      height,
      view: values.view === undefined ? null : viewNamed(values.view),
      out: values.out ?? null,
      capture: shot(values),
      stats,
      project,
      play: values.play ?? false,
      software,
      quiet,
      budgetMs: values.budget === undefined ? null : positive('--budget', values.budget),
    },
  };
}

function checkVerb(verb: string | undefined): asserts verb is Verb {
  if (verb !== undefined && Object.hasOwn(VERBS, verb)) return;
  const usages = Object.values(VERBS).map(({ usage }) => usage);
  const commands = `the commands are: ${usages.join(', ')}`;
  if (verb === undefined) throw new UsageError(`there is no command; ${commands}`);
  const near = nearest(verb, [...Object.keys(VERBS), 'help', 'version']);
  const meant = near && `${Object.hasOwn(VERBS, near) ? '' : '--'}${near}`;
  throw new UsageError(
    `there is no command "${verb}"${meant ? ` (did you mean ${meant}?)` : ''}; ${commands}`,
  );
}

function operandOf(verb: Verb, [operand, ...rest]: readonly string[], what: string): string {
  if (operand === undefined)
    throw new UsageError(`${verb} needs the path of a ${what}: ${VERBS[verb].usage}`);
  if (rest.length > 0)
    throw new UsageError(
      `${verb} takes one ${what}, got ${rest.length + 1}: ${[operand, ...rest].join(', ')}`,
    );
  return operand;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: joinNumbers(args), options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    const bare = /^Option '(?:-\w, )?(--[^ ']+) <value>' argument missing|for '(--[^ ']+)'/.exec(
      String((error as Error).message),
    );
    if (bare) throw new UsageError(`${bare[1] ?? bare[2]} needs a value`, { cause: error });
    const unknown = /'(--?[^' ]+)'/.exec(String(error))?.[1];
    if (!unknown || (error as { code?: string }).code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
    const near = nearest(unknown.replace(/^-+/, ''), Object.keys(OPTIONS));
    throw new UsageError(`there is no option ${unknown}${near ? ` (did you mean --${near}?)` : ''}`, {
      cause: error,
    });
  }
}

/** Joins a negative number to the option before it, which parseArgs would take for an option of its own. */
function joinNumbers(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const last = joined.at(-1);
    if (/^-[0-9.]/.test(arg) && last && /^--[a-z-]+$/.test(last))
      joined[joined.length - 1] = `${last}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

function whole(name: string, text: string, min = 1, max = Infinity): number {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : NaN;
  if (!(value >= min && value <= max))
    throw new UsageError(
      `${name} must be a whole number ${max === Infinity ? `from ${min} on` : `in ${min}..${max}`}, got "${text}"`,
    );
  return value;
}

function positive(name: string, text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new UsageError(`${name} must be a number above 0, got "${text}"`);
  return value;
}

function metres(name: string, text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!Number.isFinite(value) || value < 0)
    throw new UsageError(`${name} must be a number of metres of at least 0, got "${text}"`);
  return value;
}

/** `--bits` and `--channel`: those that were given. */
function shot({
  out,
  bits,
  channel,
}: {
  out?: string;
  bits?: string;
  channel?: string;
}): RunOptions['capture'] {
  for (const [name, value] of Object.entries({ bits, channel }))
    if (value !== undefined && out === undefined) throw new UsageError(`--${name} needs --out`);
  const oneOf = (name: string, text: string, allowed: readonly string[]) => {
    if (!allowed.includes(text))
      throw new UsageError(`${name} must be one of ${allowed.join(', ')}, got "${text}"`);
    return text;
  };
  const capture: RunOptions['capture'] = {};
  if (channel !== undefined)
    capture.channel = oneOf('--channel', channel, CAPTURE_CHANNELS) as CaptureChannel;
  const depths = channel === 'depth' ? ['16'] : ['8', '16'];
  if (bits !== undefined) capture.bits = Number(oneOf('--bits', bits, depths)) as 8 | 16;
  return capture;
}

function viewNamed(text: string): ViewName {
  const view = VIEWS.find((name) => name === text);
  if (view) return view;
  const near = nearest(text, VIEWS);
  throw new UsageError(
    `--view must be one of ${VIEWS.join(', ')}, got "${text}"${near ? ` (did you mean ${near}?)` : ''}`,
  );
}

function size(text: string): { width: number; height: number } {
  const match = /^([0-9]{1,6})[x×]([0-9]{1,6})$/i.exec(text);
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || width < 1 || height < 1)
    throw new UsageError(`--size must be WIDTHxHEIGHT in pixels, as 1280x720, got "${text}"`);
  return { width, height };
}
