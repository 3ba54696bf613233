import { ENABLED, LINE, RATE, TARGET, TIMER_AT } from './machine.js';
import type { QcnReactionSpec } from './spec.js';

/** A rate lies between its floor and the line; without a limit it is the line's. */
export function rateIsWithinBounds(table: Float64Array, s: number, spec: QcnReactionSpec): boolean {
  const line = table[s + LINE];
  if (table[s + ENABLED] === 0) return table[s + RATE] === line;
  return table[s + RATE] >= Math.min(spec.minBps, line) && table[s + TARGET] <= line;
}

/** A limit always ends: its timer runs. */
export function limitHasATimer(table: Float64Array, s: number): boolean {
  return (table[s + ENABLED] !== 0) === (table[s + TIMER_AT] !== Infinity);
}
