import type { SampledMessage } from '../../notices/sampled-message.js';

/** What congestion isolation asks of the bridge that carries it. Ports are those of the service. */
export interface CiBridge {
  readonly clock: { readonly now: number };
  /** First frame of a queue, -1 if none. */
  head(port: number, trafficClass: number): number;
  /** Priorities that may not start a frame at a port now, one bit each. */
  heldPriorities(port: number): number;
  queueOctets(port: number, trafficClass: number): number;
  forEachQueued(port: number, visit: (frame: number, trafficClass: number) => void): void;
  /** Some flow is isolated in the bridge with these ports, or none any more. */
  setIsolating(firstPort: number, count: number, active: boolean): void;
  answerTags(out: number, frame: number): number;
  sendMessage(port: number, message: SampledMessage, octets: Uint8Array, length: number): void;
}

/** What it asks of its mechanism. */
export interface CiGate {
  /** Holds the congesting queue of a port, or lets it go. */
  holdCongesting(port: number, priority: number, held: boolean): void;
  /** The neighbour is known to take CIMs. */
  isPeer(port: number): boolean;
  armCleanup(port: number, timePs: number): void;
}
