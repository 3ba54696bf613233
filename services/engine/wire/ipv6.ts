/** IPv6 addresses and headers (RFC 8200, text form of RFC 5952). */

import { readU16, readU32, requireRoom, writeU16, writeU32 } from './big-endian.js';
import type { Decoded } from './decoded.js';

export const IPV6_HEADER_OCTETS = 40;
const IPV6_ADDRESS_OCTETS = 16;

const GROUPS = 8;

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

/** `fd00::a`: the longest run of zero groups, if longer than one, is left out. */
export function formatIpv6(address: Uint8Array): string {
  const groups: number[] = [];
  for (let i = 0; i < GROUPS; i++) groups.push(readU16(address, 2 * i));
  const gap = longestZeroRun(groups);
  const text = (from: number, to: number): string =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  if (gap.length < 2) return text(0, GROUPS);
  return `${text(0, gap.start)}::${text(gap.start + gap.length, GROUPS)}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let length = 0;
  groups.forEach((group, index) => {
    length = group === 0 ? length + 1 : 0;
    if (length > longest.length) longest = { start: index + 1 - length, length };
  });
  return longest;
}

/** Hexadecimal groups with at most one `::`; undefined if the text is no such IPv6 address. */
export function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = GROUPS - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const address = new Uint8Array(IPV6_ADDRESS_OCTETS);
  groups.forEach((group, index) => {
    writeU16(address, 2 * index, parseInt(group, 16));
  });
  return address;
}
