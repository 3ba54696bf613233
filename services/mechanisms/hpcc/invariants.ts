import type { HpccSpec } from './spec.js';
import { LEAST, LINE, RATE, STAGE, UTILISATION, WINDOW } from './machine.js';

/** A rate lies between its floor and the line, and was never below the reported minimum. */
export function rateIsWithinBounds(table: Float64Array, s: number, spec: HpccSpec): boolean {
  const [rate, line] = [table[s + RATE], table[s + LINE]];
  return rate >= Math.min(spec.minRate, line) && rate <= line && rate >= table[s + LEAST];
}

/** At least one packet may be in flight, and no more steps are taken than allowed. */
export function windowIsSane(table: Float64Array, s: number, spec: HpccSpec): boolean {
  return table[s + WINDOW] > 0 && table[s + UTILISATION] >= 0 && table[s + STAGE] <= spec.stages;
}
