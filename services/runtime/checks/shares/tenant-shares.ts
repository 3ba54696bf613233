import { WIRE_OVERHEAD_OCTETS } from '../../../engine/units/ethernet.js';
import type { Engine } from '../../../engine/device/engine.js';
import { LENGTH } from '../../../engine/frame/frame-pool.js';
import type { Line } from '../../../engine/analysis/shares/share-book.js';
import { apartFrom, ShareBook } from '../../../engine/analysis/shares/share-book.js';

/**
 * Shares of accounts of grants in the class that they share: by fair queueing, two that wait with
 * grants are never more than a frame of each apart.
 */
export class TenantShares implements Line {
  private readonly book: ShareBook;

  constructor(
    private readonly engine: Engine,
    private readonly port: number,
    private readonly tc: number,
    private readonly rows: readonly number[],
  ) {
    const { accounts } = engine.books;
    const { spec, firstPort } = engine.devices[engine.shared.ports.owner(port)]!;
    // Of the specification: what the arbiter reads may be what is wrong.
    const { channels } = spec.ports[port - firstPort]!.grants!;
    const shareOf = (number: number): number =>
      channels.find(({ channel }) => channel === number)!.share;
    const shares = rows.map((row) => shareOf(accounts.channel(row)));
    this.book = new ShareBook(apartFrom(shares, 0));
  }

  /** False if the account of a frame that starts got more than its share. */
  isFair(frame: number): boolean {
    const party = this.rows.indexOf(this.engine.books.rowOf(this.port, frame));
    return this.book.serve(party, this.costOf(frame), this);
  }

  /** An account lacks a grant for its first frame: others may be served before it. */
  lacksGrants(row: number): void {
    this.book.interrupt(this.rows.indexOf(row));
  }

  isWaiting(party: number): boolean {
    const row = this.rows[party]!;
    const { pool, lines } = this.engine.shared;
    const frame = lines.head(row);
    if (frame < 0) return this.letIn(party) >= 0;
    return this.engine.books.sender.mayStart(row, pool.words[frame + LENGTH]!);
  }

  headCost(party: number): number {
    const frame = this.engine.shared.lines.head(this.rows[party]!);
    return frame < 0 ? 0 : this.costOf(frame);
  }

  saved(): number {
    return 0;
  }

  /** The frame in the queue was passed before. */
  savedByGroup(party: number): number {
    const frame = this.letIn(party);
    return frame < 0 ? 0 : this.costOf(frame);
  }

  /** The frame of an account that is in the queue; -1 if another's is. */
  private letIn(party: number): number {
    const { queues } = this.engine.shared;
    const frame = queues.head(this.port, this.tc);
    if (frame < 0) return -1;
    return this.engine.books.rowOf(this.port, frame) === this.rows[party] ? frame : -1;
  }

  private costOf(frame: number): number {
    return this.engine.shared.pool.words[frame + LENGTH]! + WIRE_OVERHEAD_OCTETS;
  }
}
