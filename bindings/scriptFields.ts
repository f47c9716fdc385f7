// The fields that a Lua component declares, as the world's descriptions. Every fault names the component and the field.
import { checkOneOf, MoonscapeError, nearest, show, type Range } from '../runtime/errors.js';
import { checkValue, FIELD_KINDS, type FieldKind, type FieldType } from '../runtime/world/component.js';
import type { LuaRecord } from './vm/index.js';

const KEYS = ['type', 'default', 'range', 'optional', 'values', 'names', 'ordered', 'doc'];
/** What a field may not be called: these are there on every instance. */
export const RESERVED = ['entity', 'state', 'make'];

/**
 * The `fields` of a definition: a table of name -> { type, default?, range? = { low, high }, optional?, values?, doc? }, or of name -> a
 * plain number, boolean or string, which is the default and says the type. In the order of their names: a Lua table has none.
 */
export function readFields(where: string, fields: unknown): FieldType[] {
  if (fields === undefined) return [];
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    throw new MoonscapeError(`${where}: fields must be a table of name = { type = … }, got ${show(fields)}`);
  return Object.keys(fields)
    .sort()
    .map((name) => readField(`${where}: field ${show(name)}`, name, (fields as LuaRecord)[name]));
}

function readField(where: string, name: string, given: unknown): FieldType {
  if (!/^[A-Za-z_]\w*$/.test(name))
    throw new MoonscapeError(`${where} must have a name of letters, digits and _, beginning with no digit`);
  if (RESERVED.includes(name))
    throw new MoonscapeError(
      `${where} must have another name: each instance has ${RESERVED.join(', ')} already`,
    );
  if (typeof given === 'number' || typeof given === 'boolean' || typeof given === 'string')
    return { name, kind: typeof given as FieldKind, default: given, meaning: name };
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new MoonscapeError(
      `${where} must be { type = …, default = … } or a plain default, got ${show(given)}`,
    );
  const record = given as LuaRecord;
  for (const key of Object.keys(record)) {
    if (KEYS.includes(key)) continue;
    const near = nearest(key, KEYS);
    throw new MoonscapeError(
      `${where}: there is no key ${show(key)}${near ? ` (did you mean "${near}"?)` : ''}; the keys are ${KEYS.join(', ')}`,
    );
  }
  const kind = checkOneOf(where, 'type', record.type, FIELD_KINDS);
  const field: FieldType = {
    ...{ name, kind, meaning: typeof record.doc === 'string' ? record.doc : name },
    default: record.default,
    optional: flag(where, 'optional', record.optional),
    ordered: flag(where, 'ordered', record.ordered),
    range: readRange(where, kind, record.range),
    allowed: kind === 'enum' ? readWords(where, 'values', record.values) : undefined,
    names: record.names === undefined ? undefined : readPairNames(where, record.names),
  };
  // Here, and not where the first instance takes it.
  if (field.default !== undefined) checkValue(where, { ...field, name: 'default' }, field.default);
  return field;
}

function flag(where: string, name: string, value: unknown): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new MoonscapeError(`${where}: ${name} must be true or false, got ${show(value)}`);
}

/** `{ low, high }`, either of which may be math.huge; or { above = 0 }, { min = 1, max = 5 }. */
function readRange(where: string, kind: FieldKind, value: unknown): Range | undefined {
  if (value === undefined) return undefined;
  if (!['number', 'integer', 'pair'].includes(kind))
    throw new MoonscapeError(`${where}: range is for numbers, integers and pairs, not for type "${kind}"`);
  const rule = 'a range must be { low, high } or name some of min, max, above';
  if (Array.isArray(value)) {
    const [low, high] = value as unknown[];
    if (value.length !== 2 || typeof low !== 'number' || typeof high !== 'number' || !(low <= high))
      throw new MoonscapeError(`${where}: ${rule}, got ${show(value)}`);
    return {
      min: low === -Infinity ? undefined : low,
      max: high === Infinity ? undefined : high,
    };
  }
  const range = (typeof value === 'object' ? value : null) as Record<string, unknown> | null;
  const keys = Object.keys(range ?? {});
  if (
    keys.length === 0 ||
    keys.some((key) => !['min', 'max', 'above'].includes(key) || typeof range![key] !== 'number')
  )
    throw new MoonscapeError(`${where}: ${rule}, got ${show(value)}`);
  return { ...range } as Range;
}

function readWords(where: string, name: string, value: unknown): string[] {
  if (Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string'))
    return value;
  throw new MoonscapeError(`${where}: ${name} must be a list of strings, got ${show(value)}`);
}

function readPairNames(where: string, value: unknown): readonly [string, string] {
  const [first, second, ...rest] = readWords(where, 'names', value);
  if (second === undefined || rest.length > 0)
    throw new MoonscapeError(`${where}: names must be two strings, got ${show(value)}`);
  return [first, second];
}
