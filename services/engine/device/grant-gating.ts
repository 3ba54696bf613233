import { WIRE_OVERHEAD_OCTETS } from '../units/ethernet.js';
import type { GrantKeeper } from '../contract/grants.js';
import { ACCOUNT } from '../kernel/tables.js';
import { CLASS, COPY_FLAG, LENGTH, PRIORITY_MASK } from '../frame/frame-pool.js';
import type { Shared } from './shared.js';
import type { FrameRef, PortRow, TrafficClass } from '../units/indices.js';
import { assert } from '../kernel/assert.js';

/**
 * Frames of grant-gated classes start with a grant only, so an arbiter sees such a class only when
 * its first frame has it. Where several accounts share a class, they pass one frame at a time to
 * its queue: each tenant has a waiting line, a tenant without a grant does not block others, and
 * those with grants are served by their shares. A class of one account needs no line beside its
 * queue.
 */
export interface GrantGating {
  /** A frame joins a grant-gated class. */
  enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  /** The frame of a grant-gated class starts on the wire: its grant is used. */
  spend(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void;
  /** Its place is free: the next frame may start if there is a grant; true if that is so now. */
  next(port: PortRow, trafficClass: TrafficClass): boolean;
  /** A frame has started, and observers of that have been notified. */
  settle(port: PortRow): void;
  /** A frame came in that is not stored. */
  refused(port: PortRow, frame: FrameRef): void;
  /** Whether this end granted buffer for the frame to the link partner, or it needs none. */
  isGranted(port: PortRow, frame: FrameRef): boolean;
  /** Passes frames that may start now to their queues; true if there was any. */
  permit(port: PortRow): boolean;
  /** No waiting frame may start any more. */
  withdraw(port: PortRow): void;
  /** From now on exactly the classes of these priorities need grants. */
  change(port: PortRow, priorities: number): void;
}

export function makeGrantGating(shared: Shared, grants: GrantKeeper): GrantGating {
  const { pool, ports, queues, lines, tables } = shared;
  const { accounts, sender } = grants;
  const { onlyOfClass, portCount } = accounts;
  const { words } = pool;
  /**
   * By account: octets passed of its share; in the first channel's row, virtual time of the class.
   */
  const served = tables.float64(ACCOUNT, 1);
  const classAt = tables.float64(ACCOUNT, 1);

  function enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    const only = onlyOfClass[trafficClass * portCount + port];
    if (only < 0) {
      lines.push(grants.rowOf(port, frame), frame);
      queues.count(port, trafficClass, frame);
      next(port, trafficClass);
      return;
    }
    queues.append(port, trafficClass, frame);
    // A queue whose head lacks a grant still lacks it.
    if (!queues.isReady(port, trafficClass) && !sender.isBlocked(only)) {
      letStart(only, port, trafficClass);
    }
  }

  function spend(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    const only = onlyOfClass[trafficClass * portCount + port];
    const row = only >= 0 ? only : grants.rowOf(port, frame);
    queues.setUnready(port, trafficClass);
    sender.spend(row, sender.cost(row, words[frame + LENGTH]));
  }

  function refused(port: PortRow, frame: FrameRef): void {
    grants.passed(port, frame);
  }

  function isGranted(port: PortRow, frame: FrameRef): boolean {
    const frameClass = words[frame + CLASS];
    if ((frameClass & COPY_FLAG) !== 0) return true;
    if (!ports.hasAccounts(port, frameClass & PRIORITY_MASK)) return true;
    const row = grants.rowOf(port, frame);
    return grants.receiver.isGranted(row, grants.receiver.cost(row, words[frame + LENGTH]));
  }

  function permit(port: PortRow): boolean {
    let some = false;
    for (let rest = ports.grantGating(port); rest !== 0; rest &= rest - 1) {
      if (next(port, 31 - Math.clz32(rest & -rest))) some = true;
    }
    return some;
  }

  function withdraw(port: PortRow): void {
    for (let tc = 0; tc < 8; tc++) if (ports.isGrantGated(port, tc)) stopAll(port, tc);
  }

  function stopAll(port: PortRow, trafficClass: TrafficClass): void {
    if (onlyOfClass[trafficClass * portCount + port] >= 0) queues.setUnready(port, trafficClass);
    else if (queues.head(port, trafficClass) >= 0) putBack(port, trafficClass);
  }

