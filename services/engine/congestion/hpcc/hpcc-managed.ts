/**
 * Published defaults ("HPCC: high precision congestion control", SIGCOMM 2019, 3.3 and 5.1); the
 * floor is that of the simulator that came with it.
 */
export const HPCC_DEFAULTS = {
  /** Share of a link to be used, eta. */
  utilisation: 0.95,
  /** Rounds of additive increase before the window is multiplied, maxStage. */
  stages: 5,
  /** Octets of additive increase, W_AI. */
  increaseOctets: 80,
  /** Base round trip, T: the longest of the fabric without queues. */
  roundTripPs: 13e6,
  minBps: 100e6,
} as const;

export const HPCC_STAGES = { least: 0, most: 1000 } as const;
