import { COUNTER, PEAK, SHAPE } from '../../engine/kernel/kinds.js';
import type { TimelySpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';
import { fields } from '../../engine/kernel/fields.js';

/** Transitions on a record of doubles that starts at `s` in a table. Rates are bit/s, times ps. */
export const RATE = 0;
export const LINE = 1;
export const LEAST = 2;
/** Round trip before, 0 for none; and its smoothed change. */
const ROUND_TRIP = 3;
const CHANGE = 4;
/** Round trips in a row that did not grow. */
const CALM = 5;
export const MEASURED = 6;
export const CUTS = 7;
export const TIMELY_WORDS = 8;
export const TIMELY_FIELDS = fields(TIMELY_WORDS, {
  rate: [RATE, SHAPE],
  line: [LINE, SHAPE],
  least: [LEAST, PEAK],
  roundTrip: [ROUND_TRIP, SHAPE],
  change: [CHANGE, SHAPE],
  calm: [CALM, SHAPE],
  measured: [MEASURED, COUNTER],
  cuts: [CUTS, COUNTER],
});

/** After so many calm round trips in a row the steps are as many times as long (4.3). */
const TIMELY_HYPER = 5;

export function initialise(table: Float64Array, s: number, lineBps: number): void {
  table.fill(0, s, s + TIMELY_WORDS);
  table[s + RATE] = lineBps;
  table[s + LINE] = lineBps;
  table[s + LEAST] = lineBps;
}

/** Algorithm 1: a packet was acknowledged after so long. */
export function onRoundTrip(table: Float64Array, s: number, spec: TimelySpec, rtt: number): void {
  const before = table[s + ROUND_TRIP];
  assert(rtt > 0, 'timely.round-trip');
  const change = before === 0 ? 0 : rtt - before;
  table[s + ROUND_TRIP] = rtt;
  table[s + CHANGE] = (1 - spec.smoothing) * table[s + CHANGE] + spec.smoothing * change;
  table[s + MEASURED]++;
  const gradient = table[s + CHANGE] / spec.roundTrip;
  table[s + CALM] = gradient <= 0 ? table[s + CALM] + 1 : 0;
  if (rtt < spec.low) step(table, s, spec, 1);
  else if (rtt > spec.high) cut(table, s, spec, 1 - spec.high / rtt);
  else if (gradient > 0) cut(table, s, spec, gradient);
  else step(table, s, spec, table[s + CALM] >= TIMELY_HYPER ? TIMELY_HYPER : 1);
}

function step(table: Float64Array, s: number, spec: TimelySpec, steps: number): void {
  assert(steps >= 1 && spec.step > 0, 'timely.steps');
  table[s + RATE] = Math.min(table[s + RATE] + steps * spec.step, table[s + LINE]);
}

function cut(table: Float64Array, s: number, spec: TimelySpec, badness: number): void {
  const floor = Math.min(spec.minRate, table[s + LINE]);
  const factor = Math.max(0, 1 - spec.decrease * badness);
  // A change that has been smoothed for long is too small to change the rate.
  assert(badness > 0 && factor <= 1, 'timely.cut-decreases');
  table[s + RATE] = Math.max(floor, table[s + RATE] * factor);
  table[s + LEAST] = Math.min(table[s + LEAST], table[s + RATE]);
  table[s + CUTS]++;
}
