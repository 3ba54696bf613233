import { firstBroken } from '../../engine/contract/broken.js';
import { CF_COUNT_MASK, VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import { CREDIT_COUNT_MASK } from '../../engine/wire/mac-control/cc-update.js';
import type { Receiver, Sender } from './machine.js';
import { CLOSED, OPEN, RX_CONSUMED, RX_REPORTED, TX_FREED } from './machine.js';
import type { CbfcPort } from './port.js';

const CHANNELS = Array.from({ length: VIRTUAL_CHANNELS }, (_, channel) => channel);

/** A channel never has more in use than its limit, unless it was reported a wrong count. */
function channelsKeepTheirLimit({ sender, spec }: CbfcPort): boolean {
  if (sender.implausible > 0) return true;
  return spec.sender.channels.every((own, n) => own === null || sender.inUse(n) <= own.limit);
}

/** What is in use of a port and of its pools is the sum over their channels. */
function creditsAddUp({ sender }: CbfcPort): boolean {
  return sender.addsUp();
}

/** Every count is one that its width holds. */
function countersAreInRange({ sender, receiver }: CbfcPort): boolean {
  const inRange = (count: number): boolean => count >= 0 && count <= 0xfffff;
  return CHANNELS.every((channel) =>
    [
      sender.consumed(channel),
      sender.words[sender.at(channel) + TX_FREED],
      receiver.words[receiver.at(channel) + RX_CONSUMED],
      receiver.stored(channel),
    ].every(inRange),
  );
}

/** A port holds exactly the priorities that one of its classes waits for. */
function holdsAreOfClasses({ blocked, blockedOf }: CbfcPort): boolean {
  return blockedOf.reduce((all, bit) => all | bit, 0) === blocked;
}

const PORT_INVARIANTS = {
  channelsKeepTheirLimit,
  creditsAddUp,
  countersAreInRange,
  holdsAreOfClasses,
};

/** The name of an invariant that does not hold at a port; null if all do. */
export function brokenAtPort(port: CbfcPort): string | null {
  return firstBroken('cbfc', PORT_INVARIANTS, port);
}

/**
 * The same of a link's direction on which nothing was lost. By channel: what is under way and
 * stored fits into what the receiver has granted, the sender has at least so much in use, and each
 * credit that it has consumed is freed, stored or under way. So none was created, and none leaks.
 * Copies were stored for nothing, and a port that synchronises knows nothing yet.
 */
export function brokenAtLink(
  { sender }: CbfcPort,
  { receiver, copies }: CbfcPort,
  underway: readonly number[],
): string | null {
  for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
    if (sender.state(channel) !== OPEN || receiver.limit(channel) === 0) continue;
    if (receiver.isSynchronised(channel)) {
      if (leakedOn(sender, receiver, underway, channel) !== 0) return 'cbfc.creditsDoNotLeak';
    }
    if (copies > 0) continue;
    const outstanding = underway[channel] + receiver.stored(channel);
    if (outstanding > receiver.limit(channel)) return 'cbfc.grantedFits';
    if (outstanding > sender.inUse(channel)) return 'cbfc.creditsAreConserved';
  }
  return receiver.leaked > 0 ? 'cbfc.noneIsLostWithoutALoss' : null;
}

/** Credits that a sender has consumed for frames that neither came nor are under way. */
function leakedOn(
  sender: Sender,
  receiver: Receiver,
  underway: readonly number[],
  channel: number,
): number {
  const received = receiver.words[receiver.at(channel) + RX_CONSUMED];
  return (sender.consumed(channel) - received - underway[channel]) & CREDIT_COUNT_MASK;
}

/**
 * What is still wrong with a direction of a link after a fault; null when nothing is. By channel:
 * both ends agree on what was consumed, but for frames that are underway, and, when no update is
 * underway (`isQuiet`), on what was reported as freed.
 */
export function ailmentOf(
  { sender }: CbfcPort,
  { receiver }: CbfcPort,
  underway: readonly number[],
  isQuiet: boolean,
): string | null {
  for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
    const state = sender.state(channel);
    if (state === CLOSED || receiver.limit(channel) === 0) continue;
    const where = `of virtual channel ${channel}`;
    if (state !== OPEN || !receiver.isSynchronised(channel))
      return `credits ${where} are not agreed upon`;
    const lost = leakedOn(sender, receiver, underway, channel);
    if (lost > CREDIT_COUNT_MASK / 2)
      return `${CREDIT_COUNT_MASK + 1 - lost} credits ${where} were never used`;
    if (lost > 0) return `${lost} credits ${where} are lost`;
    const reported = receiver.words[receiver.at(channel) + RX_REPORTED];
    const unknown = (reported - sender.words[sender.at(channel) + TX_FREED]) & CF_COUNT_MASK;
    if (isQuiet && unknown > 0) return `${unknown} credits ${where} that were freed are not known`;
  }
  return null;
}
