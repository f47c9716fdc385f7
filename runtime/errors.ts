// The one place where argument checks and their messages are made. A message names the thing, the rule and the value:
// `terrainMesh.create: maxNodes must be an integer in 4..4096, got -3`.

/** An error that a person's input or machine caused; its message is fit to be shown as it is. */
export class MoonscapeError extends Error {
  override name = 'MoonscapeError';
}

/** Raised where no WebGPU adapter can be had; the message says how to get one. */
export class NoAdapterError extends MoonscapeError {
  override name = 'NoAdapterError';
}

/** A value as an error message shows it: short, on one line, with its kind where that is what went wrong. */
export function show(value: unknown): string {
  return showWithin(value, 4);
}

/** `depth`: how many levels of lists and tables are still shown. */
function showWithin(value: unknown, depth: number): string {
  if (typeof value === 'string') return value.length > 60 ? `"${value.slice(0, 57)}…"` : `"${value}"`;
  if (value === undefined || value === null) return 'nothing';
  if (typeof value === 'function') return 'a function';
  const inner = (item: unknown) => showWithin(item, depth - 1);
  if (Array.isArray(value))
    return value.length > 6 || depth === 0
      ? `a list of ${value.length}`
      : `{ ${value.map(inner).join(', ')} }`;
  if (typeof value === 'object') {
    const entries = Object.entries(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if ((prototype !== Object.prototype && prototype !== null) || entries.length > 6 || depth === 0)
      return `a ${value.constructor?.name ?? 'table'}`;
    return `{ ${entries.map(([key, item]) => `${key} = ${inner(item)}`).join(', ')} }`;
  }
  return String(value);
}

/** Throws `<where>: <name> must be <rule>, got <value>`. `where` is `<module>.<function>`. */
export function refuse(where: string, name: string, rule: string, value: unknown): never {
  throw new MoonscapeError(`${where}: ${name} must be ${rule}, got ${show(value)}`);
}

/** Bounds of a number: inclusive unless `above`. */
export interface Range {
  min?: number;
  max?: number;
  /** The number must be greater than this. */
  above?: number;
}

/** The rule of a number as a message says it: `an integer in 4..4096`. */
export function ruleOf(kind: string, { min, max, above }: Range): string {
  if (above !== undefined) return `${kind} above ${above}${max === undefined ? '' : `, at most ${max}`}`;
  if (min !== undefined && max !== undefined) return `${kind} in ${min}..${max}`;
  if (min !== undefined) return `${kind} of at least ${min}`;
  return max === undefined ? kind : `${kind} of at most ${max}`;
}

/** Whether a number keeps to `range`. */
export const within = (value: number, { min, max, above }: Range) =>
  (min === undefined || value >= min) &&
  (max === undefined || value <= max) &&
  (above === undefined || value > above);

/** Returns `value` if it is a finite number within `range`; refuses it otherwise. */
export function checkNumber(where: string, name: string, value: unknown, range: Range = {}): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || !within(value, range))
    refuse(where, name, ruleOf('a finite number', range), value);
  return value;
}

/** Returns `value` if it is a whole number within `range`; refuses it otherwise. */
export function checkInteger(where: string, name: string, value: unknown, range: Range = {}): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || !within(value, range))
    refuse(where, name, ruleOf('an integer', range), value);
  return value;
}

/** Returns `value` if it is one of `allowed`; refuses it otherwise, listing them. */
export function checkOneOf<T extends string>(
  where: string,
  name: string,
  value: unknown,
  allowed: readonly T[],
): T {
  if (!allowed.includes(value as T))
    refuse(where, name, `one of ${allowed.map((item) => `"${item}"`).join(', ')}`, value);
  return value as T;
}

/** Refuses a field of `record` that is not in `allowed`, naming the nearest one. */
export function checkFields(where: string, record: object, allowed: readonly string[]): void {
  for (const key of Object.keys(record)) {
    if (allowed.includes(key)) continue;
    const near = nearest(key, allowed);
    throw new MoonscapeError(
      `${where}: there is no field ${show(key)}${near ? ` (did you mean "${near}"?)` : ''}; the fields are ${allowed.join(', ')}`,
    );
  }
}

/** The member of `allowed` within two edits of `word`, or undefined. */
export function nearest(word: string, allowed: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = 3;
  for (const candidate of allowed) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Levenshtein's distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}
