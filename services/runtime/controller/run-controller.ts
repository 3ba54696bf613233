/**
 * The one place that decides what a run does next, for all runners: one thread, threads, services.
 * It relies on partitions that end each action before they report, and on bounds that only grow. At
 * a bound everything before it is executed and nothing after it, so that a change, a save or a
 * sample has one meaning wherever it is carried out. It would break if a request acted between two
 * bounds, or if the order of actions at a bound depended on when requests arrived.
 */

import type { Fabric } from '../../fabric/assembly/fabric.js';
import type { WatchIntervals } from '../checks/stall.js';
import { STALLED, StallWatch, watchIntervals } from '../checks/stall.js';
import type { FaultStep, FaultRequest, LiveFaults } from '../live-faults.js';
import type { Failure } from '../results/results.js';
import type { Pace } from './pace.js';
import { pausesAt } from './pace.js';
import type { Bound, CheckTimes, PartitionSet, TakenChange } from './partition-set.js';
import { Requests } from './requests.js';
import type { Action, RunState } from './run-state.js';
import { transition } from './run-state.js';

export const ENDED = 'the run has ended';

interface ControllerOptions {
  readonly durationPs: number | null;
  readonly watch: WatchIntervals;
  /** Virtual times at which the run pauses until it is resumed. */
  readonly haltsPs?: readonly number[];
}

interface ChangeRequest {
  readonly request: FaultRequest;
  readonly live: LiveFaults;
}

/**
 * Drives a run over its partitions, wherever they are: chooses what they do at each bound, in one
 * order (check, change, stop, save, snapshot, sample, pause, advance). Requests may come at any
 * time; they are carried out at the next bound. No clock and no I/O.
 */
export class RunController<Snapshot> {
  private current: RunState = 'waiting';
  private bound: Bound = { boundPs: 0, nextPs: 0 };
  private pace: Pace = { kind: 'free' };
  private haltsPs: readonly number[];
  /** Virtual time that a step has reached, where no event is executed before its end. */
  private steppedPs = 0;
  private readonly stall: StallWatch;
  private readonly requested = new Set<'stop' | 'save' | 'sample'>();
  private readonly changes = new Requests<ChangeRequest, FaultStep>();
  private readonly snapshots = new Requests<null, Snapshot>();
  private failure: Failure | null = null;
  private savedPs = 0;
  private sampledPs = -1;
  /** A paused run is sampled at its present bound. */
  isWatched = false;

  constructor(
    private readonly partitions: PartitionSet,
    private readonly checks: CheckTimes,
    private readonly options: ControllerOptions,
  ) {
    this.stall = new StallWatch(options.watch);
    this.haltsPs = options.haltsPs ?? [];
  }

  get state(): RunState {
    return this.current;
  }

  get boundPs(): number {
    return this.bound.boundPs;
  }

  get isOver(): boolean {
    return this.current === 'collecting' || this.current === 'ended';
  }

  /** The run pauses at a configured time. */
  get isHalted(): boolean {
    return this.haltsPs.some((atPs) => atPs <= this.bound.boundPs);
  }

  /** Everything before has been executed. */
  get virtualPs(): number {
    return Math.min(Math.max(this.bound.boundPs, this.steppedPs), this.endPs);
  }

  /** All partitions are at a bound from which the run continues, or begins. */
  begin(bound: Bound, framesSeen: number): void {
    this.bound = bound;
    this.savedPs = bound.boundPs;
    this.steppedPs = 0;
    this.stall.restore(bound.boundPs, framesSeen);
    this.enter('standing');
    this.proceed();
  }

  /** The run is at a bound of a saved state, wherever it was: without events it had ended. */
  restart(bound: Bound, framesSeen: number): void {
    this.failure = null;
    this.current = 'waiting';
    this.begin(bound, framesSeen);
  }

  /** A partition was lost: all wait until the run begins again. */
  lose(): void {
    // What was found after the bound to which all return is found again.
    this.failure = null;
    this.enter('waiting');
  }

  pause(): void {
    this.setPace({ kind: 'paused' });
  }

  resume(): void {
    this.haltsPs = this.haltsPs.filter((atPs) => atPs > this.bound.boundPs);
    this.setPace({ kind: 'free' });
  }

