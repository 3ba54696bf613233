import { PS_PER_NS, NS_PER_S } from '../../engine/units/time.js';
import type { HpccSpec } from './spec.js';
import { ETHERNET_RATES } from '../../engine/units/rates.js';
import type { Telemetry } from '../../engine/wire/telemetry.js';
import {
  QUEUE_UNIT_OCTETS,
  SENT_UNIT_OCTETS,
  SENT_UNITS_MODULO,
  TELEMETRY_HOPS,
  TIME_NS_MODULO,
} from '../../engine/wire/telemetry.js';
import { OCTET_BITS } from '../../engine/units/words.js';
import { assert } from '../../engine/kernel/assert.js';
import { assertFields } from '../../engine/kernel/fields.js';

/** Transitions on a record of doubles that starts at `s` in a table. Rates are bit/s, times ns. */
export const RATE = 0;
export const LINE = 1;
export const LEAST = 2;
/** Octets that may be in flight, W, and the reference window, W^c. */
export const WINDOW = 3;
export const REFERENCE = 4;
/** Smoothed utilisation of the busiest link, U. */
export const UTILISATION = 5;
export const STAGE = 6;
/** An acknowledgement beyond this packet begins a new round. */
export const ROUND_END = 7;
export const SIGNALS = 8;
export const CUTS = 9;
/** The last path: its identity (-1: none), its switches, and of each: */
const PATH = 10;
const HOPS = 11;
const LINKS = 12;
const TIME = 0;
const SENT = 1;
const QUEUE = 2;
const LINK_WORDS = 3;
assertFields(LINK_WORDS, TIME, SENT, QUEUE);
export const HPCC_WORDS = LINKS + TELEMETRY_HOPS * LINK_WORDS;
assertFields(
  LINKS,
  RATE,
  LINE,
  LEAST,
  WINDOW,
  REFERENCE,
  UTILISATION,
  STAGE,
  ROUND_END,
  SIGNALS,
  CUTS,
  PATH,
  HOPS,
);

export function initialise(table: Float64Array, s: number, lineBps: number, spec: HpccSpec): void {
  table.fill(0, s, s + HPCC_WORDS);
  table[s + RATE] = lineBps;
  table[s + LINE] = lineBps;
  table[s + LEAST] = lineBps;
  // It starts at line rate, with a window of one round trip.
  table[s + WINDOW] = octetsOf(lineBps, spec.roundTrip / PS_PER_NS);
  table[s + REFERENCE] = table[s + WINDOW];
  table[s + PATH] = -1;
}

/**
 * Algorithm 1, NewAck: of all packets before `expected`, the last one has this telemetry; `next` is
 * sent next.
 */
export function onTelemetry(
  table: Float64Array,
  s: number,
  spec: HpccSpec,
  telemetry: Telemetry,
  expected: number,
  next: number,
): void {
  table[s + SIGNALS]++;
  if (!isKnownPath(table, s, telemetry)) {
    remember(table, s, telemetry);
    return;
  }
  measureInflight(table, s, spec, telemetry);
  const isNewRound = expected > table[s + ROUND_END];
  const before = table[s + WINDOW];
  computeWindow(table, s, spec, isNewRound);
  if (isNewRound) table[s + ROUND_END] = next;
  if (table[s + WINDOW] < before) table[s + CUTS]++;
  const rate = (table[s + WINDOW] * OCTET_BITS * NS_PER_S * PS_PER_NS) / spec.roundTrip;
  const floor = Math.min(spec.minRate, table[s + LINE]);
  table[s + RATE] = Math.min(table[s + LINE], Math.max(floor, rate));
  table[s + LEAST] = Math.min(table[s + LEAST], table[s + RATE]);
  remember(table, s, telemetry);
}

/** Function MeasureInflight: octets in flight relative to the capacity of the busiest link. */
function measureInflight(
  table: Float64Array,
  s: number,
  { roundTrip }: HpccSpec,
  { hops, hopCount }: Telemetry,
): void {
  const tripNs = roundTrip / PS_PER_NS;
  let busiest = 0;
  let spanNs = 0;
  for (let i = 0; i < hopCount; i++) {
    const link = s + LINKS + i * LINK_WORDS;
    const { rate, timeNs, sentUnits, queueUnits } = hops[i];
    const elapsedNs = wrapped(timeNs - table[link + TIME], TIME_NS_MODULO);
    if (elapsedNs === 0) continue;
    const sent = wrapped(sentUnits - table[link + SENT], SENT_UNITS_MODULO) * SENT_UNIT_OCTETS;
    assert(elapsedNs > 0 && sent >= 0, 'hpcc.link-since-last');
    const queue = Math.min(queueUnits, table[link + QUEUE]) * QUEUE_UNIT_OCTETS;
    const { bps } = ETHERNET_RATES[rate];
    const use = queue / octetsOf(bps, tripNs) + sent / octetsOf(bps, elapsedNs);
    if (use <= busiest) continue;
    busiest = use;
    spanNs = elapsedNs;
  }
  const weight = Math.min(spanNs, tripNs) / tripNs;
  assert(weight >= 0 && weight <= 1 && busiest >= 0, 'hpcc.utilisation');
  table[s + UTILISATION] = (1 - weight) * table[s + UTILISATION] + weight * busiest;
}

/** Function ComputeWind: multiplicatively towards the target, or an additive step. */
function computeWindow(table: Float64Array, s: number, spec: HpccSpec, isNewRound: boolean): void {
  const use = table[s + UTILISATION] / spec.utilisation;
  const multiplies = use >= 1 || table[s + STAGE] >= spec.stages;
  const window = table[s + REFERENCE] / (multiplies ? use : 1) + spec.increase;
  const most = octetsOf(table[s + LINE], spec.roundTrip / PS_PER_NS);
  const least = octetsOf(Math.min(spec.minRate, table[s + LINE]), spec.roundTrip / PS_PER_NS);
  table[s + WINDOW] = Math.max(least, Math.min(most, window));
  assert(least > 0 && least <= most, 'hpcc.bounds-of-window');
  assert(table[s + REFERENCE] > 0 && table[s + REFERENCE] <= most, 'hpcc.reference-window');
  if (!isNewRound) return;
  table[s + STAGE] = multiplies ? 0 : table[s + STAGE] + 1;
  table[s + REFERENCE] = table[s + WINDOW];
}

function isKnownPath(table: Float64Array, s: number, { path, hopCount }: Telemetry): boolean {
  return table[s + PATH] === path && table[s + HOPS] === hopCount;
}

function remember(table: Float64Array, s: number, { path, hopCount, hops }: Telemetry): void {
  assert(hopCount <= TELEMETRY_HOPS, 'hpcc.hops-of-path');
  table[s + PATH] = path;
  table[s + HOPS] = hopCount;
  for (let i = 0; i < hopCount; i++) {
    const link = s + LINKS + i * LINK_WORDS;
    table[link + TIME] = hops[i].timeNs;
    table[link + SENT] = hops[i].sentUnits;
    table[link + QUEUE] = hops[i].queueUnits;
  }
}

function octetsOf(bps: number, ns: number): number {
  return (bps * ns) / (OCTET_BITS * NS_PER_S);
}

function wrapped(difference: number, modulo: number): number {
  return difference < 0 ? difference + modulo : difference;
}
