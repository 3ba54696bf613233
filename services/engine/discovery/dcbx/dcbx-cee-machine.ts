/** DCBX 1.01: a control machine for all features, and one rule for each of them. */

import { TRAFFIC_CLASSES } from '../../units/ethernet.js';
import type { DcbxAdmin } from '../../contract/discovery.js';
import {
  CEE_STRICT_GROUP,
  type CeeApplication,
  type CeeDcbx,
  type CeeFeature,
} from '../../wire/lldp/dcbx-cee.js';
import {
  type Application,
  BY_ETHERTYPE,
  BY_PORT,
  type Ets,
  TSA_ETS,
  TSA_STRICT,
} from '../../wire/lldp/dcbx-ieee.js';
import type { DcbxOperation } from './dcbx-managed.js';
import { copyOperation, localOperation, MISMATCH } from './dcbx-managed.js';
import { isFeasible, isUnprotected } from './dcbx-ieee-machine.js';

const VERSION = 0;
const BY_SOCKET = 1;

type FeatureName = 'groups' | 'pfc' | 'applications';
const FEATURES: readonly FeatureName[] = ['groups', 'pfc', 'applications'];

/** State of a feature. */
export interface FeatureState {
  operational: boolean;
  /** Whose configuration is used. */
  from: 'local' | 'peer';
  error: boolean;
  /** Sequence number with which it was sent as it is now. */
  sentAt: number;
}

export interface CeeState {
  sequence: number;
  /** The peer's sequence number that was handled last. */
  acknowledged: number;
  features: Record<FeatureName, FeatureState>;
  operation: DcbxOperation | null;
}

export function blankCee(): CeeState {
  const feature = (): FeatureState => ({
    operational: false,
    from: 'local',
    error: false,
    sentAt: 1,
  });
  return {
    sequence: 1,
    acknowledged: 0,
    features: { groups: feature(), pfc: feature(), applications: feature() },
    operation: null,
  };
}

/** An administrator changed something: every feature is sent anew. */
export function renewCee(state: CeeState): void {
  state.sequence++;
  for (const name of FEATURES) state.features[name].sentAt = state.sequence;
}

/** The TLV that a port sends. */
export function ceeOf(admin: DcbxAdmin, { sequence, acknowledged, features }: CeeState): CeeDcbx {
  const feature = (name: FeatureName, willing: boolean): CeeFeature => ({
    enable: true,
    willing,
    error: features[name].error,
  });
  const { ets, pfc, applications } = admin;
  return {
    operatingVersion: VERSION,
    maxVersion: VERSION,
    sequence,
    acknowledged,
    groups: { ...feature('groups', ets.willing), ...groupsOf(ets) },
    pfc: { ...feature('pfc', pfc.willing), enabled: pfc.enabled, classes: pfc.capability },
    applications: {
      ...feature('applications', pfc.willing),
      entries: applications.flatMap(entriesOf),
    },
    duplicates: 0,
  };
}

/**
 * Handles the peer's TLV, or its absence (null), and resolves every feature. Until the peer has
 * acknowledged what was sent, a feature is unchanged.
 */
export function resolvedCee(
  known: Readonly<CeeState>,
  admin: DcbxAdmin,
  peer: CeeDcbx | null,
): CeeState {
  const state: CeeState = { ...known, features: { ...known.features } };
  const own = ceeOf(admin, state);
  state.acknowledged = peer?.sequence ?? 0;
  const next = blankCee().features;
  for (const name of FEATURES) next[name] = settle(name, own[name]!, peer);
  const renewed = FEATURES.filter((name) => next[name].error !== state.features[name].error);
  if (renewed.length > 0) state.sequence++;
  const before = state.operation ?? offOperation(admin);
  state.operation = offOperation(admin);
  for (const name of FEATURES) {
    const sentAt = renewed.includes(name) ? state.sequence : state.features[name].sentAt;
    const synced = peer === null || isSynced(state, sentAt, peer);
    const was = state.features[name];
    state.features[name] = synced
      ? { ...next[name], sentAt }
      : { ...was, error: next[name].error, sentAt };
    const result = { ...state.features[name], before: synced ? null : before };
    take(state.operation, name, result, { admin, peer });
  }
  markMismatches(state, admin);
  state.operation = copyOperation(state.operation);
  return state;
}

function isSynced(state: CeeState, sentAt: number, peer: CeeDcbx): boolean {
  return peer.acknowledged >= sentAt && peer.acknowledged <= state.sequence;
}

/** The rules of a feature; the first that matches applies. */
function settle(name: FeatureName, own: CeeFeature, peer: CeeDcbx | null): FeatureState {
  const verdict = (operational: boolean, from: 'local' | 'peer', error: boolean): FeatureState => ({
    operational,
    from,
    error,
    sentAt: 0,
  });
  const other = peer === null ? null : peer[name];
  if (other === null) return verdict(false, 'local', true);
  if (!own.enable || !other.enable) return verdict(false, 'local', false);
  if (own.willing && !other.willing) return verdict(!other.error, 'peer', false);
  if (!own.willing && other.willing) return verdict(true, 'local', false);
  const compatible = areCompatible(name, own, other);
  return verdict(compatible, 'local', !compatible);
}

