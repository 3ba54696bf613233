/** Results of a run: plain data, ready for JSON. Times are ps, rates bit/s, sizes octets. */

import type { NicResult } from '../../mechanisms/nic-context.js';
import type { Plugin } from '../../plugins/api.js';
import type { MechanismResults } from '../../mechanisms/registry.js';
import type { HeadroomTerms } from '../../engine/analysis/headroom/headroom.js';
import type { CauseCount, CauseWord, FlowCause, StandingStatus } from './flow-cause.js';
import type { LiveResults } from './live-results.js';
import type { DiscoveryResults } from './discovery-results.js';
import type { JobResult, OperationResult } from '../../jobs/job-rows.js';
import type { Deadlock, Storm } from '../../telemetry/congestion/congestion.js';
import type { FlowValues } from '../../measures/flow-measures.js';
import type { PortValues, PrioritySum } from '../../measures/port-measures.js';
import type { LoadResult, Percentiles, Ranks, Spread, Tally } from '../../measures/statistics.js';

export type { HeadroomTerms, LoadResult, Percentiles, Ranks, Spread, Tally };

/**
 * How a run ended. `starved`: the configuration serves other classes before those of some flows;
 * `stalled`: flows stopped progressing; `deadlocked`: and a cyclic buffer dependency holds. `live`:
 * with real hosts, so it came as far as wall-clock time did.
 */
export type RunStatus = 'complete' | StandingStatus | 'interrupted' | 'live' | 'failed';

export interface RunResults extends MechanismResults {
  readonly scenario: string;
  readonly seed: number;
  readonly status: RunStatus;
  /** Why a run failed: where, when and what; null unless it did. */
  readonly failure: Failure | null;
  /** Probable mistakes in the scenario. */
  readonly warnings: readonly WarningResult[];
  readonly virtualPs: number;
  /** End of the scenario; null when it ends with its load. */
  readonly durationPs: number | null;
  readonly digest: string;
  readonly deviceDigests: readonly { readonly device: string; readonly digest: string }[];
  /** Algorithms that came with the scenario. */
  readonly plugins: readonly PluginResult[];
  readonly frameHops: number;
  readonly events: number;
  readonly devices: number;
  readonly links: number;
  /** Payload of all flows over the time that any of them was offered. */
  readonly goodputBps: number;
  readonly finished: Tally;
  readonly priorities: readonly PriorityResult[];
  readonly loads: readonly LoadResult[];
  readonly flows: readonly FlowResult[];
  readonly jobs: readonly JobResult[];
  /** Of all jobs, job by job. */
  readonly operations: readonly OperationResult[];
  /** Flows that are not finished, by cause; those that none has are left out. */
  readonly causes: readonly CauseCount[];
  readonly ports: readonly PortResult[];
  readonly margins: readonly MarginResult[];
  readonly buffers: readonly BufferResult[];
  /** Null where it does not run. */
  readonly discovery: DiscoveryResults | null;
  /** Every NIC that is not a plain one, as it was at the end. */
  readonly nics: readonly NicResult[];
  /** Of every connection with a rate control. */
  readonly rates: readonly RateResult[];
  /** Of switches with slots in place of a shared buffer, as the next. */
  readonly slots: readonly SlotResult[];
  readonly slotPorts: readonly SlotPortResult[];
  /** Flows that had stopped progressing at the end; of a run that came to its end. */
  readonly stalls: readonly StallResult[];
  /** Cyclic buffer dependencies that hold at the end, whatever is observed. */
  readonly standingDeadlocks: readonly Deadlock[];
  /** As far as episodes are observed. */
  readonly deadlocks: readonly Deadlock[];
  readonly storms: readonly Storm[];
  readonly faults: readonly FaultResult[];
  /** Null: every host is emulated. */
  readonly live: LiveResults | null;
  /** Null unless `observe.wire` asks for it. */
  readonly wire: WireResult | null;
}

/** Hashes over what was transmitted: frames in their order, their times and contents. */
export interface WireResult {
  /** Over all ports by name. */
  readonly fingerprint: string;
  readonly ports: readonly { readonly port: string; readonly fingerprint: string }[];
}

export interface PluginResult {
  readonly name: string;
  readonly kind: Plugin['kind'];
  /** As the scenario names it. */
  readonly file: string;
  /** Of its text. */
  readonly sha256: string;
}

interface WarningResult {
  readonly message: string;
  /** Name of the load that it concerns; null: all of them. */
  readonly load: string | null;
}

/** A flow with data that was offered and not delivered, without deliveries any more. */
export interface StallResult {
  readonly flow: number;
  readonly name: string;
  /** The last delivery, or when its data was offered, if that was later. */
  readonly sincePs: number;
  /** The port on its path that is blocked longest, and its link partner; null: none is. */
  readonly port: string | null;
  readonly peer: string | null;
  /** Where its frames are blocked; null: they reach their destinations. */
  readonly unreachableAt: string | null;
  readonly cause: CauseWord;
}

/** Effects of a declared fault, at all its ports together. */
export interface FaultResult {
  readonly fault: string;
  readonly kind: string;
  /** Names of ports where it acts, the first of them. */
  readonly at: readonly string[];
  /** When it was active, the first times; a null end was still to come. */
  readonly spells: readonly { readonly startPs: number; readonly endPs: number | null }[];
  /** Ports that it was declared for, or that it could disturb. */
  readonly ports: number;
  /** Number of activities, at the port with most of them. */
  readonly times: number;
  readonly activePs: number;
  /** Frames that it affected, or times that it acted. */
  readonly hits: number;
  /** Spoofed frames that a sender did not create, since too many of its frames wait already. */
  readonly withheld: number;
  /** Frames that it dropped, by reason. */
  readonly drops: Readonly<Record<string, number>>;
  /** Flows whose frames may pass these ports, and that were under way while it was active. */
  readonly flows: number;
  /** Frames that found the headroom full of a port whose flow control it may have disturbed. */
  readonly overflows: number;
}

