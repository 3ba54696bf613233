import type { Tables } from '../../kernel/tables.js';

export type Turns = ReturnType<typeof makeTurns>;

/**
 * Connections of a NIC that have something to send, per traffic class, in turn, as descriptor
 * queues are served round robin: circular lists through one array. Connections are numbered by
 * the host; `base` is its first row.
 */
export function makeTurns(tables: Tables) {
  const next = tables.int32('send', 1);
  /** By connection: it is in a list. */
  const listed = tables.uint8('send', 1);
  /** By device and class: the connection served last, whose successor is next; -1 for nobody. */
  const tails = tables.int32('device', 8).fill(-1);

  /** Puts a connection at the end of the line unless it stands in it already. */
  function join(device: number, trafficClass: number, base: number, connection: number): void {
    if (listed[base + connection] !== 0) return;
    listed[base + connection] = 1;
    const line = (device << 3) | trafficClass;
    const tail = tails[line];
    if (tail < 0) next[base + connection] = connection;
    else {
      next[base + connection] = next[base + tail];
      next[base + tail] = connection;
    }
    tails[line] = connection;
  }

  /** Takes whoever is first, -1 if nobody waits. */
  function take(device: number, trafficClass: number, base: number): number {
    const line = (device << 3) | trafficClass;
    const tail = tails[line];
    if (tail < 0) return -1;
    const first = next[base + tail];
    if (first === tail) tails[line] = -1;
    else next[base + tail] = next[base + first];
    listed[base + first] = 0;
    return first;
  }

  return { join, take };
}
