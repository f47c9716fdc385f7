// Text modules (WGSL and Lua): what an import of one is, for the bundler, for Node and for specs, all from here. A WGSL file may take
// others in by `#include "file"` lines, each once. Its own structs go along as layouts, reflected here, so that no page carries a
// parser of WGSL.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeShaderDataDefinitions } from 'webgpu-utils';

const INCLUDE = /^[ \t]*#include[ \t]+"([^"]+)"[ \t]*(?:\n|$)/gm;
/** Where the layouts of a shader's structs are kept at run time, by its text. */
const LAYOUTS = fileURLToPath(new URL('../runtime/gpu/layouts.ts', import.meta.url));
/** Ends the name of a module that holds the pieces of a WGSL file between its includes. */
export const PIECES = '?pieces';

// webgpu-utils reads these names of the browser's while it reflects.
globalThis.GPUShaderStage ??= { VERTEX: 1, FRAGMENT: 2, COMPUTE: 4 };

/** True for the modules that are imported as text. */
export const isText = (path) => /\.(wgsl|lua)$/.test(path);

/** The text of a file, includes in place. */
export function readText(path) {
  if (!path.endsWith('.wgsl')) return readFileSync(path, 'utf8');
  return piecesOf(path)
    .map(({ file, index }) => split(file)[index])
    .join('');
}

/**
 * The JavaScript of a text module. `specifier` answers how a file is imported from it; without `pieces` all of the text stands in the
 * module, with it a WGSL file's is put together of those that its includes share (`piecesModule`).
 */
export function textModule(path, { specifier, pieces = false, pack = (text) => text }) {
  const text = readText(path);
  if (!path.endsWith('.wgsl')) return `export default ${JSON.stringify(pieces ? packLua(text) : text)};`;
  const lines = [];
  let whole = JSON.stringify(text);
  if (pieces) {
    const list = piecesOf(path).filter(({ file, index }) => pack(split(file)[index]) !== '');
    const files = [...new Set(list.map(({ file }) => file))];
    lines.push(
      ...files.map((file, i) => `import * as file${i} from ${JSON.stringify(specifier(file + PIECES))};`),
    );
    whole = list.map(({ file, index }) => `file${files.indexOf(file)}.piece${index}`).join(' + ') || '""';
  }
  lines.push(`const text = ${whole};`, 'export default text;');
  const layouts = layoutsOf(path, text);
  if (layouts) {
    lines.unshift(`import { remember } from ${JSON.stringify(specifier(LAYOUTS))};`);
    lines.push(`remember(text, ${JSON.stringify(layouts)});`);
  }
  return lines.join('\n');
}

/** The JavaScript of a module of pieces. */
export const piecesModule = (path, pack) =>
  split(path)
    .map((text, i) => `export const piece${i} = ${JSON.stringify(pack(text))};`)
    .join('\n');

/** WGSL without what only a reader needs: comments, indentation, empty lines. */
export const packWgsl = (text) =>
  text
    .replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, '')
    .replace(/^[ \t]+|[ \t]+$/gm, '')
    .replace(/ ?([-+*/%=<>&|!?:,;(){}]) ?(?=[^\n])/g, (all, sign, at, whole) =>
      isJoined(whole, at, all) ? sign : all,
    )
    .replace(/\n{2,}/g, '\n')
    .replace(/^\n/, '');

/** Lua without lines that are comments alone; its lines keep their numbers. A file with long brackets is left as it is. */
export const packLua = (text) =>
  /\[=*\[/.test(text) ? text : text.replace(/^[ \t]*--.*$/gm, '').replace(/^[ \t]+/gm, '');

/** Whether the blanks around a sign may go: not where two signs would become another one. */
function isJoined(text, at, all) {
  const before = text[at - 1] ?? '';
  const after = text[at + all.length] ?? '';
  const isSign = (letter) => /[-+*/%=<>&|!]/.test(letter);
  return !isSign(before) && !isSign(after);
}

/** A file's text between its includes. */
const split = (path) => {
  const parts = readFileSync(path, 'utf8').split(INCLUDE);
  return parts.filter((_, i) => i % 2 === 0);
};

/** What the text of a WGSL file is put together of, in its order: which piece of which file. */
function piecesOf(path, seen = new Set()) {
  seen.add(resolve(path));
  const pieces = [];
  readFileSync(path, 'utf8')
    .split(INCLUDE)
    .forEach((part, i) => {
      if (i % 2 === 0) return pieces.push({ file: path, index: i / 2 });
      const file = resolve(dirname(path), part);
      if (seen.has(file)) return 0;
      try {
        return pieces.push(...piecesOf(file, seen));
      } catch (cause) {
        throw new Error(`${path}: #include "${part}" names no readable file (${file})`, { cause });
      }
    });
  return pieces;
}

/** The layouts of the structs that a file declares itself and that a buffer may hold, and of its lists; null where there are none. */
function layoutsOf(path, text) {
  const own = packWgsl(readFileSync(path, 'utf8'));
  const names = [...own.matchAll(/\bstruct\s+(\w+)\s*\{([^}]*)\}/g)]
    .filter(([, , fields]) => !/@(builtin|location)|:bool\b/.test(fields))
    .map(([, name]) => name);
  // A list that is bound by itself and has an end: whoever fills it asks how many there may be.
  const lists = [...own.matchAll(/\bvar<uniform>\s*(\w+)\s*:\s*array</g)].map(([, name]) => name);
  if (names.length + lists.length === 0) return null;
  const { structs, uniforms } = makeShaderDataDefinitions(text);
  return Object.fromEntries([
    ...names.map((name) => [name, layoutOf(structs[name])]),
    ...lists.map((name) => [name, layoutOf(uniforms[name].typeDefinition)]),
  ]);
}

/** As Layout of runtime/gpu/layouts.ts. */
function layoutOf(definition) {
  if (definition.fields) {
    const fields = Object.entries(definition.fields);
    return {
      size: definition.size,
      fields: Object.fromEntries(fields.map(([name, { offset, type }]) => [name, [offset, layoutOf(type)]])),
    };
  }
  if (definition.elementType) {
    const of = layoutOf(definition.elementType);
    const bytes = sizeOf(of);
    const align = /vec3|mat[234]x3/.test(definition.elementType.type ?? '') ? 16 : 4;
    return { count: definition.numElements, stride: Math.ceil(bytes / align) * align, of };
  }
  const { type, size } = definition;
  const kind = /^(?:atomic<)?(f32|u32|i32)>?$|^(?:vec\d|mat\dx\d)([fui])$/.exec(type);
  if (!kind) throw new Error(`no layout is known for a field of the type ${type}`);
  return `${(kind[1] ?? kind[2])[0]}${size / 4}`;
}

const sizeOf = (layout) =>
  typeof layout === 'string' ? Number(layout.slice(1)) * 4 : (layout.size ?? layout.stride * layout.count);
