// What a person holds and has done since the last frame, as scripts ask for it. Events come at any time and are queued; `begin`,
// which the runtime calls at the head of each frame, makes them the frame's. Nothing of it knows a page.
import { MoonscapeError, nearest, show } from '../errors.js';
import { checkEvent, type InputEvent, type PointerInput } from './events.js';
import { BUTTONS, KEYS, type Button, type Key } from './keys.js';

/** Events kept between two frames: beyond them the oldest moves go, so that a view that is not drawn holds no more. */
const MOST_EVENTS = 1024;
/** Fingers followed at once. */
const MOST_TOUCHES = 32;

export interface PointerState {
  /** Pixels of the picture, from its upper left corner; where it was last seen. */
  x: number;
  y: number;
  /** Pixels since the last frame. */
  dx: number;
  dy: number;
}

export interface TouchState extends PointerState {
  id: number;
}

const NAMES = [...KEYS, ...BUTTONS];
const KNOWN: ReadonlySet<string> = new Set(NAMES);

/** The input of one view. It holds no resources and needs no freeing. */
export class Input {
  private queue: InputEvent[] = [];
  private readonly held = new Set<string>();
  private readonly went = { down: new Set<string>(), up: new Set<string>() };
  /** Buttons by pointer: a second finger does not hold the first one's. */
  private readonly holders = new Map<number, Set<Button>>();
  private readonly fingers = new Map<number, TouchState>();
  /** The pointer whose place `pointer` is. */
  private leader: number | null = null;
  private seen = false;
  private place: PointerState = { x: 0, y: 0, dx: 0, dy: 0 };
  private turned = 0;

  /** Queues an event for the next frame; anything that is no event is refused, and nothing of it stays. */
  feed(event: InputEvent): void {
    checkEvent('input.feed', event);
    this.queue.push({ ...event });
    if (this.queue.length <= MOST_EVENTS) return;
    const move = this.queue.findIndex(({ type }) => type === 'move' || type === 'wheel');
    this.queue.splice(Math.max(move, 0), 1);
  }

  /** Whether events wait for a frame. */
  get pending(): boolean {
    return this.queue.length > 0;
  }

  /** Whether anything is held: a frame with it may differ from the one before. */
  get holding(): boolean {
    return this.held.size > 0 || this.fingers.size > 0;
  }

  /** Begins a frame: what was queued is now its own. Answers the events, in their order. */
  begin(): readonly InputEvent[] {
    this.went.down.clear();
    this.went.up.clear();
    this.turned = 0;
    this.place.dx = this.place.dy = 0;
    for (const finger of this.fingers.values()) finger.dx = finger.dy = 0;
    const events = this.queue;
    if (events.length === 0) return events;
    this.queue = [];
    for (const event of events) this.take(event);
    return events;
  }

  /** Whether a key or button is held. `where` is the caller, for the message about a name that there is not. */
  isDown(name: string, where = 'input.isDown'): boolean {
    return this.held.has(checkName(where, name));
  }

  /** Whether it went down since the last frame, even if it is up again. */
  wasPressed(name: string, where = 'input.wasPressed'): boolean {
    return this.went.down.has(checkName(where, name));
  }

  /** Whether it went up since the last frame. */
  wasReleased(name: string, where = 'input.wasReleased'): boolean {
    return this.went.up.has(checkName(where, name));
  }

  /** 1 while `positive` is held, -1 while `negative` is, 0 for both and for none. */
  axis(negative: string, positive: string): number {
    const low = this.isDown(negative, 'input.axis');
    const high = this.isDown(positive, 'input.axis');
    return Number(high) - Number(low);
  }

  /** Where the mouse, the pen or the first finger was last, and how far it came in this frame. */
  get pointer(): Readonly<PointerState> {
    return this.place;
  }

  /** Notches that the wheel turned in this frame, away from the person above 0. */
  get wheel(): number {
    return this.turned;
  }

  /** The fingers on the view, in the order in which they came. */
  get touches(): readonly Readonly<TouchState>[] {
    return [...this.fingers.values()];
  }

  private take(event: InputEvent): void {
    switch (event.type) {
      case 'blur':
        for (const name of this.held) this.went.up.add(name);
        this.held.clear();
        this.holders.clear();
        this.fingers.clear();
        return;
      case 'keydown':
        return this.press(event.key);
      case 'keyup':
        return this.release(event.key);
      case 'wheel':
        this.turned += event.turn;
        return;
      default:
        return this.takePointer(event);
    }
  }

  private takePointer(event: PointerInput): void {
    const { type, id, pointer, x, y, button = 'mouseLeft' } = event;
    // The first finger is the pointer until all are up; others are fingers only.
    if (pointer !== 'touch' || (type === 'down' && this.fingers.size === 0)) this.leader = id;
    if (pointer === 'touch') this.takeFinger(event);
    if (id === this.leader) {
      const { place } = this;
      // A finger or pen that comes down elsewhere has not travelled there, and nor has a mouse that comes in.
      const travelled = this.seen && (pointer === 'mouse' || type !== 'down');
      this.seen = true;
      this.place = {
        ...{ x, y },
        dx: place.dx + (travelled ? x - place.x : 0),
        dy: place.dy + (travelled ? y - place.y : 0),
      };
    }
    if (type === 'down') {
      const holds = this.holders.get(id) ?? new Set();
      this.holders.set(id, holds.add(button));
      this.press(button);
    } else if (type === 'up' || type === 'cancel') {
      const holds = this.holders.get(id);
      for (const each of type === 'cancel' ? [...(holds ?? [])] : [button]) {
        holds?.delete(each);
        if (![...this.holders.values()].some((others) => others.has(each))) this.release(each);
      }
      if (holds?.size === 0) this.holders.delete(id);
    }
  }

  private takeFinger({ type, id, x, y }: PointerInput): void {
    const finger = this.fingers.get(id);
    if (type === 'up' || type === 'cancel') this.fingers.delete(id);
    else if (finger) {
      finger.dx += x - finger.x;
      finger.dy += y - finger.y;
      finger.x = x;
      finger.y = y;
    } else if (type === 'down' && this.fingers.size < MOST_TOUCHES)
      this.fingers.set(id, { id, x, y, dx: 0, dy: 0 });
  }

  private press(name: Key | Button): void {
    if (!this.held.has(name)) this.went.down.add(name);
    this.held.add(name);
  }

  private release(name: Key | Button): void {
    if (this.held.delete(name)) this.went.up.add(name);
  }
}

function checkName(where: string, name: string): string {
  if (KNOWN.has(name)) return name;
  const near = typeof name === 'string' ? nearest(name, NAMES) : undefined;
  throw new MoonscapeError(
    `${where}: there is no key ${show(name)}${near ? ` (did you mean "${near}"?)` : ''}; ` +
      'keys are "a" to "z", "0" to "9", "space", "enter", "shift", "up", …; buttons "mouseLeft", "mouseMiddle", "mouseRight"',
  );
}
