/** One port's discovery: its agents, and the result of DCBX and capabilities. Plain state. */

import type { DiscoveryAdmin, DiscoveryPortSpec } from '../contract/discovery.js';
import type { GrantAgreement, GrantNegotiation } from '../contract/grant-negotiation.js';
import { PRIORITY_NUMBERS } from '../units/ethernet.js';
import type { Ets } from '../wire/lldp/dcbx-ieee.js';
import { END_STATION_LEVEL, UNKNOWN_LEVEL } from './capabilities/topology-level.js';
import { blankCee, ceeOf, type CeeState, renewCee, resolveCee } from './dcbx/dcbx-cee-machine.js';
import { chosenDcbx } from './dcbx/dcbx-choice.js';
import { resolveIeee } from './dcbx/dcbx-ieee-machine.js';
import {
  copyOperation,
  type DcbxOperation,
  localOperation,
  MISMATCH,
} from './dcbx/dcbx-managed.js';
import { followsPeer } from './dcbx/symmetric.js';
import { type Exposure, noExposure } from './exposure.js';
import { blankStatistics, type LldpStatistics } from './lldp/lldp-managed.js';
import { blankReceive, type LldpReceive, type Neighbor } from './lldp/receive-machine.js';
import { spokenBy } from './lldp/remote.js';
import { blankTransmit, type LldpTransmit } from './lldp/transmit-machine.js';

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

export interface PortDiscovery {
  agents: LldpAgent[];
  /** Rate of its timers' clock, and since when: tick `sinceTick` was at `sincePs`. */
  pace: { sincePs: number; sinceTick: number; tickPs: number };
  /** Which of the administrator's configurations applies. */
  stage: number;
  cee: CeeState;
  operation: DcbxOperation;
  agreement: GrantAgreement;
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
    cee: blankCee(),
    operation: copyOperation(localOperation(admin.dcbx)),
    agreement: grants.none(),
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

/** The DCBX peer: the only neighbor (802.1Q 38.3). */
export function peerOf({ agents }: PortDiscovery): Neighbor | null {
  const { neighbors } = agents[0].rx;
  return neighbors.length === 1 ? neighbors[0] : null;
}

/** The administrator's next configuration applies. */
export function changeAdmin(port: PortDiscovery): void {
  port.stage++;
  renewCee(port.cee);
}

/**
 * Computes the port's operational state, after its neighbor or its administrator changed something.
 */
export function negotiate(
  spec: DiscoveryPortSpec,
  port: PortDiscovery,
  grants: GrantNegotiation,
): void {
  const admin = adminOf(spec, port);
  const { mac } = spec.identity;
  const peer = peerOf(port);
  const spoken = peer === null ? null : spokenBy(peer.remote);
  port.operation = copyOperation(operationOf(port, admin, mac, peer));
  const { protocol } = port.operation;
  if (spoken !== null && protocol !== 'none' && !spoken[protocol] && (spoken.ieee || spoken.cee)) {
    port.operation.mismatches |= MISMATCH.NO_COMMON_PROTOCOL;
  }
  if (port.agents[0].rx.neighbors.length > 1) {
    port.operation.mismatches |= MISMATCH.SEVERAL_PEERS;
  }
  port.agreement = agreementOf(admin, mac, peer, grants);
  if (spec.drives)
    keepWholeClasses(port.agreement, port.operation.ets, admin.exchange?.capable ?? 0);
  if (port.agreement.mismatch) port.operation.mismatches |= MISMATCH.CREDIT;
  if (port.agreement.unitMismatch) port.operation.mismatches |= MISMATCH.CREDIT_UNIT;
}

function operationOf(
  port: PortDiscovery,
  admin: DiscoveryAdmin,
  mac: number,
  peer: Neighbor | null,
): DcbxOperation {
  const protocol = chosenDcbx(admin.dcbx.mode, peer === null ? null : spokenBy(peer.remote));
  if (protocol === 'none') return localOperation(admin.dcbx);
  if (protocol === 'cee') {
    resolveCee(port.cee, admin.dcbx, peer?.remote.cee ?? null);
    return port.cee.operation!;
  }
  if (peer === null) return { ...localOperation(admin.dcbx), protocol };
  return resolveIeee(admin.dcbx, mac, { mac: peer.mac, ...peer.remote });
}

function agreementOf(
  { exchange }: DiscoveryAdmin,
  mac: number,
  peer: Neighbor | null,
  grants: GrantNegotiation,
): GrantAgreement {
  const other = peer === null ? null : grants.advertised(peer.remote);
  const follows =
    exchange !== null &&
    other !== null &&
    followsPeer({ willing: exchange.willing, mac }, { willing: other.willing, mac: peer!.mac });
  return grants.agree(exchange, other, follows);
}

/**
 * Frames of a class wait for each other: grants rule all of its priorities that may have them, or
 * none.
 */
function keepWholeClasses(agreement: GrantAgreement, { classOf }: Ets, capable: number): void {
  const whole = (agreed: number): number => {
    const without = PRIORITY_NUMBERS.filter((p) => (capable & ~agreed & (1 << p)) !== 0);
    const torn = new Set(without.map((p) => classOf[p]));
    return PRIORITY_NUMBERS.reduce(
      (bits, p) => bits & (torn.has(classOf[p]) ? ~(1 << p) : -1),
      agreed,
    );
  };
  const agreed = whole(agreement.agreed);
  if (agreed !== agreement.agreed) agreement.mismatch = true;
  agreement.agreed = agreed;
  agreement.priorities = whole(agreement.priorities & agreed);
}

export function ceeToSay(
  { dcbx }: DiscoveryAdmin,
  { operation, cee }: PortDiscovery,
): ReturnType<typeof ceeOf> | null {
  return operation.protocol === 'cee' ? ceeOf(dcbx, cee) : null;
}
