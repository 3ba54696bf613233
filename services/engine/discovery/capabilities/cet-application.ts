/**
 * CET as an Application Protocol TLV of DCBX, as the proposal names it: an entry for each priority
 * that a port exchanges credit for, by the EtherType of CE frames. An entry has no room for more,
 * so its port speaks what the proposal has without negotiation.
 */

import { type Application, BY_ETHERTYPE, type Applications } from '../../wire/lldp/dcbx-ieee.js';
import {
  ALL_PRIORITIES,
  blankCreditExchange,
  CREDIT_FIRST_VERSION,
  type CreditExchange,
} from '../../wire/lldp/capability-tlvs.js';
import { type CeeDcbx } from '../../wire/lldp/dcbx-cee.js';

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
export function advertisedCredit(remote: {
  readonly creditExchange: CreditExchange | null;
  readonly applications: Applications | null;
  readonly cee: CeeDcbx | null;
}): CreditExchange | null {
  const { creditExchange, applications, cee } = remote;
  if (creditExchange !== null) return creditExchange;
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

/** Amounts in units of 512 bits, of channel 0, in CE frames: a port that says priorities only. */
export function literalExchange(priorities: number): CreditExchange {
  return {
    ...blankCreditExchange(),
    version: CREDIT_FIRST_VERSION,
    answers: true,
    capable: priorities,
    enabled: priorities,
    // It cannot say on what it agrees.
    agreed: ALL_PRIORITIES,
  };
}
