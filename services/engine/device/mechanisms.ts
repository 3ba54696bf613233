import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import { CreditMechanism } from '../flow-control/credit/credit-mechanism.js';
import { PauseMechanism } from '../flow-control/pause/pause-mechanism.js';
import { PfcMechanism } from '../flow-control/pfc/pfc-mechanism.js';
import type { Shared } from './shared.js';

/**
 * The registry. A mechanism serves every port of a service; its place in the list is its slot for
 * gates, timers and control frames.
 */
export function makeMechanisms(
  { tables, buffer, ports, pool, lines }: Shared,
  host: MechanismHost,
): { readonly all: Mechanism[]; readonly credit: CreditMechanism } {
  const credit = new CreditMechanism(tables, host, 2, pool, lines);
  const all = [
    new PauseMechanism(tables, host, buffer, 0, ports),
    new PfcMechanism(tables, host, buffer, 1, ports),
    credit,
  ];
  return { all, credit };
}
