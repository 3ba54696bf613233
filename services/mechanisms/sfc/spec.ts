/** How a switch detects that a queue is congested (P802.1Qdw: by any method). */
export type SfcDetector =
  | { readonly kind: 'threshold'; readonly octets: number }
  /** As a multiple of the buffer that is free. */
  | { readonly kind: 'dynamic'; readonly alpha: number }
  /** With a probability that rises between two lengths (RED). */
  | {
      readonly kind: 'marking';
      readonly minOctets: number;
      readonly maxOctets: number;
      readonly probability: number;
    }
  /** At its present growth the queue would reach this length after a time. */
  | { readonly kind: 'predicted'; readonly octets: number; readonly horizonPs: number };

/** Source flow control in a switch; its detection monitors every egress. */
export interface SfcSwitchSpec {
  /** Traffic classes that are monitored, one bit each. */
  readonly monitorQueues: number;
  readonly ports: readonly SfcPortSpec[];
  readonly minIntervalPs: number;
  /** Least time between two messages of one queue. */
  readonly queueIntervalPs: number;
  /** Pause time; null: the time that the surplus of the queue takes to drain. */
  readonly pauseNs: number | null;
  readonly pauseMinNs: number;
  readonly pauseMaxNs: number;
  /** A queue that is itself paused requests the longest pause; else nothing. */
  readonly sendsWhilePaused: boolean;
  /** Resume the sources when the queue has fallen to its target. */
  readonly resume: boolean;
  readonly maxSources: number;
  readonly sourceLifePs: number;
  /** Octets of the congesting frame that a message quotes. */
  readonly minHeaderOctets: number;
  readonly txPriority: number;
  readonly encapsulation: 'ethernet' | 'ipv4' | 'ipv6';
  /** From the last bit of a message to its effect, where this switch is a proxy for a station. */
  readonly processingPs: number;
  /** The switch's own addresses, as of a station; and those of all stations, by position. */
  readonly address: Uint8Array;
  readonly stations: Uint8Array;
  /** By station: time to it and back, on an idle fabric. */
  readonly loopPs: Float64Array;
}

export interface SfcPortSpec {
  readonly detector: SfcDetector;
  readonly targetOctets: number;
  /** Time of an octet at line rate. */
  readonly octetPs: number;
  /** MAC of the station on the link; 0 where there is none. */
  readonly station: number;
  /** The switch pauses the station by PFC: never, always, or while it does not respond itself. */
  readonly proxy: 'off' | 'on' | 'auto';
  /** The station responds to messages itself, as known when the run starts. */
  readonly responds: boolean;
}

/** Source flow control in an end station that responds to it. */
export interface SfcHostSpec {
  /** A message pauses its whole priority, or only flows to the same destination. */
  readonly scope: 'priority' | 'flow';
  readonly processingPs: number;
  /** By sending connection: MAC of its destination. */
  readonly destinations: readonly number[];
}
