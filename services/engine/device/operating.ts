import { EtsArbiter } from '../arbiter/ets.js';
import type { OperatingPort, PortOperator } from '../contract/discovery.js';
import type { PfcMechanism } from '../flow-control/pfc/pfc-mechanism.js';
import { TSA_ETS } from '../wire/lldp/dcbx-ieee.js';
import type { Device } from './device.js';
import type { Shared } from './shared.js';

const CLASSES = 8;
/** What a class with a share of nothing is given, so that it does not wait for ever. */
const LEAST_SHARE = 1;

/** Puts into force what a port and its neighbour have come to; frames under way are left alone. */
export function makeOperator(
  { ports, buffer }: Shared,
  devices: readonly Device[],
  pfc: PfcMechanism,
): PortOperator {
  function operate(port: number, { ets, pfc: priorities }: OperatingPort): void {
    const device = devices[ports.owner(port)];
    const arbiter = device.arbiters[port - device.firstPort];
    if (arbiter instanceof EtsArbiter) {
      const { algorithms, shares } = ets;
      arbiter.share(
        Array.from({ length: CLASSES }, (_, tc) =>
          algorithms[tc] === TSA_ETS ? Math.max(LEAST_SHARE, shares[tc]) : null,
        ),
      );
    }
    pfc.setOperational(port, priorities);
    if (device.spec.kind === 'host') return;
    for (let group = 0; group < CLASSES; group++) {
      if (pfc.rules(port, group)) buffer.setLossless(port, group, pfc.stops(port, group));
    }
  }
  return { operate };
}
