// The sun's shadow maps as squares of light space: which part of the world each covers, from near to far, so that their
// texels grow with the distance as pixels do. A map moves by whole texels and its size changes in steps, so that shadows
// stand still while the camera moves (after Valient, "Stable Rendering of Cascaded Shadow Maps", ShaderX6, 2008). All in
// doubles, and relative to the camera only at the end: a world far from its origin has the same shadows.
import { cross, dot, normalize, vec3, type Bounds, type Vec3 } from '../world/vector.js';
import type { View } from './view.js';

/** As MAX_CASCADES of shaders/include/frame.wgsl. */
export const MAX_CASCADES = 4;
/** Metres from the camera past which nothing casts: with four maps the nearest then has texels of a hand. */
const FARTHEST = 16000;
/** Nearer than this part of the farthest distance, and than so many metres, needs no map of its own. */
const NEAREST_PART = 1e-3;
const NEAREST = 5;
/** A slice ends this many times as far away as it begins: less needs no other map, more shows its texels. */
const LEAST_RATIO = 3;
const MOST_RATIO = 8;
/** A slice begins at this part of the one before it: maps blend into each other. */
const OVERLAP = 0.8;
/** Texels left free along a map's border: what the filter reads past a place. */
const BORDER = 4;
/** Where the next map begins to take over, as a part of the way to the border; past every place where there is no need. */
const BAND = 0.88;
const NO_BAND = 4;
/** Part of a texel, and of a map's depth, by which rounding may set a surface before itself. */
const TEXEL_BIAS = 0.1;
const DEPTH_BIAS = 1e-6;

/** A cascade as shaders read it (shaders/include/cascade.wgsl), and what it covers. */
export interface Cascade {
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly z: readonly number[];
  readonly texel: number;
  readonly bias: number;
  readonly band: number;
  /** Light space, metres, across and up: the square's middle and half sides. */
  readonly square: { readonly middle: readonly [number, number]; readonly half: readonly [number, number] };
  readonly axes: LightAxes;
  /** What says which part of the world is on it, whatever the camera: two with the same numbers have the same map of the same things. */
  readonly place: readonly number[];
}

/** Unit vectors: level, across the light; up the map; toward the sun. */
interface LightAxes {
  readonly across: Vec3;
  readonly up: Vec3;
  readonly toward: Vec3;
}

export interface CascadeOptions {
  /** Unit, toward the sun. */
  sun: Vec3;
  /** Box around everything that casts or receives. */
  bounds: Bounds;
  /** At most this many maps, 1..MAX_CASCADES. */
  count: number;
  /** Texels along a map's side. */
  size: number;
}

/** The cascades of a view, 1 to `count`, from near to far; the last one covers all there is up to FARTHEST. */
export function cascadesOf(view: View, { sun, bounds, count, size }: CascadeOptions): Cascade[] {
  const axes = lightAxes(sun);
  const world = [extent(bounds, axes.across), extent(bounds, axes.up), extent(bounds, axes.toward)] as const;
  // All the world's depth is on every map: a place is right on any that it lies on.
  const [low, high] = world[2];
  const depth = Math.max(high - low, 1e-3) * 1.001;
  const found: Cascade[] = [];
  for (const ball of slicesOf(view, bounds, count)) {
    const across = fit(dot(ball.middle, axes.across), ball.radius, world[0], size);
    const up = fit(dot(ball.middle, axes.up), ball.radius, world[1], size);
    const all = across.all && up.all;
    const texel = (2 * Math.max(across.half, up.half)) / size;
    found.push({
      x: row(axes.across, view.position, across.half, across.middle),
      y: row(axes.up, view.position, up.half, up.middle),
      z: row(axes.toward, view.position, -depth, high + 5e-4 * depth),
      texel,
      bias: (TEXEL_BIAS * texel) / depth + DEPTH_BIAS,
      band: all ? NO_BAND : BAND,
      square: { middle: [across.middle, up.middle], half: [across.half, up.half] },
      axes,
      place: [
        ...[axes.toward.x, axes.toward.y, axes.toward.z, high, depth],
        ...[across.middle, across.half, up.middle, up.half],
      ],
    });
    // The whole world is on it: those after it would be the same.
    if (all) break;
  }
  return found;
}

/** Whether any of a box of the world may cast onto a cascade. */
export function casts({ square, axes }: Cascade, bounds: Bounds): boolean {
  const beside = (axis: Vec3, middle: number, half: number) => {
    const [low, high] = extent(bounds, axis);
    return low > middle + half || high < middle - half;
  };
  return !(
    beside(axes.across, square.middle[0], square.half[0]) || beside(axes.up, square.middle[1], square.half[1])
  );
}

