import type { TransportSpec } from '../../engine/contract/spec.js';

export const UET = 'uet';

export const ENTROPY_POLICIES = ['mixed', 'reps', 'bitmap', 'oblivious'] as const;

export interface EntropySpec {
  readonly policy: (typeof ENTROPY_POLICIES)[number];
  /** A power of two. */
  readonly values: number;
}

/** Network-signalled congestion control. Times in ps, sizes in octets of nominal packets. */
export interface NsccSpec {
  readonly packetOctets: number;
  readonly maxWindow: number;
  readonly minWindow: number;
  /** Round trip of an idle fabric. */
  readonly networkPs: number;
  readonly targetPs: number;
  /** Of octets squared per octet acknowledged: by delay (per ps), fair, and of each period. */
  readonly alpha: number;
  readonly fairIncrease: number;
  readonly eta: number;
  /** Octets per octet acknowledged while there is no delay. */
  readonly fastScale: number;
  readonly gamma: number;
  /** Least share that a decrease leaves. */
  readonly leastShare: number;
  readonly adjustOctets: number;
  readonly gain: number;
  readonly adaptGate: number;
  /** Infinity: only losses adapt the window at once. */
  readonly adaptDelayPs: number;
}

/** Receiver-credit congestion control. */
export interface CreditSpec {
  /** Octets that a sender begins with, and may have at most. */
  readonly maxCredit: number;
  /** Units granted at a time. */
  readonly grantUnits: number;
  /** Of the rate of its link, that a NIC grants. */
  readonly share: number;
}

export interface UetSpec extends TransportSpec {
  /** One acknowledgement for so many packets that request none. */
  readonly ackEvery: number;
  /** Nominal octets of a full packet, and of the last one of a message. */
  readonly fullOctets: number;
  readonly lastOctets: number;
  readonly entropy: EntropySpec;
  readonly nscc: NsccSpec;
  /** NSCC limits what is in flight. */
  readonly hasWindow: boolean;
  /** Receivers grant what is sent; null: they do not. */
  readonly credit: CreditSpec | null;
  /**
   * Time since the newest packet after which a sender that may send nothing sends one more, where
   * no answer is on its way.
   */
  readonly askPs: number;
  /** Packets out of order tell of losses (SLEEK). */
  readonly sleek: boolean;
}
