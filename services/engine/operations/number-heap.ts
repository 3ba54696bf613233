import { assert } from '../kernel/assert.js';

/** A binary heap of whole numbers, least first, in a part of an array: from `base` on. */
export function pushNumber(heap: Int32Array, base: number, size: number, value: number): void {
  assert(base + size < heap.length, 'heap.room');
  let at = size;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[base + parent] <= value) break;
    heap[base + at] = heap[base + parent];
    at = parent;
  }
  heap[base + at] = value;
}

/** Takes the least of `size` numbers out; the others stay a heap. */
export function popNumber(heap: Int32Array, base: number, size: number): number {
  assert(size > 0, 'heap.taken-from-some');
  const least = heap[base];
  const last = heap[base + size - 1];
  const left = size - 1;
  let at = 0;
  for (let child = 1; child < left; child = 2 * at + 1) {
    if (child + 1 < left && heap[base + child + 1] < heap[base + child]) child++;
    if (heap[base + child] >= last) break;
    heap[base + at] = heap[base + child];
    at = child;
  }
  heap[base + at] = last;
  return least;
}
