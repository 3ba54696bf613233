/**
 * A run in this thread as its caller sees it: it advances for some milliseconds or up to a time,
 * and can be read between two windows. It relies on the controller for what happens at a bound, and
 * on the wall clock only to give control back: nothing that is executed, recorded or counted may
 * depend on how long a slice was, or runs of one scenario would have different digests.
 */

import type { MechanismResults } from '../mechanisms/registry.js';
import { restoreDevice, saveDevice } from '../engine/device/checkpoint.js';
import type { LiveInput } from '../engine/contract/live.js';
import type { Engine } from '../engine/device/engine.js';
import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import type { EventLog } from '../engine/analysis/events/event-recorder.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import type { DeepSummary } from '../oracle/verdict.js';
import type { Congestion } from '../telemetry/congestion/congestion.js';
import type { RunController } from './controller/run-controller.js';
import type { PartitionListener, PartitionOptions } from './embedded/whole-partition.js';
import { WholePartition } from './embedded/whole-partition.js';
import type { FaultChange } from './live-faults.js';
import type { ObserverPlan } from './observers.js';
import { deliveredShare, packetsOf } from './packets.js';
import type { PortSample } from './port-sample.js';
import { columnsAt } from './port-sample.js';
import { Collector } from './results/collect.js';
import { sampledResults } from './results/mechanism-results.js';
import { frameHopsOf, outcomeOf } from './results/outcome.js';
import type { RunResults } from './results/results.js';
import type { SkippingResult } from './skipping/skipping.js';
import type { RunSnapshot } from './run-snapshot.js';
import type { SeriesRow } from './series-rows.js';
import { seriesUpTo } from './series-of-run.js';
import { CHANGES_PER_PORT } from './series.js';
import type { WholeState } from './whole-state.js';

type SessionOptions = PartitionOptions;

/** What its ports and flows have counted so far, and what instruments of mechanisms read. */
interface Counted extends Pick<RunResults, 'ports' | 'flows'> {
  readonly mechanisms: Partial<MechanismResults>;
}

export interface Progress {
  readonly virtualPs: number;
  readonly endPs: number | null;
  /** 0..1; of the time, or of the payload where the scenario ends with its load. */
  readonly share: number;
  readonly frameHops: number;
}

type SessionState = 'running' | 'complete' | 'failed';

/** Windows, of several turns each, between two readings of the wall clock. */
const WINDOWS_PER_READING = 4;

/** One run of a fabric in this thread: runs its partition in slices, and reads its results. */
export class Session {
  readonly endPs: number | null;
  readonly engine: Engine;
  readonly controller: RunController<RunSnapshot>;
  private readonly partition: WholePartition;

  constructor(fabric: Fabric, options: SessionOptions, observe: ObserverPlan | null = null) {
    this.partition = new WholePartition(fabric, options, observe);
    this.controller = this.partition.controller;
    this.engine = this.partition.engine;
    this.endPs = fabric.scenario.durationPs;
  }

  /** A time from which on nothing has been executed; Infinity when nothing is left to do. */
  get boundPs(): number {
    return this.partition.bound.boundPs;
  }

  set listener(listener: PartitionListener | null) {
    this.partition.listener = listener;
  }

  /** Injects or ends a fault at `boundPs` or later; `fabric` is the one that has it. */
  change(change: FaultChange, fabric: Fabric): void {
    this.partition.changeNow(change, fabric);
  }

  /** A real host sends to a live port; everything before the time of the input may be executed. */
  enter(device: number, port: number, input: LiveInput): void {
    this.partition.enter(device, port, input);
  }

  /** Runs for about so many milliseconds of wall-clock time, or up to a time within the run. */
  advance(wallBudgetMs: number, limitPs = Infinity): SessionState {
    const until = performance.now() + wallBudgetMs;
    const isLimited = limitPs < (this.endPs ?? Infinity);
    do {
      for (let i = 0; i < WINDOWS_PER_READING; i++) {
        if (this.controller.state !== 'advancing') return this.state;
        if (isLimited && this.boundPs >= limitPs) return this.state;
        this.partition.window(limitPs);
      }
    } while (performance.now() < until);
    return this.state;
  }

  /** Executes everything before a time, however long it takes. */
  runTo(timePs: number): void {
    const { controller, partition } = this;
    while (controller.state === 'advancing' && partition.bound.nextPs < timePs) {
      partition.window(timePs);
    }
  }

