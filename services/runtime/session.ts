import { restoreDevice, saveDevice } from '../engine/device/checkpoint.js';
import type { Engine } from '../engine/device/engine.js';
import { BrokenAssertion } from '../engine/kernel/assert.js';
import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import type { EventLog } from '../engine/analysis/events/event-recorder.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import { congestionOf } from '../telemetry/congestion/congestion-of.js';
import { matchesGlob } from '../fabric/scenario/selector.js';
import { Collector } from './results/collect.js';
import { CycleCheck } from './checks/cycle-check.js';
import { nextLookPs } from './checks/look-times.js';
import { GuardedWindows } from './checks/guarded-windows.js';
import { Windows } from './embedded/windows.js';
import type { Glance } from './glance.js';
import type { Breach } from './checks/breach.js';
import { HoldCheck } from './checks/hold-check.js';
import type { FaultChange } from './live-faults.js';
import { applyFaultChange } from './live-faults.js';
import type { ObserverPlan } from './observers.js';
import { Observers, observersOf } from './observers.js';
import {
  deadlockFailure,
  firstLoss,
  frameHopsOf,
  outcomeOf,
  placeNames,
  unbalanced,
  virtualTimeOf,
} from './results/outcome.js';
import { deliveredShare, packetsOf } from './packets.js';
import type { PortSample } from './port-sample.js';
import { columnsAt } from './port-sample.js';
import { standstillOf } from './checks/progress-check.js';
import { RecoveryCheck } from './checks/recovery-check.js';
import type { Failure, RunResults } from './results/results.js';
import type { SeriesPort, SeriesRow } from './series.js';
import { CHANGES_PER_PORT, Sampler, SERIES_COLUMNS } from './series.js';
import { wholeEngine } from './whole-engine.js';
import type { WholeState } from './whole-state.js';
import {
  framesStarted,
  STALLED,
  StallWatch,
  thingsPlanned,
  watchIntervals,
} from './checks/stall.js';

export interface SessionOptions {
  /** Check the books and every start of a frame while running. */
  readonly check: boolean;
  /** Also see that devices change no rows of each other: many times slower. */
  readonly checkRows?: boolean;
}

export interface Progress {
  readonly virtualPs: number;
  readonly endPs: number | null;
  /** 0..1; of the time, or of the payload where the scenario ends with its load. */
  readonly share: number;
  readonly frameHops: number;
}

export type SessionState = 'running' | 'complete' | 'failed';

/** How many windows between two looks at the wall clock. */
const WINDOWS_PER_LOOK = 64;

/** One run of a fabric in this process. */
export class Session {
  readonly endPs: number | null;
  readonly engine: Engine;
  private readonly windows: Windows;
  private readonly sampler: Sampler | null;
  private readonly stall: StallWatch;
  private readonly holdCheck: HoldCheck | null;
  private readonly recovery: RecoveryCheck | null;
  private readonly cycles: CycleCheck | null;
  private readonly observers: Observers;
  private state: SessionState = 'running';
  private failure: Failure | null = null;
  private checkDueAt: number;

  constructor(
    private fabric: Fabric,
    options: SessionOptions,
    observe: ObserverPlan | null = null,
  ) {
    this.engine = wholeEngine(fabric);
    const WindowsOf = options.checkRows === true ? GuardedWindows : Windows;
    this.windows = new WindowsOf(this.engine, fabric.lookaheadPs);
    this.endPs = fabric.scenario.durationPs;
    this.sampler = this.makeSampler();
    this.stall = new StallWatch(watchIntervals(fabric.specs, this.endPs));
    this.holdCheck = options.check ? new HoldCheck(this.engine, true) : null;
    if (this.holdCheck !== null) this.engine.listen(this.holdCheck);
    this.recovery = options.check ? new RecoveryCheck(fabric, this.engine) : null;
    this.checkDueAt = this.nextCheck(0);
    const jams = options.check && CycleCheck.isWanted(fabric);
    this.observers = new Observers(this.engine, { ...(observe ?? observersOf(fabric)), jams });
    this.cycles = jams ? new CycleCheck(fabric, this.observers) : null;
  }

  /** A time from which on nothing has been executed; Infinity when nothing is left to do. */
  get boundPs(): number {
    return Math.min(this.windows.nextTime(), this.endPs ?? Infinity);
  }

  /** A fault comes or goes at `boundPs` or later; `fabric` is the one that has it. */
  change(change: FaultChange, fabric: Fabric): void {
    applyFaultChange(this.engine, change, [...this.engine.devices.keys()]);
    this.fabric = fabric;
    this.stall.adopt(watchIntervals(fabric.specs, this.endPs), this.boundPs);
    if (this.recovery === null) return;
    this.recovery.adopt(fabric);
    this.checkDueAt = Math.min(this.checkDueAt, this.recovery.dueAt());
  }

