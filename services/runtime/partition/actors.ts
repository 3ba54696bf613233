import type { FramePool } from '../../engine/frame/frame-pool.js';

/** Receives what leaves for another service. */
export interface PartitionEgressPath {
  /** `frame` is in the pool and is released after the call. */
  frame(channel: number, link: number, pool: FramePool, frame: number): void;
  control(channel: number, link: number, atPs: number, octets: Uint8Array): void;
}

/** A channel to another service, of all links to it. */
export interface ActorChannel {
  readonly peer: number;
  /** From an event here to its first effect there, and the other way. */
  readonly lookaheadOutPs: number;
  readonly lookaheadInPs: number;
  readonly links: number;
}

/** Sums over all actors of a service. */
export interface ActorCounts {
  readonly framesStarted: number;
  readonly framesStored: number;
  /** Planned actions of its hosts. */
  readonly planned: number;
  readonly packetsLeft: number;
  readonly packetsTotal: number;
}

/** The actors of a service, in one partition or more, as the sync protocol advances them. */
export interface Actors {
  readonly channels: readonly ActorChannel[];
  /** How much virtual time may be executed at once. */
  readonly longestStepPs: number;
  /** When the latest event so far was executed. */
  readonly latestPs: number;
  /** Nothing is executed before this time; Infinity when there is no event. */
  nextTime(): number;
  /**
   * Executes everything before `bound`, and takes the samples that are due by then. Returns how
   * many events that were, those since the last call among them.
   */
  runTo(bound: number): number;
  /** The same, but of the last window only what other services wait for. */
  runBorderTo(bound: number): number;
  /** Takes out what was sent to other services. */
  take(egressPath: PartitionEgressPath): void;
  /** Before when nothing takes effect at the other end that is not handed over yet. */
  promisePs(channel: number, boundPs: number): number;
  putFrame(channel: number, link: number, records: Int32Array, offset: number): void;
  putControl(channel: number, link: number, atPs: number, octets: Uint8Array): void;
  count(): ActorCounts;
}
