// Values of components as a scene file's JSON holds them, and back. Called by sceneFile.ts.
import { MoonscapeError, refuse, show } from '../errors.js';
import { Texture } from '../texture/texture.js';
import { isCallable, NUMBER_KEYS } from './component.js';
import { Entity } from './entity.js';

/** A record that takes any name, also `__proto__`. */
export const emptyRecord = <T>(): Record<string, T> => Object.create(null) as Record<string, T>;

/** A value as JSON holds it: textures by path or guid. Functions and entities in tables are refused. */
export function encode(name: string, value: unknown): unknown {
  if (value instanceof Texture) {
    const reference = value.path ?? value.guid;
    if (reference === null)
      throw new MoonscapeError(
        `${name} must be a texture with a file, got ${value.describe()}; write it with texture.write first`,
      );
    return reference;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(name, 'each number', 'finite', value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, i) => encode(`${name}[${i + 1}]`, item));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype)
    throw new MoonscapeError(
      `${name} is ${isCallable(value) ? 'a function' : value instanceof Entity ? `the entity ${value}` : `a ${value.constructor.name}`}, which a scene file cannot hold there`,
    );
  return encodeRecord(name, value);
}

const isNumber = (key: string): boolean => Number.isFinite(Number(key)) && `${Number(key)}` === key;

/** Keys that are numbers are written as they read, so a string that reads as one is refused: `numberKeys` takes it for a number. */
export function encodeRecord(name: string, record: object): Record<string, unknown> {
  const { [NUMBER_KEYS]: numbers } = record as { [NUMBER_KEYS]?: ReadonlySet<string> };
  for (const key of Object.keys(record))
    if (isNumber(key) && !numbers?.has(key))
      throw new MoonscapeError(
        `${name} has the string ${show(key)} for a key, which a scene file cannot tell from the number`,
      );
  return Object.fromEntries(
    Object.entries(record).map(([key, item]) => [key, encode(`${name}.${key}`, item)]),
  );
}

/** A value of a file with the keys that are numbers marked, as encodeRecord wrote them. */
export function numberKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(numberKeys);
  const record = emptyRecord<unknown>();
  for (const [key, item] of Object.entries(value)) record[key] = numberKeys(item);
  const numbers = Object.keys(record).filter(isNumber);
  if (numbers.length > 0) Object.defineProperty(record, NUMBER_KEYS, { value: new Set(numbers) });
  return record;
}
