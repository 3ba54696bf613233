import type { Mechanism } from '../../contract/flow-control.js';
import type { Engine } from '../../device/engine.js';
import * as pauseInvariants from '../../flow-control/pause/pause-invariants.js';
import { PauseMechanism } from '../../flow-control/pause/pause-mechanism.js';
import * as pfcInvariants from '../../flow-control/pfc/pfc-invariants.js';
import { PfcMechanism } from '../../flow-control/pfc/pfc-mechanism.js';

/** Among so many ports (numbered through the service), the first that let a stop lapse; or -1. */
export function lapsedStop(engine: Engine, among = engine.shared.ports.count): number {
  for (let port = 0; port < among; port++) {
    if (!engine.mechanisms.every((mechanism) => stands(mechanism, port))) return port;
  }
  return -1;
}

function stands(mechanism: Mechanism, port: number): boolean {
  if (mechanism instanceof PfcMechanism) {
    return pfcInvariants.standingStopIsRefreshed(mechanism, port);
  }
  if (mechanism instanceof PauseMechanism) {
    return pauseInvariants.standingStopIsRefreshed(mechanism, port);
  }
  return true;
}
