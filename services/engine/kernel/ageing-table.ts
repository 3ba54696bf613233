import { assert } from './assert.js';

const NONE = -1;

/**
 * A table of bounded size with its entries in order of last use: the tables of sources and streams
 * that bridges keep. An entry is a slot, 0 to capacity - 1, which indexes arrays beside the table.
 * Plain state, independent of memory addresses.
 */
export class AgeingTable {
  count = 0;
  /** The most entries so far. */
  peak = 0;
  /** The slot used longest ago, -1 if there is none. */
  oldest = NONE;
  private newest = NONE;
  /** Limit on entries, whatever the capacity. */
  private most: number;
  private idle = 0;
  private readonly heads: Int32Array;
  /** The next entry of the same bucket, or the next idle slot. */
  private readonly next: Int32Array;
  private readonly older: Int32Array;
  private readonly newer: Int32Array;
  private readonly keys: Float64Array;
  private readonly seen: Float64Array;

  constructor(readonly capacity: number) {
    this.most = capacity;
    this.heads = new Int32Array(2 ** Math.ceil(Math.log2(2 * capacity))).fill(NONE);
    this.next = Int32Array.from({ length: capacity }, (_, slot) =>
      slot + 1 < capacity ? slot + 1 : NONE,
    );
    this.older = new Int32Array(capacity).fill(NONE);
    this.newer = new Int32Array(capacity).fill(NONE);
    this.keys = new Float64Array(capacity);
    this.seen = new Float64Array(capacity);
  }

  /** From now on there is room for so many entries only; those beyond it stay until they leave. */
  limit(entries: number): void {
    this.most = Math.min(this.capacity, entries);
  }

  get isFull(): boolean {
    return this.count >= this.most;
  }

  /** The slot of a key, -1 if it has none. */
  find(key: number): number {
    let slot = this.heads[this.bucket(key)];
    while (slot >= 0 && this.keys[slot] !== key) slot = this.next[slot];
    return slot;
  }

  /** Gives a key that has none a slot; -1 when there is no room. */
  add(key: number, now: number): number {
    if (this.isFull) return NONE;
    const slot = this.idle;
    assert(slot >= 0 && slot < this.capacity, 'table.idle-slot');
    assert(this.newest < 0 || now >= this.seen[this.newest], 'table.newest-is-last');
    this.idle = this.next[slot];
    const bucket = this.bucket(key);
    this.next[slot] = this.heads[bucket];
    this.heads[bucket] = slot;
    this.keys[slot] = key;
    this.append(slot, now);
    this.count++;
    this.peak = Math.max(this.peak, this.count);
    return slot;
  }

  /** Marks the entry as used now. */
  touch(slot: number, now: number): void {
    this.assertUsed(slot);
    assert(now >= this.seen[slot], 'table.touched-later');
    this.detach(slot);
    this.append(slot, now);
  }

  remove(slot: number): void {
    this.assertUsed(slot);
    this.detach(slot);
    const bucket = this.bucket(this.keys[slot]);
    if (this.heads[bucket] === slot) this.heads[bucket] = this.next[slot];
    else {
      let before = this.heads[bucket];
      while (this.next[before] !== slot) before = this.next[before];
      this.next[before] = this.next[slot];
    }
    this.next[slot] = this.idle;
    this.idle = slot;
    this.count--;
    assert(this.count > 0 === this.oldest >= 0, 'table.oldest-of-entries');
  }

  keyOf(slot: number): number {
    return this.keys[slot];
  }

  seenAt(slot: number): number {
    return this.seen[slot];
  }

  /** The entry used next after this one, -1 behind the last. */
  after(slot: number): number {
    return this.newer[slot];
  }

  private assertUsed(slot: number): void {
    assert(slot >= 0 && slot < this.capacity && this.count > 0, 'table.entry-in-use');
  }

  private append(slot: number, now: number): void {
    this.seen[slot] = now;
    this.older[slot] = this.newest;
    this.newer[slot] = NONE;
    if (this.newest < 0) this.oldest = slot;
    else this.newer[this.newest] = slot;
    this.newest = slot;
  }

  private detach(slot: number): void {
    const before = this.older[slot];
    const behind = this.newer[slot];
    if (before < 0) this.oldest = behind;
    else this.newer[before] = behind;
    if (behind < 0) this.newest = before;
    else this.older[behind] = before;
  }

  private bucket(key: number): number {
    const h = Math.imul((key ^ (key / 2 ** 32)) | 0, 0x9e3779b1);
    return (h ^ (h >>> 15)) & (this.heads.length - 1);
  }
}
