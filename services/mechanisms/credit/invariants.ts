import type { CreditPortSpec } from './spec.js';
import type { CreditMechanism } from './mechanism.js';

/** One direction of a link: the sender's account at one end, the receiver's at the other. */
export interface CreditLink {
  readonly sending: CreditMechanism;
  readonly sendingRow: number;
  readonly receiving: CreditMechanism;
  readonly receivingRow: number;
}

/**
 * Safety: what senders may still send, what is in flight and what is stored fits into the buffer of
 * the port and priority, all channels together. So no credit was ever created.
 */
export function bufferBacksCredit(
  { sending, sendingRow, receiving, receivingRow }: CreditLink,
  unitsInFlight: number,
): boolean {
  const { granting, channels } = receiving.accounts.specOf(receivingRow);
  const priority = receiving.accounts.priority(receivingRow);
  const slotRow = (credit: CreditMechanism, row: number, slot: number): number =>
    credit.accounts.row(credit.accounts.port(row), slot, priority);
  const granted = channels.reduce((sum, _, slot) => {
    const available = sending.sender.available(slotRow(sending, sendingRow, slot));
    return sum + available + receiving.receiver.occupied(slotRow(receiving, receivingRow, slot));
  }, unitsInFlight);
  return granted <= granting.bufferUnits[priority];
}

/** Round trips, and repetitions of the two ends, within which any wrong total is repaired. */
const REPAIR_ROUND_TRIPS = 3;
const REPAIR_PERIODS = 2;

/**
 * Time after which no wrong total, in whatever direction, has any effect: an idle account repeats
 * its totals once in `keepAlive`, others more often.
 */
export function repairTimePs({
  keepAlivePs,
  roundTripPs,
  granting,
  asking,
}: CreditPortSpec): number {
  const periodPs = Math.max(keepAlivePs, granting.refreshPs, asking.reportPs);
  return REPAIR_PERIODS * periodPs + REPAIR_ROUND_TRIPS * roundTripPs;
}

/** Both ends count in the same epoch. */
export function isSettled({ sending, sendingRow, receiving, receivingRow }: CreditLink): boolean {
  return (
    sending.sender.isOpen(sendingRow) &&
    receiving.receiver.isOpen(receivingRow) &&
    sending.sender.epoch(sendingRow) === receiving.receiver.epoch(receivingRow)
  );
}
