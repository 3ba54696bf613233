/**
 * CF_Update: a receiver's credits freed, as the low bits of cyclic counters, of two virtual
 * channels. The layout is that of the SAI proposal for CBFC; which bits of the counter travel is
 * a choice (README of mechanisms/cbfc).
 */

import type { Decoded } from './decoded.js';
import { beginOrderedSet, orderedSetType } from './ordered-set.js';
import { assert } from '../kernel/assert.js';

/** D1 of the ordered set. */
export const CF_UPDATE = 0x10;

export const VIRTUAL_CHANNELS = 32;
/** A count has 15 bits. */
export const CF_COUNT_MASK = 0x7fff;

const FIRST_AT = 2;
const SECOND_AT = 5;
const LOW_NIBBLE = 15;

export interface CfUpdate {
  /** The same channel twice where there is one to speak of. */
  readonly channels: Uint8Array;
  readonly counts: Uint16Array;
}

export function blankCfUpdate(): CfUpdate {
  return { channels: new Uint8Array(2), counts: new Uint16Array(2) };
}

/** Returns the offset behind the ordered set. */
export function encodeCfUpdate(
  octets: Uint8Array,
  at: number,
  { channels, counts }: Readonly<CfUpdate>,
): number {
  const next = beginOrderedSet(octets, at, CF_UPDATE);
  assert(Math.max(...counts) <= CF_COUNT_MASK, 'cf-update.count-of-15-bits');
  writeCount(octets, at + FIRST_AT, channels[0], counts[0]);
  writeCount(octets, at + SECOND_AT, channels[1], counts[1]);
  return next;
}

/** `octets` are those of the ordered set, of which there are `length`. */
export function decodeCfUpdate(octets: Uint8Array, length: number, into: CfUpdate): Decoded {
  const type = orderedSetType(octets, length);
  if (type < 0) return 'wrong-type';
  if (type !== CF_UPDATE) return 'wrong-opcode';
  // The low half of D7 is reserved.
  if ((octets[SECOND_AT + 2] & LOW_NIBBLE) !== 0) return 'bad-value';
  readCount(octets, FIRST_AT, into, 0);
  readCount(octets, SECOND_AT, into, 1);
  return 'ok';
}

/** Five bits of the channel, and fifteen of its count; the half octet behind them stays. */
function writeCount(octets: Uint8Array, at: number, channel: number, count: number): void {
  octets[at] = (channel << 3) | (count >> 12);
  octets[at + 1] = (count >> 4) & 0xff;
  octets[at + 2] = ((count & LOW_NIBBLE) << 4) | (octets[at + 2] & LOW_NIBBLE);
}

function readCount(octets: Uint8Array, at: number, into: CfUpdate, which: number): void {
  into.channels[which] = octets[at] >> 3;
  into.counts[which] = ((octets[at] & 7) << 12) | (octets[at + 1] << 4) | (octets[at + 2] >> 4);
}
