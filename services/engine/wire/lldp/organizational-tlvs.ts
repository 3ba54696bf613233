/** TLVs of 802.1 and 802.3 that every port sends (802.1Q Annex D.2.1; 802.3 79.3). */

import { readU16, readU32, writeU16, writeU32 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  encodeOrganization,
  ORGANIZATION_OCTETS,
  organization,
  OUI_8021,
  OUI_8023,
} from './tlv.js';

export const PORT_VLAN = organization(OUI_8021, 1);
export const LINK_AGGREGATION = organization(OUI_8021, 7);
export const MAXIMUM_FRAME_SIZE = organization(OUI_8023, 4);

export interface PortVlan {
  /** 0: the port has none. */
  vlan: number;
}

export interface LinkAggregation {
  capable: boolean;
  enabled: boolean;
  portNumber: number;
}

export interface MaximumFrameSize {
  octets: number;
}

export function blankPortVlan(): PortVlan {
  return { vlan: 0 };
}

export function encodePortVlan(octets: Uint8Array, at: number, tlv: Readonly<PortVlan>): number {
  const value = encodeOrganization(octets, at, OUI_8021, 1, 2);
  writeU16(octets, value, tlv.vlan);
  return value + 2;
}

export function decodePortVlan(value: Uint8Array, into: PortVlan): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + 2) return 'bad-length';
  into.vlan = readU16(value, ORGANIZATION_OCTETS);
  return 'ok';
}

export function blankLinkAggregation(): LinkAggregation {
  return { capable: false, enabled: false, portNumber: 0 };
}

export function encodeLinkAggregation(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<LinkAggregation>,
): number {
  const value = encodeOrganization(octets, at, OUI_8021, 7, 5);
  octets[value] = (tlv.capable ? 1 : 0) | (tlv.enabled ? 2 : 0);
  writeU32(octets, value + 1, tlv.portNumber);
  return value + 5;
}

export function decodeLinkAggregation(value: Uint8Array, into: LinkAggregation): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + 5) return 'bad-length';
  const status = value[ORGANIZATION_OCTETS];
  into.capable = (status & 1) !== 0;
  into.enabled = (status & 2) !== 0;
  into.portNumber = readU32(value, ORGANIZATION_OCTETS + 1);
  return 'ok';
}

export function blankMaximumFrameSize(): MaximumFrameSize {
  return { octets: 0 };
}

export function encodeMaximumFrameSize(
  octets: Uint8Array,
  at: number,
  tlv: Readonly<MaximumFrameSize>,
): number {
  const value = encodeOrganization(octets, at, OUI_8023, 4, 2);
  writeU16(octets, value, tlv.octets);
  return value + 2;
}

export function decodeMaximumFrameSize(value: Uint8Array, into: MaximumFrameSize): Decoded {
  if (value.length !== ORGANIZATION_OCTETS + 2) return 'bad-length';
  into.octets = readU16(value, ORGANIZATION_OCTETS);
  return 'ok';
}
