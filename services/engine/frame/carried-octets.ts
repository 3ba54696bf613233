/**
 * A short control message that crosses the fabric (and not just a link) travels as a frame. Its
 * octets ride in the words of the frame's record that such a frame has no other use for, so they
 * go wherever the frame goes: through queues, checkpoints and between services.
 */

import { CONNECTION, type FramePool, HASH, REMAINING, SEQUENCE } from './frame-pool.js';

/** The double of `born`, as two words. */
const BORN_LOW = 4;
const BORN_HIGH = 5;

const OCTETS_PER_WORD = 4;

/** Four octets each. HASH is among them: all messages of one kind and place take one path. */
const HOT_WORDS = [SEQUENCE, HASH] as const;
/** The last one must not have all of bits 20 to 30 set: together they would be no number. */
const END_WORDS = [CONNECTION, REMAINING, BORN_LOW, BORN_HIGH] as const;

export const CARRIED_OCTETS_MAX = OCTETS_PER_WORD * (HOT_WORDS.length + END_WORDS.length);

/** Puts the first `length` octets, a multiple of four, into a frame. */
export function carryOctets(
  pool: FramePool,
  frame: number,
  octets: Uint8Array,
  length: number,
): void {
  for (let at = 0, i = 0; at < length; at += OCTETS_PER_WORD, i++) {
    const word =
      octets[at] | (octets[at + 1] << 8) | (octets[at + 2] << 16) | (octets[at + 3] << 24);
    if (i < HOT_WORDS.length) pool.words[frame + HOT_WORDS[i]] = word;
    else pool.ends[frame + END_WORDS[i - HOT_WORDS.length]] = word;
  }
}

/** Takes the octets out again. */
export function carriedOctets(
  pool: FramePool,
  frame: number,
  octets: Uint8Array,
  length: number,
): void {
  for (let at = 0, i = 0; at < length; at += OCTETS_PER_WORD, i++) {
    const word =
      i < HOT_WORDS.length
        ? pool.words[frame + HOT_WORDS[i]]
        : pool.ends[frame + END_WORDS[i - HOT_WORDS.length]];
    octets[at] = word;
    octets[at + 1] = word >> 8;
    octets[at + 2] = word >> 16;
    octets[at + 3] = word >> 24;
  }
}
