// Names of keys and buttons, as scripts and controls say them. A key is a place on the keyboard, called by what stands there on
// an American one: "w" is above "s" on every keyboard. The codes are those of the W3C's UI Events KeyboardEvent code values.

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'] as const;
const DIGITS = [...'0123456789'] as const;
const FUNCTIONS = Array.from({ length: 12 }, (_, i) => `f${i + 1}`);

/** Codes of the other keys; the two keys of a pair (both Shifts) are one. */
const NAMED: Readonly<Record<string, string>> = {
  Space: 'space',
  Enter: 'enter',
  NumpadEnter: 'enter',
  Escape: 'escape',
  Tab: 'tab',
  Backspace: 'backspace',
  Delete: 'delete',
  Insert: 'insert',
  Home: 'home',
  End: 'end',
  PageUp: 'pageUp',
  PageDown: 'pageDown',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ShiftLeft: 'shift',
  ShiftRight: 'shift',
  ControlLeft: 'ctrl',
  ControlRight: 'ctrl',
  AltLeft: 'alt',
  AltRight: 'alt',
  MetaLeft: 'meta',
  MetaRight: 'meta',
  Minus: '-',
  NumpadSubtract: '-',
  Equal: '=',
  NumpadAdd: '=',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Semicolon: ';',
  Quote: "'",
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
  Backquote: '`',
};

export type Key = string;
export type Button = 'mouseLeft' | 'mouseMiddle' | 'mouseRight' | 'mouseBack' | 'mouseForward';

/** In the order of the DOM's `MouseEvent.button`. */
export const BUTTONS: readonly Button[] = [
  'mouseLeft',
  'mouseMiddle',
  'mouseRight',
  'mouseBack',
  'mouseForward',
];

export const KEYS: readonly Key[] = [...LETTERS, ...DIGITS, ...new Set(Object.values(NAMED)), ...FUNCTIONS];

/** The key of a `KeyboardEvent.code`, or null for one without a name here. */
export function keyOfCode(code: string): Key | null {
  const place = /^(?:Key([A-Z])|(?:Digit|Numpad)([0-9])|(F(?:[1-9]|1[0-2])))$/.exec(code);
  if (place) return (place[1] ?? place[2] ?? place[3]).toLowerCase();
  return Object.hasOwn(NAMED, code) ? NAMED[code] : null;
}
