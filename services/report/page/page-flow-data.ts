/** What the page knows of flows, their frames and what paused them. Times are ps, sizes octets. */

import type { Unit } from '../../mechanisms/measure.js';
import type { FlowRole } from '../../telemetry/congestion/flow-roles.js';

export interface FlowsView {
  /** Flows of the run; the rows may be fewer. */
  readonly total: number;
  /** Not complete first, then by slowdown. */
  readonly rows: readonly FlowView[];
  /** What is shown of each, in this order. */
  readonly figures: readonly Figure[];
  /** Ends of the spans of `arrivedBps`. */
  readonly timesPs: readonly number[];
}

/** A value of each port or flow, as it is measured. */
export interface Figure {
  /** Its name in links, and among the figures of a flow. */
  readonly by: string;
  /** Null: what keeps a port from sending. */
  readonly head: string | null;
  readonly unit: Unit;
  /** More than none of it is a bad sign. */
  readonly warns?: true;
}

export interface FlowView {
  readonly name: string;
  readonly load: string;
  readonly source: string;
  readonly destination: string;
  readonly priority: number;
  readonly startPs: number;
  /** Null while it is not complete. */
  readonly completionPs: number | null;
  readonly slowdown: number | null;
  /** Null for a stream. */
  readonly offeredOctets: number | null;
  readonly payloadOctets: number;
  /** By the names of figures; null: it has nothing of the kind. */
  readonly figures: Readonly<Record<string, number | null>>;
  /** Where its frames can go no farther; null: they reach their destination. */
  readonly unreachableAt: string | null;
  /** Why it is not finished, in words; empty: it is. */
  readonly cause: string;
  /** Ports that its frames leave by, from its source on. */
  readonly path: readonly number[];
  /** Trees that block it although it does not pass their root, by their places. */
  readonly victimOf: readonly number[];
  readonly role: FlowRole;
  /** It is part of a cyclic buffer dependency. */
  readonly isOfRing: boolean;
  /** Frames as they arrived; null unless all of them were traced. */
  readonly arrivedBps: readonly number[] | null;
  /** Its slowest ones among those that were traced, slowest first. */
  readonly frames: readonly FrameView[];
}

export interface FrameView {
  readonly sequence: number;
  /** From 0: a packet that is sent again makes another journey. */
  readonly attempt: number;
  readonly octets: number;
  readonly bornPs: number;
  /** Null: it never arrived. */
  readonly latencyPs: number | null;
  readonly steps: readonly StepView[];
}

/** A frame at one device and on the link behind it. */
export interface StepView {
  readonly device: string;
  readonly egress: string;
  readonly end: string;
  readonly reason: string;
  /** They follow each other without a gap. */
  readonly parts: readonly PartView[];
}

export type PartName =
  | 'source'
  | 'complete'
  | 'wait'
  | 'blocked'
  | 'serialise'
  | 'propagate'
  | 'process'
  | 'receive';

export interface PartView {
  readonly kind: PartName;
  readonly startPs: number;
  readonly endPs: number;
  /** What kept the port from sending: mechanism, link partner and episode. */
  readonly hold?: HoldView;
}

interface HoldView {
  readonly mechanism: string;
  readonly peer: string;
  /** Place of the episode; null where episodes are not observed. */
  readonly episode: number | null;
}

export interface EpisodesView {
  /** Episodes of the run; the rows may be fewer. */
  readonly total: number;
  /** In the order of their starts. */
  readonly rows: readonly EpisodeView[];
}

export interface EpisodeView {
  readonly kind: 'queue' | 'full' | 'blocked';
  readonly port: string;
  /** Null: all of the port. */
  readonly priority: number | null;
  readonly mechanism: string;
  readonly startPs: number;
  /** Null: it had not cleared at the end. */
  readonly endPs: number | null;
  /** Place of the episode that caused it; null of a root. */
  readonly parent: number | null;
  /** Why a root is one, in words; empty for others. */
  readonly reason: string;
  readonly frameTimePs: number;
}

/** Levels of a queue or an account that are drawn into its chart. */
export interface LimitView {
  readonly of: 'egress' | 'ingress' | 'granted';
  readonly label: string;
  readonly value: number;
}