  /** Runs for about so many milliseconds of wall-clock time, or up to a time within the run. */
  advance(wallBudgetMs: number, limitPs = Infinity): SessionState {
    const until = performance.now() + wallBudgetMs;
    const isLimited = limitPs < (this.endPs ?? Infinity);
    do {
      for (let i = 0; i < WINDOWS_PER_LOOK; i++) {
        if (this.state !== 'running') return this.state;
        if (isLimited && this.boundPs >= limitPs) return this.state;
        this.step(limitPs);
      }
    } while (performance.now() < until);
    return this.state;
  }

  /** What the ports of the fabric have counted by now. */
  portSample(): PortSample {
    const { engine, fabric } = this;
    const ports = fabric.linkEnds.flatMap((ends) =>
      ends.map(({ device, port }) => engine.devices[device]!.firstPort + port),
    );
    // The next event may be far away, and the run over before it.
    const timePs = this.windows.latestPs;
    return { timePs, columns: columnsAt(engine, ports, timePs) };
  }

  progress(): Progress {
    const { endPs, engine } = this;
    const virtualPs = virtualTimeOf(engine, endPs);
    const share = endPs === null ? deliveredShare([packetsOf(engine)]) : virtualPs / endPs;
    return { virtualPs, endPs, share, frameHops: frameHopsOf(engine) };
  }

  /** What its ports have counted so far. */
  counted(): Pick<RunResults, 'ports' | 'credits'> {
    const { engine, fabric } = this;
    const collector = new Collector(engine, fabric, virtualTimeOf(engine, this.endPs));
    return { ports: collector.ports(), credits: collector.credits() };
  }

  series(): { columns: readonly string[]; rows: Iterable<SeriesRow> } {
    return { columns: SERIES_COLUMNS, rows: this.sampler?.rows ?? [] };
  }

  results(status: 'complete' | 'interrupted'): RunResults {
    const [congestion, wire] = [this.congestion(), this.observers.wireSeen()];
    return outcomeOf(this.fabric, this.engine, status, this.failure, { congestion, wire });
  }

  /** What people see of it while it goes on. */
  glance(): Glance {
    const beganAt = performance.now();
    const congestion = this.congestion();
    const results = outcomeOf(this.fabric, this.engine, 'interrupted', null, {
      congestion,
      wire: null,
    });
    return { results, congestion, costMs: performance.now() - beganAt };
  }

  /** Who held whom back so far; null unless that is observed. */
  congestion(): Congestion | null {
    const nowPs = virtualTimeOf(this.engine, this.endPs);
    const waits = this.observers.waitsSeen(nowPs);
    return waits && congestionOf(this.fabric, waits, nowPs);
  }

  /** The ways of sampled frames, as each device saw them; null unless frames are sampled. */
  hops(): SeenHops | null {
    return this.observers.hopsSeen();
  }

  /** What passed captured ports, by device; null unless there are any. */
  captures(): readonly CaptureLog[] | null {
    return this.observers.capturesSeen();
  }

  /** What happened to frames and priorities, by device; null unless that is observed. */
  events(): readonly EventLog[] | null {
    return this.observers.eventsSeen(virtualTimeOf(this.engine, this.endPs));
  }

  /** The run as it is now, between two windows. */
  save(): WholeState {
    const last = this.sampler?.saveLast();
    const ports = this.sampler?.ports ?? [];
    const sampled = ports.map(({ name }, i) => {
      const from = i * CHANGES_PER_PORT;
      return [name, last!.slice(from, from + CHANGES_PER_PORT)] as const;
    });
    return {
      boundPs: this.boundPs,
      framesSeen: this.stall.framesSeen,
      latestPs: this.windows.latestPs,
      devices: this.engine.devices.map((_, d) => saveDevice(this.engine, d)),
      rows: this.sampler?.rows ?? [],
      sampleDueAt: this.sampler?.dueAt ?? Infinity,
      sampled: Object.fromEntries(sampled),
      observed: this.engine.devices.map((_, d) => this.observers.save(d)),
    };
  }

  /** Goes on from a state of the same fabric. */
  restore(whole: WholeState): void {
    whole.devices.forEach((state, d) => {
      restoreDevice(this.engine, d, state);
      this.observers.restore(d, whole.observed[d] ?? null);
    });
    this.windows.latestPs = whole.latestPs;
    this.stall.restore(whole.boundPs, whole.framesSeen);
    this.holdCheck?.restored();
    this.recovery?.restored(whole.boundPs);
    this.checkDueAt = this.nextCheck(whole.boundPs);
    if (this.sampler === null) return;
    const last = this.sampler.saveLast();
    this.sampler.ports.forEach(({ name }, i) => {
      last.set(whole.sampled[name] ?? [], i * CHANGES_PER_PORT);
    });
    this.sampler.restore(whole.rows, whole.sampleDueAt, last);
  }

