/** Congestion isolation in a bridge (802.1Qcz 49.4.1). */
export interface CiSwitchSpec {
  /** Traffic classes that are watched, one bit each. */
  readonly monitorQueues: number;
  /** Priority, and traffic class, of the congesting queue: its PFC stops that queue alone. */
  readonly priority: number;
  readonly ports: readonly CiPortSpec[];
  readonly maxCim: number;
  readonly maxStreams: number;
  readonly maxFlowLifePs: number;
  /** An entry without frames for so long is given up. */
  readonly idlePs: number;
  readonly minHeaderOctets: number;
  readonly txPriority: number;
  readonly encapsulation: 'ethernet' | 'ipv4' | 'ipv6';
  /** Addresses, as of stations: its own, by port those of its neighbours, of all hosts. */
  readonly address: Uint8Array;
  readonly peers: Uint8Array;
  readonly stations: Uint8Array;
  readonly hosts: number;
}

export interface CiPortSpec {
  /** Flows may be isolated at this egress: the neighbour is a host, or isolates itself. */
  readonly isolates: boolean;
  /** The neighbour takes CIMs, and is known to when the run starts. */
  readonly isPeer: boolean;
  readonly thresholdOctets: number;
  /** The congesting queue is uncongested from here down. */
  readonly lowOctets: number;
}
