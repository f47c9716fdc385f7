// Around a place: drag turns the camera about it, the wheel goes nearer. Buttons and fingers are those of three.js's OrbitControls,
// and the middle button those of Godot's editor: drag turns, with Shift it shifts, with Ctrl it goes nearer.
import { dot, vec3, type Vec3 } from '../world/vector.js';
import type { Drag, Gesture } from './gestures.js';
import {
  add,
  axesOf,
  clamp,
  clampPitch,
  glide,
  leastHeight,
  metresPerPixel,
  mix,
  MOST_PITCH,
  NOTCH,
  placeUnder,
  sizeOf,
  TURN_PER_HEIGHT,
  type Controls,
  type Pose,
  type Surroundings,
} from './rig.js';

/** The camera looks at `target` from `distance` metres. */
interface Orbit {
  target: Vec3;
  distance: number;
  yaw: number;
  pitch: number;
  height: number;
}

/** Keys: picture heights that the place shifts, and turns of the camera, a second. */
const SHIFT_SPEED = 0.8;
const TURN_SPEED = 0.2;
const ZOOM_SPEED = 6;
/** A glide ends this near to its goal: angles in radians, lengths as a share of the distance. Less than a fifth of a pixel at 1080 rows. */
const NEAR_ENOUGH = 1e-4;
/** Steps in which a way out of the ground is looked for, and halvings that make it exact. */
const LIFT_STEPS = 32;
const LIFT_HALVINGS = 20;

const KEYS = new Set(['left', 'right', 'up', 'down', '-', '=', 'shift', 'ctrl']);

export class OrbitControls implements Controls {
  private now: Orbit | null = null;
  private goal: Orbit | null = null;
  private readonly held = new Set<string>();

  adopt(pose: Pose, around: Surroundings): void {
    const target = placeUnder(pose, around, around.width / 2, around.height / 2);
    const { forward } = axesOf(pose);
    const distance = Math.max(dot(add(target, pose.position, -1), forward), leastDistance(around));
    const { yaw, pitch, height } = pose;
    this.now = { target: add(pose.position, forward, distance), distance, yaw, pitch, height };
    this.goal = { ...this.now };
  }

  gesture(gesture: Gesture, around: Surroundings): void {
    const { goal } = this;
    if (!goal) return;
    if (gesture.kind === 'drag') this.drag(gesture, around);
    else if (gesture.kind === 'wheel') zoom(goal, around, NOTCH ** gesture.turn);
    else if (gesture.kind === 'pinch') {
      zoom(goal, around, 1 / gesture.spread);
      shift(goal, around, gesture.dx, gesture.dy);
    }
    liftOut(goal, around);
  }

  key(key: string, down: boolean): boolean {
    if (down && KEYS.has(key)) this.held.add(key);
    else this.held.delete(key);
    return KEYS.has(key);
  }

  blur(): void {
    this.held.clear();
  }

  update(dt: number, around: Surroundings, still: boolean): Pose | null {
    const { now, goal } = this;
    if (!now || !goal) return null;
    this.applyKeys(goal, around, dt);
    if (same(now, goal)) return null;
    const share = glide(dt, still);
    now.target = mix(now.target, goal.target, share);
    // In proportion, so that going nearer is as even as it looks.
    now.distance *= (goal.distance / now.distance) ** share;
    now.height *= (goal.height / now.height) ** share;
    now.yaw += (goal.yaw - now.yaw) * share;
    now.pitch += (goal.pitch - now.pitch) * share;
    if (arrived(now, goal)) Object.assign(now, goal);
    const shown = { ...now };
    liftOut(shown, around);
    return poseOf(shown);
  }

  private drag(drag: Drag, around: Surroundings): void {
    const { goal } = this;
    const { dx, dy } = drag;
    switch (meaningOf(drag)) {
      case 'turn':
        return turn(goal!, (-dx / around.height) * TURN_PER_HEIGHT, (-dy / around.height) * TURN_PER_HEIGHT);
      case 'shift':
        return shift(goal!, around, dx, dy);
      default:
        return zoom(goal!, around, NOTCH ** ((-dy / around.height) * 20));
    }
  }

