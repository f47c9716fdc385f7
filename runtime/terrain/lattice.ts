// The collider's lattice along one axis: the stops that vertices stand on, and which stop each whole index of a cut
// takes. Made once in doubles on the CPU; the kernels, their CPU twin and the hole decisions load these tables, so
// that no two of them can round differently.

/** One axis of a heightfield: `min` metres is its near edge, `texel` metres a texel, `texels` of them. */
export interface FieldAxis {
  min: number;
  texel: number;
  texels: number;
}

/** One axis of the stops that a cut's vertices can stand on, in rising order. */
export interface AxisStops {
  /** Number of stops: at most texels + 2; a cut's own rect may put its edges in the place of stops it leaves out. */
  count: number;
  /** World coordinate in metres, rounded once to f32. */
  world: Float32Array;
  /** Metres from the cut's corner. */
  local: Float64Array;
  /** Texel column (or row) of the lower side of the cell the stop stands in, 0..texels - 1. */
  cell: Uint32Array;
  /** Place in that cell, 0..1: 0 except where a cut's own rect ends between two texel centres. */
  fraction: Float32Array;
}

/** Rounding in doubles that a place at `extent` metres from zero may carry through the few operations made on it. */
const rounding = (extent: number) => extent * 2 ** -49;

/**
 * The stops of `field` that lie in `rect`, which is the rect the cut tiles (one axis of it, metres of world).
 *
 *     field     |----o--------o--------o----|        edge, texel centres, edge: texels + 2 stops
 *     rect           |    [stops]   |                an edge inside the field is itself a stop, with heightAt there
 *
 * A rect past the field brings none: what lies past the field takes the field's edge. A rect edge that falls on a
 * texel centre but for rounding is that centre. The two must overlap (the caller has refused a disjoint rect).
 */
export function axisStops(field: FieldAxis, rect: { min: number; max: number }): AxisStops {
  const { min, texel, texels } = field;
  const offset = min - rect.min;
  const width = rect.max - rect.min;
  const near = rounding(Math.max(Math.abs(rect.min), Math.abs(rect.max), width));
  const far = offset + texels * texel;

  // The first and last stops: the field's edges, or the rect's where it ends inside the field.
  const first = offset >= -near ? { local: offset, world: min, at: 0 } : edge(rect.min, 0);
  const last =
    far <= width + near ? { local: far, world: min + texels * texel, at: texels } : edge(rect.max, width);
  function edge(world: number, local: number) {
    return { local, world, at: (local - offset) / texel };
  }

  const centre = (k: number) => offset + (k + 0.5) * texel;
  let from = 0;
  let to = texels;
  while (from < texels && centre(from) <= first.local + near) from++;
  while (to > from && centre(to - 1) >= last.local - near) to--;

  const count = to - from + 2;
  const stops: AxisStops = {
    count,
    world: new Float32Array(count),
    local: new Float64Array(count),
    cell: new Uint32Array(count),
    fraction: new Float32Array(count),
  };
  const put = (index: number, local: number, world: number, at: number) => {
    const place = Math.min(Math.max(at - 0.5, 0), texels - 1);
    const snap = near / texel;
    const cell = Math.floor(place + snap);
    stops.local[index] = local;
    stops.world[index] = world;
    stops.cell[index] = cell;
    stops.fraction[index] = place - cell > snap ? place - cell : 0;
  };
  put(0, first.local, first.world, first.at);
  for (let k = from; k < to; k++) put(k - from + 1, centre(k), min + (k + 0.5) * texel, k + 0.5);
  put(count - 1, last.local, last.world, last.at);
  return stops;
}

/** The width of a tie between two stops: places this near to the middle count as standing on it. */
function tieOf(stops: AxisStops): number {
  const { world, local, count } = stops;
  return rounding(Math.max(Math.abs(world[0]), Math.abs(world[count - 1]), local[count - 1]));
}

/**
 * The stop nearest to a place, `local` metres from the cut's corner; midway between two it is the lower one. A place
 * before the first stop takes the first, one past the last takes the last.
 */
export function nearestStop(stops: AxisStops, local: number): number {
  const tie = tieOf(stops);
  let low = 0;
  let high = stops.count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (local - stops.local[middle] <= stops.local[middle + 1] - local + tie) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The stop of each whole index 0..count - 1, `spacing` metres apart from the cut's corner (the finest level's
 * spacing): what nearestStop answers at `index * spacing`. Index i of a level `up` coarser is index `i << up` here.
 */
export function stopOfIndex(stops: AxisStops, spacing: number, count: number): Uint32Array {
  const tie = tieOf(stops);
  const { local } = stops;
  const last = stops.count - 1;
  const table = new Uint32Array(count);
  let stop = 0;
  for (let index = 0; index < count; index++) {
    const place = index * spacing;
    while (stop < last && place - local[stop] > local[stop + 1] - place + tie) stop++;
    table[index] = stop;
  }
  return table;
}
