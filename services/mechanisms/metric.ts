/** What `expect` demands of a run, declared once: unit, meaning, how it follows from results. */

import type { Chosen } from './mechanism-slice.js';

/** Null: there is nothing to measure; a text: of a digest. */
export interface Metric<Results extends object> {
  readonly unit: 'count' | 'time' | 'share' | 'rate' | 'octets' | 'ratio' | 'text';
  readonly meaning: string;
  measure(results: Results, at: ChosenRows): number | string | Censored | null;
}

/** A percentile that falls among values which are not known yet. */
export interface Censored {
  readonly atLeast: number;
  /** Flows that are not finished, of so many. */
  readonly unfinished: number;
  readonly total: number;
}

/** Where a metric is measured, and of which flows and jobs. */
export interface ChosenRows extends Chosen {
  flow(flow: FlowName): boolean;
  job(name: string): boolean;
  /** It is of one priority. */
  readonly isOfPriority: boolean;
}

/** What a filter tells flows apart by. */
export interface FlowName {
  readonly name: string;
  readonly load: string;
  readonly priority: number;
  readonly source: string;
  readonly destination: string;
}

export function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

export function greatest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}
