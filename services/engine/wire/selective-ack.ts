/**
 * Which packets have arrived beyond the one that is missing. Selvage's own: it follows the
 * acknowledge header (AETH) of a RoCEv2 packet whose opcode is one of those that IBA leaves to
 * vendors, so no NIC takes it for an ACK of its own.
 *
 *   0      flags, 0
 *   1..3   base: number of the packet that the lowest bit stands for
 *   4..7   bitmap: bit i is packet base + i
 */

import { readU24, readU32, requireRoom, writeU24, writeU32 } from './big-endian.js';
import type { Decoded } from './decoded.js';

export const SELECTIVE_ACK_OCTETS = 8;
export const SELECTIVE_ACK_BITS = 32;

/** In a frame: the bitmap, and so many times the block of it above the number expected. */
export const BITMAP_SCALE = 2 ** SELECTIVE_ACK_BITS;

interface SelectiveAck {
  /** 24 bits. */
  base: number;
  /** 32 bits, unsigned. */
  bitmap: number;
}

export function blankSelectiveAck(): SelectiveAck {
  return { base: 0, bitmap: 0 };
}

/** Returns the offset behind it. */
export function encodeSelectiveAck(
  octets: Uint8Array,
  at: number,
  { base, bitmap }: Readonly<SelectiveAck>,
): number {
  requireRoom(octets, at, SELECTIVE_ACK_OCTETS);
  octets[at] = 0;
  writeU24(octets, at + 1, base);
  writeU32(octets, at + 4, bitmap);
  return at + SELECTIVE_ACK_OCTETS;
}

export function decodeSelectiveAck(octets: Uint8Array, at: number, into: SelectiveAck): Decoded {
  if (octets.length - at < SELECTIVE_ACK_OCTETS) return 'too-short';
  if (octets[at] !== 0) return 'wrong-version';
  into.base = readU24(octets, at + 1);
  into.bitmap = readU32(octets, at + 4);
  return 'ok';
}
