import type { PfcMechanism } from './pfc-mechanism.js';

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(pfc: PfcMechanism, port: number): boolean {
  return pfc.initiator.off[port] === 0 || pfc.initiator.willState(port);
}

/** What a watchdog sends on against a stop is not held; it drops only what is in a storm. */
export function stormHoldsNothing(pfc: PfcMechanism, port: number): boolean {
  const { storms, discards } = pfc.watchdog;
  for (let priority = 0; priority < 8; priority++) {
    const isStorm = (storms[port] & (1 << priority)) !== 0;
    if (isStorm && pfc.holdReason(port, priority) !== null) return false;
  }
  return (discards[port] & ~storms[port]) === 0;
}
