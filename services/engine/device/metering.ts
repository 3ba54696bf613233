import type { CreditMechanism } from '../flow-control/credit/credit-mechanism.js';
import { LENGTH } from '../frame/frame-pool.js';
import type { Shared } from './shared.js';

const WIRE_OVERHEAD_OCTETS = 20;

/**
 * Lets frames of metered classes into their queue with credit set aside for each that stands there,
 * one at a time where several accounts share a class. So an arbiter sees a metered class only when
 * its frame may start, and tenants that share a class wait in lines of their own: one without
 * credit is in nobody's way, and those with credit take turns by their shares.
 */
export interface Metering {
  /** A frame joins a metered class. */
  enqueue(port: number, trafficClass: number, frame: number): void;
  /**
   * The frame of a metered class starts on the wire: its credit is used. True if others wait for
   * permission to take its place.
   */
  spend(port: number, trafficClass: number, frame: number): boolean;
  /** The place in the queue is free; true if anybody took it. */
  next(port: number, trafficClass: number): boolean;
  /** A frame came in that nobody keeps. */
  refused(port: number, frame: number): void;
  /** Lets in whoever may start now; true if anybody did. */
  permit(port: number): boolean;
  /** Nobody has permission any more. */
  withdraw(port: number): void;
  /** From now on exactly the classes of these priorities need permission. */
  change(port: number, priorities: number): void;
}

export function makeMetering(shared: Shared, credit: CreditMechanism): Metering {
  const { pool, ports, queues, lines, tables } = shared;
  const { accounts, sender } = credit;
  const { onlyOfClass, portCount } = accounts;
  const { words } = pool;
  /** By account: octets let in by its share; in the first channel's row, the class's own. */
  const served = tables.float64('credit', 1);
  const classAt = tables.float64('credit', 1);

  function enqueue(port: number, trafficClass: number, frame: number): void {
    const only = onlyOfClass[trafficClass * portCount + port];
    if (only >= 0 && lines.head(only) < 0 && sender.reserve(only, words[frame + LENGTH])) {
      queues.push(port, trafficClass, frame);
      return;
    }
    lines.push(credit.rowOf(port, frame), frame);
    queues.count(port, trafficClass, frame);
    next(port, trafficClass);
  }

  function spend(port: number, trafficClass: number, frame: number): boolean {
    const only = onlyOfClass[trafficClass * portCount + port];
    const row = only >= 0 ? only : credit.rowOf(port, frame);
    sender.spend(row, sender.cost(row, words[frame + LENGTH]));
    return only < 0 || lines.head(only) >= 0;
  }

  /** While one that was let in stands in the queue, nothing has changed for the others. */
  function next(port: number, trafficClass: number): boolean {
    return queues.head(port, trafficClass) < 0 && letIn(port, trafficClass);
  }

  function refused(port: number, frame: number): void {
    credit.passed(port, frame);
  }

  function permit(port: number): boolean {
    let some = false;
    for (let rest = ports.metering(port); rest !== 0; rest &= rest - 1) {
      if (letIn(port, 31 - Math.clz32(rest & -rest))) some = true;
    }
    return some;
  }

  function withdraw(port: number): void {
    for (let tc = 0; tc < 8; tc++) {
      if (!ports.isMetered(port, tc)) continue;
      const frames: number[] = [];
      while (queues.head(port, tc) >= 0) frames.push(queues.unlink(port, tc));
      for (const frame of frames.reverse()) putBack(port, tc, frame);
      dropReserves(port, tc);
    }
  }

  /** A frame that was let in stands first in its line again, and its turn was none. */
  function putBack(port: number, trafficClass: number, frame: number): void {
    const row = credit.rowOf(port, frame);
    lines.putBack(row, frame);
    if (onlyOfClass[trafficClass * portCount + port] >= 0) return;
    served[row] -= (words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS) / accounts.share(row);
  }

  function dropReserves(port: number, trafficClass: number): void {
    for (const row of accounts.rowsOfClass(port, trafficClass)) sender.dropReserve(row);
  }

  function change(port: number, priorities: number): void {
    const before = ports.metering(port);
    ports.meter(port, priorities);
    const now = ports.metering(port);
    for (let tc = 0; tc < 8; tc++) {
      if ((now & ~before & (1 << tc)) !== 0) standInLine(port, tc);
      if ((before & ~now & (1 << tc)) !== 0) joinQueue(port, tc);
    }
    permit(port);
  }

  /** What waits in a queue waits for permission from now on, in the same order. */
  function standInLine(port: number, trafficClass: number): void {
    while (queues.head(port, trafficClass) >= 0) {
      const frame = queues.shift(port, trafficClass);
      lines.push(credit.rowOf(port, frame), frame);
      queues.count(port, trafficClass, frame);
    }
  }

  /** What stands in lines needs no permission any more. */
  function joinQueue(port: number, trafficClass: number): void {
    dropReserves(port, trafficClass);
    for (const row of accounts.rowsOfClass(port, trafficClass)) {
      while (lines.head(row) >= 0) queues.link(port, trafficClass, lines.shift(row));
    }
  }

  /** Those in line that have credit join the queue, one at a time if accounts take turns. */
  function letIn(port: number, trafficClass: number): boolean {
    const only = onlyOfClass[trafficClass * portCount + port];
    if (only >= 0) return letAllIn(only, port, trafficClass);
    if (queues.head(port, trafficClass) >= 0) return false;
    const row = nextRow(port, trafficClass);
    if (row < 0) return false;
    const octets = words[lines.head(row) + LENGTH];
    sender.reserve(row, octets);
    letFirstIn(row, port, trafficClass);
    charge(port, trafficClass, row, octets + WIRE_OVERHEAD_OCTETS);
    return true;
  }

  function letAllIn(row: number, port: number, trafficClass: number): boolean {
    let some = false;
    for (let first = lines.head(row); first >= 0; first = lines.head(row)) {
      if (!sender.reserve(row, words[first + LENGTH])) {
        if (queues.head(port, trafficClass) < 0) sender.block(row);
        break;
      }
      letFirstIn(row, port, trafficClass);
      some = true;
    }
    return some;
  }

  function letFirstIn(row: number, port: number, trafficClass: number): void {
    sender.unblock(row);
    queues.link(port, trafficClass, lines.shift(row));
  }

  /** The account that is furthest behind its share among those that may go; -1 if none may. */
  function nextRow(port: number, trafficClass: number): number {
    const rows = accounts.rowsOfClass(port, trafficClass);
    let best = -1;
    for (const row of rows) {
      if (!mayGo(row)) continue;
      if (best < 0 || startOf(row, rows[0]) < startOf(best, rows[0])) best = row;
    }
    return best;
  }

  /** Whether a frame waits at an account and has credit. */
  function mayGo(row: number): boolean {
    const frame = lines.head(row);
    if (frame < 0) return false;
    if (sender.mayStart(row, words[frame + LENGTH])) return true;
    sender.block(row);
    return false;
  }

  /** Start-time fair queueing: who was away does not catch up. */
  function startOf(row: number, first: number): number {
    return served[row] > classAt[first] ? served[row] : classAt[first];
  }

  function charge(port: number, trafficClass: number, row: number, octets: number): void {
    const rows = accounts.rowsOfClass(port, trafficClass);
    const start = startOf(row, rows[0]);
    classAt[rows[0]] = start;
    served[row] = start + octets / accounts.share(row);
  }

  return { enqueue, spend, next, refused, permit, withdraw, change };
}
