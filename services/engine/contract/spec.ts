import type { ArbiterSpec } from './arbiter.js';
import type { DiscoveryPortSpec } from './discovery.js';
import type { GrantsSpec } from './grants-spec.js';
import type { FaultSpec } from './fault.js';
import type { Adjacency } from '../routing/adjacency.js';
import type { BufferSpec } from './memory.js';
import type { LivePortSpec } from './live.js';
import type { OperationsSpec } from './operations.js';
import type { RateSpec } from './rate-control.js';
import type { Priority, TrafficClass } from '../units/indices.js';

/** The specification of a device: plain data, made by assembly from a scenario. */

export interface PortSpec {
  /** As in scenarios and results: `leaf3:p5`. */
  readonly name: string;
  readonly octetPs: number;
  /** From a bit leaving this port to the same bit at the peer's MAC. */
  readonly latencyPs: number;
  /** This port's own MAC address. */
  readonly mac: number;
  /** Traffic class of each priority at the egress. */
  readonly classOf: readonly number[];
  /** Priority group of each priority: the ingress buffer account that it is charged to. */
  readonly groupOf: readonly number[];
  readonly arbiter: ArbiterSpec;
  /** How it pauses its link partner for a time; null where it does not. */
  readonly pausing: PausingSpec | null;
  /** What its link partner grants, and is granted; null where no frame needs a grant. */
  readonly grants: GrantsSpec | null;
  /** LLDP and DCBX; null where they do not run. */
  readonly discovery: DiscoveryPortSpec | null;
  /** Ordered sets come in, which act sooner than the shortest frame. */
  readonly orderedSets?: boolean;
  /** Name of the control messages that grant frames, where a mechanism of a slice has them. */
  readonly grantMessages?: string;
  /** What the link partner may send again. */
  readonly retry?: RetriedFrames;
  /** Priorities of frames that come in, by those at their sender: see `prioritiesAcross`. */
  readonly received?: readonly number[];
  /** By DSCP: priorities of frames that come in, whatever `received` says. */
  readonly classOfDscp?: readonly number[];
  /** By priority of a pause: the group that sends it; absent: the group of that priority. */
  readonly pausingGroupOf?: readonly number[];
  /** By priority of a pause: the traffic class that it stops; absent: frames of that priority. */
  readonly pausedClassOf?: readonly number[];
  /** PCP and DEI of tags, by priority and drop_eligible; absent: PCP and priority are the same. */
  readonly codePoints?: readonly number[];
  /** A real host is behind this port of a host. */
  readonly live?: LivePortSpec;
  /** What will go wrong here. */
  readonly faults: readonly FaultSpec[];
}

/** Frames that come to a port by way of link-level retry. */
export interface RetriedFrames {
  /** Their priorities, one bit each. */
  readonly priorities: number;
  /** One that was let in is acknowledged within so long, or given up. */
  readonly settlePs: number;
  /** Octets of them that may be outstanding. */
  readonly mostOctets: number;
  /** The sender gives them up before an acknowledgement can come, so the link loses frames. */
  readonly givesUp: boolean;
}

export interface PausingSpec {
  /** Name of the mechanism, of which a port has one at most. */
  readonly mechanism: string;
  /** Priorities that it pauses, one bit each. */
  readonly priorities: number;
  /** It pauses all of them at once, and has one account for them. */
  readonly wholePort: boolean;
  /** Time that a control frame states, in quanta of 512 bit times. */
  readonly quanta: number;
  /** A pause is refreshed after this share of its time. */
  readonly refreshFraction: number;
  readonly responseDelayPs: number;
  /** By priority; null where a port responds to pauses however long they last. */
  readonly watchdog: PauseWatchdogs | null;
  /** By priority group: link partners whose watchdogs ignore pauses that last too long. */
  readonly partnerWatchdog: PauseWatchdogs | null;
}

export type PauseWatchdogs = readonly (PauseWatchdogSpec | null)[];

/** What is done about a priority that the link partner pauses without end. */
export interface PauseWatchdogSpec {
  /** Paused for so long, with frames waiting, it is in a storm. */
  readonly detectionPs: number;
  /** Without a pause for so long, the storm is over; Infinity: it never is. */
  readonly restorationPs: number;
  /**
   * During a storm, waiting and arriving frames are dropped, or they are sent despite the pause;
   * alert: it is counted, and nothing else.
   */
  readonly action: 'drop' | 'forward' | 'alert';
  /** Null: it watches without a break. */
  readonly polled: PolledWatch | null;
  /** The big red switch: it acts from the beginning to the end, whatever comes in. */
  readonly isForced: boolean;
}

