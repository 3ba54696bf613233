import type { GrantsSpec } from '../../engine/contract/grants-spec.js';
import type { PortSpec } from '../../engine/contract/spec.js';

/** Credit exchange over a link, as one of its ends sees it. Units count octets of frames. */
export interface CreditPortSpec extends GrantsSpec {
  /** Totals (repaired by the next message), or increments (lost with their message). */
  readonly counts: 'cumulative' | 'incremental';
  /** What this end grants. */
  readonly granting: CreditGrantingSpec;
  /** What this end requests: in the units of its link partner. */
  readonly asking: CreditAskingSpec;
  /**
   * Messages may be carried in tags of data frames, which are waited for so long; null: no tags.
   */
  readonly tagWaitPs: number | null;
  /** Interval at which an idle account repeats its totals. */
  readonly keepAlivePs: number;
  /** Bound for a message and its answer, both behind the longest frame. */
  readonly roundTripPs: number;
}

export interface CreditGrantingSpec {
  readonly unitOctets: number;
  /** More may be outstanding than 16-bit counters can express: messages carry 32 bits. */
  readonly isWide: boolean;
  /** Units of the longest frame. */
  readonly frameUnits: number;
  /** By priority: units of buffer, of all channels together. */
  readonly bufferUnits: readonly number[];
  /** By priority: units in flight at full rate, from a frame to the grant for its buffer. */
  readonly loopUnits: readonly number[];
  /** Every channel has a fixed share, or requests buffer from a common pool. */
  readonly policy: 'static' | 'demand';
  /** Under the demand policy, by priority: what an idle channel always has. */
  readonly keepUnits: readonly number[];
  /** The link partner requests grants; otherwise data shows that it needs some. */
  readonly isAsked: boolean;
  /** False: grants are sent as answers only. */
  readonly unsolicited: boolean;
  /** Of the port: the rate that its receiver is shaped to; null: it is not. */
  readonly shaper: CreditShaperSpec | null;
  /** Freed units are granted when they are so many, or when the link partner may be short. */
  readonly stepUnits: number;
  readonly refreshPs: number;
  /** Least time between two requests for a resynchronisation. */
  readonly resyncPs: number;
  /** A channel without data or requests for so long is idle. */
  readonly idlePs: number;
}

/** A token bucket in octets of the line. */
export interface CreditShaperSpec {
  /** Time of an octet at the rate of the shaper. */
  readonly octetPs: number;
  readonly bucketOctets: number;
  /** A grant that waits for tokens waits until it is for this much. */
  readonly chunkOctets: number;
}

export interface CreditAskingSpec {
  readonly unitOctets: number;
  /** As the link partner grants. */
  readonly isWide: boolean;
  readonly frameUnits: number;
  /** By priority: units of the link partner's buffer; no sender can have more grants than that. */
  readonly bufferUnits: readonly number[];
  /** Every channel has a fixed share of it. */
  readonly isDivided: boolean;
  /** Never; when a frame waits for a grant; or earlier, when it has less than it wants. */
  readonly when: 'never' | 'blocked' | 'ahead';
  /** By priority: units that it requests beyond what waits. */
  readonly aheadUnits: readonly number[];
  /**
   * The link partner grants unsolicited, so a request is sent only when nothing came for `pollPs`.
   */
  readonly isPatient: boolean;
  readonly pollPs: number;
  readonly reportPs: number;
  readonly syncPs: number;
  readonly syncTries: number;
  /** Grants that was not used for so long is returned, down to `keepUnits`; Infinity: never. */
  readonly agePs: number;
  readonly keepUnits: readonly number[];
}

/** Of a port: what its grants are, where it has any; this mechanism alone plans them. */
export function creditOf({ grants }: Pick<PortSpec, 'grants'>): CreditPortSpec | null {
  return grants as CreditPortSpec | null;
}
