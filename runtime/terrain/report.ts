// What a ground was read from and whether it looks right: shown by the command after a load, and to scripts as
// `ground.report`.

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
