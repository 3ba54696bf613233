/** DCBX of 802.1Qaz: the operational state of a port is a function of both ends' configurations. */

import type { DcbxAdmin } from '../../contract/discovery.js';
import {
  type Application,
  type Applications,
  type Ets,
  type PfcConfiguration,
  TSA_CREDIT_SHAPER,
  TSA_VENDOR,
} from '../../wire/lldp/dcbx-ieee.js';
import type { DcbxOperation } from './dcbx-managed.js';
import { localOperation, MISMATCH } from './dcbx-managed.js';
import { followsPeer } from './symmetric.js';

/** What the only neighbor of a port advertises. */
export interface IeeePeer {
  readonly mac: number;
  readonly etsConfiguration: Ets | null;
  readonly etsRecommendation: Ets | null;
  readonly pfc: PfcConfiguration | null;
  readonly applications: Applications | null;
}

export function resolveIeee(admin: DcbxAdmin, mac: number, peer: IeeePeer): DcbxOperation {
  const result = localOperation(admin);
  result.protocol = 'ieee';
  resolveEts(result, admin, peer);
  resolvePfc(result, admin, mac, peer);
  if (peer.applications !== null && (admin.ets.willing || admin.pfc.willing)) {
    result.applications = completed(admin.applications, peer.applications.entries);
  }
  if (isUnprotected(admin, result.pfc)) result.mismatches |= MISMATCH.APPLICATION;
  return result;
}

/** The asymmetric machine (38.4.1): the neighbor's recommendation, if this end is willing. */
function resolveEts(result: DcbxOperation, admin: DcbxAdmin, peer: IeeePeer): void {
  const table = peer.etsRecommendation;
  if (!admin.ets.willing) return;
  if (table === null) return;
  if (!isFeasible(table, admin)) {
    result.mismatches |= MISMATCH.ETS;
    return;
  }
  const { willing, shaper, classes } = admin.ets;
  result.ets = { ...table, willing, shaper, classes };
  result.etsFrom = 'peer';
}

/** Shares and classes can change, unless there are no shares, or a mechanism depends on a class. */
export function isFeasible(table: Ets, { ets: own, fixedClasses }: DcbxAdmin): boolean {
  const { classOf, algorithms } = table;
  if (own.algorithms.includes(TSA_VENDOR)) return false;
  const isFixed = (priority: number): boolean => (fixedClasses & (1 << priority)) !== 0;
  const joins = (priority: number): boolean =>
    own.classOf.some((tc, p) => isFixed(p) && tc === classOf[priority]);
  return classOf.every((trafficClass, priority) => {
    const algorithm = algorithms[trafficClass];
    if (algorithm === TSA_CREDIT_SHAPER || algorithm === TSA_VENDOR) return false;
    const stays = trafficClass === own.classOf[priority];
    return stays || (!isFixed(priority) && !joins(priority));
  });
}

/**
 * The symmetric machine (38.4.2). Two unwilling ends keep their configurations; PFC then works only
 * for priorities that both have.
 */
function resolvePfc(result: DcbxOperation, admin: DcbxAdmin, mac: number, peer: IeeePeer): void {
  const other = peer.pfc;
  if (other === null) return;
  const own = admin.pfc;
  const local = { willing: own.willing, mac };
  const remote = { willing: other.willing, mac: peer.mac };
  if (followsPeer(local, remote)) {
    if (bits(other.enabled) <= own.capability) {
      result.pfc = other.enabled;
      result.pfcFrom = 'peer';
      return;
    }
  } else if (followsPeer(remote, local) && bits(own.enabled) <= other.capability) return;
  if (own.enabled === other.enabled) return;
  result.pfc = own.enabled & other.enabled;
  result.mismatches |= MISMATCH.PFC;
}

/** The neighbor's entries for applications without one here. */
function completed(
  own: readonly Application[],
  others: readonly Application[],
): readonly Application[] {
  const isMissing = ({ selector, protocol }: Application): boolean =>
    !own.some((entry) => entry.selector === selector && entry.protocol === protocol);
  return [...own, ...others.filter(isMissing)];
}

/** An application was configured with PFC on its priority, which is not operational. */
export function isUnprotected(admin: DcbxAdmin, pfc: number): boolean {
  const lost = admin.pfc.enabled & ~pfc;
  return admin.applications.some(({ priority }) => (lost & (1 << priority)) !== 0);
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
