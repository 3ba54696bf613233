/** DCBX of 802.1Qaz and congestion notification (802.1Q Annex D.2.7 to D.2.11). */

import { readU16, writeU16 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  encodeOrganization,
  ORGANIZATION_OCTETS,
  organization,
  OUI_8021,
  readNibbles,
  writeNibbles,
} from './tlv.js';

export const CONGESTION_NOTIFICATION = organization(OUI_8021, 0x08);
export const ETS_CONFIGURATION = organization(OUI_8021, 0x09);
export const ETS_RECOMMENDATION = organization(OUI_8021, 0x0a);
export const PFC_CONFIGURATION = organization(OUI_8021, 0x0b);
export const APPLICATION_PRIORITY = organization(OUI_8021, 0x0c);

/** Transmission selection algorithms (Table D-8). */
export const TSA_STRICT = 0;
export const TSA_CREDIT_SHAPER = 1;
export const TSA_ETS = 2;
export const TSA_VENDOR = 255;

const ETS_OCTETS = 21;
const PFC_OCTETS = 2;
const APPLICATION_OCTETS = 3;
const APPLICATIONS_MOST = 168;

/** A configuration or, where `willing`, `shaper` and `classes` do not apply, a recommendation. */
export interface Ets {
  willing: boolean;
  /** Supports the credit-based shaper of 802.1Qav. */
  shaper: boolean;
  /** Traffic classes supported, 1..8. */
  classes: number;
  /** Traffic class of each priority. */
  classOf: readonly number[];
  /** Percent of each class. */
  shares: readonly number[];
  /** Selection algorithm of each class. */
  algorithms: readonly number[];
}

/** An ETS table without the fields that only a TLV has. */
export type EtsTable = Pick<Ets, 'classOf' | 'shares' | 'algorithms'>;

export interface PfcConfiguration {
  willing: boolean;
  /** Set: it cannot bypass MACsec, and needs more headroom. */
  noMacsecBypass: boolean;
  /** Priorities that may have PFC at the same time, 0..8. */
  capability: number;
  /** Priorities with PFC, one bit each. */
  enabled: number;
}

/** Selectors of applications (Table D-9). */
export const BY_ETHERTYPE = 1;
export const BY_TCP_PORT = 2;
export const BY_UDP_PORT = 3;
export const BY_PORT = 4;
export const BY_DSCP = 5;

export interface Application {
  priority: number;
  selector: number;
  protocol: number;
}

export interface Applications {
  entries: readonly Application[];
}

export interface CongestionNotification {
  /** Priorities that are congestion notification priority values, one bit each. */
  priorities: number;
  ready: number;
}

export function blankEts(): Ets {
  const zeros = [0, 0, 0, 0, 0, 0, 0, 0];
  return {
    willing: false,
    shaper: false,
    classes: 8,
    classOf: zeros,
    shares: zeros,
    algorithms: zeros,
  };
}

/** Whether two tables map the priorities to the same classes, and these have the same share. */
export function isSameTable(a: EtsTable, b: EtsTable): boolean {
  const isShared = ({ algorithms }: EtsTable, tc: number): boolean => algorithms[tc] === TSA_ETS;
  return a.classOf.every(
    (tc, up) =>
      tc === b.classOf[up] &&
      isShared(a, tc) === isShared(b, tc) &&
      (!isShared(a, tc) || a.shares[tc] === b.shares[tc]),
  );
}

export function encodeEtsConfiguration(octets: Uint8Array, at: number, ets: Readonly<Ets>): number {
  const value = encodeOrganization(octets, at, OUI_8021, 0x09, ETS_OCTETS);
  octets[value] = (ets.willing ? 0x80 : 0) | (ets.shaper ? 0x40 : 0) | (ets.classes & 7);
  return encodeTable(octets, value, ets);
}

export function encodeEtsRecommendation(
  octets: Uint8Array,
  at: number,
  ets: Readonly<Ets>,
): number {
  return encodeTable(octets, encodeOrganization(octets, at, OUI_8021, 0x0a, ETS_OCTETS), ets);
}

