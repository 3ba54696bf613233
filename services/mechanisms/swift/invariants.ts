import type { SwiftSpec } from './spec.js';
import { LEAST, LINE, RATE, windowOf } from './machine.js';

export function windowIsWithinBounds(table: Float64Array, s: number, spec: SwiftSpec): boolean {
  const window = windowOf(table, s);
  return window >= spec.least && window <= spec.most;
}

/** A rate lies below the line, and was never below the reported minimum. */
export function rateIsWithinBounds(table: Float64Array, s: number): boolean {
  return table[s + RATE] <= table[s + LINE] && table[s + RATE] >= table[s + LEAST];
}
