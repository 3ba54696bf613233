import type { IngressAccounts, Mechanism, MechanismHost } from '../contract/flow-control.js';
import { PauseMechanism } from '../flow-control/pause/pause-mechanism.js';
import { PfcMechanism } from '../flow-control/pfc/pfc-mechanism.js';
import type { Tables } from '../kernel/tables.js';
import type { Ports } from '../port/ports.js';

/**
 * The registry. A mechanism serves every port of a service; its place in the list is its slot for
 * gates, timers and control frames.
 */
export function makeMechanisms(
  tables: Tables,
  host: MechanismHost,
  accounts: IngressAccounts,
  ports: Ports,
): Mechanism[] {
  return [
    new PauseMechanism(tables, host, accounts, 0, ports),
    new PfcMechanism(tables, host, accounts, 1, ports),
  ];
}
