import type { PauseInitiator } from '../../quanta/pause-initiator.js';

/** A pause is refreshed before it expires, or its first frame is due. */
export function standingStopIsRefreshed(initiator: PauseInitiator, port: number): boolean {
  return initiator.off[port] === 0 || initiator.willState(port);
}
