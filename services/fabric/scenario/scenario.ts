/**
 * A scenario after loading: every key present, every quantity in base units (ps, octets, bit/s).
 * Optional keys have their defaults here; values that need the topology (routes, headroom) come
 * later, in assembly.
 */

import type { PortCoding } from '../../engine/wire/code-points.js';
import type { PausingSettings, WatchdogSetting } from '../../mechanisms/pausing-settings.js';
import type { ConnectionSettings } from '../../mechanisms/transport-settings.js';
import type { NicSection } from '../../mechanisms/nic-context.js';
import type { PluginSource } from '../../plugins/source.js';
import type { JobFiles } from '../../jobs/files.js';
import type { Asic } from '../buffers/asics.js';
import type { LiveSection } from '../live/live-section.js';
import type { LinkErrors } from '../link-errors.js';
import type { EcmpSection } from './equal-cost.js';
import type { Fallback } from '../../mechanisms/fabric-context.js';
import type { Path } from '../../settings/source-tree.js';
import type { Place } from './place.js';
import type { ObserveSection } from './observe-section.js';
import type { DiscoveryEndSection, DiscoverySection } from './discovery-section.js';
import type { Expectation } from './expectation-section.js';
import type { FaultSection } from './fault-section.js';
import type { InfrastructureSection } from './infrastructure-section.js';
import type { MechanismSections, PriorityKeys } from './mechanism-sections.js';
import type {
  AssignmentInput,
  PoolInput,
  PortLimitInput,
  ProfileSection,
  WredInput,
} from './schema-buffer.js';

export type { Expectation } from './expectation-section.js';
export type {
  CaptureFilterSection,
  CaptureSection,
  ObserveSection,
  TraceSection,
} from './observe-section.js';

export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly seed: number;
  /** The run ends here at the latest; null: when all load with a volume is delivered. */
  readonly durationPs: number | null;
  readonly plugins: readonly PluginSource[];
  readonly fabric: FabricSection;
  readonly hosts: HostSection;
  readonly switches: SwitchSection;
  /** Changes to single devices, by name or glob (`leaf*`), in file order. */
  readonly overrides: readonly DeviceOverride[];
  readonly priorities: readonly PrioritySection[];
  readonly pause: PauseSection;
  /** Changes to single ports, in file order. */
  readonly ports: readonly PortRule[];
  readonly discovery: DiscoverySection;
  readonly mechanisms: MechanismSections;
  readonly rateControls: RateControlSections;
  /** Sections of plugins of switches, by their names. */
  readonly switchPlugins: Readonly<Record<string, object>>;
  readonly classes: ClassSection;
  readonly groups: readonly GroupSection[];
  readonly load: readonly LoadSection[];
  /** Null: every host is emulated. */
  readonly live: LiveSection | null;
  readonly faults: readonly FaultSection[];
  readonly infrastructure: readonly InfrastructureSection[];
  /** Services of a distributed run, with their devices. */
  readonly placement: readonly GroupSection[];
  readonly observe: ObserveSection;
  readonly expect: readonly Expectation[];
}

export interface LinkSection {
  readonly rateBps: number;
  /** Given as delay, or as length at 5 ns/m. */
  readonly propagationPs: number;
  readonly interfaceDelayPs: number;
  /** Absent: its bits are always right. */
  readonly errors?: LinkErrors;
}

export type Generator =
  | { readonly kind: 'none' }
  /** Two hosts on one link. */
  | { readonly kind: 'pair' }
  /** One switch. */
  | { readonly kind: 'star'; readonly hosts: number }
  /** Two switches joined by one link; `left` and `right` hosts. */
  | { readonly kind: 'dumbbell'; readonly left: number; readonly right: number }
  | { readonly kind: 'ring'; readonly switches: number; readonly hostsPerSwitch: number }
  | {
      readonly kind: 'leaf-spine';
      readonly leaves: number;
      readonly spines: number;
      readonly hostsPerLeaf: number;
    }
  | { readonly kind: 'fat-tree'; readonly k: number }
  /** Pods of leaves and aggregation switches; plane i joins aggregation i of every pod. */
  | {
      readonly kind: 'clos';
      readonly pods: number;
      readonly leavesPerPod: number;
      readonly hostsPerLeaf: number;
      readonly planes: number;
      readonly spinesPerPlane: number;
    };

