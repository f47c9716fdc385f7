// Over a map: the ground is dragged under the pointer and stays under it, the wheel goes toward what the pointer is on, the right
// button turns. Buttons are those of three.js's MapControls (the middle one as in orbitControls.ts); two fingers pull, turn and tilt.
import { dot, vec3, type Vec3 } from '../world/vector.js';
import type { Drag, Gesture } from './gestures.js';
import {
  aboveGround,
  add,
  axesOf,
  clamp,
  glide,
  metresPerPixel,
  mix,
  MOST_PITCH,
  NOTCH,
  placeUnder,
  rayThrough,
  sizeOf,
  TURN_PER_HEIGHT,
  type Controls,
  type Pose,
  type Surroundings,
} from './rig.js';

/** Keys: picture heights of ground, turns and notches a second. */
const PAN_SPEED = 0.8;
const TURN_SPEED = 0.2;
const ZOOM_SPEED = 6;
/** Rays flatter than this (sine) do not hold the ground: a pixel there is miles. */
const FLATTEST = 0.03;
/** A glide ends this near to its goal: radians, and a share of the height over the ground held. */
const NEAR_ENOUGH = 1e-4;

const KEYS = new Set([
  ...['left', 'right', 'up', 'down', 'w', 'a', 's', 'd', 'q', 'e'],
  ...['-', '=', 'pageUp', 'pageDown', 'shift'],
]);

export class MapControls implements Controls {
  private now: Pose | null = null;
  private goal: Pose | null = null;
  /** What the pointer holds, and how far it was. */
  private grabbed: Vec3 | null = null;
  /** What the camera turns about, from the beginning of a drag on. */
  private pivot: Vec3 | null = null;
  private readonly held = new Set<string>();

  adopt(pose: Pose): void {
    this.now = { ...pose };
    this.goal = { ...pose };
    this.grabbed = this.pivot = null;
  }

  gesture(gesture: Gesture, around: Surroundings): void {
    const { goal } = this;
    if (!goal) return;
    switch (gesture.kind) {
      case 'grab':
        this.grabbed = placeUnder(goal, around, gesture.x, gesture.y);
        this.pivot = middleOf(goal, around);
        break;
      case 'rest':
        this.grabbed = this.pivot = null;
        break;
      case 'drag':
        this.drag(gesture, around);
        break;
      case 'wheel':
        zoom(goal, around, placeUnder(goal, around, gesture.x, gesture.y), NOTCH ** gesture.turn);
        break;
      case 'pinch': {
        const { x, y, dy, spread, twist } = gesture;
        zoom(goal, around, placeUnder(goal, around, x, y), 1 / spread);
        turnAbout(goal, placeUnder(goal, around, x, y), twist, 0);
        turnAbout(goal, middleOf(goal, around), 0, (-dy / around.height) * TURN_PER_HEIGHT);
      }
    }
    settle(goal, around);
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
    now.position = mix(now.position, goal.position, share);
    now.yaw += (goal.yaw - now.yaw) * share;
    now.pitch += (goal.pitch - now.pitch) * share;
    now.height *= (goal.height / now.height) ** share;
    if (arrived(now, goal, around)) Object.assign(now, goal);
    return { ...now, position: aboveGround(around, now.position) };
  }

  private drag(drag: Drag, around: Surroundings): void {
    const goal = this.goal!;
    const { dx, dy, x, y } = drag;
    switch (meaningOf(drag)) {
      case 'pan':
        return pan(goal, around, this.grabbed ?? placeUnder(goal, around, x - dx, y - dy), drag);
      case 'turn': {
        const angle = TURN_PER_HEIGHT / around.height;
        return turnAbout(goal, this.pivot ?? middleOf(goal, around), -dx * angle, -dy * angle);
      }
      default:
        return zoom(goal, around, middleOf(goal, around), NOTCH ** ((-dy / around.height) * 20));
    }
  }

  private applyKeys(goal: Pose, around: Surroundings, dt: number): void {
    const { held } = this;
    const is = (...keys: string[]) => Number(keys.some((key) => held.has(key)));
    const x = is('right', 'd') - is('left', 'a');
    const y = is('up', 'w') - is('down', 's');
    const turning = is('q') - is('e');
    const nearer = is('=', 'pageDown') - is('-', 'pageUp');
    if (x === 0 && y === 0 && turning === 0 && nearer === 0) return;
    const middle = middleOf(goal, around);
    const distance = Math.hypot(...parts(add(middle, goal.position, -1)));
    const metres = metresPerPixel(goal, around, distance) * around.height * PAN_SPEED * dt;
    const { right } = axesOf(goal);
    const ahead = vec3(-Math.sin(goal.yaw), 0, -Math.cos(goal.yaw));
    goal.position = add(add(goal.position, right, x * metres), ahead, y * metres);
    if (turning !== 0) turnAbout(goal, middleOf(goal, around), turning * dt * TURN_SPEED * 2 * Math.PI, 0);
    if (nearer !== 0) zoom(goal, around, middleOf(goal, around), NOTCH ** (nearer * dt * ZOOM_SPEED));
    settle(goal, around);
  }
}

