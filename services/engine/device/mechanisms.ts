import type { IngressAccounts, Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { PortSpec } from '../contract/spec.js';
import { PauseMechanism } from '../flow-control/pause/pause-mechanism.js';
import { PfcMechanism } from '../flow-control/pfc/pfc-mechanism.js';

/**
 * The registry: who runs on a device with such ports. A mechanism's place in the list is its slot
 * at the device, for gates, timers and control frames.
 */
export function makeMechanisms(
  host: MechanismHost,
  accounts: IngressAccounts | null,
  ports: readonly PortSpec[],
): Mechanism[] {
  return [
    new PauseMechanism(host, accounts, 0, ports),
    new PfcMechanism(host, accounts, 1, ports),
  ];
}
