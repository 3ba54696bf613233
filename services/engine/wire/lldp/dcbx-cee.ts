/** DCBX of the Converged Enhanced Ethernet group, version 1.01: one TLV with TLVs inside. */

import { readU16, readU32, writeU16, writeU32 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  encodeOrganization,
  encodeTlvHeader,
  ORGANIZATION_OCTETS,
  organization,
  OUI_CEE,
  readNibbles,
  splitTlvs,
  TLV_HEADER_OCTETS,
  writeNibbles,
} from './tlv.js';

export const CEE_DCBX = organization(OUI_CEE, 2);

/** Priority group 15 has strict priority and no bandwidth. */
export const CEE_STRICT_GROUP = 15;

const CONTROL = 1;
const PRIORITY_GROUPS = 2;
const PFC = 3;
const APPLICATION = 4;

const CONTROL_OCTETS = 10;
const FEATURE_OCTETS = 4;
const GROUPS_OCTETS = 17;
const PFC_OCTETS = 6;
const ENTRY_OCTETS = 6;
const ENTRIES_MOST = 64;

export interface CeeFeature {
  enable: boolean;
  willing: boolean;
  error: boolean;
}

interface CeeGroups extends CeeFeature {
  /** Priority group of each priority. */
  groupOf: readonly number[];
  /** Percent of each group. */
  shares: readonly number[];
  classes: number;
}

interface CeePfc extends CeeFeature {
  enabled: number;
  classes: number;
}

export interface CeeApplication {
  protocol: number;
  /** 0 EtherType, 1 TCP or UDP port. */
  selector: number;
  /** Priorities, one bit each. */
  priorities: number;
}

interface CeeApplications extends CeeFeature {
  entries: readonly CeeApplication[];
}

export interface CeeDcbx {
  operatingVersion: number;
  maxVersion: number;
  sequence: number;
  acknowledged: number;
  /** Null where the feature is not advertised. */
  groups: CeeGroups | null;
  pfc: CeePfc | null;
  applications: CeeApplications | null;
  /** A feature that occurs twice; it counts as not advertised. */
  duplicates: number;
}

export function blankCeeDcbx(): CeeDcbx {
  return {
    operatingVersion: 0,
    maxVersion: 0,
    sequence: 0,
    acknowledged: 0,
    groups: null,
    pfc: null,
    applications: null,
    duplicates: 0,
  };
}

export function encodeCeeDcbx(octets: Uint8Array, at: number, dcbx: Readonly<CeeDcbx>): number {
  const { groups, pfc, applications } = dcbx;
  let next = encodeOrganization(octets, at, OUI_CEE, 2, lengthOf(dcbx));
  next = encodeTlvHeader(octets, next, CONTROL, CONTROL_OCTETS);
  octets[next] = dcbx.operatingVersion;
  octets[next + 1] = dcbx.maxVersion;
  writeU32(octets, next + 2, dcbx.sequence);
  writeU32(octets, next + 6, dcbx.acknowledged);
  next += CONTROL_OCTETS;
  if (groups !== null) next = encodeGroups(octets, next, groups);
  if (pfc !== null) next = encodePfc(octets, next, pfc);
  return applications === null ? next : encodeApplications(octets, next, applications);
}

export function decodeCeeDcbx(value: Uint8Array, into: CeeDcbx): Decoded {
  if (value.length < ORGANIZATION_OCTETS) return 'too-short';
  const features = splitTlvs(value.subarray(ORGANIZATION_OCTETS));
  if (features === null) return 'bad-length';
  const found = features.filter(({ type }) => type === CONTROL);
  if (found.length !== 1) return 'bad-order';
  const control = found[0].value;
  if (control.length !== CONTROL_OCTETS) return 'bad-length';
  into.operatingVersion = control[0];
  into.maxVersion = control[1];
  into.sequence = readU32(control, 2);
  into.acknowledged = readU32(control, 6);
  into.duplicates = 0;
  const only = (type: number): Uint8Array | null => {
    const same = features.filter((feature) => feature.type === type);
    if (same.length > 1) into.duplicates++;
    return same.length === 1 ? same[0].value : null;
  };
  into.groups = decodeGroups(only(PRIORITY_GROUPS));
  into.pfc = decodePfc(only(PFC));
  into.applications = decodeApplications(only(APPLICATION));
  return 'ok';
}