/** Shares must sum to 100 over the classes with ETS, if there are any. */
export function decodeEts(value: Uint8Array, into: Ets): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + ETS_OCTETS) return 'bad-length';
  const at = ORGANIZATION_OCTETS;
  const classOf = readNibbles(value, at + 1);
  const shares = Array.from(value.subarray(at + 5, at + 13));
  const algorithms = Array.from(value.subarray(at + 13, at + 21));
  if (classOf.some((trafficClass) => trafficClass > 7)) return 'bad-value';
  if (!sharesAreWhole(shares, algorithms)) return 'bad-sum';
  const classes = value[at] & 7;
  into.willing = (value[at] & 0x80) !== 0;
  into.shaper = (value[at] & 0x40) !== 0;
  into.classes = classes === 0 ? 8 : classes;
  into.classOf = classOf;
  into.shares = shares;
  into.algorithms = algorithms;
  return 'ok';
}

export function blankPfcConfiguration(): PfcConfiguration {
  return { willing: false, noMacsecBypass: false, capability: 8, enabled: 0 };
}

export function encodePfcConfiguration(
  octets: Uint8Array,
  at: number,
  pfc: Readonly<PfcConfiguration>,
): number {
  const value = encodeOrganization(octets, at, OUI_8021, 0x0b, PFC_OCTETS);
  const flags = (pfc.willing ? 0x80 : 0) | (pfc.noMacsecBypass ? 0x40 : 0);
  octets[value] = flags | (pfc.capability & 15);
  octets[value + 1] = pfc.enabled;
  return value + PFC_OCTETS;
}

export function decodePfcConfiguration(value: Uint8Array, into: PfcConfiguration): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + PFC_OCTETS) return 'bad-length';
  const flags = value[ORGANIZATION_OCTETS];
  into.willing = (flags & 0x80) !== 0;
  into.noMacsecBypass = (flags & 0x40) !== 0;
  into.capability = flags & 15;
  into.enabled = value[ORGANIZATION_OCTETS + 1];
  return 'ok';
}

export function blankApplications(): Applications {
  return { entries: [] };
}

export function encodeApplications(
  octets: Uint8Array,
  at: number,
  { entries }: Readonly<Applications>,
): number {
  if (entries.length > APPLICATIONS_MOST) {
    throw new RangeError(`${entries.length} applications do not fit; ${APPLICATIONS_MOST} do`);
  }
  const length = 1 + APPLICATION_OCTETS * entries.length;
  let next = encodeOrganization(octets, at, OUI_8021, 0x0c, length) + 1;
  for (const { priority, selector, protocol } of entries) {
    octets[next] = (priority << 5) | selector;
    writeU16(octets, next + 1, protocol);
    next += APPLICATION_OCTETS;
  }
  return next;
}

export function decodeApplications(value: Uint8Array, into: Applications): Decoded {
  const first = ORGANIZATION_OCTETS + 1;
  if (value.length < first || (value.length - first) % APPLICATION_OCTETS !== 0) {
    return 'bad-length';
  }
  into.entries = Array.from({ length: (value.length - first) / APPLICATION_OCTETS }, (_, i) => {
    const at = first + APPLICATION_OCTETS * i;
    return {
      priority: value[at] >> 5,
      selector: value[at] & 7,
      protocol: readU16(value, at + 1),
    };
  });
  return 'ok';
}

export function blankCongestionNotification(): CongestionNotification {
  return { priorities: 0, ready: 0 };
}

export function encodeCongestionNotification(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<CongestionNotification>,
): number {
  const value = encodeOrganization(octets, at, OUI_8021, 0x08, 2);
  octets[value] = tlv.priorities;
  octets[value + 1] = tlv.ready;
  return value + 2;
}

export function decodeCongestionNotification(
  value: Uint8Array,
  into: CongestionNotification,
): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + 2) return 'bad-length';
  into.priorities = value[ORGANIZATION_OCTETS];
  into.ready = value[ORGANIZATION_OCTETS + 1];
  return 'ok';
}

function encodeTable(octets: Uint8Array, at: number, ets: Readonly<Ets>): number {
  writeNibbles(octets, at + 1, ets.classOf);
  octets.set(ets.shares, at + 5);
  octets.set(ets.algorithms, at + 13);
  return at + ETS_OCTETS;
}

function sharesAreWhole(shares: readonly number[], algorithms: readonly number[]): boolean {
  const sum = shares.reduce((total, share) => total + share, 0);
  return sum === (algorithms.includes(TSA_ETS) ? 100 : 0);
}
