import { UNKNOWN } from '../kernel/kinds.js';
import type { IngressBuffers, Managed, ManagedValue } from '../contract/flow-control.js';
import type { SlotsSpec } from '../contract/spec.js';
import type { Clock } from '../kernel/clock.js';
import { RandomStream } from '../kernel/random.js';
import type { InFlight } from './arrivals.js';
import { TemporarySlots } from './arrivals.js';
import type { QueueView } from './machine.js';
import {
  excessiveClasses,
  isDowngraded,
  LOWEST_CLASS,
  REGIONS,
  regionName,
  SOURCE,
  wredShare,
} from './machine.js';
import { Mvtx2802Counters, mvtx2802ManagedValues } from './managed.js';
import { SHAPED_CLASS, Shapers } from './shaper.js';
import { NO_SLOT, SlotMemory } from './slots.js';
import { MULTICAST, SourceStops, UNICAST } from './stops.js';
import { assert } from '../kernel/assert.js';

/**
 * The mechanism that sends PAUSE: it reads from the accounts below whether a port is to be paused.
 */
export interface StopListener {
  /** A source is to be paused. */
  filled(port: number): void;
  /** A source may resume. */
  emptied(port: number): void;
}

/** A part of the slots: shared, of sources, or of a class. */
interface SlotRegion {
  readonly region: string;
  readonly slots: number;
  readonly used: number;
  readonly peak: number;
}

/** Frames that wait at egresses which send nothing. */
interface Jam {
  readonly waiting: readonly number[];
  readonly stuck: ReadonlySet<number>;
  readonly frames: number;
}

/** What the part reads of its device. */
interface ChipSurroundings {
  readonly queues: QueueView;
  readonly listener: StopListener;
  readonly clock: Clock;
  readonly inFlight: InFlight;
}

/**
 * The memory of one MVTX2802, and its decisions to pause link partners. Ports are numbered as the
 * device counts them; sets of ports have one bit each.
 */
export class Mvtx2802 implements IngressBuffers, Managed {
  static readonly kinds = UNKNOWN;

  readonly #spec: SlotsSpec;
  readonly memory: SlotMemory;
  readonly stops: SourceStops;
  readonly counters: Mvtx2802Counters;
  readonly shapers: Shapers;
  /** Null where no more frames can be coming in than there is room for. */
  readonly arrivals: TemporarySlots | null;
  /** By port: 1 while its link partner is paused. */
  private readonly paused: Uint8Array;
  private readonly random: RandomStream;
  readonly #queues: QueueView;
  readonly #listener: StopListener;
  readonly #clock: Clock;

  constructor(
    spec: SlotsSpec,
    { queues, listener, clock, inFlight }: ChipSurroundings,
    seed: number,
    device: string,
  ) {
    this.#spec = spec;
    const ports = spec.flowControl.length;
    this.#queues = queues;
    this.#listener = listener;
    this.#clock = clock;
    this.memory = new SlotMemory(spec);
    this.shapers = new Shapers(spec.shapers);
    const { temporarySlots } = spec;
    this.arrivals =
      temporarySlots === Infinity ? null : new TemporarySlots(temporarySlots, ports, inFlight);
    this.stops = new SourceStops(spec);
    this.counters = new Mvtx2802Counters(ports);
    this.paused = new Uint8Array(ports);
    this.random = new RandomStream(seed, `${device}/wred`);
  }

  /** Slots of each region, all of them and those in use. */
  regions(): SlotRegion[] {
    const { free, used, peak } = this.memory;
    return Array.from({ length: REGIONS }, (_, region) => ({
      region: regionName(region),
      slots: free[region] + used[region],
      used: used[region],
      peak: peak[region],
    }));
  }

  /**
   * A source stays paused while an egress sends nothing: `waiting` are the slots of frames there,
   * `stuck` those of all egresses that are blocked, and `frames` wait in its lowest queue.
   */
  isJammed(source: number, egress: number, jam: Jam): boolean {
    const reasons = this.stops.reasons[source];
    const { memory, spec } = this;
    const isOwn = (slot: number): boolean =>
      memory.region[slot] === SOURCE && memory.source[slot] === source;
    if ((reasons & UNICAST) !== 0 && jam.waiting.some(isOwn)) return true;
    if ((reasons & MULTICAST) === 0) return false;
    switch (spec.multicast.kind) {
      case 'off':
        return false;
      case 'managed': {
        const isMarked = (this.stops.portMap[source] & (1 << egress)) !== 0;
        return isMarked && jam.frames >= spec.multicast.lowFrames;
      }
      case 'unmanaged': {
        const isCounted = (slot: number): boolean => memory.isMulticast[slot] !== 0;
        const count = [...jam.stuck].filter(isCounted).length;
        return jam.waiting.some(isCounted) && count >= spec.multicast.mcc;
      }
    }
  }

  /** The class of a frame: from its priority, unless the port has a fixed one. */
  classOf(source: number, byPriority: number): number {
    return this.#spec.fixed[source]?.trafficClass ?? byPriority;
  }

