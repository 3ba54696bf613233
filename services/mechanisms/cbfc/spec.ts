/** What a device is given of it: plain numbers, by port. */
export interface CbfcSpec {
  readonly ports: readonly (CbfcPortSpec | null)[];
}

export interface CbfcPortSpec {
  /** Priorities that run it, one bit each. */
  readonly priorities: number;
  /** Virtual channel of each priority. */
  readonly channelOf: readonly number[];
  /** What this end grants, and what its link partner does. */
  readonly receiver: ReceiverTerms;
  readonly sender: SenderTerms;
  /** By channel: credits of the longest frame. */
  readonly frameCredits: readonly number[];
  /** Credits freed of a channel that are worth an update. */
  readonly stepCredits: readonly number[];
  /** From one CF_Update of the port to the next, at least; of a channel, at most. */
  readonly leastSpacingPs: number;
  readonly mostSpacingPs: number;
  /** From one CC_Update to the next; and while no answer has come. */
  readonly consumedPs: number;
  readonly retryPs: number;
  /** Link partners agree by discovery: nothing runs until they have. */
  readonly negotiates: boolean;
}

/** How frames are counted. */
export interface CreditSize {
  /** The exponent of octets of a credit. */
  readonly shift: number;
  readonly overhead: number;
}

export interface ReceiverTerms extends CreditSize {
  /** By channel: most credits in use; 0 where it is best effort. */
  readonly limits: readonly number[];
  /** Credits of the port; 0: each channel has its own. */
  readonly total: number;
}

export interface SenderTerms extends CreditSize {
  /** By channel; null where it is best effort. */
  readonly channels: readonly (ChannelTerms | null)[];
  /** By pool: credits beyond those reserved. */
  readonly pools: readonly number[];
}

/** Credit profile of a channel. */
export interface ChannelTerms {
  /** Most credits in use. */
  readonly limit: number;
  /** -1: its credits are its own, up to the limit. */
  readonly pool: number;
  readonly reserved: number;
  /** What it may have of the pool: nothing; so many credits (0: all); 2^n of what is free. */
  readonly sharing: 'none' | 'static' | 'dynamic';
  readonly threshold: number;
}
