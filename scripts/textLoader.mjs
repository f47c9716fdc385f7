// A Node module hook: `.wgsl` and `.lua` files are modules whose default export is their text.
import { fileURLToPath } from 'node:url';
import { isText, readText } from './text.mjs';

export async function load(url, context, nextLoad) {
  const path = url.split('?')[0];
  if (!path.startsWith('file:') || !isText(path)) return nextLoad(url, context);
  const text = readText(fileURLToPath(path));
  return { format: 'module', shortCircuit: true, source: `export default ${JSON.stringify(text)};` };
}
