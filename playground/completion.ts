// What may stand where the cursor is, from the definitions (luaCats.ts) and from what the script itself says. It reads the text before the
// cursor: no parser, so that it works in a script that is just being written.
import { literals, type LuaApi, type Member } from './luaCats.js';
import { FUNCTIONS, KEYWORDS, LIBRARIES } from './luaNames.js';

export interface Suggestion {
  label: string;
  /** What kind of thing it is: the sign beside it. */
  type: 'function' | 'method' | 'property' | 'variable' | 'keyword' | 'enum' | 'namespace';
  /** Beside the name: its parameters or its type. */
  detail?: string;
  info?: string;
  /** What is written, if it is more than the label. */
  apply?: string;
}

export interface Suggestions {
  /** Where the word begins that they replace, from the beginning of the text. */
  from: number;
  list: Suggestion[];
}

/** Names as deep as this are followed: `a.b.c`, and what a local was made of. */
const MAX_DEPTH = 8;
const NAME = '[A-Za-z_]\\w*';
/** A chain of names and calls that ends here: `terrain`, `hf`, `camera.main()`, `e.component.add("Terrain", {…})`. */
const CALL = '(?:\\s*\\([^()]*\\)|\\s*\\{[^{}]*\\}|\\s*"[^"\\n]*")?';
const CHAIN = new RegExp(`(${NAME}${CALL}(?:\\s*[.:]\\s*${NAME}${CALL})*)\\s*([.:])\\s*(\\w*)$`);

