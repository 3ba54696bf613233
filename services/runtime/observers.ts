import type { CaptureSpec } from '../engine/analysis/capture/capture-filter.js';
import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import { EventRecorder, StepRecorder } from '../engine/analysis/events/event-recorder.js';
import type { EventLog } from '../engine/analysis/events/event-recorder.js';
import { CaptureRecorder } from '../engine/analysis/capture/capture-recorder.js';
import type { SamplingSpec } from '../engine/analysis/trace/frame-sampler.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import { HopRecorder } from '../engine/analysis/trace/hop-recorder.js';
import type { DeviceWaits } from '../engine/analysis/waits/wait-records.js';
import { Listened } from './skipping/listened.js';
import { WaitRecorder } from '../engine/analysis/waits/wait-recorder.js';
import type { WireLog } from '../engine/analysis/wire/wire-recorder.js';
import { WireRecorder } from '../engine/analysis/wire/wire-recorder.js';
import type { Engine } from '../engine/device/engine.js';
import type { Plain } from '../engine/kernel/snapshot.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { capturesOf, samplingOf } from '../fabric/assembly/observer-plan.js';

/** What is recorded during a run. */
export interface ObserverPlan {
  /** Congestion episodes. */
  readonly episodes: boolean;
  /** Traces of sampled frames; null: none. */
  readonly traces: SamplingSpec | null;
  /** Frames at captured ports; null: none. */
  readonly captures: CaptureSpec | null;
  /** Events of frames and priorities. */
  readonly events: boolean | 'steps';
  /** A fingerprint of what each port transmitted. */
  readonly wire: boolean;
  /** The wait-for graph, for a check; jams that have ended are removed when it is checked. */
  readonly jams?: boolean;
}

/** What a scenario records. */
export function observersOf(fabric: Fabric): ObserverPlan {
  const { episodes, events, wire } = fabric.scenario.observe;
  return {
    episodes,
    traces: samplingOf(fabric),
    captures: capturesOf(fabric, [...fabric.specs.keys()]),
    events,
    wire,
  };
}

/** Of all devices of a fabric, in their order; null where it was not recorded. */
interface Observed {
  readonly waits: readonly DeviceWaits[] | null;
  readonly hops: SeenHops | null;
  readonly captures: readonly CaptureLog[] | null;
  readonly events: readonly EventLog[] | null;
  readonly wire: readonly WireLog[] | null;
}

/** The recorders of the devices of an engine. */
export class Observers {
  private readonly waits: WaitRecorder | null;
  private readonly isPastKept: boolean;
  private readonly hops: HopRecorder | null;
  private readonly captures: CaptureRecorder | null;
  private readonly events: EventRecorder | null;
  private readonly wire: WireRecorder | null;

  constructor(
    private readonly engine: Engine,
    readonly plan: ObserverPlan,
  ) {
    const { episodes, traces, captures, events, wire, jams } = plan;
    this.waits = episodes || jams === true ? new WaitRecorder(engine, episodes) : null;
    this.isPastKept = episodes;
    const holds = episodes ? this.waits : null;
    this.hops = traces === null ? null : new HopRecorder(engine, traces, holds);
    this.events = recorderOf(engine, events);
    this.captures = captures === null ? null : new CaptureRecorder(engine, captures);
    this.wire = wire ? new WireRecorder(engine) : null;
    const all = [...engine.devices.keys()];
    if (this.waits !== null) engine.listen(this.waits, all, false);
    if (this.hops !== null) engine.listen(this.hops, all, false);
    if (this.events !== null) engine.listen(this.events, all, false);
    if (this.captures !== null)
      engine.listen(this.captures, this.captures.capturedDevices(), false);
    if (this.wire !== null) engine.listen(this.wire, all, false);
  }

  /** Whether the recorder of episodes is called; null: there is none. */
  listened(): Listened | null {
    return this.waits && new Listened(this.engine, this.waits);
  }

  /** The records of one device; null without recorders. */
  save(device: number): Plain | null {
    const { waits, hops, captures, events, wire } = this;
    if ([waits, hops, captures, events, wire].every((observer) => observer === null)) return null;
    return {
      waits: waits?.save(device) ?? null,
      hops: hops?.save(device) ?? null,
      captures: captures?.save(device) ?? null,
      events: events?.save(device) ?? null,
      wire: wire?.save(device) ?? null,
    };
  }

  /** The part of it that snapshots of a run show: congestion episodes. */
  saveWaits(device: number): Plain | null {
    if (!this.isPastKept) return null;
    return { ...NOTHING_SEEN, waits: this.waits!.save(device) };
  }

  /** Continues from saved records. */
  restore(device: number, saved: Plain | null): void {
    const { waits, hops, captures, events, wire } = (saved ?? NOTHING_SEEN) as Readonly<
      Record<string, Plain>
    >;
    this.waits?.restore(device, waits ?? null);
    this.hops?.restore(device, hops ?? null);
    this.captures?.restore(device, captures ?? null);
    this.events?.restore(device, events ?? null);
    this.wire?.restore(device, wire ?? null);
  }

  /** Removes what is no longer needed; `isKept`: jams that have ended, and are still checked. */
  forgetPast(isKept: (startPs: number, endPs: number) => boolean): void {
    if (this.waits === null || this.isPastKept) return;
    for (let device = 0; device < this.engine.devices.length; device++) {
      this.waits.forgetPast(device, isKept);
    }
  }

  /** By device, the recorded wait-for edges; null if they are not recorded. */
  jams(): readonly Pick<DeviceWaits, 'jams'>[] | null {
    const { engine, waits } = this;
    return waits && engine.devices.map((_, d) => ({ jams: waits.jams(d) }));
  }

  /** By device, the present wait-for edges; empty if they are not recorded. */
  standingJams(): readonly Pick<DeviceWaits, 'jams'>[] {
    const { engine, waits } = this;
    return engine.devices.map((_, d) => ({ jams: waits?.standingJams(d) ?? [] }));
  }

  observed(nowPs: number): Observed {
    return {
      waits: this.waitsSeen(nowPs),
      hops: this.hopsSeen(),
      captures: this.capturesSeen(),
      events: this.eventsSeen(nowPs),
      wire: this.wireSeen(),
    };
  }

  waitsSeen(nowPs: number): DeviceWaits[] | null {
    const waits = this.isPastKept ? this.waits : null;
    return waits && this.byDevice((d) => waits.waits(d, nowPs));
  }

  hopsSeen(): SeenHops | null {
    return this.hops?.seen() ?? null;
  }

  capturesSeen(): CaptureLog[] | null {
    const { captures } = this;
    return captures && this.byDevice((d) => captures.log(d));
  }

  eventsSeen(nowPs: number): EventLog[] | null {
    const { events } = this;
    return events && this.byDevice((d) => events.seen(d, nowPs));
  }

  wireSeen(): WireLog[] | null {
    const { wire } = this;
    return wire && this.byDevice((d) => wire.log(d));
  }

  private byDevice<Item>(read: (device: number) => Item): Item[] {
    return this.engine.devices.map((_, device) => read(device));
  }
}

function recorderOf(engine: Engine, events: ObserverPlan['events']): EventRecorder | null {
  if (events === false) return null;
  return events === 'steps' ? new StepRecorder(engine) : new EventRecorder(engine);
}

const NOTHING_SEEN = { waits: null, hops: null, captures: null, events: null, wire: null };
