/**
 * A fabric in one thread, with all that may look at it while it runs: observers, checks, the
 * series. It relies on windows of at most the lookahead, in which devices cannot affect each other,
 * so that they may be executed one after the other. A check may read devices at a bound only:
 * within a window some are ahead of others, and books that are right would not balance.
 */

import type { LiveInput } from '../../engine/contract/live.js';
import type { Engine } from '../../engine/device/engine.js';
import { BrokenAssertion } from '../../engine/kernel/assert.js';
import type { Fabric } from '../../fabric/assembly/fabric.js';
import { seriesIntervalOf } from '../../fabric/assembly/series-interval.js';
import { matchesGlob } from '../../fabric/scenario/selector.js';
import type { Breach } from '../checks/breach.js';
import { CycleCheck } from '../checks/cycle-check.js';
import { DeepCheck } from '../checks/deep/deep-check.js';
import { GuardedWindows } from '../checks/guarded-windows.js';
import { IdleCheck } from '../checks/idle-check.js';
import { HoldCheck } from '../checks/hold-check.js';
import { disagreeingRecords } from '../checks/record-check.js';
import { nextCheckPs } from '../checks/check-times.js';
import { standstillOf } from '../checks/progress-check.js';
import { RecoveryCheck } from '../checks/recovery-check.js';
import { framesStarted, thingsPlanned, watchIntervals } from '../checks/stall.js';
import type {
  Advance,
  Bound,
  CheckTimes,
  PartitionSet,
  StallCounts,
  TakenChange,
} from '../controller/partition-set.js';
import { RunController } from '../controller/run-controller.js';
import { applyFaultChange } from '../live-faults.js';
import type { FaultChange } from '../live-faults.js';
import type { ObserverPlan } from '../observers.js';
import { Observers, observersOf } from '../observers.js';
import {
  deadlockFailure,
  firstLoss,
  outcomeOf,
  placeNames,
  unbalanced,
  virtualTimeOf,
} from '../results/outcome.js';
import type { Failure } from '../results/results.js';
import type { RunSnapshot } from '../run-snapshot.js';
import { congestionOf } from '../../telemetry/congestion/congestion-of.js';
import type { Congestion } from '../../telemetry/congestion/congestion.js';
import type { SeriesPort } from '../series.js';
import { Sampler } from '../series.js';
import type { SkipPace } from '../skipping/skipper.js';
import { Skipping } from '../skipping/skipping.js';
import { wholeEngine } from '../whole-engine.js';
import { Windows } from './windows.js';

export interface PartitionOptions {
  /** Check the ledgers and every start of a frame while running. */
  readonly check: boolean;
  /** Also check that devices change no rows of each other: many times slower. */
  readonly checkRows?: boolean;
  /**
   * Also recompute from the wires what devices should do (`--check=deep`), and check rows, where
   * that is quick.
   */
  readonly deep?: boolean;
  /** Skip what repeats, where nothing excludes it; null or absent: every event is executed. */
  readonly skips?: SkipPace | null;
}

/** Notifications of the controller of a run in this thread. */
export interface PartitionListener {
  /** The counters of ports are wanted. */
  sampled(): void;
  paused(): void;
  /** The run advances, or is over. */
  proceeds(): void;
}

/** What had been executed, and the episodes by then. */
interface Seen {
  readonly fabric: Fabric;
  readonly boundPs: number;
  readonly nowPs: number;
  readonly congestion: Congestion | null;
}

/** A single advance of a run in one thread. */
const SINGLE_PS = 10e6;

/** A whole fabric in this thread: the only partition of its run. */
export class WholePartition implements PartitionSet, CheckTimes {
  readonly engine: Engine;
  readonly windows: Windows;
  readonly sampler: Sampler | null;
  readonly observers: Observers;
  readonly controller: RunController<RunSnapshot>;
  listener: PartitionListener | null = null;
  failure: Failure | null = null;
  /** How the run ended; null while it has not. */
  status: 'complete' | 'interrupted' | null = null;
  readonly deep: DeepCheck | null;
  /** Null: every event is executed. */
  readonly skipping: Skipping | null = null;
  private readonly holdCheck: HoldCheck | null;
  private readonly idleCheck: IdleCheck | null;
  private readonly recovery: RecoveryCheck | null;
  private readonly cycles: CycleCheck | null;
  /** As they were when they were last asked for: a run that ends asks twice. */
  private episodes: Seen | null = null;
  private readonly endPs: number;
  /** The controller has to act at this time. */
  private limitPs = 0;
  /** When to check next. */
  dueAt: number;

