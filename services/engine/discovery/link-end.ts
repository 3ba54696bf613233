/**
 * What one end of a link does, priority by priority: one pure function of what it is configured and
 * built for, and of what it has received of its link partner. The data path, LLDPDUs, `paths`,
 * `dcbx`, the pages and the checks read it here, and come to nothing of their own.
 */

import type { ChannelTerms, DiscoveryAdmin, DiscoveryPortSpec } from '../contract/discovery.js';
import type { GrantAgreement, GrantNegotiation } from '../contract/grant-negotiation.js';
import { PRIORITY_NUMBERS } from '../units/ethernet.js';
import type { Ets } from '../wire/lldp/dcbx-ieee.js';
import type { MechanismTlvs } from '../wire/lldp/mechanism-tlvs.js';
import { type CeeState, resolvedCee } from './dcbx/dcbx-cee-machine.js';
import { chosenDcbx } from './dcbx/dcbx-choice.js';
import { resolveIeee } from './dcbx/dcbx-ieee-machine.js';
import {
  copyOperation,
  type DcbxOperation,
  localOperation,
  MISMATCH,
} from './dcbx/dcbx-managed.js';
import { followsPeer } from './dcbx/symmetric.js';
import { differingPfc } from './exposure.js';
import type { Neighbor } from './lldp/receive-machine.js';
import { spokenBy } from './lldp/remote.js';

/**
 * How frames of a priority start at a port: under PAUSE of the whole port; with grants that both
 * ends agree on; with credits of virtual channels, whose terms the link partner advertises; under
 * PFC; freely; or not before the link partner agrees.
 */
export type StartRule = 'pause' | 'grants' | 'channels' | 'pauses' | 'none' | 'withheld';

/** What one end knows. */
interface EndKnowledge {
  readonly spec: Pick<DiscoveryPortSpec, 'identity' | 'drives' | 'built'>;
  readonly admin: DiscoveryAdmin;
  /** Received, and not aged. */
  readonly neighbors: readonly Neighbor[];
  /** DCBX 1.01 keeps the state of its features until the peer has acknowledged a change. */
  readonly cee: Readonly<CeeState>;
}

/** What one end does. */
export interface EndOutcome {
  cee: CeeState;
  operation: DcbxOperation;
  agreement: GrantAgreement;
  /** By priority. */
  starts: StartRule[];
  /** Priorities whose pauses this end sends, and obeys, one bit each. */
  pausable: number;
  /** Priorities whose virtual channels have credits, one bit each. */
  channels: number;
  /** Priorities with PFC at one end only, as far as this end can tell, one bit each. */
  differing: number;
}

/** The DCBX peer: the only neighbor (802.1Q 38.3). */
export function onlyNeighbor(neighbors: readonly Neighbor[]): Neighbor | null {
  return neighbors.length === 1 ? neighbors[0] : null;
}

export function outcomeOf(known: EndKnowledge, grants: GrantNegotiation): EndOutcome {
  const { spec, admin, neighbors } = known;
  const { built, drives, identity } = spec;
  const peer = onlyNeighbor(neighbors);
  const cee = ceeOfEnd(known, peer);
  const operation = copyOperation(operationOf(known, peer, cee));
  const agreement = agreementOf(admin, identity.mac, peer, grants);
  if (drives) keepWholeClasses(agreement, operation.ets, admin.exchange?.capable ?? 0);
  const terms = built.channels;
  const channels = PRIORITY_NUMBERS.reduce((bits, p) => {
    if (terms === null || (terms.priorities & (1 << p)) === 0) return bits;
    return drives && missingTerm(terms, p, peer?.remote ?? null) !== null ? bits : bits | (1 << p);
  }, 0);
  const pausable = built.pausable & (drives ? operation.pfc : -1);
  const granted = built.grants & (drives ? agreement.priorities : -1);
  const enabled = admin.exchange?.enabled ?? 0;
  const starts = PRIORITY_NUMBERS.map((priority): StartRule => {
    const bit = 1 << priority;
    const has = (priorities: number): boolean => (priorities & bit) !== 0;
    if (built.wholePort) return 'pause';
    if (has(terms?.priorities ?? 0)) return has(channels) ? 'channels' : 'withheld';
    if (has(granted)) return 'grants';
    if (drives && has(enabled & built.grantsOnly)) return 'withheld';
    return has(pausable) ? 'pauses' : 'none';
  });
  const isWithheld = starts.includes('withheld');
  operation.mismatches |=
    mismatchesOf(operation, neighbors) |
    (agreement.mismatch || isWithheld ? MISMATCH.CREDIT : 0) |
    (agreement.unitMismatch ? MISMATCH.CREDIT_UNIT : 0);
  const own = { willing: admin.dcbx.pfc.willing, mac: identity.mac };
  const differing = differingPfc(operation, own, peer);
  return { cee, operation, agreement, starts, pausable, channels, differing };
}

