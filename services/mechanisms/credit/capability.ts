import { ALL_PRIORITIES } from '../../engine/units/ethernet.js';
import {
  type GrantAgreement,
  type GrantNegotiation,
  type GrantOffers,
  noAgreement,
} from '../../engine/contract/grant-negotiation.js';
import {
  blankCreditExchange,
  CREDIT_UNIT_LEAST,
  type CreditExchange,
} from '../../engine/wire/lldp/capability-tlvs.js';
import { type Application, BY_ETHERTYPE } from '../../engine/wire/lldp/dcbx-ieee.js';

/**
 * `follows`: this end uses what the peer has switched on (the symmetric rule of DCBX).
 *
 * A sender without credit waits, so an end exchanges credit only for priorities on which the peer
 * has agreed, too: a three-way handshake, as in IS-IS (RFC 5303). What an end agrees on depends on
 * what both ends advertise alone, and not on what else an end knows of itself, or on what the peer
 * agrees on: so both agree on the same. An end that no longer receives its peer agrees on nothing,
 * and its peer leaves as well.
 */
export function agreeOnCredit(
  local: CreditExchange | null,
  peer: CreditExchange | null,
  follows: boolean,
): GrantAgreement {
  const result = noAgreement();
  if (local === null) return result;
  if (peer === null) {
    result.mismatch = local.enabled !== 0;
    return result;
  }
  const wanted = wantedOf(local, peer, follows);
  result.cbfc = wanted & local.cbfc & peer.cbfc;
  // CBFC has credits of its own.
  const capable = local.capable & peer.capable & ~result.cbfc;
  result.unitMismatch = capable !== 0 && !(fits(local, peer) && fits(peer, local));
  const can = result.unitMismatch || !haveCeFrames(local, peer) ? 0 : capable;
  result.agreed = wanted & can;
  result.priorities = result.agreed & peer.agreed;
  result.mismatch =
    (wanted & ~(result.agreed | result.cbfc)) !== 0 ||
    (result.agreed & ~peer.agreed) !== 0 ||
    (!follows && !peer.willing && local.enabled !== peer.enabled);
  if (result.priorities === 0) return result;
  const both = (has: (end: CreditExchange) => boolean): boolean => has(local) && has(peer);
  result.mode =
    both(({ cumulative }) => cumulative) && both(({ resync }) => resync)
      ? 'cumulative'
      : 'incremental';
  result.channels = both(({ channelled }) => channelled)
    ? Math.min(local.channels, peer.channels)
    : 0;
  result.tags =
    both(({ ceTag }) => ceTag) &&
    both(({ requestTpid, responseTpid }) => requestTpid !== responseTpid);
  result.grantedUnitOctets = local.unitOctets;
  result.askedUnitOctets = peer.unitOctets;
  result.askedWide = peer.wide;
  result.askedDivided = peer.divided;
  result.askedBufferUnits = [...peer.bufferUnits];
  return result;
}

function haveCeFrames(local: CreditExchange, peer: CreditExchange): boolean {
  return local.ceFrames && peer.ceFrames;
}

/** Two unwilling ends have credit where both have switched it on. */
function wantedOf(local: CreditExchange, peer: CreditExchange, follows: boolean): number {
  if (follows) return peer.enabled;
  return peer.willing ? local.enabled : local.enabled & peer.enabled;
}

/** A unit that an end grants must be one that both support. */
function fits(granter: CreditExchange, other: CreditExchange): boolean {
  const most = Math.min(granter.maxCreditBlockOctets, other.maxCreditBlockOctets);
  return granter.unitOctets >= CREDIT_UNIT_LEAST && granter.unitOctets <= most;
}

/*
 * CET as an Application Protocol TLV of DCBX, as the proposal names it: an entry for each priority
 * that a port exchanges credit for, by the EtherType of CE frames. An entry has no room for more,
 * so its port uses what the proposal has without negotiation, and needs its peer to do the same.
 */

/** EtherType of MAC control, which CE frames have. */
export const CET_PROTOCOL = 0x8808;
/** Selector of an EtherType in CEE. */
const CEE_ETHERTYPE = 0;

/** Entries of a port for priorities, one bit each. */
export function cetApplications(priorities: number): Application[] {
  return [0, 1, 2, 3, 4, 5, 6, 7]
    .filter((priority) => (priorities & (1 << priority)) !== 0)
    .map((priority) => ({ priority, selector: BY_ETHERTYPE, protocol: CET_PROTOCOL }));
}

/** What a peer advertises: by the TLV of its own, or by applications; null: nothing. */
export function advertisedCredit(remote: GrantOffers): CreditExchange | null {
  const { grants, applications, cee } = remote;
  if (grants !== null) return grants;
  const ieee = applications?.entries ?? [];
  const ofCee = cee?.applications?.entries ?? [];
  const priorities =
    ieee
      .filter(({ selector, protocol }) => selector === BY_ETHERTYPE && protocol === CET_PROTOCOL)
      .reduce((mask, { priority }) => mask | (1 << priority), 0) |
    ofCee
      .filter(({ selector, protocol }) => selector === CEE_ETHERTYPE && protocol === CET_PROTOCOL)
      .reduce((mask, entry) => mask | entry.priorities, 0);
  return priorities === 0 ? null : literalExchange(priorities);
}

/**
 * Amounts in units of 512 bits, of channel 0, in CE frames: a port that says priorities only. It
 * sends them while it receives its peer (`needsPeer`): a peer that reads them has been received.
 */
export function literalExchange(priorities: number): CreditExchange {
  return {
    ...blankCreditExchange(),
    answers: true,
    maxCreditBlockOctets: CREDIT_UNIT_LEAST,
    capable: priorities,
    enabled: priorities,
    agreed: ALL_PRIORITIES,
  };
}

/** An entry that a port with entries alone sends only while it receives its peer. */
function needsPeer({ selector, protocol }: Application): boolean {
  return selector === BY_ETHERTYPE && protocol === CET_PROTOCOL;
}

/** What discovery uses of it. */
export const creditNegotiation: GrantNegotiation = {
  none: noAgreement,
  advertised: advertisedCredit,
  agree: agreeOnCredit,
  needsPeer,
};
