import type { CreditAccounts } from './accounts.js';

/** What is read of the accounts that share a buffer. */
export interface Sharers {
  /** Units that are granted and not used, in flight, or stored. */
  outstanding(row: number): number;
  isActive(row: number): boolean;
}

/** Units of the buffer of its port and priority that an account may have outstanding. */
export interface Share {
  /** As much as the other accounts leave. */
  target: number;
  /** After they have returned what was lent to them. */
  entitled: number;
}

/**
 * Under the demand policy an idle account has a minimum, and an active one its share among the
 * active ones: what an idle tenant does not use is lent. It is returned as the borrower's frames
 * leave, or by a resynchronisation if the borrower sends none.
 */
export function shareOfBuffer(
  sharers: Sharers,
  accounts: CreditAccounts,
  row: number,
  into: Share,
): void {
  const { granting, channels } = accounts.specOf(row);
  const port = accounts.port(row);
  const priority = accounts.priority(row);
  const buffer = granting.bufferUnits[priority];
  const keep = granting.keepUnits[priority];
  const own = accounts.share(row);
  into.entitled = Math.min(keep, buffer);
  into.target = into.entitled;
  if (!sharers.isActive(row)) return;
  let active = own;
  let taken = 0;
  for (let slot = 0; slot < channels.length; slot++) {
    const other = accounts.row(port, slot, priority);
    if (other === row) continue;
    if (sharers.isActive(other)) active += channels[slot].share;
    taken += Math.max(sharers.outstanding(other), keep);
  }
  const room = Math.max(0, buffer - taken);
  const reserved = keep * (channels.length - 1);
  into.entitled = Math.min(buffer - reserved, Math.max(keep, Math.floor((buffer * own) / active)));
  into.target = Math.min(room, into.entitled);
}