/** A watchdog that sees counters, from one poll to the next. */
interface PolledWatch {
  readonly pollPs: number;
  /** The chips whose condition of a storm it has. */
  readonly chip: WatchdogChip;
}

export const WATCHDOG_CHIPS = [
  'broadcom',
  'mellanox',
  'cisco-8000',
  'barefoot',
  'marvell-teralynx',
] as const;

export type WatchdogChip = (typeof WATCHDOG_CHIPS)[number];

/** The memory of a switch in slots of one frame, and its thresholds. */
export interface SlotsSpec {
  readonly sharedSlots: number;
  /** By class: 0 for the lowest two. */
  readonly classSlots: readonly number[];
  /** Of each port. */
  readonly sourceSlots: number;
  /** By port: so many of its own slots in use trigger XOFF. */
  readonly xoffSlots: readonly number[];
  /** By port: flow control is enabled, and its frames are lossless. */
  readonly flowControl: readonly boolean[];
  /** By port: fixed class of all its frames; null where their priority selects it. */
  readonly fixed: readonly (FixedClass | null)[];
  /** Frames of flow-controlled ports keep class and slots, and may be dropped. */
  readonly normalQos: boolean;
  /** Where a frame without a slot of its class is allocated first. */
  readonly allocationOrder: 'shared-first' | 'source-first';
  readonly multicast:
    | { readonly kind: 'off' }
    /** Beyond so many frames in memory, the source of one more is paused, or every source. */
    | { readonly kind: 'unmanaged'; readonly mcc: number; readonly stops: 'source' | 'all' }
    /** By the lengths of the lowest queues of the destinations. */
    | {
        readonly kind: 'managed';
        readonly thresholdFrames: number;
        /** By VLAN, where one has another. */
        readonly thresholdOfVlan: Readonly<Record<number, number>>;
        readonly lowFrames: number;
      };
  readonly wred: WredSpec;
  /** Frames that may be coming in at once; Infinity where no more can be than there is room for. */
  readonly temporarySlots: number;
  /** By port; null where class P6 is not shaped. */
  readonly shapers: readonly (ShaperSpec | null)[];
  /** The port of the CPU; -1 where it sends and receives nothing. */
  readonly cpuPort: number;
}

/** Holds a class back to a peak and an average rate. */
export interface ShaperSpec {
  /** Time for which an octet of the wire occupies the peak, and the average, rate. */
  readonly peakOctetPs: number;
  readonly averageOctetPs: number;
  /** So long may the class be ahead of its average. */
  readonly burstPs: number;
}

interface FixedClass {
  readonly trafficClass: TrafficClass;
  /** Which drop precedence they have. */
  readonly highPrecedence: boolean;
}

export interface WredSpec {
  /** How the octets of the classes add up to the load of an output port. */
  readonly sum: 'delay-bound' | 'wfq';
  /** Of the load, rising. */
  readonly levelOctets: readonly [number, number, number];
  /** By class; a queue below it loses nothing. */
  readonly thresholdOctets: readonly number[];
  /** Share dropped at the first and second level, by drop precedence; at the third, all. */
  readonly firstHigh: number;
  readonly secondHigh: number;
  readonly secondLow: number;
  /** Classes that are strict, and not dropped early, one bit each. */
  readonly spared: number;
}

/** Notification point: how a receiver reports marked packets. */
export interface NotifySpec {
  readonly gapPs: number;
  readonly priority: Priority;
  /** Addresses of the receiver, which sends the notification, and of the sender, which gets it. */
  readonly own: Uint8Array;
  readonly sender: Uint8Array;
}

/**
 * Of mechanisms that engines are given, by name; absent where one does not run. A slice binds the
 * type of its plan to that of its mechanism.
 */
type SliceSpecs = Readonly<Record<string, object>>;

interface DeviceSpec {
  /** Position in the fabric; it orders tables only. */
  readonly index: number;
  readonly name: string;
  readonly seed: number;
  readonly ports: readonly PortSpec[];
  readonly slices: SliceSpecs;
}

