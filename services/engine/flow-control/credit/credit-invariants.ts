import type { CreditMechanism } from './credit-mechanism.js';

/** One direction of a link: the sender's account at one end, the receiver's at the other. */
export interface CreditLink {
  readonly sending: CreditMechanism;
  readonly sendingRow: number;
  readonly receiving: CreditMechanism;
  readonly receivingRow: number;
}

/**
 * Safety: what senders may still send, what is on its way and what is stored fits into the buffer
 * of the port and priority, all channels together. So no credit was ever created.
 */
export function bufferBacksCredit(
  { sending, sendingRow, receiving, receivingRow }: CreditLink,
  unitsInFlight: number,
): boolean {
  const { granting, channels } = receiving.accounts.specOf(receivingRow);
  const priority = receiving.accounts.priority(receivingRow);
  const slotRow = (credit: CreditMechanism, row: number, slot: number): number =>
    credit.accounts.row(credit.accounts.port(row), slot, priority);
  const promised = channels.reduce((sum, _, slot) => {
    const held = sending.sender.available(slotRow(sending, sendingRow, slot));
    return sum + held + receiving.receiver.occupied(slotRow(receiving, receivingRow, slot));
  }, unitsInFlight);
  return promised <= granting.bufferUnits[priority];
}

/** Both ends count in the same epoch. */
export function isSettled({ sending, sendingRow, receiving, receivingRow }: CreditLink): boolean {
  return (
    sending.sender.isOpen(sendingRow) &&
    receiving.receiver.isOpen(receivingRow) &&
    sending.sender.epoch(sendingRow) === receiving.receiver.epoch(receivingRow)
  );
}
