/**
 * Network-signalled congestion control (UE 1.0.3, 3.6.13): a window in octets that follows marks
 * and delays of single packets. Where both agree the window changes; a mark without delay is left
 * to other paths. Transitions on a record of doubles that starts at `s` in a table.
 */

import { assert } from '../../engine/kernel/assert.js';
import { assertFields } from '../../engine/kernel/fields.js';
import type { NsccSpec } from './spec.js';

export const WINDOW = 0;
/** Octets that were sent, and neither received nor given up. */
export const IN_FLIGHT = 1;
const BASE_RTT = 2;
export const AVERAGE = 3;
/** What the window is to grow by at the next adjustment, times the window. */
export const INCREASE = 4;
const RECEIVED = 5;
const ADJUSTED_AT = 6;
const DECREASED_AT = 7;
/** Octets acknowledged without delay, and whether the window grows by them. */
const FAST_COUNT = 8;
const IS_FAST = 9;
/** Quick adapt: the end of a period, what arrived in it, and what is ignored after one. */
const ADAPT_END = 10;
const ACHIEVED = 11;
const TO_IGNORE = 12;
const IGNORED = 13;
const IS_TRIGGERED = 14;
export const NSCC_WORDS = 15;
assertFields(
  NSCC_WORDS,
  WINDOW,
  IN_FLIGHT,
  BASE_RTT,
  AVERAGE,
  INCREASE,
  RECEIVED,
  ADJUSTED_AT,
  DECREASED_AT,
  FAST_COUNT,
  IS_FAST,
  ADAPT_END,
  ACHIEVED,
  TO_IGNORE,
  IGNORED,
  IS_TRIGGERED,
);

/** Without delay: less than this. */
const NO_DELAY_PS = 1e6;

export function initialise(table: Float64Array, s: number, spec: NsccSpec): void {
  table.fill(0, s, s + NSCC_WORDS);
  table[s + WINDOW] = spec.maxWindow;
  table[s + BASE_RTT] = spec.networkPs;
}

/** The round trip of a packet that was sent once. Returns its delay. */
export function delayOf(table: Float64Array, s: number, roundTripPs: number): number {
  assert(roundTripPs > 0, 'uet.round-trip-takes-time');
  if (roundTripPs < table[s + BASE_RTT]) table[s + BASE_RTT] = roundTripPs;
  return roundTripPs - table[s + BASE_RTT];
}

/** What an acknowledgement says. */
export interface Feedback {
  /** Octets that the receiver has received since the one before. */
  newOctets: number;
  marked: boolean;
  /** Negative: no packet was timed. */
  delayPs: number;
  now: number;
}

export function onAck(table: Float64Array, s: number, spec: NsccSpec, told: Feedback): void {
  const { newOctets, marked, now } = told;
  const delayPs = told.delayPs < 0 ? table[s + AVERAGE] : told.delayPs;
  table[s + RECEIVED] += newOctets;
  table[s + ACHIEVED] += newOctets;
  table[s + IGNORED] += newOctets;
  average(table, s, spec, delayPs, marked);
  if (quickAdapt(table, s, spec, { isLoss: false, marked, delayPs, now })) return;
  if (!marked && delayPs >= spec.targetPs) table[s + INCREASE] += spec.fairIncrease * newOctets;
  else if (!marked) proportional(table, s, spec, newOctets, delayPs);
  else if (delayPs >= spec.targetPs) decrease(table, s, spec, now);
  clamp(table, s, spec);
  const isPeriod = now - table[s + ADJUSTED_AT] >= spec.networkPs;
  if (table[s + RECEIVED] <= spec.adjustOctets && !isPeriod) return;
  table[s + WINDOW] += table[s + INCREASE] / table[s + WINDOW];
  if (isPeriod) {
    table[s + WINDOW] += spec.eta;
    table[s + ADJUSTED_AT] = now;
  }
  table[s + INCREASE] = 0;
  table[s + RECEIVED] = 0;
  clamp(table, s, spec);
}

