// The three controls over ground that is a formula: what a person does with mouse, fingers, wheel and keys, and what stays true of the
// camera whatever they do.
import { expect } from 'chai';
import fc from 'fast-check';
import { FlyControls } from '../../runtime/controls/flyControls.js';
import { Gestures, type Gesture } from '../../runtime/controls/gestures.js';
import { MapControls } from '../../runtime/controls/mapControls.js';
import { OrbitControls } from '../../runtime/controls/orbitControls.js';
import {
  axesOf,
  MOST_PITCH,
  rayThrough,
  type Controls,
  type Pose,
  type Surroundings,
} from '../../runtime/controls/rig.js';
import { dot, normalize, subtract, vec3, type Vec3 } from '../../runtime/world/vector.js';

const HILLS = (x: number, z: number) => 12 * Math.sin(x / 17) * Math.cos(z / 23);
const SIDE = 200;

/** Hills 400 m wide, seen at 800×400 by 60 degrees; `height` of the ground may be given. */
function around(height = HILLS, fov: number | null = Math.PI / 3): Surroundings {
  const groundAt = (x: number, z: number) =>
    Math.abs(x) <= SIDE && Math.abs(z) <= SIDE ? height(x, z) : null;
  return {
    ...{ width: 800, height: 400, fov, near: 0.1, groundAt },
    bounds: { min: vec3(-SIDE, -12, -SIDE), max: vec3(SIDE, 12, SIDE) },
    hit(origin, direction) {
      // Marched and halved: the judge's own way to the ground, exact to 1e-9 m where a step of 0.5 m misses no ridge.
      const above = (t: number) => {
        const ground = groundAt(origin.x + direction.x * t, origin.z + direction.z * t);
        return ground === null ? Infinity : origin.y + direction.y * t - ground;
      };
      for (let t = 0; t < 1500; t += 0.5) {
        if (above(t) < 0 || above(t + 0.5) >= 0) continue;
        let [low, high] = [t, t + 0.5];
        for (let i = 0; i < 40; i++) {
          const middle = (low + high) / 2;
          if (above(middle) >= 0) low = middle;
          else high = middle;
        }
        return high;
      }
      return null;
    },
  };
}

const START: Pose = { position: vec3(0, 60, 120), yaw: 0, pitch: -0.45, height: 50 };

/** Controls that hold the camera of START, or of `pose`. */
function held<T extends Controls>(controls: T, scene = around(), pose = START): T {
  controls.adopt(pose, scene);
  return controls;
}

/** The pose that a camera has come to rest at; `still` asks for no gliding. */
function rest(controls: Controls, scene = around(), from = START): Pose {
  let pose = from;
  for (let i = 0; i < 600; i++) {
    const next = controls.update(1 / 60, scene, false);
    if (!next) return pose;
    pose = next;
  }
  throw new Error('it never comes to rest');
}

const drag = (dx: number, dy: number, more: object = {}): Gesture => ({
  ...{ kind: 'drag', pointer: 'mouse', button: 'mouseLeft', x: 400 + dx, y: 200 + dy, dx, dy },
  ...more,
});
const grab = (x = 400, y = 200): Gesture => ({ kind: 'grab', pointer: 'mouse', button: 'mouseLeft', x, y });
const wheel = (turn: number, x = 400, y = 200): Gesture => ({ kind: 'wheel', x, y, turn, pinch: false });

/** Where a place is in the picture, by similar triangles. */
function pixelOf(pose: Pose, { width, height, fov }: Surroundings, place: Vec3): [number, number] {
  const { right, up, forward } = axesOf(pose);
  const way = subtract(place, pose.position);
  const half = fov === null ? pose.height / 2 : Math.tan(fov / 2) * dot(way, forward);
  return [
    width / 2 + (dot(way, right) / half) * (height / 2),
    height / 2 - (dot(way, up) / half) * (height / 2),
  ];
}

const placeAt = (pose: Pose, scene: Surroundings, x: number, y: number): Vec3 => {
  const { origin, direction } = rayThrough(pose, scene, x, y);
  const t = scene.hit(origin, direction)!;
  return vec3(origin.x + direction.x * t, origin.y + direction.y * t, origin.z + direction.z * t);
};

