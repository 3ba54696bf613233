/** IPv6 headers (RFC 8200). */

import { readU16, readU32, requireRoom, writeU16, writeU32 } from './big-endian.js';
import type { Decoded } from './decoded.js';

export const IPV6_HEADER_OCTETS = 40;
const IPV6_ADDRESS_OCTETS = 16;

export interface Ipv6Header {
  /** 0..63 */
  dscp: number;
  /** 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE */
  ecn: number;
  /** 20 bits. */
  flowLabel: number;
  /** Octets behind this header. */
  payloadOctets: number;
  nextHeader: number;
  hopLimit: number;
  /** 16 octets each. */
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
}

export function blankIpv6Header(): Ipv6Header {
  return {
    dscp: 0,
    ecn: 0,
    flowLabel: 0,
    payloadOctets: 0,
    nextHeader: 0,
    hopLimit: 64,
    source: new Uint8Array(IPV6_ADDRESS_OCTETS),
    destination: new Uint8Array(IPV6_ADDRESS_OCTETS),
  };
}

/** Returns the offset behind the header. */
export function encodeIpv6Header(
  octets: Uint8Array,
  at: number,
  header: Readonly<Ipv6Header>,
): number {
  requireRoom(octets, at, IPV6_HEADER_OCTETS);
  const trafficClass = (header.dscp << 2) | header.ecn;
  writeU32(octets, at, (6 << 28) | (trafficClass << 20) | header.flowLabel);
  writeU16(octets, at + 4, header.payloadOctets);
  octets[at + 6] = header.nextHeader;
  octets[at + 7] = header.hopLimit;
  octets.set(header.source, at + 8);
  octets.set(header.destination, at + 24);
  return at + IPV6_HEADER_OCTETS;
}

/** Extension headers are not followed: `nextHeader` is the field of this header. */
export function decodeIpv6Header(octets: Uint8Array, at: number, into: Ipv6Header): Decoded {
  if (octets.length - at < IPV6_HEADER_OCTETS) return 'too-short';
  const first = readU32(octets, at);
  if (first >>> 28 !== 6) return 'wrong-version';
  into.dscp = (first >>> 22) & 0x3f;
  into.ecn = (first >>> 20) & 3;
  into.flowLabel = first & 0xfffff;
  into.payloadOctets = readU16(octets, at + 4);
  into.nextHeader = octets[at + 6];
  into.hopLimit = octets[at + 7];
  for (let i = 0; i < IPV6_ADDRESS_OCTETS; i++) {
    into.source[i] = octets[at + 8 + i];
    into.destination[i] = octets[at + 24 + i];
  }
  return 'ok';
}
