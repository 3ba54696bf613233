import type { CaptureType } from '../../engine/analysis/capture/capture-filter.js';

export interface ObserveSection {
  /** Sampling interval of the series in ps; null: no series. */
  readonly series: number | 'auto' | null;
  /** Ports (names or globs) in the series; empty: all. */
  readonly ports: readonly string[];
  /** Record episodes: which port blocked which, when and why. */
  readonly episodes: boolean;
  /** Port whose queue duels measure reactions by; null: that of the incast. */
  readonly queue: string | null;
  /** A priority of a port that is paused for so long is a storm. */
  readonly stormPs: number;
  /** Null: no frame is traced. */
  readonly traces: TraceSection | null;
  /** Null: nothing is captured. */
  readonly captures: CaptureSection | null;
  /** Record drops, marks, pauses, holds and deliveries; or these and the steps of accounts. */
  readonly events: boolean | 'steps';
  /** A fingerprint of what each port transmitted. */
  readonly wire: boolean;
}

/** Frames that are traced from end to end; a frame must match all criteria. */
export interface TraceSection {
  readonly share: number;
  /** Names or globs; empty: all. */
  readonly flows: readonly string[];
  /** Empty: all. */
  readonly priorities: readonly number[];
  /** Beyond these: so many of the slowest. */
  readonly slowest: number;
  /** And those that were dropped. */
  readonly dropped: boolean;
}

/** Ports whose frames are written into a capture file. */
export interface CaptureSection {
  /** Ports, devices or links, by name or glob; at least one. */
  readonly ports: readonly string[];
  /** A frame must match any of them; none: all match. */
  readonly filters: readonly CaptureFilterSection[];
  /** Most octets of a frame with payload; null: its headers, and of RoCEv2 all. */
  readonly snapOctets: number | null;
  /** Most frames of each port. */
  readonly frames: number;
}

/** A frame must match all criteria. */
export interface CaptureFilterSection {
  readonly priority: number | null;
  readonly type: CaptureType | null;
  /** Number, name or glob. */
  readonly flow: number | string | null;
}
