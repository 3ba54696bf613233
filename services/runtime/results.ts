/** What a run measured: plain data, ready for JSON. Times are ps, rates bit/s, sizes octets. */

import type { CreditLoopTerms } from '../engine/analysis/credit/credit-loop.js';
import type { HeadroomTerms } from '../engine/analysis/headroom/headroom.js';
import type { DiscoveryResults } from './discovery-results.js';
import type { CreditCounters } from '../engine/flow-control/credit/credit-managed.js';

export type { HeadroomTerms };

export interface RunResults {
  readonly scenario: string;
  readonly seed: number;
  readonly status: 'complete' | 'interrupted' | 'failed';
  /** Why a run failed: where, when and what; null unless it did. */
  readonly failure: Failure | null;
  readonly virtualPs: number;
  /** Where the scenario would have ended; null when it ends with its load. */
  readonly durationPs: number | null;
  readonly digest: string;
  readonly deviceDigests: readonly { readonly device: string; readonly digest: string }[];
  readonly frameHops: number;
  readonly events: number;
  readonly devices: number;
  readonly links: number;
  readonly priorities: readonly PriorityResult[];
  readonly flows: readonly FlowResult[];
  readonly ports: readonly PortResult[];
  readonly margins: readonly MarginResult[];
  readonly buffers: readonly BufferResult[];
  readonly credits: readonly CreditResult[];
  /** Null where it does not run. */
  readonly discovery: DiscoveryResults | null;
}

export interface Failure {
  readonly reason: string;
  readonly timePs: number;
  readonly device: string;
  readonly port: string;
  readonly priority: number | null;
}

/** Percentiles are exact: of all values, by nearest rank. */
export interface Percentiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface PriorityResult {
  readonly priority: number;
  readonly flowControl: string;
  readonly sentFrames: number;
  readonly deliveredFrames: number;
  readonly deliveredPayloadOctets: number;
  /** Payload of all flows over the time from the first start to the last arrival. */
  readonly throughputBps: number;
  readonly completionPs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  readonly drops: Readonly<Record<string, number>>;
  readonly markedFrames: number;
}

export interface FlowResult {
  readonly flow: number;
  readonly name: string;
  readonly load: string;
  readonly source: string;
  readonly destination: string;
  readonly priority: number;
  readonly transport: 'raw' | 'reliable';
  readonly startPs: number;
  readonly lastArrivalPs: number | null;
  readonly frames: number;
  readonly payloadOctets: number;
  readonly messages: number;
  /** Of the whole flow; null while it is not complete. */
  readonly completionPs: number | null;
  /** What the completion would take on an empty fabric; null for an endless flow. */
  readonly idealPs: number | null;
  readonly slowdown: number | null;
  readonly throughputBps: number;
  readonly latencyMeanPs: number | null;
  readonly latencyMinPs: number | null;
  readonly latencyMaxPs: number | null;
  readonly sentFrames: number;
  readonly retransmittedFrames: number;
  readonly timeouts: number;
  readonly markedFrames: number;
}

export interface PortResult {
  /** `leaf1:p3` */
  readonly port: string;
  readonly device: string;
  readonly peer: string;
  readonly rateBps: number;
  readonly controlSent: number;
  readonly controlReceived: number;
  readonly priorities: readonly PortPriorityResult[];
}

/** Only priorities that a port has seen, sent, dropped or been held for. */
export interface PortPriorityResult {
  readonly priority: number;
  readonly rxFrames: number;
  readonly rxOctets: number;
  readonly txFrames: number;
  readonly txOctets: number;
  readonly drops: Readonly<Record<string, number>>;
  readonly markedFrames: number;
  /** This port was held by its neighbour. */
  readonly heldPs: number;
  readonly heldCount: number;
  /** This port asked its neighbour to stop. */
  readonly stopsSent: number;
  readonly peakQueueOctets: number;
  readonly peakIngressOctets: number;
}

/** For a port and lossless priority of a switch: why the mechanism did or did not act. */
export interface MarginResult {
  readonly port: string;
  readonly priority: number;
  /** With an idle pool; a dynamic threshold sinks as the pool fills. */
  readonly xoffOctets: number;
  readonly peakOctets: number;
  readonly headroomOctets: number;
  readonly headroomUsedOctets: number;
  readonly needed: HeadroomTerms;
}

/** A credit account of a port, both as a sender and as a receiver; in units of who grants. */
export interface CreditResult extends CreditCounters {
  readonly port: string;
  /** Behind this port, for the priority, all channels together. */
  readonly unitOctets: number;
  readonly bufferUnits: number;
  /** What full rate over the link takes, of one channel. */
  readonly neededUnits: number;
  readonly needed: CreditLoopTerms;
}

export interface BufferResult {
  readonly device: string;
  readonly poolOctets: number;
  readonly peakPoolOctets: number;
}