export interface FabricSection {
  readonly generator: Generator;
  /** Host to switch (and host to host). */
  readonly hostLink: LinkSection;
  /** Switch to switch. */
  readonly fabricLink: LinkSection;
  /** Added to what the generator made. */
  readonly devices: readonly {
    readonly name: string;
    readonly kind: 'host' | 'switch';
    readonly tier: string;
    /** What its software calls its ports. */
    readonly interfaces?: readonly string[];
  }[];
  readonly links: readonly ExplicitLink[];
}

export interface ExplicitLink {
  /** `h1`, or `leaf3:p5` to name the port. */
  readonly ends: readonly [string, string];
  readonly link: LinkSection;
}

export interface HostSection {
  /** Null: assigned by position. */
  readonly mac: string | null;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  /** Null: the plain NIC. */
  readonly nic: NicSection | null;
  readonly arbiter: ArbiterSection | null;
}

export interface SwitchSection {
  /** Its memory: a buffer that its ports share, or slots. */
  readonly model: string;
  /** From the last bit received to admission into the buffer. */
  readonly pipelinePs: number;
  readonly cutThrough: boolean;
  readonly forwarding: 'routed' | 'bridged';
  /** How it chooses among equal routes. */
  readonly ecmp: EcmpSection;
  readonly buffer: BufferSection;
  /** Applies where the model has slots, and is read by its slice. */
  readonly slots: object;
  readonly ports: readonly PortSection[];
  /** Null: the scenario's own. */
  readonly arbiter: ArbiterSection | null;
  /** Age at which a learned address is removed. */
  readonly ageingPs: number;
  readonly failover: FailoverSection;
}

/** How switches handle links that are down. */
export interface FailoverSection {
  readonly enabled: boolean;
  readonly detectionPs: number;
  /** Infinity: routes elsewhere stay as they are. */
  readonly reconvergencePs: number;
  readonly queued: 'move' | 'drop';
}

export interface PortSection {
  /** Counted from 1. */
  readonly port: number;
  /** VLAN of untagged frames. */
  readonly native: number;
  /** VLANs carried tagged. */
  readonly tagged: readonly number[];
  /** Of a model that has slots. */
  readonly slots: object;
}

export interface BufferSection {
  /** Null: as much as its ports need. */
  readonly sizeBytes: number | null;
  /** Buffer is allocated in cells of so many octets; 1 for octet-exact accounts. */
  readonly cellBytes: number;
  /** For each port and traffic class at the egress. */
  readonly egressReservedBytes: number;
  /** Dynamic threshold of a lossy egress queue, as a multiple of the free shared pool. */
  readonly egressAlpha: number;
  /** How the chip accounts for its memory; of a buffer with pools. */
  readonly asic: Asic;
  /** By name; without one the buffer has one pool for all. */
  readonly pools: Readonly<Record<string, PoolInput>>;
  readonly profiles: Readonly<Record<string, ProfileSection>>;
  readonly wred: Readonly<Record<string, WredInput>>;
  /** In file order: later entries win. */
  readonly assign: readonly AssignmentInput[];
  readonly portLimits: readonly PortLimitInput[];
}

/** Absent keys are those of the scenario's own sections. */
export interface DeviceOverride {
  readonly match: string;
  readonly host: Partial<HostSection>;
  readonly switch: Partial<Omit<SwitchSection, 'buffer' | 'slots'>> & {
    readonly buffer?: Partial<BufferSection>;
    readonly slots?: object;
  };
  readonly priorities: readonly PriorityChange[];
  readonly discovery: Partial<DiscoveryEndSection>;
  readonly mechanisms: MechanismSections;
}

/** Flow control of ports that a place selects; later rules win. */
export interface PortRule {
  readonly where: Place & {
    /** Null: any. */
    readonly rateBps: number | null;
  };
  readonly path: Path;
  /** Null: as before. */
  readonly pause: PauseChange | null;
  /** Payload of the longest frame. */
  readonly mtuOctets: number | null;
  /** Null: as before. */
  readonly tag: PortTag | null;
  /** What it changes of how ports read and write priorities; null: nothing. */
  readonly coding: Partial<PortCoding> | null;
  /** Null: as before. */
  readonly maps: PortMaps | null;
  readonly priorities: readonly PriorityChange[];
}