  /** The queue that a frame of this class joins at every destination. */
  queueOf(source: number, trafficClass: number): number {
    return isDowngraded(this.#spec, source) ? LOWEST_CLASS : trafficClass;
  }

  /** The ports of a fan-out where WRED lets the frame pass. */
  passing(source: number, trafficClass: number, highPrecedence: boolean, fanOut: number): number {
    if (isDowngraded(this.#spec, source)) return fanOut;
    let passing = fanOut;
    for (let rest = fanOut; rest !== 0; rest &= rest - 1) {
      const port = 31 - Math.clz32(rest & -rest);
      const { wred } = this.#spec;
      const share = wredShare(wred, this.#queues, port, trafficClass, highPrecedence);
      // Sampled only when the outcome is open, so that a quiet port does not advance the stream.
      if (share === 0 || (share < 1 && this.random.uniform() >= share)) continue;
      passing &= ~(1 << port);
      this.counters.wredDrops[port]++;
    }
    return passing;
  }

  /** A frame with several destinations has arrived, whether or not it is admitted. */
  multicastArrived(source: number, fanOut: number, vlan: number): void {
    // The port map has no bit for the CPU.
    const ports = this.#spec.cpuPort < 0 ? fanOut : fanOut & ~(1 << this.#spec.cpuPort);
    this.stops.multicastArrived(source, ports, vlan, this.#queues);
    this.settle();
  }

  /** The slot of a frame with so many destinations; NO_SLOT if it must be dropped. */
  admit(source: number, trafficClass: number, copies: number, isMulticast: boolean): number {
    const { memory, stops, counters } = this;
    const downgraded = isDowngraded(this.#spec, source);
    const before = memory.usedBySource[source];
    const slot = memory.take(source, trafficClass, downgraded, copies, isMulticast);
    if (slot === NO_SLOT) {
      counters.withoutSlot[source]++;
      return NO_SLOT;
    }
    memory.admittedPs[slot] = this.#clock.now;
    if (downgraded) counters.downgraded[source]++;
    const used = memory.usedBySource[source];
    if (used > before) stops.sourceSlotTaken(source, used);
    if (isMulticast) stops.multicastAdmitted(source, memory.multicastFrames);
    this.settle();
    return slot;
  }

  /** A frame that came in by a port is classified; false if it found no temporary slot. */
  classified(source: number, fromPs: number): boolean {
    const clock = this.#clock;
    const { arrivals, counters } = this;
    if (arrivals === null || arrivals.classified(source, fromPs, clock.now)) return true;
    counters.withoutTemporary[source]++;
    return false;
  }

  /** When the frame in a slot was admitted, in ps. */
  admittedPs(slot: number): number {
    return this.memory.admittedPs[slot];
  }

  /**
   * Classes of a port that have more than their part; one has so many octets more than its queue.
   */
  excessive(port: number, trafficClass = -1, moreOctets = 0): number {
    return excessiveClasses(this.#spec.wred, this.#queues, port, trafficClass, moreOctets);
  }

  /** A frame of a class starts: when the next of that class may; -Infinity: at any time. */
  started(port: number, trafficClass: number, wireOctets: number, duePs: number): number {
    const { now } = this.#clock;
    if (now > duePs) this.counters.late[port]++;
    if (trafficClass !== SHAPED_CLASS) return -Infinity;
    return this.shapers.started(port, wireOctets, now);
  }

  /** A frame has left the queue of a class. */
  sent(slot: number, trafficClass: number): void {
    const { memory, stops } = this;
    const source = memory.source[slot];
    if (memory.release(slot)) {
      stops.sourceSlotFreed(source, memory.usedBySource[source]);
      if (memory.isMulticast[slot] !== 0) stops.multicastFreed(memory.multicastFrames);
    }
    if (trafficClass === LOWEST_CLASS) this.lowestQueueFell();
    else this.settle();
  }

  lowestQueueFell(): void {
    this.stops.lowestQueueFell(this.#queues);
    this.settle();
  }

  atXoff(port: number): boolean {
    return this.stops.reasons[port] !== 0;
  }

  atXon(port: number): boolean {
    return this.stops.reasons[port] === 0;
  }

  setPaused(port: number, _group: number, paused: boolean): void {
    assert((this.paused[port] !== 0) !== paused, 'slots.pause-changes');
    this.paused[port] = paused ? 1 : 0;
    this.counters.change(port, paused, this.#clock.now);
  }

  managedValues(port: number, now: number): ManagedValue[] {
    return mvtx2802ManagedValues(port, this, now);
  }

  /** Notifies the PAUSE mechanism of every port with its first reason, or without any. */
  private settle(): void {
    const listener = this.#listener;
    const { paused, stops } = this;
    for (let port = 0; port < paused.length; port++) {
      if (stops.reasons[port] === 0) {
        if (paused[port] !== 0) listener.emptied(port);
      } else if (paused[port] === 0) listener.filled(port);
    }
  }

  get spec(): SlotsSpec {
    return this.#spec;
  }
}
