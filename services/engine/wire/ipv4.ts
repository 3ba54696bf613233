/** IPv4 headers (RFC 791, DSCP of RFC 2474, ECN of RFC 3168). */

import { readU16, readU32, requireRoom, writeU16, writeU32 } from './big-endian.js';
import { checksumOf, sumOver } from './checksum.js';
import type { Decoded } from './decoded.js';
import { assert } from '../kernel/assert.js';

/** Without options: none are ever sent. */
export const IPV4_HEADER_OCTETS = 20;

/** Class selectors (RFC 2474 4.2.2): the DSCP of priority p is p times this. */
export const DSCP_PER_PRIORITY = 8;

const DONT_FRAGMENT = 0x4000;
/** More-fragments flag and fragment offset. */
const FRAGMENT_MASK = 0x3fff;

export interface Ipv4Header {
  /** 0..63 */
  dscp: number;
  /** 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE */
  ecn: number;
  /** Octets of header and payload. */
  totalOctets: number;
  identification: number;
  dontFragment: boolean;
  timeToLive: number;
  protocol: number;
  /** Addresses are 32-bit numbers. */
  source: number;
  destination: number;
  /** More than 20 in a header received with options. Encoding ignores it. */
  headerOctets: number;
}

export function blankIpv4Header(): Ipv4Header {
  return {
    dscp: 0,
    ecn: 0,
    totalOctets: IPV4_HEADER_OCTETS,
    identification: 0,
    dontFragment: true,
    timeToLive: 64,
    protocol: 0,
    source: 0,
    destination: 0,
    headerOctets: IPV4_HEADER_OCTETS,
  };
}

/** Fills in the header checksum; returns the offset behind the header. */
export function encodeIpv4Header(
  octets: Uint8Array,
  at: number,
  header: Readonly<Ipv4Header>,
): number {
  requireRoom(octets, at, IPV4_HEADER_OCTETS);
  assert(header.dscp >= 0 && header.dscp < 64 && header.ecn < 4, 'ipv4.class-of-traffic');
  assert(header.totalOctets >= IPV4_HEADER_OCTETS, 'ipv4.total-length');
  octets[at] = 0x45;
  octets[at + 1] = (header.dscp << 2) | header.ecn;
  writeU16(octets, at + 2, header.totalOctets);
  writeU16(octets, at + 4, header.identification);
  writeU16(octets, at + 6, header.dontFragment ? DONT_FRAGMENT : 0);
  octets[at + 8] = header.timeToLive;
  octets[at + 9] = header.protocol;
  writeU16(octets, at + 10, 0);
  writeU32(octets, at + 12, header.source);
  writeU32(octets, at + 16, header.destination);
  const next = at + IPV4_HEADER_OCTETS;
  writeU16(octets, at + 10, checksumOf(sumOver(0, octets, at, next)));
  return next;
}

export function decodeIpv4Header(octets: Uint8Array, at: number, into: Ipv4Header): Decoded {
  if (octets.length - at < IPV4_HEADER_OCTETS) return 'too-short';
  if (octets[at] >> 4 !== 4) return 'wrong-version';
  const headerOctets = (octets[at] & 0xf) * 4;
  if (headerOctets < IPV4_HEADER_OCTETS) return 'bad-length';
  if (octets.length - at < headerOctets) return 'too-short';
  if (checksumOf(sumOver(0, octets, at, at + headerOctets)) !== 0) return 'bad-checksum';
  const totalOctets = readU16(octets, at + 2);
  if (totalOctets < headerOctets) return 'bad-length';
  const fragment = readU16(octets, at + 6);
  if ((fragment & FRAGMENT_MASK) !== 0) return 'fragmented';
  into.dscp = octets[at + 1] >> 2;
  into.ecn = octets[at + 1] & 3;
  into.totalOctets = totalOctets;
  into.identification = readU16(octets, at + 4);
  into.dontFragment = (fragment & DONT_FRAGMENT) !== 0;
  into.timeToLive = octets[at + 8];
  into.protocol = octets[at + 9];
  into.source = readU32(octets, at + 12);
  into.destination = readU32(octets, at + 16);
  into.headerOctets = headerOctets;
  return 'ok';
}
