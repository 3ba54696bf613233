/** Of a scenario: how switches tell others of congestion, source flow control and isolation. */

/** Congestion isolation; every switch may have its own. */
export interface CiSection {
  readonly enabled: boolean;
  readonly priority: number;
  /** Null: from the rate. */
  readonly thresholdBytes: number | null;
  /** Null: from the longest frame. */
  readonly lowBytes: number | null;
  readonly maxCim: number;
  readonly maxStreams: number;
  readonly maxFlowLifePs: number;
  readonly idlePs: number;
  readonly quoteBytes: number;
  readonly messagePriority: number;
  readonly encapsulation: 'ethernet' | 'ipv4' | 'ipv6';
}

/** Source flow control; every device may have its own. */
export interface SfcSection {
  readonly send: boolean;
  readonly receive: boolean;
  readonly proxy: 'auto' | 'on' | 'off';
  readonly detect: SfcDetectSection;
  /** Null: from the longest round trip. */
  readonly targetBytes: number | null;
  readonly minIntervalPs: number;
  /** Null: computed from the queue. */
  readonly pausePs: number | null;
  readonly pauseMinPs: number;
  readonly pauseMaxPs: number;
  readonly resume: boolean;
  readonly maxSources: number;
  readonly sourceLifePs: number;
  readonly quoteBytes: number;
  readonly priority: number;
  readonly encapsulation: 'ethernet' | 'ipv4' | 'ipv6';
  readonly scope: 'priority' | 'flow';
  readonly processingPs: number;
}

export type SfcDetectSection =
  | { readonly kind: 'auto' }
  | { readonly kind: 'threshold'; readonly bytes: number }
  | { readonly kind: 'dynamic'; readonly alpha: number }
  | {
      readonly kind: 'marking';
      readonly minBytes: number;
      readonly maxBytes: number;
      readonly probability: number;
    }
  | { readonly kind: 'predicted'; readonly bytes: number; readonly horizonPs: number };
