import type { IngressAccounts, Managed, ManagedValue } from '../../contract/flow-control.js';
import type { Mvtx2802Spec } from '../../contract/spec.js';
import type { Clock } from '../../kernel/clock.js';
import { RandomStream } from '../../kernel/random.js';
import type { QueueView } from './mvtx2802-machine.js';
import { LOWEST_CLASS, isDowngraded, wredShare } from './mvtx2802-machine.js';
import { Mvtx2802Counters, mvtx2802ManagedValues } from './mvtx2802-managed.js';
import { NO_SLOT, SlotMemory } from './mvtx2802-slots.js';
import { SourceStops } from './mvtx2802-stops.js';

/** Who sends PAUSE: it asks the accounts below whether a port is to stop, or may go on. */
export interface StopListener {
  /** A source is to stop. */
  filled(port: number): void;
  /** A source may go on. */
  emptied(port: number): void;
}

/**
 * The memory of one MVTX2802, and what it makes its neighbours do. Ports are numbered as the
 * device counts them; sets of ports have one bit each.
 */
export class Mvtx2802 implements IngressAccounts, Managed {
  readonly memory: SlotMemory;
  readonly stops: SourceStops;
  readonly counters: Mvtx2802Counters;
  /** By port: 1 while its neighbour is asked to stop. */
  private readonly stopped: Uint8Array;
  private readonly random: RandomStream;

  static readonly wiring = ['spec', 'queues', 'listener', 'clock'];

  constructor(
    readonly spec: Mvtx2802Spec,
    private readonly queues: QueueView,
    private readonly listener: StopListener,
    private readonly clock: Clock,
    seed: number,
    device: string,
  ) {
    const ports = spec.flowControl.length;
    this.memory = new SlotMemory(spec);
    this.stops = new SourceStops(spec);
    this.counters = new Mvtx2802Counters(ports);
    this.stopped = new Uint8Array(ports);
    this.random = new RandomStream(seed, `${device}/wred`);
  }

  /** The class of a frame: as its priority says, unless the port has one of its own. */
  classOf(source: number, byPriority: number): number {
    return this.spec.fixed[source]?.trafficClass ?? byPriority;
  }

  /** The queue that a frame of this class joins at every destination. */
  queueOf(source: number, trafficClass: number): number {
    return isDowngraded(this.spec, source) ? LOWEST_CLASS : trafficClass;
  }

  /** The ports of a fan-out where WRED lets the frame pass. */
  passing(source: number, trafficClass: number, highPrecedence: boolean, fanOut: number): number {
    if (isDowngraded(this.spec, source)) return fanOut;
    let passing = fanOut;
    for (let rest = fanOut; rest !== 0; rest &= rest - 1) {
      const port = 31 - Math.clz32(rest & -rest);
      const { wred } = this.spec;
      const share = wredShare(wred, this.queues, port, trafficClass, highPrecedence);
      // Drawn only when the outcome is open, so that a quiet port leaves the stream untouched.
      if (share === 0 || (share < 1 && this.random.uniform() >= share)) continue;
      passing &= ~(1 << port);
      this.counters.wredDrops[port]++;
    }
    return passing;
  }

  /** A frame with several destinations has come, whatever will become of it. */
  multicastArrived(source: number, fanOut: number): void {
    this.stops.multicastArrived(source, fanOut, this.queues);
    this.settle();
  }

  /** The slot of a frame that will go to so many destinations; NO_SLOT if it must be dropped. */
  admit(source: number, trafficClass: number, copies: number, isMulticast: boolean): number {
    const { memory, stops, counters } = this;
    const downgraded = isDowngraded(this.spec, source);
    const before = memory.usedBySource[source];
    const slot = memory.take(source, trafficClass, downgraded, copies, isMulticast);
    if (slot === NO_SLOT) {
      counters.withoutSlot[source]++;
      return NO_SLOT;
    }
    if (downgraded) counters.downgraded[source]++;
    const used = memory.usedBySource[source];
    if (used > before) stops.sourceSlotTaken(source, used);
    if (isMulticast) stops.multicastAdmitted(source, memory.multicastFrames);
    this.settle();
    return slot;
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
    this.stops.lowestQueueFell(this.queues);
    this.settle();
  }

  atXoff(port: number): boolean {
    return this.stops.reasons[port] !== 0;
  }

  atXon(port: number): boolean {
    return this.stops.reasons[port] === 0;
  }

  setStopped(port: number, _group: number, stopped: boolean): void {
    this.stopped[port] = stopped ? 1 : 0;
    this.counters.change(port, stopped, this.clock.now);
  }

  managedValues(port: number, now: number): ManagedValue[] {
    return mvtx2802ManagedValues(port, this.counters, this.memory, now);
  }

  /** Tells who sends PAUSE of every port whose reasons have come, or are all gone. */
  private settle(): void {
    const { stopped, stops, listener } = this;
    for (let port = 0; port < stopped.length; port++) {
      if (stops.reasons[port] === 0) {
        if (stopped[port] !== 0) listener.emptied(port);
      } else if (stopped[port] === 0) listener.filled(port);
    }
  }
}
