import type { ReleaseSpec } from '../../engine/contract/spec.js';
import type { ConnectionSettings } from '../../mechanisms/transport-settings.js';
import type { CongestionControl } from '../scenario/scenario.js';

/** A stream of frames from one host to one host (or group), as the engine will run it. */

/**
 * When payload becomes ready to be sent. A rate in bit/s counts frame octets, destination address
 * to FCS with tags; a share of the link counts preamble and gap, too, so that share 1 is line rate.
 */
export type Release = ReleaseSpec;

export interface RawTransport {
  readonly kind: 'raw';
  /** Octets of a frame from destination address to FCS; tags come on top. */
  readonly frameBytes: number;
}

/** RoCE-like: segments messages, numbers packets, acknowledges, retransmits. */
export interface ReliableTransport {
  readonly kind: 'reliable';
  /** Of its transport, and what that says besides. */
  readonly name: string;
  readonly settings: ConnectionSettings;
  /** Octets of a packet that are not payload; tags come on top. */
  readonly overheadBytes: number;
  /** Its packets take several of the equal-cost paths, whatever switches do. */
  readonly spreads: boolean;
  /** Octets of payload in a full packet. */
  readonly mtuBytes: number;
  /** Most packets unacknowledged; null: `auto`, which its transport chooses. */
  readonly windowPackets: number | null;
  /** Least time between packet starts is their wire time at this rate; Infinity for line rate. */
  readonly rateBps: number;
  /** One acknowledgement for so many packets (the last of a message is always acknowledged). */
  readonly ackEvery: number;
  readonly ackPriority: number;
  /** Time without progress after which unacknowledged packets are retransmitted. */
  readonly timeoutPs: number;
  /** Bound of the exponential back-off of that time. */
  readonly maxTimeoutPs: number;
  /** That time while fewer packets are outstanding; 0 packets: it is the same. */
  readonly fewPackets: number;
  readonly fewTimeoutPs: number;
}

/** Octets of a raw frame that are not payload: Ethernet 14, IPv4 20, UDP 8, FCS 4. */
export const RAW_OVERHEAD_BYTES = 46;

/** Of a reliable packet: Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4 (RoCEv2). */
export const RELIABLE_OVERHEAD_BYTES = 62;

/** Message m of a flow may start once `flow` has delivered m + 1 - lead messages. */
export interface Prerequisite {
  readonly flow: number;
  readonly lead: number;
}

export interface VlanTags {
  /** C-TAG VLAN; 0: its tag has a priority only; null: there is no C-TAG. */
  readonly inner: number | null;
  /** S-TAG VLAN in front of it. */
  readonly outer: number | null;
  readonly dei: boolean;
}

export interface Flow {
  readonly name: string;
  /** Index of the load entry of the scenario that it belongs to. */
  readonly load: number;
  /** Index of a host in the topology. */
  readonly source: number;
  /** Index of a host in the topology, or of a multicast group when `group` is true. */
  readonly destination: number;
  readonly group: boolean;
  readonly priority: number;
  /** Null: that of its class at the switch that its source is joined to. */
  readonly dscp: number | null;
  /** Its frames carry ECT(0): switches may mark them (RFC 3168). */
  readonly ect: boolean;
  readonly congestion: CongestionControl;
  readonly vlan: VlanTags;
  /** Tags of its acknowledgements where a NIC inserts its own; absent: as the data arrives. */
  readonly answerVlan?: VlanTags;
  /** Virtual machine at its source, and at its destination; a plain NIC has one. */
  readonly vm: number;
  readonly toVm: number;
  /** Index of the host whose address its frames have; null: of their sender. */
  readonly address: number | null;
  readonly transport: RawTransport | ReliableTransport;
  readonly release: Release;
  readonly startPs: number;
  /** Nothing is released from here on; Infinity for never. */
  readonly endPs: number;
  /** How many messages; Infinity for an endless stream (raw frames have one message). */
  readonly messages: number;
  /** Payload octets of a message; Infinity for an endless raw stream. */
  readonly messageBytes: number;
  /** All of them must hold; every one is a flow whose destination is this flow's source. */
  readonly after: readonly Prerequisite[];
  /** A job's operation releases its message. */
  readonly byOperation: boolean;
}
