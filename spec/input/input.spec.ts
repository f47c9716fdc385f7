// What a person holds and did, frame by frame.
import { expect } from 'chai';
import type { InputEvent, PointerInput } from '../../runtime/input/events.js';
import { Input } from '../../runtime/input/input.js';
import { BUTTONS, keyOfCode, KEYS } from '../../runtime/input/keys.js';

const mouse = (type: PointerInput['type'], x: number, y: number, more: Partial<PointerInput> = {}) =>
  ({ type, id: 1, pointer: 'mouse', x, y, ...more }) as InputEvent;
const finger = (type: PointerInput['type'], id: number, x: number, y: number): InputEvent => ({
  ...{ type, id, pointer: 'touch', x, y },
});

/** An input that was fed `events`, in a frame of them. */
function after(...events: InputEvent[]): Input {
  const input = new Input();
  for (const event of events) input.feed(event);
  input.begin();
  return input;
}

describe('input', () => {
  it('is of the frame that begins after an event, and nothing before', () => {
    const input = new Input();
    input.feed({ type: 'keydown', key: 'w' });
    expect([input.pending, input.isDown('w'), input.wasPressed('w')]).to.deep.equal([true, false, false]);
    input.begin();
    expect([input.pending, input.isDown('w'), input.wasPressed('w')]).to.deep.equal([false, true, true]);
    input.begin();
    expect([input.isDown('w'), input.wasPressed('w'), input.holding]).to.deep.equal([true, false, true]);
    input.feed({ type: 'keyup', key: 'w' });
    input.begin();
    expect([input.isDown('w'), input.wasReleased('w'), input.holding]).to.deep.equal([false, true, false]);
  });

  it('tells a tap that went down and up between two frames', () => {
    const input = after({ type: 'keydown', key: 'space' }, { type: 'keyup', key: 'space' });
    expect([input.isDown('space'), input.wasPressed('space'), input.wasReleased('space')]).to.deep.equal([
      ...[false, true, true],
    ]);
  });

  it('takes a key that repeats as pressed once', () => {
    const input = after({ type: 'keydown', key: 'a' });
    input.feed({ type: 'keydown', key: 'a' });
    input.begin();
    expect(input.wasPressed('a')).to.equal(false);
  });

  it('answers an axis of two keys', () => {
    const down = (...keys: string[]) => after(...keys.map((key) => ({ type: 'keydown', key }) as InputEvent));
    expect(down('a').axis('a', 'd')).to.equal(-1);
    expect(down('d').axis('a', 'd')).to.equal(1);
    expect(down('a', 'd').axis('a', 'd')).to.equal(0);
    expect(down().axis('a', 'd')).to.equal(0);
  });

  it('sums how far the pointer came in a frame, from where it came in', () => {
    const input = after(mouse('move', 100, 50), mouse('move', 103, 49), mouse('move', 108, 52));
    expect(input.pointer).to.deep.equal({ x: 108, y: 52, dx: 8, dy: 2 });
    input.begin();
    expect(input.pointer).to.deep.equal({ x: 108, y: 52, dx: 0, dy: 0 });
  });

  it('sums the wheel in a frame', () => {
    const wheel = (turn: number): InputEvent => ({ type: 'wheel', x: 0, y: 0, turn });
    const input = after(wheel(1), wheel(0.5));
    expect(input.wheel).to.equal(1.5);
    input.begin();
    expect(input.wheel).to.equal(0);
  });

  it('holds each button until every pointer that holds it is up', () => {
    const input = after(finger('down', 5, 10, 10), finger('down', 6, 90, 10), finger('up', 5, 10, 10));
    expect([input.isDown('mouseLeft'), input.wasReleased('mouseLeft')]).to.deep.equal([true, false]);
    input.feed(finger('cancel', 6, 90, 10));
    input.begin();
    expect([input.isDown('mouseLeft'), input.wasReleased('mouseLeft')]).to.deep.equal([false, true]);
  });

  it('lists the fingers, and takes the first for the pointer until all are up', () => {
    const input = after(
      finger('down', 5, 10, 10),
      finger('down', 6, 90, 10),
      finger('move', 5, 14, 10),
      finger('move', 6, 90, 30),
    );
    expect(input.touches).to.deep.equal([
      { id: 5, x: 14, y: 10, dx: 4, dy: 0 },
      { id: 6, x: 90, y: 30, dx: 0, dy: 20 },
    ]);
    expect(input.pointer).to.deep.equal({ x: 14, y: 10, dx: 4, dy: 0 });
    input.feed(finger('up', 5, 14, 10));
    input.feed(finger('move', 6, 95, 30));
    input.begin();
    expect(input.touches.map(({ id }) => id)).to.deep.equal([6]);
    expect(input.pointer, 'the second finger is no pointer').to.deep.equal({ x: 14, y: 10, dx: 0, dy: 0 });
    input.feed(finger('up', 6, 95, 30));
    input.feed(finger('down', 7, 50, 50));
    input.begin();
    expect(input.pointer, 'a new first finger has not travelled').to.deep.equal({
      x: 50,
      y: 50,
      dx: 0,
      dy: 0,
    });
  });

  it('lets go of all when the view loses the keyboard', () => {
    const input = after({ type: 'keydown', key: 'w' }, mouse('down', 1, 1), finger('down', 5, 10, 10), {
      type: 'blur',
    });
    expect([input.holding, input.isDown('w'), input.wasReleased('w')]).to.deep.equal([false, false, true]);
    expect(input.touches).to.deep.equal([]);
  });

  it('keeps a bounded queue, and of a drag its end', () => {
    const input = new Input();
    input.feed({ type: 'keydown', key: 'w' });
    for (let i = 0; i <= 5000; i++) input.feed(mouse('move', i, 0));
    expect(input.begin().length).to.be.at.most(1024);
    expect(input.pointer.x).to.equal(5000);
    expect(input.isDown('w')).to.equal(true);
  });

  it('names keys by their place: each name from a code, each once', () => {
    const codes = [
      ...[...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'].map((letter) => `Key${letter}`),
      ...['Digit7', 'Numpad7', 'F1', 'F12', 'ArrowUp', 'ShiftRight', 'ControlLeft', 'Space', 'Minus'],
    ];
    for (const code of codes) expect(KEYS, code).to.include(keyOfCode(code)!);
    expect(keyOfCode('KeyW')).to.equal('w');
    expect(keyOfCode('Numpad7')).to.equal('7');
    expect(keyOfCode('F13')).to.equal(null);
    expect(keyOfCode('toString')).to.equal(null);
    expect(new Set([...KEYS, ...BUTTONS]).size).to.equal(KEYS.length + BUTTONS.length);
  });

  it('refuses what is no event, and keeps nothing of it', () => {
    const cases: [unknown, RegExp][] = [
      [null, /event must be an input event, got nothing/],
      [{ type: 'tap' }, /type must be one of "down", .*got "tap"/],
      [{ type: 'keydown', key: 'W' }, /key must be one of "a", .*got "W"/],
      [{ type: 'keydown', key: 'w', x: 1 }, /there is no field "x"/],
      [{ type: 'down', id: 1, pointer: 'mouse', x: NaN, y: 0 }, /x must be a finite number, got NaN/],
      [
        { type: 'down', id: 1, pointer: 'paw', x: 0, y: 0 },
        /pointer must be one of "mouse", "pen", "touch", got "paw"/,
      ],
      [
        { type: 'down', id: 1, pointer: 'mouse', button: 'left', x: 0, y: 0 },
        /button must be one of "mouseLeft"/,
      ],
      [{ type: 'wheel', x: 0, y: 0, turn: Infinity }, /turn must be a finite number, got Infinity/],
      [{ type: 'keyup', key: 'w', shift: 1 }, /shift must be true or false, got 1/],
    ];
    const input = new Input();
    for (const [event, message] of cases) {
      expect(() => input.feed(event as InputEvent), JSON.stringify(event)).to.throw(message);
      expect(input.pending).to.equal(false);
    }
    expect(() => input.isDown('spcae')).to.throw(
      'input.isDown: there is no key "spcae" (did you mean "space"?)',
    );
  });
});
