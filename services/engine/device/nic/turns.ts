import { SHAPE } from '../../kernel/kinds.js';
import { field } from '../../kernel/fields.js';
import { ACCOUNT, type Tables } from '../../kernel/tables.js';
import { makeRings } from './rings.js';
import type { TrafficClass } from '../../units/indices.js';

/**
 * Connections of a plain NIC that have something to send, line by line, as descriptor queues are
 * served round robin. There is a line per traffic class of a host, or per account of grants where
 * the class is grant-gated (`lineOfClass`, `lineOfAccount`).
 */
export function makeTurns(tables: Tables) {
  const rings = makeRings(tables);
  /** By line: see `rings`. */
  const classTails = tables.int32('device', field('line of class', SHAPE, 8)).fill(-1);
  const accountTails = tables.int32(ACCOUNT, field('line of account', SHAPE)).fill(-1);
  /** By line: data frames that wait in the NIC (0 or 1). */
  const classWaiting = tables.uint8('device', field('class waits', SHAPE, 8));
  const accountWaiting = tables.uint8(ACCOUNT, field('account waits', SHAPE));

  function lineOfClass(device: number, trafficClass: TrafficClass): number {
    return (device << 3) | trafficClass;
  }

  function lineOfAccount(row: number): number {
    return ~row;
  }

  function isWaiting(line: number): boolean {
    return (line >= 0 ? classWaiting[line] : accountWaiting[~line]) !== 0;
  }

  function setWaiting(line: number, waits: boolean): void {
    if (line >= 0) classWaiting[line] = waits ? 1 : 0;
    else accountWaiting[~line] = waits ? 1 : 0;
  }

  /** Appends a connection to the line unless it is in it already. */
  function join(line: number, base: number, connection: number): void {
    if (line >= 0) rings.join(classTails, line, base, connection);
    else rings.join(accountTails, ~line, base, connection);
  }

  /** Removes the first connection; -1 if none waits. */
  function take(line: number, base: number): number {
    return line >= 0 ? rings.take(classTails, line, base) : rings.take(accountTails, ~line, base);
  }

  return { lineOfClass, lineOfAccount, isWaiting, setWaiting, join, take };
}
