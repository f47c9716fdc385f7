// What a person does to an element of a page, as the engine's events: pointers, wheel and keys, in pixels of the picture. The element's own
// look (focus, touch-action) is its owner's.
import type { InputEvent, Modifiers, PointerInput, PointerKind } from '../input/events.js';
import { BUTTONS, keyOfCode } from '../input/keys.js';

export interface DomInputOptions {
  /** Gets each event. */
  feed: (event: InputEvent) => void;
  /** The picture's size, pixels: places are scaled from the element's box to it. */
  size: () => { readonly width: number; readonly height: number };
  /** Whether the camera takes the wheel, the right button and the arrows, which the page then does not get. */
  captures: () => boolean;
}

/** Keys that would scroll the page. */
const SCROLLING = new Set(['up', 'down', 'left', 'right', 'pageUp', 'pageDown', 'home', 'end', 'space']);
/** Of a wheel event's units, how many make a notch: pixels, lines, pages. */
const PER_NOTCH = [100, 3, 1];
/** A touchpad's pinch comes as a wheel with Ctrl, in small steps; one of a real wheel is no more than this, notches. */
const PINCH_PER_NOTCH = 10;
const MOST_PINCH = 2;

/** Listens on an element. Returns what ends it; that lets go of all that is held. */
export function listenTo(element: HTMLElement, { feed, size, captures }: DomInputOptions): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  /** Buttons that are down, by pointer: a mouse's second button comes as a move. */
  const buttons = new Map<number, number>();
  const keys = new Set<string>();

  const place = (event: MouseEvent) => {
    const box = element.getBoundingClientRect();
    const { width, height } = size();
    return {
      x: ((event.clientX - box.left) / (box.width || 1)) * width,
      y: ((event.clientY - box.top) / (box.height || 1)) * height,
    };
  };

  const pointer = (event: PointerEvent) => {
    const { pointerId: id, pointerType } = event;
    const kind: PointerKind = pointerType === 'touch' || pointerType === 'pen' ? pointerType : 'mouse';
    const base = { id, pointer: kind, ...place(event), ...modifiersOf(event) };
    const send = (type: PointerInput['type'], bit?: number) =>
      feed({ ...base, type, ...(bit === undefined ? {} : { button: BUTTONS[DOM_ORDER[bit]] }) });
    const gone = event.type === 'pointercancel';
    const before = buttons.get(id) ?? 0;
    const after = gone || event.type === 'pointerup' ? 0 : event.buttons;
    if (event.type === 'pointermove') send('move');
    for (let bit = 0; bit < DOM_ORDER.length; bit++) {
      const mask = 1 << bit;
      if ((after & mask) !== 0 && (before & mask) === 0) send('down', bit);
      else if ((before & mask) !== 0 && (after & mask) === 0 && !gone) send('up', bit);
    }
    if (gone && before !== 0) send('cancel');
    if (after === 0) buttons.delete(id);
    else buttons.set(id, after);
  };

  const release = () => {
    buttons.clear();
    keys.clear();
    feed({ type: 'blur' });
  };

  const on = <K extends keyof HTMLElementEventMap>(
    name: K,
    listener: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ) => element.addEventListener(name, listener, { signal, ...options });

  on('pointerdown', (event) => {
    // A press that the page already took (a button over the view) is none of ours.
    if (event.defaultPrevented) return;
    element.focus({ preventScroll: true });
    // The drag goes on outside of the element. A pointer that is already gone cannot be captured.
    if (element.isConnected && event.isTrusted) element.setPointerCapture(event.pointerId);
    // The middle button would begin the browser's own scrolling.
    if (event.button === 1 && captures()) event.preventDefault();
    pointer(event);
  });
  for (const name of ['pointermove', 'pointerup', 'pointercancel'] as const) on(name, pointer);
  on('contextmenu', (event) => {
    if (captures()) event.preventDefault();
  });
  on(
    'wheel',
    (event) => {
      const pinch = event.ctrlKey;
      const notches = -event.deltaY / (pinch ? PINCH_PER_NOTCH : (PER_NOTCH[event.deltaMode] ?? 1));
      const turn = pinch ? Math.min(Math.max(notches, -MOST_PINCH), MOST_PINCH) : notches;
      if (captures()) event.preventDefault();
      if (turn !== 0) feed({ type: 'wheel', ...place(event), turn, pinch, ...modifiersOf(event) });
    },
    { passive: false },
  );
  on('keydown', (event) => {
    const key = keyOfCode(event.code);
    if (!key || event.isComposing || event.defaultPrevented) return;
    if (captures() && SCROLLING.has(key) && !event.ctrlKey && !event.metaKey && !event.altKey)
      event.preventDefault();
    if (event.repeat) return;
    keys.add(key);
    feed({ type: 'keydown', key, ...modifiersOf(event) });
  });
  on('keyup', (event) => {
    const key = keyOfCode(event.code);
    if (!key) return;
    // macOS tells of no key that goes up while Command is held.
    for (const each of key === 'meta' ? [...keys] : [key]) {
      keys.delete(each);
      feed({ type: 'keyup', key: each, ...modifiersOf(event) });
    }
  });
  on('blur', release);
  addEventListener('blur', release, { signal });
  document.addEventListener('visibilitychange', () => document.hidden && release(), { signal });
  return () => {
    ended.abort();
    release();
  };
}

/** The bits of `PointerEvent.buttons` (left, right, middle, back, forward) in the order of `MouseEvent.button`. */
const DOM_ORDER = [0, 2, 1, 3, 4];

const modifiersOf = ({ shiftKey, ctrlKey, altKey, metaKey }: MouseEvent | KeyboardEvent): Modifiers => ({
  ...{ shift: shiftKey, ctrl: ctrlKey, alt: altKey, meta: metaKey },
});