  constructor(
    public fabric: Fabric,
    { check, checkRows, deep, skips = null }: PartitionOptions,
    observe: ObserverPlan | null,
  ) {
    const { durationPs } = fabric.scenario;
    this.endPs = durationPs ?? Infinity;
    this.engine = wholeEngine(fabric);
    const isGuarded = checkRows === true || (deep === true && GuardedWindows.isQuick(this.engine));
    const WindowsOf = isGuarded ? GuardedWindows : Windows;
    this.windows = new WindowsOf(this.engine, fabric.cluster);
    this.sampler = this.makeSampler();
    this.holdCheck = check ? new HoldCheck(this.engine, true) : null;
    if (this.holdCheck !== null) this.engine.listen(this.holdCheck);
    this.deep = deep === true ? new DeepCheck(fabric, this.engine) : null;
    this.idleCheck =
      check && IdleCheck.isWanted(fabric) ? new IdleCheck(fabric, this.engine) : null;
    if (this.idleCheck !== null) this.engine.listen(this.idleCheck);
    this.recovery = check ? new RecoveryCheck(fabric, this.engine) : null;
    this.dueAt = this.nextCheck(0);
    const jams = check && CycleCheck.isWanted(fabric);
    this.observers = new Observers(this.engine, { ...(observe ?? observersOf(fabric)), jams });
    this.cycles = jams ? new CycleCheck(fabric, this.observers) : null;
    if (skips !== null) {
      const isChecked = check || deep === true;
      const run = { fabric, isChecked, pace: skips, sampler: this.sampler };
      this.skipping = new Skipping(this.engine, this.windows, this.observers, run);
    }
    const watch = watchIntervals(fabric.specs, durationPs);
    this.controller = new RunController(this, this, { durationPs, watch });
    // Nothing has been executed, however late the first event is.
    this.controller.begin({ boundPs: 0, nextPs: this.windows.nextTime() }, -1);
  }

  /** Nothing has been executed from the next event on. */
  get bound(): Bound {
    const nextPs = this.windows.nextTime();
    return { boundPs: Math.min(nextPs, this.endPs), nextPs };
  }

  get virtualPs(): number {
    return virtualTimeOf(this.engine, this.fabric.scenario.durationPs);
  }

  /** Continues from a state of the engine that was restored, in which `boundPs` was reached. */
  restored(boundPs: number, framesSeen: number): void {
    this.episodes = null;
    this.deep?.disturbed(boundPs);
    this.holdCheck?.restored();
    this.idleCheck?.restored();
    this.recovery?.restored(boundPs);
    this.dueAt = this.nextCheck(boundPs);
    this.failure = null;
    this.status = null;
    this.skipping?.restored();
    this.controller.restart({ boundPs, nextPs: this.windows.nextTime() }, framesSeen);
  }

  /** One window of virtual time that ends at `sliceEndPs` at the latest, or what is due instead. */
  window(sliceEndPs: number): void {
    const nextPs = this.windows.nextTime();
    this.sampler?.sampleUpTo(Math.min(nextPs, this.limitPs));
    if (nextPs >= this.limitPs) {
      this.controller.advanced(this.bound);
      return;
    }
    const dueAt = Math.min(this.limitPs, sliceEndPs);
    const { skipping } = this;
    if (skipping?.isDue() === true) {
      this.execute(() => {
        skipping.seek(dueAt);
      });
      return;
    }
    const sampleAt = this.sampler?.dueAt ?? Infinity;
    this.executeUpTo(Math.min(nextPs + this.windows.spanPs, sampleAt, dueAt));
  }

  advance({ basePs, limitPs, isSingle }: Advance): void {
    this.limitPs = isSingle ? Math.min(limitPs, basePs + SINGLE_PS) : limitPs;
    this.listener?.proceeds();
  }

  /** Between two windows the partition is always at a bound. */
  interrupt(): void {
    this.controller.advanced(this.bound);
  }

  counts(): StallCounts {
    const { engine } = this;
    const underway = engine.shared.pool.inUse();
    return { started: framesStarted(engine), underway, planned: thingsPlanned(engine) };
  }

  /** Nothing is left to check where the run ends; see `collect`. */
  isDue(nextPs: number): boolean {
    return this.dueAt <= nextPs && nextPs < this.endPs;
  }

  begin(fabric: Fabric): void {
    if (this.recovery === null) return;
    this.recovery.adopt(fabric);
    this.dueAt = Math.min(this.dueAt, this.recovery.dueAt());
  }

  check(timePs: number): void {
    const failure = this.checkAll(timePs);
    // A ledger that balances does so while there are no events.
    this.dueAt = this.nextCheck(this.windows.nextTime());
    this.controller.checked(failure);
  }

  change(changes: readonly TakenChange[], fabric: Fabric): void {
    for (const { change, step, resolve } of changes) {
      this.apply(change, fabric);
      resolve(step);
    }
    this.controller.done('changing');
  }

  /** Applies a change that comes from no request, between two windows. */
  changeNow(change: FaultChange, fabric: Fabric): void {
    this.apply(change, fabric);
    this.controller.adopt(fabric, this.bound);
    // The controller has to set another limit before anything is executed.
    this.limitPs = 0;
  }

  /** A real host sends to a live port; nothing from the time of the input on has been executed. */
  enter(device: number, port: number, input: LiveInput): void {
    this.engine.enter(device, port, input);
    this.controller.moved(this.bound);
  }

