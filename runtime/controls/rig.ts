// What the three kinds of camera controls share: the camera as a place and two angles, the lens and the ground it is over, and
// the arithmetic between pixels, rays and metres. Pure: it knows neither a page nor the world.
import { dot, vec3, type Bounds, type Vec3 } from '../world/vector.js';
import type { Gesture } from './gestures.js';

/** A camera that stands upright. */
export interface Pose {
  /** Metres. */
  position: Vec3;
  /** Radians to the left of −Z, seen from above. */
  yaw: number;
  /** Radians above the horizon that it looks. */
  pitch: number;
  /** What an orthographic camera sees from the lower to the upper edge, metres. */
  height: number;
}

/** What the camera sees with and what is around it; read anew for each event. */
export interface Surroundings {
  /** The picture, pixels. */
  readonly width: number;
  readonly height: number;
  /** Vertical field of view, radians; null for parallel rays. */
  readonly fov: number | null;
  /** Metres: nothing nearer is drawn. */
  readonly near: number;
  /** What the world holds. */
  readonly bounds: Bounds;
  /** Height of the ground there, or null where there is none. */
  groundAt(x: number, z: number): number | null;
  /** Distance to what is drawn along a ray (unit direction), or null. */
  hit(origin: Vec3, direction: Vec3): number | null;
}

/** One way of moving a camera. */
export interface Controls {
  /** Takes the camera where it stands: from here on the controls move it. */
  adopt(pose: Pose, around: Surroundings): void;
  gesture(gesture: Gesture, around: Surroundings): void;
  /** A key went down or up. Answers whether it means anything here. */
  key(key: string, down: boolean): boolean;
  /** Lets go of all keys. */
  blur(): void;
  /** The pose `dt` seconds on, or null where nothing moves. `still`: no gliding, for people who ask for less motion. */
  update(dt: number, around: Surroundings, still: boolean): Pose | null;
}

/** The camera stays this far short of looking straight up or down, radians: there the sides change places. */
const SHORT_OF_UPRIGHT = 1e-3;
export const MOST_PITCH = Math.PI / 2 - SHORT_OF_UPRIGHT;

/** A whole turn for a drag over the picture's height, as three.js has it. */
export const TURN_PER_HEIGHT = 2 * Math.PI;

/** Of what remains, how much is left after a second of gliding. */
const GLIDE_LEFT = 1e-5;
/** Wheel: a notch changes distances by this. */
export const NOTCH = 0.88;

/** Share of the way that a glide goes in `dt` seconds; the same way in sum however it is cut into frames. */
export const glide = (dt: number, still: boolean): number => (still ? 1 : 1 - GLIDE_LEFT ** dt);

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(Math.max(value, low), high);

export const clampPitch = (pitch: number): number => clamp(pitch, -MOST_PITCH, MOST_PITCH);

export const add = (a: Vec3, b: Vec3, factor = 1): Vec3 =>
  vec3(a.x + b.x * factor, a.y + b.y * factor, a.z + b.z * factor);

export const mix = (a: Vec3, b: Vec3, share: number): Vec3 =>
  vec3(a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share, a.z + (b.z - a.z) * share);

/** The camera's own axes in the world. */
export function axesOf({ yaw, pitch }: Pick<Pose, 'yaw' | 'pitch'>): {
  right: Vec3;
  up: Vec3;
  forward: Vec3;
} {
  const [sinYaw, cosYaw, sin, cos] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  return {
    right: vec3(cosYaw, 0, -sinYaw),
    up: vec3(sin * sinYaw, cos, sin * cosYaw),
    forward: vec3(-cos * sinYaw, sin, -cos * cosYaw),
  };
}

/** The angles of something that looks along `forward` (of length 1). */
export const anglesToward = (forward: Vec3): { yaw: number; pitch: number } => ({
  yaw: Math.atan2(-forward.x, -forward.z),
  pitch: clampPitch(Math.asin(clamp(forward.y, -1, 1))),
});

/** The ray through a place of the picture: where it starts, and its unit direction. */
export function rayThrough(
  pose: Pose,
  { width, height, fov }: Surroundings,
  x: number,
  y: number,
): { origin: Vec3; direction: Vec3 } {
  const { right, up, forward } = axesOf(pose);
  const half = fov === null ? pose.height / 2 : Math.tan(fov / 2);
  const across = ((2 * x - width) / height) * half;
  const upward = (1 - (2 * y) / height) * half;
  if (fov === null) return { origin: add(add(pose.position, right, across), up, upward), direction: forward };
  const way = add(add(forward, right, across), up, upward);
  const length = Math.sqrt(dot(way, way));
  return { origin: pose.position, direction: vec3(way.x / length, way.y / length, way.z / length) };
}

/** Metres that a pixel is wide, `distance` metres in front of the camera. */
export const metresPerPixel = (pose: Pose, { height, fov }: Surroundings, distance: number): number =>
  fov === null ? pose.height / height : (2 * distance * Math.tan(fov / 2)) / height;

/** What is drawn under a place of the picture; where nothing is, the place as deep as the world's middle, within the world's size. */
export function placeUnder(pose: Pose, around: Surroundings, x: number, y: number): Vec3 {
  const { origin, direction } = rayThrough(pose, around, x, y);
  const distance = around.hit(origin, direction);
  if (distance !== null) return add(origin, direction, distance);
  const { min, max } = around.bounds;
  const middle = vec3((min.x + max.x) / 2, (min.y + max.y) / 2, (min.z + max.z) / 2);
  const size = sizeOf(around);
  const along = dot(add(middle, origin, -1), direction);
  return add(origin, direction, clamp(along, size * 0.02, size * 2));
}

/** Length of the world's diagonal, metres; at least one. */
export const sizeOf = ({ bounds: { min, max } }: Surroundings): number =>
  Math.max(Math.hypot(max.x - min.x, max.y - min.y, max.z - min.z), 1);

/** How far above the ground a camera stays: so that the near plane is clear of it. */
export const clearance = (around: Surroundings): number => Math.max(around.near * 4, sizeOf(around) * 1e-4);

/** The least height of a camera there, or -Infinity where there is no ground. */
export const leastHeight = (around: Surroundings, x: number, z: number): number => {
  const ground = around.groundAt(x, z);
  return ground === null ? -Infinity : ground + clearance(around);
};

/** A place lifted out of the ground. */
export const aboveGround = (around: Surroundings, place: Vec3): Vec3 =>
  vec3(place.x, Math.max(place.y, leastHeight(around, place.x, place.z)), place.z);
