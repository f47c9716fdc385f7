// `moonscape export`: ground from its file, as few triangles within an error, as a .glb or a .obj. It needs no GPU.
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import { Assets } from '../../runtime/assets/assets.js';
import { MoonscapeError } from '../../runtime/errors.js';
import { groundToGlb, groundToObj } from '../../runtime/errorMesh/groundFile.js';
import { readGround } from '../../runtime/errorMesh/readGround.js';
import { simplify } from '../../runtime/errorMesh/simplify.js';
import { FileRefusal } from '../../runtime/host/host.js';
import { projectFiles } from '../../runtime/host/projectFiles.js';
import { EXIT, UsageError, type ExportOptions } from './command.js';
import { folder, writeFiles } from './session.js';

const WHERE = 'moonscape export';
/** Milliseconds between two lines of progress. */
const PATIENCE_MS = 1000;
const count = new Intl.NumberFormat('en').format;

/** Writes the file; resolves to the exit status. Nothing is written where the ground cannot be read or meshed. */
export async function exportGround(options: ExportOptions): Promise<number> {
  const { maxError, out, quiet } = options;
  const say = (line: string) => {
    if (!quiet) process.stdout.write(`${line}\n`);
  };
  const { project, path } = await place(options);
  try {
    const hf = await readGround(new Assets(projectFiles(project)), path, WHERE);
    say(
      `ground   ${hf.width} × ${hf.height} texels, ${hf.size.width} × ${hf.size.depth} m${hf.mask ? ', with holes' : ''}`,
    );
    let told = performance.now();
    const progress = (triangles: number, off: number) => {
      if (performance.now() - told < PATIENCE_MS) return;
      told = performance.now();
      say(`so far   ${count(triangles)} triangles, texels up to ${off.toPrecision(3)} m off`);
    };
    const mesh = simplify(hf, maxError, { progress }, WHERE);
    const triangles = mesh.indices.length / 3;
    const whole = 2 * (hf.width + 1) * (hf.height + 1);
    say(
      `mesh     ${count(mesh.stops.length)} vertices, ${count(triangles)} triangles (${((100 * triangles) / whole).toPrecision(3)} % of ${count(whole)}), every texel within ${Number(mesh.maxError.toPrecision(4))} m`,
    );
    const name = basename(path).replace(/\.[^.]*$/, '');
    const bytes = /\.glb$/i.test(out) ? await groundToGlb(mesh, name) : groundToObj(mesh, name);
    hf.close();
    for (const file of await writeFiles([[out, bytes]]))
      say(`wrote    ${file} (${(bytes.length / 2 ** 20).toFixed(1)} MiB)`);
    return EXIT.done;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (!(error instanceof MoonscapeError) && !(error instanceof FileRefusal)) throw error;
    process.stderr.write(`${error instanceof FileRefusal ? `${WHERE}: ${error.message}` : error.message}\n`);
    return EXIT.script;
  }
}

/**
 * The project's folder and the ground's path in it. The folder that was named, or the one over `source/` if the ground lies under such a
 * folder, or the ground's own.
 */
async function place({ ground, project }: ExportOptions): Promise<{ project: string; path: string }> {
  const found = await stat(ground).catch((cause: Error) => {
    throw new UsageError(`the ground ${ground} cannot be read: ${cause.message}`, { cause });
  });
  if (!found.isFile()) throw new UsageError(`the ground ${ground} cannot be read: it is no file`);
  const file = await realpath(ground);
  const parts = dirname(file).split(sep);
  const source = parts.lastIndexOf('source');
  const root = await realpath(
    project === null
      ? resolve(source > 0 ? parts.slice(0, source).join(sep) || sep : dirname(file))
      : await folder(project),
  );
  const path = relative(root, file);
  if (path.startsWith('..'))
    throw new UsageError(`the ground ${ground} must lie in the project's folder ${project}`);
  return { project: root, path: path.split(sep).join('/') };
}
