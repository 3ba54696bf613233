import type { CreditAccounts } from './credit-accounts.js';

/** What is asked of the accounts that share a buffer. */
export interface Sharers {
  /** Units promised to an account: on their way, in its neighbour's hand, or stored. */
  outstanding(row: number): number;
  isActive(row: number): boolean;
}

/**
 * How much of the buffer of its port and priority an account may have outstanding. Under the
 * static policy that is its share. Under the demand policy an idle account may have a little, and
 * an active one its share among the active ones, as far as the others have left it: what an idle
 * tenant does not use is lent, and comes back as the borrowers' frames leave.
 */
export function shareOfBuffer(sharers: Sharers, accounts: CreditAccounts, row: number): number {
  const { granting, channels } = accounts.specOf(row);
  const port = accounts.port(row);
  const priority = accounts.priority(row);
  const buffer = granting.bufferUnits[priority];
  const keep = granting.keepUnits[priority];
  const own = accounts.share(row);
  if (!sharers.isActive(row)) return Math.min(keep, buffer);
  let active = own;
  let taken = 0;
  for (let slot = 0; slot < channels.length; slot++) {
    const other = accounts.row(port, slot, priority);
    if (other === row) continue;
    if (sharers.isActive(other)) active += channels[slot].share;
    taken += Math.max(sharers.outstanding(other), keep);
  }
  const room = Math.max(0, buffer - taken);
  return Math.min(room, Math.max(keep, Math.floor((buffer * own) / active)));
}
