/** Registers of an MVTX2802, as the scenario has them. */
export interface SlotsSection {
  readonly memory: '1MB' | '2MB';
  readonly temporarySlots: number;
  /** By class 2 to 7. */
  readonly classes: Readonly<Record<number, number>>;
  readonly sourceSlots: number;
  /** Null: what the delays of each link leave. */
  readonly xoffSlots: number | null;
  readonly allocationOrder: 'shared-first' | 'source-first';
  readonly flowControl: boolean;
  readonly normalQos: boolean;
  readonly multicast: 'off' | 'unmanaged' | 'managed';
  readonly mcc: number;
  readonly multicastStops: 'source' | 'all';
  readonly congestionFrames: number;
  /** By VLAN. */
  readonly vlanCongestionFrames: Readonly<Record<number, number>>;
  readonly scheduler: 'classes' | 'delay-bound' | 'strict-delay-bound' | 'strict-wfq' | 'wfq';
  /** By class, in 64ths; empty: as equal as they can be. */
  readonly weights: Readonly<Record<number, number>>;
  /** Rates in 64ths of the port. */
  readonly shaper: {
    readonly peak: number;
    readonly average: number;
    readonly burstBytes: number;
  } | null;
  /** Counted from 1. */
  readonly cpuPort: number | null;
  readonly wred: {
    readonly sum: 'delay-bound' | 'wfq';
    readonly levels: readonly [number, number, number];
    /** By class 2 to 7. */
    readonly thresholds: Readonly<Record<number, number>>;
    readonly firstHigh: number;
    readonly secondHigh: number;
    readonly secondLow: number;
  };
  readonly responseDelayPs: number;
}

/** Absent keys are unchanged. */
export type SlotsChange = Partial<Omit<SlotsSection, 'classes' | 'wred'>> &
  Pick<SlotsSection, 'classes'> & {
    readonly wred: Partial<Omit<SlotsSection['wred'], 'thresholds'>> &
      Pick<SlotsSection['wred'], 'thresholds'>;
  };

/** Of one port. */
export interface SlottedPortSection {
  /** Null: as all ports of the switch. */
  readonly flowControl: boolean | null;
  /** Null: by priority and DEI. */
  readonly fixed: { readonly trafficClass: number; readonly highPrecedence: boolean } | null;
}
