import type { TransmitGate } from '../../contract/flow-control.js';
import type { PauseInitiator } from '../../quanta/pause-initiator.js';
import type { PfcWatchdog } from './pfc-watchdog.js';

/** PFC with what its watchdog does. */
interface Guarded extends Pick<TransmitGate, 'holdReason'> {
  readonly watchdog: Pick<PfcWatchdog, 'storms' | 'discards'>;
}

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(initiator: PauseInitiator, port: number): boolean {
  return initiator.off[port] === 0 || initiator.willState(port);
}

/** What a watchdog sends on against a stop is not held; it drops only what is in a storm. */
export function stormHoldsNothing(pfc: Guarded, port: number): boolean {
  const { storms, discards } = pfc.watchdog;
  for (let priority = 0; priority < 8; priority++) {
    const isStorm = (storms[port] & (1 << priority)) !== 0;
    if (isStorm && pfc.holdReason(port, priority) !== null) return false;
  }
  return (discards[port] & ~storms[port]) === 0;
}
