import type { PfcMechanism } from './pfc-mechanism.js';

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(pfc: PfcMechanism, port: number): boolean {
  return pfc.asker.off[port] === 0 || pfc.asker.willState(port);
}
