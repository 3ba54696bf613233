/**
 * Some devices of a fabric, in an engine of their own, with a proxy device for each link partner in
 * another partition. It relies on proxies never being run: what ports hand to them is taken out
 * between two windows, and what arrives for their link partners is put in. It would break if two
 * devices shared anything but links, since they may be in different partitions, or if frames were
 * taken out while devices still execute: the order of arrivals would depend on the partition.
 */

import type { DeviceState } from '../../engine/device/checkpoint.js';
import { restoreDevice, saveDevice, shareDevice } from '../../engine/device/checkpoint.js';
import { Engine } from '../../engine/device/engine.js';
import type { HandOverSink } from '../../engine/device/hand-over.js';
import type { FramePool } from '../../engine/frame/frame-pool.js';
import { putControl, putFrame, takeHandedOver } from '../../engine/device/hand-over.js';
import type { Plain } from '../../engine/kernel/snapshot.js';
import type { SavedRows, SharedRows } from '../../engine/kernel/tables.js';
import { engineKindsWith } from '../../plugins/plugins.js';
import { frameRoom } from '../frame-room.js';
import type { PartitionPlan, PlacedPort } from '../../fabric/placement/partition-plan.js';
import { framesStarted, thingsPlanned } from '../checks/stall.js';
import type { FaultChange } from '../live-faults.js';
import { applyFaultChange } from '../live-faults.js';
import { isSeen } from '../checks/check-times.js';
import { Windows } from '../embedded/windows.js';
import { Observers } from '../observers.js';
import { packetsOf } from '../packets.js';
import type { PortColumns } from '../port-sample.js';
import { columnsAt } from '../port-sample.js';
import type { SeriesRow } from '../series-rows.js';
import { Sampler } from '../series.js';
import type { ActorChannel, ActorCounts, Actors, PartitionEgressPath } from './actors.js';

/** The whole state of a part between two windows. */
export interface PartitionState<StateRows = SavedRows> {
  readonly devices: readonly DeviceState<StateRows>[];
  readonly rows: readonly SeriesRow[];
  readonly sampleDueAt: number;
  readonly sampled: Float64Array;
  readonly latestPs: number;
  /** By device: its records so far. */
  readonly observed: readonly (Plain | null)[];
}

/** Interval of removing old records: seldom enough to cost nothing. */
const RUNS_PER_FORGETTING = 256;

/** Some actors of a fabric, and proxy devices for their link partners in other services. */
export class Partition implements Actors {
  readonly engine: Engine;
  readonly channels: readonly ActorChannel[];
  readonly longestStepPs = Infinity;
  private readonly windows: Windows;
  private readonly sampler: Sampler | null;
  private readonly observers: Observers;
  private runs = 0;
  /** By proxy device. */
  private readonly feeds: readonly Feed[];
  /** By channel and link: its port here. */
  private readonly ownPorts: readonly Int32Array[];

  constructor(readonly plan: PartitionPlan) {
    this.channels = plan.channels.map(({ peer, lookaheadOutPs, lookaheadInPs, inPorts }) => {
      return { peer, lookaheadOutPs, lookaheadInPs, links: inPorts.length };
    });
    const kinds = engineKindsWith(plan.plugins);
    const devices = [...plan.specs, ...plan.proxyDevices];
    this.engine = new Engine(devices, kinds, plan.frames ?? frameRoom(devices));
    for (const [a, b] of plan.links) this.engine.connect([a.place, a.port], [b.place, b.port]);
    const cut = plan.channels.flatMap(({ inPorts }) => inPorts.map(({ place }) => place));
    this.windows = new Windows(this.engine, plan.cluster, cut);
    this.sampler = this.makeSampler();
    this.observers = new Observers(this.engine, plan);
    this.feeds = plan.proxyDevices.map(() => new Feed(this.engine.shared.pool));
    plan.channels.forEach(({ outPorts }, channel) => {
      outPorts.forEach(({ place, port }, link) => {
        this.feeds[place - plan.specs.length]!.connect(port, channel, link);
      });
    });
    this.ownPorts = plan.channels.map(({ inPorts }) =>
      Int32Array.from(inPorts, (placed) => this.numberOf(placed)),
    );
    this.take(DISCARD);
  }

  /** Time of the earliest event here; Infinity when there is none. */
  nextTime(): number {
    return this.windows.nextTime();
  }

  /** When the latest event so far was executed. */
  get latestPs(): number {
    return this.windows.latestPs;
  }

  /**
   * Executes everything before `bound`, and takes the samples that are due by then. Returns how
   * many events that were.
   */
  runTo(bound: number): number {
    const before = this.executed();
    if (++this.runs % RUNS_PER_FORGETTING === 0) this.observers.forgetPast(isSeen);
    this.runToSamples(bound);
    this.windows.run(bound);
    return this.executed() - before;
  }

  /**
   * The same, but of the last window only what other services wait for: the devices with a link to
   * them, and those that are executed together with these. Events of the others, which cannot have
   * an effect there before the next window, are left to `runTo`.
   */
  runBorderTo(bound: number): number {
    const before = this.executed();
    this.runToSamples(bound);
    this.windows.runFirst(bound);
    return this.executed() - before;
  }

  private runToSamples(bound: number): void {
    const { sampler, windows } = this;
    while (sampler !== null && sampler.dueAt <= bound) {
      windows.run(sampler.dueAt);
      sampler.sampleUpTo(Math.min(bound, windows.nextTime()));
    }
  }

