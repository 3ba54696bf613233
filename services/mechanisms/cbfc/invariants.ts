import { firstBroken } from '../../engine/contract/broken.js';
import { VIRTUAL_CHANNELS } from '../../engine/wire/cf-update.js';
import { OPEN, RX_CONSUMED, TX_FREED, wordOf } from './machine.js';
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
      sender.words[wordOf(channel, TX_FREED)],
      receiver.words[wordOf(channel, RX_CONSUMED)],
      receiver.stored(channel),
    ].every(inRange),
  );
}

/** A port holds exactly the priorities that one of its classes waits for. */
function holdsAreOfClasses({ held, heldOf }: CbfcPort): boolean {
  return heldOf.reduce((all, bit) => all | bit, 0) === held;
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
 * The same of a link's direction. By channel: what is under way and stored fits into what the
 * receiver has granted, and the sender has at least so much in use: no credit was ever created.
 * Copies were stored for nothing, and a port that synchronises knows nothing yet.
 */
export function brokenAtLink(
  { sender }: CbfcPort,
  { receiver, copies }: CbfcPort,
  underway: readonly number[],
): string | null {
  if (copies > 0) return null;
  for (let channel = 0; channel < VIRTUAL_CHANNELS; channel++) {
    if (sender.state(channel) !== OPEN || receiver.limit(channel) === 0) continue;
    const outstanding = underway[channel] + receiver.stored(channel);
    if (outstanding > receiver.limit(channel)) return 'cbfc.grantedFits';
    if (outstanding > sender.inUse(channel)) return 'cbfc.creditsAreConserved';
  }
  return null;
}