  /** The frame that was passed to the queue becomes first in its line again, and is not counted. */
  function putBack(port: PortRow, trafficClass: TrafficClass): void {
    const frame = queues.unlink(port, trafficClass);
    const row = grants.rowOf(port, frame);
    assert(accounts.share(row) > 0, 'grants.account-has-a-share');
    lines.putBack(row, frame);
    served[row] -= (words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS) / accounts.share(row);
  }

  function change(port: PortRow, priorities: number): void {
    const before = ports.grantGating(port);
    ports.meter(port, priorities);
    const now = ports.grantGating(port);
    for (let tc = 0; tc < 8; tc++) {
      if ((now & ~before & (1 << tc)) !== 0) proxyDeviceLine(port, tc);
      if ((before & ~now & (1 << tc)) !== 0) joinQueue(port, tc);
    }
    permit(port);
  }

  /** Frames that wait in a queue wait for a grant from now on, in the same order. */
  function proxyDeviceLine(port: PortRow, trafficClass: TrafficClass): void {
    queues.setUnready(port, trafficClass);
    if (onlyOfClass[trafficClass * portCount + port] >= 0) return;
    while (queues.head(port, trafficClass) >= 0) {
      const frame = queues.unlink(port, trafficClass);
      lines.push(grants.rowOf(port, frame), frame);
    }
  }

  /** Frames that wait in lines need no grants any more. */
  function joinQueue(port: PortRow, trafficClass: TrafficClass): void {
    if (queues.head(port, trafficClass) >= 0) queues.setReady(port, trafficClass);
    for (const row of accounts.rowsOfClass(port, trafficClass)) {
      while (lines.head(row) >= 0) queues.link(port, trafficClass, lines.shift(row));
    }
  }

  function next(port: PortRow, trafficClass: TrafficClass): boolean {
    if (queues.isReady(port, trafficClass)) return false;
    const only = onlyOfClass[trafficClass * portCount + port];
    if (only >= 0) return letStart(only, port, trafficClass);
    const row = nextRow(port, trafficClass);
    if (row < 0) return false;
    const frame = lines.shift(row);
    sender.unblock(row);
    queues.link(port, trafficClass, frame);
    charge(port, trafficClass, row, words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS);
    return true;
  }

  function letStart(row: number, port: PortRow, trafficClass: TrafficClass): boolean {
    const first = queues.head(port, trafficClass);
    if (first < 0) return false;
    if (!sender.mayStart(row, words[first + LENGTH])) {
      sender.block(row);
      return false;
    }
    sender.unblock(row);
    queues.setReady(port, trafficClass);
    return true;
  }

  /**
   * The account that is furthest behind its share among those with a frame and a grant; -1 if none.
   */
  function nextRow(port: PortRow, trafficClass: TrafficClass): number {
    const rows = accounts.rowsOfClass(port, trafficClass);
    let best = -1;
    for (const row of rows) {
      if (!mayGo(row)) continue;
      if (best < 0 || startOf(row, rows[0]) < startOf(best, rows[0])) best = row;
    }
    return best;
  }

  /** Whether a frame waits at an account and has a grant. */
  function mayGo(row: number): boolean {
    const frame = lines.head(row);
    if (frame < 0) return false;
    if (sender.mayStart(row, words[frame + LENGTH])) return true;
    sender.block(row);
    return false;
  }

  /** Start-time fair queueing: an account that was idle does not catch up. */
  function startOf(row: number, first: number): number {
    return served[row] > classAt[first] ? served[row] : classAt[first];
  }

  function charge(port: PortRow, trafficClass: TrafficClass, row: number, octets: number): void {
    const rows = accounts.rowsOfClass(port, trafficClass);
    const start = startOf(row, rows[0]);
    assert(start >= classAt[rows[0]], 'grants.virtual-time-grows');
    classAt[rows[0]] = start;
    served[row] = start + octets / accounts.share(row);
  }

  function settle(): void {
    // The next frame had its permission before the place was free.
  }

  return { enqueue, spend, next, settle, refused, isGranted, permit, withdraw, change };
}
