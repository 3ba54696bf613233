import { type AccountBooks, NO_BOOKS } from '../contract/account-books.js';
import { NO_NEGOTIATION } from '../contract/grant-negotiation.js';
import type { Mechanism, MechanismHost } from '../contract/flow-control.js';
import {
  type MechanismKind,
  type MechanismTools,
  OWN_SLOTS,
  type SliceMechanism,
} from '../contract/slice.js';
import { DiscoveryMechanism } from '../discovery/discovery-mechanism.js';
import { FailoverMechanism } from '../failover/failover-mechanism.js';
import { FaultMechanism } from '../faults/fault-mechanism.js';
import { LivePorts } from '../live/live-ports.js';
import { assert } from '../kernel/assert.js';
import { SLOTS_MOST } from '../port/ports.js';
import type { Shared } from './shared.js';
import { makeIngressBuffers } from './switch/slotted.js';

/** Of a mechanism that holds nothing, arms no timers and sends no control frames. */
const NO_SLOT = -1;

export interface MechanismSet {
  /** Those with slots, in their order. */
  readonly all: readonly Mechanism[];
  /** By slot for gates, timers and control frames; some are free. */
  readonly atSlot: readonly Mechanism[];
  /** Registered mechanisms, in their order. */
  readonly given: readonly SliceMechanism[];
  readonly books: AccountBooks;
  readonly faults: FaultMechanism;
  readonly discovery: DiscoveryMechanism;
  readonly failover: FailoverMechanism;
  readonly live: LivePorts;
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
  const live = new LivePorts(tables, ports, host, OWN_SLOTS.live);
  const atSlot: Mechanism[] = [];
  const take = (slot: number, mechanism: Mechanism): void => {
    assert(!(slot in atSlot), 'engine.slot-of-one');
    atSlot[slot] = mechanism;
  };
  take(OWN_SLOTS.faults, faults);
  take(OWN_SLOTS.failover, failover);
  take(OWN_SLOTS.live, live);
  const accounts = hasSlottedSwitches ? makeIngressBuffers(shared) : buffer;
  const storage = { tables, pool, ports, queues, lines, counters, replayBuffers, accounts };
  const tools = { ...storage, host, markings };
  const given = kinds.map((kind) => {
    const slot = kind.slot ?? NO_SLOT;
    assert(slot < SLOTS_MOST, 'engine.slot-of-16');
    const made = kind.create({ ...tools, slot });
    if (slot !== NO_SLOT) take(slot, made);
    return made;
  });
  const books = onlyOf(given.map((own) => own.books)) ?? NO_BOOKS;
  const negotiation = onlyOf(given.map((own) => own.negotiation)) ?? NO_NEGOTIATION;
  const discovery = new DiscoveryMechanism(host, counters, OWN_SLOTS.discovery, negotiation);
  take(OWN_SLOTS.discovery, discovery);
  const all = atSlot.filter((mechanism) => mechanism !== undefined);
  return { all, atSlot, given, books, faults, discovery, failover, live };
}

/** A role that one mechanism has at most. */
function onlyOf<Role>(roles: readonly (Role | undefined)[]): Role | undefined {
  const present = roles.filter((role) => role !== undefined);
  assert(present.length <= 1, 'engine.role-of-one');
  return present[0];
}
