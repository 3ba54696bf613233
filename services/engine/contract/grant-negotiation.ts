import type { GrantTlv } from './discovery.js';
import type { CeeDcbx } from '../wire/lldp/dcbx-cee.js';
import type { Application, Applications } from '../wire/lldp/dcbx-ieee.js';

/** What both ends of a link agree on about their grants, priority by priority. */
export interface GrantAgreement {
  /** Priorities on which this end agrees with what it has received, one bit each. */
  agreed: number;
  /** Of those, the ones that the peer has agreed on, too: their frames need grants. */
  priorities: number;
  /** Priorities whose messages on this link are those of CBFC: both ends support them. */
  cbfc: number;
  mode: 'cumulative' | 'incremental';
  channels: number;
  tags: boolean;
  /** Octets of a unit that this end grants, and that the peer does. */
  grantedUnitOctets: number;
  askedUnitOctets: number;
  /** The peer's grants: totals of 31 bits, and its buffer in its units. */
  askedWide: boolean;
  askedDivided: boolean;
  askedBufferUnits: readonly number[];
  /** Wanted at an end, but not possible at both, or not agreed on by the peer. */
  mismatch: boolean;
  unitMismatch: boolean;
}

/** Where a peer advertises its grants: in a TLV of their own, or in applications of DCBX. */
export interface GrantOffers {
  readonly grants: GrantTlv | null;
  readonly applications: Applications | null;
  readonly cee: CeeDcbx | null;
}

/** How both ends of a link come to exchange grants. */
export interface GrantNegotiation {
  /** Nothing is agreed on. */
  none(): GrantAgreement;
  /** Null: the peer offers nothing. */
  advertised(remote: GrantOffers): GrantTlv | null;
  /** `follows`: this end uses what the peer has switched on. */
  agree(local: GrantTlv | null, peer: GrantTlv | null, follows: boolean): GrantAgreement;
  /** An application that a port without a TLV of its own advertises only to a peer it receives. */
  needsPeer(application: Application): boolean;
}

/** Nothing is agreed on. */
export function noAgreement(): GrantAgreement {
  return {
    agreed: 0,
    priorities: 0,
    cbfc: 0,
    mode: 'incremental',
    channels: 0,
    tags: false,
    grantedUnitOctets: 0,
    askedUnitOctets: 0,
    askedWide: false,
    askedDivided: false,
    askedBufferUnits: [],
    mismatch: false,
    unitMismatch: false,
  };
}

/** Of an engine whose mechanisms exchange no grants. */
export const NO_NEGOTIATION: GrantNegotiation = {
  none: noAgreement,
  advertised: () => null,
  agree: noAgreement,
  needsPeer: () => false,
};
