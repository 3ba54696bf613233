import { UNKNOWN } from '../../engine/kernel/kinds.js';
import type { Tables } from '../../engine/kernel/tables.js';
import type { CreditAccounts } from './accounts.js';
import { ahead, WINDOW_MOST } from './machine.js';
import { assertFields, field } from '../../engine/kernel/fields.js';

// Doubles of an account.

/** What had been received when a total was first behind, and since when totals are behind that. */
const RECEIVED = 0;
const SINCE = 1;
const DOUBLES = 2;
assertFields(DOUBLES, RECEIVED, SINCE);

/**
 * Totals of link partners with link-level retry: they do not count what may be sent again, so they
 * are behind what was received until that is acknowledged.
 */
export function makeLateTotals(
  tables: Tables,
  accounts: CreditAccounts,
  clock: { readonly now: number },
) {
  const doubles = tables.float64('credit', field('late totals', UNKNOWN, DOUBLES));
  for (let row = 0; row < accounts.count; row++) inTime(row);

  function inTime(row: number): void {
    doubles[row * DOUBLES + SINCE] = Infinity;
  }

  /** A total that is behind what was received may be right: no longer than retry takes. */
  function mayBeRight(row: number, total: number, received: number): boolean {
    const settlePs = accounts.settlePs(row);
    if (settlePs === 0) return false;
    const d = row * DOUBLES;
    const isBehind = ahead(total, doubles[d + RECEIVED]) > WINDOW_MOST;
    if (isBehind && doubles[d + SINCE] !== Infinity)
      return clock.now - doubles[d + SINCE] <= settlePs;
    doubles[d + RECEIVED] = received;
    doubles[d + SINCE] = clock.now;
    return true;
  }

  return { inTime, mayBeRight };
}
