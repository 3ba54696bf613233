/**
 * What a mechanism is that an engine is given, rather than built with: the roles that it may have
 * in a device. The data path calls only the roles that exist in the device at hand.
 */

import type { FramePool } from '../frame/frame-pool.js';
import type { Clock } from '../kernel/clock.js';
import type { Tables } from '../kernel/tables.js';
import type { SampledMessage } from '../notices/sampled-message.js';
import type { Counters } from '../port/counters.js';
import type { Ports } from '../port/ports.js';
import type { OperatingPort } from './discovery.js';
import type { Mechanism, MechanismHost, NeighbourStopper } from './flow-control.js';
import type { PortSpec } from './spec.js';

/** A kind of mechanism, of which an engine has one that serves all its devices. */
export interface MechanismKind {
  readonly name: string;
  /** It holds priorities, arms timers or sends control frames: it has a number among those. */
  readonly hasSlot: boolean;
  create(tools: MechanismTools): SliceMechanism;
}

export interface MechanismTools {
  readonly tables: Tables;
  readonly host: MechanismHost;
  /** Its number as a gate, as the owner of timers and as a source of control frames; or none. */
  readonly slot: number;
  readonly pool: FramePool;
  readonly ports: Ports;
  readonly counters: Counters;
  /** Pauses single priorities of link partners. */
  readonly stopper: NeighbourStopper;
}

/** `spec` is undefined in a device where the mechanism is not configured; null: it has no role. */
export interface SliceMechanism<AtSwitch = object, AtHost = object> extends Mechanism {
  atSwitch?(
    place: DevicePlace,
    spec: AtSwitch | undefined,
    carrier: SwitchCarrier,
  ): SwitchRole | null;
  atHost?(place: DevicePlace, spec: AtHost | undefined, carrier: HostCarrier): HostRole | null;
  /** A port and its link partner have agreed, by discovery. */
  operate?(port: number, operating: OperatingPort): void;
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
  readonly onEnqueue?: EnqueueObserver;
  readonly onDequeue?: DequeueObserver;
  readonly isolation?: FlowIsolation;
  readonly sampler?: QueueSampler;
  readonly boundary?: DomainBoundary;
  /** A message about congestion leaves by `out`, or is for this switch; true: it ends here. */
  readonly forwardedNotices?: NoticeFilter;
  readonly ownNotices?: NoticeFilter;
  /** Limits its table to so many entries. */
  limit?(entries: number): void;
}

/** Looks at queues as frames join them. */
export interface EnqueueObserver {
  /** From how many octets on, the frame included; null: never. */
  joinsFrom(port: number, trafficClass: number): number | null;
  /** A frame that came in by `via` joins a queue, which then has `queueOctets`. */
  joined(via: number, out: number, trafficClass: number, frame: number, queueOctets: number): void;
}

/** Looks at queues as frames leave them. */
export interface DequeueObserver {
  /** From how many octets on, the frame included; null: never. */
  leavesFrom(port: number, trafficClass: number): number | null;
  /** A frame leaves a queue, in which `queueOctets` are left. */
  left(port: number, trafficClass: number, frame: number, queueOctets: number): void;
}

/** Puts flows into a queue of their own. */
export interface FlowIsolation {
  /** Priority, and traffic class, of that queue. */
  readonly priority: number;
  /** The queue for a frame: `trafficClass`, or the one for isolated flows. */
  queueFor(out: number, trafficClass: number, frame: number): number;
  /** A frame has left a queue, in which `queueOctets` are left. */
  departed(port: number, trafficClass: number, frame: number, queueOctets: number): void;
  /** The link partner isolates flows as well: frames that were isolated leave with a mark. */
  isPeer(port: number): boolean;
}

/** Samples queues by the frames that have joined them. */
export interface QueueSampler {
  /** Traffic classes of a port that are sampled, one bit each. */
  sampledClasses(port: number): number;
  /** A frame of so many octets that came in by `via` has joined a sampled queue of `out`. */
  joined(
    via: number,
    out: number,
    trafficClass: number,
    frame: number,
    octets: number,
    queueOctets: number,
  ): void;
}

/** Ports at the edge of a domain, where frames change their priority or their tag. */
export interface DomainBoundary {
  /** Frames may change as they come in by a port, and as they go out. */
  remaps(port: number): boolean;
  untags(port: number): boolean;
  /** A frame has come in; it joins the queue of a port that untags; it leaves it. */
  entered(port: number, frame: number): void;
  joined(port: number, frame: number): void;
  left(port: number, frame: number): void;
}

export interface NoticeFilter {
  takes(port: number, octets: Uint8Array, bornPs: number): boolean;
}

/** A role in a host. */
export interface HostRole extends DeviceRole {
  /** A message has arrived by a port with this address; false if it is of another kind. */
  takes(port: number, mac: number, octets: Uint8Array, bornPs: number): boolean;
}

/** What a switch does for its mechanisms. Ports are those of the service. */
export interface SwitchCarrier {
  readonly clock: Clock;
  /** Octets of shared memory that are free in the switch that a port belongs to. */
  freeOctets(port: number): number;
  /** Priorities that may not start a frame at a port now, one bit each. */
  heldPriorities(port: number): number;
  /** First frame of a queue, -1 if none. */
  head(port: number, trafficClass: number): number;
  queueOctets(port: number, trafficClass: number): number;
  forEachQueued(port: number, visit: (frame: number, trafficClass: number) => void): void;
  /** Some flow is isolated in the switch with these ports, or none any more. */
  setIsolating(firstPort: number, count: number, active: boolean): void;
  /** Tags of an answer to a frame at the port it came by, when it goes out by another. */
  answerTags(out: number, frame: number): number;
  /** A frame in a queue of a port was marked. */
  marked(port: number, frame: number): void;
  /** Sends a message towards a station, by the port that its frames come in. */
  sendMessage(port: number, message: SampledMessage, octets: Uint8Array, length: number): void;
}

/** What a host does for its mechanisms. */
export interface HostCarrier {
  /** Stops a connection for a time; false, and nothing is done, if it has another priority. */
  stopConnection(port: number, connection: number, priority: number, durationPs: number): boolean;
  /** Notifies the rate control of a connection; false if no such connection has one. */
  limitRate(port: number, connection: number, feedback: number): boolean;
}
