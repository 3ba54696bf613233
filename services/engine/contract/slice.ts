/**
 * A mechanism that is registered with an engine: the roles that it may have in a device. The data
 * path calls only the roles that exist in a device.
 */

import type { FramePool } from '../frame/frame-pool.js';
import type { Clock } from '../kernel/clock.js';
import type { Tables } from '../kernel/tables.js';
import type { SampledMessage } from '../notices/sampled-message.js';
import type { Counters } from '../port/counters.js';
import type { Ports } from '../port/ports.js';
import type { Queues } from '../port/queues.js';
import type { ReplayBuffers } from '../port/replay-buffers.js';
import type { WaitingLines } from '../port/waiting-lines.js';
import type { OperatingPort } from './discovery.js';
import type { GrantNegotiation } from './grant-negotiation.js';
import type { LinkLayer } from './link-layer.js';
import type { OutsideKind, QueueMarking } from './outside.js';
import type { IngressBuffers, Mechanism, MechanismHost, ProxyPauser } from './flow-control.js';
import type { PortSpec } from './spec.js';
import type { FrameRef, PortRow, Priority, TrafficClass } from '../units/indices.js';

/** Slots of faults, discovery, failover and live ports, which every engine has. */
export const OWN_SLOTS = { faults: 4, discovery: 5, failover: 7, live: 10 } as const;

/** A kind of mechanism, of which an engine has one that serves all its devices. */
export interface MechanismKind {
  readonly name: string;
  /**
   * Its own number as a gate, as the owner of timers and as a source of control frames; null: it is
   * none of these. Timers of one instant expire, and control frames that are due are sent, in this
   * order, so a digest stands as long as no mechanism takes another number: `OWN_SLOTS` are the
   * engine's, and a new mechanism takes one that is free.
   */
  readonly slot: number | null;
  create(tools: MechanismTools): SliceMechanism;
}

export interface MechanismTools {
  readonly tables: Tables;
  readonly host: MechanismHost;
  /** Its slot as a gate, as the owner of timers and as a source of control frames; or none. */
  readonly slot: number;
  readonly pool: FramePool;
  readonly ports: Ports;
  readonly counters: Counters;
  readonly queues: Queues;
  /** Before queues: a row of them for each account of a port. */
  readonly lines: WaitingLines;
  /** Of frames that ports have sent, for mechanisms that send them again. */
  readonly replayBuffers: ReplayBuffers;
  /** Ingress buffers, whatever memory a device has. */
  readonly accounts: IngressBuffers;
  /** Markings that come from outside. */
  readonly markings: readonly OutsideKind<QueueMarking>[];
}

/** Messages that may ride on data frames, as tags. */
export interface TagSource {
  /** By port: not 0 where a message waits for a data frame. */
  readonly offered: Uint8Array;
  /** The tag of the data frame that starts now; returns its octets, 0 if there is none. */
  compose(port: PortRow, octets: Uint8Array): number;
}

/** `spec` is undefined in a device where the mechanism is not configured; null: it has no role. */
export interface SliceMechanism<AtSwitch = object, AtHost = object> extends Mechanism {
  atSwitch?(
    place: DevicePlace,
    spec: AtSwitch | undefined,
    carrier: SwitchCarrier,
  ): SwitchRole | null;
  atHost?(place: DevicePlace, spec: AtHost | undefined, carrier: HostCarrier): HostRole | null;
  /** Discovery has negotiated the configuration of a port. */
  operate?(port: PortRow, operating: OperatingPort): void;
  /** Of ports that have one, by `ports.layer`. */
  readonly linkLayer?: LinkLayer;
  readonly tags?: TagSource;
  /** What link partners agree on about it; of one mechanism. */
  readonly negotiation?: GrantNegotiation;
}

/** A device as a mechanism sees it. */
export interface DevicePlace {
  readonly name: string;
  readonly seed: number;
  /** Number in the service of its first port. */
  readonly firstPort: number;
  readonly ports: readonly PortSpec[];
}

/** State of a mechanism in one device: it is saved in checkpoints, property by property. */
export interface DeviceRole {
  /** The name of an invariant that does not hold; null if all do. */
  broken(): string | null;
}

/** A role in a switch. Ports are those of the service. */
export interface SwitchRole extends DeviceRole {
  readonly onEnqueue?: EnqueueObserver | undefined;
  readonly onDequeue?: DequeueObserver | undefined;
  readonly isolation?: FlowIsolation;
  readonly sampler?: QueueSampler;
  readonly cutter?: FrameCutter;
  readonly boundary?: DomainBoundary;
  /** A congestion message leaves by `out`, or is for this switch; true: it ends here. */
  readonly forwardedNotices?: NoticeFilter;
  readonly ownNotices?: NoticeFilter;
  /** Limits its table to so many entries. */
  limit?(entries: number): void;
}