/** The four sides of a cascade as planes from the camera, unit, inward, as shaders/include/scatter.wgsl reads them; and one that all is within. */
export function planesOfCascade({ x, y, square }: Cascade): number[][] {
  const sides = [
    [x, square.half[0]],
    [y, square.half[1]],
  ] as const;
  const planes = sides.flatMap(([row, half]) =>
    [1, -1].map((sign) => [...row.slice(0, 3).map((part) => sign * part * half), (sign * row[3] + 1) * half]),
  );
  return [...planes, [0, 0, 0, 1e30]];
}

/** Where shadows begin to be wanted and where they end, cut into slices; each slice's bounding ball. */
function slicesOf(view: View, bounds: Bounds, count: number): { middle: Vec3; radius: number }[] {
  const { position, forward, halfWidth, halfHeight, orthographic } = view;
  const along = (distance: number) =>
    vec3(
      position.x + forward.x * distance,
      position.y + forward.y * distance,
      position.z + forward.z * distance,
    );
  if (orthographic) {
    // Parallel rays: one size of pixel, one map.
    const [low, high] = extent(bounds, forward).map((at) => at - dot(position, forward));
    const [near, far] = [Math.max(low, view.near), Math.max(high, view.near)];
    const radius = Math.hypot(halfWidth, halfHeight, Math.max(far - near, 0) / 2);
    return [{ middle: along((near + far) / 2), radius: stepUp(radius, 4) }];
  }
  const spread = halfWidth ** 2 + halfHeight ** 2;
  const [nearest, farthest] = distancesTo(bounds, position);
  // In steps, so that a camera that moves on does not change the maps' sizes all the time.
  const far = Math.min(stepUp(Math.max(farthest, view.near * 2), 2), FARTHEST);
  const least = Math.min(far * NEAREST_PART, NEAREST);
  const start = Math.max(least, view.near, stepUp(nearest / Math.sqrt(1 + spread), 2) / 2);
  if (start >= far) return [];
  const span = Math.log(far / start);
  const used = Math.min(count, Math.max(1, Math.ceil(span / Math.log(LEAST_RATIO) - 1e-9)));
  const ratio = Math.min(Math.exp(span / used), MOST_RATIO);
  return Array.from({ length: used }, (_, i) => {
    const end = far / ratio ** (used - 1 - i);
    const begin = i === 0 ? view.near : (end / ratio) * OVERLAP;
    // The smallest ball around a slice of the view: its middle lies on the view's axis, at the far end for wide views.
    const middle = Math.min(end, ((begin + end) / 2) * (1 + spread));
    return { middle: along(middle), radius: Math.hypot(end - middle, end * Math.sqrt(spread)) };
  });
}

/** A map's middle and half side along an axis: around a ball, or around all there is where that is less. */
function fit(middle: number, radius: number, [low, high]: readonly [number, number], size: number) {
  const whole = stepUp(Math.max((high - low) / 2, 1e-3) * 1.02, 8);
  const all = whole <= radius;
  const half = ((all ? whole : radius) * size) / (size - 2 * BORDER);
  const texel = (2 * half) / size;
  return { middle: Math.round((all ? (low + high) / 2 : middle) / texel) * texel, half, all };
}

/** The next of the numbers 2^(k / steps), k whole, that is not below `value`. */
const stepUp = (value: number, steps: number): number =>
  value > 0 ? 2 ** (Math.ceil(Math.log2(value) * steps - 1e-9) / steps) : 0;

/** dot(row, (place from the camera, 1)) is (dot(axis, place) - middle) / half. */
const row = (axis: Vec3, eye: Vec3, half: number, middle: number): number[] => [
  axis.x / half,
  axis.y / half,
  axis.z / half,
  (dot(axis, eye) - middle) / half,
];

function lightAxes(toward: Vec3): LightAxes {
  const level = vec3(toward.z, 0, -toward.x);
  const across = dot(level, level) > 1e-12 ? normalize(level) : vec3(1, 0, 0);
  return { across, up: cross(toward, across), toward };
}

/** From where to where a box reaches along a direction. */
function extent({ min, max }: Bounds, n: Vec3): [number, number] {
  const middle = (n.x * (min.x + max.x) + n.y * (min.y + max.y) + n.z * (min.z + max.z)) / 2;
  const half =
    (Math.abs(n.x) * (max.x - min.x) + Math.abs(n.y) * (max.y - min.y) + Math.abs(n.z) * (max.z - min.z)) / 2;
  return [middle - half, middle + half];
}

/** Metres from a place to the nearest and to the farthest point of a box. */
function distancesTo({ min, max }: Bounds, from: Vec3): [number, number] {
  const least = (axis: 'x' | 'y' | 'z') => Math.max(min[axis] - from[axis], from[axis] - max[axis], 0);
  const most = (axis: 'x' | 'y' | 'z') =>
    Math.max(Math.abs(min[axis] - from[axis]), Math.abs(max[axis] - from[axis]));
  return [Math.hypot(least('x'), least('y'), least('z')), Math.hypot(most('x'), most('y'), most('z'))];
}
