/** How queues, pauses and slowdowns are spread, over time and by length. */

export interface SpreadView {
  /** Null without a time series, or where no port ever had a queue. */
  readonly queues: QueueSpread | null;
  /** Null where episodes were not observed; else one for each mechanism that paused or blocked. */
  readonly pauses: readonly PauseSpread[] | null;
  /** Null where fewer than two flows are complete. */
  readonly slowdown: SlowdownOverTime | null;
}

/** Egress queues of all ports that ever had one, all priorities of a port together, in octets. */
export interface QueueSpread {
  readonly ports: number;
  /** By rank over the ports, at the times of the heat. */
  readonly p50: readonly number[];
  readonly p90: readonly number[];
  readonly p99: readonly number[];
  readonly max: readonly number[];
  /** The longest of each port and span of time. */
  readonly lengths: Histogram;
}

export interface PauseSpread {
  readonly mechanism: string;
  /** Of the episodes that cleared, in ps. */
  readonly lengths: Histogram;
  /** Those that had not cleared at the end. */
  readonly open: number;
}

/** Of flows by when they were complete; null: none was. */
export interface SlowdownOverTime {
  readonly timesPs: readonly number[];
  readonly counts: readonly number[];
  readonly p50: readonly (number | null)[];
  readonly p99: readonly (number | null)[];
}

export interface Histogram {
  /** One more than there are counts; rising as 1, 2, 5, 10. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
  /** Values of zero, which are in no bin. */
  readonly zeros: number;
}
