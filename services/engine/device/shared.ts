import { SharedBuffer } from '../buffer/shared-buffer.js';
import type { Mechanism } from '../contract/flow-control.js';
import { Clock } from '../kernel/clock.js';
import { FramePool } from '../frame/frame-pool.js';
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
  /** By port: when its lane's head arrives, and when its transmitter acts next. */
  readonly arrivalAt: Float64Array;
  readonly transmitAt: Float64Array;
  /** By device: the least of each. */
  readonly firstArrival: Float64Array;
  readonly firstTransmit: Float64Array;
  /** By device: time of its next event of all. */
  readonly horizon: Float64Array;
  readonly mechanisms: Mechanism[] = [];

  constructor(
    readonly tables: Tables,
    frames: number,
  ) {
    this.pool = new FramePool(frames);
    this.ports = new Ports(tables);
    this.lanes = new Lanes(this.ports, this.pool);
    this.queues = new Queues(tables, this.ports, this.pool);
    this.counters = new Counters(tables);
    this.buffer = new SharedBuffer(tables);
    this.arrivalAt = tables.float64('port', 1);
    this.transmitAt = tables.float64('port', 1);
    this.firstArrival = tables.float64('device', 1);
    this.firstTransmit = tables.float64('device', 1);
    this.horizon = tables.float64('device', 1);
  }
}
