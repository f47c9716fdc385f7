// The erosion kernels on the CPU: the same steps on the same state, in doubles between float32 states. What specs hold the
// kernels to, and what runs instead of them where a CPU drives the adapter, which takes some five times as long for them.
// Mirrors shaders/erode_flow.wgsl and shaders/erode_ground.wgsl.
import { erosionStep, type Erosion, type ErosionStep } from './erosion.js';

/** As in shaders/include/erode.wgsl. */
const EASE = 0.5;
const SETTLE = 0.3;
const MOST_CHANGE = 0.25;

/** Columns and rows to each neighbour, in the kernels' order, and which component of `share`, `reach` and `talus` it has. */
const ACROSS = [1, 1, 0, -1, -1, -1, 0, 1];
const DOWN = [0, 1, 1, 1, 0, -1, -1, -1];
const AXIS = [0, 2, 1, 2, 0, 2, 1, 2];

/** What a run changes, rows × columns, row-major. */
export interface ErosionState {
  /** × 4: ground, water, sediment and loose ground (below 0: no data), metres. */
  state: Float32Array;
  /** Texels whose rain runs by. */
  flow: Float32Array;
  /** Metres of sediment that ran off. */
  gone: Float32Array;
}

/** One run on the CPU, step by step: the counterpart of ErodeKernels. */
export class ErosionTwin {
  private before: Float32Array;
  private after: Float32Array;
  private readonly rates: Float32Array;
  private readonly flow: Float32Array;
  private readonly gone: Float32Array;
  /** Of each neighbour: how far on it lies, and its share, reach and talus. */
  private readonly offset: Int32Array;
  private readonly share: Float64Array;
  private readonly reach: Float64Array;
  private readonly talus: Float64Array;
  private done = 0;

  /** @param state as firstState makes it; it is not changed */
  constructor(
    private readonly erosion: Erosion,
    state: Float32Array,
  ) {
    this.before = state.slice();
    this.after = new Float32Array(state.length);
    const texels = state.length / 4;
    this.rates = new Float32Array(texels);
    this.flow = new Float32Array(texels);
    this.gone = new Float32Array(texels);
    this.offset = Int32Array.from(ACROSS, (dx, k) => dx + DOWN[k] * erosion.texels[0]);
    this.share = Float64Array.from(AXIS, (axis) => erosion.share[axis]);
    this.reach = Float64Array.from(AXIS, (axis) => erosion.reach[axis]);
    this.talus = Float64Array.from(AXIS, (axis) => erosion.talus[axis]);
  }

  /** Takes the next `count` steps of a run of `steps` in all. */
  run(count: number, steps: number): void {
    for (let k = 0; k < count; k++) {
      this.flowStep();
      this.groundStep(erosionStep(this.done++, steps));
      [this.before, this.after] = [this.after, this.before];
    }
  }

  /** What the steps so far made of the state. */
  read(): ErosionState {
    return { state: this.before, flow: this.flow, gone: this.gone };
  }

  /** Mirrors erode_flow. */
  private flowStep(): void {
    const { before, rates, share, offset } = this;
    const [columns, rows] = this.erosion.texels;
    const open = this.erosion.closed === 0;
    for (let row = 0, at = 0; row < rows; row++) {
      for (let col = 0; col < columns; col++, at++) {
        const inner = row > 0 && row < rows - 1 && col > 0 && col < columns - 1;
        const ground = before[at * 4];
        const water = before[at * 4 + 1];
        let drops = 0;
        for (let k = 0; k < 8; k++) {
          const other = inner || this.isInside(col + ACROSS[k], row + DOWN[k]) ? at + offset[k] : -1;
          if (other >= 0 && before[other * 4 + 3] >= 0) {
            const drop = ground - before[other * 4] + (water - before[other * 4 + 1]);
            if (drop > 0) drops += share[k] * drop;
          } else if (open && (k & 1) === 0) drops += share[k] * (water + this.rimFall(at, col, row, k));
        }
        const runs = before[at * 4 + 3] >= 0 && water > 0 && drops > 0;
        rates[at] = runs ? Math.min(EASE / water, 1 / drops) : 0;
      }
    }
  }

