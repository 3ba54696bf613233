import { COUNTER, DUE, PEAK, SHAPE, since } from '../../engine/kernel/kinds.js';
import type { DcqcnSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';
import { fields } from '../../engine/kernel/fields.js';

/**
 * Reaction point of DCQCN: transitions on a record of doubles that starts at `s` in a table. Rates
 * are bit/s, times ps; Infinity is a timer that does not run.
 */
export const RATE = 0;
export const TARGET = 1;
export const ALPHA = 2;
const BYTE_STAGE = 3;
const TIME_STAGE = 4;
const OCTETS_LEFT = 5;
/** It was notified of congestion and is not back at line rate. */
export const ACTIVE = 6;
/** Notified since alpha was updated, and since the rate was cut. */
const NOTIFIED_ALPHA = 7;
const NOTIFIED_CUT = 8;
export const ALPHA_AT = 9;
export const CUT_AT = 10;
export const RAISE_AT = 11;
/** When the periods of cuts began. */
const CUTS_FROM = 12;
export const LINE = 13;
export const NOTIFICATIONS = 14;
export const CUTS = 15;
export const LEAST = 16;
export const DCQCN_WORDS = 17;
export const DCQCN_FIELDS = fields(DCQCN_WORDS, {
  rate: [RATE, SHAPE],
  target: [TARGET, SHAPE],
  alpha: [ALPHA, SHAPE],
  byteStage: [BYTE_STAGE, SHAPE],
  timeStage: [TIME_STAGE, SHAPE],
  octetsLeft: [OCTETS_LEFT, SHAPE],
  active: [ACTIVE, SHAPE],
  notifiedAlpha: [NOTIFIED_ALPHA, SHAPE],
  notifiedCut: [NOTIFIED_CUT, SHAPE],
  alphaAt: [ALPHA_AT, DUE],
  cutAt: [CUT_AT, DUE],
  raiseAt: [RAISE_AT, DUE],
  cutsFrom: [CUTS_FROM, since(0)],
  line: [LINE, SHAPE],
  notifications: [NOTIFICATIONS, COUNTER],
  cuts: [CUTS, COUNTER],
  least: [LEAST, PEAK],
});

/** So close to the line rate the limit is removed. */
const NEARLY_LINE = 0.999;

export function initialise(table: Float64Array, s: number, lineBps: number): void {
  table.fill(0, s, s + DCQCN_WORDS);
  table[s + LINE] = lineBps;
  table[s + LEAST] = lineBps;
  release(table, s);
}

/** A notification was received. */
export function notify(table: Float64Array, s: number, spec: DcqcnSpec, now: number): void {
  table[s + NOTIFICATIONS]++;
  const starts = table[s + ACTIVE] === 0;
  if (starts) activate(table, s, spec, now);
  if (spec.variant === 'paper') {
    table[s + TARGET] = table[s + RATE];
    cut(table, s, spec, now);
    table[s + ALPHA] = (1 - spec.gain) * table[s + ALPHA] + spec.gain;
    table[s + ALPHA_AT] = now + spec.alphaPeriod;
    return;
  }
  table[s + NOTIFIED_ALPHA] = 1;
  if (starts) cut(table, s, spec, now);
  else if (table[s + NOTIFIED_CUT] === 0) {
    table[s + NOTIFIED_CUT] = 1;
    table[s + CUT_AT] = endOfPeriod(table[s + CUTS_FROM], spec.cutPeriod, now);
  }
}

/** A period with a notification has ended. */
export function onCutTimer(table: Float64Array, s: number, spec: DcqcnSpec, now: number): void {
  const staged = table[s + TIME_STAGE] > 0 || table[s + BYTE_STAGE] > 0;
  if (spec.clampTarget || staged) table[s + TARGET] = table[s + RATE];
  table[s + NOTIFIED_CUT] = 0;
  table[s + CUT_AT] = Infinity;
  cut(table, s, spec, now);
}

export function onAlphaTimer(table: Float64Array, s: number, spec: DcqcnSpec, now: number): void {
  const notified = table[s + NOTIFIED_ALPHA];
  table[s + ALPHA] = (1 - spec.gain) * table[s + ALPHA] + notified * spec.gain;
  table[s + NOTIFIED_ALPHA] = 0;
  table[s + ALPHA_AT] = now + spec.alphaPeriod;
}

export function onRaiseTimer(table: Float64Array, s: number, spec: DcqcnSpec, now: number): void {
  table[s + RAISE_AT] = now + spec.raisePeriod;
  raise(table, s, spec);
  if (table[s + ACTIVE] !== 0) table[s + TIME_STAGE]++;
}

/** Octets were sent; true if that changed the rate. */
export function spend(table: Float64Array, s: number, spec: DcqcnSpec, octets: number): boolean {
  if (table[s + ACTIVE] === 0) return false;
  assert(octets > 0, 'dcqcn.sent-octets');
  table[s + OCTETS_LEFT] -= octets;
  if (table[s + OCTETS_LEFT] > 0) return false;
  table[s + OCTETS_LEFT] = spec.raiseBytes;
  raise(table, s, spec);
  if (table[s + ACTIVE] !== 0) table[s + BYTE_STAGE]++;
  return true;
}

/** Back to line rate: nothing is counted and no timer runs. */
export function release(table: Float64Array, s: number): void {
  table[s + RATE] = table[s + LINE];
  table[s + TARGET] = table[s + LINE];
  table[s + ALPHA] = 1;
  table[s + ACTIVE] = 0;
  table[s + BYTE_STAGE] = 0;
  table[s + TIME_STAGE] = 0;
  table[s + NOTIFIED_CUT] = 0;
  table[s + NOTIFIED_ALPHA] = 0;
  table[s + ALPHA_AT] = Infinity;
  table[s + CUT_AT] = Infinity;
  table[s + RAISE_AT] = Infinity;
}

function activate(table: Float64Array, s: number, spec: DcqcnSpec, now: number): void {
  table[s + ACTIVE] = 1;
  table[s + CUTS_FROM] = now;
  table[s + ALPHA_AT] = now + spec.alphaPeriod;
}

function cut(table: Float64Array, s: number, spec: DcqcnSpec, now: number): void {
  const rate = table[s + RATE] * (1 - table[s + ALPHA] / 2);
  assert(table[s + ALPHA] >= 0 && table[s + ALPHA] <= 1, 'dcqcn.alpha');
  assert(table[s + ACTIVE] !== 0, 'dcqcn.cut-is-limited');
  table[s + RATE] = Math.max(Math.min(spec.minRate, table[s + LINE]), rate);
  table[s + LEAST] = Math.min(table[s + LEAST], table[s + RATE]);
  table[s + CUTS]++;
  table[s + BYTE_STAGE] = 0;
  table[s + TIME_STAGE] = 0;
  table[s + OCTETS_LEFT] = spec.raiseBytes;
  table[s + RAISE_AT] = now + spec.raisePeriod;
}

/** Fast recovery, then active increase, then (beyond both stages) hyper-active increase. */
function raise(table: Float64Array, s: number, spec: DcqcnSpec): void {
  const most = Math.max(table[s + BYTE_STAGE], table[s + TIME_STAGE]);
  const least = Math.min(table[s + BYTE_STAGE], table[s + TIME_STAGE]);
  if (least > spec.fastCycles) table[s + TARGET] += spec.hyperRate;
  else if (most >= spec.fastCycles) table[s + TARGET] += spec.activeRate;
  table[s + TARGET] = Math.min(table[s + TARGET], table[s + LINE]);
  assert(table[s + TARGET] >= table[s + RATE], 'dcqcn.target-above-rate');
  assert(most >= least && least >= 0, 'dcqcn.stages');
  table[s + RATE] = (table[s + RATE] + table[s + TARGET]) / 2;
  if (table[s + RATE] >= NEARLY_LINE * table[s + LINE]) release(table, s);
}

/** The first end of a period after `now`. */
function endOfPeriod(from: number, period: number, now: number): number {
  assert(now >= from && period > 0, 'dcqcn.period');
  return from + (Math.floor((now - from) / period) + 1) * period;
}
