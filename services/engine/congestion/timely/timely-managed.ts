/** Published defaults ("TIMELY: RTT-based congestion control", SIGCOMM 2015). */
export const TIMELY_DEFAULTS = {
  /** Below this no queue is worth a reaction, above that every one is. */
  lowPs: 50e6,
  highPs: 500e6,
  /** What gradients are compared with: the round trip without queues. */
  leastPs: 20e6,
  smoothing: 0.875,
  decrease: 0.8,
  stepBps: 10e6,
  minBps: 100e6,
} as const;

/** So many falling round trips in a row make the steps as many times as long. */
export const TIMELY_HYPER = 5;