/** Maps of a port, by DSCP or by number from 0 to 7; what is absent, is as for all ports. */
export interface PortMaps {
  readonly dscp?: readonly number[];
  readonly groups?: readonly number[];
  readonly queues?: readonly number[];
  readonly pfcGroups?: readonly number[];
  readonly pfcQueues?: readonly number[];
}

/** What a host tags its frames with. */
export interface PortTag {
  /** Null: no tag; 0: one with a priority only. */
  readonly vlan: number | null;
}

export interface PriorityChange {
  readonly priority: number;
  /** Its entry in the file. */
  readonly path: Path;
  readonly flowControl?: PrioritySection['flowControl'];
  readonly fallback?: PrioritySection['fallback'];
  readonly pausing: Partial<PausingSettings>;
  readonly watchdog?: WatchdogSetting;
  readonly ingressReservedBytes?: number;
  readonly ingressAlpha?: number;
  readonly mechanisms: PriorityKeys;
}

/** What keeps the sender of a priority from sending too much: one of `FLOW_CONTROLS`, or none. */
export type FlowControl = string;

export interface PrioritySection {
  readonly priority: number;
  /** The last entry of the file that has it. */
  readonly path: Path;
  readonly flowControl: FlowControl;
  /** `auto`: that of the section of its flow control. */
  readonly fallback: Fallback | 'auto';
  readonly pausing: PausingSettings;
  /** Of switches. */
  readonly watchdog: WatchdogSetting;
  readonly ingressReservedBytes: number;
  /** Dynamic threshold of an ingress buffer, as a multiple of the free shared pool. */
  readonly ingressAlpha: number;
  readonly mechanisms: PriorityKeys;
}

export interface PauseSection {
  readonly path: Path;
  /** 802.3x on every port; no priority is paused by itself. */
  readonly enabled: boolean;
  readonly pausing: PausingSettings;
  readonly ingressReservedBytes: number;
  readonly ingressAlpha: number;
}

/** Absent keys are those of the scenario's own `pause`. */
export interface PauseChange {
  readonly enabled: boolean;
  readonly path: Path;
  readonly pausing: Partial<PausingSettings>;
  readonly ingressReservedBytes?: number;
  readonly ingressAlpha?: number;
}

/** The rate control of a load: its kind, or `none`. */
export type CongestionControl = string;

/** By kind: the settings of each rate control, as its own schema made them. */
export type RateControlSections = Readonly<Record<string, unknown>>;

export interface ClassSection {
  /** Traffic class of each priority: the queue where frames wait to be sent. */
  readonly transmit: readonly number[];
  /** Priority group of each priority: the account that stores received frames. */
  readonly receive: readonly number[];
  readonly arbiter: ArbiterSection;
}

export type ArbiterSection =
  | { readonly kind: 'strict' }
  | { readonly kind: 'round-robin' }
  /** Of a plugin; its settings are there once ports are specified. */
  | { readonly kind: 'outside'; readonly name: string; readonly settings: object }
  | { readonly kind: 'dwrr'; readonly weights: readonly number[] }
  /** Whole percent of what the strict classes leave; null: strict. They sum to 100. */
  | { readonly kind: 'ets'; readonly shares: readonly (number | null)[] };

export interface GroupSection {
  readonly name: string;
  readonly members: readonly string[];
}

/**
 * Names, globs (`h*`), ranges (`h1..h8`) in file order, `*` for all; expanded against the topology
 * later.
 */
export type HostSelector = readonly string[];

interface RawSection {
  readonly kind: 'raw';
  readonly frameBytes: number;
}

export interface ReliableSection {
  readonly kind: 'reliable';
  /** Of its transport, and what that says besides. */
  readonly name: string;
  readonly settings: ConnectionSettings;
  /** Octets of a packet that are not payload. */
  readonly overheadBytes: number;
  /** Its packets take several of the equal-cost paths, whatever switches do. */
  readonly spreads: boolean;
  readonly mtuBytes: number;
  /** Null: `auto`, which its transport chooses. */
  readonly windowPackets: number | null;
  readonly rateBps: number | null;
  readonly ackEvery: number;
  /** Null: as the data. */
  readonly ackPriority: number | null;
  readonly timeoutPs: number;
  readonly maxTimeoutPs: number;
  /** That time while fewer packets are outstanding; 0 packets: it is the same. */
  readonly fewPackets: number;
  readonly fewTimeoutPs: number;
}

