// The editor: CodeMirror with Lua, completion from our definitions, and the mark of an error in its line.
import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { suggest } from './completion.js';
import type { LuaApi } from './luaCats.js';

/** Colours are the page's: light and dark change with it. */
const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.atom], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' },
  { tag: [tags.standard(tags.variableName), tags.function(tags.variableName)], color: 'var(--code-builtin)' },
]);

const LOOK = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--code-size)', backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--accent)', paddingBlock: '10px' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--faint)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'var(--line)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selection) !important',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--match)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--match)', outline: 'none' },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--panel)',
    color: 'var(--text)',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '14em' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.65', marginLeft: '1em' },
  '.cm-completionInfo': {
    maxWidth: '26em',
    fontFamily: 'var(--sans)',
    lineHeight: '1.45',
    padding: '8px 10px',
  },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--error)' },
  '.cm-textfield, .cm-button': { fontSize: 'inherit' },
});

export interface EditorOptions {
  parent: HTMLElement;
  api: LuaApi;
  /** Ctrl+Enter, or Command+Enter. */
  run: () => void;
  changed: () => void;
}

export class Editor {
  readonly #view: EditorView;

  constructor({ parent, api, run, changed }: EditorOptions) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          ...[lineNumbers(), lintGutter(), history(), drawSelection(), highlightSpecialChars()],
          ...[highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches()],
          ...[indentOnInput(), bracketMatching(), closeBrackets(), search({ top: true })],
          ...[indentUnit.of('  '), EditorState.tabSize.of(2), EditorView.lineWrapping],
          StreamLanguage.define(lua),
          syntaxHighlighting(COLOURS),
          LOOK,
          autocompletion({
            icons: false,
            override: [
              ({ state, pos, explicit }) => {
                const found = suggest(api, state.sliceDoc(0, pos));
                // A list of everything comes by Ctrl+Space, or once a word has begun.
                if (
                  !found ||
                  (!explicit && found.from === pos && !/[.:"'{,]\s*$/.test(state.sliceDoc(0, pos)))
                )
                  return null;
                return {
                  from: found.from,
                  options: found.list.map(({ info, ...rest }) => ({ ...rest, ...(info ? { info } : {}) })),
                  validFor: /^[\w~.]*$/,
                };
              },
            ],
          }),
          keymap.of([
            { key: 'Mod-Enter', preventDefault: true, run: () => (run(), true) },
            { key: 'Tab', run: acceptCompletion },
            ...[
              ...closeBracketsKeymap,
              ...defaultKeymap,
              ...searchKeymap,
              ...historyKeymap,
              ...completionKeymap,
            ],
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({ 'aria-label': 'Lua script' }),
          EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
        ],
      }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Another text takes the place of all; it can be undone. */
  set text(text: string) {
    const { state } = this.#view;
    if (text === this.text) return;
    this.#view.dispatch({
      changes: { from: 0, to: state.doc.length, insert: text },
      selection: { anchor: 0 },
    });
    this.#view.scrollDOM.scrollTop = 0;
  }

  focus(): void {
    this.#view.focus();
  }

  /** Goes to a line, from 1 on. */
  goTo(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    });
    this.#view.focus();
  }

  /** Marks a line with what is wrong in it; null takes the mark away. */
  mark(error: { line: number; message: string } | null): void {
    const { state } = this.#view;
    const marks = [];
    if (error && error.line >= 1 && error.line <= state.doc.lines) {
      const { from, to } = state.doc.line(error.line);
      marks.push({ from, to, severity: 'error' as const, message: error.message });
    }
    this.#view.dispatch(setDiagnostics(state, marks));
  }
}
