/**
 * Published defaults ("Congestion control for large-scale RDMA deployments", SIGCOMM 2015), and
 * where that is silent those of the simulator that came with HPCC. Times in ps, rates in bit/s.
 */
export const DCQCN_DEFAULTS = {
  variant: 'nic',
  gain: 1 / 256,
  alphaPeriodPs: 55e6,
  cutPeriodPs: 4e6,
  raisePeriodPs: 55e6,
  raiseOctets: 10e6,
  fastCycles: 5,
  activeBps: 40e6,
  hyperBps: 400e6,
  minBps: 100e6,
  clampTarget: false,
} as const;

/** Least time between two notifications of one connection. */
export const CNP_GAP_DEFAULT_PS = 50e6;
export const CNP_PRIORITY_DEFAULT = 6;

export const DCQCN_FAST_CYCLES = { least: 1, most: 1000 } as const;
