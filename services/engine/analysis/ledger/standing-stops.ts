import type { Engine } from '../../device/engine.js';
import { standingStopIsRefreshed as pauseStands } from '../../flow-control/pause/pause-invariants.js';
import { PauseMechanism } from '../../flow-control/pause/pause-mechanism.js';
import { standingStopIsRefreshed as pfcStands } from '../../flow-control/pfc/pfc-invariants.js';
import { PfcMechanism } from '../../flow-control/pfc/pfc-mechanism.js';

/** The first port (numbered through the service) that let a stop lapse; -1 if there is none. */
export function lapsedStop(engine: Engine): number {
  for (let port = 0; port < engine.shared.ports.count; port++) {
    for (const mechanism of engine.mechanisms) {
      if (mechanism instanceof PfcMechanism && !pfcStands(mechanism, port)) return port;
      if (mechanism instanceof PauseMechanism && !pauseStands(mechanism, port)) return port;
    }
  }
  return -1;
}