/** Suggestions for the end of `before`, the text up to the cursor; null where nothing is to be said. */
export function suggest(api: LuaApi, before: string): Suggestions | null {
  const text = before.slice(-20_000);
  const shift = before.length - text.length;
  const moved = (found: Suggestions | null) => found && { ...found, from: found.from + shift };
  const line = text.slice(text.lastIndexOf('\n') + 1);
  if (/--(?!.*["']).*$/.test(withoutStrings(line))) return null;
  const quote = openString(line);
  if (quote !== null) {
    const from = text.length - (line.length - quote - 1);
    const list = stringsAt(api, text.slice(0, from - 1));
    return list.length > 0 ? moved({ from, list }) : null;
  }
  const chain = CHAIN.exec(text);
  if (chain) {
    const [, expression, sign, word] = chain;
    const list = membersOf(api, typeOfExpression(api, expression, text), sign);
    return list.length > 0 ? moved({ from: text.length - word.length, list }) : null;
  }
  const word = /\w*$/.exec(text)![0];
  if (/^\d/.test(word)) return null;
  const from = text.length - word.length;
  const fields = fieldsAt(api, text.slice(0, from));
  return moved({ from, list: [...fields, ...namesIn(api, text.slice(0, from))] });
}

/** The line with what its strings hold blanked, so that signs in them mean nothing. */
const withoutStrings = (line: string) =>
  line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, (found) => '_'.repeat(found.length));

/** Where in the line a string begins that does not end, or null. */
function openString(line: string): number | null {
  const at = withoutStrings(line).search(/["']/);
  return at < 0 ? null : at;
}

/** All members of a type, its parents' with them. */
export function allMembers(api: LuaApi, type: string, depth = 0): Member[] {
  const info = api.types[type];
  if (!info || depth > MAX_DEPTH) return [];
  const own = new Map(info.members.map((member) => [member.name, member]));
  for (const parent of info.parents)
    for (const member of allMembers(api, parent, depth + 1))
      if (!own.has(member.name)) own.set(member.name, member);
  return [...own.values()];
}

function membersOf(api: LuaApi, type: string | null, sign: string): Suggestion[] {
  if (type?.startsWith('lua:'))
    return LIBRARIES[type.slice(4)].map((label) => ({ label, type: 'function' as const }));
  return allMembers(api, type ?? '')
    .filter(({ kind }) => (sign === ':' ? kind === 'method' : kind !== 'method'))
    .map(suggestionOf);
}

const suggestionOf = (member: Member): Suggestion => ({
  label: member.name,
  type: member.kind === 'field' ? 'property' : member.kind,
  detail:
    member.kind === 'field' ? member.type : `${member.signature}${member.type ? `: ${member.type}` : ''}`,
  info: member.doc,
});

/** The type that a chain of names and calls has, or null. */
function typeOfExpression(api: LuaApi, expression: string, text: string, depth = 0): string | null {
  if (depth > MAX_DEPTH) return null;
  const parts = partsOf(expression);
  const [first, ...rest] = parts;
  if (!first) return null;
  let type = typeOfName(api, first.name, first.call, text, depth);
  for (const { name, call } of rest) {
    const member = allMembers(api, type ?? '').find((each) => each.name === name);
    if (!member) return null;
    type = named(api, member.type);
    // Components by their names: `add` and `get` answer the one that is asked for.
    const component = call && /^\s*\(?\s*["'](\w+)["']/.exec(call)?.[1];
    if (type === 'Component' && component) type = componentType(api, component) ?? type;
  }
  return type;
}

function typeOfName(
  api: LuaApi,
  name: string,
  call: string | null,
  text: string,
  depth: number,
): string | null {
  const module = name === 'require' && call && /["']([^"']+)["']/.exec(call)?.[1];
  if (module) return api.modules[module] ?? null;
  const given = [...text.matchAll(new RegExp(`(?:^|[^\\w.:])${name}\\s*=\\s*([^=\\n].*)$`, 'gm'))].pop();
  if (given && given[1].trim() !== '') {
    const [expression] = new RegExp(`^${NAME}${CALL}(?:\\s*[.:]\\s*${NAME}(?:${CALL}|\\s*[({]))*`).exec(
      given[1],
    ) ?? [''];
    if (expression && !expression.startsWith(`${name} `)) {
      const type = typeOfExpression(
        api,
        expression.replace(/[({]$/, '()'),
        text.slice(0, given.index),
        depth + 1,
      );
      if (type) return type;
    }
  }
  if (name in LIBRARIES) return `lua:${name}`;
  return api.globals[name] ?? null;
}

/** The names of a chain, each with its call if it has one. */
function partsOf(expression: string): { name: string; call: string | null }[] {
  return [...expression.matchAll(new RegExp(`(${NAME})(${CALL})`, 'g'))].map(([, name, call]) => ({
    ...{ name, call: call || null },
  }));
}

/** The name of a type in a definition: `Texture?`, `Texture|string`, `Node[]` are Texture and Node. */
function named(api: LuaApi, type: string): string | null {
  return (
    type
      .split('|')
      .map((part) => part.replace(/[?\][]/g, ''))
      .find((part) => part in api.types) ?? null
  );
}

/** Where in a call the cursor stands: what is called, and its argument. */
interface Place {
  member: Member;
  /** Which argument, from 0. */
  argument: number;
  /** The argument list so far. */
  before: string;
}

/** The call whose argument list, or whose table, is open at the end of the text. */
function callAt(api: LuaApi, text: string): { place: Place; inTable: boolean } | null {
  let depth = 0;
  let argument = 0;
  let inTable = false;
  for (let i = text.length - 1; i >= 0 && text.length - i < 4000; i--) {
    const sign = text[i];
    if (')}]'.includes(sign)) depth++;
    else if ('({['.includes(sign)) {
      if (depth-- > 0) continue;
      depth = 0;
      const callee = new RegExp(`(${NAME}${CALL}(?:\\s*[.:]\\s*${NAME}${CALL})*)\\s*$`).exec(
        text.slice(0, i),
      );
      if (callee && !/\b(function|return|in|and|or|not)\s*$/.test(text.slice(0, i))) {
        const member = memberOf(api, callee[1], text.slice(0, i));
        if (member)
          return {
            place: { member, argument: sign === '(' ? argument : 0, before: text.slice(i + 1) },
            inTable: inTable || sign === '{',
          };
        if (sign === '(') return null;
      }
      if (inTable) return null;
      inTable = sign === '{';
      argument = 0;
    } else if (sign === ',' && depth === 0) argument++;
  }
  return null;
}

function memberOf(api: LuaApi, expression: string, text: string): Member | null {
  const parts = partsOf(expression);
  const last = parts.pop();
  if (!last || last.call || parts.length === 0) return null;
  const owner = expression.slice(0, expression.lastIndexOf(last.name)).replace(/\s*[.:]\s*$/, '');
  const type = typeOfExpression(api, owner, text);
  return allMembers(api, type ?? '').find(({ name }) => name === last.name) ?? null;
}

/** The type of the table that is open: of an argument, or of a component's fields. */
function tableType(api: LuaApi, { member, argument, before }: Place): string | null {
  const component = member.name === 'add' && /^\s*["'](\w+)["']/.exec(before)?.[1];
  if (component) return componentType(api, component);
  return named(api, member.params[argument]?.type ?? '');
}

function fieldsAt(api: LuaApi, text: string): Suggestion[] {
  if (!/[{,;]\s*$/.test(text)) return [];
  const call = callAt(api, text);
  if (!call?.inTable) return [];
  return allMembers(api, tableType(api, call.place) ?? '')
    .filter(({ kind, name }) => kind !== 'method' && name !== 'entity' && name !== 'state')
    .map((member) => ({ ...suggestionOf(member), type: 'property' as const, apply: `${member.name} = ` }));
}

/** What a string may be: one of an enum, a module, a component. */
function stringsAt(api: LuaApi, text: string): Suggestion[] {
  const suggest = (values: readonly string[], info?: string): Suggestion[] =>
    values.map((label) => ({ label, type: 'enum', info }));
  if (/\brequire\s*\(?\s*$/.test(text)) return suggest(Object.keys(api.modules));
  const call = callAt(api, text);
  const field = /(\w+)\s*=\s*$/.exec(text)?.[1];
  if (call?.inTable && field) {
    const member = allMembers(api, tableType(api, call.place) ?? '').find(({ name }) => name === field);
    return member ? suggest(valuesOf(api, member.type), member.doc) : [];
  }
  const direct = call ?? callWithString(api, text);
  if (!direct || direct.inTable) return [];
  const { member, argument } = direct.place;
  if (
    ['add', 'get', 'has', 'remove'].includes(member.name) &&
    argument === 0 &&
    /^name$/.test(member.params[0]?.name)
  )
    return suggest(componentsOf(api));
  return suggest(valuesOf(api, member.params[argument]?.type ?? ''));
}

/** `f "…"`, a call without brackets. */
function callWithString(api: LuaApi, text: string): { place: Place; inTable: boolean } | null {
  const callee = new RegExp(`(${NAME}(?:\\s*[.:]\\s*${NAME})+)\\s*$`).exec(text);
  const member = callee && memberOf(api, callee[1], text);
  return member ? { place: { member, argument: 0, before: '' }, inTable: false } : null;
}

const valuesOf = (api: LuaApi, type: string): string[] =>
  type.split('|').flatMap((part) => api.aliases[part.replace(/\?$/, '')] ?? literals(part));

/** The type of a component's instances: of its name, unless that is something else's. */
const componentType = (api: LuaApi, name: string): string | null =>
  [`${name}Component`, name].find((type) => isComponent(api, type)) ?? null;

const isComponent = (api: LuaApi, type: string): boolean =>
  api.types[type]?.parents.some((parent) => parent === 'Component' || parent === 'LuaComponent') ?? false;

/** What `component.add` knows. */
const componentsOf = (api: LuaApi): string[] =>
  Object.keys(api.types)
    .filter((name) => isComponent(api, name) && name !== 'LuaComponent')
    .map((name) => name.replace(/(.)Component$/, '$1'));

/** Globals, Lua's own words, and the names that the script has so far. */
function namesIn(api: LuaApi, text: string): Suggestion[] {
  const own = new Set<string>();
  for (const [, list] of text.matchAll(/\blocal\s+([\w\s,]+?)(?:=|\n|$)/g))
    for (const [name] of list.matchAll(/[A-Za-z_]\w*/g)) own.add(name);
  for (const [, name, list] of text.matchAll(/\bfunction\s*([\w.:]*)\s*\(([^)]*)\)/g)) {
    if (/^\w+$/.test(name)) own.add(name);
    for (const [each] of list.matchAll(/[A-Za-z_]\w*/g)) own.add(each);
  }
  for (const [, list] of text.matchAll(/\bfor\s+([\w\s,]+?)\s*(?:=|\bin\b)/g))
    for (const [name] of list.matchAll(/[A-Za-z_]\w*/g)) own.add(name);
  for (const word of KEYWORDS) own.delete(word);
  const known = new Set([...own]);
  const globals = Object.keys(api.globals).filter((name) => !known.has(name));
  return [
    ...[...own].map((label) => ({ label, type: 'variable' as const })),
    ...globals.map((label) => ({ label, type: 'namespace' as const, info: api.types[label]?.doc })),
    ...Object.keys(LIBRARIES).map((label) => ({ label, type: 'namespace' as const })),
    ...FUNCTIONS.map((label) => ({ label, type: 'function' as const })),
    ...KEYWORDS.map((label) => ({ label, type: 'keyword' as const })),
  ];
}
