import type { Fallback } from '../fabric-context.js';

/** Credit exchange, on every priority that has it. */
export interface CreditSection {
  readonly end: CreditEndSection;
  /** At least one. */
  readonly channels: readonly {
    readonly channel: number;
    readonly vlans: readonly number[];
    readonly share: number;
  }[];
  readonly tags: boolean;
  /** Null, here and below: from the link. */
  readonly tagWaitPs: number | null;
  readonly refreshPs: number;
  readonly reportPs: number;
  readonly pollPs: number | null;
  readonly syncPs: number | null;
  readonly syncTries: number;
  readonly keepAlivePs: number;
  /** On links where only one end has it. */
  readonly fallback: Fallback;
}

/** Settings of each device. */
export interface CreditEndSection {
  /** Null: the longest frame. */
  readonly unitBytes: number | null;
  /** Null, here and below: from the link. */
  readonly bufferBytes: number | null;
  readonly policy: 'static' | 'demand';
  readonly unsolicited: boolean;
  readonly stepBytes: number | null;
  readonly keepBytes: number | null;
  /** Null: not shaped. */
  readonly shaperBps: number | null;
  readonly grantFactor: number;
  readonly request: 'auto' | 'never' | 'blocked' | 'ahead';
  readonly prediction: number;
  /** Null: credit does not age. */
  readonly agePs: number | null;
  /** What it supports: a link has what both of its ends support. */
  readonly counts: 'cumulative' | 'incremental';
  /** Null: all. */
  readonly maxChannels: number | null;
  /** Messages that it supports: a link has those that both of its ends support. */
  readonly codec: 'ce' | 'cbfc' | 'both';
  /** How discovery advertises it. */
  readonly cet: 'tlv' | 'both' | 'application';
}
