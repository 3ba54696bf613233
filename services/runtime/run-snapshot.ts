import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PartitionPlan } from '../fabric/placement/partition-plan.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { mergePartitions } from './merge.js';
import type { PartitionState } from './partition/partition.js';
import type { RunResults } from './results/results.js';

/** The results of a run up to a bound. */
export interface RunSnapshot {
  readonly results: RunResults;
  /** Episodes so far; null where they are not recorded. */
  readonly congestion: Congestion | null;
  /** Wall-clock time that taking the snapshot cost the run. */
  readonly costMs: number;
}

/** Merges the states of all partitions as at the end of a run; `beganAt`: wall-clock time. */
export function snapshotOf(
  fabric: Fabric,
  plans: readonly PartitionPlan[],
  states: readonly PartitionState[],
  beganAt: number,
): RunSnapshot {
  const { results, congestion } = mergePartitions(fabric, plans, states, {
    status: 'interrupted',
    failure: null,
    check: false,
    checkedPs: 0,
    moment: { boundPs: 0, framesSeen: -1 },
    steps: [],
  });
  return { results, congestion, costMs: performance.now() - beganAt };
}

/** Share of the wall-clock time that snapshots may cost. */
const SHARE_MAX = 0.05;

/**
 * The latest snapshot of a run; a new one is taken only when the cost of the last has been
 * amortised.
 */
export class SnapshotCache {
  private latest: RunSnapshot | null = null;
  private latestPs = -1;
  private underway: Promise<void> | null = null;
  private dueAt = -Infinity;

  constructor(
    private readonly take: () => RunSnapshot | null | Promise<RunSnapshot | null>,
    /** Virtual time of the run: a snapshot is current until it advances. */
    private readonly virtualPs: () => number,
  ) {}

  /** Null: there is no snapshot yet. */
  async now(): Promise<RunSnapshot | null> {
    const isDue = performance.now() >= this.dueAt && this.virtualPs() !== this.latestPs;
    if (isDue) this.underway ??= this.renew();
    await this.underway;
    return this.latest;
  }

  /** Adds wall-clock time that was spent on the snapshot afterwards. */
  charge(costMs: number): void {
    this.dueAt = Math.max(this.dueAt, performance.now()) + costMs / SHARE_MAX;
  }

  private async renew(): Promise<void> {
    const virtualPs = this.virtualPs();
    try {
      const snapshot = await this.take();
      if (snapshot !== null) {
        this.latest = snapshot;
        this.latestPs = virtualPs;
        this.charge(snapshot.costMs);
      }
    } catch {
      // The run has ended, or cannot be reached: the last snapshot remains the latest.
    }
    this.underway = null;
  }
}