/** How frames start on a link in one direction: of what both of its ends do. */
export function startOnLink(sender: EndOutcome, receiver: EndOutcome, priority: number): StartRule {
  const rule = sender.starts[priority];
  // It would wait for grants that its link partner does not send.
  if (rule === 'grants') return receiver.starts[priority] === 'grants' ? rule : 'withheld';
  if (rule !== 'pauses') return rule;
  return (receiver.pausable & (1 << priority)) !== 0 ? rule : 'none';
}

/** Priorities that an end has agreed to pause, one bit each, and whether it follows its peer. */
export function pausesOf({ operation }: EndOutcome): { agreed: number; isAdopted: boolean } {
  return { agreed: operation.pfc, isAdopted: operation.pfcFrom === 'peer' };
}

/** Priorities whose frames start by a rule, one bit each. */
export function ruledBy({ starts }: EndOutcome, rule: StartRule): number {
  return starts.reduce((bits, own, p) => (own === rule ? bits | (1 << p) : bits), 0);
}

/** What a link partner does not advertise of the credits that a sender needs; null: nothing. */
export function missingTerm(
  { name, channelOf, creditOctets, overhead }: ChannelTerms,
  priority: number,
  advertised: Pick<MechanismTlvs, 'linkLayer' | 'channelCredits'> | null,
): string | null {
  const credits = advertised?.channelCredits ?? null;
  if (advertised?.linkLayer?.credits !== true || credits === null) return name;
  if (credits.creditOctets !== creditOctets || credits.overhead !== overhead) {
    return `credits of ${creditOctets} bytes with an overhead of ${overhead}`;
  }
  const channel = channelOf[priority];
  const isLossless = (credits.lossless & (1 << channel)) !== 0;
  return isLossless ? null : `virtual channel ${channel} as lossless`;
}

function ceeOfEnd({ admin, cee }: EndKnowledge, peer: Neighbor | null): CeeState {
  const speaks = protocolOf(admin, peer) === 'cee';
  return speaks ? resolvedCee(cee, admin.dcbx, peer?.remote.cee ?? null) : cee;
}

function protocolOf({ dcbx }: DiscoveryAdmin, peer: Neighbor | null): DcbxOperation['protocol'] {
  return chosenDcbx(dcbx.mode, peer === null ? null : spokenBy(peer.remote));
}

function operationOf(
  { admin, spec }: EndKnowledge,
  peer: Neighbor | null,
  cee: CeeState,
): DcbxOperation {
  const protocol = protocolOf(admin, peer);
  if (protocol === 'none') return localOperation(admin.dcbx);
  if (protocol === 'cee') return cee.operation!;
  if (peer === null) return { ...localOperation(admin.dcbx), protocol };
  return resolveIeee(admin.dcbx, spec.identity.mac, { mac: peer.mac, ...peer.remote });
}

function mismatchesOf({ protocol }: DcbxOperation, neighbors: readonly Neighbor[]): number {
  if (neighbors.length > 1) return MISMATCH.SEVERAL_PEERS;
  if (neighbors.length === 0 || protocol === 'none') return 0;
  const spoken = spokenBy(neighbors[0].remote);
  const isOther = !spoken[protocol] && (spoken.ieee || spoken.cee);
  return isOther ? MISMATCH.NO_COMMON_PROTOCOL : 0;
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
