// What a ground was read from and whether it looks right: shown by the command after a load, and to scripts as
// `ground.report`. Levels and reach are counted when they are first asked for.

/** Columns and rows of zeros along the four edges of a source. */
export interface ZeroBorder {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The load report of a ground. */
export interface GroundReport {
  /** The file and its kind, or the verb that made the ground. */
  readonly source: string;
  /** How the numbers were read: metres, gray, rgb24, mapbox or terrarium. */
  readonly encoding: string;
  /** Bits a channel of the source: 1, 2, 4, 8, 16 or 32. */
  readonly bitDepth: number;
  /** How many different heights there are where there is data. */
  readonly distinctLevels: number;
  /** Metres, over the texels with data. */
  readonly min: number;
  readonly max: number;
  /** Texels without data. */
  readonly nodata: number;
  readonly zeroBorder: Readonly<ZeroBorder>;
  readonly warnings: readonly string[];
  /** The report as text for a person, one fact a line. */
  lines(): string[];
}

/** What a ground's maker knows of where it comes from. */
export interface GroundOrigin {
  source: string;
  encoding: string;
  bitDepth: number;
  zeroBorder: ZeroBorder;
  warnings: readonly string[];
}

/** The raster that a report counts over. */
export interface ReportedRaster {
  width: number;
  height: number;
  size: Readonly<{ width: number; depth: number }>;
  heights: Float32Array;
  coverage: Uint8Array | null;
}

const NO_BORDER: Readonly<ZeroBorder> = Object.freeze({ left: 0, right: 0, top: 0, bottom: 0 });

/** Where a ground comes from that a maker or a verb computed; warnings about its sources stay with it. */
export function computedOrigin(
  verb: string,
  sources: readonly { report: GroundReport }[] = [],
): GroundOrigin {
  const warnings = [...new Set(sources.flatMap(({ report }) => report.warnings))];
  return { source: `terrain.${verb}`, encoding: 'metres', bitDepth: 32, zeroBorder: NO_BORDER, warnings };
}

/** The report of `raster`, which comes from `origin`. */
export function makeReport(origin: GroundOrigin, raster: ReportedRaster): GroundReport {
  return new RasterReport(origin, raster);
}

class RasterReport implements GroundReport {
  readonly source: string;
  readonly encoding: string;
  readonly bitDepth: number;
  readonly zeroBorder: Readonly<ZeroBorder>;
  readonly warnings: readonly string[];
  readonly #raster: ReportedRaster;
  #counts: { distinctLevels: number; min: number; max: number; nodata: number } | null = null;

  constructor(origin: GroundOrigin, raster: ReportedRaster) {
    this.source = origin.source;
    this.encoding = origin.encoding;
    this.bitDepth = origin.bitDepth;
    this.zeroBorder = Object.freeze({ ...origin.zeroBorder });
    this.warnings = Object.freeze([...origin.warnings]);
    this.#raster = raster;
  }

  get distinctLevels(): number {
    return this.#count().distinctLevels;
  }

  get min(): number {
    return this.#count().min;
  }

  get max(): number {
    return this.#count().max;
  }

  get nodata(): number {
    return this.#count().nodata;
  }

  lines(): string[] {
    const { width, height, size } = this.#raster;
    const { distinctLevels, min, max, nodata } = this.#count();
    const lines = [
      `${this.source}, read as ${this.encoding}`,
      `${width}×${height} texels over ${tidy(size.width)}×${tidy(size.depth)} m (${tidy(size.width / width)}×${tidy(size.depth / height)} m a texel)`,
      `heights ${tidy(min)}..${tidy(max)} m, ${distinctLevels} distinct ${distinctLevels === 1 ? 'level' : 'levels'}, ${this.bitDepth} bits`,
    ];
    if (nodata > 0) lines.push(`${nodata} of ${width * height} texels without data`);
    const border = describeBorder(this.zeroBorder);
    if (border) lines.push(`zeros along the edges: ${border}`);
    return lines.concat(this.warnings.map((warning) => `warning: ${warning}`));
  }

  #count() {
    return (this.#counts ??= countLevels(this.#raster));
  }
}

/** At most three decimals. */
export const tidy = (value: number): string => String(Number(value.toFixed(3)));

/** `2 columns left, 1 row top`, or nothing where there is no border. */
export function describeBorder({ left, right, top, bottom }: ZeroBorder): string {
  const part = (count: number, line: string, side: string) =>
    count > 0 ? [`${count} ${line}${count === 1 ? '' : 's'} ${side}`] : [];
  return [
    ...part(left, 'column', 'left'),
    ...part(right, 'column', 'right'),
    ...part(top, 'row', 'top'),
    ...part(bottom, 'row', 'bottom'),
  ].join(', ');
}

function countLevels({ heights, coverage }: ReportedRaster) {
  const covered = coverage ? heights.filter((_, i) => coverage[i] === 1) : heights.slice();
  // A typed array sorts by value, with -0 before 0: those two are neighbours and one level.
  covered.sort();
  let distinctLevels = covered.length > 0 ? 1 : 0;
  for (let i = 1; i < covered.length; i++) if (covered[i] !== covered[i - 1]) distinctLevels++;
  return {
    distinctLevels,
    min: covered[0],
    max: covered[covered.length - 1],
    nodata: heights.length - covered.length,
  };
}
