// A Node module hook: `.wgsl` and `.lua` files are modules whose default export is their text.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isText, textModule } from './text.mjs';

export async function load(url, context, nextLoad) {
  const path = url.split('?')[0];
  if (!path.startsWith('file:') || !isText(path)) return nextLoad(url, context);
  const source = textModule(fileURLToPath(path), { specifier: (file) => pathToFileURL(file).href });
  return { format: 'module', shortCircuit: true, source };
}