export interface LoadCommon {
  readonly name: string;
  readonly priority: number;
  /** Null: 8 x priority. */
  readonly dscp: number | null;
  readonly ect: boolean;
  readonly congestion: CongestionControl;
  readonly vlan: {
    readonly inner: number | null;
    readonly outer: number | null;
    readonly dei: boolean;
  };
  readonly vm: number;
  readonly toVm: number;
  /** Host whose address its frames have; null: that of the sender. */
  readonly spoof: string | null;
  readonly transport: RawSection | ReliableSection;
  readonly startPs: number;
  readonly endPs: number | null;
}

/** Rate of frames: bit/s of frame octets, a share of the link (0..1), or as fast as possible. */
export type RateSection =
  | { readonly kind: 'line' }
  | { readonly kind: 'bps'; readonly bps: number }
  | { readonly kind: 'share'; readonly share: number };

export type SizeDistribution =
  | { readonly kind: 'fixed'; readonly bytes: number }
  /** web-search, data-mining, hadoop, storage. */
  | { readonly kind: 'named'; readonly name: string }
  /** CSV of octets and cumulative probability; path relative to the working directory. */
  | { readonly kind: 'file'; readonly path: string };

export type LoadSection = LoadCommon &
  (
    | {
        readonly kind: 'stream';
        readonly from: HostSelector;
        /** Hosts, or a group when `group` is true. One to one, or all to one. */
        readonly to: HostSelector;
        readonly group: boolean;
        readonly arrivals: 'constant' | 'paced' | 'poisson' | 'on-off';
        readonly rate: RateSection;
        readonly onPs: number;
        readonly offPs: number;
        readonly randomOnOff: boolean;
        /** Payload octets of each flow; null: endless. */
        readonly bytes: number | null;
      }
    | {
        readonly kind: 'incast';
        readonly from: HostSelector;
        readonly to: string;
        readonly bytes: number;
      }
    | {
        readonly kind: 'permutation';
        readonly hosts: HostSelector;
        /** Shift of the destination index; null: a seeded random derangement. */
        readonly shift: number | null;
        readonly rate: RateSection;
        readonly bytes: number | null;
      }
    | { readonly kind: 'all-to-all'; readonly hosts: HostSelector; readonly bytes: number }
    | {
        readonly kind: 'all-reduce';
        readonly algorithm: 'ring' | 'halving-doubling' | 'tree';
        readonly hosts: HostSelector;
        /** Octets of the vector to reduce. */
        readonly bytes: number;
        /** Each step's data is segmented into so many messages in sequence. */
        readonly chunks: number;
      }
    | {
        readonly kind: 'random';
        readonly hosts: HostSelector;
        readonly sizes: SizeDistribution;
        /** Offered load as a share of each host's link. */
        readonly share: number;
      }
    /** Path relative to the working directory. */
    | { readonly kind: 'replay'; readonly path: string }
    | {
        readonly kind: 'plugin';
        /** Name of the load of a plugin. */
        readonly plugin: string;
        readonly hosts: HostSelector;
        readonly settings: Readonly<Record<string, number>>;
      }
    | ({ readonly kind: 'job' } & JobSection)
  );

/** A step of a job; `within` names groups, null is the group of all ranks. */
export type JobStep = { readonly within: string | null } & (
  | { readonly kind: 'compute'; readonly durationPs: number }
  | {
      readonly kind: 'collective';
      readonly what: string;
      readonly algorithm: string;
      readonly chunks: number;
      readonly octets: number;
    }
);

/** Ranks that compute, send and receive. */
export interface JobSection {
  /** Files relative to the working directory; null: it has steps. */
  readonly files: JobFiles | null;
  readonly steps: readonly JobStep[];
  readonly repeat: number;
  /** Null: as many as its hosts have room for. */
  readonly ranks: number | null;
  readonly hosts: HostSelector;
  readonly ranksPerHost: number;
  readonly placement: 'packed' | 'spread';
  readonly sendsDone: 'handed' | 'acknowledged';
  readonly groups: Readonly<Record<string, readonly (readonly number[])[]>>;
  /** By rank: so many times as long its computations take. */
  readonly slowdown: ReadonlyMap<number, number>;
  /** Of messages within a host: rate, and time beside their octets. */
  readonly boxBps: number;
  readonly boxPs: number;
}
