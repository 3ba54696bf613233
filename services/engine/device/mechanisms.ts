import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import type { MechanismKind, SliceMechanism } from '../contract/slice.js';
import { DiscoveryMechanism } from '../discovery/discovery-mechanism.js';
import type { GrantKeeper } from '../contract/grants.js';
import { FailoverMechanism } from '../failover/failover-mechanism.js';
import { FaultMechanism } from '../faults/fault-mechanism.js';
import { assert } from '../kernel/assert.js';
import { SLOTS_MOST } from '../port/ports.js';
import { QUEUE_OCTETS } from '../port/queues.js';
import type { Shared } from './shared.js';
import { makeIngressBuffers } from './switch/slotted.js';
import type { TrafficClass } from '../units/indices.js';

/** The slot that other modules refer to. */
export const DISCOVERY_SLOT = 5;
/**
 * Slots among those of the engine's own for registered mechanisms, in their order. Timers of one
 * instant expire, and control frames are sent, in the order of slots; further mechanisms have the
 * slots behind.
 */
const GIVEN_SLOTS: readonly number[] = [0, 1, 2, 6, 3];
const FIRST_FREE_SLOT = 8;
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

/** The registry. A mechanism serves every port of a service. */
export function makeMechanisms(
  shared: Shared,
  host: MechanismHost,
  kinds: readonly MechanismKind[],
  hasSlottedSwitches: boolean,
): MechanismSet {
  const { tables, buffer, ports, pool, queues, lines, counters, traceMask, replayBuffers } = shared;
  const faults = new FaultMechanism(tables, host, 4, traceMask);
  const failover = new FailoverMechanism(tables, host, 7);
  const atSlot: Mechanism[] = [];
  atSlot[4] = faults;
  atSlot[7] = failover;
  const accounts = hasSlottedSwitches ? makeIngressBuffers(shared) : buffer;
  const waiting = {
    inQueue: (port: number, trafficClass: TrafficClass) =>
      queues.get(port, trafficClass, QUEUE_OCTETS),
    inLine: lines.octets,
    first: queues.head,
  };
  const tools = { tables, host, pool, ports, counters, replayBuffers, accounts, waiting };
  const slotted = kinds.filter(({ hasSlot }) => hasSlot);
  const given = kinds.map((kind) => {
    const slot = kind.hasSlot ? slotOf(slotted.indexOf(kind)) : NO_SLOT;
    if (slot >= SLOTS_MOST) throw new Error(`no slot is left for ${kind.name}`);
    const made = kind.create({ ...tools, slot });
    if (slot !== NO_SLOT) atSlot[slot] = made;
    return made;
  });
  const grants = given.find(keepsGrants);
  assert(grants !== undefined, 'engine.grant-keeper');
  const { negotiation } = grants;
  const discovery = new DiscoveryMechanism(host, counters, DISCOVERY_SLOT, negotiation);
  atSlot[DISCOVERY_SLOT] = discovery;
  const all = atSlot.filter((mechanism) => mechanism !== undefined);
  return { all, atSlot, given, grants, faults, discovery, failover };
}

function keepsGrants(mechanism: Mechanism): mechanism is GrantKeeper {
  return mechanism.keepsGrants === true;
}

function slotOf(index: number): number {
  return GIVEN_SLOTS[index] ?? FIRST_FREE_SLOT + index - GIVEN_SLOTS.length;
}