function lengthOf({ groups, pfc, applications }: Readonly<CeeDcbx>): number {
  let length = TLV_HEADER_OCTETS + CONTROL_OCTETS;
  if (groups !== null) length += TLV_HEADER_OCTETS + GROUPS_OCTETS;
  if (pfc !== null) length += TLV_HEADER_OCTETS + PFC_OCTETS;
  if (applications === null) return length;
  return length + TLV_HEADER_OCTETS + applicationsLength(applications);
}

function applicationsLength({ entries }: CeeApplications): number {
  if (entries.length > ENTRIES_MOST) {
    throw new RangeError(`${entries.length} applications do not fit; ${ENTRIES_MOST} do`);
  }
  return FEATURE_OCTETS + ENTRY_OCTETS * entries.length;
}

function encodeFeature(octets: Uint8Array, at: number, feature: CeeFeature): number {
  octets[at] = 0;
  octets[at + 1] = 0;
  octets[at + 2] =
    (feature.enable ? 0x80 : 0) | (feature.willing ? 0x40 : 0) | (feature.error ? 0x20 : 0);
  octets[at + 3] = 0;
  return at + FEATURE_OCTETS;
}

function decodeFeature(value: Uint8Array): CeeFeature {
  const [, , flags] = value;
  return {
    enable: (flags & 0x80) !== 0,
    willing: (flags & 0x40) !== 0,
    error: (flags & 0x20) !== 0,
  };
}

function encodeGroups(octets: Uint8Array, at: number, groups: CeeGroups): number {
  const value = encodeTlvHeader(octets, at, PRIORITY_GROUPS, GROUPS_OCTETS);
  const next = encodeFeature(octets, value, groups);
  writeNibbles(octets, next, groups.groupOf);
  octets.set(groups.shares, next + 4);
  octets[next + 12] = groups.classes;
  return value + GROUPS_OCTETS;
}

function decodeGroups(value: Uint8Array | null): CeeGroups | null {
  if (value?.length !== GROUPS_OCTETS) return null;
  const groupOf = readNibbles(value, 4);
  const shares = Array.from(value.subarray(8, 16));
  if (groupOf.some((group) => group > 7 && group !== CEE_STRICT_GROUP)) return null;
  const sum = shares.reduce((total, share) => total + share, 0);
  const shared = groupOf.some((group) => group !== CEE_STRICT_GROUP);
  if (sum !== (shared ? 100 : 0)) return null;
  return { ...decodeFeature(value), groupOf, shares, classes: value[16] };
}

function encodePfc(octets: Uint8Array, at: number, pfc: CeePfc): number {
  const value = encodeTlvHeader(octets, at, PFC, PFC_OCTETS);
  const next = encodeFeature(octets, value, pfc);
  octets[next] = pfc.enabled;
  octets[next + 1] = pfc.classes;
  return value + PFC_OCTETS;
}

function decodePfc(value: Uint8Array | null): CeePfc | null {
  if (value?.length !== PFC_OCTETS) return null;
  return { ...decodeFeature(value), enabled: value[4], classes: value[5] };
}

function encodeApplications(octets: Uint8Array, at: number, applications: CeeApplications): number {
  const value = encodeTlvHeader(octets, at, APPLICATION, applicationsLength(applications));
  let next = encodeFeature(octets, value, applications);
  for (const { protocol, selector, priorities } of applications.entries) {
    writeU16(octets, next, protocol);
    octets[next + 2] = ((OUI_CEE >> 16) & 0xfc) | selector;
    writeU16(octets, next + 3, OUI_CEE & 0xffff);
    octets[next + 5] = priorities;
    next += ENTRY_OCTETS;
  }
  return next;
}

function decodeApplications(value: Uint8Array | null): CeeApplications | null {
  if (value === null || value.length < FEATURE_OCTETS) return null;
  if ((value.length - FEATURE_OCTETS) % ENTRY_OCTETS !== 0) return null;
  const entries = Array.from({ length: (value.length - FEATURE_OCTETS) / ENTRY_OCTETS }, (_, i) => {
    const at = FEATURE_OCTETS + ENTRY_OCTETS * i;
    return { protocol: readU16(value, at), selector: value[at + 2] & 3, priorities: value[at + 5] };
  });
  return { ...decodeFeature(value), entries };
}
