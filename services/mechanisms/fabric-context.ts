import type { SendSpec } from '../engine/contract/spec.js';
import type { Path } from '../settings/source-tree.js';

/** What a mechanism may know of the fabric when it plans what devices do. */
export interface FabricContext<Settings = unknown, Key = unknown> {
  /** What the scenario says of the mechanism, without the changes for single devices. */
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
  /** By priority: the longest frame on any wire, tags included. */
  readonly longestFrameOctets: readonly number[];
  /** Link partners agree by discovery what runs between them. */
  readonly negotiates: boolean;
  /** Hosts that a selection at a path names; none if it is empty. */
  readonly hostsNamed: (path: Path, selection: readonly string[]) => readonly number[];
  /** Whether a pattern such as `s*:p1` fits a name. */
  readonly matches: (pattern: string, name: string) => boolean;
  /** The error to throw about what the scenario says at a path. */
  readonly fail: (path: Path, message: string) => Error;
  /** Notes that a device will hardly do what it is configured for. */
  readonly warn: (path: Path, device: string, message: string) => void;
}

export interface DeviceContext<Settings = unknown, Key = unknown> {
  readonly name: string;
  /** What the scenario says of the mechanism, with the changes for this device. */
  readonly section: Settings;
  /** Indexed by priority. */
  readonly priorities: readonly PriorityContext<Key>[];
  readonly pipelinePs: number;
  /** By traffic class: the share of a port that is its own when all have frames to send. */
  readonly shares: readonly number[];
  /** Its own address, as of a station. */
  readonly address: () => Uint8Array;
  /** By port. */
  readonly links: readonly LinkContext[];
  /** Where the file gives a key of the section: for this device, or for all. */
  readonly placeOf: (key: string) => Path;
  /** Where the file says what the device does with a priority. */
  readonly placeOfPriority: (priority: number) => Path;
}

export interface PriorityContext<Key = unknown> {
  readonly priority: number;
  /** The priority's key of the mechanism; and of one that is a flag, whether it is set. */
  readonly key: Key;
  readonly isOn: boolean;
  readonly flowControl: string;
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
  /** Priorities with PFC, one bit each. */
  readonly pfc: number;
  /**
   * Octets of a priority's group at this port from which on its link partner is paused, while the
   * shared buffer is empty; null where it is not paused. To be asked once all plans are made.
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

/** Flows whose frames bear a tag by which messages name them, and how far the tag travels. */
export interface FlowTagging {
  /** Frames that a host sends bear the tag. */
  isMember(host: number): boolean;
  /** Frames leave by this port of a switch with the tag. */
  keepsTag(device: number, port: number): boolean;
}

/** What devices are given of a mechanism; null where it does not run. */
export interface MechanismPlan<AtSwitch = object, AtHost = object> {
  ofSwitch(device: number): AtSwitch | null;
  ofHost?(device: number, sends: readonly SendSpec[]): AtHost | null;
}
