/** Where the ends of a connection have their state, and what an acknowledgement says in a frame. */

import type { TrackedRows } from '../../engine/contract/transport.js';
import { BITMAP_WORDS } from '../../engine/contract/transport.js';
import type { UetSpec } from './spec.js';

const WORD_BITS = 32;
const ROW_BITS = WORD_BITS * BITMAP_WORDS;

/** Most packets from the oldest unacknowledged one on: an acknowledgement counts in blocks of 8. */
export const MOST_WINDOW = 2048 - WORD_BITS;
const EVS_PER_WORD = 4;

/** The bits that a connection has, and what lies behind them. */
export interface Window {
  readonly row: number;
  /** First word of the bits, and how many bits there are. */
  readonly first: number;
  readonly bits: number;
  /** Most packets that are outstanding. */
  readonly packets: number;
  /**
   * First double of the times at which packets were sent; words of their EVs, of the bits of those
   * that are lost, and of the walk.
   */
  readonly times: number;
  readonly evs: number;
  readonly lost: number;
  readonly entropy: number;
}

export function windowOf({ trackedPackets = 0 }: UetSpec, { row, bitmap }: TrackedRows): Window {
  const bits = ROW_BITS * Math.ceil(trackedPackets / ROW_BITS);
  const first = bitmap * BITMAP_WORDS;
  const times = (first + bits / WORD_BITS) / 2;
  const evs = 2 * (times + bits);
  const lost = evs + bits / EVS_PER_WORD;
  const entropy = lost + bits / WORD_BITS;
  return { row, first, bits, packets: trackedPackets, times, evs, lost, entropy };
}

/** Words that a sender has behind the bits of its window. */
export function sendingWords(trackedPackets: number, entropyWords: number): number {
  const bits = ROW_BITS * Math.ceil(trackedPackets / ROW_BITS);
  return 2 * bits + bits / EVS_PER_WORD + bits / WORD_BITS + entropyWords;
}

// In `said` of a frame: 32 bits of a bitmap, its base in blocks behind the next number expected,
// and how far before or behind that the packet is that is answered.

export const BLOCK = 8;
const BASES = 2 ** 8;
const OFFSETS = 2 ** 12;
const BITMAPS = 2 ** 32;

export function packSaid(bitmap: number, block: number, offset: number): number {
  return ((offset & (OFFSETS - 1)) * BASES + block) * BITMAPS + (bitmap >>> 0);
}

export const bitmapOf = (said: number): number => (said % BITMAPS) | 0;
export const baseOf = (said: number): number => (Math.floor(said / BITMAPS) % BASES) * BLOCK;
export function offsetOf(said: number): number {
  const offset = Math.floor(said / (BITMAPS * BASES));
  return offset >= OFFSETS / 2 ? offset - OFFSETS : offset;
}

// In REMAINING of an acknowledgement: units received, and packets that came out of order.

const COUNT_SHIFT = 24;
/** More are not told apart. */
const MOST_COUNTED = 255;

export function packCounts(units: number, outOfOrder: number): number {
  return (Math.min(outOfOrder, MOST_COUNTED) << COUNT_SHIFT) | units;
}

export const unitsOf = (counts: number): number => counts & 0xffffff;
export const outOfOrderOf = (counts: number): number => counts >>> COUNT_SHIFT;
