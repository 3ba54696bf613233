/** Congestion isolation in a bridge (802.1Qcz 49.4.1). */
export interface CiSwitchSpec {
  /** Traffic classes that are monitored, one bit each. */
  readonly monitorQueues: number;
  /** Priority, and traffic class, of the congesting queue: its PFC pauses that queue alone. */
  readonly priority: number;
  readonly ports: readonly CiPortSpec[];
  readonly maxCim: number;
  readonly maxStreams: number;
  readonly maxFlowLifePs: number;
  /** An entry without frames for so long is removed. */
  readonly idlePs: number;
  readonly minHeaderOctets: number;
  readonly txPriority: number;
  readonly encapsulation: 'ethernet' | 'ipv4' | 'ipv6';
  /** Addresses, as of stations: its own, by port those of its link partners, of all hosts. */
  readonly address: Uint8Array;
  readonly peers: Uint8Array;
  readonly stations: Uint8Array;
  readonly hosts: number;
}

export interface CiPortSpec {
  /** Flows may be isolated at this egress: the link partner is a host, or isolates itself. */
  readonly isolates: boolean;
  /** The link partner processes CIMs, and this is known when the run starts. */
  readonly isPeer: boolean;
  readonly thresholdOctets: number;
  /** The congesting queue is uncongested at or below this length. */
  readonly lowOctets: number;
}
