import type { Tables } from '../../kernel/tables.js';

export type Rings = ReturnType<typeof makeRings>;

/**
 * Connections that have something to send, in turn: circular lists through one array. A list is
 * the place of its tail in an array of tails, which names the connection served last, whose
 * successor is next; -1 for an empty one. Connections are numbered by the host; `base` is its
 * first row.
 */
export function makeRings(tables: Tables) {
  const next = tables.int32('send', 1);
  /** By connection: it is in a list. */
  const listed = tables.uint8('send', 1);

  /** Puts a connection at the end of a list unless it stands in one already. */
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

  /** Takes whoever is first, -1 if nobody waits. */
  function take(tails: Int32Array, list: number, base: number): number {
    const tail = tails[list];
    if (tail < 0) return -1;
    const first = next[base + tail];
    if (first === tail) tails[list] = -1;
    else next[base + tail] = next[base + first];
    listed[base + first] = 0;
    return first;
  }

  return { join, take };
}