/** Only maps of PFC must be equal; groups and applications are always compatible. */
function areCompatible(name: FeatureName, own: CeeFeature, other: CeeFeature): boolean {
  if (name !== 'pfc') return true;
  const enabled = (feature: CeeFeature): unknown => (feature as { enabled?: number }).enabled;
  return enabled(own) === enabled(other);
}

/** Operational state of a port while no feature is operational: no PFC, and its own table. */
function offOperation(admin: DcbxAdmin): DcbxOperation {
  return { ...localOperation(admin), protocol: 'cee', pfc: 0 };
}

/** Of a feature; `before`: the operational state that it keeps until it is synced. */
interface FeatureResult extends FeatureState {
  readonly before: DcbxOperation | null;
}

interface BothEnds {
  readonly admin: DcbxAdmin;
  readonly peer: CeeDcbx | null;
}

/** Copies one feature's result into the operational state. */
function take(
  into: DcbxOperation,
  name: FeatureName,
  { operational, from, before }: FeatureResult,
  { admin, peer }: BothEnds,
): void {
  if (name === 'pfc') {
    const wanted = from === 'peer' ? (peer?.pfc?.enabled ?? 0) : admin.pfc.enabled;
    into.pfc = before?.pfc ?? (operational ? wanted : 0);
    into.pfcFrom = before?.pfcFrom ?? from;
  } else if (name === 'groups') {
    const table = from === 'peer' && operational ? tableOf(peer!.groups!, admin) : null;
    into.ets = before?.ets ?? table ?? admin.ets;
    into.etsFrom = before?.etsFrom ?? (table === null ? 'local' : 'peer');
    if (from === 'peer' && operational && table === null) into.mismatches |= MISMATCH.ETS;
  } else {
    const others = from === 'peer' && operational ? peer!.applications!.entries : null;
    into.applications =
      before?.applications ?? others?.flatMap(applicationsOf) ?? admin.applications;
  }
}

function markMismatches(state: CeeState, admin: DcbxAdmin): void {
  const { features, operation } = state;
  if (operation === null) return;
  if (features.groups.error) operation.mismatches |= MISMATCH.ETS;
  if (features.pfc.error) operation.mismatches |= MISMATCH.PFC;
  if (features.applications.error) operation.mismatches |= MISMATCH.APPLICATION;
  if (isUnprotected(admin, operation.pfc)) operation.mismatches |= MISMATCH.APPLICATION;
}

/** A class with a share is the priority group of its number; a strict one has group 15. */
function groupsOf({ classOf, shares, algorithms, classes }: Ets): {
  groupOf: number[];
  shares: readonly number[];
  classes: number;
} {
  const groupOf = classOf.map((tc) => (algorithms[tc] === TSA_ETS ? tc : CEE_STRICT_GROUP));
  const shared = groupOf.some((group) => group !== CEE_STRICT_GROUP);
  return { groupOf, shares: shared ? shares : shares.map(() => 0), classes };
}

/**
 * A peer's groups as classes of their numbers; strict priorities stay in their class, or move to
 * the highest class that is left. Null where that is impossible.
 */
function tableOf(
  { groupOf, shares }: { readonly groupOf: readonly number[]; readonly shares: readonly number[] },
  admin: DcbxAdmin,
): Ets | null {
  const own = admin.ets;
  const isShared = (tc: number): boolean => groupOf.includes(tc);
  const spare = [7, 6, 5, 4, 3, 2, 1, 0].find((tc) => !isShared(tc));
  const strictClass = (own: number): number | undefined => (isShared(own) ? spare : own);
  const classOf = groupOf.map((group, priority) =>
    group === CEE_STRICT_GROUP ? strictClass(own.classOf[priority]) : group,
  );
  if (!classOf.every((tc) => tc !== undefined && tc < TRAFFIC_CLASSES)) return null;
  const table = {
    ...own,
    classOf: classOf as number[],
    algorithms: shares.map((_, tc) => (isShared(tc) ? TSA_ETS : TSA_STRICT)),
    shares: shares.map((share, tc) => (isShared(tc) ? share : 0)),
  };
  return isFeasible(table, admin) ? table : null;
}

function entriesOf({ selector, protocol, priority }: Application): CeeApplication[] {
  const kind = selector === BY_ETHERTYPE ? 0 : selector <= BY_PORT ? BY_SOCKET : -1;
  return kind < 0 ? [] : [{ protocol, selector: kind, priorities: 1 << priority }];
}

function applicationsOf({ selector, protocol, priorities }: CeeApplication): Application[] {
  const kind = selector === 0 ? BY_ETHERTYPE : BY_PORT;
  return [0, 1, 2, 3, 4, 5, 6, 7]
    .filter((priority) => (priorities & (1 << priority)) !== 0)
    .map((priority) => ({ selector: kind, protocol, priority }));
}
