import { EXCHANGE } from '../../mechanisms/registry.js';

/** Congestion of a run: plain data, ready for JSON. Times are ps; a null end was still to come. */

/**
 * From when frames are first blocked until that clears:
 * - `queue`: more arrived at an egress than it sends;
 * - `full`: an ingress buffer was full and paused its link partner;
 * - `blocked`: a priority of a port might not send.
 */
export type EpisodeKind = 'queue' | 'full' | 'blocked';

/** Less is granted than one round trip of the link takes. */
export const GRANT_LOOP = `${EXCHANGE}-loop` as const;

/** Why an episode has no cause. */
export type RootReason =
  /** Several ports send to one, together more than it can forward. */
  | 'contended'
  /** The ingress link is faster than the egress link. */
  | 'slower-wire'
  /** A station that does not read what it is sent. */
  | 'slow-receiver'
  /** The account was full although none of its frames waited: others use the buffer. */
  | 'memory-taken'
  /**
   * Grants were exhausted although the link partner's buffer was not full: too little for the
   * distance.
   */
  | typeof GRANT_LOOP
  /** Its link partner has not agreed over LLDP to the flow control of the priority. */
  | 'no-agreement'
  /** It waits for itself: it is part of a cycle that never opened. */
  | 'deadlock'
  /** Blocked by a mechanism other than the link partner's. */
  | 'mechanism';

export interface Episode {
  /** Of device, port, priority and start: the same in every partitioning. */
  readonly id: string;
  readonly kind: EpisodeKind;
  readonly device: string;
  readonly port: string;
  /** Null where all priorities of the port are meant. */
  readonly priority: number | null;
  /** The mechanism that blocked or paused; empty for a queue. */
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number | null;
  /** The episode that caused it; null of a root. */
  readonly parent: string | null;
  readonly reason: RootReason | null;
  /** Frames that waited at a blocked port, each times how long. */
  readonly frameTimePs: number;
}

/** An account in a cycle, and the egress that keeps it full. */
export interface RingStep {
  readonly device: string;
  readonly ingress: string;
  readonly egress: string;
  readonly priority: number;
}

/** A cycle in the wait-for graph: each of its accounts waits for the next one. */
export interface Deadlock {
  readonly closedPs: number;
  /** Null: it never opened. */
  readonly openedPs: number | null;
  readonly ring: readonly RingStep[];
}

/** A priority of a port that was paused for longer than the storm threshold. */
export interface Storm {
  readonly port: string;
  readonly priority: number | null;
  readonly startPs: number;
  /** When the storm was detected. */
  readonly noticedPs: number;
  readonly endPs: number | null;
}

export interface Congestion {
  /** In the order of their starts. */
  readonly episodes: readonly Episode[];
  readonly deadlocks: readonly Deadlock[];
  readonly storms: readonly Storm[];
  /** Episodes beyond the limit. */
  readonly omitted: number;
}
