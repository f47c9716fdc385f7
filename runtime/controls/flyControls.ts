// Through the air: a drag looks around, W A S D go, E and Q rise and sink, Shift is faster and Alt slower, the wheel sets the speed,
// as in Godot's free look. A finger drags what it is on; two fingers pull the camera ahead and shift it.
import { vec3, type Vec3 } from '../world/vector.js';
import type { Gesture } from './gestures.js';
import {
  aboveGround,
  add,
  axesOf,
  clamp,
  clampPitch,
  glide,
  sizeOf,
  type Controls,
  type Pose,
  type Surroundings,
} from './rig.js';

/** A drag over the picture's height looks this far around, radians. */
const LOOK_PER_HEIGHT = Math.PI;
/** Of the world's size a second, at speed 1. */
const SPEED = 0.04;
/** A notch of the wheel makes it this much faster; Shift and Alt, at once. */
const FASTER = 1.2;
const SHIFT_FACTOR = 3;
/** Fingers: of the world's size for a drag over the picture's height, and for a spread by e. */
const FINGER_WAY = 0.1;
/** A glide ends this near to its goal, radians; and a standstill is this share of the speed. */
const NEAR_ENOUGH = 1e-4;

const KEYS = new Set(['w', 'a', 's', 'd', 'q', 'e', 'up', 'down', 'left', 'right', 'shift', 'alt']);

export class FlyControls implements Controls {
  private now: Pose | null = null;
  private goal: Pose | null = null;
  private velocity: Vec3 = vec3(0, 0, 0);
  private speed = 1;
  private readonly held = new Set<string>();

  adopt(pose: Pose): void {
    this.now = { ...pose };
    this.goal = { ...pose };
  }

  gesture(gesture: Gesture, around: Surroundings): void {
    const { goal } = this;
    if (!goal) return;
    if (gesture.kind === 'wheel') this.speed = clamp(this.speed * FASTER ** gesture.turn, 1e-3, 1e3);
    else if (gesture.kind === 'drag') {
      // A mouse turns the head; a finger drags what it is on, so that it goes along.
      const angle =
        gesture.pointer === 'touch' ? (around.fov ?? 1) : gesture.pointer === 'mouse' ? -LOOK_PER_HEIGHT : -1;
      goal.yaw += (gesture.dx / around.height) * angle;
      goal.pitch = clampPitch(goal.pitch + (gesture.dy / around.height) * angle);
    } else if (gesture.kind === 'pinch') {
      const { right, up, forward } = axesOf(goal);
      const way = sizeOf(around) * FINGER_WAY * this.speed;
      const { dx, dy, spread } = gesture;
      const across = add(vec3(0, 0, 0), right, (-dx / around.height) * way);
      const sum = add(add(across, up, (dy / around.height) * way), forward, Math.log(spread) * way);
      goal.position = aboveGround(around, add(goal.position, sum));
    }
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
    const share = glide(dt, still);
    const wanted = this.wanted(goal, around);
    const { velocity } = this;
    this.velocity = add(velocity, add(wanted, velocity, -1), share);
    const slow = Math.hypot(this.velocity.x, this.velocity.y, this.velocity.z);
    if (this.held.size === 0 && slow < NEAR_ENOUGH * sizeOf(around) * SPEED) this.velocity = vec3(0, 0, 0);
    else if (slow > 0) goal.position = aboveGround(around, add(goal.position, this.velocity, dt));
    const turned = now.yaw !== goal.yaw || now.pitch !== goal.pitch;
    if (!turned && now.position === goal.position) return null;
    now.yaw += (goal.yaw - now.yaw) * share;
    now.pitch += (goal.pitch - now.pitch) * share;
    if (Math.hypot(now.yaw - goal.yaw, now.pitch - goal.pitch) < NEAR_ENOUGH) {
      now.yaw = goal.yaw;
      now.pitch = goal.pitch;
    }
    now.position = goal.position;
    return { ...now };
  }

  /** Metres a second that the keys ask for. */
  private wanted(pose: Pose, around: Surroundings): Vec3 {
    const { held } = this;
    const is = (...keys: string[]) => Number(keys.some((key) => held.has(key)));
    const x = is('d', 'right') - is('a', 'left');
    const y = is('e') - is('q');
    const z = is('w', 'up') - is('s', 'down');
    const length = Math.hypot(x, y, z);
    if (length === 0) return vec3(0, 0, 0);
    const speed = (sizeOf(around) * SPEED * this.speed * SHIFT_FACTOR ** (is('shift') - is('alt'))) / length;
    const { right, forward } = axesOf(pose);
    return add(add(vec3(0, y * speed, 0), right, x * speed), forward, z * speed);
  }
}
