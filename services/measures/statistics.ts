/** Statistics that results are made of, and that the page in the browser uses, too. */

/** By rank. */
export interface Ranks<Value> {
  readonly p50: Value;
  readonly p99: Value;
  readonly p999: Value;
  readonly max: Value;
}

/**
 * Exact percentiles of all values, by nearest rank. Unfinished values count as longer than any
 * other; a percentile that falls there is null.
 */
export interface Percentiles extends Ranks<number | null> {
  /** Values that are known, and those beside them that are unfinished. */
  readonly count: number;
  readonly total: number;
  /** Lower bound of each percentile, whatever is unfinished. */
  readonly atLeast: Ranks<number>;
}

/** How many of so many have finished. */
export interface Tally {
  readonly done: number;
  readonly total: number;
}

export interface Spread {
  readonly min: number;
  readonly p50: number;
  readonly max: number;
}

/** The flows of one load of the scenario, together. */
export interface LoadResult {
  readonly load: string;
  readonly flows: number;
  /** Of the flows with a volume. */
  readonly finished: Tally;
  readonly payloadOctets: number;
  /** Payload over the time that it was offered. */
  readonly goodputBps: number;
  readonly perFlowBps: Spread;
}
