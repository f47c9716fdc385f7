// What a person does to a view, as plain values: a page makes them of DOM events (host/domInput.ts), a spec or another program
// writes them down. They can be posted to a worker as they are. Places are pixels of the picture, from its upper left corner.
import { checkFields, checkNumber, checkOneOf, refuse } from '../errors.js';
import { BUTTONS, KEYS, type Button, type Key } from './keys.js';

export const POINTERS = ['mouse', 'pen', 'touch'] as const;
export type PointerKind = (typeof POINTERS)[number];

/** Keys that change what others do; held while the event happened. */
export interface Modifiers {
  shift?: boolean;
  ctrl?: boolean;
  alt?: boolean;
  meta?: boolean;
}

/** A finger, pen or mouse that went down, moved, went up, or was taken by the system (`cancel`). */
export interface PointerInput extends Modifiers {
  type: 'down' | 'move' | 'up' | 'cancel';
  /** Tells fingers apart, from down to up. */
  id: number;
  pointer: PointerKind;
  x: number;
  y: number;
  /** Which button went down or up; a finger's and a pen's tip is `mouseLeft`. Not there when it moved. */
  button?: Button;
}

/** The wheel, or two fingers on a touchpad. `pinch`: the touchpad's pinch. */
export interface WheelInput extends Modifiers {
  type: 'wheel';
  x: number;
  y: number;
  /** Turned away from the person: above 0. A notch of a common mouse is 1. */
  turn: number;
  pinch?: boolean;
}

export interface KeyInput extends Modifiers {
  type: 'keydown' | 'keyup';
  key: Key;
}

/** The view lost the keyboard or went out of sight: everything held counts as let go. */
export interface BlurInput {
  type: 'blur';
}

export type InputEvent = PointerInput | WheelInput | KeyInput | BlurInput;

const MODIFIERS = ['shift', 'ctrl', 'alt', 'meta'] as const;
const FIELDS: Record<InputEvent['type'], readonly string[]> = {
  ...{ down: pointerFields(), move: pointerFields(), up: pointerFields(), cancel: pointerFields() },
  wheel: ['type', 'x', 'y', 'turn', 'pinch', ...MODIFIERS],
  ...{ keydown: ['type', 'key', ...MODIFIERS], keyup: ['type', 'key', ...MODIFIERS] },
  blur: ['type'],
};

function pointerFields(): readonly string[] {
  return ['type', 'id', 'pointer', 'x', 'y', 'button', ...MODIFIERS];
}

/** Returns `event` if it is one; refuses it otherwise, naming the field. */
export function checkEvent(where: string, event: InputEvent): InputEvent {
  if (typeof event !== 'object' || event === null) refuse(where, 'event', 'an input event', event);
  checkOneOf(where, 'type', event.type, Object.keys(FIELDS) as InputEvent['type'][]);
  checkFields(where, event, FIELDS[event.type]);
  for (const name of [...MODIFIERS, 'pinch'] as const) {
    const value = (event as unknown as Record<string, unknown>)[name];
    if (value !== undefined && typeof value !== 'boolean') refuse(where, name, 'true or false', value);
  }
  switch (event.type) {
    case 'blur':
      return event;
    case 'keydown':
    case 'keyup':
      checkOneOf(where, 'key', event.key, KEYS);
      return event;
    case 'wheel':
      checkNumber(where, 'turn', event.turn);
      break;
    default:
      checkNumber(where, 'id', event.id);
      checkOneOf(where, 'pointer', event.pointer, POINTERS);
      if (event.button !== undefined) checkOneOf(where, 'button', event.button, BUTTONS);
  }
  checkNumber(where, 'x', event.x);
  checkNumber(where, 'y', event.y);
  return event;
}
