import { AgeingTable } from '../../engine/kernel/ageing-table.js';
import { assert } from '../../engine/kernel/assert.js';
import { assertFields } from '../../engine/kernel/fields.js';

const WORDS = 8;

// Words of an entry; ports are as the device counts them.

/** The egress where the flow is isolated, and the ingress of its frames. */
export const STREAM_PORT = 0;
export const STREAM_VIA = 1;
/** Creator of the entry. */
export const STREAM_MASK = 2;
export const STREAM_CIMS = 3;
/** Frames of the flow that are still in the monitored queue: they leave first. */
export const STREAM_AHEAD = 4;
/** Frames of the flow in the congesting queue. */
export const STREAM_INSIDE = 5;
/** The entry ends when none of its frames is inside any more. */
export const STREAM_LEAVING = 6;
/** Tags of its messages. */
export const STREAM_TAGS = 7;
assertFields(
  WORDS,
  STREAM_PORT,
  STREAM_VIA,
  STREAM_MASK,
  STREAM_CIMS,
  STREAM_AHEAD,
  STREAM_INSIDE,
  STREAM_LEAVING,
  STREAM_TAGS,
);

/** The CI stream table (802.1Qcz 49.3.7): one entry per congesting flow. */
export class CiStreamTable {
  readonly ages: AgeingTable;
  private readonly words: Int32Array;

  constructor(capacity: number) {
    this.ages = new AgeingTable(capacity);
    this.words = new Int32Array(capacity * WORDS);
  }

  get(slot: number, word: number): number {
    return this.words[this.at(slot, word)];
  }

  set(slot: number, word: number, value: number): void {
    this.words[this.at(slot, word)] = value;
  }

  add(slot: number, word: number, change: number): number {
    const value = (this.words[this.at(slot, word)] += change);
    assert(value >= 0, 'ci.count-of-frames');
    return value;
  }

  clear(slot: number): void {
    this.words.fill(0, slot * WORDS, (slot + 1) * WORDS);
  }

  private at(slot: number, word: number): number {
    assert(slot >= 0 && slot < this.ages.capacity, 'ci.stream-of-table');
    return slot * WORDS + word;
  }
}