/** Octets were lost: with them the path told that its queues are full. */
export function onLoss(
  table: Float64Array,
  s: number,
  spec: NsccSpec,
  octets: number,
  now: number,
): void {
  table[s + IGNORED] += octets;
  average(table, s, spec, table[s + BASE_RTT] + spec.networkPs, true);
  table[s + IS_TRIGGERED] = 1;
  if (quickAdapt(table, s, spec, { isLoss: true, marked: true, delayPs: 0, now })) return;
  table[s + WINDOW] -= octets;
  clamp(table, s, spec);
}

/** A timeout takes a packet from the window. */
export function onTimeout(table: Float64Array, s: number, spec: NsccSpec): void {
  table[s + WINDOW] -= spec.packetOctets;
  clamp(table, s, spec);
}

/** Delays above the target that no mark confirms count as little delay. */
function average(
  table: Float64Array,
  s: number,
  { gain, targetPs }: NsccSpec,
  delayPs: number,
  marked: boolean,
): void {
  const counted = marked || delayPs <= targetPs ? delayPs : table[s + BASE_RTT] / 4;
  table[s + AVERAGE] += gain * (counted - table[s + AVERAGE]);
}

function proportional(
  table: Float64Array,
  s: number,
  { fastScale, alpha, targetPs }: NsccSpec,
  newOctets: number,
  delayPs: number,
): void {
  if (delayPs < NO_DELAY_PS) {
    table[s + FAST_COUNT] += newOctets;
    if (table[s + FAST_COUNT] > table[s + WINDOW] || table[s + IS_FAST] !== 0) {
      table[s + WINDOW] += newOctets * fastScale;
      table[s + IS_FAST] = 1;
      return;
    }
  } else table[s + FAST_COUNT] = 0;
  table[s + IS_FAST] = 0;
  table[s + INCREASE] += alpha * newOctets * (targetPs - delayPs);
}

/** Once a round trip, by how far the average delay exceeds the target. */
function decrease(table: Float64Array, s: number, spec: NsccSpec, now: number): void {
  table[s + IS_FAST] = 0;
  table[s + FAST_COUNT] = 0;
  const averagePs = table[s + AVERAGE];
  if (averagePs <= spec.targetPs || now - table[s + DECREASED_AT] <= table[s + BASE_RTT]) return;
  const share = 1 - (spec.gamma * (averagePs - spec.targetPs)) / averagePs;
  table[s + WINDOW] *= Math.max(share, spec.leastShare);
  table[s + DECREASED_AT] = now;
}

/** Once a period: the window becomes what has arrived in it, where that is far too little. */
function quickAdapt(
  table: Float64Array,
  s: number,
  spec: NsccSpec,
  {
    isLoss,
    marked,
    delayPs,
    now,
  }: { isLoss: boolean; marked: boolean; delayPs: number; now: number },
): boolean {
  if (table[s + IGNORED] < table[s + TO_IGNORE] && marked) {
    table[s + INCREASE] = 0;
    table[s + RECEIVED] = 0;
    return true;
  }
  if (now <= table[s + ADAPT_END]) return false;
  const isBad = table[s + IS_TRIGGERED] !== 0 || isLoss || delayPs > spec.adaptDelayPs;
  const isLittle = table[s + ACHIEVED] < spec.maxWindow / 2 ** spec.adaptGate;
  const adapts = table[s + ADAPT_END] !== 0 && isBad && isLittle;
  if (adapts) {
    table[s + WINDOW] = Math.max(table[s + ACHIEVED], spec.minWindow);
    table[s + TO_IGNORE] = table[s + IN_FLIGHT];
    table[s + IGNORED] = 0;
    table[s + IS_TRIGGERED] = 0;
    table[s + INCREASE] = 0;
    table[s + RECEIVED] = 0;
  }
  table[s + ACHIEVED] = 0;
  table[s + ADAPT_END] = now + table[s + BASE_RTT] + spec.targetPs;
  return adapts;
}

function clamp(table: Float64Array, s: number, { minWindow, maxWindow }: NsccSpec): void {
  table[s + WINDOW] = Math.min(maxWindow, Math.max(minWindow, table[s + WINDOW]));
}
