import type { PfcMechanism } from './pfc-mechanism.js';

/** A paused priority starts no frame: asked whenever one starts. */
export function startsNoPausedFrame(pfc: PfcMechanism, port: number, priority: number): boolean {
  return pfc.holdReason(port, priority) === null;
}

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(pfc: PfcMechanism, port: number): boolean {
  return pfc.asker.off[port] === 0 || pfc.asker.willState(port);
}
