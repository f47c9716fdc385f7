// A camera as the error-driven mesh sees it: how large an error looks to it, in percent of the frame's height, and whether a box is in its
// view, outside, or crosses a side. Filled anew each update, without allocating.
import { checkNumber, MoonscapeError, refuse } from '../errors.js';
import type { View } from '../renderer/view.js';
import type { Vec3 } from '../world/vector.js';

/** A camera in words: what scripts give. */
export interface ErrorCamera {
  /** World metres. */
  position: Vec3;
  /** Where it looks; any length above 0. */
  forward: Vec3;
  /** What is up in its picture; any length, not along `forward`. */
  up: Vec3;
  /** Degrees from the picture's lower to its upper edge, in 0..180. */
  fovY: number;
  /** Width over height of the picture. */
  aspect: number;
  /** Metres, above 0. */
  near: number;
  /** Pixels: the picture's height. Default: the on-screen one's. */
  height?: number;
}

export const enum Seen {
  Outside,
  Crossing,
  Inside,
}

/** Forward and the four sides; four numbers each: a normal that points into the view, and how far the eye lies inside. */
const SIDES = 5;
/** An up direction this near to forward (sine of the angle) has no side to be up on. */
const LEAST_TILT = 1e-6;

export class ErrorView {
  x = 0;
  y = 0;
  z = 0;
  near = 0;
  /** Pixels. */
  height = 0;
  /** The part of an error's upright vector that lies along the picture's own up axis, 0..1. */
  upright = 0;
  // Numbers go in and out by these, for JavaScript would allocate for each that it passes on to a function.
  /** The box in hand, metres: its low x, y, z and its high ones. */
  readonly box = new Float64Array(6);
  /** What `measure` found. */
  readonly percent = new Float64Array(1);
  /** What is seen from edge to edge at 1 m, vertically; of parallel rays, metres. */
  private frame = 1;
  private parallel = false;
  private readonly sides = new Float64Array(SIDES * 4);

  /** Takes a stated camera. */
  setCamera(where: string, camera: ErrorCamera, height: number): void {
    const position = checkVector(where, 'position', camera.position);
    const forward = checkDirection(where, 'forward', camera.forward);
    const up = checkDirection(where, 'up', camera.up);
    const fovY = checkNumber(where, 'fovY', camera.fovY, { above: 0 });
    if (fovY >= 180) refuse(where, 'fovY', 'a number of degrees above 0 and under 180', fovY);
    const aspect = checkNumber(where, 'aspect', camera.aspect, { above: 0 });
    const near = checkNumber(where, 'near', camera.near, { above: 0 });
    const pixels = checkNumber(where, 'height', camera.height ?? height, { min: 1 });
    // Up, straightened against forward.
    const lean = up.x * forward.x + up.y * forward.y + up.z * forward.z;
    const rest = { x: up.x - lean * forward.x, y: up.y - lean * forward.y, z: up.z - lean * forward.z };
    const length = Math.hypot(rest.x, rest.y, rest.z);
    if (length < LEAST_TILT)
      throw new MoonscapeError(
        `${where}: up must not point along forward, whichever way; both lie on one line`,
      );
    const axis = { x: rest.x / length, y: rest.y / length, z: rest.z / length };
    const half = Math.tan((fovY * Math.PI) / 360);
    this.set(position, forward, axis, {
      near,
      half,
      halfWidth: half * aspect,
      parallel: false,
      height: pixels,
    });
  }

  /** Takes what the on-screen camera sees. @param height pixels */
  setView(view: View, height: number): void {
    const { position, forward, up, near, halfHeight, halfWidth, orthographic } = view;
    this.set(position, forward, up, { near, half: halfHeight, halfWidth, parallel: orthographic, height });
  }

  /** Percent of the frame's height that an error of `metres` has at a distance. */
  percentOf(metres: number, distance: number): number {
    if (this.parallel) return (100 * metres * this.upright) / this.frame;
    return (100 * metres * this.upright) / (this.frame * (distance > this.near ? distance : this.near));
  }

