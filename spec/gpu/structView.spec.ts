// Structs written by field names, held to webgpu-utils, which reflects WGSL by itself: the same values, the same bytes.
import { expect } from 'chai';
import fc from 'fast-check';
import { readdirSync } from 'node:fs';
import { makeShaderDataDefinitions, makeStructuredView } from 'webgpu-utils';
import { layoutOf, remember, type Layout, type StructLayout } from '../../runtime/gpu/layouts.js';
import { StructView } from '../../runtime/gpu/structView.js';
import { packWgsl, readText, textModule } from '../../scripts/text.mjs';

const FILES = readdirSync('shaders', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.wgsl'))
  .map((name) => `shaders/${name}`);

/** The layouts that a shader's module hands over. */
function layoutsOf(path: string): Record<string, StructLayout> {
  const said = /^remember\(text, (.*)\);$/m.exec(textModule(path, { specifier: String }))?.[1];
  const layouts = Object.entries(said ? (JSON.parse(said) as Record<string, StructLayout>) : {});
  return Object.fromEntries(layouts.filter(([, layout]) => 'fields' in layout));
}

/** Random values of a layout. */
function valuesOf(layout: Layout): fc.Arbitrary<unknown> {
  if (typeof layout === 'string') {
    const words = Number(layout.slice(1));
    const number = layout[0] === 'f' ? fc.float({ noNaN: true }) : fc.integer({ min: 0, max: 2 ** 31 - 1 });
    return words === 1 ? number : fc.array(number, { minLength: words, maxLength: words });
  }
  if ('fields' in layout)
    return fc.record(
      Object.fromEntries(Object.entries(layout.fields).map(([name, [, type]]) => [name, valuesOf(type)])),
    );
  return fc.array(valuesOf(layout.of), { minLength: layout.count, maxLength: layout.count });
}

describe('StructView', () => {
  const named = FILES.flatMap((file) =>
    Object.entries(layoutsOf(file)).map(([name, layout]) => ({ file, name, layout })),
  );

  it('knows the structs that shaders share with the processor', () => {
    expect(named.map(({ name }) => name)).to.include.members([
      'Frame',
      'Ground',
      'Object',
      'Water',
      'TerrainCut',
    ]);
  });

  for (const { file, name, layout } of named) {
    // A list without an end has no view of its own.
    if (JSON.stringify(layout).includes('"count":0')) continue;
    it(`writes ${name} of ${file} as webgpu-utils does`, () => {
      // Not the text itself: what its own module has handed over stays.
      const text = `${readText(file)}\n// ${name}`;
      remember(text, { [name]: layout });
      const definition = makeShaderDataDefinitions(text).structs[name];
      fc.assert(
        fc.property(valuesOf(layout), (values) => {
          const [own, theirs] = [new StructView(layoutOf(text, name)), makeStructuredView(definition)];
          own.set(values as Record<string, unknown>);
          theirs.set(values as never);
          expect(new Uint8Array(own.arrayBuffer)).to.deep.equal(new Uint8Array(theirs.arrayBuffer));
        }),
        { numRuns: 5 },
      );
    });
  }

  it('keeps what is left out, and refuses a list of another length by the field’s name', () => {
    const layout: StructLayout = { size: 32, fields: { a: [0, 'f3'], b: [12, 'u1'], c: [16, 'f4'] } };
    const view = new StructView(layout);
    view.set({ a: [1, 2, 3], b: 7 });
    view.set({ c: [4, 5, 6, 7], other: 'nothing of it' });
    expect([...new Float32Array(view.arrayBuffer, 0, 3)]).to.deep.equal([1, 2, 3]);
    expect(new Uint32Array(view.arrayBuffer)[3]).to.equal(7);
    expect(() => view.set({ a: [1, 2] })).to.throw('the field a takes 3 numbers, got 2');
    expect(() => layoutOf('no shader', 'Frame')).to.throw(/declares no struct Frame/);
  });

  it('is packed without a change of meaning: what is left are the same words and signs', () => {
    const words = (text: string) =>
      text
        .replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, '')
        .replace(/\s+/g, ' ')
        .match(/\w+|[^\w\s]/g)!
        .join(' ');
    for (const file of FILES) {
      const packed = packWgsl(readText(file));
      expect(words(packed), file).to.equal(words(readText(file)));
      expect(packed, file).not.to.match(/\/\/|^\s|\n\n/);
      // Signs that stood apart are not read as one.
      const joined = (text: string) =>
        text.replace(/\/\/[^\n]*/g, '').match(/--|\+\+|<<|>>|&&|\|\||->|[-+*/%=<>!]=/g) ?? [];
      expect(joined(packed), file).to.deep.equal(joined(readText(file)));
    }
  });
});
