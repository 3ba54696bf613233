/** MAC addresses, EtherTypes, VLAN tags and the header of a frame (802.3 3.2, 802.1Q 9). */

import { VLAN_TAG_OCTETS } from '../units/ethernet.js';
import { readU16, readU48, requireRoom, writeU16, writeU48 } from './big-endian.js';
import type { Decoded } from './decoded.js';
import { assert } from '../kernel/assert.js';

export const ETHERTYPE_IPV4 = 0x0800;
export const ETHERTYPE_C_TAG = 0x8100;
export const ETHERTYPE_IPV6 = 0x86dd;
export const ETHERTYPE_MAC_CONTROL = 0x8808;
export const ETHERTYPE_S_TAG = 0x88a8;
/** Congestion isolation and source flow control, by subtype (802.1Qcz 49.4.3). */
export const ETHERTYPE_CONGESTION = 0x89a2;

/** OUI Extended EtherType (IEEE 802): an OUI and a number under it follow. */
export const ETHERTYPE_OUI_EXTENDED = 0x88b7;
/** Locally administered: 02-CE-70. */
export const EXTENSION_OUI = 0x02ce7000;

/** Destination, source and EtherType of an untagged frame. */
export const ETHERNET_HEADER_OCTETS = 14;

/** Offset of the EtherType of an untagged frame, or of its first tag: behind the addresses. */
export const ETHERTYPE_AT = 12;
export const ETHERTYPE_OCTETS = 2;

/** In place of tag control information: there is no tag. */
export const NO_TAG = -1;

export interface EthernetHeader {
  /** MAC addresses are 48-bit numbers. */
  destination: number;
  source: number;
  /** Tag control information of the outer tag (88-A8), or NO_TAG. */
  sTag: number;
  /** Tag control information of the inner tag (81-00), or NO_TAG. */
  cTag: number;
  etherType: number;
}

export function blankEthernetHeader(): EthernetHeader {
  return { destination: 0, source: 0, sTag: NO_TAG, cTag: NO_TAG, etherType: 0 };
}

interface VlanTag {
  /** PCP, 0..7. */
  readonly priority: number;
  /** DEI. */
  readonly dropEligible: boolean;
  /** VID, 0..4095. */
  readonly vlan: number;
}

export function tagControl(tag: VlanTag): number {
  assert(tag.priority >= 0 && tag.priority < 8, 'tag.priority-of-3-bits');
  assert(tag.vlan >= 0 && tag.vlan <= 0xfff, 'tag.vlan-of-12-bits');
  return (tag.priority << 13) | (tag.dropEligible ? 0x1000 : 0) | tag.vlan;
}

export function tagPriority(control: number): number {
  return control >>> 13;
}

export function tagVlan(control: number): number {
  return control & 0xfff;
}

export function ethernetHeaderOctets(header: Readonly<EthernetHeader>): number {
  const tags = Number(header.sTag !== NO_TAG) + Number(header.cTag !== NO_TAG);
  return ETHERNET_HEADER_OCTETS + tags * VLAN_TAG_OCTETS;
}

/** Returns the offset behind the header. */
export function encodeEthernetHeader(
  octets: Uint8Array,
  at: number,
  header: Readonly<EthernetHeader>,
): number {
  requireRoom(octets, at, ethernetHeaderOctets(header));
  writeU48(octets, at, header.destination);
  writeU48(octets, at + 6, header.source);
  let next = at + ETHERTYPE_AT;
  if (header.sTag !== NO_TAG) next = encodeTag(octets, next, ETHERTYPE_S_TAG, header.sTag);
  if (header.cTag !== NO_TAG) next = encodeTag(octets, next, ETHERTYPE_C_TAG, header.cTag);
  writeU16(octets, next, header.etherType);
  return next + ETHERTYPE_OCTETS;
}

function encodeTag(octets: Uint8Array, at: number, etherType: number, control: number): number {
  writeU16(octets, at, etherType);
  writeU16(octets, at + 2, control);
  return at + VLAN_TAG_OCTETS;
}

/** Decodes one S-TAG, then one C-TAG; any further tag is left as the EtherType. */
export function decodeEthernetHeader(
  octets: Uint8Array,
  at: number,
  into: EthernetHeader,
): Decoded {
  if (octets.length - at < ETHERNET_HEADER_OCTETS) return 'too-short';
  into.destination = readU48(octets, at);
  into.source = readU48(octets, at + 6);
  into.sTag = NO_TAG;
  into.cTag = NO_TAG;
  let next = at + ETHERTYPE_AT;
  if (readU16(octets, next) === ETHERTYPE_S_TAG) {
    if (octets.length < next + VLAN_TAG_OCTETS + 2) return 'too-short';
    into.sTag = readU16(octets, next + 2);
    next += VLAN_TAG_OCTETS;
  }
  if (readU16(octets, next) === ETHERTYPE_C_TAG) {
    if (octets.length < next + VLAN_TAG_OCTETS + 2) return 'too-short';
    into.cTag = readU16(octets, next + 2);
    next += VLAN_TAG_OCTETS;
  }
  into.etherType = readU16(octets, next);
  return 'ok';
}

/** A group address: multicast or broadcast. */
export function isGroupMac(mac: number): boolean {
  return Math.floor(mac / 2 ** 40) % 2 === 1;
}

/** `02:00:00:00:00:0a` */
export function formatMac(mac: number): string {
  return mac
    .toString(16)
    .padStart(12, '0')
    .replace(/..(?!$)/g, '$&:');
}
