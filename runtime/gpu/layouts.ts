// Where the fields of a shader's structs lie. The build reads them out of the WGSL (scripts/text.mjs), so that nothing is typed by hand
// and nothing is parsed at run time; each shader's module hands its own over when it loads.

/** Words of one kind: `f`, `u` or `i` and their number, padding included (`f16` is a mat4x4f, `f12` a mat3x3f). */
export type WordsLayout = string;

export interface StructLayout {
  /** Bytes. */
  readonly size: number;
  /** Byte offset and layout of each field. */
  readonly fields: Readonly<Record<string, readonly [offset: number, layout: Layout]>>;
}

export interface ArrayLayout {
  /** 0 for one that is as long as its buffer. */
  readonly count: number;
  /** Bytes from one item to the next. */
  readonly stride: number;
  readonly of: Layout;
}

export type Layout = WordsLayout | StructLayout | ArrayLayout;

const known = new Map<string, Readonly<Record<string, Layout>>>();

/** Keeps the layouts of the structs that a shader's file declares. Modules of shaders call it. */
export function remember(text: string, layouts: unknown): void {
  known.set(text, layouts as Record<string, Layout>);
}

/** The layout of a struct of a shader's file, by the text that its module exports. */
export function layoutOf(text: string, name: string): StructLayout {
  const layout = known.get(text)?.[name];
  if (typeof layout !== 'object' || !('fields' in layout))
    throw new Error(`the shader's file declares no struct ${name} of its own`);
  return layout;
}

/** The layout of a list that a shader's file binds as a uniform, by the variable's name. */
export function listLayoutOf(text: string, name: string): ArrayLayout {
  const layout = known.get(text)?.[name];
  if (typeof layout !== 'object' || !('count' in layout))
    throw new Error(`the shader's file binds no list ${name}`);
  return layout;
}