const distance = (a: Vec3, b: Vec3) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);
/** Pixels: doubles and a glide that ends within 1e-4 of its goal. */
const PIXEL = 0.2;

describe('camera controls', () => {
  describe('orbit', () => {
    it('turns about what the picture’s middle shows, which stays there', () => {
      const scene = around();
      const target = placeAt(START, scene, 400, 200);
      const controls = held(new OrbitControls());
      controls.gesture(drag(100, 40), scene);
      const pose = rest(controls);
      expect(pose.yaw).to.be.closeTo((-100 / 400) * 2 * Math.PI, 1e-9);
      expect(pose.pitch).to.be.closeTo(-0.45 - (40 / 400) * 2 * Math.PI, 1e-9);
      expect(distance(pose.position, target)).to.be.closeTo(distance(START.position, target), 1e-6);
      const [x, y] = pixelOf(pose, scene, target);
      expect([x, y].map((v) => Math.round(v * 1e6) / 1e6)).to.deep.equal([400, 200]);
    });

    it('shifts what is there along with a right drag, and with Shift and a left one', () => {
      const scene = around();
      const target = placeAt(START, scene, 400, 200);
      for (const more of [
        { button: 'mouseRight' },
        { shift: true },
        { ctrl: true },
        { button: 'mouseMiddle', shift: true },
      ]) {
        const controls = held(new OrbitControls());
        controls.gesture(drag(60, 25, more), scene);
        const [x, y] = pixelOf(rest(controls), scene, target);
        expect([x, y].map(Math.round), JSON.stringify(more)).to.deep.equal([460, 225]);
      }
    });

    it('goes nearer by the wheel, by the middle button with Ctrl and by a pinch, and never through', () => {
      const scene = around();
      const target = placeAt(START, scene, 400, 200);
      const from = distance(START.position, target);
      const zoomed = (gesture: Gesture) => {
        const controls = held(new OrbitControls());
        controls.gesture(gesture, scene);
        return distance(rest(controls).position, target) / from;
      };
      expect(zoomed(wheel(1))).to.be.closeTo(0.88, 1e-6);
      expect(zoomed(wheel(-1))).to.be.closeTo(1 / 0.88, 1e-6);
      expect(zoomed(drag(0, -20, { button: 'mouseMiddle', ctrl: true }))).to.be.closeTo(0.88, 1e-6);
      expect(zoomed({ kind: 'pinch', x: 400, y: 200, dx: 0, dy: 0, spread: 2, twist: 0 })).to.be.closeTo(
        0.5,
        1e-6,
      );
      const near = zoomed(wheel(500));
      expect(near).to.be.above(0);
      expect(zoomed(wheel(-500))).to.be.below(1000);
    });

    it('shifts by arrows and turns by them with Shift, as long as they are held', () => {
      const scene = around();
      const controls = held(new OrbitControls());
      expect(controls.key('right', true)).to.equal(true);
      let pose = START;
      for (let i = 0; i < 30; i++) pose = controls.update(1 / 60, scene, true)!;
      controls.key('right', false);
      expect(rest(controls, scene, pose)).to.equal(pose);
      expect(pose.yaw).to.equal(0);
      expect(pose.position.x).to.be.above(10);
      controls.key('shift', true);
      controls.key('left', true);
      const turned = controls.update(0.5, scene, true)!;
      expect(turned.yaw).to.be.closeTo(-0.2 * Math.PI, 1e-9);
      controls.blur();
      expect(rest(controls, scene, turned)).to.equal(turned);
      expect(controls.key('w', true)).to.equal(false);
    });
  });

  describe('map', () => {
    it('keeps the ground that is dragged under the pointer', () => {
      const scene = around(() => 3);
      for (const [x, y] of [
        [400, 200],
        [150, 330],
        [520, 190],
      ]) {
        const place = placeAt(START, scene, x, y);
        const controls = held(new MapControls(), scene);
        controls.gesture(grab(x, y), scene);
        for (let i = 1; i <= 10; i++) controls.gesture(drag(9, 4, { x: x + 9 * i, y: y + 4 * i }), scene);
        controls.gesture({ kind: 'rest' }, scene);
        const pose = rest(controls, scene);
        const [px, py] = pixelOf(pose, scene, place);
        expect(px).to.be.closeTo(x + 90, PIXEL);
        expect(py).to.be.closeTo(y + 40, PIXEL);
        expect(pose.position.y, 'level').to.be.closeTo(START.position.y, 1e-9);
      }
    });

    it('zooms toward what the pointer is on, which stays under it', () => {
      const scene = around();
      for (const lens of [scene, around(HILLS, null)])
        for (const [x, y] of [
          [400, 200],
          [250, 300],
        ]) {
          const place = placeAt(START, lens, x, y);
          const controls = held(new MapControls(), lens);
          controls.gesture(wheel(3, x, y), lens);
          const pose = rest(controls, lens);
          const [px, py] = pixelOf(pose, lens, place);
          expect(px).to.be.closeTo(x, PIXEL);
          expect(py).to.be.closeTo(y, PIXEL);
          if (lens === scene)
            expect(distance(pose.position, place)).to.be.closeTo(
              distance(START.position, place) * 0.88 ** 3,
              0.05,
            );
          else expect(pose.height).to.be.closeTo(50 * 0.88 ** 3, 1e-3);
        }
    });

    it('turns about the picture’s middle with the right button, and not above the horizon', () => {
      const scene = around();
      const pivot = placeAt(START, scene, 400, 200);
      const controls = held(new MapControls());
      controls.gesture(grab(), scene);
      controls.gesture(drag(80, 10, { button: 'mouseRight' }), scene);
      const pose = rest(controls);
      expect(pose.yaw).to.be.closeTo((-80 / 400) * 2 * Math.PI, 1e-6);
      expect(distance(pose.position, pivot)).to.be.closeTo(distance(START.position, pivot), 0.02);
      const [x, y] = pixelOf(pose, scene, pivot);
      expect(x).to.be.closeTo(400, PIXEL);
      expect(y).to.be.closeTo(200, PIXEL);
      controls.gesture(drag(0, -5000, { button: 'mouseRight' }), scene);
      expect(rest(controls).pitch).to.be.at.most(0);
    });

    it('turns by a twist about what is between the fingers', () => {
      const scene = around(() => 0);
      const place = placeAt(START, scene, 300, 260);
      const controls = held(new MapControls(), scene);
      controls.gesture({ kind: 'pinch', x: 300, y: 260, dx: 0, dy: 0, spread: 1, twist: 0.4 }, scene);
      const pose = rest(controls, scene);
      expect(pose.yaw).to.be.closeTo(0.4, 1e-6);
      const [x, y] = pixelOf(pose, scene, place);
      expect(x).to.be.closeTo(300, PIXEL);
      expect(y).to.be.closeTo(260, PIXEL);
    });

    it('pans by W A S D over the ground, as far whichever frames there are', () => {
      const scene = around();
      const panned = (frames: number) => {
        const controls = held(new MapControls());
        controls.key('w', true);
        for (let i = 0; i < frames; i++) controls.update(0.1 / frames, scene, false);
        controls.key('w', false);
        return rest(controls).position;
      };
      expect(panned(6).z).to.be.below(START.position.z - 5);
      expect(panned(6).x).to.be.closeTo(0, 1e-6);
      expect(distance(panned(6), panned(12))).to.be.below(0.5);
    });
  });

  describe('fly', () => {
    it('looks around where it stands', () => {
      const scene = around();
      const controls = held(new FlyControls());
      controls.gesture(drag(100, 0), scene);
      const pose = rest(controls);
      expect(pose.position).to.deep.equal(START.position);
      expect(pose.yaw, 'to the right').to.be.closeTo((-100 / 400) * Math.PI, 1e-6);
      expect(pose.pitch).to.equal(START.pitch);
    });

    it('goes ahead by W, rises by E, three times as fast with Shift', () => {
      const scene = around();
      const flown = (...keys: string[]) => {
        const controls = held(new FlyControls());
        for (const key of keys) expect(controls.key(key, true), key).to.equal(true);
        let pose = START;
        for (let i = 0; i < 30; i++) pose = controls.update(1 / 60, scene, true) ?? pose;
        return subtract(pose.position, START.position);
      };
      const ahead = flown('w');
      expect(dot(normalize(ahead), axesOf(START).forward)).to.be.closeTo(1, 1e-9);
      expect(distance(flown('w', 'shift'), vec3(0, 0, 0)) / distance(ahead, vec3(0, 0, 0))).to.be.closeTo(
        3,
        1e-9,
      );
      expect(distance(flown('w', 'alt'), vec3(0, 0, 0)) * 3).to.be.closeTo(
        distance(ahead, vec3(0, 0, 0)),
        1e-9,
      );
      expect(normalize(flown('e'))).to.deep.equal(vec3(0, 1, 0));
      expect(flown('a', 'd')).to.deep.equal(vec3(0, 0, 0));
      expect(distance(flown('w', 'd'), vec3(0, 0, 0)), 'no faster askew').to.be.closeTo(
        distance(ahead, vec3(0, 0, 0)),
        1e-9,
      );
    });

    it('is faster by the wheel', () => {
      const scene = around();
      const way = (turns: number) => {
        const controls = held(new FlyControls());
        controls.gesture(wheel(turns), scene);
        controls.key('w', true);
        return distance(controls.update(0.1, scene, true)!.position, START.position);
      };
      expect(way(2) / way(0)).to.be.closeTo(1.44, 1e-9);
    });

    it('comes to rest when the keys are up', () => {
      const controls = held(new FlyControls());
      controls.key('w', true);
      for (let i = 0; i < 30; i++) controls.update(1 / 60, around(), false);
      controls.key('w', false);
      rest(controls);
      expect(controls.update(1 / 60, around(), false)).to.equal(null);
    });
  });

  describe('any of them', () => {
    const MAKERS = { orbit: OrbitControls, map: MapControls, fly: FlyControls };
    const gestures = fc.oneof(
      fc
        .record({
          ...{ dx: fc.integer({ min: -300, max: 300 }), dy: fc.integer({ min: -300, max: 300 }) },
          button: fc.constantFrom('mouseLeft', 'mouseMiddle', 'mouseRight'),
          ...{ shift: fc.boolean(), ctrl: fc.boolean(), pointer: fc.constantFrom('mouse', 'touch') },
          ...{ x: fc.integer({ min: 0, max: 800 }), y: fc.integer({ min: 0, max: 400 }) },
        })
        .map((fields) => ({ kind: 'drag', ...fields }) as Gesture),
      fc
        .record({
          ...{ turn: fc.integer({ min: -20, max: 20 }) },
          ...{ x: fc.integer({ min: 0, max: 800 }), y: fc.integer({ min: 0, max: 400 }) },
        })
        .map((fields) => ({ kind: 'wheel', pinch: false, ...fields }) as Gesture),
      fc
        .record({
          ...{ x: fc.integer({ min: 0, max: 800 }), y: fc.integer({ min: 0, max: 400 }) },
          ...{ dx: fc.integer({ min: -50, max: 50 }), dy: fc.integer({ min: -50, max: 50 }) },
          spread: fc.double({ min: 0.3, max: 3, noNaN: true }),
          twist: fc.double({ min: -1, max: 1, noNaN: true }),
        })
        .map((fields) => ({ kind: 'pinch', ...fields }) as Gesture),
    );
    const keys = fc.subarray(['w', 'a', 's', 'd', 'q', 'e', 'up', 'left', '=', '-', 'shift']);

    for (const [name, Maker] of Object.entries(MAKERS))
      it(`${name}: the camera is a finite, upright one above the ground, whatever a person does`, () => {
        fc.assert(
          fc.property(fc.array(fc.tuple(gestures, keys), { maxLength: 12 }), (acts) => {
            const scene = around();
            const controls = held<Controls>(new Maker(), scene);
            for (const [gesture, down] of acts) {
              controls.gesture(gesture, scene);
              for (const key of down) controls.key(key, true);
              for (let i = 0; i < 3; i++) {
                const pose = controls.update(1 / 30, scene, i === 1);
                if (!pose) continue;
                const { x, y, z } = pose.position;
                expect([x, y, z, pose.yaw, pose.pitch, pose.height].every(Number.isFinite)).to.equal(true);
                expect(Math.abs(pose.pitch)).to.be.at.most(MOST_PITCH);
                expect(pose.height).to.be.above(0);
                const ground = scene.groundAt(x, z);
                if (ground !== null) expect(y - ground).to.be.above(scene.near);
              }
              for (const key of down) controls.key(key, false);
            }
          }),
          { numRuns: 60 },
        );
      });

    for (const [name, Maker] of Object.entries(MAKERS))
      it(`${name}: a glide ends at one place whatever the frames are, and without gliding at once`, () => {
        const end = (frame: number, still: boolean) => {
          const scene = around();
          const controls = held<Controls>(new Maker(), scene);
          controls.gesture(grab(), scene);
          controls.gesture(drag(30, 12), scene);
          controls.gesture({ kind: 'rest' }, scene);
          let pose = controls.update(frame, scene, still)!;
          if (still) expect(controls.update(frame, scene, still)).to.equal(null);
          for (let next; (next = controls.update(frame, scene, still));) pose = next;
          return pose;
        };
        const slow = end(1 / 24, false);
        expect(end(1 / 144, false)).to.deep.equal(slow);
        expect(end(1 / 60, true)).to.deep.equal(slow);
      });
  });

  describe('gestures', () => {
    const pointer = (type: 'down' | 'move' | 'up', id: number, x: number, y: number, kind = 'touch') =>
      ({ type, id, pointer: kind, x, y }) as never;

    it('reads two fingers as pull, twist and move, which sum up to what they did', () => {
      fc.assert(
        fc.property(
          fc.array(fc.tuple(fc.boolean(), fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), {
            maxLength: 20,
          }),
          (moves) => {
            const gestures = new Gestures();
            const fingers = [
              { x: 100, y: 300 },
              { x: 500, y: 320 },
            ];
            fingers.forEach(({ x, y }, i) => gestures.read(pointer('down', i, x, y)));
            const sum = { dx: 0, dy: 0, spread: 1, twist: 0 };
            for (const [first, dx, dy] of moves) {
              const finger = fingers[first ? 0 : 1];
              finger.x += dx;
              finger.y += dy;
              const gesture = gestures.read(pointer('move', first ? 0 : 1, finger.x, finger.y));
              if (gesture?.kind !== 'pinch') continue;
              sum.dx += gesture.dx;
              sum.dy += gesture.dy;
              sum.spread *= gesture.spread;
              sum.twist += gesture.twist;
            }
            const [a, b] = fingers;
            expect(sum.dx).to.be.closeTo((a.x + b.x) / 2 - 300, 1e-9);
            expect(sum.dy).to.be.closeTo((a.y + b.y) / 2 - 310, 1e-9);
            expect(sum.spread).to.be.closeTo(Math.hypot(b.x - a.x, b.y - a.y) / Math.hypot(400, 20), 1e-9);
            expect(sum.twist).to.be.closeTo(Math.atan2(b.y - a.y, b.x - a.x) - Math.atan2(20, 400), 1e-9);
          },
        ),
      );
    });

    it('goes on with one finger when the other is up, without a jump', () => {
      const gestures = new Gestures();
      gestures.read(pointer('down', 1, 100, 100));
      gestures.read(pointer('down', 2, 300, 100));
      gestures.read(pointer('up', 1, 100, 100));
      expect(gestures.read(pointer('move', 2, 304, 101))).to.include({ kind: 'drag', dx: 4, dy: 1 });
    });

    it('keeps a drag through clicks of other buttons, and takes no third finger', () => {
      const gestures = new Gestures();
      gestures.read({ type: 'down', id: 1, pointer: 'mouse', button: 'mouseRight', x: 0, y: 0 });
      gestures.read({ type: 'down', id: 1, pointer: 'mouse', button: 'mouseLeft', x: 0, y: 0 });
      gestures.read({ type: 'up', id: 1, pointer: 'mouse', button: 'mouseLeft', x: 0, y: 0 });
      expect(gestures.read(pointer('move', 1, 5, 0, 'mouse'))).to.include({ button: 'mouseRight', dx: 5 });
      expect(
        gestures.read({ type: 'up', id: 1, pointer: 'mouse', button: 'mouseRight', x: 5, y: 0 }),
      ).to.deep.equal({
        kind: 'rest',
      });
      for (const id of [1, 2, 3]) gestures.read(pointer('down', id, id * 100, 0));
      expect(gestures.read(pointer('move', 3, 0, 0))).to.equal(null);
    });
  });
});
