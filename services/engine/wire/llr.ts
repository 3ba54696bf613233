/**
 * Ordered sets of link-level retry (Ultra Ethernet link layer, as SAI and test tools lay them
 * out): ACK and NACK with the number of the last frame that was good, INIT and its echo with the
 * first number of what follows and 16 bits that tell one initialisation from another.
 */

import { PREAMBLE_OCTETS } from '../units/ethernet.js';
import { requireRoom } from './big-endian.js';
import type { Decoded } from './decoded.js';
import { beginOrderedSet, orderedSetType } from './ordered-set.js';
import { assert } from '../kernel/assert.js';

/** D1 of the ordered sets. */
export const LLR_ACK = 1;
export const LLR_NACK = 2;
export const LLR_INIT = 3;
export const LLR_INIT_ECHO = 4;

export const LLR_NUMBERS = 1 << 20;
const INIT_DATA_MASK = 0xffff;

const NUMBER_AT = 2;
const DATA_AT = 5;
const LOW_NIBBLE = 15;

export interface LlrSet {
  type: number;
  /** 20 bits. */
  number: number;
  /** 16 bits, of INIT and its echo, which is not 0; 0 in the others. */
  data: number;
}

export function blankLlrSet(): LlrSet {
  return { type: 0, number: 0, data: 0 };
}

/** Returns the offset behind the ordered set. */
export function encodeLlrSet(
  octets: Uint8Array,
  at: number,
  { type, number, data }: Readonly<LlrSet>,
): number {
  const next = beginOrderedSet(octets, at, type);
  assert(number >= 0 && number < LLR_NUMBERS, 'llr.number-of-20-bits');
  octets[at + NUMBER_AT] = (number >> 12) & 0xff;
  octets[at + NUMBER_AT + 1] = (number >> 4) & 0xff;
  octets[at + NUMBER_AT + 2] |= (number & LOW_NIBBLE) << 4;
  octets[at + DATA_AT] = data & 0xff;
  octets[at + DATA_AT + 1] = (data & INIT_DATA_MASK) >> 8;
  return next;
}

/** `octets` are those of the ordered set, of which there are `length`. */
export function decodeLlrSet(octets: Uint8Array, length: number, into: LlrSet): Decoded {
  const type = orderedSetType(octets, length);
  if (type < 0) return 'wrong-type';
  if (!isLlrType(type)) return 'wrong-opcode';
  const data = octets[DATA_AT] | (octets[DATA_AT + 1] << 8);
  // What is reserved is zero.
  if (octets[DATA_AT + 2] !== 0) return 'bad-value';
  if (type < LLR_INIT ? data !== 0 : data === 0) return 'bad-value';
  into.type = type;
  into.number =
    (octets[NUMBER_AT] << 12) | (octets[NUMBER_AT + 1] << 4) | (octets[NUMBER_AT + 2] >> 4);
  into.data = data;
  return 'ok';
}

/** It is between the MACs of a link alone: it does not wait for what passes the pipeline. */
export function isLlrSet(octets: Uint8Array, length: number): boolean {
  return isLlrType(orderedSetType(octets, length));
}

export function isLlrType(type: number): boolean {
  return type >= LLR_ACK && type <= LLR_INIT_ECHO;
}

// The preamble of a frame with a number: instead of three octets of 55.

const START = 0xfb;
const NUMBERED = 7;
const PREAMBLE_NUMBER_AT = 1;
const FILLER_AT = 4;
const FILLER = 0x55;
const FRAME_DELIMITER = 0xd5;

/** Writes the preamble of a frame with a number of 20 bits; returns the offset behind it. */
export function encodeNumberedPreamble(
  octets: Uint8Array,
  at: number,
  { number }: Readonly<{ number: number }>,
): number {
  requireRoom(octets, at, PREAMBLE_OCTETS);
  octets[at] = START;
  octets[at + PREAMBLE_NUMBER_AT] = ((number >> 16) << 4) | NUMBERED;
  octets[at + PREAMBLE_NUMBER_AT + 1] = (number >> 8) & 0xff;
  octets[at + PREAMBLE_NUMBER_AT + 2] = number & 0xff;
  octets.fill(FILLER, at + FILLER_AT, at + PREAMBLE_OCTETS - 1);
  octets[at + PREAMBLE_OCTETS - 1] = FRAME_DELIMITER;
  return at + PREAMBLE_OCTETS;
}
