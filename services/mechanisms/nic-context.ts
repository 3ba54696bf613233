/**
 * What a NIC that is more than a queue for each class knows of its host, of its link and of the
 * load, and what others know of it.
 */

import type { ArbiterSpec } from '../engine/contract/arbiter.js';
import type { Path } from '../settings/source-tree.js';

/** Its section of the scenario, as far as others read it; its slice knows the rest. */
export interface NicSection {
  /** Path of its description. */
  readonly path: Path;
  /** Each traffic class has buffers of its own; else all share one each way. */
  readonly dcb: boolean;
  /** Frames without a VLAN get a tag with their priority. */
  readonly sendsPriorityTags: boolean;
  readonly classes: number;
  /** Limits of its queues. */
  readonly rates: readonly { readonly bps: number }[];
}

/** One of them at a moment, as far as others read it. */
export interface NicResult {
  readonly device: string;
  readonly rates: readonly { readonly enabled: boolean; readonly rateBps: number }[];
  readonly latencies: readonly object[];
  /** Frames that it discarded at their source, so that no port counts them. */
  readonly spoofedFrames: number;
}

/** A line of a file in which a driver's writes were recorded. */
export interface TracedWrite {
  readonly line: number;
  readonly atPs: number;
  readonly address: number;
  readonly value: number;
}

/** The scenario file. */
export interface NicSource {
  errorAt(path: Path, message: string): Error;
  /** What a file that is named at a path says a driver writes, and errors about its lines. */
  tracedWrites(
    path: Path,
    name: string,
  ): { readonly writes: readonly TracedWrite[]; readonly fail: (message: string) => Error };
}

/** The error to throw about the scenario at a path. */
export type Fail = (path: Path, message: string) => Error;
/** Warns that a device will hardly work as configured. */
export type Warn = (path: Path, device: string, message: string) => void;

/** A host as its NIC sees it. */
export interface NicHost {
  readonly name: string;
  readonly linkBps: number;
  /** Of all frames in the fabric. */
  readonly longestFrameOctets: number;
  /** By priority: traffic class when the run begins, and priority group. */
  readonly transmit: readonly number[];
  readonly receive: readonly number[];
  /** The port pauses its link partner as a whole. */
  readonly hasPause: boolean;
  /** The arbiter that the scenario sets for the host itself, and its path; null: none. */
  readonly arbiter: ArbiterSpec | null;
  readonly arbiterPath: Path;
}

/** The link of a port. */
export interface NicLink {
  readonly octetPs: number;
  readonly link: { readonly propagationPs: number; readonly interfaceDelayPs: number };
}

/** Tags of a frame, by VLAN. */
export interface NicTags {
  readonly inner: number | null;
  readonly outer: number | null;
  readonly dei: boolean;
}

export interface NicFlow {
  readonly name: string;
  /** Index of the load entry of the scenario that it belongs to. */
  readonly load: number;
  /** Hosts, and a group where it has one. */
  readonly source: number;
  readonly destination: number;
  readonly group: boolean;
  readonly priority: number;
  readonly vlan: NicTags;
  /** Virtual machines. */
  readonly vm: number;
  readonly toVm: number;
  readonly transport:
    | { readonly kind: 'raw' }
    | { readonly kind: 'reliable'; readonly ackPriority: number };
}

/** Frames that a host receives: their priority on the link, and their tags. */
export interface NicArrival {
  readonly priority: number;
  readonly vlans: number;
  readonly flow: string;
}

/** The traffic that buffers are sized for. */
export interface NicTraffic {
  /** By priority: the flow control of the link. */
  readonly methods: readonly string[];
  readonly sent: readonly NicFlow[];
  readonly arrivals: readonly NicArrival[];
  /** By priority. */
  readonly longestFrameOctets: readonly number[];
  /** By priority: how long the link partner takes to react to a pause. */
  readonly responseDelayPs: readonly number[];
  /** By priority: octets that the port may grant to its link partner. */
  readonly grantedOctets: readonly number[];
}

/** What the first port of a part says of its PCIe link. */
export interface NicPart<Section extends NicSection = NicSection> {
  readonly section: Section;
  readonly linkBps: number;
}

/** The port of a host that a NIC is for. */
export interface NicPort<Section extends NicSection = NicSection> {
  readonly host: NicHost;
  readonly section: Section;
  readonly link: NicLink;
  readonly part: NicPart<Section>;
  readonly traffic: NicTraffic;
}

/** Devices and links of a fabric. */
export interface Cabling {
  readonly devices: readonly { readonly name: string; readonly kind: 'host' | 'switch' }[];
  readonly links: readonly {
    readonly a: { readonly device: number };
    readonly b: { readonly device: number };
    readonly rateBps: number;
  }[];
}