  private apply(change: FaultChange, fabric: Fabric): void {
    applyFaultChange(this.engine, change, [...this.engine.devices.keys()]);
    this.deep?.disturbed(this.bound.boundPs);
    this.fabric = fabric;
  }

  /** The state of a run in one process is saved by the owner of its session. */
  save(): void {
    this.controller.done('saving');
  }

  sample(): void {
    this.listener?.sampled();
    this.controller.done('sampling');
  }

  snapshot(): void {
    this.controller.snapshotTaken(this.takeSnapshot());
  }

  takeSnapshot(): RunSnapshot {
    const beganAt = performance.now();
    const congestion = this.congestion();
    const measured = { congestion, wire: null };
    const results = outcomeOf(this.fabric, this.engine, 'interrupted', null, measured);
    return { results, congestion, costMs: performance.now() - beganAt };
  }

  paused(): void {
    this.listener?.paused();
  }

  collect(status: 'complete' | 'interrupted', failure: Failure | null): void {
    this.failure = status === 'complete' && failure === null ? this.finish() : failure;
    this.status = status;
    this.controller.end();
    this.listener?.proceeds();
  }

  /** Episodes so far; null unless they are observed. */
  congestion(): Congestion | null {
    const { fabric, virtualPs: nowPs } = this;
    const { boundPs } = this.bound;
    const known = this.episodes;
    if (known?.fabric === fabric && known.boundPs === boundPs && known.nowPs === nowPs) {
      return known.congestion;
    }
    const waits = this.observers.waitsSeen(nowPs);
    const congestion = waits && congestionOf(fabric, waits, nowPs);
    this.episodes = { fabric, boundPs, nowPs, congestion };
    return congestion;
  }

  /** A fault of the engine itself ends the run where it was found. */
  private execute(run: () => void): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof BrokenAssertion)) throw error;
      const { message: reason, timePs, device } = error;
      this.controller.report(this.failureOf({ reason, timePs, device, port: -1, priority: null })!);
      this.controller.advanced(this.bound);
    }
  }

  private executeUpTo(bound: number): void {
    this.execute(() => {
      this.windows.run(bound);
      this.deepen(bound);
    });
  }

  /** What the second oracle finds ends the run where it was found, too. */
  private deepen(bound: number): void {
    if (this.deep === null) return;
    this.deep.reached(bound);
    const failure = this.failureOf(this.deep.breach);
    if (failure === null) return;
    this.controller.report(failure);
    this.controller.advanced(this.bound);
  }

  /** Takes the last samples; returns what is wrong at the end. */
  private finish(): Failure | null {
    if (this.endPs === Infinity) this.sampler?.cutOff(this.virtualPs);
    else this.sampler?.sampleUpTo(this.endPs);
    const { engine, fabric, observers, virtualPs } = this;
    const records = disagreeingRecords(engine, observers.observed(virtualPs), virtualPs);
    return (
      this.checkEnd(virtualPs) ??
      firstLoss(fabric, engine) ??
      this.failureOf(records) ??
      this.failureOf(this.wrongFigure())
    );
  }

  private wrongFigure(): Breach | null {
    if (this.deep === null) return null;
    const measured = { congestion: null, wire: null };
    return this.deep.wrongFigure(outcomeOf(this.fabric, this.engine, 'complete', null, measured));
  }

  /** Ledgers that balanced at the last event still do; but then nothing may wait. */
  private checkEnd(nowPs: number): Failure | null {
    if (this.recovery === null) return null;
    const failure = this.dueAt === Infinity ? null : this.checkAll(nowPs);
    return failure ?? this.failureOf(standstillOf(this.fabric, this.engine, nowPs));
  }

  private checkAll(nowPs: number): Failure | null {
    const failure =
      unbalanced(this.fabric, this.engine, nowPs) ??
      this.failureOf(this.holdCheck?.breach ?? this.idleCheck?.breach ?? null) ??
      this.failureOf(this.recovery?.check(nowPs) ?? null);
    const cycle = this.cycles?.check(nowPs) ?? null;
    return failure ?? (cycle && deadlockFailure(cycle));
  }

  /** A link must have recovered, or it is time to check everything. */
  private nextCheck(nowPs: number): number {
    return this.recovery === null ? Infinity : Math.min(this.recovery.dueAt(), nextCheckPs(nowPs));
  }

  private failureOf(breach: Breach | null): Failure | null {
    if (breach === null) return null;
    const { reason, timePs, device, port, priority } = breach;
    return { reason, timePs, ...placeNames(this.fabric, device, port), priority };
  }

  private makeSampler(): Sampler | null {
    const interval = seriesIntervalOf(this.fabric);
    if (interval === null) return null;
    const { ports } = this.fabric.scenario.observe;
    const wanted: SeriesPort[] = this.fabric.linkEnds.flatMap((ends, device) =>
      ends
        .filter(({ name }) => ports.length === 0 || ports.some((glob) => matchesGlob(glob, name)))
        .map(({ port, name }) => ({ port: this.engine.devices[device]!.firstPort + port, name })),
    );
    return new Sampler(this.engine, wanted, interval);
  }
}
