import type { DcqcnSpec } from './spec.js';
import { ACTIVE, ALPHA, LINE, RATE, TARGET } from './machine.js';

/** A rate lies between its floor and the line, and never above its target. */
export function rateIsWithinBounds(table: Float64Array, s: number, spec: DcqcnSpec): boolean {
  const [rate, target, line] = [table[s + RATE], table[s + TARGET], table[s + LINE]];
  return rate >= Math.min(spec.minRate, line) && rate <= line && target <= line;
}

/** Alpha estimates a share of marked time; without a limit there is nothing to estimate. */
export function alphaIsAShare(table: Float64Array, s: number): boolean {
  const alpha = table[s + ALPHA];
  return alpha >= 0 && alpha <= 1 && (table[s + ACTIVE] !== 0 || alpha === 1);
}
