/** What held a run back: plain data, ready for JSON. Times are ps; a null end was still to come. */

/**
 * From when something begins to hold frames back until it clears:
 * - `queue`: more came to an egress than it sends;
 * - `stopped`: an ingress account was full and did not let the neighbour go on;
 * - `held`: a priority of a port might not send.
 */
export type EpisodeKind = 'queue' | 'stopped' | 'held';

/** Why an episode has no cause but itself. */
export type RootReason =
  /** Several ports send to one, together more than it can pass on. */
  | 'contended'
  /** What comes in faster than the egress sends. */
  | 'slower-wire'
  /** A station that does not take what it is sent. */
  | 'slow-receiver'
  /** The account was full although nothing of it waited: others have the memory. */
  | 'memory-taken'
  /** Credit ran out although the neighbour's buffer was not full: too little for the distance. */
  | 'credit-loop'
  /** It waits for itself: it is part of a circle that never opened. */
  | 'deadlock'
  /** Held by something that the neighbour did not ask for. */
  | 'mechanism';

export interface Episode {
  /** Of device, port, priority and start: the same wherever the run was executed. */
  readonly id: string;
  readonly kind: EpisodeKind;
  readonly device: string;
  readonly port: string;
  /** Null where all priorities of the port are meant. */
  readonly priority: number | null;
  /** What held or stopped; empty for a queue. */
  readonly mechanism: string;
  readonly startPs: number;
  readonly endPs: number | null;
  /** The episode that caused it; null of a root. */
  readonly parent: string | null;
  readonly reason: RootReason | null;
  /** Frames that stood at a held port, each times how long. */
  readonly frameTimePs: number;
}

/** An account in a circle, and the egress that keeps it full. */
export interface RingStep {
  readonly device: string;
  readonly ingress: string;
  readonly egress: string;
  readonly priority: number;
}

/** A circle in the wait-for graph: nobody in it goes on before the next one does. */
export interface Deadlock {
  readonly closedPs: number;
  /** Null: it never opened. */
  readonly openedPs: number | null;
  readonly ring: readonly RingStep[];
}

/** A priority of a port that was held longer than a watch allows. */
export interface Storm {
  readonly port: string;
  readonly priority: number | null;
  readonly startPs: number;
  /** When the watch noticed. */
  readonly noticedPs: number;
  readonly endPs: number | null;
}

export interface Congestion {
  /** In the order of their starts. */
  readonly episodes: readonly Episode[];
  readonly deadlocks: readonly Deadlock[];
  readonly storms: readonly Storm[];
  /** What was seen beyond what is kept. */
  readonly omitted: number;
}
