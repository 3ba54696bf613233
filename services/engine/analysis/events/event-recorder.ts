import type { Engine } from '../../device/engine.js';
import type { FramePool } from '../../frame/frame-pool.js';
import {
  CLASS,
  CONNECTION,
  KIND_DATA,
  KIND_MASK,
  PRIORITY_MASK,
  SOURCE,
  TARGET,
} from '../../frame/frame-pool.js';
import { LogRecorder } from '../log-recorder.js';

/** What is written down of a run; the names are those of its table. */
export const EVENTS = [
  /** A frame was discarded. */
  'drop',
  /** A frame was marked: congestion experienced. */
  'mark',
  /** An account began to ask its neighbour to stop, or ceased to. */
  'stop',
  'go',
  /** A priority may not send from now on, or may again. */
  'held',
  'free',
  /** The first frame in line lacks credit, or has it. */
  'short',
  'supplied',
  /** The last octet of a message has come. */
  'delivered',
  /** An LED of an 82599 went on, or off. */
  'lit',
  'dark',
] as const;

const DROP = 0;
const MARK = 1;
const STOP = 2;
const HELD = 4;
const SHORT = 6;
const DELIVERED = 8;
const LIT = 9;

const NONE = -1;

/** An event as its device saw it; what it does not have is -1. */
export interface EventRow {
  readonly timePs: number;
  /** Index of EVENTS. */
  readonly event: number;
  /** As the device counts them. */
  readonly port: number;
  readonly priority: number;
  /** Index of DROP_REASONS; of credit: its channel; of a delivery: its message; or its LED. */
  readonly detail: number;
  /** Of a delivery: its flow. */
  readonly flow: number;
  /** Of a frame of data: source and target by position, and the connection there. */
  readonly source: number;
  readonly target: number;
  readonly connection: number;
}

const WIDTH = 9;
const FIRST_ROWS = 64;
/** A device that has seen so much has seen enough; what follows is only counted. */
const MOST_ROWS = 200_000;

/** Events of one device, in its order: numbers side by side. */
export class EventLog {
  count = 0;
  omitted = 0;
  /** By port: priorities that are held, one bit each. */
  readonly held: number[];
  private values = new Float64Array(FIRST_ROWS * WIDTH);

  constructor(ports: number) {
    this.held = Array.from({ length: ports }, () => 0);
  }

  add(...row: EventNumbers): void {
    if (this.count === MOST_ROWS) {
      this.omitted++;
      return;
    }
    const at = this.count++ * WIDTH;
    if (at === this.values.length) {
      const values = new Float64Array(2 * at);
      values.set(this.values);
      this.values = values;
    }
    this.values.set(row, at);
  }

  copy(): EventLog {
    const copy = new EventLog(0);
    copy.count = this.count;
    copy.omitted = this.omitted;
    copy.held.push(...this.held);
    copy.values = this.values.slice();
    return copy;
  }

  rows(): EventRow[] {
    return Array.from({ length: this.count }, (_, row) => {
      const from = row * WIDTH;
      const [timePs, event, port, priority, detail, flow, source, target, connection] =
        this.values.subarray(from, from + WIDTH) as unknown as EventNumbers;
      return { timePs, event, port, priority, detail, flow, source, target, connection };
    });
  }
}

type EventNumbers = [number, number, number, number, number, number, number, number, number];

/** Writes down what happens to frames and priorities, beyond that frames pass. */
export class EventRecorder extends LogRecorder<EventLog> {
  constructor(engine: Engine) {
    super(engine, (ports) => new EventLog(ports));
  }

  /** What happened up to a time, with changes of LEDs that nothing has followed yet. */
  seen(device: number, nowPs: number): EventLog {
    const log = this.log(device);
    const { place, spec } = this.engine.devices[device];
    const nic = spec.kind === 'host' ? this.engine.hosting.parts(place).nic : null;
    if (nic === null) return log;
    const whole = log.copy();
    nic.leds.at(nowPs, (led, lit, atPs) => {
      whole.add(atPs, lit ? LIT : LIT + 1, 0, NONE, led, NONE, NONE, NONE, NONE);
    });
    return whole;
  }

  override frameDropped(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
    reason: number,
  ): void {
    this.addFrame(device, DROP, port, now, pool, frame, reason);
  }

  override frameMarked(
    device: number,
    port: number,
    now: number,
    pool: FramePool,
    frame: number,
  ): void {
    this.addFrame(device, MARK, port, now, pool, frame, NONE);
  }

  override stopAsked(
    device: number,
    port: number,
    now: number,
    group: number,
    stop: boolean,
  ): void {
    const { groupOf } = this.engine.devices[device].spec.ports[port];
    for (let priority = 0; priority < 8; priority++) {
      if (groupOf[priority] === group)
        this.addPlain(device, STOP, !stop, port, now, priority, NONE);
    }
  }

  override heldChanged(device: number, port: number, now: number, priorities: number): void {
    const { held } = this.log(device);
    for (let priority = 0; priority < 8; priority++) {
      const bit = 1 << priority;
      if (((held[port] ^ priorities) & bit) === 0) continue;
      this.addPlain(device, HELD, (priorities & bit) === 0, port, now, priority, NONE);
    }
    held[port] = priorities;
  }

  override creditShort(
    device: number,
    port: number,
    now: number,
    priority: number,
    channel: number,
    short: boolean,
  ): void {
    this.addPlain(device, SHORT, !short, port, now, priority, channel);
  }

  override messageDelivered(device: number, now: number, flow: number, message: number): void {
    this.log(device).add(now, DELIVERED, NONE, NONE, message, flow, NONE, NONE, NONE);
  }

  override ledChanged(device: number, port: number, atPs: number, led: number, lit: boolean): void {
    this.addPlain(device, LIT, !lit, port, atPs, NONE, led);
  }

  private addFrame(
    device: number,
    event: number,
    port: number,
    now: number,
    { words, ends }: FramePool,
    frame: number,
    detail: number,
  ): void {
    const priority = words[frame + CLASS] & PRIORITY_MASK;
    const isData = (words[frame + CLASS] & KIND_MASK) <= KIND_DATA;
    const [source, target, connection] = isData
      ? [ends[frame + SOURCE], words[frame + TARGET], ends[frame + CONNECTION]]
      : [NONE, NONE, NONE];
    this.log(device).add(now, event, port, priority, detail, NONE, source, target, connection);
  }

  /** Events come in pairs: what begins, and behind it what ends. */
  private addPlain(
    device: number,
    event: number,
    isEnd: boolean,
    port: number,
    now: number,
    priority: number,
    detail: number,
  ): void {
    const what = isEnd ? event + 1 : event;
    this.log(device).add(now, what, port, priority, detail, NONE, NONE, NONE, NONE);
  }
}
