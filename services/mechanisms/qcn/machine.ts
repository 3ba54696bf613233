import type { QcnPortSpec, QcnReactionSpec } from './spec.js';
import { assert } from '../../engine/kernel/assert.js';
import { assertFields } from '../../engine/kernel/fields.js';

/** Transitions on records of doubles that start at `s` in a table. Rates are bit/s, times ps. */

// Congestion point (802.1Q 32.8): a record per port and traffic class.

const QUEUE_BEFORE = 0;
export const PERIOD = 1;
export const FEEDBACK = 2;
export const OFFSET = 3;
export const DELTA = 4;
export const SAMPLES = 5;
export const MESSAGES = 6;
export const POINT_WORDS = 8;
assertFields(POINT_WORDS, QUEUE_BEFORE, PERIOD, FEEDBACK, OFFSET, DELTA, SAMPLES, MESSAGES);

/** Highest value of six bits. */
const FEEDBACK_MAX = 63;
const FEEDBACK_STEP = 8;
/** Periods vary by 15 % either way, so that flows in step are not always missed. */
const JITTER_LEAST = 0.85;
const JITTER_SPAN = 0.3;

type PointParameters = Pick<QcnPortSpec, 'setPointOctets' | 'weight' | 'sampleOctets'>;

/**
 * Takes a sample of the queue; returns the quantised feedback, 0 where there is no congestion. The
 * next one is due after PERIOD octets.
 */
export function sample(
  table: Float64Array,
  s: number,
  spec: PointParameters,
  queueOctets: number,
  uniform: number,
): number {
  const { setPointOctets, weight, sampleOctets } = spec;
  const offset = queueOctets - setPointOctets;
  const delta = queueOctets - table[s + QUEUE_BEFORE];
  const feedback = quantise(-(offset + weight * delta), setPointOctets, weight);
  assert(feedback >= 0 && feedback <= FEEDBACK_MAX, 'qcn.feedback-of-6-bits');
  table[s + FEEDBACK] = feedback;
  table[s + OFFSET] = offset;
  table[s + DELTA] = delta;
  table[s + SAMPLES]++;
  table[s + QUEUE_BEFORE] = queueOctets;
  table[s + PERIOD] = samplePeriod(sampleOctets, feedback) * jitter(uniform);
  return feedback;
}

/** Six bits of Fb, which is negative under congestion (32.9.4). */
export function quantise(fb: number, setPointOctets: number, weight: number): number {
  const range = setPointOctets * (2 * weight + 1);
  const depth = Math.min(Math.max(-fb, 0), range);
  assert(range > 0 && depth <= range, 'qcn.range-of-feedback');
  return Math.floor((FEEDBACK_MAX * depth) / range);
}

/** Octets until the next sample (32.9.2): fewer when congestion is worse. */
export function samplePeriod(sampleOctets: number, feedback: number): number {
  return sampleOctets / (1 + Math.floor(feedback / FEEDBACK_STEP));
}

export function jitter(uniform: number): number {
  return JITTER_LEAST + JITTER_SPAN * uniform;
}

// Reaction point (802.1Q 32.13): a record per connection.

export const RATE = 0;
export const TARGET = 1;
export const BYTE_STAGE = 2;
const TIME_STAGE = 3;
export const OCTETS_LEFT = 4;
export const TIMER_AT = 5;
export const ENABLED = 6;
export const LINE = 7;
export const NOTIFICATIONS = 8;
export const LEAST = 9;
export const REACTION_WORDS = 10;
assertFields(
  REACTION_WORDS,
  RATE,
  TARGET,
  BYTE_STAGE,
  TIME_STAGE,
  OCTETS_LEFT,
  TIMER_AT,
  ENABLED,
  LINE,
  NOTIFICATIONS,
  LEAST,
);

/** A target so far above the rate is reduced first. */
const FAR_TARGET = 10;
const NEARER = 8;
/** So close to the line rate the limit is removed. */
const NEARLY_LINE = 0.999;

