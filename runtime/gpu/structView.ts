// A struct of a shader, or a list of them, in an ArrayBuffer, written by field names. Its layout is the shader's own (layouts.ts).
import type { ArrayLayout, Layout, StructLayout } from './layouts.js';

export type Words = Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;

/** Words by field, structs and lists in their nesting. */
export interface FieldViews {
  readonly [name: string]: Words | FieldViews | readonly (Words | FieldViews)[];
}

const ARRAYS = { f: Float32Array, u: Uint32Array, i: Int32Array };

/** Views of the fields of one struct at `offset` (bytes) of `buffer`. */
export function viewsOf({ fields }: StructLayout, buffer: ArrayBuffer, offset = 0): FieldViews {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.map(([name, [at, layout]]) => [name, view(layout, buffer, offset + at)]));
}

function view(layout: Layout, buffer: ArrayBuffer, offset: number): FieldViews[string] {
  if (typeof layout === 'string') {
    const Words = ARRAYS[layout[0] as keyof typeof ARRAYS];
    return new Words(buffer, offset, Number(layout.slice(1)));
  }
  if ('fields' in layout) return viewsOf(layout, buffer, offset);
  return Array.from(
    { length: layout.count },
    (_, i) => view(layout.of, buffer, offset + i * layout.stride) as Words | FieldViews,
  );
}

/** One struct with a buffer of its own. */
export class StructView {
  readonly arrayBuffer: ArrayBuffer;

  constructor(private readonly layout: StructLayout) {
    this.arrayBuffer = new ArrayBuffer(layout.size);
    this.views = viewsOf(layout, this.arrayBuffer);
  }

  readonly views: FieldViews;

  /** Makes every field 0. */
  clear(): void {
    new Uint8Array(this.arrayBuffer).fill(0);
  }

  /** Sets fields by name: numbers, lists of them, records of structs, lists of items. What is left out stays as it is. */
  set(values: Readonly<Record<string, unknown>>): void {
    setFields(this.layout, this.views, values);
  }
}

function setFields(
  { fields }: StructLayout,
  views: FieldViews,
  values: Readonly<Record<string, unknown>>,
): void {
  for (const name in fields) {
    const value = values[name];
    if (value !== undefined) setField(fields[name][1], views[name], value, name);
  }
}

function setField(layout: Layout, target: FieldViews[string], value: unknown, name: string): void {
  if (typeof layout === 'string') setWords(target as Words, value, name);
  else if ('fields' in layout)
    setFields(layout, target as FieldViews, value as Readonly<Record<string, unknown>>);
  else setItems(layout, target as readonly (Words | FieldViews)[], value as ArrayLike<unknown>, name);
}

function setWords(words: Words, value: unknown, name: string): void {
  if (typeof value === 'number') words[0] = value;
  else {
    const list = value as ArrayLike<number>;
    if (list.length !== words.length)
      throw new Error(`the field ${name} takes ${words.length} numbers, got ${list.length}`);
    words.set(list);
  }
}

/** The first items of a list; numbers in one row are dealt out in turn. */
function setItems(
  { of }: ArrayLayout,
  items: readonly (Words | FieldViews)[],
  value: ArrayLike<unknown>,
  name: string,
): void {
  if (typeof of === 'string' && typeof value[0] === 'number') {
    const each = (items[0] as Words).length;
    const list = value as ArrayLike<number>;
    for (let i = 0; i < list.length; i++) (items[Math.floor(i / each)] as Words)[i % each] = list[i];
    return;
  }
  for (let i = 0; i < value.length; i++) setField(of, items[i], value[i], `${name}[${i}]`);
}