  /** Executes everything before a time, however long it takes. */
  runTo(timePs: number): void {
    while (this.state === 'running' && this.windows.nextTime() < timePs) this.step(timePs);
  }

  /** One window of virtual time, or the end. */
  private step(limitPs = Infinity): void {
    const next = this.windows.nextTime();
    const endPs = this.endPs ?? Infinity;
    if (next >= endPs) {
      this.finish();
      return;
    }
    const sampleAt = this.sampler?.dueAt ?? Infinity;
    const stop = Math.min(endPs, sampleAt, this.checkDueAt, this.stall.dueAt);
    if (next >= stop) this.observe(stop);
    else this.execute(Math.min(next + this.fabric.lookaheadPs, stop, limitPs));
  }

  /** A window up to `bound`; a fault of the engine itself ends the run where it was found. */
  private execute(bound: number): void {
    try {
      this.windows.window(bound);
    } catch (error) {
      if (!(error instanceof BrokenAssertion)) throw error;
      this.fail(error.message, error.timePs, error.device, -1, null);
    }
  }

  /** Everything before `now` has been executed, and nothing from it on. */
  private observe(now: number): void {
    if (this.sampler?.dueAt === now) this.sampler.sample();
    if (this.checkDueAt === now) {
      this.check(now);
      // Books that balance stay so while nothing happens.
      this.checkDueAt = this.nextCheck(this.windows.nextTime());
    }
    if (this.stall.dueAt !== now) return;
    const { engine } = this;
    const underway = engine.shared.pool.inUse();
    const verdict = this.stall.look(
      framesStarted(engine),
      underway,
      thingsPlanned(engine),
      this.windows.nextTime(),
    );
    if (verdict === 'stalled') this.fail(STALLED, now, -1, -1, null);
    else if (verdict === 'quiet' && this.endPs === null) this.finish();
  }

  private finish(): void {
    if (this.endPs === null) this.sampler?.cutOff(this.windows.latestPs);
    else this.sampler?.sampleUpTo(this.endPs);
    this.checkEnd(virtualTimeOf(this.engine, this.endPs));
    if (this.state !== 'running') return;
    this.failure = firstLoss(this.fabric, this.engine);
    this.state = this.failure === null ? 'complete' : 'failed';
  }

  /** Books that balanced when the last event was over still do; but then nothing may wait. */
  private checkEnd(now: number): void {
    if (this.recovery === null) return;
    if (this.checkDueAt !== Infinity) this.check(now);
    if (this.state === 'running') this.failBy(standstillOf(this.fabric, this.engine, now));
  }

  private check(now: number): void {
    this.failure ??= unbalanced(this.fabric, this.engine, now);
    if (this.failure !== null) this.state = 'failed';
    this.failBy(this.holdCheck?.breach ?? null);
    this.failBy(this.recovery?.look(now) ?? null);
    const circle = this.cycles?.look(now) ?? null;
    if (circle !== null && this.state === 'running') {
      this.state = 'failed';
      this.failure = deadlockFailure(circle);
    }
  }

  /** A link has to have recovered, or it is time to look at everything. */
  private nextCheck(nowPs: number): number {
    return this.recovery === null ? Infinity : Math.min(this.recovery.dueAt(), nextLookPs(nowPs));
  }

  private failBy(breach: Breach | null): void {
    if (breach === null) return;
    const { reason, timePs, device, port, priority } = breach;
    this.fail(reason, timePs, device, port, priority);
  }

  private fail(
    reason: string,
    timePs: number,
    device: number,
    port: number,
    priority: number | null,
  ): void {
    this.state = 'failed';
    this.failure ??= { reason, timePs, ...placeNames(this.fabric, device, port), priority };
  }

  private makeSampler(): Sampler | null {
    const { seriesPs, ports } = this.fabric.scenario.observe;
    if (seriesPs === null) return null;
    const wanted: SeriesPort[] = this.fabric.linkEnds.flatMap((ends, device) =>
      ends
        .filter(({ name }) => ports.length === 0 || ports.some((glob) => matchesGlob(glob, name)))
        .map(({ port, name }) => ({ port: this.engine.devices[device]!.firstPort + port, name })),
    );
    return new Sampler(this.engine, wanted, seriesPs);
  }
}