export function initialiseReaction(table: Float64Array, s: number, lineBps: number): void {
  table.fill(0, s, s + REACTION_WORDS);
  table[s + LINE] = lineBps;
  table[s + LEAST] = lineBps;
  release(table, s);
}

/** A message with feedback was received (32.14.4); the first cut starts from line rate. */
export function onMessage(
  table: Float64Array,
  s: number,
  spec: QcnReactionSpec,
  feedback: number,
  now: number,
): void {
  table[s + NOTIFICATIONS]++;
  if (table[s + ENABLED] === 0) {
    table[s + ENABLED] = 1;
    table[s + OCTETS_LEFT] = spec.byteReset;
  }
  // In the first cycle after a cut the target stays what it was before.
  if (table[s + BYTE_STAGE] !== 0) {
    table[s + TARGET] = table[s + RATE];
    table[s + OCTETS_LEFT] = spec.byteReset;
  }
  table[s + BYTE_STAGE] = 0;
  table[s + TIME_STAGE] = 0;
  const factor = Math.max(spec.minDecreaseFactor, 1 - spec.gain * feedback);
  const floor = Math.min(spec.minBps, table[s + LINE]);
  table[s + RATE] = Math.max(floor, table[s + RATE] * factor);
  table[s + LEAST] = Math.min(table[s + LEAST], table[s + RATE]);
  table[s + TIMER_AT] = now + spec.timeResetPs;
  assert(factor > 0 && factor <= 1, 'qcn.factor-of-decrease');
}

/** Octets were sent; true if a cycle of the byte counter is over (32.14.2). */
export function spend(table: Float64Array, s: number, octets: number): boolean {
  if (table[s + ENABLED] === 0) return false;
  assert(octets > 0, 'qcn.sent-octets');
  table[s + OCTETS_LEFT] -= octets;
  return table[s + OCTETS_LEFT] <= 0;
}

export function onBytes(
  table: Float64Array,
  s: number,
  spec: QcnReactionSpec,
  uniform: number,
): void {
  const stage = ++table[s + BYTE_STAGE];
  const period = stage < spec.threshold ? spec.byteReset : spec.byteReset / 2;
  table[s + OCTETS_LEFT] = period * jitter(uniform);
  increase(table, s, spec);
}

export function onTimer(
  table: Float64Array,
  s: number,
  spec: QcnReactionSpec,
  uniform: number,
  now: number,
): void {
  const stage = ++table[s + TIME_STAGE];
  const period = stage < spec.threshold ? spec.timeResetPs : spec.timeResetPs / 2;
  table[s + TIMER_AT] = now + Math.round(period * jitter(uniform));
  increase(table, s, spec);
}

/** The connection is no longer limited. */
export function release(table: Float64Array, s: number): void {
  table[s + ENABLED] = 0;
  table[s + RATE] = table[s + LINE];
  table[s + TARGET] = table[s + LINE];
  table[s + BYTE_STAGE] = 0;
  table[s + TIME_STAGE] = 0;
  table[s + TIMER_AT] = Infinity;
}

/** Self-increase (32.15): fast recovery, then active, then hyper-active increase. */
function increase(table: Float64Array, s: number, spec: QcnReactionSpec): void {
  const bytes = table[s + BYTE_STAGE];
  const time = table[s + TIME_STAGE];
  const beyond = Math.min(bytes, time) - spec.threshold;
  const line = table[s + LINE];
  let target = table[s + TARGET];
  if ((bytes === 1 || time === 1) && target > FAR_TARGET * table[s + RATE]) target /= NEARER;
  else if (beyond > 0) target += spec.hyperBps * beyond;
  else if (Math.max(bytes, time) > spec.threshold) target += spec.activeBps;
  assert(target >= table[s + RATE] && target > 0, 'qcn.target-above-rate');
  table[s + TARGET] = Math.min(target, line);
  table[s + RATE] = Math.min((table[s + RATE] + table[s + TARGET]) / 2, line);
  if (table[s + RATE] >= NEARLY_LINE * line) release(table, s);
}
