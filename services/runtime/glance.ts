import type { Fabric } from '../fabric/assembly/fabric.js';
import type { PartPlan } from '../fabric/placement/part-plan.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { mergeParts } from './merge.js';
import type { PartState } from './part/part.js';
import type { RunResults } from './results/results.js';

/** What people see of a run that is under way. */
export interface Glance {
  readonly results: RunResults;
  /** Who held whom back so far; null where that is not observed. */
  readonly congestion: Congestion | null;
  /** For how long the run, or who puts it together, was kept from other things. */
  readonly costMs: number;
}

/** The states that parts have shown, put together as in the end; `beganAt`: by the wall clock. */
export function glanceOf(
  fabric: Fabric,
  plans: readonly PartPlan[],
  states: readonly PartState[],
  beganAt: number,
): Glance {
  const { results, congestion } = mergeParts(fabric, plans, states, {
    status: 'interrupted',
    failure: null,
    check: false,
    lookedPs: 0,
    moment: { boundPs: 0, framesSeen: -1 },
    steps: [],
  });
  return { results, congestion, costMs: performance.now() - beganAt };
}

/** Of the time on the wall, at most so much goes into looking. */
const SHARE_MAX = 0.05;

/** A run as it stood when somebody asked last; nobody looks at it too often. */
export class Glances {
  private latest: Glance | null = null;
  private latestPs = -1;
  private underway: Promise<void> | null = null;
  private dueAt = -Infinity;

  constructor(
    private readonly look: () => Glance | null | Promise<Glance | null>,
    /** How far the run is: what has been seen is not looked at again. */
    private readonly virtualPs: () => number,
  ) {}

  /** Null: there has been nothing to see. */
  async now(): Promise<Glance | null> {
    const isDue = performance.now() >= this.dueAt && this.virtualPs() !== this.latestPs;
    if (isDue) this.underway ??= this.renew();
    await this.underway;
    return this.latest;
  }

  /** So much time of the run went into what somebody makes of it. */
  charge(costMs: number): void {
    this.dueAt = Math.max(this.dueAt, performance.now()) + costMs / SHARE_MAX;
  }

  private async renew(): Promise<void> {
    const virtualPs = this.virtualPs();
    try {
      const glance = await this.look();
      if (glance !== null) {
        this.latest = glance;
        this.latestPs = virtualPs;
        this.charge(glance.costMs);
      }
    } catch {
      // The run has ended, or nobody answers: what was seen before stands.
    }
    this.underway = null;
  }
}
