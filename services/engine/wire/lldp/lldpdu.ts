/** The frame of LLDP (802.1AB clauses 7 and 8). */

import { readU16, readU48, requireRoom, writeU16, writeU48 } from '../big-endian.js';
import type { Decoded } from '../decoded.js';
import {
  encodeTlv,
  encodeTlvHeader,
  splitTlvs,
  TLV_CHASSIS_ID,
  TLV_END,
  TLV_PORT_ID,
  TLV_TTL,
  type Tlv,
} from './tlv.js';
import { PADDED_OCTETS } from '../../units/ethernet.js';

export const ETHERTYPE_LLDP = 0x88cc;

/** Table 7-1: how far a frame goes. */
export const NEAREST_BRIDGE = 0x0180c200000e;
export const NEAREST_NON_TPMR_BRIDGE = 0x0180c2000003;
export const NEAREST_CUSTOMER_BRIDGE = 0x0180c2000000;

export const LLDP_HEADER_OCTETS = 14;
/** An LLDPDU is one frame of ordinary length, without FCS. */
export const LLDP_FRAME_MOST = 1514;

const ID_LEAST = 2;
const ID_MOST = 256;
const MANDATORY = [TLV_CHASSIS_ID, TLV_PORT_ID, TLV_TTL];

export interface LldpFrame {
  /** MAC addresses are 48-bit numbers. */
  destination: number;
  source: number;
  /** Subtype and identifier, as in the TLV. */
  chassisId: Uint8Array;
  portId: Uint8Array;
  ttlSeconds: number;
  /** What follows the three mandatory TLVs, without End. */
  tlvs: readonly Tlv[];
}

export function blankLldpFrame(): LldpFrame {
  return {
    destination: NEAREST_BRIDGE,
    source: 0,
    chassisId: new Uint8Array(0),
    portId: new Uint8Array(0),
    ttlSeconds: 0,
    tlvs: [],
  };
}

/** Returns the offset behind the frame, which is padded to the least length. */
export function encodeLldp(octets: Uint8Array, at: number, frame: Readonly<LldpFrame>): number {
  requireRoom(octets, at, PADDED_OCTETS);
  writeU48(octets, at, frame.destination);
  writeU48(octets, at + 6, frame.source);
  writeU16(octets, at + 12, ETHERTYPE_LLDP);
  let next = at + LLDP_HEADER_OCTETS;
  next = encodeTlv(octets, next, { type: TLV_CHASSIS_ID, value: frame.chassisId });
  next = encodeTlv(octets, next, { type: TLV_PORT_ID, value: frame.portId });
  next = encodeTlvHeader(octets, next, TLV_TTL, 2);
  writeU16(octets, next, frame.ttlSeconds);
  next += 2;
  for (const tlv of frame.tlvs) next = encodeTlv(octets, next, tlv);
  next = encodeTlvHeader(octets, next, TLV_END, 0);
  const end = Math.max(next, at + PADDED_OCTETS);
  octets.fill(0, next, end);
  return end;
}

/**
 * Reads a frame; the results are views into the octets. The checks are those of 802.1AB 9.2.7.7:
 * what fails one of them is discarded as a whole. An End TLV may be absent.
 */
export function decodeLldp(octets: Uint8Array, at: number, into: LldpFrame): Decoded {
  if (octets.length - at < LLDP_HEADER_OCTETS) return 'too-short';
  if (readU16(octets, at + 12) !== ETHERTYPE_LLDP) return 'wrong-type';
  const tlvs = splitTlvs(octets.subarray(at + LLDP_HEADER_OCTETS));
  if (tlvs === null) return 'too-short';
  const isRepeated = (type: number): boolean => tlvs.filter((tlv) => tlv.type === type).length > 1;
  if (MANDATORY.some(isRepeated)) return 'repeated';
  if (!MANDATORY.every((type, i) => tlvs[i]?.type === type)) return 'bad-order';
  const [chassis, port, ttl] = tlvs;
  if (!isIdentifier(chassis.value) || !isIdentifier(port.value)) return 'bad-length';
  if (ttl.value.length < 2) return 'bad-length';
  into.destination = readU48(octets, at);
  into.source = readU48(octets, at + 6);
  into.chassisId = chassis.value;
  into.portId = port.value;
  into.ttlSeconds = readU16(ttl.value, 0);
  into.tlvs = tlvs.slice(MANDATORY.length);
  return 'ok';
}

function isIdentifier({ length }: Uint8Array): boolean {
  return length >= ID_LEAST && length <= ID_MOST;
}
