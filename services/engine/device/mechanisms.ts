import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import { CiMechanism } from '../congestion/ci/ci-mechanism.js';
import { SfcMechanism } from '../congestion/sfc/sfc-mechanism.js';
import { DiscoveryMechanism } from '../discovery/discovery-mechanism.js';
import { CreditMechanism } from '../flow-control/credit/credit-mechanism.js';
import { FailoverMechanism } from '../failover/failover-mechanism.js';
import { FaultMechanism } from '../faults/fault-mechanism.js';
import { PauseMechanism } from '../flow-control/pause/pause-mechanism.js';
import { PfcMechanism } from '../flow-control/pfc/pfc-mechanism.js';
import { QUEUE_OCTETS } from '../port/queues.js';
import type { Shared } from './shared.js';
import { makeAccounts } from './switch/slotted.js';

/** Slots that others go by. */
export const PAUSE_SLOT = 0;
export const DISCOVERY_SLOT = 5;

export interface MechanismSet {
  readonly all: Mechanism[];
  readonly pfc: PfcMechanism;
  readonly credit: CreditMechanism;
  readonly sfc: SfcMechanism;
  readonly faults: FaultMechanism;
  readonly discovery: DiscoveryMechanism;
  readonly ci: CiMechanism;
  readonly failover: FailoverMechanism;
}

/**
 * The registry. A mechanism serves every port of a service; its place in the list is its slot for
 * gates, timers and control frames.
 */
export function makeMechanisms(shared: Shared, host: MechanismHost): MechanismSet {
  const { tables, buffer, ports, pool, queues, lines, counters, heed } = shared;
  const pfc = new PfcMechanism(tables, host, buffer, 1, ports);
  const credit = new CreditMechanism(tables, host, 2, pool, {
    inQueue: (port, trafficClass) => queues.get(port, trafficClass, QUEUE_OCTETS),
    inLine: lines.octets,
  });
  const sfc = new SfcMechanism(tables, host, 3, ports, pool, pfc);
  const pause = new PauseMechanism(tables, host, makeAccounts(shared), PAUSE_SLOT, ports);
  const faults = new FaultMechanism(tables, host, 4, heed);
  const discovery = new DiscoveryMechanism(host, counters, DISCOVERY_SLOT);
  const ci = new CiMechanism(tables, host, 6, pool);
  const failover = new FailoverMechanism(tables, host, 7);
  const all = [pause, pfc, credit, sfc, faults, discovery, ci, failover];
  return { all, pfc, credit, sfc, faults, discovery, ci, failover };
}
