/** One port's discovery: its agents, and the result of DCBX and capabilities. Plain state. */

import type { DiscoveryAdmin, DiscoveryPortSpec } from '../contract/discovery.js';
import type { GrantNegotiation } from '../contract/grant-negotiation.js';
import { SHAPE } from '../kernel/kinds.js';
import { END_STATION_LEVEL, UNKNOWN_LEVEL } from './capabilities/topology-level.js';
import { blankCee, ceeOf, renewCee } from './dcbx/dcbx-cee-machine.js';
import { type Exposure, noExposure } from './exposure.js';
import { type EndOutcome, onlyNeighbor, outcomeOf } from './link-end.js';
import { blankStatistics, type LldpStatistics } from './lldp/lldp-managed.js';
import { blankReceive, type LldpReceive, type Neighbor } from './lldp/receive-machine.js';
import { blankTransmit, type LldpTransmit } from './lldp/transmit-machine.js';

/**
 * What a port knows is read together with a time only by its own timers, which end what repeats,
 * and changes with LLDPDUs.
 */
export const PORT_DISCOVERY_KIND = SHAPE;

/** LLDP towards one destination address. */
export interface LldpAgent {
  tx: LldpTransmit;
  rx: LldpReceive;
  stats: LldpStatistics;
  /** Up to which tick time has been counted. */
  tick: number;
  /** When it is to run again; Infinity: only on an event. */
  wakeAtPs: number;
  /** Its last LLDPDU, to detect changes. */
  advertised: Uint8Array;
}

export interface PortDiscovery extends EndOutcome {
  agents: LldpAgent[];
  /** Rate of its timers' clock, and since when: tick `sinceTick` was at `sincePs`. */
  pace: { sincePs: number; sinceTick: number; tickPs: number };
  /** Which of the administrator's configurations applies. */
  stage: number;
  /** Of the device, as topology recognition counts. */
  level: number;
  /** By epoch: when the neighbor, or what was agreed with it, last changed; -1: never. */
  settledPs: number[];
  exposure: Exposure;
}

export function openPort(spec: DiscoveryPortSpec, grants: GrantNegotiation): PortDiscovery {
  const { admin } = spec.stages[0];
  return {
    agents: spec.destinations.map(() => ({
      tx: blankTransmit(),
      rx: blankReceive(),
      stats: blankStatistics(),
      tick: 0,
      wakeAtPs: Infinity,
      advertised: new Uint8Array(0),
    })),
    pace: { sincePs: 0, sinceTick: 0, tickPs: spec.tickPs },
    stage: 0,
    ...outcomeOf({ spec, admin, neighbors: [], cee: blankCee() }, grants),
    cee: blankCee(),
    level: spec.identity.isBridge ? UNKNOWN_LEVEL : END_STATION_LEVEL,
    settledPs: spec.epochsPs.map(() => -1),
    exposure: noExposure(),
  };
}

export function adminOf(spec: DiscoveryPortSpec, port: PortDiscovery): DiscoveryAdmin {
  return spec.stages[port.stage].admin;
}

/**
 * What the port advertises of its configuration. Applications have no room to say that the peer is
 * received: where they alone advertise grants, that they are there says it.
 */
export function saidOf(
  spec: DiscoveryPortSpec,
  port: PortDiscovery,
  grants: GrantNegotiation,
): DiscoveryAdmin {
  const admin = adminOf(spec, port);
  if (admin.byApplicationsAlone !== true || peerOf(port) !== null) return admin;
  const applications = admin.dcbx.applications.filter((own) => !grants.needsPeer(own));
  return { ...admin, dcbx: { ...admin.dcbx, applications } };
}

export function peerOf({ agents }: PortDiscovery): Neighbor | null {
  return onlyNeighbor(agents[0].rx.neighbors);
}

/** The administrator's next configuration applies. */
export function changeAdmin(port: PortDiscovery): void {
  port.stage++;
  renewCee(port.cee);
}

/** Computes what the port does, after its neighbor or its administrator changed something. */
export function negotiate(
  spec: DiscoveryPortSpec,
  port: PortDiscovery,
  grants: GrantNegotiation,
): void {
  const { agents, cee } = port;
  const { neighbors } = agents[0].rx;
  const admin = adminOf(spec, port);
  Object.assign(port, outcomeOf({ spec, admin, neighbors, cee }, grants));
}

export function ceeToSay(
  { dcbx }: DiscoveryAdmin,
  { operation, cee }: PortDiscovery,
): ReturnType<typeof ceeOf> | null {
  return operation.protocol === 'cee' ? ceeOf(dcbx, cee) : null;
}
