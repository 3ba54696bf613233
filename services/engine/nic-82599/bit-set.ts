import { assert } from '../kernel/assert.js';
/** Sets of small numbers as words of 32 bits: which queues of an arbiter have something to send. */

export function bitSet(size: number): Int32Array {
  return new Int32Array((size + 31) >> 5);
}

export function include(set: Int32Array, item: number): void {
  assert(item >= 0 && item >> 5 < set.length, 'set.item');
  set[item >> 5] |= 1 << (item & 31);
}

export function exclude(set: Int32Array, item: number): void {
  assert(item >= 0 && item >> 5 < set.length, 'set.item');
  set[item >> 5] &= ~(1 << (item & 31));
}

export function includes(set: Int32Array, item: number): boolean {
  return (set[item >> 5] & (1 << (item & 31))) !== 0;
}

export function isEmpty(set: Int32Array): boolean {
  for (let w = 0; w < set.length; w++) if (set[w] !== 0) return false;
  return true;
}

/** The first member above an item, in the order of numbers; -1 if there is none. */
export function nextAbove(set: Int32Array, item: number): number {
  const from = item + 1;
  let w = from >> 5;
  if (w >= set.length) return -1;
  let word = set[w] & (-1 << (from & 31));
  while (word === 0) {
    if (++w === set.length) return -1;
    word = set[w];
  }
  return (w << 5) | (31 - Math.clz32(word & -word));
}
