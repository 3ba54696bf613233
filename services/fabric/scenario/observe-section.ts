import type { CaptureType } from '../../engine/analysis/capture/capture-filter.js';

export interface ObserveSection {
  /** Sampling interval of the series; null: none. */
  readonly seriesPs: number | null;
  /** Ports (names or globs) in the series; empty: all. */
  readonly ports: readonly string[];
  /** Write down who held whom back, when and why. */
  readonly episodes: boolean;
  /** Port whose queue duels measure reactions by; null: that of the incast. */
  readonly queue: string | null;
  /** A priority of a port that is held for so long is a storm. */
  readonly stormPs: number;
  /** Null: no frame is followed. */
  readonly traces: TraceSection | null;
  /** Null: nothing is captured. */
  readonly captures: CaptureSection | null;
  /** Write down drops, marks, stops, holds and deliveries, one by one. */
  readonly events: boolean;
  /** A fingerprint of what each port put on the wire. */
  readonly wire: boolean;
}

/** Frames that are followed from end to end; a frame must pass all that is said. */
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
  /** Ports, devices or cables, by name or glob; at least one. */
  readonly ports: readonly string[];
  /** Any of them must let a frame pass; none: all pass. */
  readonly filters: readonly CaptureFilterSection[];
  /** Most octets of a frame with payload; null: its headers, and of RoCEv2 all. */
  readonly snapOctets: number | null;
  /** Most frames of each port. */
  readonly frames: number;
}

/** A frame must pass all that is said. */
export interface CaptureFilterSection {
  readonly priority: number | null;
  readonly type: CaptureType | null;
  /** Number, name or glob. */
  readonly flow: number | string | null;
}
