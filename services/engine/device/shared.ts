import { SharedBuffer } from '../buffer/shared-buffer.js';
import { FramePool } from '../frame/frame-pool.js';
import { Clock } from '../kernel/clock.js';
import { Digests } from '../kernel/digest.js';
import { Slots } from '../kernel/slots.js';
import type { Tables } from '../kernel/tables.js';
import { Counters } from '../port/counters.js';
import { Lanes } from '../port/lanes.js';
import { Ports } from '../port/ports.js';
import { Queues } from '../port/queues.js';

/** What all actors of a service have in common: tables with rows of each, and the frames. */
export class Shared {
  readonly clock = new Clock();
  readonly pool: FramePool;
  readonly ports: Ports;
  readonly lanes: Lanes;
  readonly queues: Queues;
  readonly counters: Counters;
  readonly buffer: SharedBuffer;
  readonly digests: Digests;
  /** When each port's lane has its next arrival, and when its transmitter acts next. */
  readonly arrivals: Slots;
  readonly transmits: Slots;
  /** By device: time of its next event of all. */
  readonly horizon: Float64Array;
  /** By device: events executed so far. */
  readonly events: Float64Array;

  constructor(readonly tables: Tables) {
    this.ports = new Ports(tables);
    this.pool = new FramePool(this.ports.count);
    this.lanes = new Lanes(this.ports, this.pool);
    this.queues = new Queues(tables, this.ports, this.pool);
    this.counters = new Counters(tables);
    this.buffer = new SharedBuffer(tables);
    this.digests = new Digests(tables, this.clock);
    this.arrivals = new Slots(tables);
    this.transmits = new Slots(tables);
    this.horizon = tables.float64('device', 1);
    this.events = tables.float64('device', 1);
  }
}