/** Observes frames that join queues. */
export interface EnqueueObserver {
  /** From how many octets on, the frame included; null: never. */
  joinsFrom(port: PortRow, trafficClass: TrafficClass): number | null;
  /** A frame that came in by `via` joins a queue, which then has `queueOctets`. */
  joined(
    via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    queueOctets: number,
  ): void;
}

/** Observes frames that leave queues. */
export interface DequeueObserver {
  /** From how many octets on, the frame included; null: never. */
  leavesFrom(port: PortRow, trafficClass: TrafficClass): number | null;
  /** A frame leaves a queue, in which `queueOctets` are left. */
  left(port: PortRow, trafficClass: TrafficClass, frame: FrameRef, queueOctets: number): void;
}

/** Assigns congesting flows to a queue of their own. */
export interface FlowIsolation {
  /** Priority, and traffic class, of that queue. */
  readonly priority: Priority;
  /** The queue for a frame: `trafficClass`, or the one for isolated flows. */
  queueFor(out: number, trafficClass: TrafficClass, frame: FrameRef): number;
  /** A frame has left a queue, in which `queueOctets` are left. */
  departed(port: PortRow, trafficClass: TrafficClass, frame: FrameRef, queueOctets: number): void;
  /** The link partner isolates flows as well: isolated frames are sent with a mark. */
  isPeer(port: PortRow): boolean;
}

/** Has headers forwarded of packets that find no buffer. */
export interface FrameCutter {
  /** The longest queue that frames of a priority may make, themselves included; or Infinity. */
  longestQueue(priority: Priority): number;
  /** A new frame with the headers of one that is not admitted to a queue of `out`; -1: none. */
  headersOf(out: PortRow, frame: FrameRef): FrameRef;
  /** Such a frame was not admitted either. */
  lost(out: PortRow): void;
}

/** Samples queues by the frames that have joined them. */
export interface QueueSampler {
  /** Traffic classes of a port that are sampled, one bit each. */
  sampledClasses(port: PortRow): number;
  /** A frame of so many octets that came in by `via` has joined a sampled queue of `out`. */
  joined(
    via: number,
    out: number,
    trafficClass: TrafficClass,
    frame: FrameRef,
    octets: number,
    queueOctets: number,
  ): void;
}

/** Ports at the boundary of a domain, where frames change their priority or their tag. */
export interface DomainBoundary {
  /** Frames may change at ingress and at egress of a port. */
  remaps(port: PortRow): boolean;
  untags(port: PortRow): boolean;
  /** A frame was received; it joins the queue of a port that untags; it leaves it. */
  entered(port: PortRow, frame: FrameRef): void;
  joined(port: PortRow, frame: FrameRef): void;
  left(port: PortRow, frame: FrameRef): void;
}

export interface NoticeFilter {
  takes(port: PortRow, octets: Uint8Array, bornPs: number): boolean;
}

/** A role in a host. */
export interface HostRole extends DeviceRole {
  /** A message has arrived at a port with this address; false if it is of another kind. */
  takes(port: PortRow, mac: number, octets: Uint8Array, bornPs: number): boolean;
}

/** What a switch provides to its mechanisms. Ports are those of the service. */
export interface SwitchCarrier {
  readonly clock: Clock;
  /** Pauses single priorities of link partners. */
  readonly pauser: ProxyPauser | null;
  /** Octets of shared buffer that are free in the switch that a port belongs to. */
  freeOctets(port: PortRow): number;
  /** Priorities that may not start a frame at a port now, one bit each. */
  blockedPriorities(port: PortRow): number;
  /** First frame of a queue, -1 if none. */
  head(port: PortRow, trafficClass: TrafficClass): number;
  queueOctets(port: PortRow, trafficClass: TrafficClass): number;
  /** The queue of a port that frames of a priority join. */
  classOf(port: PortRow, priority: Priority): TrafficClass;
  forEachQueued(port: PortRow, visit: (frame: FrameRef, trafficClass: TrafficClass) => void): void;
  /** A flow is isolated in the switch with these ports, or none is any more. */
  setIsolating(firstPort: number, count: number, active: boolean): void;
  /** Tags of an answer to a frame, at the port the frame came in by, for the egress `out`. */
  answerTags(out: number, frame: FrameRef): number;
  /** A frame in a queue of a port was marked. */
  marked(port: PortRow, frame: FrameRef): void;
  /** Sends a message towards a station, by the port where its frames come in. */
  sendMessage(port: PortRow, message: SampledMessage, octets: Uint8Array, length: number): void;
}

/** What a host provides to its mechanisms. */
export interface HostCarrier {
  /** Pauses a connection for a time; returns false, and does nothing, if its priority differs. */
  stopConnection(
    port: PortRow,
    connection: number,
    priority: Priority,
    durationPs: number,
  ): boolean;
  /** Notifies the rate control of a connection; false if no such connection has one. */
  limitRate(port: PortRow, connection: number, feedback: number): boolean;
}
