import type { TimelySpec } from './spec.js';
import { LEAST, LINE, RATE } from './machine.js';

/** A rate lies between its floor and the line, and was never below the reported minimum. */
export function rateIsWithinBounds(table: Float64Array, s: number, spec: TimelySpec): boolean {
  const rate = table[s + RATE];
  const line = table[s + LINE];
  return rate >= Math.min(spec.minRate, line) && rate <= line && rate >= table[s + LEAST];
}
