import { COUNTER, PEAK, SHAPE, since } from '../../engine/kernel/kinds.js';
import type { SwiftSpec } from './spec.js';
import { OCTET_BITS_PS } from '../../engine/units/rates.js';
import { assert } from '../../engine/kernel/assert.js';
import { fields } from '../../engine/kernel/fields.js';

/** Transitions on a record of doubles that starts at `s` in a table. Rates are bit/s, times ps. */
export const RATE = 0;
export const LINE = 1;
export const LEAST = 2;
/** Packets that may be in flight by the delay of the fabric, and of the receiving station. */
export const FABRIC = 3;
export const ENDPOINT = 4;
/** So many words behind each: when it was last cut. */
const CUT_AT = 2;
const ROUND_TRIP = 7;
const TIMEOUTS = 8;
export const MEASURED = 9;
export const CUTS = 10;
export const SWIFT_WORDS = 11;
export const SWIFT_FIELDS = fields(SWIFT_WORDS, {
  rate: [RATE, SHAPE],
  line: [LINE, SHAPE],
  least: [LEAST, PEAK],
  fabric: [FABRIC, SHAPE],
  endpoint: [ENDPOINT, SHAPE],
  fabricCutAt: [FABRIC + CUT_AT, since(-Infinity)],
  endpointCutAt: [ENDPOINT + CUT_AT, since(-Infinity)],
  roundTrip: [ROUND_TRIP, SHAPE],
  timeouts: [TIMEOUTS, SHAPE],
  measured: [MEASURED, COUNTER],
  cuts: [CUTS, COUNTER],
});

/** So many timeouts in a row bring a window down to the least (3.6). */
const SWIFT_RESET_TIMEOUTS = 5;

export function initialise(table: Float64Array, s: number, lineBps: number, spec: SwiftSpec): void {
  table.fill(0, s, s + SWIFT_WORDS);
  table[s + RATE] = lineBps;
  table[s + LINE] = lineBps;
  table[s + LEAST] = lineBps;
  table[s + FABRIC] = spec.initial;
  table[s + ENDPOINT] = spec.initial;
  table[s + FABRIC + CUT_AT] = -Infinity;
  table[s + ENDPOINT + CUT_AT] = -Infinity;
}

/** The effective window: the smaller of both. */
export function windowOf(table: Float64Array, s: number): number {
  return Math.min(table[s + FABRIC], table[s + ENDPOINT]);
}

/** 3.5: a base, the length of the path, and more for small windows: many flows queue for longer. */
export function fabricTarget(spec: SwiftSpec, window: number): number {
  const [few, many] = [1 / Math.sqrt(spec.flowLeast), 1 / Math.sqrt(spec.flowMost)];
  const alpha = spec.flowRange / (few - many);
  const scaled = alpha / Math.sqrt(window) - alpha * many;
  const more = Math.max(0, Math.min(spec.flowRange, scaled));
  return spec.target + spec.hops * spec.hop + more;
}

/** Algorithm 1, on receiving an acknowledgement of so many packets. */
export function onRoundTrip(
  table: Float64Array,
  s: number,
  spec: SwiftSpec,
  roundTripPs: number,
  endpointPs: number,
  packets: number,
  now: number,
): void {
  table[s + MEASURED]++;
  table[s + ROUND_TRIP] = roundTripPs;
  table[s + TIMEOUTS] = 0;
  const fabric = table[s + FABRIC];
  const endpoint = table[s + ENDPOINT];
  const fabricPs = roundTripPs - endpointPs;
  assert(endpointPs >= 0 && fabricPs > 0, 'swift.delay-of-fabric');
  const targetPs = fabricTarget(spec, fabric);
  if (fabricPs < targetPs) table[s + FABRIC] = grown(spec, fabric, packets);
  else if (mayCut(table, s, FABRIC, now)) {
    cut(table, s, FABRIC, reduced(spec, fabric, excess(spec, fabricPs, targetPs)), now);
  }
  const { endpointTarget } = spec;
  if (endpointPs < endpointTarget) table[s + ENDPOINT] = grown(spec, endpoint, packets);
  else if (mayCut(table, s, ENDPOINT, now)) {
    cut(table, s, ENDPOINT, reduced(spec, endpoint, excess(spec, endpointPs, endpointTarget)), now);
  }
  setRate(table, s, spec);
}

/** Packets were lost: the deepest cut; after several timeouts: the least window. */
export function onLoss(
  table: Float64Array,
  s: number,
  spec: SwiftSpec,
  timedOut: boolean,
  now: number,
): void {
  table[s + TIMEOUTS] = timedOut ? table[s + TIMEOUTS] + 1 : 0;
  if (table[s + TIMEOUTS] >= SWIFT_RESET_TIMEOUTS) table[s + FABRIC] = spec.least;
  else if (mayCut(table, s, FABRIC, now)) {
    cut(table, s, FABRIC, reduced(spec, table[s + FABRIC], spec.maxDecrease), now);
  }
  setRate(table, s, spec);
}

/** By `increase` in a round trip, or for each packet while the window is less than one. */
function grown(spec: SwiftSpec, window: number, packets: number): number {
  const step = spec.increase * packets;
  return Math.min(spec.most, window + (window >= 1 ? step / window : step));
}

/** Share to cut, by which a delay exceeds its target. */
function excess(spec: SwiftSpec, delayPs: number, targetPs: number): number {
  assert(delayPs >= targetPs, 'swift.delay-exceeds-target');
  return Math.min(spec.maxDecrease, (spec.decrease * (delayPs - targetPs)) / delayPs);
}

function reduced(spec: SwiftSpec, window: number, share: number): number {
  return Math.max(spec.least, window * (1 - share));
}

/** At most once per round trip. */
function mayCut(table: Float64Array, s: number, window: number, now: number): boolean {
  return now - table[s + window + CUT_AT] >= table[s + ROUND_TRIP];
}

function cut(table: Float64Array, s: number, window: number, to: number, now: number): void {
  assert(to > 0 && to <= table[s + window], 'swift.cut-window');
  table[s + window] = to;
  table[s + window + CUT_AT] = now;
  table[s + CUTS]++;
}

/** A window of less than a packet is a packet in more than a round trip. */
function setRate(table: Float64Array, s: number, spec: SwiftSpec): void {
  const roundTrip = table[s + ROUND_TRIP];
  if (roundTrip === 0) return;
  const rate = (windowOf(table, s) * spec.packetOctets * OCTET_BITS_PS) / roundTrip;
  table[s + RATE] = Math.min(table[s + LINE], rate);
  table[s + LEAST] = Math.min(table[s + LEAST], table[s + RATE]);
}
