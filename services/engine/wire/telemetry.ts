/**
 * In-band telemetry for HPCC (SIGCOMM 2019, figure 7): a header of two octets, and eight of each
 * switch on the path. It is between a frame's addresses and its EtherType, with room for all
 * switches from the start, behind the EtherType that a local OUI and a number extend (802, 9.2.3:
 * 88-B7); those for experiments are CE-Tags.
 */

import { readU16, readU32, writeU16, writeU32 } from './big-endian.js';
import type { Decoded } from './decoded.js';
import {
  ETHERTYPE_AT,
  ETHERTYPE_OCTETS,
  EXTENSION_OUI,
  ETHERTYPE_OUI_EXTENDED,
} from './ethernet.js';
import { assert } from '../kernel/assert.js';

/** Number under the OUI: 00-01. */
const EXTENSION_END = 0x01;
const EXTENSION_OCTETS = 5;

/** Switches that there is room for. */
export const TELEMETRY_HOPS = 5;
const HEADER_OCTETS = 2;
const HOP_OCTETS = 8;
/** By which a frame with telemetry is longer. */
export const TELEMETRY_OCTETS =
  ETHERTYPE_OCTETS + EXTENSION_OCTETS + HEADER_OCTETS + TELEMETRY_HOPS * HOP_OCTETS;

/** Addresses are those of the frame, and left out. */
const EXTENSION_AT = ETHERTYPE_AT + ETHERTYPE_OCTETS;
const HEADER_AT = EXTENSION_AT + EXTENSION_OCTETS;
const HOPS_AT = HEADER_AT + HEADER_OCTETS;
const WHOLE_OCTETS = ETHERTYPE_AT + TELEMETRY_OCTETS;

const PATH_MASK = 0xfff;
const COUNT_SHIFT = 12;
const TIME_MASK = 0xffffff;
const SENT_MASK = 0xfffff;
const QUEUE_MASK = 0xffff;
/** Values wrap around at these. */
export const TIME_NS_MODULO = TIME_MASK + 1;
export const SENT_UNITS_MODULO = SENT_MASK + 1;
/** Octets of a unit, as in the simulator that came with the paper. */
export const SENT_UNIT_OCTETS = 128;
export const QUEUE_UNIT_OCTETS = 80;

/** What a switch writes about the egress port of the frame. */
export interface TelemetryHop {
  /** Index of the port's rate among those of Ethernet, 0..15. */
  rate: number;
  timeNs: number;
  sentUnits: number;
  queueUnits: number;
}

export interface Telemetry {
  /** Exclusive or of the numbers of the switches: it differs between paths. */
  path: number;
  hopCount: number;
  readonly hops: readonly TelemetryHop[];
}

export function blankHop(): TelemetryHop {
  return { rate: 0, timeNs: 0, sentUnits: 0, queueUnits: 0 };
}

export function blankTelemetry(): Telemetry {
  return { path: 0, hopCount: 0, hops: Array.from({ length: TELEMETRY_HOPS }, blankHop) };
}

/** Telemetry header of a packet at its source. */
export function encodeBlankTelemetry(): Uint8Array {
  const octets = new Uint8Array(WHOLE_OCTETS);
  writeU16(octets, ETHERTYPE_AT, ETHERTYPE_OUI_EXTENDED);
  writeU32(octets, EXTENSION_AT, EXTENSION_OUI);
  octets[EXTENSION_AT + 4] = EXTENSION_END;
  return octets;
}

/** Appends a hop; false if there is no room, or nothing to append to. */
export function appendHop(octets: Uint8Array, node: number, hop: Readonly<TelemetryHop>): boolean {
  if (octets.length < WHOLE_OCTETS || !isTelemetry(octets)) return false;
  const header = readU16(octets, HEADER_AT);
  const count = header >> COUNT_SHIFT;
  if (count >= TELEMETRY_HOPS) return false;
  const path = (header ^ node) & PATH_MASK;
  writeU16(octets, HEADER_AT, ((count + 1) << COUNT_SHIFT) | path);
  const at = HOPS_AT + count * HOP_OCTETS;
  const sent = hop.sentUnits & SENT_MASK;
  const queue = Math.min(QUEUE_MASK, hop.queueUnits);
  assert(hop.rate >= 0 && hop.rate < 16, 'telemetry.rate-of-4-bits');
  assert(hop.sentUnits >= 0 && hop.queueUnits >= 0, 'telemetry.counts');
  writeU32(octets, at, ((hop.rate << 28) | ((hop.timeNs & TIME_MASK) << 4) | (sent >>> 16)) >>> 0);
  writeU32(octets, at + 4, (((sent & 0xffff) << 16) | queue) >>> 0);
  return true;
}

export function decodeTelemetry(octets: Uint8Array, into: Telemetry): Decoded {
  if (octets.length < WHOLE_OCTETS) return 'too-short';
  if (!isTelemetry(octets)) return 'wrong-type';
  const header = readU16(octets, HEADER_AT);
  const count = header >> COUNT_SHIFT;
  if (count > TELEMETRY_HOPS) return 'bad-value';
  into.path = header & PATH_MASK;
  into.hopCount = count;
  for (let i = 0; i < count; i++) {
    const at = HOPS_AT + i * HOP_OCTETS;
    const [high, low] = [readU32(octets, at), readU32(octets, at + 4)];
    const hop = into.hops[i];
    hop.rate = high >>> 28;
    hop.timeNs = (high >>> 4) & TIME_MASK;
    hop.sentUnits = ((high & 0xf) << 16) | (low >>> 16);
    hop.queueUnits = low & QUEUE_MASK;
  }
  return 'ok';
}

function isTelemetry(octets: Uint8Array): boolean {
  return (
    readU16(octets, ETHERTYPE_AT) === ETHERTYPE_OUI_EXTENDED &&
    readU32(octets, EXTENSION_AT) === EXTENSION_OUI &&
    octets[EXTENSION_AT + 4] === EXTENSION_END
  );
}
