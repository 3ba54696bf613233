import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import {
  type MechanismKind,
  type MechanismTools,
  OWN_SLOTS,
  type SliceMechanism,
} from '../contract/slice.js';
import { DiscoveryMechanism } from '../discovery/discovery-mechanism.js';
import type { GrantKeeper } from '../contract/grants.js';
import { FailoverMechanism } from '../failover/failover-mechanism.js';
import { FaultMechanism } from '../faults/fault-mechanism.js';
import { assert } from '../kernel/assert.js';
import { SLOTS_MOST } from '../port/ports.js';
import { QUEUE_OCTETS } from '../port/queues.js';
import { noAccounts } from './no-accounts.js';
import type { Shared } from './shared.js';
import { makeIngressBuffers } from './switch/slotted.js';
import type { TrafficClass } from '../units/indices.js';

/** Of a mechanism that holds nothing, arms no timers and sends no control frames. */
const NO_SLOT = -1;

export interface MechanismSet {
  /** Those with slots, in their order. */
  readonly all: readonly Mechanism[];
  /** By slot for gates, timers and control frames; some are free. */
  readonly atSlot: readonly Mechanism[];
  /** Registered mechanisms, in their order. */
  readonly given: readonly SliceMechanism[];
  readonly grants: GrantKeeper;
  readonly faults: FaultMechanism;
  readonly discovery: DiscoveryMechanism;
  readonly failover: FailoverMechanism;
}

interface MechanismKinds {
  readonly mechanisms: readonly MechanismKind[];
  readonly markings: MechanismTools['markings'];
}

/** The registry. A mechanism serves every port of a service. */
export function makeMechanisms(
  shared: Shared,
  host: MechanismHost,
  { mechanisms: kinds, markings }: MechanismKinds,
  hasSlottedSwitches: boolean,
): MechanismSet {
  const { tables, buffer, ports, pool, queues, lines, counters, traceMask, replayBuffers } = shared;
  const faults = new FaultMechanism(tables, host, OWN_SLOTS.faults, traceMask);
  const failover = new FailoverMechanism(tables, host, OWN_SLOTS.failover);
  const atSlot: Mechanism[] = [];
  const take = (slot: number, mechanism: Mechanism): void => {
    assert(!(slot in atSlot), 'engine.slot-of-one');
    atSlot[slot] = mechanism;
  };
  take(OWN_SLOTS.faults, faults);
  take(OWN_SLOTS.failover, failover);
  const accounts = hasSlottedSwitches ? makeIngressBuffers(shared) : buffer;
  const waiting = {
    inQueue: (port: number, trafficClass: TrafficClass) =>
      queues.get(port, trafficClass, QUEUE_OCTETS),
    inLine: lines.octets,
    first: queues.head,
  };
  const tools = { tables, host, pool, ports, counters, replayBuffers, accounts, waiting, markings };
  const given = kinds.map((kind) => {
    const slot = kind.slot ?? NO_SLOT;
    assert(slot < SLOTS_MOST, 'engine.slot-of-16');
    const made = kind.create({ ...tools, slot });
    if (slot !== NO_SLOT) take(slot, made);
    return made;
  });
  const keepers = given.filter(keepsGrants);
  assert(keepers.length <= 1, 'engine.one-keeper-of-accounts');
  const grants = keepers[0] ?? noAccounts(ports.count);
  const { negotiation } = grants;
  const discovery = new DiscoveryMechanism(host, counters, OWN_SLOTS.discovery, negotiation);
  take(OWN_SLOTS.discovery, discovery);
  const all = atSlot.filter((mechanism) => mechanism !== undefined);
  return { all, atSlot, given, grants, faults, discovery, failover };
}

function keepsGrants(mechanism: Mechanism): mechanism is GrantKeeper {
  return mechanism.keepsGrants === true;
}