  private applyKeys(goal: Orbit, around: Surroundings, dt: number): void {
    const { held } = this;
    const axis = (low: string, high: string) => Number(held.has(high)) - Number(held.has(low));
    const [x, y, nearer] = [axis('left', 'right'), axis('down', 'up'), axis('-', '=')];
    if (x === 0 && y === 0 && nearer === 0) return;
    if (held.has('shift') || held.has('ctrl'))
      turn(goal, x * dt * TURN_SPEED * 2 * Math.PI, y * dt * TURN_SPEED * 2 * Math.PI);
    else shift(goal, around, -x * dt * SHIFT_SPEED * around.height, y * dt * SHIFT_SPEED * around.height);
    zoom(goal, around, NOTCH ** (nearer * dt * ZOOM_SPEED));
    liftOut(goal, around);
  }
}

/** What a drag does: three.js's buttons, Godot's for the middle one. */
function meaningOf({ pointer, button, shift, ctrl, meta }: Drag): 'turn' | 'shift' | 'zoom' {
  if (pointer === 'touch') return 'turn';
  if (button === 'mouseMiddle') return shift ? 'shift' : ctrl || meta ? 'zoom' : 'turn';
  return (button === 'mouseRight') !== Boolean(shift || ctrl || meta) ? 'shift' : 'turn';
}

function turn(orbit: Orbit, left: number, up: number): void {
  orbit.yaw += left;
  orbit.pitch = clampPitch(orbit.pitch + up);
}

/** Shifts the place so that what lies there goes by (dx, dy) pixels. */
function shift(orbit: Orbit, around: Surroundings, dx: number, dy: number): void {
  const { right, up } = axesOf(orbit);
  const metres = metresPerPixel(poseOf(orbit), around, orbit.distance);
  orbit.target = add(add(orbit.target, right, -dx * metres), up, dy * metres);
}

function zoom(orbit: Orbit, around: Surroundings, factor: number): void {
  if (around.fov === null) orbit.height = clamp(orbit.height * factor, 1e-3, sizeOf(around) * 20);
  else
    orbit.distance = clamp(
      orbit.distance * factor,
      Math.min(leastDistance(around), orbit.distance),
      Math.max(sizeOf(around) * 10, orbit.distance),
    );
}

/** Raises the camera over the ground, on its way around the place; where no way is free the place rises with it. */
function liftOut(orbit: Orbit, around: Surroundings): void {
  const missing = (pitch: number) => {
    const { x, y, z } = poseOf({ ...orbit, pitch }).position;
    return leastHeight(around, x, z) - y;
  };
  const short = missing(orbit.pitch);
  if (short <= 0) return;
  let low = orbit.pitch;
  const step = (orbit.pitch + MOST_PITCH) / LIFT_STEPS;
  for (let i = 1; i <= LIFT_STEPS; i++) {
    let high = orbit.pitch - i * step;
    if (missing(high) > 0) {
      low = high;
      continue;
    }
    for (let k = 0; k < LIFT_HALVINGS; k++) {
      const middle = (low + high) / 2;
      if (missing(middle) > 0) low = middle;
      else high = middle;
    }
    orbit.pitch = high;
    return;
  }
  const { x, y, z } = orbit.target;
  orbit.target = vec3(x, y + short, z);
}

function poseOf({ target, distance, yaw, pitch, height }: Orbit): Pose {
  return { position: add(target, axesOf({ yaw, pitch }).forward, -distance), yaw, pitch, height };
}

const leastDistance = ({ near }: Surroundings): number => near * 5;

const same = (a: Orbit, b: Orbit): boolean =>
  a.target === b.target &&
  a.distance === b.distance &&
  a.yaw === b.yaw &&
  a.pitch === b.pitch &&
  a.height === b.height;

const arrived = (a: Orbit, b: Orbit): boolean =>
  Math.abs(a.yaw - b.yaw) < NEAR_ENOUGH &&
  Math.abs(a.pitch - b.pitch) < NEAR_ENOUGH &&
  Math.abs(a.distance / b.distance - 1) < NEAR_ENOUGH &&
  Math.abs(a.height / b.height - 1) < NEAR_ENOUGH &&
  Math.hypot(a.target.x - b.target.x, a.target.y - b.target.y, a.target.z - b.target.z) <
    NEAR_ENOUGH * b.distance;
