// Pointers as gestures: one that is dragged, or two fingers that pull, turn and move together. What the three kinds of controls
// have in common; each says what a gesture does.
import type { InputEvent, Modifiers, PointerInput, PointerKind } from '../input/events.js';
import type { Button } from '../input/keys.js';

/** A pointer dragged by (dx, dy) pixels to (x, y). */
export interface Drag extends Modifiers {
  kind: 'drag';
  pointer: PointerKind;
  button: Button;
  x: number;
  y: number;
  dx: number;
  dy: number;
}

/** Two fingers: their middle went by (dx, dy) to (x, y), they are `spread` times as far apart, turned by `twist` (radians, clockwise). */
export interface Pinch {
  kind: 'pinch';
  x: number;
  y: number;
  dx: number;
  dy: number;
  spread: number;
  twist: number;
}

/** A drag begins here: for what is held under the pointer. */
export interface Grab extends Modifiers {
  kind: 'grab';
  pointer: PointerKind;
  button: Button;
  x: number;
  y: number;
}

export interface Wheel extends Modifiers {
  kind: 'wheel';
  x: number;
  y: number;
  turn: number;
  pinch: boolean;
}

/** All pointers are up. */
export interface Rest {
  kind: 'rest';
}

export type Gesture = Drag | Pinch | Grab | Wheel | Rest;

interface Held {
  x: number;
  y: number;
  button: Button;
  pointer: PointerKind;
}

/** Fingers nearer to each other than this, pixels, give no spread: it would be a ratio of roundings. */
const LEAST_APART = 8;

/** Reads gestures off events, one at a time. */
export class Gestures {
  private readonly held = new Map<number, Held>();

  /** Whether a pointer is down. */
  get dragging(): boolean {
    return this.held.size > 0;
  }

  /** What an event means, or null where it means nothing to a camera. */
  read(event: InputEvent): Gesture | null {
    switch (event.type) {
      case 'wheel': {
        const { x, y, turn, pinch = false } = event;
        return { kind: 'wheel', x, y, turn, pinch, ...modifiersOf(event) };
      }
      case 'blur': {
        const held = this.dragging;
        this.held.clear();
        return held ? { kind: 'rest' } : null;
      }
      case 'down':
        return this.down(event);
      case 'move':
        return this.move(event);
      case 'up':
      case 'cancel':
        // The drag goes on until its own button is up, whatever else is clicked meanwhile.
        if (event.type === 'up' && event.button && event.button !== this.held.get(event.id)?.button)
          return null;
        return this.held.delete(event.id) && !this.dragging ? { kind: 'rest' } : null;
      default:
        return null;
    }
  }

  private down(event: PointerInput): Gesture | null {
    const { id, pointer, x, y, button = 'mouseLeft' } = event;
    if (this.held.has(id) || this.held.size === 2) return null;
    // A mouse beside a finger: the one that came first has the camera.
    for (const other of this.held.values()) if (other.pointer !== 'touch' || pointer !== 'touch') return null;
    this.held.set(id, { x, y, button, pointer });
    return this.held.size === 1
      ? { kind: 'grab', pointer, button, x, y, ...modifiersOf(event) }
      : { kind: 'rest' };
  }

  private move(event: PointerInput): Gesture | null {
    const { id, x, y } = event;
    const held = this.held.get(id);
    if (!held) return null;
    const from = { ...held };
    held.x = x;
    held.y = y;
    const [dx, dy] = [x - from.x, y - from.y];
    if (dx === 0 && dy === 0) return null;
    if (this.held.size === 1) {
      const { pointer, button } = held;
      return { kind: 'drag', pointer, button, x, y, dx, dy, ...modifiersOf(event) };
    }
    const other = [...this.held.values()].find((each) => each !== held)!;
    const before = { x: from.x - other.x, y: from.y - other.y };
    const after = { x: x - other.x, y: y - other.y };
    const apart = Math.hypot(before.x, before.y);
    const near = apart < LEAST_APART || Math.hypot(after.x, after.y) < LEAST_APART;
    const across = before.x * after.y - before.y * after.x;
    const along = before.x * after.x + before.y * after.y;
    return {
      kind: 'pinch',
      ...{ x: (x + other.x) / 2, y: (y + other.y) / 2, dx: dx / 2, dy: dy / 2 },
      spread: near ? 1 : Math.hypot(after.x, after.y) / apart,
      twist: near ? 0 : Math.atan2(across, along),
    };
  }
}

const modifiersOf = ({ shift, ctrl, alt, meta }: Modifiers): Modifiers => ({ shift, ctrl, alt, meta });
