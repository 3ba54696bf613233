import type { PauseMechanism } from './pause-mechanism.js';

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(pause: PauseMechanism, port: number): boolean {
  return pause.initiator.off[port] === 0 || pause.initiator.willState(port);
}
