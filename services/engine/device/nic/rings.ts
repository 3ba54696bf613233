import { SHAPE } from '../../kernel/kinds.js';
import { field } from '../../kernel/fields.js';
import type { Tables } from '../../kernel/tables.js';
import { assert } from '../../kernel/assert.js';

/**
 * Connections that have something to send, round robin: circular lists through one array. A list is
 * the index of its tail in an array of tails, which names the connection served last, whose
 * successor is next; -1 for an empty one. Connections are numbered by the host; `base` is its first
 * row.
 */
export function makeRings(tables: Tables) {
  const next = tables.int32('send', field('next in line', SHAPE));
  /** By connection: it is in a list. */
  const listed = tables.uint8('send', field('in line', SHAPE));

  /** Appends a connection to a list unless it is in one already. */
  function join(tails: Int32Array, list: number, base: number, connection: number): void {
    if (listed[base + connection] !== 0) return;
    listed[base + connection] = 1;
    const tail = tails[list];
    if (tail < 0) next[base + connection] = connection;
    else {
      next[base + connection] = next[base + tail];
      next[base + tail] = connection;
    }
    tails[list] = connection;
  }

  /** Removes the first connection; -1 if none waits. */
  function take(tails: Int32Array, list: number, base: number): number {
    const tail = tails[list];
    if (tail < 0) return -1;
    const first = next[base + tail];
    assert(listed[base + first] !== 0, 'ring.taken-was-listed');
    if (first === tail) tails[list] = -1;
    else next[base + tail] = next[base + first];
    listed[base + first] = 0;
    return first;
  }

  return { join, take };
}
