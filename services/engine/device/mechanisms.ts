import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import { CreditMechanism } from '../flow-control/credit/credit-mechanism.js';
import { FaultMechanism } from '../faults/fault-mechanism.js';
import { PauseMechanism } from '../flow-control/pause/pause-mechanism.js';
import { PfcMechanism } from '../flow-control/pfc/pfc-mechanism.js';
import type { Shared } from './shared.js';
import { makeAccounts } from './switch/slotted.js';

/**
 * The registry. A mechanism serves every port of a service; its place in the list is its slot for
 * gates, timers and control frames.
 */
export function makeMechanisms(
  shared: Shared,
  host: MechanismHost,
): {
  readonly all: Mechanism[];
  readonly credit: CreditMechanism;
  readonly faults: FaultMechanism;
} {
  const { tables, buffer, ports, pool, lines } = shared;
  const credit = new CreditMechanism(tables, host, 2, pool, lines);
  const all: Mechanism[] = [
    new PauseMechanism(tables, host, makeAccounts(shared), 0, ports),
    new PfcMechanism(tables, host, buffer, 1, ports),
    credit,
  ];
  const faults = new FaultMechanism(tables, host, all.length);
  all.push(faults);
  return { all, credit, faults };
}
