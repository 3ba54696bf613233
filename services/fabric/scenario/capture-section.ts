import type { CaptureType } from '../../engine/analysis/capture/capture-filter.js';

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