/** Port sets of equal-cost next hops, shared by destinations. */
export interface RouteSpec {
  /** For each host position, the set to use; -1 for none. */
  readonly setOfHost: Int16Array | Int32Array;
  readonly sets: readonly (readonly number[] | Uint8Array | Int16Array)[];
  /** For each multicast group, the ports of its tree here. */
  readonly groupPorts: readonly (readonly number[])[];
  /** Ports to bridges, which flood: a frame received by one never leaves by another. */
  readonly toBridges: readonly number[];
}

/** How a switch handles links that are down. */
export interface FailoverSpec {
  /** Time from loss or return of a carrier to the switch's reaction. */
  readonly detectionPs: number;
  /** From detection to the time when all switches recompute routes; Infinity: never. */
  readonly reconvergencePs: number;
  /** Frames that wait at a port that is down are moved to other ports, or dropped. */
  readonly moves: boolean;
  readonly adjacency: Adjacency;
}

export interface VlanPortSpec {
  /** VLAN of untagged frames. */
  readonly native: number;
  /** VLANs carried tagged. */
  readonly tagged: readonly number[];
}

export interface SwitchSpec extends DeviceSpec {
  readonly kind: 'switch';
  readonly buffer: BufferSpec;
  /** Instead of the shared buffer; null where the switch has that. */
  readonly slots: SlotsSpec | null;
  /** From the last bit received (or, cutting through, the header) to admission. */
  readonly pipelinePs: number;
  readonly cutThrough: boolean;
  readonly forwarding:
    | {
        readonly kind: 'routed';
        readonly routes: RouteSpec;
        /** Chooses among equal ports, by its name; null: a hash of the flow. */
        readonly balancing: { readonly name: string; readonly settings: object } | null;
      }
    | {
        readonly kind: 'bridged';
        readonly vlans: readonly VlanPortSpec[];
        readonly ageingPs: number;
        readonly hosts: number;
      };
  /** Null: frames routed to a port wait there until its link is back. */
  readonly failover: FailoverSpec | null;
  /** Traffic classes in which packets are given telemetry (HPCC), one bit each. */
  readonly telemetry: number;
}

export interface HostSpec extends DeviceSpec {
  readonly kind: 'host';
  /** Position among hosts: its address. */
  readonly position: number;
  readonly sends: readonly SendSpec[];
  readonly receives: readonly ReceiveSpec[];
  /** Of the ranks of jobs at this host; null: there are none. */
  readonly operations: OperationsSpec | null;
  /** Null for the plain NIC, which has a frame of each class and nothing else. */
  readonly nic: NicSpec | null;
  /** Known before the run: frames of one flow cannot be reordered. */
  readonly inOrder: boolean;
  /** Of a plain NIC, for a fault that slows its application down; others have rings. */
  readonly receiveMemory: BufferSpec | null;
}

/** A value of a register: the whole of it, by name and index. */
interface RegisterValue {
  readonly register: string;
  readonly index: number;
  readonly value: number;
}

/** The bits of `mask` take those of `value`. */
export interface RegisterChange extends RegisterValue {
  readonly mask: number;
}

/** A write while the part runs. */
export interface RegisterWrite extends RegisterChange {
  readonly atPs: number;
}

/** A NIC with registers, descriptor queues and buffers, between a host and its port. */
export interface NicSpec {
  /** All that are not 0 when the run starts. */
  readonly registers: readonly RegisterValue[];
  /** In the order of their times. */
  readonly writes: readonly RegisterWrite[];
  /** Name of the host with the first port of the part, whose PCIe link it shares; or null. */
  readonly secondPortOf: string | null;
  readonly pcie: {
    /** Time of an octet of payload, each way; not whole at every rate. */
    readonly octetPs: number;
    readonly latencyPs: number;
    /** Data read requests under way at most. */
    readonly reads: number;
  };
  /**
   * With DCB off there is one buffer each way, and pools are served round robin instead of classes.
   */
  readonly dcb: boolean;
  readonly classes: 4 | 8;
  readonly longestFrameOctets: number;
  /** The receive buffers, as accounts of the port. */
  readonly receiveBuffer: BufferSpec;
  /** Priority of an untagged frame on receive; `carried`: the one that the model knows. */
  readonly untagged: 'carried' | 'table' | 'seven';
  /** By pool: time that software needs for a received frame; null: no time, and no descriptors. */
  readonly softwarePs: readonly number[] | null;
  /** By pool: the VLANs that it takes; empty for all. */
  readonly poolVlans: readonly (readonly number[])[];
}

