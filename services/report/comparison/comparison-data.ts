/** A comparison as pages, files and the terminal have it: plain data, which imports nothing. */

/** How a contender stands in a measure that decides; `unclear`: it may be chance. */
export type Standing = 'best' | 'behind' | 'unclear';

export interface ComparisonCell {
  /** Null: nothing of the kind. With several seeds, the median and an interval that contains it. */
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly text: string;
  readonly standing: Standing | null;
}

export interface ComparisonRow {
  readonly label: string;
  /** By contender. */
  readonly cells: readonly ComparisonCell[];
}

export interface Comparison {
  readonly sentence: string;
  readonly names: readonly string[];
  /** Places of contenders, the best first. */
  readonly order: readonly number[];
  /**
   * By contender: how many times the best it is in the measure in which it is furthest behind;
   * null: it did not come to an end.
   */
  readonly behind: readonly (number | null)[];
  readonly statuses: readonly string[];
  readonly rows: readonly ComparisonRow[];
  readonly notes: readonly string[];
}
