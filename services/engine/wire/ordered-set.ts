/**
 * Control ordered sets of the Ultra Ethernet link layer: one 64B/66B control block each (sync
 * header 10, 802.3 49.2.4.4), between frames, without preamble, gap or FCS of its own. An octet
 * has the block type, the next seven are D1 to D7; D1 is the type of the message, and the low half
 * of D4 the O code.
 */

import { requireRoom } from './big-endian.js';

/** What an ordered set takes of the line. No frame is so short. */
export const ORDERED_SET_OCTETS = 8;

const BLOCK_TYPE = 0x4b;
const O_CODE = 6;
const O_CODE_MASK = 15;
const TYPE_AT = 1;
const O_CODE_AT = 4;

/** In place of an EtherType, for those who name kinds of control messages: no frame has it. */
export const ORDERED_SET_TYPE = 0x10000;

/** Writes block type, type of message and O code, and leaves the rest zero. */
export function beginOrderedSet(octets: Uint8Array, at: number, type: number): number {
  requireRoom(octets, at, ORDERED_SET_OCTETS);
  for (let i = 0; i < ORDERED_SET_OCTETS; i++) octets[at + i] = 0;
  octets[at] = BLOCK_TYPE;
  octets[at + TYPE_AT] = type;
  octets[at + O_CODE_AT] = O_CODE;
  return at + ORDERED_SET_OCTETS;
}

/** Type of the message in octets of this length; -1 if they are no control ordered set. */
export function orderedSetType(octets: Uint8Array, length: number): number {
  if (length !== ORDERED_SET_OCTETS || octets[0] !== BLOCK_TYPE) return -1;
  return (octets[O_CODE_AT] & O_CODE_MASK) === O_CODE ? octets[TYPE_AT] : -1;
}