/** What a drag does. */
function meaningOf({ pointer, button, shift, ctrl, meta }: Drag): 'pan' | 'turn' | 'zoom' {
  if (pointer === 'touch') return 'pan';
  if (button === 'mouseMiddle') return shift ? 'pan' : ctrl || meta ? 'zoom' : 'turn';
  return (button === 'mouseRight') !== Boolean(shift || ctrl || meta) ? 'turn' : 'pan';
}

/** Moves the camera level so that `held`, or what the drag came from where rays are too flat, is under the pointer again. */
function pan(pose: Pose, around: Surroundings, held: Vec3, { x, y, dx, dy }: Drag): void {
  const from = onLevel(pose, around, held.y, x - dx, y - dy);
  const to = onLevel(pose, around, held.y, x, y);
  const distance = Math.hypot(...parts(add(held, pose.position, -1)));
  if (from && to) {
    // Toward the horizon the level runs away: a drag moves the camera by no more than a few times its distance to what it holds.
    const way = add(held, to, -1);
    const long = Math.hypot(way.x, way.z);
    const most = distance * 4;
    pose.position = add(pose.position, vec3(way.x, 0, way.z), long > most ? most / long : 1);
    return;
  }
  const metres = metresPerPixel(pose, around, distance);
  const { right } = axesOf(pose);
  const ahead = vec3(-Math.sin(pose.yaw), 0, -Math.cos(pose.yaw));
  pose.position = add(add(pose.position, right, -dx * metres), ahead, dy * metres);
}

/** Where the ray through a pixel meets the level `height`, or null where it is too flat or points away. */
function onLevel(pose: Pose, around: Surroundings, height: number, x: number, y: number): Vec3 | null {
  const { origin, direction } = rayThrough(pose, around, x, y);
  if (Math.abs(direction.y) < FLATTEST) return null;
  const distance = (height - origin.y) / direction.y;
  return distance > 0 ? add(origin, direction, distance) : null;
}

const middleOf = (pose: Pose, around: Surroundings): Vec3 =>
  placeUnder(pose, around, around.width / 2, around.height / 2);

/** Turns the camera about an upright axis through `pivot`, and over it; it stays as far from it. */
function turnAbout(pose: Pose, pivot: Vec3, left: number, up: number): void {
  // The pivot in the camera's own axes stays what it is.
  const before = axesOf(pose);
  const offset = add(pivot, pose.position, -1);
  const own = [dot(offset, before.right), dot(offset, before.up), dot(offset, before.forward)];
  pose.yaw += left;
  // Never above the horizon, unless it looked there already.
  pose.pitch = clamp(pose.pitch + up, -MOST_PITCH, Math.max(0, pose.pitch));
  const { right, up: upward, forward } = axesOf(pose);
  pose.position = add(add(add(pivot, right, -own[0]), upward, -own[1]), forward, -own[2]);
}

/** Goes toward a place so that it stays where it is in the picture and is `factor` times as far, or as small. */
function zoom(pose: Pose, around: Surroundings, place: Vec3, factor: number): void {
  const way = add(place, pose.position, -1);
  const { forward } = axesOf(pose);
  if (around.fov === null) {
    const height = clamp(pose.height * factor, 1e-3, sizeOf(around) * 20);
    const across = add(way, forward, -dot(way, forward));
    pose.position = add(pose.position, across, 1 - height / pose.height);
    pose.height = height;
    return;
  }
  const distance = Math.hypot(...parts(way));
  const least = Math.min(around.near * 5, distance);
  const next = clamp(distance * factor, least, Math.max(sizeOf(around) * 10, distance));
  if (distance > 0) pose.position = add(pose.position, way, 1 - next / distance);
}

/** Keeps the camera out of the ground. */
const settle = (pose: Pose, around: Surroundings): void =>
  void (pose.position = aboveGround(around, pose.position));

const parts = ({ x, y, z }: Vec3): [number, number, number] => [x, y, z];

const same = (a: Pose, b: Pose): boolean =>
  a.position === b.position && a.yaw === b.yaw && a.pitch === b.pitch && a.height === b.height;

function arrived(a: Pose, b: Pose, around: Surroundings): boolean {
  const { x, y, z } = b.position;
  const over = y - (around.groundAt(x, z) ?? around.bounds.min.y);
  return (
    Math.abs(a.yaw - b.yaw) < NEAR_ENOUGH &&
    Math.abs(a.pitch - b.pitch) < NEAR_ENOUGH &&
    Math.abs(a.height / b.height - 1) < NEAR_ENOUGH &&
    Math.hypot(a.position.x - x, a.position.y - y, a.position.z - z) <
      NEAR_ENOUGH * Math.max(over, around.near)
  );
}