  private executed(): number {
    const { events } = this.engine.shared;
    let sum = 0;
    for (let d = 0; d < events.length; d++) sum += events[d]!;
    return sum;
  }

  /** Takes out what was sent to other services. */
  take(egressPath: PartitionEgressPath): void {
    const { engine, feeds, plan } = this;
    const own = plan.specs.length;
    for (let i = 0; i < feeds.length; i++)
      takeHandedOver(engine, own + i, feeds[i]!.to(egressPath));
  }

  /**
   * Before when nothing takes effect at the other end of a channel that is not handed over yet,
   * everything before a bound having been executed: a port that is sending ends its frame first.
   */
  promisePs(channel: number, boundPs: number): number {
    const { linksOutPs, lookaheadOutPs } = this.plan.channels[channel]!;
    if (linksOutPs === null) return boundPs + lookaheadOutPs;
    const { ports } = this.engine.shared;
    const own = this.ownPorts[channel]!;
    let least = Infinity;
    for (let link = 0; link < own.length; link++) {
      const atPs = Math.max(boundPs, ports.freeAt(own[link]!)) + linksOutPs[link]!;
      if (atPs < least) least = atPs;
    }
    return least;
  }

  /** Puts in a frame of another service. */
  putFrame(channel: number, link: number, records: Int32Array, offset: number): void {
    putFrame(this.engine, this.ownPorts[channel]![link]!, records, offset);
  }

  putControl(channel: number, link: number, atPs: number, octets: Uint8Array): void {
    putControl(this.engine, this.ownPorts[channel]![link]!, atPs, octets);
  }

  count(): ActorCounts {
    const { engine } = this;
    const { left, total } = packetsOf(engine);
    return {
      framesStarted: framesStarted(engine),
      framesStored: engine.shared.pool.inUse(),
      planned: thingsPlanned(engine, this.plan.specs.length),
      packetsLeft: left,
      packetsTotal: total,
    };
  }

  /** Injects or ends a fault, at a time that has not been executed. */
  change(change: FaultChange): void {
    applyFaultChange(this.engine, change, this.plan.devices);
  }

  save(): PartitionState {
    return this.stateWith(saveDevice);
  }

  /** The state of a part that does not go on: its tables stay where they are. */
  share(): PartitionState<SharedRows> {
    return this.stateWith(shareDevice);
  }

  private stateWith<StateRows>(
    save: (engine: Engine, place: number) => DeviceState<StateRows>,
  ): PartitionState<StateRows> {
    return {
      devices: this.plan.specs.map((_, place) => save(this.engine, place)),
      rows: this.rows,
      sampleDueAt: this.sampler?.dueAt ?? Infinity,
      sampled: this.sampler?.saveLast() ?? new Float64Array(0),
      latestPs: this.latestPs,
      observed: this.plan.specs.map((_, place) => this.observers.save(place)),
    };
  }

  /** The part of its state that snapshots of a run show. */
  glimpse(): PartitionState {
    return {
      devices: this.plan.specs.map((_, place) => saveDevice(this.engine, place)),
      rows: [],
      sampleDueAt: Infinity,
      sampled: new Float64Array(0),
      latestPs: this.latestPs,
      observed: this.plan.specs.map((_, place) => this.observers.saveWaits(place)),
    };
  }

  restore(state: PartitionState): void {
    state.devices.forEach((device, place) => {
      restoreDevice(this.engine, place, device);
      this.observers.restore(place, state.observed[place] ?? null);
    });
    this.sampler?.restore(state.rows, state.sampleDueAt, state.sampled);
    this.windows.latestPs = state.latestPs;
  }

  /** The counters of its own ports, when everything before a time has been executed. */
  portColumns(timePs: number): PortColumns {
    const ports = this.plan.specs.flatMap((spec, place) =>
      spec.ports.map((_, port) => this.numberOf({ place, port })),
    );
    return columnsAt(this.engine, ports, timePs);
  }

  get rows(): readonly SeriesRow[] {
    return this.sampler?.rows ?? [];
  }

  private numberOf({ place, port }: PlacedPort): number {
    return this.engine.devices[place]!.firstPort + port;
  }

  private makeSampler(): Sampler | null {
    const { series } = this.plan;
    if (series === null) return null;
    const ports = series.ports.map((placed) => ({
      port: this.numberOf(placed),
      name: placed.name,
    }));
    return new Sampler(this.engine, ports, series.interval);
  }
}

/** Frames sent to a proxy device go to the channel and link of their port. */
class Feed implements HandOverSink {
  /** By port; other ports have no device here that sends to them. */
  private readonly places: { readonly channel: number; readonly link: number }[] = [];
  private egressPath = DISCARD;

  constructor(private readonly pool: FramePool) {}

  connect(port: number, channel: number, link: number): void {
    this.places[port] = { channel, link };
  }

  /** Sets where the next frames go. */
  to(egressPath: PartitionEgressPath): this {
    this.egressPath = egressPath;
    return this;
  }

  frame(port: number, frame: number): void {
    const feed = this.places[port];
    if (feed !== undefined) this.egressPath.frame(feed.channel, feed.link, this.pool, frame);
  }

  control(port: number, atPs: number, octets: Uint8Array): void {
    const feed = this.places[port];
    if (feed !== undefined) this.egressPath.control(feed.channel, feed.link, atPs, octets);
  }
}

/** A proxy device is built like a device, and may have armed timers that are not run here. */
const DISCARD: PartitionEgressPath = {
  frame: () => undefined,
  control: () => undefined,
};
