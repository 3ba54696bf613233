/**
 * Control ordered sets of the Ultra Ethernet link layer: one 64B/66B control block each (sync
 * header 10, 802.3 49.2.4.4), between frames, without preamble, gap or FCS of its own. An octet
 * has the block type, the next seven are D1 to D7; D1 is the type of the message, and the low half
 * of D4 the O code.
 */

import { requireRoom } from './big-endian.js';
import { assert } from '../kernel/assert.js';

/** What an ordered set takes of the line. No frame is so short. */
export const ORDERED_SET_OCTETS = 8;

const BLOCK_TYPE = 0x4b;
const O_CODE = 6;
const O_CODE_MASK = 15;
const TYPE_AT = 1;
const O_CODE_AT = 4;
const FIRST_AT = 2;
const SECOND_AT = 5;

/** In place of an EtherType, where code names kinds of control messages: no frame has it. */
export const ORDERED_SET_TYPE = 0x10000;

/** Writes block type, type of message and O code, and leaves the rest zero. */
export function beginOrderedSet(octets: Uint8Array, at: number, type: number): number {
  requireRoom(octets, at, ORDERED_SET_OCTETS);
  for (let i = 0; i < ORDERED_SET_OCTETS; i++) octets[at + i] = 0;
  octets[at] = BLOCK_TYPE;
  assert(type >= 0 && type <= TYPE_MASK, 'ordered-set.type-of-8-bits');
  octets[at + TYPE_AT] = type;
  octets[at + O_CODE_AT] = O_CODE;
  return at + ORDERED_SET_OCTETS;
}

const TYPE_SHIFT = 20;
const TYPE_MASK = 0xff;
const HALF_MASK = (1 << TYPE_SHIFT) - 1;
/** The second half repeats the first; else it is zero. */
const TWICE = 1 << 28;

/** One of two halves of a message: the 20 bits in front of the low half octet of D4, or of D7. */
function halfOf(octets: Uint8Array, at: number): number {
  return (octets[at] << 12) | (octets[at + 1] << 4) | (octets[at + 2] >> 4);
}

function writeHalf(octets: Uint8Array, at: number, half: number): void {
  octets[at] = half >> 12;
  octets[at + 1] = (half >> 4) & 0xff;
  octets[at + 2] |= (half & O_CODE_MASK) << 4;
}

/**
 * An ordered set as one number, which is what most of them hold: acknowledgements, and an update of
 * one channel. -1 where its second half says something of its own.
 */
export function packOrderedSet(octets: Uint8Array): number {
  const type = orderedSetType(octets, ORDERED_SET_OCTETS);
  if (type < 0 || (octets[SECOND_AT + 2] & O_CODE_MASK) !== 0) return -1;
  const first = halfOf(octets, FIRST_AT);
  const second = halfOf(octets, SECOND_AT);
  const packed = (type << TYPE_SHIFT) | first;
  if (second === 0) return packed;
  return second === first ? packed | TWICE : -1;
}

/** The number of a message whose second half is zero. */
export function packedOf(type: number, half: number): number {
  assert((half & ~HALF_MASK) === 0, 'ordered-set.half-of-20-bits');
  return (type << TYPE_SHIFT) | half;
}

/** Type of the message in such a number. */
export function typeOfPacked(packed: number): number {
  return (packed >> TYPE_SHIFT) & TYPE_MASK;
}

/** The first half of the message in such a number. */
export function halfOfPacked(packed: number): number {
  return packed & HALF_MASK;
}

/** Writes the octets of such a number. */
export function unpackOrderedSet(packed: number, octets: Uint8Array): void {
  const half = packed & HALF_MASK;
  beginOrderedSet(octets, 0, typeOfPacked(packed));
  writeHalf(octets, FIRST_AT, half);
  if ((packed & TWICE) !== 0) writeHalf(octets, SECOND_AT, half);
}

/** Type of the message in octets of this length; -1 if they are no control ordered set. */
export function orderedSetType(octets: Uint8Array, length: number): number {
  if (length !== ORDERED_SET_OCTETS || octets[0] !== BLOCK_TYPE) return -1;
  return (octets[O_CODE_AT] & O_CODE_MASK) === O_CODE ? octets[TYPE_AT] : -1;
}