export type ReleaseSpec =
  /**
   * Everything at the start: as fast as the line and the transport allow, and where it is paced no
   * faster than that, whatever was not sent before.
   */
  | { readonly kind: 'backlog'; readonly pacePsPerOctet?: number }
  | { readonly kind: 'constant'; readonly gapPs: number }
  | { readonly kind: 'poisson'; readonly meanGapPs: number }
  | {
      readonly kind: 'on-off';
      readonly gapPs: number;
      readonly onPs: number;
      readonly offPs: number;
      readonly random: boolean;
    };

/** Parameters of a connection's transport; `kind` selects which. */
export interface TransportSpec {
  readonly kind: string;
  /** Packets from the oldest outstanding one on that its ends tell apart; absent: none. */
  readonly trackedPackets?: number;
  /** Messages whose release times its receiver remembers; absent: none. */
  readonly rememberedMessages?: number;
  /** Words that its sender has behind those of its packets; absent: none. */
  readonly sendingWords?: number;
}

/** The sending end of a flow. Its place in the list is its connection number at the sender. */
export interface SendSpec {
  /** Position in the scenario's flow table. */
  readonly flow: number;
  readonly name: string;
  /** Station whose address its frames have: the sender's own unless it spoofs. */
  readonly source: number;
  readonly target: number;
  readonly hash: number;
  /** Packed class of its frames. */
  readonly frameClass: number;
  readonly vlan: number;
  /** Virtual machine that sends; ignored by a plain NIC. */
  readonly vm: number;
  /** Connection number at the receiver (of a group: of every member). */
  readonly remote: number;
  /** Null: raw frames, which nothing acknowledges. */
  readonly transport: TransportSpec | null;
  readonly fullFrameOctets: number;
  /** Of the last packet of a message. */
  readonly lastFrameOctets: number;
  readonly packetsPerMessage: number;
  /** Infinity: endless. */
  readonly messages: number;
  readonly windowPackets: number;
  /** Picoseconds per octet at the flow's own rate limit; 0 for none. */
  readonly pacePsPerOctet: number;
  /** Retransmission timeout, and what it grows to at most while nothing is acknowledged. */
  readonly timeoutPs: number;
  readonly maxTimeoutPs: number;
  /** The timeout while fewer packets than these are outstanding; 0 packets: it is the same. */
  readonly fewPackets: number;
  readonly fewTimeoutPs: number;
  readonly startPs: number;
  readonly endPs: number;
  readonly release: ReleaseSpec;
  /** Null: as fast as the line, the transport and flow control allow. */
  readonly rate: RateSpec | null;
  /** In the tag of its frames that names the flow; 0 for none. */
  readonly flowId: number;
  /** Messages released by what this host has received: connection here, and free messages. */
  readonly after: readonly { readonly receive: number; readonly lead: number }[];
  /** An operation of a rank releases its message. */
  readonly byOperation: boolean;
}

/** The receiving end of a flow. Its place in the list is its connection number. */
export interface ReceiveSpec {
  readonly flow: number;
  /** That of its sender; null: raw frames. */
  readonly transport: TransportSpec | null;
  readonly packetsPerMessage: number;
  readonly messages: number;
  /** What of a frame is not payload (padding of a message's last packet aside). */
  readonly overheadOctets: number;
  readonly fullPayloadOctets: number;
  readonly lastPayloadOctets: number;
  /** When the flow starts: a raw flow with a volume is one message released then. */
  readonly startPs: number;
  /** Where acknowledgements go. */
  readonly source: number;
  readonly sourceConnection: number;
  readonly ackClass: number;
  readonly ackOctets: number;
  readonly ackVlan: number;
  /** Virtual machine that receives and answers. */
  readonly vm: number;
  readonly hash: number;
  /** Null: marks are counted, and no notification is sent. */
  readonly notify: NotifySpec | null;
  /** Acknowledgements say whether their packets were marked, all of them or none. */
  readonly echoes: boolean;
}

/** Whether a device is a switch whose ports share a buffer; others have a memory of their own. */
export function hasSharedBuffer(spec: HostSpec | SwitchSpec): boolean {
  return spec.kind === 'switch' && spec.slots === null;
}
