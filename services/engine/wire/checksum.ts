/** The Internet checksum (RFC 1071): a ones' complement sum of 16-bit words. */

import { readU16 } from './big-endian.js';

/**
 * Adds octets `start` to `end`, exclusively, to a running sum; an odd last octet counts as the
 * high half of a word. A sum stays exact over any packet: it is folded only at the end.
 */
export function sumOver(sum: number, octets: Uint8Array, start: number, end: number): number {
  let at = start;
  for (; at + 1 < end; at += 2) sum += readU16(octets, at);
  return at < end ? sum + (octets[at] << 8) : sum;
}

/** The checksum field that belongs to a sum; over octets with a right checksum it is zero. */
export function checksumOf(sum: number): number {
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}
