/** HPCC, of every load that has it. */
export interface HpccSection {
  readonly utilisation: number;
  readonly stages: number;
  readonly increaseOctets: number;
  readonly roundTripPs: number;
  readonly minBps: number;
}

/** Swift, of every load that has it; windows are in packets. */
export interface SwiftSection {
  readonly baseTargetPs: number;
  readonly hopPs: number;
  readonly flowRangePs: number;
  readonly flowLeast: number;
  readonly flowMost: number;
  readonly endpointTargetPs: number;
  readonly increase: number;
  readonly decrease: number;
  readonly maxDecrease: number;
  readonly initial: number;
  readonly least: number;
  readonly most: number;
}
