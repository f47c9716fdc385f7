// The definitions of lua/library and of our Lua modules (LuaCATS comments) as data: what the editor completes from. Run when the
// playground is built; it reads the subset that our files use.

/** A function, a method or a field of a type. */
export interface Member {
  name: string;
  kind: 'function' | 'method' | 'field';
  /** Of a field its type, of a function that of its first result. */
  type: string;
  /** `(options)`, for functions. */
  signature: string;
  params: { name: string; type: string; doc: string }[];
  doc: string;
  optional: boolean;
}

export interface TypeInfo {
  doc: string;
  /** Types whose members it has too. */
  parents: string[];
  members: Member[];
}

export interface LuaApi {
  /** Type of each global. */
  globals: Record<string, string>;
  types: Record<string, TypeInfo>;
  /** Strings that an alias stands for. */
  aliases: Record<string, string[]>;
  /** Type of each module, by the name that `require` gets. */
  modules: Record<string, string>;
}

/** A file and, where it is a module, the name that `require` gets. */
export interface LuaSource {
  text: string;
  module?: string;
}

interface Pending {
  doc: string[];
  params: Member['params'];
  returns: string[];
  className: string | null;
  alias: string | null;
}

/** Reads definitions out of files. */
export function readApi(sources: readonly LuaSource[]): LuaApi {
  const api: LuaApi = { globals: {}, types: {}, aliases: {}, modules: {} };
  for (const source of sources) readFile(api, source);
  return api;
}

function readFile(api: LuaApi, { text, module }: LuaSource): void {
  /** Type of each table that the file names. */
  const tables = new Map<string, string>();
  let pending = nothing();
  for (const line of text.split('\n')) {
    if (line.startsWith('---')) {
      readComment(api, pending, line.slice(3));
      continue;
    }
    const table = /^(local )?([A-Za-z_]\w*) = \{\}?$/.exec(line);
    const method = /^function ([A-Za-z_][\w.]*)([.:])([A-Za-z_]\w*)\((.*?)\)/.exec(line);
    if (table) {
      const [, isLocal, name] = table;
      const type = pending.className ?? (isLocal ? `${module ?? 'local'}:${name}` : name);
      typeOf(api, type);
      tables.set(name, type);
      if (!isLocal) api.globals[name] = type;
    } else if (method) {
      const [, owner, sign, name, list] = method;
      const type = ownerOf(api, tables, owner);
      if (type)
        typeOf(api, type).members.push({
          ...{ name, kind: sign === ':' ? 'method' : 'function', type: pending.returns[0] ?? '' },
          ...{ signature: `(${list})`, params: pending.params, doc: pending.doc.join(' '), optional: false },
        });
    }
    const returned = /^return ([A-Za-z_]\w*)$/.exec(line);
    if (returned && module && tables.has(returned[1])) api.modules[module] = tables.get(returned[1])!;
    pending = nothing();
  }
}

/** The type of a table by its name, one inside another too (`renderer.mesh`). */
function ownerOf(api: LuaApi, tables: ReadonlyMap<string, string>, owner: string): string | undefined {
  const [first, ...rest] = owner.split('.');
  let type = tables.get(first);
  for (const name of rest) {
    if (!type) return undefined;
    const inner: string = `${type}.${name}`;
    const { members } = typeOf(api, type);
    if (!members.some((member) => member.name === name))
      members.push({
        ...{ name, kind: 'field', type: inner, signature: '', params: [], doc: '', optional: false },
      });
    typeOf(api, inner);
    type = inner;
  }
  return type;
}

const nothing = (): Pending => ({ doc: [], params: [], returns: [], className: null, alias: null });

function typeOf(api: LuaApi, name: string): TypeInfo {
  return (api.types[name] ??= { doc: '', parents: [], members: [] });
}

function readComment(api: LuaApi, pending: Pending, text: string): void {
  const tag = /^@(\w+) (.*)$/.exec(text);
  if (!tag) {
    const value = /^\| *("[^"]*")/.exec(text);
    if (value && pending.alias) api.aliases[pending.alias].push(...literals(value[1]));
    else if (!text.startsWith('@')) pending.doc.push(text.trim());
    return;
  }
  const [, name, rest] = tag;
  switch (name) {
    case 'class': {
      const [, className, parents = ''] = /^(\w+)(?:: *(.*))?$/.exec(rest) ?? [];
      if (!className) return;
      pending.className = className;
      const type = typeOf(api, className);
      type.doc = pending.doc.join(' ');
      type.parents.push(...parents.split(/, */).filter(Boolean));
      pending.doc = [];
      break;
    }
    case 'field': {
      const [, field, mark, after] = /^(\w+)(\??) +(.*)$/.exec(rest) ?? [];
      if (!field || !pending.className) return;
      const [type, doc] = splitType(after);
      const optional = mark === '?' || type.endsWith('?');
      typeOf(api, pending.className).members.push({
        ...{ name: field, kind: type.startsWith('fun(') ? 'function' : 'field', type, doc },
        ...{ signature: '', params: [], optional },
      });
      break;
    }
    case 'param': {
      const [, param, after] = /^([\w.]+)\?? +(.*)$/.exec(rest) ?? [];
      if (!param) return;
      const [type, doc] = splitType(after);
      pending.params.push({ name: param, type, doc });
      break;
    }
    case 'return':
      pending.returns.push(splitType(rest)[0]);
      break;
    case 'alias': {
      const [, alias, after = ''] = /^(\w+) *(.*)$/.exec(rest) ?? [];
      if (!alias) return;
      pending.alias = alias;
      api.aliases[alias] = literals(after);
    }
  }
}

/** A type and what follows it: types hold brackets and, in functions, spaces. */
function splitType(text: string): [type: string, doc: string] {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text[i];
    if ('({['.includes(sign)) depth++;
    else if (')}]'.includes(sign)) depth--;
    else if (sign === ' ' && depth === 0 && !':,'.includes(text[i - 1]))
      return [text.slice(0, i), text.slice(i + 1)];
  }
  return [text, ''];
}

/** The strings of a union of them. */
export const literals = (type: string): string[] =>
  [...type.matchAll(/"([^"]*)"/g)].map(([, value]) => value);
