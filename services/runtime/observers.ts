import type { CaptureSpec } from '../engine/analysis/capture/capture-filter.js';
import type { CaptureLog } from '../engine/analysis/capture/capture-log.js';
import { EventRecorder } from '../engine/analysis/events/event-recorder.js';
import type { EventLog } from '../engine/analysis/events/event-recorder.js';
import { CaptureRecorder } from '../engine/analysis/capture/capture-recorder.js';
import type { SamplingSpec } from '../engine/analysis/trace/frame-sampler.js';
import type { SeenHops } from '../engine/analysis/trace/hop-recorder.js';
import { HopRecorder } from '../engine/analysis/trace/hop-recorder.js';
import type { DeviceWaits } from '../engine/analysis/waits/wait-records.js';
import { WaitRecorder } from '../engine/analysis/waits/wait-recorder.js';
import type { WireLog } from '../engine/analysis/wire/wire-recorder.js';
import { WireRecorder } from '../engine/analysis/wire/wire-recorder.js';
import type { Engine } from '../engine/device/engine.js';
import type { Plain } from '../engine/kernel/snapshot.js';
import type { Fabric } from '../fabric/assembly/fabric.js';
import { capturesOf, samplingOf } from '../fabric/assembly/observer-plan.js';

/** What is written down while a run is executed. */
export interface ObserverPlan {
  /** Who held whom back. */
  readonly episodes: boolean;
  /** The ways of sampled frames; null: of none. */
  readonly traces: SamplingSpec | null;
  /** What passes ports; null: of none. */
  readonly captures: CaptureSpec | null;
  /** What happens to frames and priorities. */
  readonly events: boolean;
  /** A fingerprint of what each port put on the wire. */
  readonly wire: boolean;
  /** Who waits for whom, for a check; what was over when that is looked for is not kept. */
  readonly jams?: boolean;
}

/** What a scenario wants to have written down. */
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

/** Of all devices of a fabric, in their order; null where it was not observed. */
export interface Observed {
  readonly waits: readonly DeviceWaits[] | null;
  readonly hops: SeenHops | null;
  readonly captures: readonly CaptureLog[] | null;
  readonly events: readonly EventLog[] | null;
  readonly wire: readonly WireLog[] | null;
}

/** Those who watch the devices of an engine, and what they have seen of each. */
export class Observers {
  private readonly waits: WaitRecorder | null;
  private readonly isPastKept: boolean;
  private readonly hops: HopRecorder | null;
  private readonly captures: CaptureRecorder | null;
  private readonly events: EventRecorder | null;
  private readonly wire: WireRecorder | null;

  constructor(
    private readonly engine: Engine,
    { episodes, traces, captures, events, wire, jams }: ObserverPlan,
  ) {
    this.waits = episodes || jams === true ? new WaitRecorder(engine) : null;
    this.isPastKept = episodes;
    const holds = episodes ? this.waits : null;
    this.hops = traces === null ? null : new HopRecorder(engine, traces, holds);
    this.events = events ? new EventRecorder(engine) : null;
    this.captures = captures === null ? null : new CaptureRecorder(engine, captures);
    this.wire = wire ? new WireRecorder(engine) : null;
    const all = [...engine.devices.keys()];
    if (this.waits !== null) engine.listen(this.waits, all, false);
    if (this.hops !== null) engine.listen(this.hops, all, false);
    if (this.events !== null) engine.listen(this.events, all, false);
    if (this.captures !== null) engine.listen(this.captures, this.captures.hearers(), false);
    if (this.wire !== null) engine.listen(this.wire, all, false);
  }

  /** What one device has been seen to do; null if nobody looked. */
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

  /** Of that, what people ask of a run under way: who held whom back. */
  saveWaits(device: number): Plain | null {
    if (!this.isPastKept) return null;
    return { ...NOTHING_SEEN, waits: this.waits!.save(device) };
  }

  /** Goes on from there. */
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

  /** Nothing is kept that nobody will ask for; `isKept`: jams that are over, and asked for. */
  forgetPast(isKept: (startPs: number, endPs: number) => boolean): void {
    if (this.waits === null || this.isPastKept) return;
    for (let device = 0; device < this.engine.devices.length; device++) {
      this.waits.forgetPast(device, isKept);
    }
  }

  /** By device, what waited for what when that was looked for; null if nobody was to look. */
  jams(): readonly Pick<DeviceWaits, 'jams'>[] | null {
    const { engine, waits } = this;
    return waits && engine.devices.map((_, d) => ({ jams: waits.jams(d) }));
  }

  /** By device, what waits for what at this moment; nothing if nobody was to look. */
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

const NOTHING_SEEN = { waits: null, hops: null, captures: null, events: null, wire: null };
