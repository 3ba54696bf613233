import type { SfcReaction } from './plan.js';

/** Source flow control of a device; only of those with any activity. */
export interface SfcResult {
  readonly device: string;
  readonly role: 'bridge' | 'station';
  /** Under the names of the managed objects. */
  readonly counters: Readonly<Record<string, number>>;
  readonly sourcesPeak: number;
  /** From the detection of congestion to the pause (at an edge: to the request for PFC). */
  readonly reactionMinPs: number | null;
  readonly reactionMeanPs: number | null;
  readonly reactionMaxPs: number | null;
  /** Of a station: how often and how long it paused, over all priorities. */
  readonly pauses: number;
  readonly pausedPs: number;
}

/** Whether source flow control reaches the source of a flow. */
export interface SfcPathResult {
  readonly flow: string;
  readonly reaction: SfcReaction;
  /** Switches of the path that send SFCMs for it, and the others. */
  readonly sending: readonly string[];
  readonly silent: readonly string[];
}

export interface SfcResults {
  readonly sfc: readonly SfcResult[];
  readonly sfcPaths: readonly SfcPathResult[];
}
