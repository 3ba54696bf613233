import type { EndpointSection } from '../../endpoints/endpoint.js';

/** Real hosts at live ports, and how their time passes. */
export interface LiveSection {
  /** A second of virtual time takes so many of wall-clock time. */
  readonly scale: number;
  readonly timing: 'best-effort' | 'strict' | 'stretch';
  /** Wall-clock time by which an event may be late and still count as in time. */
  readonly latePs: number;
  readonly hosts: readonly LiveHostSection[];
  /** What came in during an earlier run: no endpoint is opened. Null: endpoints are. */
  readonly inputs: LiveInputs | null;
}

/** The name of a recording, or its frames. */
export type LiveInputs = string | readonly WrittenInput[];

interface WrittenInput {
  readonly host: string;
  readonly atPs: number;
  readonly octets: Uint8Array;
}

export interface LiveHostSection {
  readonly name: string;
  readonly endpoint: EndpointSection;
  /** The real host is the link partner of the switch; otherwise an emulated NIC is. */
  readonly isWire: boolean;
  /** Longest payload of a frame. */
  readonly mtuOctets: number;
  /** Octets that wait in each traffic class at most. */
  readonly mostOctets: number;
  /** Of untagged frames; null: by their DSCP. */
  readonly priority: number | null;
  /** Complete checksums that a kernel left to hardware. */
  readonly completes: boolean;
}

/** A real host, at its place in the fabric. */
export interface LiveHost {
  readonly section: LiveHostSection;
  /** Of the host, and of its device. */
  readonly position: number;
}

/** Real hosts of a fabric. */
export interface LivePlan {
  readonly hosts: readonly LiveHost[];
  /** Number of the group of all of them: behind those of the scenario. */
  readonly group: number;
  /** Positions of emulated hosts, by address. */
  readonly emulated: ReadonlyMap<number, number>;
}