  /** The counters of the fabric's ports by now. */
  portSample(): PortSample {
    const { engine } = this;
    const { fabric, windows } = this.partition;
    const ports = fabric.linkEnds.flatMap((ends) =>
      ends.map(({ device, port }) => engine.devices[device]!.firstPort + port),
    );
    // The next event may be far away, and the run over before it.
    const timePs = windows.latestPs;
    return { timePs, columns: columnsAt(engine, ports, timePs) };
  }

  progress(): Progress {
    const { endPs, engine } = this;
    const { virtualPs } = this.partition;
    const share = endPs === null ? deliveredShare([packetsOf(engine)]) : virtualPs / endPs;
    return { virtualPs, endPs, share, frameHops: frameHopsOf(engine) };
  }

  /** What its ports have counted so far, and its flows. */
  counted(): Counted {
    const { fabric, virtualPs } = this.partition;
    const collector = new Collector(this.engine, fabric, virtualPs);
    const mechanisms = sampledResults(fabric, this.engine, virtualPs);
    return { ports: collector.ports(), flows: collector.flows(), mechanisms };
  }

  series(): { rows: Iterable<SeriesRow> } {
    const { fabric, sampler, virtualPs } = this.partition;
    return { rows: seriesUpTo(fabric, sampler?.rows ?? [], virtualPs) };
  }

  results(status: 'complete' | 'interrupted'): RunResults {
    const { fabric, failure, observers } = this.partition;
    const [congestion, wire] = [this.congestion(), observers.wireSeen()];
    return outcomeOf(fabric, this.engine, status, failure, { congestion, wire });
  }

  /** What was skipped so far; null: every event is executed. */
  skipping(): SkippingResult | null {
    return this.partition.skipping?.result() ?? null;
  }

  /** The run as it is between two windows, or at its end. */
  snapshot(): RunSnapshot {
    return this.partition.takeSnapshot();
  }

  /** Congestion episodes so far; null unless they are recorded. */
  congestion(): Congestion | null {
    return this.partition.congestion();
  }

  /** What the second oracle judged so far; null without `deep`. */
  deepSummary(): DeepSummary | null {
    return this.partition.deep?.summary() ?? null;
  }

  /** Traces of sampled frames, by device; null unless frames are sampled. */
  hops(): SeenHops | null {
    return this.partition.observers.hopsSeen();
  }

  /** Frames at captured ports, by device; null unless there are any. */
  captures(): readonly CaptureLog[] | null {
    return this.partition.observers.capturesSeen();
  }

  /** Events of frames and priorities, by device; null unless they are recorded. */
  events(): readonly EventLog[] | null {
    const { observers, virtualPs } = this.partition;
    return observers.eventsSeen(virtualPs);
  }

  /** The run as it is now, between two windows. */
  save(): WholeState {
    const { sampler, observers, windows } = this.partition;
    const last = sampler?.saveLast();
    const ports = sampler?.ports ?? [];
    const sampled = ports.map(({ name }, i) => {
      const from = i * CHANGES_PER_PORT;
      return [name, last!.slice(from, from + CHANGES_PER_PORT)] as const;
    });
    return {
      boundPs: this.boundPs,
      framesSeen: this.controller.framesSeen,
      latestPs: windows.latestPs,
      devices: this.engine.devices.map((_, d) => saveDevice(this.engine, d)),
      rows: sampler?.rows ?? [],
      sampleDueAt: sampler?.dueAt ?? Infinity,
      sampled: Object.fromEntries(sampled),
      observed: this.engine.devices.map((_, d) => observers.save(d)),
    };
  }

  /** Continues from a state of the same fabric. */
  restore(whole: WholeState): void {
    const { sampler, observers, windows } = this.partition;
    whole.devices.forEach((state, d) => {
      restoreDevice(this.engine, d, state);
      observers.restore(d, whole.observed[d] ?? null);
    });
    windows.latestPs = whole.latestPs;
    if (sampler !== null) {
      const last = sampler.saveLast();
      sampler.ports.forEach(({ name }, i) => {
        last.set(whole.sampled[name] ?? [], i * CHANGES_PER_PORT);
      });
      sampler.restore(whole.rows, whole.sampleDueAt, last);
    }
    this.partition.restored(whole.boundPs, whole.framesSeen);
  }

  /** How the run ended, or would end now. */
  get status(): 'complete' | 'interrupted' {
    return this.partition.status ?? 'interrupted';
  }

  private get state(): SessionState {
    if (this.controller.state !== 'ended') return 'running';
    return this.partition.failure === null ? 'complete' : 'failed';
  }
}
