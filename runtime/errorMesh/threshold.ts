// How large an error may look: fixed, or moved within a quality's bounds toward a frame time. In percent of the frame's height.
import { checkFields, checkNumber, checkOneOf, MoonscapeError } from '../errors.js';

export interface ThresholdOptions {
  /** Bounds of the threshold: high 0.1..1, medium 1..3 (the default), low 3..8 percent. It stands at the lower one unless `targetMs` moves it. */
  quality?: Quality;
  /** Percent of the frame's height, at least 0; 0 draws every cell. Instead of a quality. */
  maxError?: number;
  /** The same in pixels. */
  maxErrorPx?: number;
  /** Milliseconds, above 0: the frame time that a quality's threshold is moved toward. Default: it is not moved. */
  targetMs?: number;
}

export type Quality = keyof typeof BOUNDS;

const BOUNDS = { high: [0.1, 1], medium: [1, 3], low: [3, 8] } as const satisfies Record<
  string,
  readonly [number, number]
>;
export const THRESHOLD_FIELDS = ['quality', 'maxError', 'maxErrorPx', 'targetMs'];

/** Pixels: an error that looks smaller is not seen. */
const FINEST_PX = 0.5;
/** What one frame may change the threshold by, as a part of it, and how far off a frame time is let be. */
const LARGEST_STEP = 0.1;
const CONTENT = 0.05;
/** How much of a new frame time the smoothed one takes over. */
const FRESH = 0.2;

export class Threshold {
  /** Percent, or pixels where `px`. */
  private value: number;
  private readonly px: boolean;
  private readonly bounds: readonly [number, number] | null;
  private readonly targetMs: number | null;
  /** Milliseconds, smoothed; NaN before the first frame. */
  private frameMs = NaN;

  /** Refuses more than one of quality, maxError and maxErrorPx, and what is out of range, by name. */
  constructor(where: string, options: ThresholdOptions) {
    checkFields(where, options, THRESHOLD_FIELDS);
    const { quality, maxError, maxErrorPx, targetMs } = options;
    const given = Object.entries({ quality, maxError, maxErrorPx }).filter(
      ([, value]) => value !== undefined,
    );
    if (given.length > 1)
      throw new MoonscapeError(
        `${where}: give one of quality, maxError and maxErrorPx, got ${given.map(([name]) => name).join(' and ')}`,
      );
    this.px = maxErrorPx !== undefined;
    this.targetMs = targetMs === undefined ? null : checkNumber(where, 'targetMs', targetMs, { above: 0 });
    if (maxError !== undefined || maxErrorPx !== undefined) {
      if (this.targetMs !== null)
        throw new MoonscapeError(
          `${where}: targetMs moves the threshold within the bounds of a quality; it does not go with ${given[0][0]}`,
        );
      this.value = this.px
        ? checkNumber(where, 'maxErrorPx', maxErrorPx, { min: 0 })
        : checkNumber(where, 'maxError', maxError, { min: 0 });
      this.bounds = null;
      return;
    }
    this.bounds = BOUNDS[checkOneOf(where, 'quality', quality ?? 'medium', Object.keys(BOUNDS) as Quality[])];
    this.value = this.bounds[0];
  }

  /** Percent of a frame `height` pixels high: what is finer than half a pixel is raised to that, except 0, which means all. */
  percent(height: number): number {
    const percent = this.px ? (100 * this.value) / height : this.value;
    return percent === 0 ? 0 : Math.max(percent, (100 * FINEST_PX) / height);
  }

  /** Whether it is moved at all. */
  get steered(): boolean {
    return this.targetMs !== null;
  }

  /** Hears how long a frame took, and moves the threshold: up where that is too long, down where there is time to spare. */
  steer(frameMs: number): void {
    if (this.targetMs === null || !this.bounds) return;
    this.frameMs = Number.isNaN(this.frameMs) ? frameMs : this.frameMs + FRESH * (frameMs - this.frameMs);
    const ratio = this.frameMs / this.targetMs;
    if (Math.abs(ratio - 1) <= CONTENT) return;
    const step = Math.min(Math.max(ratio - 1, -LARGEST_STEP), LARGEST_STEP);
    this.value = Math.min(Math.max(this.value * (1 + step), this.bounds[0]), this.bounds[1]);
  }
}
