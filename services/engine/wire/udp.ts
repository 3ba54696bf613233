/** UDP headers (RFC 768). */

import { readU16, requireRoom, writeU16 } from './big-endian.js';
import { checksumOf, sumOver } from './checksum.js';
import type { Decoded } from './decoded.js';
import type { Ipv6Header } from './ipv6.js';
import { assert } from '../kernel/assert.js';

export const IP_PROTOCOL_UDP = 17;
export const UDP_HEADER_OCTETS = 8;

/** The discard service (RFC 863), for frames without a transport. */
export const DISCARD_UDP_PORT = 9;
/** First of the dynamic ports (RFC 6335 6), and the mask of a number among them. */
const DYNAMIC_PORTS = 0xc000;
const DYNAMIC_MASK = 0x3fff;

export interface UdpHeader {
  sourcePort: number;
  destinationPort: number;
  /** Octets of header and payload. */
  totalOctets: number;
  /** Zero: none was computed, as RoCEv2 does on IPv4. */
  checksum: number;
}

export function blankUdpHeader(): UdpHeader {
  return { sourcePort: 0, destinationPort: 0, totalOctets: UDP_HEADER_OCTETS, checksum: 0 };
}

/** The source port of a flow: it distinguishes flows, as the hash of their path does. */
export function flowSourcePort(hash: number): number {
  return DYNAMIC_PORTS | (hash & DYNAMIC_MASK);
}

/** Returns the offset behind the header. */
export function encodeUdpHeader(
  octets: Uint8Array,
  at: number,
  header: Readonly<UdpHeader>,
): number {
  requireRoom(octets, at, UDP_HEADER_OCTETS);
  assert(header.totalOctets >= UDP_HEADER_OCTETS, 'udp.total-length');
  writeU16(octets, at, header.sourcePort);
  writeU16(octets, at + 2, header.destinationPort);
  writeU16(octets, at + 4, header.totalOctets);
  writeU16(octets, at + 6, header.checksum);
  return at + UDP_HEADER_OCTETS;
}

export function decodeUdpHeader(octets: Uint8Array, at: number, into: UdpHeader): Decoded {
  if (octets.length - at < UDP_HEADER_OCTETS) return 'too-short';
  const totalOctets = readU16(octets, at + 4);
  if (totalOctets < UDP_HEADER_OCTETS) return 'bad-length';
  into.sourcePort = readU16(octets, at);
  into.destinationPort = readU16(octets, at + 2);
  into.totalOctets = totalOctets;
  into.checksum = readU16(octets, at + 6);
  return 'ok';
}

/**
 * Fills in the checksum of a datagram that lies at `start` to `end`, exclusively, with its checksum
 * field still zero. IPv6 asks for one (RFC 8200 8.1); a computed zero is sent as FFFF.
 */
export function fillUdpChecksumIpv6(
  octets: Uint8Array,
  start: number,
  end: number,
  ip: Readonly<Ipv6Header>,
): void {
  let sum = end - start + IP_PROTOCOL_UDP;
  sum = sumOver(sum, ip.source, 0, ip.source.length);
  sum = sumOver(sum, ip.destination, 0, ip.destination.length);
  const checksum = checksumOf(sumOver(sum, octets, start, end));
  writeU16(octets, start + 6, checksum === 0 ? 0xffff : checksum);
}
