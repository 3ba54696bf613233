import type { Tables } from '../../kernel/tables.js';

export type Turns = ReturnType<typeof makeTurns>;

/**
 * Connections of a NIC that have something to send, line by line, in turn, as descriptor queues
 * are served round robin: circular lists through one array. There is a line per traffic class of a
 * host, or per credit account where the class starts with permission only (`lineOfClass`,
 * `lineOfAccount`). Connections are numbered by the host; `base` is its first row.
 */
export function makeTurns(tables: Tables) {
  const next = tables.int32('send', 1);
  /** By connection: it is in a list. */
  const listed = tables.uint8('send', 1);
  /** By line: the connection served last, whose successor is next; -1 for nobody. */
  const classTails = tables.int32('device', 8).fill(-1);
  const accountTails = tables.int32('credit', 1).fill(-1);
  /** By line: data frames that wait in the NIC (0 or 1). */
  const classWaiting = tables.uint8('device', 8);
  const accountWaiting = tables.uint8('credit', 1);

  function lineOfClass(device: number, trafficClass: number): number {
    return (device << 3) | trafficClass;
  }

  function lineOfAccount(row: number): number {
    return ~row;
  }

  function tailOf(line: number): number {
    return line >= 0 ? classTails[line] : accountTails[~line];
  }

  function setTail(line: number, connection: number): void {
    if (line >= 0) classTails[line] = connection;
    else accountTails[~line] = connection;
  }

  function isWaiting(line: number): boolean {
    return (line >= 0 ? classWaiting[line] : accountWaiting[~line]) !== 0;
  }

  function setWaiting(line: number, waits: boolean): void {
    if (line >= 0) classWaiting[line] = waits ? 1 : 0;
    else accountWaiting[~line] = waits ? 1 : 0;
  }

  /** Puts a connection at the end of the line unless it stands in it already. */
  function join(line: number, base: number, connection: number): void {
    if (listed[base + connection] !== 0) return;
    listed[base + connection] = 1;
    const tail = tailOf(line);
    if (tail < 0) next[base + connection] = connection;
    else {
      next[base + connection] = next[base + tail];
      next[base + tail] = connection;
    }
    setTail(line, connection);
  }

  /** Takes whoever is first, -1 if nobody waits. */
  function take(line: number, base: number): number {
    const tail = tailOf(line);
    if (tail < 0) return -1;
    const first = next[base + tail];
    if (first === tail) setTail(line, -1);
    else next[base + tail] = next[base + first];
    listed[base + first] = 0;
    return first;
  }

  return { lineOfClass, lineOfAccount, isWaiting, setWaiting, join, take };
}
