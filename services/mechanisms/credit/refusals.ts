import type { CreditAccounts } from './accounts.js';
import type { CreditLoans } from './loans.js';
import type { CreditCarrier } from './machine.js';
import { MODES, RECORD_SHIFT, REFUSED } from './records.js';

/**
 * Accounts whose epoch had no room in the buffer. The link partner ceases to request one after some
 * tries, so the receiver requests it once there is room, until it begins.
 */
export function makeCreditRefusals(
  accounts: CreditAccounts,
  carrier: Pick<CreditCarrier, 'clock' | 'wake'>,
  loans: Pick<CreditLoans, 'hasRoom'>,
  requestSync: (row: number) => void,
) {
  const { clock } = carrier;
  const { counts } = accounts.records;

  function add(row: number): void {
    counts[(row << RECORD_SHIFT) | MODES] |= REFUSED;
    carrier.wake(row, againAt(row));
  }

  /** Returns when it is to be called next. */
  function onTimer(row: number): number {
    if ((counts[(row << RECORD_SHIFT) | MODES] & REFUSED) === 0) return Infinity;
    if (loans.hasRoom(row)) requestSync(row);
    return againAt(row);
  }

  /** Its epoch cannot begin yet. */
  function isWaiting(row: number): boolean {
    return (counts[(row << RECORD_SHIFT) | MODES] & REFUSED) !== 0 && !loans.hasRoom(row);
  }

  function againAt(row: number): number {
    return clock.now + accounts.specOf(row).granting.resyncPs;
  }

  return { add, onTimer, isWaiting };
}