  /** Advances for so long, then pauses; 0: one advance. */
  step(spanPs: number): void {
    this.setPace(spanPs > 0 ? { kind: 'for', spanPs } : { kind: 'single' });
  }

  /** Advances to a time, then pauses. */
  runTo(endPs: number): void {
    this.setPace({ kind: 'to', endPs });
  }

  /** Ends the run at the next bound. */
  stop(): void {
    this.request('stop');
  }

  save(): void {
    this.request('save');
  }

  sample(): void {
    this.request('sample');
  }

  snapshot(): Promise<Snapshot> {
    if (this.isOver) throw new Error(ENDED);
    const taken = this.snapshots.add(null);
    this.wake();
    return taken;
  }

  /** Injects or ends a fault at the next bound; throws if the scenario cannot have it. */
  change(request: FaultRequest, live: LiveFaults): Promise<FaultStep> {
    if (this.isOver) throw new Error(ENDED);
    live.check(request);
    const step = this.changes.add({ request, live });
    this.wake();
    return step;
  }

  /** A partition found a fault of the run, which ends it at the next bound. */
  report(failure: Failure): void {
    if (this.failure === null || failure.timePs < this.failure.timePs) this.failure = failure;
  }

  /** The advance is over. */
  advanced(bound: Bound): void {
    this.bound = bound;
    this.finish('advancing');
  }

  checked(failure: Failure | null): void {
    if (failure !== null) this.report(failure);
    this.finish('checking');
  }

  /** A promise keeps the requests waiting, but not the run. */
  snapshotTaken(snapshot: Snapshot | Promise<Snapshot>): void {
    for (const { resolve } of this.snapshots.take()) resolve(snapshot);
    this.finish('snapshotting');
  }

  /** The partitions have carried out an action that returns nothing. */
  done(action: 'changing' | 'saving' | 'sampling'): void {
    if (action === 'saving') this.savedPs = this.bound.boundPs;
    this.finish(action);
  }

  /** The final states are there, or the run cannot continue. */
  end(): void {
    if (this.current === 'ended') return;
    this.refuse();
    this.enter('ended');
  }

  /** Something from outside is due, perhaps before the next event that was known. */
  moved(bound: Bound): void {
    this.bound = bound;
  }

  /** From a bound on the run has these faults. */
  adopt(fabric: Fabric, bound: Bound): void {
    const { boundPs } = bound;
    this.bound = bound;
    this.stall.adopt(watchIntervals(fabric.specs, this.options.durationPs), boundPs);
    this.checks.begin(fabric, boundPs);
  }

  /** Frames that the watch for standstill last counted: part of a checkpoint. */
  get framesSeen(): number {
    return this.stall.framesSeen;
  }

  private get endPs(): number {
    return this.options.durationPs ?? Infinity;
  }

  private setPace(pace: Pace): void {
    this.pace = pace;
    this.wake();
  }

  private request(what: 'stop' | 'save' | 'sample'): void {
    this.requested.add(what);
    this.wake();
  }

  private wake(): void {
    if (this.current === 'advancing') this.partitions.interrupt();
    else if (this.current === 'paused') {
      this.enter('standing');
      this.proceed();
    }
  }

  private finish(action: Action | 'advancing'): void {
    if (this.current !== action) throw new Error(`a run that is ${this.current} ends ${action}`);
    this.enter('standing');
    this.proceed();
  }

  /** Acts at the bound until partitions have something to do. */
  private proceed(): void {
    while (this.current === 'standing') this.act();
  }

  private act(): void {
    const { partitions, requested, bound } = this;
    const { boundPs, nextPs } = bound;
    if (this.pace.kind === 'for')
      this.pace = { kind: 'to', endPs: this.virtualPs + this.pace.spanPs };
    if (this.failure !== null) this.collect('complete');
    else if (this.checks.isDue(nextPs) && this.checks.dueAt <= this.stall.dueAt) {
      this.enter('checking');
      partitions.check(this.checks.dueAt);
    } else if (!this.changes.isEmpty) this.makeChanges();
    else if (requested.has('stop')) this.collect('interrupted');
    else if (requested.has('save') && boundPs !== this.savedPs) {
      requested.delete('save');
      this.enter('saving');
      partitions.save();
    } else if (!this.snapshots.isEmpty) {
      this.enter('snapshotting');
      partitions.snapshot();
    } else if (requested.has('sample')) this.takeSample();
    else if (this.isHalted || pausesAt(this.pace, Math.min(nextPs, this.endPs))) this.stand();
    else this.goOn();
  }

