/** The type-length-value format of LLDP (802.1AB 8.4); CEE DCBX uses it inside its TLV as well. */

import { readU16, readU24, requireRoom, writeU16, writeU24 } from '../big-endian.js';
import { assert } from '../../kernel/assert.js';

export const TLV_HEADER_OCTETS = 2;
const TLV_VALUE_MOST = 511;

export const TLV_END = 0;
export const TLV_CHASSIS_ID = 1;
export const TLV_PORT_ID = 2;
export const TLV_TTL = 3;
export const TLV_PORT_DESCRIPTION = 4;
export const TLV_SYSTEM_NAME = 5;
export const TLV_SYSTEM_DESCRIPTION = 6;
export const TLV_CAPABILITIES = 7;
export const TLV_MANAGEMENT_ADDRESS = 8;
export const TLV_ORGANIZATIONAL = 127;

/** OUI and subtype, which begin every organizationally specific TLV. */
export const ORGANIZATION_OCTETS = 4;

export const OUI_8021 = 0x0080c2;
export const OUI_8023 = 0x00120f;
export const OUI_CEE = 0x001b21;
/**
 * Begins the TLVs of which no standard assigns the number, where a port has no other identifier. No
 * registry can assign it: it has the local bit, and is not a company identifier.
 */
export const OUI_SELVAGE = 0x02ce70;

export interface Tlv {
  readonly type: number;
  readonly value: Uint8Array;
}

/** Writes a header; the value begins at the offset that is returned. */
export function encodeTlvHeader(
  octets: Uint8Array,
  at: number,
  type: number,
  length: number,
): number {
  requireRoom(octets, at, TLV_HEADER_OCTETS + length);
  if (length > TLV_VALUE_MOST) throw new RangeError(`a TLV cannot have ${length} octets`);
  assert(type >= 0 && type < 128, 'tlv.type-of-7-bits');
  writeU16(octets, at, (type << 9) | length);
  return at + TLV_HEADER_OCTETS;
}

/** Writes header, OUI and subtype; `length` is that of what follows, at the offset returned. */
export function encodeOrganization(
  octets: Uint8Array,
  at: number,
  oui: number,
  subtype: number,
  length: number,
): number {
  const value = encodeTlvHeader(octets, at, TLV_ORGANIZATIONAL, ORGANIZATION_OCTETS + length);
  writeU24(octets, value, oui);
  octets[value + 3] = subtype;
  octets.fill(0, value + ORGANIZATION_OCTETS, value + ORGANIZATION_OCTETS + length);
  return value + ORGANIZATION_OCTETS;
}

export function encodeTlv(octets: Uint8Array, at: number, { type, value }: Tlv): number {
  const next = encodeTlvHeader(octets, at, type, value.length);
  octets.set(value, next);
  return next + value.length;
}

/** One number for OUI and subtype; -1 for a value too short to have them. */
export function organizationOf(value: Uint8Array): number {
  return value.length < ORGANIZATION_OCTETS ? -1 : organization(readU24(value, 0), value[3]);
}

export function organization(oui: number, subtype: number): number {
  return oui * 256 + subtype;
}

/** Gives the TLV at an offset another identifier, if it is an own one. */
export function identifyBy(octets: Uint8Array, at: number, identifier: number): void {
  const value = at + TLV_HEADER_OCTETS;
  const isOwn = octets[at] >> 1 === TLV_ORGANIZATIONAL && readU24(octets, value) === OUI_SELVAGE;
  if (isOwn) writeU24(octets, value, identifier);
}

/** OUI and subtype of a value, where own TLVs have this identifier; -1 if it is too short. */
export function organizationAmong(value: Uint8Array, identifier: number): number {
  const read = organizationOf(value);
  if (read < 0 || identifier === OUI_SELVAGE) return read;
  const oui = readU24(value, 0);
  if (oui === identifier) return organization(OUI_SELVAGE, value[3]);
  // That of others: nothing here knows its subtypes.
  return oui === OUI_SELVAGE ? organization(identifier, value[3]) : read;
}

/**
 * The TLVs of some octets up to an End TLV or the end, as views into them; null if one of them
 * runs past the end.
 */
export function splitTlvs(octets: Uint8Array): Tlv[] | null {
  const tlvs: Tlv[] = [];
  let at = 0;
  while (at < octets.length) {
    if (at + TLV_HEADER_OCTETS > octets.length) return null;
    const header = readU16(octets, at);
    const type = header >> 9;
    const from = at + TLV_HEADER_OCTETS;
    at = from + (header & TLV_VALUE_MOST);
    if (at > octets.length) return null;
    if (type === TLV_END) return tlvs;
    tlvs.push({ type, value: octets.subarray(from, at) });
  }
  return tlvs;
}

/** Eight numbers of four bits, the first in the high nibble of the first octet. */
export function writeNibbles(octets: Uint8Array, at: number, values: readonly number[]): void {
  assert(values.length === 8 && Math.max(...values) < 16, 'tlv.numbers-of-4-bits');
  for (let i = 0; i < 4; i++) octets[at + i] = (values[2 * i] << 4) | values[2 * i + 1];
}

export function readNibbles(octets: Uint8Array, at: number): number[] {
  return Array.from({ length: 8 }, (_, n) => (octets[at + (n >> 1)] >> (n & 1 ? 0 : 4)) & 15);
}
