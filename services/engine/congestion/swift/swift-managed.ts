/**
 * "Swift: delay is simple and effective for congestion control in the datacenter" (SIGCOMM 2020);
 * where it gives no figure, those of csg-htsim. Windows are in packets.
 */
export const SWIFT_DEFAULTS = {
  /** Target for the fabric: a base, so much more per switch, and more for small windows. */
  baseTargetPs: 20e6,
  hopPs: 3e6,
  flowRangePs: 100e6,
  flowLeast: 0.1,
  flowMost: 100,
  /** Target for the receiving station. */
  endpointTargetPs: 100e6,
  increase: 1,
  decrease: 0.8,
  maxDecrease: 0.5,
  initial: 10,
  least: 0.01,
  most: 1000,
} as const;

/** So many timeouts in a row bring a window down to the least. */
export const SWIFT_RESET_TIMEOUTS = 5;
