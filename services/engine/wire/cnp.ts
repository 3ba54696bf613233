/** Congestion notification packet of RoCEv2 (InfiniBand Architecture, Annex A17.9). */

import { requireRoom } from './big-endian.js';
import { encodeEnvelope, envelopeOctets, type Envelope } from './congestion-message.js';
import { CRC32_OCTETS, decodeCrc32, encodeCrc32 } from './crc32.js';
import type { Decoded } from './decoded.js';
import { ethernetHeaderOctets } from './ethernet.js';
import {
  blankBaseTransportHeader,
  BTH_OCTETS,
  decodeBaseTransportHeader,
  encodeBaseTransportHeader,
  invariantCrc,
  ROCE_CNP,
  ROCE_UDP_PORT,
} from './roce.js';

const RESERVED_OCTETS = 16;

/** From the base transport header up to and without the ICRC. */
export const CNP_OCTETS = BTH_OCTETS + RESERVED_OCTETS;

/** A frame without FCS, on IPv6 and with two VLAN tags. */
export const CNP_FRAME_OCTETS_MAX = 14 + 8 + 40 + 8 + CNP_OCTETS + 4;

interface Cnp {
  /** The queue pair that sends too much, at the destination of the packet. */
  destinationQueuePair: number;
}

export function blankCnp(): Cnp {
  return { destinationQueuePair: 0 };
}

const header = { ...blankBaseTransportHeader(), opcode: ROCE_CNP, becn: true };
const decoded = blankBaseTransportHeader();

/** Writes what follows the UDP header; returns the offset behind it. */
export function encodeCnp(octets: Uint8Array, at: number, cnp: Readonly<Cnp>): number {
  requireRoom(octets, at, CNP_OCTETS);
  header.destinationQueuePair = cnp.destinationQueuePair;
  const reserved = encodeBaseTransportHeader(octets, at, header);
  octets.fill(0, reserved, at + CNP_OCTETS);
  return at + CNP_OCTETS;
}

export function decodeCnp(octets: Uint8Array, at: number, into: Cnp): Decoded {
  if (octets.length - at < CNP_OCTETS) return 'too-short';
  const outcome = decodeBaseTransportHeader(octets, at, decoded);
  if (outcome !== 'ok') return outcome;
  if (decoded.opcode !== ROCE_CNP || !decoded.becn) return 'wrong-opcode';
  into.destinationQueuePair = decoded.destinationQueuePair;
  return 'ok';
}

/** Writes a whole frame without FCS, its UDP port and ICRC filled in; returns the offset behind. */
export function encodeCnpFrame(
  octets: Uint8Array,
  at: number,
  around: Envelope,
  cnp: Readonly<Cnp>,
): number {
  around.udp.destinationPort = ROCE_UDP_PORT;
  const icrc = encodeCnp(octets, at + envelopeOctets(around), cnp);
  encodeEnvelope(octets, at, around, CNP_OCTETS + CRC32_OCTETS);
  const packet = at + ethernetHeaderOctets(around.ethernet);
  return encodeCrc32(octets, icrc, invariantCrc(octets, packet, icrc));
}

/** Reads a frame whose envelope was decoded, with the UDP port of RoCE. */
export function decodeCnpPacket(
  octets: Uint8Array,
  at: number,
  around: Readonly<Envelope>,
  into: Cnp,
): Decoded {
  const icrc = around.pduEnd - CRC32_OCTETS;
  if (icrc - around.pduAt < CNP_OCTETS) return 'too-short';
  const packet = at + ethernetHeaderOctets(around.ethernet);
  if (decodeCrc32(octets, icrc) !== invariantCrc(octets, packet, icrc)) return 'bad-checksum';
  return decodeCnp(octets, around.pduAt, into);
}
