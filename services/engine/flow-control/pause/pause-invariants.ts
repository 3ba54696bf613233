import type { PauseInitiator } from '../../quanta/pause-initiator.js';

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(initiator: PauseInitiator, port: number): boolean {
  return initiator.off[port] === 0 || initiator.willState(port);
}