  private isInside(col: number, row: number): boolean {
    const [columns, rows] = this.erosion.texels;
    return col >= 0 && row >= 0 && col < columns && row < rows;
  }

  /** Off the rim the ground goes down as it does from the texel opposite neighbour `k`. */
  private rimFall(at: number, col: number, row: number, k: number): number {
    if (!this.isInside(col - ACROSS[k], row - DOWN[k])) return 0;
    const back = at - this.offset[k];
    return this.before[back * 4 + 3] < 0 ? 0 : Math.max(0, this.before[back * 4] - this.before[at * 4]);
  }

  /** Mirrors erode_ground. */
  private groundStep(step: ErosionStep): void {
    const { before, after, rates, share, reach, talus, offset, erosion } = this;
    const [columns, rows] = erosion.texels;
    const open = erosion.closed === 0;
    const { creep } = erosion;
    for (let row = 0, at = 0; row < rows; row++) {
      for (let col = 0; col < columns; col++, at++) {
        const first = at * 4;
        if (before[first + 3] < 0) {
          for (let word = first; word < first + 4; word++) after[word] = before[word];
          continue;
        }
        const inner = row > 0 && row < rows - 1 && col > 0 && col < columns - 1;
        const ground = before[first];
        const water = before[first + 1];
        let [drops, off, slope, cameWater, cameSediment] = [0, 0, 0, 0, 0];
        let [slide, fall, rise] = [0, 0, 0];
        for (let k = 0; k < 8; k++) {
          const other = inner || this.isInside(col + ACROSS[k], row + DOWN[k]) ? (at + offset[k]) * 4 : -1;
          if (other >= 0 && before[other + 3] >= 0) {
            const down = ground - before[other];
            const drop = down + (water - before[other + 1]);
            if (drop > 0) {
              drops += share[k] * drop;
              const steep = drop / reach[k];
              if (steep > slope) slope = steep;
            } else {
              const part = rates[other >> 2] * share[k] * -drop;
              cameWater += before[other + 1] * part;
              cameSediment += before[other + 2] * part;
            }
            if (down > fall) fall = down;
            if (-down > rise) rise = -down;
            if (down > talus[k]) slide -= creep * (down - talus[k]);
            else if (down < -talus[k]) slide -= creep * (down + talus[k]);
          } else if (open && (k & 1) === 0) {
            const drop = water + this.rimFall(at, col, row, k);
            drops += share[k] * drop;
            off += share[k] * drop;
            slope = Math.max(slope, drop / reach[k]);
          }
        }
        const leaving = Math.min(1, rates[at] * drops);
        if (off > 0) this.gone[at] += before[first + 2] * rates[at] * off;
        const sediment = before[first + 2] * (1 - leaving) + cameSediment;
        const stream = (water * leaving) / erosion.rain;
        if (step.average > 0) this.flow[at] += step.average * stream;
        const held = erosion.carry * stream * slope;
        let change: number;
        if (sediment < held) {
          const worn = step.fade * erosion.wear * Math.sqrt(stream) * slope * (1 - sediment / held);
          change = -Math.min(worn, MOST_CHANGE * fall);
        } else change = Math.min(SETTLE * (sediment - held), Math.max(MOST_CHANGE * rise, water));
        const worked = Math.fround(ground + change);
        const result = Math.fround(worked + slide);
        const rain = erosion.rain * (0.5 + rainNumber(at, step.index, erosion.seed));
        after[first] = result;
        after[first + 1] = (water * (1 - leaving) + cameWater) * erosion.keep + rain;
        after[first + 2] = Math.max(0, sediment - (worked - ground));
        after[first + 3] = Math.max(0, before[first + 3] + (result - ground));
      }
    }
  }
}

/** Mirrors rain_number of shaders/include/erode.wgsl. */
function rainNumber(texel: number, step: number, seed: number): number {
  let h = Math.imul(texel, 0x9e3779b1) ^ Math.imul(step, 0x85ebca77) ^ Math.imul(seed, 0x27d4eb2d);
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return ((h ^ (h >>> 16)) >>> 8) / 16777216;
}
