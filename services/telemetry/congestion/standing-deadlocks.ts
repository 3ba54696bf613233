import { WaitRecorder } from '../../engine/analysis/waits/wait-recorder.js';
import type { Engine } from '../../engine/device/engine.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { Deadlock } from './congestion.js';
import { findDeadlocks } from './find-deadlocks.js';

/**
 * Cyclic buffer dependencies at this moment, from the state of an engine that has the whole fabric:
 * the same in any partitioning, and whatever observed it.
 */
export function standingDeadlocks(fabric: Fabric, engine: Engine, nowPs: number): Deadlock[] {
  if (!isBlockedAnywhere(engine)) return [];
  // Frame-times are those of the recorder that observed the run, if there was one.
  const putBack = engine.shared.frameTimes.keep();
  const recorder = new WaitRecorder(engine, false);
  const devices = [...engine.devices.keys()];
  for (const device of devices) recorder.takeDown(device, nowPs);
  const jams = devices.map((device) => ({ jams: recorder.standingJams(device) }));
  for (const device of devices) recorder.close(device);
  putBack();
  return findDeadlocks(fabric, jams, nowPs);
}

/** An account waits for egresses that are blocked, so without any there is no cycle. */
function isBlockedAnywhere({ shared, books }: Engine): boolean {
  let isBlocked = false;
  for (let port = 0; port < shared.ports.count && !isBlocked; port++) {
    isBlocked = shared.ports.blocked(port) !== 0;
    books.accounts.forEach(port, (row) => {
      if (books.sender.blockedSincePs(row) !== null) isBlocked = true;
    });
  }
  return isBlocked;
}
