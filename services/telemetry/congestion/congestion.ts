/** Congestion of a run: plain data, ready for JSON. Times are ps; a null end was still to come. */

/**
 * From when frames are first delayed until that clears:
 * - `queue`: more arrived at an egress than it sends;
 * - `full`: an ingress buffer kept its link partner from sending;
 * - `blocked`: a priority of a port might not send.
 */
export type EpisodeKind = 'queue' | 'full' | 'blocked';

/** Why an episode has no cause; `why-text` has the sentences. */
export type RootReason =
  /** Several ports send to one, together more than it can forward. */
  | 'contended'
  /** The ingress link is faster than the egress link. */
  | 'slower-wire'
  /** One port feeds it, no faster than it sends: it was blocked before, and never caught up. */
  | 'left-over'
  /** So too, and it has never been blocked: other classes of its port are sent before it. */
  | 'other-classes'
  /** A station that does not read what it is sent. */
  | 'slow-receiver'
  /** The account was full although none of its frames waited: others use the buffer. */
  | 'memory-taken'
  /** A declared fault; the episode names it. */
  | 'fault'
  /** Link partners have not granted anything yet. */
  | 'no-grant-yet'
  /** Grants were exhausted while the link partner stored little; see `Shortage`. */
  | 'below-loop'
  | 'shaped'
  | 'on-request'
  | 'lent'
  | 'under-way'
  /** Its link partner has not agreed over LLDP to the flow control of the priority. */
  | 'no-agreement'
  /** It waits for acknowledgements of its link partner's link layer. */
  | 'retry'
  /** It keeps the order of frames of a flow that was in another queue. */
  | 'order'
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
  /** The declared fault that caused it, or took part in that; null: none did. */
  readonly fault: string | null;
  /** Frames that waited in the queue, or at the blocked port, each times how long. */
  readonly frameTimePs: number;
}

/** Whose frames filled a queue: octets of those that were sampled as they joined it. */
export interface QueueShare {
  /** The episode of the queue. */
  readonly episode: string;
  readonly flow: number;
  readonly octets: number;
  /** Of other flows, which are not told apart. */
  readonly othersOctets: number;
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
  readonly shares: readonly QueueShare[];
  readonly deadlocks: readonly Deadlock[];
  readonly storms: readonly Storm[];
  /** Episodes beyond the limit. */
  readonly omitted: number;
}