  /** Writes to `percent` how large the error `errors[id]` looks at the nearest point of the box. */
  measure(errors: Float32Array, id: number): void {
    const { box, percent } = this;
    const dx = this.x < box[0] ? box[0] - this.x : this.x > box[3] ? this.x - box[3] : 0;
    const dy = this.y < box[1] ? box[1] - this.y : this.y > box[4] ? this.y - box[4] : 0;
    const dz = this.z < box[2] ? box[2] - this.z : this.z > box[5] ? this.z - box[5] : 0;
    percent[0] = this.percentOf(errors[id], Math.sqrt(dx * dx + dy * dy + dz * dz));
  }

  /** Where the box lies: outside if wholly beyond one of the sides, inside if before all of them. */
  sees(): Seen {
    const { sides, box } = this;
    const x = (box[0] + box[3]) / 2 - this.x;
    const y = (box[1] + box[4]) / 2 - this.y;
    const z = (box[2] + box[5]) / 2 - this.z;
    const halfX = (box[3] - box[0]) / 2;
    const halfY = (box[4] - box[1]) / 2;
    const halfZ = (box[5] - box[2]) / 2;
    let seen = Seen.Inside;
    for (let k = 0; k < SIDES * 4; k += 4) {
      const nx = sides[k];
      const ny = sides[k + 1];
      const nz = sides[k + 2];
      const middle = nx * x + ny * y + nz * z + sides[k + 3];
      const reach = Math.abs(nx) * halfX + Math.abs(ny) * halfY + Math.abs(nz) * halfZ;
      if (middle + reach < 0) return Seen.Outside;
      if (middle - reach < 0) seen = Seen.Crossing;
    }
    return seen;
  }

  private set(
    position: Vec3,
    forward: Vec3,
    up: Vec3,
    lens: { near: number; half: number; halfWidth: number; parallel: boolean; height: number },
  ): void {
    const { near, half, halfWidth, parallel, height } = lens;
    this.x = position.x;
    this.y = position.y;
    this.z = position.z;
    this.near = near;
    this.height = height;
    this.parallel = parallel;
    this.frame = 2 * half;
    this.upright = Math.abs(up.y);
    const rightX = forward.y * up.z - forward.z * up.y;
    const rightY = forward.z * up.x - forward.x * up.z;
    const rightZ = forward.x * up.y - forward.y * up.x;
    this.side(0, forward.x, forward.y, forward.z, -near);
    const tilt = parallel ? 0 : 1;
    for (let k = 0; k < 4; k++) {
      const across = k < 2;
      const sign = k % 2 === 0 ? 1 : -1;
      const reach = across ? halfWidth : half;
      this.side(
        k + 1,
        sign * (across ? rightX : up.x) + tilt * reach * forward.x,
        sign * (across ? rightY : up.y) + tilt * reach * forward.y,
        sign * (across ? rightZ : up.z) + tilt * reach * forward.z,
        parallel ? reach : 0,
      );
    }
  }

  private side(k: number, x: number, y: number, z: number, inside: number): void {
    this.sides[4 * k] = x;
    this.sides[4 * k + 1] = y;
    this.sides[4 * k + 2] = z;
    this.sides[4 * k + 3] = inside;
  }
}

function checkVector(where: string, name: string, vector: Vec3): Vec3 {
  const { x, y, z } = vector ?? {};
  return {
    x: checkNumber(where, `${name}.x`, x),
    y: checkNumber(where, `${name}.y`, y),
    z: checkNumber(where, `${name}.z`, z),
  };
}

/** A direction, brought to length 1. */
function checkDirection(where: string, name: string, vector: Vec3): Vec3 {
  const { x, y, z } = checkVector(where, name, vector);
  const length = Math.hypot(x, y, z);
  if (!(length > 0) || !Number.isFinite(length))
    refuse(where, name, 'a direction of a length above 0', { x, y, z });
  return { x: x / length, y: y / length, z: z / length };
}