  private takeSample(): void {
    this.requested.delete('sample');
    this.sampledPs = this.bound.boundPs;
    this.enter('sampling');
    this.partitions.sample();
  }

  private stand(): void {
    const { boundPs, nextPs } = this.bound;
    if (this.pace.kind === 'to')
      this.steppedPs = Math.max(boundPs, Math.min(this.pace.endPs, nextPs));
    if (this.isWatched && this.sampledPs !== boundPs) {
      this.takeSample();
      return;
    }
    this.enter('paused');
    this.partitions.paused();
  }

  /** Makes changes part of the scenario, with the time from which nothing has been executed. */
  private makeChanges(): void {
    const { boundPs } = this.bound;
    if (boundPs === Infinity) {
      this.refuse();
      return;
    }
    const taken: TakenChange[] = [];
    let fabric = null;
    for (const { request: change, resolve, reject } of this.changes.take()) {
      const { request, live } = change;
      try {
        taken.push({ ...live.take(request, boundPs), resolve });
        fabric = live.fabric;
      } catch (error) {
        reject(error as Error);
      }
    }
    if (fabric === null) return;
    // A change may cause an event before the next that was known.
    const nextPs = taken.reduce((least, { step }) => Math.min(least, step.atPs), this.bound.nextPs);
    this.adopt(fabric, { boundPs, nextPs });
    this.enter('changing');
    this.partitions.change(taken, fabric);
  }

  private goOn(): void {
    const { stall, options, partitions, endPs } = this;
    const { boundPs, nextPs } = this.bound;
    if (nextPs >= endPs || nextPs === Infinity) {
      // With a duration all go to its end, since samples may be due there.
      if (options.durationPs === null || boundPs >= endPs) this.collect('complete');
      else this.advance(endPs, endPs);
      return;
    }
    const haltPs = Math.min(...this.haltsPs);
    if (nextPs >= haltPs && haltPs <= stall.dueAt) {
      this.advance(haltPs, haltPs);
      return;
    }
    if (nextPs < stall.dueAt) {
      this.advance(nextPs, this.limitPs(nextPs));
      return;
    }
    const atPs = stall.dueAt;
    const counts = partitions.counts();
    if (counts === null) {
      this.advance(atPs, atPs);
      return;
    }
    const verdict = stall.check(counts.started, counts.underway, counts.planned, nextPs);
    if (verdict === 'stalled') {
      this.report({ reason: STALLED, timePs: atPs, device: '', port: '', priority: null });
    } else if (verdict === 'quiet' && options.durationPs === null) this.collect('complete');
  }

  /** The earliest time at which there is something to do but events. */
  private limitPs(nextPs: number): number {
    const stepEndPs = this.pace.kind === 'to' ? this.pace.endPs : Infinity;
    const times = [this.endPs, this.stall.dueAt, this.checks.dueAt, stepEndPs, ...this.haltsPs];
    return times.reduce((least, time) => (time > nextPs ? Math.min(least, time) : least), Infinity);
  }

  private advance(basePs: number, limitPs: number): void {
    const isSingle = this.pace.kind === 'single';
    if (isSingle) this.pace = { kind: 'paused' };
    this.enter('advancing');
    this.partitions.advance({ basePs, limitPs, countAtPs: this.stall.dueAt, isSingle });
  }

  private collect(status: 'complete' | 'interrupted'): void {
    this.refuse();
    this.enter('collecting');
    this.partitions.collect(status, this.failure);
  }

  private refuse(): void {
    const error = new Error(ENDED);
    for (const { reject } of [...this.changes.take(), ...this.snapshots.take()]) reject(error);
  }

  private enter(state: RunState): void {
    this.current = transition(this.current, state);
  }
}
