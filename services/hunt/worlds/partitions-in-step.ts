import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { PartitionPlan } from '../../fabric/placement/partition-plan.js';
import { planPartitions } from '../../fabric/placement/partition-plan.js';
import type { Placement } from '../../fabric/placement/placement.js';
import { HoldCheck } from '../../runtime/checks/hold-check.js';
import { RecoverySnapshots } from '../../runtime/checks/recovery-snapshots.js';
import {
  framesStarted,
  STALLED,
  StallWatch,
  thingsPlanned,
  watchIntervals,
} from '../../runtime/checks/stall.js';
import type { MergedRun } from '../../runtime/merge.js';
import { mergePartitions } from '../../runtime/merge.js';
import { Partition } from '../../runtime/partition/partition.js';
import { placeNames } from '../../runtime/results/outcome.js';
import type { Failure } from '../../runtime/results/results.js';
import { makeMailboxMemory, Mailbox } from '../../runtime/threads/mailbox.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { LONE_WINDOW_PS } from '../../runtime/threads/thread-memory.js';

interface Seat {
  readonly part: Partition;
  readonly plan: PartitionPlan;
  readonly outgoing: readonly Mailbox[];
  readonly check: HoldCheck;
}

/**
 * The work of threads, one after the other in one thread: the same parts, windows, mailboxes and
 * checks, but no clock and no shared memory. `lengthOf` samples the length of a window, up to the
 * lookahead.
 */
export class PartitionsInStep {
  private readonly plans: PartitionPlan[];
  private readonly seats: readonly Seat[];
  private readonly recovery: RecoverySnapshots;
  private readonly stall: StallWatch;
  private readonly lookaheadPs: number;
  private boundPs = 0;
  private failure: Failure | null = null;

  constructor(
    private readonly fabric: Fabric,
    placement: Placement,
    private readonly lengthOf: (mostPs: number) => number,
  ) {
    this.plans = planPartitions(fabric, placement);
    const lookaheads = this.plans.flatMap(({ channels }) => channels.map((c) => c.lookaheadOutPs));
    this.lookaheadPs = Math.min(...lookaheads, LONE_WINDOW_PS);
    this.seats = this.plans.map((plan) => seatOf(plan, this.lookaheadPs));
    this.recovery = new RecoverySnapshots(fabric, this.plans, true);
    this.stall = new StallWatch(watchIntervals(fabric.specs, fabric.scenario.durationPs));
  }

  run(): MergedRun {
    const endPs = this.fabric.scenario.durationPs ?? Infinity;
    for (;;) {
      const nextPs = Math.min(...this.seats.map(({ part }) => part.nextTime()));
      if (nextPs >= endPs || nextPs === Infinity || !this.goesOn(nextPs)) break;
      this.window(nextPs, endPs);
    }
    return this.merged();
  }

  private window(nextPs: number, endPs: number): void {
    const dueAt = Math.min(this.stall.dueAt, this.recovery.dueAt);
    const length = this.lengthOf(this.lookaheadPs);
    this.boundPs = Math.min(nextPs + length, endPs, dueAt);
    for (const { part, outgoing } of this.seats) {
      part.runBorderTo(this.boundPs);
      part.take(egressPathTo(outgoing));
    }
    for (const { part } of this.seats) part.runTo(this.boundPs);
    this.seats.forEach(({ plan, outgoing }, from) => {
      plan.channels.forEach(({ peer }, channel) => {
        const there = this.plans[peer]!.channels.findIndex((back) => back.peer === from);
        outgoing[channel]!.empty(this.seats[peer]!.part, there);
      });
    });
  }

  /** Checks everything that is due; false if the run is over. */
  private goesOn(nextPs: number): boolean {
    while (this.recovery.isDue(nextPs)) {
      const states = this.seats.map(({ part }) => part.save());
      this.failure = this.recovery.check(states, this.recovery.dueAt);
      if (this.failure !== null) return false;
    }
    while (nextPs >= this.stall.dueAt) {
      const atPs = this.stall.dueAt;
      const engines = this.seats.map(({ part }) => part.engine);
      const sum = (of: (engine: Partition['engine']) => number): number =>
        engines.reduce((total, engine) => total + of(engine), 0);
      const underway = sum(({ shared }) => shared.pool.inUse());
      const verdict = this.stall.check(sum(framesStarted), underway, sum(thingsPlanned), nextPs);
      if (verdict === 'stalled') {
        const nowhere = placeNames(this.fabric, -1, -1);
        this.failure = { reason: STALLED, timePs: atPs, ...nowhere, priority: null };
      }
      if (
        verdict !== 'moving' &&
        (verdict === 'stalled' || this.fabric.scenario.durationPs === null)
      ) {
        this.boundPs = atPs;
        return false;
      }
    }
    for (const { check, plan } of this.seats) check.lookAtBooks(nextPs, plan.specs.length);
    return true;
  }

  private merged(): MergedRun {
    const { durationPs } = this.fabric.scenario;
    // What the parts would still send each other is missing behind a failure.
    const isWhole = this.failure === null && durationPs !== null;
    if (isWhole) for (const { part } of this.seats) part.runTo(durationPs);
    const states = this.seats.map(({ part }) => part.save());
    const { boundPs, stall, recovery } = this;
    return mergePartitions(this.fabric, this.plans, states, {
      status: 'complete',
      failure: this.broken() ?? this.failure,
      check: true,
      checkedPs: recovery.checkedPs,
      moment: { boundPs, framesSeen: stall.framesSeen },
      steps: [],
    });
  }

  private broken(): Failure | null {
    const breaches = this.seats.flatMap(({ check, plan }) =>
      check.breach === null
        ? []
        : [{ ...check.breach, device: plan.devices[check.breach.device]! }],
    );
    const [first] = breaches.sort((a, b) => a.timePs - b.timePs);
    if (first === undefined) return null;
    const { reason, timePs, device, port, priority } = first;
    return { reason, timePs, ...placeNames(this.fabric, device, port), priority };
  }
}

function seatOf(plan: PartitionPlan, lookaheadPs: number): Seat {
  const part = new Partition(plan);
  const check = new HoldCheck(part.engine);
  part.engine.listen(check);
  const outgoing = plan.channels.map(
    (_, channel) => new Mailbox(makeMailboxMemory(plan, channel, lookaheadPs)),
  );
  return { part, plan, outgoing, check };
}

function egressPathTo(boxes: readonly Mailbox[]) {
  return {
    frame: (channel: number, link: number, pool: FramePool, frame: number): void => {
      boxes[channel]!.addFrame(link, pool, frame);
    },
    control: (channel: number, link: number, atPs: number, octets: Uint8Array): void => {
      boxes[channel]!.addControl(link, atPs, octets);
    },
  };
}