export interface Failure {
  readonly reason: string;
  readonly timePs: number;
  readonly device: string;
  readonly port: string;
  readonly priority: number | null;
}

/** With the totals of its ports. */
export interface PriorityResult extends Pick<PortValues, PrioritySum> {
  readonly priority: number;
  readonly flowControl: string;
  /** By hosts, and made on the way: messages, copies for a group's receivers, duplicates. */
  readonly sentFrames: number;
  /** Those of them that hosts received and did not discard. */
  readonly deliveredFrames: number;
  readonly deliveredPayloadOctets: number;
  /** Payload of its flows over the time that they were offered. */
  readonly goodputBps: number;
  /** Flows with a volume. */
  readonly finished: Tally;
  /** Of messages: a flow with a volume is one, or several that follow each other. */
  readonly completionPs: Percentiles | null;
  readonly slowdown: Percentiles | null;
  readonly drops: Readonly<Record<string, number>>;
}

/** A flow, with what is measured of it. */
export interface FlowResult extends FlowValues {
  readonly flow: number;
  readonly name: string;
  readonly load: string;
  readonly source: string;
  readonly destination: string;
  readonly priority: number;
  /** `raw`, or the name of its transport. */
  readonly transport: string;
  /**
   * Of a flow that is not complete: where its frames were blocked at the end, a port whose link was
   * down or a switch without a route. Null if they were not.
   */
  readonly unreachableAt: string | null;
  /** Why it is not finished; null: it is, or the run failed. */
  readonly cause: FlowCause | null;
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

/** Only priorities that a port has received, sent, dropped or been paused for. */
export interface PortPriorityResult extends PortValues {
  readonly priority: number;
  /** Frames by reason. */
  readonly drops: Readonly<Record<string, number>>;
}

/** For a port and lossless priority of a switch: why the mechanism did or did not act. */
export interface MarginResult {
  readonly port: string;
  readonly priority: number;
  /** With an idle pool; a dynamic threshold falls as the pool fills. */
  readonly xoffOctets: number;
  readonly peakOctets: number;
  readonly headroomOctets: number;
  readonly headroomUsedOctets: number;
  readonly needed: HeadroomTerms;
}

export interface RateResult {
  readonly flow: number;
  readonly name: string;
  readonly control: string;
  readonly lineBps: number;
  /** At the end, and the lowest so far. */
  readonly rateBps: number;
  readonly targetBps: number;
  readonly leastBps: number;
  /** What the receiver sent (DCQCN); null where queues do it. */
  readonly notificationsSent: number | null;
  readonly notifications: number;
  readonly cuts: number;
}

export interface BufferResult {
  readonly device: string;
  readonly poolOctets: number;
  readonly peakPoolOctets: number;
  /** Of a buffer with pools: by slice, the shared headroom last. */
  readonly pools?: readonly PoolResult[];
  /** Of the same: groups and queues that had any frames. */
  readonly groups?: readonly GroupResult[];
  readonly queues?: readonly QueueResult[];
}

/** A pool in one slice of a packet memory. */
export interface PoolResult {
  readonly pool: string;
  readonly slice: number;
  /** Null: headroom that is not shared. */
  readonly sizeOctets: number | null;
  /** At the end of the run. */
  readonly usedOctets: number;
  readonly peakOctets: number;
}

/** Occupancy at the end and watermarks of a priority group, and frames that it did not admit. */
export interface GroupResult {
  readonly port: string;
  readonly group: number;
  readonly usedOctets: number;
  readonly headroomUsedOctets: number;
  readonly peakOctets: number;
  /** Beyond its reservation and not in its headroom. */
  readonly peakSharedOctets: number;
  readonly peakHeadroomOctets: number;
  readonly refusedFrames: number;
}

/** An egress queue of a switch with pools. */
export interface QueueResult {
  readonly port: string;
  readonly queue: number;
  /** Sent by it. */
  readonly frames: number;
  readonly sentOctets: number;
  /** That it did not take. */
  readonly refusedFrames: number;
  readonly refusedOctets: number;
  /** That it held at the end. */
  readonly usedOctets: number;
  readonly peakOctets: number;
  /** Beyond its reservation. */
  readonly peakSharedOctets: number;
}

/** A region of a frame data buffer, in slots of one frame. */
export interface SlotResult {
  readonly device: string;
  /** `shared`, `sources` (of all ports together), or the class that it is reserved for: `P7`. */
  readonly region: string;
  readonly slots: number;
  /** At the end of the run. */
  readonly used: number;
  readonly peak: number;
}

/** A port of a switch with a frame data buffer. */
export interface SlotPortResult {
  readonly port: string;
  readonly flowControl: boolean;
  /** Reserved for frames with this ingress. */
  readonly sourceSlots: number;
  readonly peakSlots: number;
  /** Null, here and below, for a port without flow control. */
  readonly xoffSlots: number | null;
  readonly headroomSlots: number | null;
  /** Need by the delays of the link, in the shortest frames. */
  readonly neededSlots: number | null;
  readonly xoffs: number;
  readonly xons: number;
  /** How long the link partner was paused, with its frames for idle ports as well. */
  readonly peerPausedPs: number;
  readonly downgradedFrames: number;
  readonly framesWithoutSlot: number;
  /** Frames with this egress. */
  readonly wredDrops: number;
}
