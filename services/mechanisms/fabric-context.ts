import type { GrantsSpec } from '../engine/contract/grants-spec.js';
import type { PausingSpec, RetriedFrames, SendSpec } from '../engine/contract/spec.js';
import type { Path } from '../settings/source-tree.js';
import type { PausingSettings, WatchdogSetting } from './pausing-settings.js';

export type { PausingSettings, WatchdogSetting };

/** What may rule a priority on a link where only one end has a flow control; refuse: an error. */
export const FALLBACKS = ['refuse', 'pfc', 'pause', 'none'] as const;
export type Fallback = (typeof FALLBACKS)[number];

/** What a mechanism may know of the fabric when it plans what devices do. */
export interface FabricContext<Settings = unknown, Key = unknown> {
  /** The mechanism's section of the scenario, without overrides of devices. */
  readonly section: Settings;
  /** Hosts come first among the devices. */
  readonly hostCount: number;
  readonly devices: readonly DeviceContext<Settings, Key>[];
  /** Addresses of all hosts, one behind the other, as `notices/stations` reads them. */
  readonly stations: Uint8Array;
  readonly flows: readonly FlowContext[];
  /** Traffic class, and priority group, of each priority. */
  readonly transmit: readonly number[];
  readonly receive: readonly number[];
  /** By priority: the longest frame on any link, tags included. */
  readonly longestFrameOctets: readonly number[];
  /** Link partners agree by discovery what runs between them. */
  readonly negotiates: boolean;
  /** Parts from outside by their names. */
  readonly outside: { readonly markings: Readonly<Record<string, OutsideMarking>> };
  /** Hosts that a selection at a path names; none if it is empty. */
  readonly hostsNamed: (path: Path, selection: readonly string[]) => readonly number[];
  /** Whether a pattern such as `s*:p1` matches a name. */
  readonly matches: (pattern: string, name: string) => boolean;
  /** The error to throw about the scenario at a path. */
  readonly fail: (path: Path, message: string) => Error;
  /** Warns that a device will hardly work as configured. */
  readonly warn: (path: Path, device: string, message: string) => void;
}

/** A marking from outside, as a scenario sets it. */
export interface OutsideMarking {
  /** A frame is judged when it joins a queue, or leaves it. */
  readonly moment: 'enqueue' | 'dequeue';
  readonly settings: object;
}

export interface DeviceContext<Settings = unknown, Key = unknown> {
  readonly name: string;
  /** The mechanism's section of the scenario, with the overrides of this device. */
  readonly section: Settings;
  /** Indexed by priority. */
  readonly priorities: readonly PriorityContext<Key>[];
  readonly pipelinePs: number;
  /** Of a model with memory of its own: what it stores is not in accounts of a shared buffer. */
  readonly hasOwnMemory: boolean;
  /** Its own address, as of a station. */
  readonly address: () => Uint8Array;
  /** By port. */
  readonly links: readonly LinkContext[];
  /** Path of a key of the section: of this device, or of all. */
  readonly placeOf: (key: string) => Path;
}

interface PriorityContext<Key = unknown> {
  readonly priority: number;
  /** Its entry in the scenario. */
  readonly path: Path;
  /** The mechanism's key of the priority; of a flag, whether it is set. */
  readonly key: Key;
  readonly isOn: boolean;
}

/** What a port is configured for. */
interface PortPriority {
  readonly path: Path;
  readonly pausing: PausingSettings;
  readonly watchdog: WatchdogSetting;
}

/** A link as one of its ends sees it. */
export interface LinkContext {
  /** Of the port at this end. */
  readonly name: string;
  readonly rateBps: number;
  readonly peerDevice: number;
  readonly peerPort: number;
  readonly octetPs: number;
  /** From a bit leaving this end to the same bit at the peer's MAC. */
  readonly latencyPs: number;
  /** Probability that a frame of so many octets is bad, by the description of the link. */
  readonly frameErrorRate: (octets: number) => number;
  /** Priorities that are paused one by one, one bit each. */
  readonly pausable: number;
  /** By priority: the flow control that its ends come to; PAUSE is that of all of them. */
  readonly flowControl: readonly string[];
  /** How this end pauses its link partner, all priorities together; null: it does not. */
  readonly portPausing: PausingSettings | null;
  /** By priority: lengths of full frames on the link, tags included, and the longest. */
  readonly frameLengths: readonly (readonly number[])[];
  readonly longestFrameOctets: readonly number[];
  /** Settings of this end, by priority; ends that are alike share them. */
  readonly priorities: readonly PortPriority[];
  /** Priority group of each priority at this end. */
  readonly groupOf: readonly number[];
  /** Queue of each priority at this end, where its port has maps of its own; else null. */
  readonly classOf: readonly number[] | null;
  /** VLAN whose frames leave by this end without a tag; null: not a port of a bridge. */
  readonly nativeVlan: number | null;
  /**
   * Octets of a priority's group at this port from which on its link partner is paused, while the
   * shared buffer is empty; null where it is not paused. Valid once all plans are made.
   */
  readonly xoffOctets: (priority: number) => number | null;
  /** Address of the peer port, as of a station. */
  readonly peerAddress: () => Uint8Array;
}

export interface FlowContext {
  readonly name: string;
  /** Host. */
  readonly source: number;
  readonly priority: number;
  /** To a multicast group. */
  readonly isGroup: boolean;
  /** Null: nothing is acknowledged. */
  readonly ackPriority: number | null;
  /** Switches of one shortest path (of several equal ones); empty for a group. */
  readonly switches: () => readonly number[];
  /** Sending ports of that path, the source's first; empty for a group. */
  readonly hops: () => readonly PortPlace[];
}

export interface PortPlace {
  readonly device: number;
  readonly port: number;
}

/** Flows whose frames have a tag by which messages name them, and where the tag is removed. */
export interface FlowTagging {
  /** Frames that a host sends have the tag. */
  isMember(host: number): boolean;
  /** Frames leave by this port of a switch with the tag. */
  keepsTag(device: number, port: number): boolean;
}

/** A mechanism's specifications of devices; null where it does not run. */
export interface MechanismPlan<AtSwitch = object, AtHost = object> {
  ofSwitch(device: number): AtSwitch | null;
  ofHost?(device: number, sends: readonly SendSpec[]): AtHost | null;
  /** Of a flow control: by priority, octets to reserve behind a port for what it grants. */
  backing?(device: number, port: number, cellOctets: number): readonly number[];
  /** How a port pauses its link partner; null: not by this mechanism. */
  pausing?(device: number, port: number): PausingSpec | null;
  /** What frames start with at a port; `retry`: what its link partner may send again. */
  grants?(device: number, port: number, retry: RetriedFrames | null): GrantsSpec | null;
  /** Ordered sets come in by a port, which act sooner than the shortest frame. */
  hasOrderedSets?(device: number, port: number): boolean;
  /** Name of the control messages that grant frames to a port; null: none do. */
  grantMessages?(device: number, port: number): string | null;
  /** What the link partner of a port may send again; null: nothing. */
  retry?(device: number, port: number): RetriedFrames | null;
}

/** The flow control whose frames start with grants that link partners exchange. */
export const EXCHANGE = 'credit' as const;

// Flow control of a priority on a link; `either`: its ends may negotiate grants, and PFC.

/** The receiver may pause the priority. */
export function isPausable(method: string | undefined): boolean {
  return method === 'pfc' || method === 'either';
}

/** Its frames start with grants of the receiver. */
export function needsGrants(method: string | undefined): boolean {
  return method === EXCHANGE || method === 'either';
}
