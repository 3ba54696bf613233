import { AgeingTable } from '../../engine/kernel/ageing-table.js';
import { assert } from '../../engine/kernel/assert.js';
import type { Priority } from '../../engine/units/indices.js';

const WORDS = 8;

/** State of a source; the words of an entry. */
export const ENTRY_SOURCE = 0;
export const ENTRY_PRIORITY = 1;
/** Ports as the device counts them: ingress of its frames, and egress of the congested queue. */
export const ENTRY_VIA = 2;
export const ENTRY_QUEUE_PORT = 3;
export const ENTRY_QUEUE_CLASS = 4;
export const ENTRY_SEQUENCE = 5;

/** The SFC source table (P802.1Qdw 52.5.2): recent sources of congestion. */
export class SfcSourceTable {
  readonly ages: AgeingTable;
  readonly words: Int32Array;
  readonly lastSentPs: Float64Array;
  readonly pausedUntilPs: Float64Array;

  constructor(capacity: number) {
    this.ages = new AgeingTable(capacity);
    this.words = new Int32Array(capacity * WORDS);
    this.lastSentPs = new Float64Array(capacity);
    this.pausedUntilPs = new Float64Array(capacity);
  }

  get(slot: number, word: number): number {
    return this.words[this.at(slot, word)];
  }

  set(slot: number, word: number, value: number): void {
    this.words[this.at(slot, word)] = value;
  }

  /** A new entry, of a source that no message was sent to. */
  open(slot: number, source: number, priority: Priority): void {
    this.lastSentPs[slot] = -Infinity;
    this.pausedUntilPs[slot] = 0;
    this.set(slot, ENTRY_SOURCE, source);
    this.set(slot, ENTRY_PRIORITY, priority);
    this.set(slot, ENTRY_SEQUENCE, 0);
  }

  private at(slot: number, word: number): number {
    assert(slot >= 0 && slot < this.ages.capacity, 'sfc.source-of-table');
    return slot * WORDS + word;
  }
}
