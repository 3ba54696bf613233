/** `discovery` after loading. */

import type { DcbxMode, LldpStatus, LldpTimers } from '../../engine/contract/discovery.js';
import type { Application } from '../../engine/wire/lldp/dcbx-ieee.js';
import type { ArbiterSpec } from '../../engine/contract/arbiter.js';

/** LLDP and DCBX on every port. */
export interface DiscoverySection {
  readonly enabled: boolean;
  readonly start: 'live' | 'converged';
  readonly drives: boolean;
  /** Duration of a second of LLDP. */
  readonly secondPs: number;
  readonly timers: LldpTimers;
  readonly neighborsMost: number;
  /** At least one. */
  readonly destinations: readonly number[];
  readonly end: DiscoveryEndSection;
  /** In the order of their times. */
  readonly changes: readonly DiscoveryChange[];
}

/** Settings of each device. */
export interface DiscoveryEndSection {
  readonly status: LldpStatus;
  readonly dcbx: DcbxMode;
  readonly willing: readonly ('ets' | 'pfc' | 'credit')[];
  /** Traffic class of each priority; null: as for all devices. */
  readonly classes: readonly number[] | null;
  /** Priorities that support credit, beside those that are configured for it. */
  readonly grantCapable: readonly number[];
  readonly recommend: boolean;
  readonly pfcCapability: number;
  readonly applications: readonly Application[];
  /** OUI or CID of its own TLVs. */
  readonly identifier: number;
  /** Parts in a million by which its clock is fast. */
  readonly driftPpm: number;
}

export interface DiscoveryChange {
  readonly atPs: number;
  /** Name or glob. */
  readonly devices: string;
  /** Index in the file. */
  readonly index: number;
  /** Priorities with PFC from then on; null: as before. */
  readonly pfc: number | null;
  /** The same for credit. */
  readonly grants: number | null;
  readonly arbiter: ArbiterSpec | null;
  readonly end: Partial<DiscoveryEndSection>;
}
