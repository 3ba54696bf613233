import type { RateSpec } from '../../engine/contract/rate-control.js';

/** Reaction point of QCN (802.1Q 32.11). */
export interface QcnReactionSpec extends RateSpec {
  readonly kind: 'qcn';
  readonly timeResetPs: number;
  readonly byteReset: number;
  readonly threshold: number;
  readonly activeBps: number;
  readonly hyperBps: number;
  readonly gain: number;
  readonly minDecreaseFactor: number;
  readonly minBps: number;
}

/** Congestion points of a switch (802.1Q 32.2, 32.8). */
export interface QcnSwitchSpec {
  /** Congestion notification priority values, one bit each. */
  readonly priorities: number;
  /** Priority that frames of a CNPV get at an edge port. */
  readonly alternatePriority: number;
  /** Of its messages (cnmTransmitPriority). */
  readonly messagePriority: number;
  /** Octets of the sampled frame's data in a message (cpMinHeaderOctets). */
  readonly minHeaderOctets: number;
  /** MAC address in the CPIDs of its congestion points. */
  readonly bridge: number;
  /** Addresses of all stations, by position. */
  readonly stations: Uint8Array;
  readonly ports: readonly QcnPortSpec[];
}

export interface QcnPortSpec {
  readonly setPointOctets: number;
  readonly weight: number;
  readonly sampleOctets: number;
  /** 802.1Q 32.1.1 */
  readonly defence: QcnDefence;
}

export type QcnDefence = 'disabled' | 'edge' | 'interior' | 'interior-ready';

/** Reaction points of a host: by priority its first connection with one, -1 for none. */
export interface QcnHostSpec {
  readonly reactionPoints: readonly number[];
}
