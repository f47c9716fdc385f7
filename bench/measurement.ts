// What every measurement shares: the row it reports, and the median of its rounds.

/** One figure. `bound` says what it must keep, '' where nothing; `ok`: it kept it. */
export interface Row {
  name: string;
  value: string;
  bound: string;
  ok: boolean;
}

/** The middle of `values` by size, the upper of two; `values` stays as it is. At least one value. */
export const median = (values: ArrayLike<number>): number =>
  Float64Array.from(values).sort()[values.length >> 1];
