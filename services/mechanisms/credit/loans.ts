import type { Clock } from '../../engine/kernel/clock.js';
import { UNKNOWN } from '../../engine/kernel/kinds.js';
import { field } from '../../engine/kernel/fields.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { CreditAccounts } from './accounts.js';
import { shareOfBuffer, type Share, type Sharers } from './shares.js';
import { assert } from '../../engine/kernel/assert.js';

/** Operations of a receiver on accounts that share its buffer. */
interface Lender extends Sharers {
  isOpen(row: number): boolean;
  /** Units in the buffer. */
  occupied(row: number): number;
  /** Units granted to the link partner, and not used. */
  unused(row: number): number;
  /** Reclaims what an account does not use. */
  reclaim(row: number): void;
}

/** Until the link partner requests an epoch, and has the answer. */
const WAYS = 2;

/** Buffer that is lent among channels under the demand policy, and reclaimed. */
export type CreditLoans = ReturnType<typeof makeCreditLoans>;

export function makeCreditLoans(
  tables: Tables,
  accounts: CreditAccounts,
  clock: Readonly<Pick<Clock, 'now'>>,
  lender: Lender,
) {
  /** By account: since when it has had less than its share, and when that was last so. */
  const shortSince = tables.float64('credit', field('short since', UNKNOWN));
  const shortAt = tables.float64('credit', field('short at', UNKNOWN)).fill(-Infinity);
  /** By account: when it last had to return unused credit. */
  const recalledAt = tables.float64('credit', field('recalled at', UNKNOWN)).fill(-Infinity);
  const share: Share = { target: 0, entitled: 0 };

  /** Entitlement of an account; others return what reduces its share. */
  function shareOf(row: number): number {
    shareOfBuffer(lender, accounts, row, share);
    const { target, entitled } = share;
    assert(target >= 0 && entitled >= 0, 'credit.share-of-buffer');
    if (target < entitled && accounts.isCumulative(row)) reclaim(row);
    else shortAt[row] = -Infinity;
    return target;
  }

  /**
   * An active account has less than its share. Senders return what exceeds their own with their
   * frames; one that sends nothing is resynchronised after that.
   */
  function reclaim(row: number): void {
    const { granting, channels } = accounts.specOf(row);
    const { now } = clock;
    const isAnew = now - shortAt[row] >= granting.idlePs;
    assert(now >= shortAt[row], 'credit.short-since');
    shortAt[row] = now;
    if (isAnew) shortSince[row] = now;
    if (now - shortSince[row] < granting.resyncPs) return;
    shortSince[row] = now;
    for (let slot = 0; slot < channels.length; slot++) {
      const other = accounts.row(accounts.port(row), slot, accounts.priority(row));
      if (other === row || !lender.isOpen(other)) continue;
      if (unusedLoan(other) < granting.frameUnits) continue;
      recalledAt[other] = now;
      lender.reclaim(other);
    }
  }

  /** A new epoch is on its way, as an account had to return unused credit. */
  function isRecalled(row: number): boolean {
    const { resyncPs } = accounts.specOf(row).granting;
    return clock.now - recalledAt[row] < WAYS * resyncPs;
  }

  /** Units that an account has beyond its share, and has not used. */
  function unusedLoan(row: number): number {
    shareOfBuffer(lender, accounts, row, share);
    return Math.min(lender.unused(row), lender.outstanding(row) - share.entitled);
  }

  /**
   * What came before credit was agreed on has left the buffer so far that every account of a
   * priority gets its part; until then no epoch begins.
   */
  function hasRoom(row: number): boolean {
    const { granting, channels } = accounts.specOf(row);
    if (channels.length === 1) return true;
    const priority = accounts.priority(row);
    let units = 0;
    for (let slot = 0; slot < channels.length; slot++) {
      const other = accounts.row(accounts.port(row), slot, priority);
      const has = other === row ? lender.occupied(row) : lender.outstanding(other);
      units += Math.max(has, accounts.leastUnits(other));
    }
    return units <= granting.bufferUnits[priority];
  }

  /** Less than a frame may take is left to grant while frames are stored. */
  function isExhausted(row: number): boolean {
    const stored = lender.occupied(row);
    return (
      stored > 0 && lender.outstanding(row) - stored < accounts.specOf(row).granting.frameUnits
    );
  }

  return { shareOf, hasRoom, isRecalled, isExhausted };
}
