import { makeSharedBuffer, type SharedBuffer } from '../buffer/shared-buffer.js';
import type { Mvtx2802 } from '../mvtx2802/mechanism.js';
import { FramePool } from '../frame/frame-pool.js';
import { makeTraceMask, type TraceMask } from '../frame/trace-mask.js';
import { OctetStore } from '../frame/octet-store.js';
import { Clock } from '../kernel/clock.js';
import { makeDigests, type Digests } from '../kernel/digest.js';
import { makeSlots, type Slots } from '../kernel/slots.js';
import { COUNTER, DERIVED } from '../kernel/kinds.js';
import { field } from '../kernel/fields.js';
import type { Tables } from '../kernel/tables.js';
import { makeCounters, type Counters } from '../port/counters.js';
import { makeFrameTimes, type FrameTimes } from '../port/frame-times.js';
import { makeQueueWatch, type QueueWatch } from '../port/queue-watch.js';
import { makeLinkNumbers, type LinkNumbers } from '../port/link-numbers.js';
import { makeInFlightQueues, type InFlightQueues } from '../port/in-flight-queues.js';
import { makePorts, type Ports } from '../port/ports.js';
import { makeQueues, type Queues } from '../port/queues.js';
import { makeNicFrames, type NicFrames } from './nic/frames-of-nic.js';
import { makeReplayBuffers, type ReplayBuffers } from '../port/replay-buffers.js';
import { makeWaitingLines, type WaitingLines } from '../port/waiting-lines.js';

/** A switch that has slots in place of a shared buffer. */
export interface SlottedSwitch {
  readonly chip: Mvtx2802;
  readonly firstPort: number;
}

/** State that all actors of a service share: tables with rows of each, and the frames. */
export class Shared {
  readonly clock = new Clock();
  readonly pool: FramePool;
  /** Octets of control frames in flight, and beside frames. */
  readonly octets = new OctetStore();
  readonly ports: Ports;
  readonly inFlightQueues: InFlightQueues;
  readonly queues: Queues;
  /** Frames that wait for permission to start. */
  readonly lines: WaitingLines;
  /** Frames in adapters, outside the queues of their ports. */
  readonly nicFrames: NicFrames;
  /** Of frames in flight between link layers. */
  readonly linkNumbers: LinkNumbers;
  /** Copies of frames that link layers may send again. */
  readonly replayBuffers: ReplayBuffers;
  readonly counters: Counters;
  readonly buffer: SharedBuffer;
  /** By device: those that have no shared buffer. */
  readonly chips: (SlottedSwitch | undefined)[] = [];
  readonly digests: Digests;
  /** Which frames probes observe; not state. */
  readonly traceMask: TraceMask;
  /** Not state either. */
  readonly frameTimes: FrameTimes;
  readonly queueWatch: QueueWatch;
  /** When each port's in-flight queue has its next arrival, and when its transmitter acts next. */
  readonly arrivals: Slots;
  readonly transmits: Slots;
  /** By device: time of its next event of all. */
  readonly horizon: Float64Array;
  /** By device: events executed so far. */
  readonly events: Float64Array;

  constructor(
    readonly tables: Tables,
    frames?: number,
  ) {
    this.ports = makePorts(tables);
    this.pool = new FramePool(frames);
    this.arrivals = tables.inbox(() => makeSlots(tables));
    this.transmits = makeSlots(tables);
    this.inFlightQueues = makeInFlightQueues(this.ports, this.pool, this.arrivals);
    this.queues = makeQueues(tables, this.ports, this.pool, this.clock);
    this.lines = makeWaitingLines(tables, this.pool);
    this.nicFrames = makeNicFrames(tables, this.pool);
    this.linkNumbers = makeLinkNumbers(tables, this.pool);
    this.replayBuffers = makeReplayBuffers(tables, this.pool, this.octets);
    this.counters = makeCounters(tables);
    this.buffer = makeSharedBuffer(tables);
    this.traceMask = makeTraceMask(this.pool, this.ports.count);
    const { ports, queues, traceMask, clock } = this;
    this.frameTimes = makeFrameTimes(ports, queues, traceMask, clock);
    this.queueWatch = makeQueueWatch(ports, queues, traceMask);
    this.digests = makeDigests(tables, this.clock);
    this.horizon = tables.inbox(() => tables.float64('device', field('horizon', DERIVED)));
    this.events = tables.float64('device', field('events', COUNTER));
  }
}
