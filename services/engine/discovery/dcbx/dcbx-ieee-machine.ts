/** DCBX of 802.1Qaz: what a port works with is a function of both ends' configurations. */

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

/** What the only neighbour of a port says. */
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

/** The asymmetric machine (38.4.1): what the neighbour recommends, if this end is willing. */
function resolveEts(result: DcbxOperation, admin: DcbxAdmin, peer: IeeePeer): void {
  const table = peer.etsRecommendation;
  if (!admin.ets.willing) return;
  if (table === null) return;
  if (!isFeasible(table, admin.ets)) {
    result.mismatches |= MISMATCH.ETS;
    return;
  }
  const { willing, shaper, classes } = admin.ets;
  result.ets = { ...table, willing, shaper, classes };
  result.etsFrom = 'peer';
}

/** A port has its classes and its map of priorities; shares and algorithms can be changed. */
function isFeasible(table: Ets, own: Ets): boolean {
  const { classOf, algorithms } = table;
  if (classOf.some((trafficClass, priority) => trafficClass !== own.classOf[priority]))
    return false;
  return classOf.every((trafficClass) => {
    const algorithm = algorithms[trafficClass];
    return algorithm !== TSA_CREDIT_SHAPER && algorithm !== TSA_VENDOR;
  });
}

/**
 * The symmetric machine (38.4.2). Two ends that are both set in their ways keep what they have; a
 * stop then works only for priorities that both have.
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

/** The neighbour's entries for what has none here. */
function completed(
  own: readonly Application[],
  others: readonly Application[],
): readonly Application[] {
  const isMissing = ({ selector, protocol }: Application): boolean =>
    !own.some((entry) => entry.selector === selector && entry.protocol === protocol);
  return [...own, ...others.filter(isMissing)];
}

/** An application was to have PFC on its priority, and does not. */
export function isUnprotected(admin: DcbxAdmin, pfc: number): boolean {
  const lost = admin.pfc.enabled & ~pfc;
  return admin.applications.some(({ priority }) => (lost & (1 << priority)) !== 0);
}

function bits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
