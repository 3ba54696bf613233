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
import { GRANT_STEPS } from '../../contract/probe.js';
import { LogRecorder } from '../log-recorder.js';

/** Events that are recorded; the names are those of the table in results. */
export const EVENTS = [
  'drop',
  'mark',
  'xoff',
  'xon',
  'blocked',
  'unblocked',
  'credit_short',
  'credit_restored',
  'delivered',
  'lit',
  'dark',
  // The steps of the exchange, in their order.
  ...GRANT_STEPS,
] as const;

export const EVENT_MEANINGS: Readonly<Record<(typeof EVENTS)[number], string>> = {
  drop: 'a frame was dropped',
  mark: 'a frame was marked (congestion experienced)',
  xoff: 'an ingress buffer began to pause the link partner',
  xon: 'it ceased to',
  blocked: 'a priority may not send from now on',
  unblocked: 'it may again',
  credit_short: 'the first frame of a queue lacks credit',
  credit_restored: 'it has credit',
  delivered: 'the last byte of a message was received',
  lit: 'an LED of a NIC went on',
  dark: 'it went off',
  agreed: 'both ends of a link begin an epoch of credit',
  aged: 'idle credit expired at its sender',
  revoked: 'credit is void: taken back, or of an epoch that is over',
  recovered: 'credit that aged, or was lost with a frame, is buffer again',
  requested: 'credit was requested',
  granted: 'credit was granted',
  transmitted: 'a frame consumed credit',
  received: 'such a frame was received',
  accounted: 'its buffer is free again',
};

const DROP = 0;
const MARK = 1;
const STOP = 2;
const BLOCKED = 4;
const SHORT = 6;
const DELIVERED = 8;
const LIT = 9;
/** Index of the first step of the exchange. */
export const FIRST_STEP = 11;

const NONE = -1;

/** An event at a device; a field that does not apply is -1. */
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
  /**
   * Of a frame of data: source and target by position, and the connection there; of a step, the
   * last is its units.
   */
  readonly source: number;
  readonly target: number;
  readonly connection: number;
}

const WIDTH = 9;
const FIRST_ROWS = 64;
/** Most events that are stored for a device; further ones are only counted. */
const MOST_ROWS = 200_000;

/** Events of one device, in its order: numbers side by side. */
export class EventLog {
  count = 0;
  omitted = 0;
  /** By port: priorities that are blocked, one bit each. */
  readonly blocked: number[];
  private values = new Float64Array(FIRST_ROWS * WIDTH);

  constructor(ports: number) {
    this.blocked = Array.from({ length: ports }, () => 0);
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
    copy.blocked.push(...this.blocked);
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

/** Records events of frames and priorities, beyond frames that pass. */
export class EventRecorder extends LogRecorder<EventLog> {
  constructor(engine: Engine) {
    super(engine, (ports) => new EventLog(ports));
  }

  /** Events up to a time, with changes of LEDs that have not been reported yet. */
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

  override blockedChanged(device: number, port: number, now: number, priorities: number): void {
    const { blocked } = this.log(device);
    for (let priority = 0; priority < 8; priority++) {
      const bit = 1 << priority;
      if (((blocked[port] ^ priorities) & bit) === 0) continue;
      this.addPlain(device, BLOCKED, (priorities & bit) === 0, port, now, priority, NONE);
    }
    blocked[port] = priorities;
  }

  override grantShort(
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

  /** Events come in pairs: begin, then end. */
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

/** Records events, and the six steps of credit exchange with their units. */
export class StepRecorder extends EventRecorder {
  override grantStep(
    device: number,
    port: number,
    now: number,
    step: number,
    priority: number,
    channel: number,
    units: number,
  ): void {
    const event = FIRST_STEP + step;
    this.log(device).add(now, event, port, priority, channel, NONE, NONE, NONE, units);
  }
}
