import type { PauseMechanism } from './pause-mechanism.js';

/** A paused port starts no frame of any priority: asked whenever one starts. */
export function startsNoPausedFrame(pause: PauseMechanism, port: number): boolean {
  return pause.holdReason(port, 0) === null;
}

/** A stop that stands will be said again before it expires, or is just about to be said. */
export function standingStopIsRefreshed(pause: PauseMechanism, port: number): boolean {
  return pause.asker.off[port] === 0 || pause.asker.willState(port);
}
