import type { StartAccounts } from '../../engine/contract/start-accounts.js';
import type { MechanismTools } from '../../engine/contract/slice.js';
import { LENGTH } from '../../engine/frame/frame-pool.js';
import { UNKNOWN } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import { ACCOUNT } from '../../engine/kernel/tables.js';
import { WIRE_OVERHEAD_OCTETS } from '../../engine/units/ethernet.js';
import type { FrameRef, PortRow, TrafficClass } from '../../engine/units/indices.js';
import { assert } from '../../engine/kernel/assert.js';
import type { CreditAccounts } from './accounts.js';
import type { CreditCharges } from './charges.js';
import type { CreditSender } from './sender.js';

type CreditStartTools = Pick<
  MechanismTools,
  'pool' | 'ports' | 'queues' | 'lines' | 'tables' | 'slot'
>;

/** What decides which frames start. */
interface Credit {
  readonly accounts: CreditAccounts;
  readonly sender: CreditSender;
  readonly rowOf: CreditCharges['rowOf'];
}

/** The half of `StartAccounts` about frames that leave. */
export type CreditStarts = Pick<
  StartAccounts,
  'enqueue' | 'start' | 'next' | 'settle' | 'permit' | 'collect' | 'reconsider'
> & {
  /** No waiting frame of a port may start any more. */
  withdraw(port: PortRow): void;
  /** From now on exactly these priorities, one bit each, start with credit. */
  change(port: PortRow, priorities: number): void;
};

/**
 * An arbiter sees a class only while its first frame has credit. Where several accounts share a
 * class, they pass one frame at a time to its queue: each tenant has a waiting line, a tenant
 * without credit does not block others, and those with credit are served by their shares. A class
 * of one account needs no line beside its queue.
 */
export function makeCreditStarts(
  { pool, ports, queues, lines, tables, slot }: CreditStartTools,
  { accounts, sender, rowOf }: Credit,
): CreditStarts {
  const { onlyOfClass, portCount } = accounts;
  const { words } = pool;
  /**
   * By account: octets passed of its share; in the first channel's row, virtual time of the class.
   */
  const served = tables.float64(ACCOUNT, field('served', UNKNOWN));
  const classAt = tables.float64(ACCOUNT, field('class at', UNKNOWN));

  function enqueue(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    const only = onlyOfClass[trafficClass * portCount + port];
    if (only < 0) {
      lines.push(rowOf(port, frame), frame);
      queues.count(port, trafficClass, frame);
      next(port, trafficClass);
      return;
    }
    queues.append(port, trafficClass, frame);
    // A queue whose head lacks credit still lacks it.
    if (!queues.isReady(port, trafficClass) && !sender.isBlocked(only)) {
      letStart(only, port, trafficClass);
    }
  }

  function start(port: PortRow, trafficClass: TrafficClass, frame: FrameRef): void {
    const only = onlyOfClass[trafficClass * portCount + port];
    const row = only >= 0 ? only : rowOf(port, frame);
    queues.setUnready(port, trafficClass);
    sender.spend(row, sender.cost(row, words[frame + LENGTH]));
  }

  function permit(port: PortRow): boolean {
    let some = false;
    for (let rest = ports.meteredBy(port, slot); rest !== 0; rest &= rest - 1) {
      if (next(port, 31 - Math.clz32(rest & -rest))) some = true;
    }
    return some;
  }

  function withdraw(port: PortRow): void {
    for (let rest = ports.meteredBy(port, slot); rest !== 0; rest &= rest - 1) {
      stopAll(port, 31 - Math.clz32(rest & -rest));
    }
  }

  function reconsider(port: PortRow): boolean {
    withdraw(port);
    return permit(port);
  }

  function stopAll(port: PortRow, trafficClass: TrafficClass): void {
    if (onlyOfClass[trafficClass * portCount + port] >= 0) queues.setUnready(port, trafficClass);
    else if (queues.head(port, trafficClass) >= 0) putBack(port, trafficClass);
  }

  /** The frame that was passed to the queue becomes first in its line again, and is not counted. */
  function putBack(port: PortRow, trafficClass: TrafficClass): void {
    const frame = queues.unlink(port, trafficClass);
    const row = rowOf(port, frame);
    assert(accounts.share(row) > 0, 'credit.account-has-a-share');
    lines.putBack(row, frame);
    served[row] -= (words[frame + LENGTH] + WIRE_OVERHEAD_OCTETS) / accounts.share(row);
  }

  function change(port: PortRow, priorities: number): void {
    const before = ports.meteredBy(port, slot);
    ports.meter(port, slot, priorities);
    const now = ports.meteredBy(port, slot);
    for (let tc = 0; tc < 8; tc++) {
      if ((now & ~before & (1 << tc)) !== 0) joinLines(port, tc);
      if ((before & ~now & (1 << tc)) !== 0) joinQueue(port, tc);
    }
    permit(port);
  }

  /** Frames that wait in a queue wait for credit from now on, in the same order. */
  function joinLines(port: PortRow, trafficClass: TrafficClass): void {
    queues.setUnready(port, trafficClass);
    if (onlyOfClass[trafficClass * portCount + port] >= 0) return;
    while (queues.head(port, trafficClass) >= 0) {
      const frame = queues.unlink(port, trafficClass);
      lines.push(rowOf(port, frame), frame);
    }
  }

  /** Frames that wait in lines need no credit any more. */
  function joinQueue(port: PortRow, trafficClass: TrafficClass): void {
    if (queues.head(port, trafficClass) >= 0) queues.setReady(port, trafficClass);
    for (const row of accounts.rowsOfClass(port, trafficClass)) {
      while (lines.head(row) >= 0) queues.link(port, trafficClass, lines.shift(row));
    }
  }

  function collect(port: PortRow, trafficClass: TrafficClass): void {
    joinQueue(port, trafficClass);
    for (const row of accounts.rowsOfClass(port, trafficClass)) sender.unblock(row);
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
   * The account that is furthest behind its share among those with a frame and credit; -1 if none.
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

  /** Whether a frame waits at an account and has credit. */
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
    const from = startOf(row, rows[0]);
    assert(from >= classAt[rows[0]], 'credit.virtual-time-grows');
    classAt[rows[0]] = from;
    served[row] = from + octets / accounts.share(row);
  }

  function settle(): void {
    // The next frame had its permission before the place was free.
  }

  return { enqueue, start, next, settle, permit, collect, reconsider, withdraw, change };
}
