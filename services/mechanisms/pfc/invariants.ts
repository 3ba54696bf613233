import type { PauseWatchdog, TransmitGate } from '../../engine/contract/flow-control.js';
import type { PauseInitiator } from './pause-initiator.js';
import type { PortRow } from '../../engine/units/indices.js';

/** PFC with the effects of its watchdog. */
interface Guarded extends Pick<TransmitGate, 'holdReason'> {
  readonly watchdog: Pick<PauseWatchdog, 'discards'> & { readonly storms: Uint8Array };
}

/** A pause is refreshed before it expires, or its first frame is due. */
export function standingStopIsRefreshed(initiator: PauseInitiator, port: PortRow): boolean {
  return initiator.off[port] === 0 || initiator.willState(port);
}

/** Frames that a watchdog sends despite a pause are not blocked; it drops only those of a storm. */
export function stormHoldsNothing(pfc: Guarded, port: PortRow): boolean {
  const { storms, discards } = pfc.watchdog;
  for (let priority = 0; priority < 8; priority++) {
    const isStorm = (storms[port] & (1 << priority)) !== 0;
    if (isStorm && pfc.holdReason(port, priority) !== null) return false;
  }
  return (discards[port] & ~storms[port]) === 0;
}
