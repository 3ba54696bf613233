import { WIRE_OVERHEAD_OCTETS } from '../../units/ethernet.js';
import type {
  RateControl,
  RateControlKind,
  RateHost,
  RateStatus,
} from '../../contract/rate-control.js';
import type { SendSpec } from '../../contract/spec.js';
import type { Clock } from '../../kernel/clock.js';
import { RandomStream } from '../../kernel/random.js';
import { DUE, SHAPE, sequence, since } from '../../kernel/kinds.js';
import type { Tables } from '../../kernel/tables.js';
import type { Device } from '../device.js';
import { KIND_RATE } from '../device.js';
import type { Senders } from './senders.js';
import { OCTET_BITS_PS } from '../../units/rates.js';
import { assert } from '../../kernel/assert.js';
import { field, fields } from '../../kernel/fields.js';

const TIMERS = 4;
const NONE = -1;

// Words of a row's record.

/** When the last frame was sent, and how many octets it takes on the wire. */
const LAST_AT = 0;
const LAST_OCTETS = 1;
/** The packet that is timed (NONE: none, UNTIMED: never any), and when it was sent. */
const TIMED = 2;
const TIMED_AT = 3;
/** Packets that were acknowledged when the last measurement was made. */
const MEASURED_TO = 4;
/** Packets that were acknowledged, of a rate control that is told of all. */
const ANSWERED_TO = 5;
const STRIDE = 8;
const UNUSED = [6, 7];

/** No acknowledgement is beyond it. */
const UNTIMED = Infinity;
/** Of a rate control that is not told of acknowledgements. */
const UNTOLD = Infinity;

const LIMITER = fields(
  STRIDE,
  {
    lastAt: [LAST_AT, since(-Infinity)],
    lastOctets: [LAST_OCTETS, SHAPE],
    // It stands while everything else goes on, and is a packet of the connection all the same.
    timed: [TIMED, sequence(NONE, UNTIMED)],
    timedAt: [TIMED_AT, since(0)],
    measuredTo: [MEASURED_TO, sequence(UNTIMED)],
    answeredTo: [ANSWERED_TO, sequence(UNTOLD)],
  },
  UNUSED,
);

/** A rate control whose invariant does not hold, and the device that it is of. */
interface BrokenRate {
  readonly device: number;
  readonly what: string;
}

/** Rate limiters of descriptor queues, where a device has them. */
interface QueueRates {
  has(device: number): boolean;
  setRate(device: number, connection: number, bps: number): void;
}

/**
 * The rate limiters of hosts: the rate control of each connection, and how its rate is enforced.
 */
export type Rates = ReturnType<typeof makeRates>;

export function makeRates(
  tables: Tables,
  clock: Clock,
  devices: readonly Device[],
  senders: Senders,
  kinds: readonly RateControlKind[],
) {
  const count = tables.count('rate');
  /** By connection: its row, or NONE. */
  const rowOf = new Int32Array(tables.count('send')).fill(NONE);
  /** By row: its connection, in the service and at its device. */
  const sendOf = new Int32Array(count);
  const numberOf = new Int32Array(count);
  const deviceOf = new Int32Array(count);
  const controlOf: RateControl[] = [];
  const streams: RandomStream[] = [];
  const state = tables.float64('rate', LIMITER);
  /** By row and timer: when the armed timer expires. */
  const armedAt = tables.float64('rate', field('timer armed for', DUE, TIMERS)).fill(Infinity);
  /** Rows that changed since their invariants were checked, each once; not state. */
  const changed = new Int32Array(count);
  const hasChanged = new Uint8Array(count);
  let changes = 0;

  /** The rate limiters of NICs that have them, by descriptor queue. */
  let queues: QueueRates | null = null;

  const host: RateHost = {
    clock,
    setRate,
    setWindow,
    nextPacket,
    arm,
    uniform,
    deviceOf: (row) => devices[deviceOf[row]].spec.name,
    isDone,
  };
  const controls = new Map(kinds.map((kind) => [kind.kind, kind.create(tables, host)]));

  /** `first` is the first connection of the device. */
  function configure(device: Device, first: number, sends: readonly SendSpec[]): void {
    let row = device.rows.rate.first;
    const { seed, ports } = device.spec;
    sends.forEach(({ rate, name }, c) => {
      if (rate === null) return;
      rowOf[first + c] = row;
      sendOf[row] = first + c;
      numberOf[row] = c;
      deviceOf[row] = device.place;
      controlOf[row] = controls.get(rate.kind)!;
      state[row * STRIDE + LAST_AT] = -Infinity;
      const { timesPackets, seesAnswers } = controlOf[row];
      state[row * STRIDE + TIMED] = timesPackets ? NONE : UNTIMED;
      state[row * STRIDE + MEASURED_TO] = timesPackets ? 0 : UNTIMED;
      state[row * STRIDE + ANSWERED_TO] = seesAnswers ? 0 : UNTOLD;
      streams[row] = new RandomStream(seed, `${name}/rate`);
      controlOf[row].configure(row, rate, OCTET_BITS_PS / ports[0].octetPs);
      change(row);
      row++;
    });
  }

  /** A control changes its row only where it is told of something. */
  function change(row: number): void {
    if (hasChanged[row] !== 0) return;
    hasChanged[row] = 1;
    changed[changes++] = row;
  }

  /** The rows of a device are those of a checkpoint now. */
  function restored({ rows }: Device): void {
    for (let row = rows.rate.first; row < rows.rate.first + rows.rate.count; row++) change(row);
  }

  function isLimited(send: number): boolean {
    return rowOf[send] !== NONE;
  }

  /** A frame of the connection joins the NIC. */
  function sent(send: number, sequence: number, octets: number): void {
    const row = rowOf[send];
    if (row === NONE) return;
    const s = row * STRIDE;
    if (state[s + TIMED] === NONE) {
      state[s + TIMED] = sequence;
      state[s + TIMED_AT] = clock.now;
    }
    assert(clock.now >= state[s + LAST_AT], 'rate.sent-in-order');
    state[s + LAST_AT] = clock.now;
    state[s + LAST_OCTETS] = octets + WIRE_OVERHEAD_OCTETS;
    change(row);
    controlOf[row].sent(row, octets);
  }

  /** Every packet before `expected` was acknowledged, by a station that had one for so long. */
  function acknowledged(send: number, expected: number, endpointPs: number): void {
    const row = rowOf[send];
    const s = row * STRIDE;
    if (row === NONE || expected <= state[s + TIMED]) return;
    if (state[s + TIMED] !== NONE) {
      const packets = Math.max(1, expected - state[s + MEASURED_TO]);
      assert(clock.now > state[s + TIMED_AT], 'rate.round-trip-takes-time');
      change(row);
      controlOf[row].measured(row, clock.now - state[s + TIMED_AT], endpointPs, packets);
      state[s + MEASURED_TO] = expected;
    }
    state[s + TIMED] = NONE;
  }

  /** Every packet before `expected` is acknowledged; the new ones were all marked, or none was. */
  function answered(send: number, expected: number, isMarked: boolean): void {
    const row = rowOf[send];
    if (row === NONE || !controlOf[row].seesAnswers) return;
    const packets = expected - state[row * STRIDE + ANSWERED_TO];
    if (packets <= 0) return;
    state[row * STRIDE + ANSWERED_TO] = expected;
    change(row);
    controlOf[row].answered(row, packets, isMarked);
  }

  /** Packets are retransmitted; they cannot be timed. */
  function lost(send: number, timedOut: boolean): void {
    const row = rowOf[send];
    if (row === NONE) return;
    if (state[row * STRIDE + TIMED] !== UNTIMED) state[row * STRIDE + TIMED] = NONE;
    change(row);
    controlOf[row].lost(row, timedOut);
  }

  /** An acknowledgement brought telemetry. */
  function observed(send: number, expected: number, telemetry: Uint8Array): void {
    const row = rowOf[send];
    if (row === NONE) return;
    change(row);
    controlOf[row].observed(row, expected, telemetry);
  }

  /** A congestion notification for the connection arrived. */
  function notified(send: number, feedback: number): void {
    const row = rowOf[send];
    assert(row !== NONE, 'rate.notified-is-limited');
    change(row);
    controlOf[row].notified(row, feedback);
  }

  function onTimer(send: number, timer: number): void {
    const row = rowOf[send];
    const at = row * TIMERS + timer;
    assert(armedAt[at] === clock.now, 'rate.timer-expires-in-time');
    armedAt[at] = Infinity;
    change(row);
    controlOf[row].onTimer(row, timer);
  }

  /** Null for a connection without a rate limit. */
  function status(send: number): RateStatus | null {
    const row = rowOf[send];
    return row === NONE ? null : controlOf[row].status(row);
  }

  /**
   * A row of the first devices that changed since it was last checked and whose invariant does not
   * hold; null if there is none. A row that nothing changed still holds, so that a check costs what
   * happened since the last one, and not what the fabric has.
   */
  function broken(devices: number): BrokenRate | null {
    let kept = 0;
    let found: BrokenRate | null = null;
    for (let i = 0; i < changes; i++) {
      const row = changed[i];
      const what = deviceOf[row] < devices ? controlOf[row].broken(row) : null;
      found ??= what === null ? null : { device: deviceOf[row], what };
      if (deviceOf[row] < devices && what === null) hasChanged[row] = 0;
      else changed[kept++] = row;
    }
    changes = kept;
    return found;
  }

  /** Random streams of a device's connections, as they are saved. */
  function streamsOf(device: Device): readonly RandomStream[] {
    const { first, count: own } = device.rows.rate;
    return streams.slice(first, first + own);
  }

  function leaveToQueues(queueRates: QueueRates): void {
    queues = queueRates;
  }

  function setRate(row: number, bps: number, lineBps: number): void {
    if (queues?.has(deviceOf[row]) === true) {
      queues.setRate(deviceOf[row], numberOf[row], bps);
      return;
    }
    assert(bps > 0, 'rate.of-sender');
    const pace = bps < lineBps ? OCTET_BITS_PS / bps : 0;
    const s = row * STRIDE;
    senders.setPace(sendOf[row], pace, state[s + LAST_AT], state[s + LAST_OCTETS]);
  }

  function setWindow(row: number, packets: number): void {
    senders.setWindow(sendOf[row], packets);
  }

  function nextPacket(row: number): number {
    return senders.nextPacket(sendOf[row]);
  }

  function arm(row: number, timer: number, time: number): void {
    const at = row * TIMERS + timer;
    assert(time >= clock.now && timer < TIMERS, 'rate.armed-ahead');
    if (armedAt[at] <= time) return;
    const device = devices[deviceOf[row]];
    if (armedAt[at] !== Infinity) device.cancel(armedAt[at], KIND_RATE + timer, numberOf[row]);
    armedAt[at] = time;
    device.schedule(time, KIND_RATE + timer, numberOf[row], 0);
  }

  function uniform(row: number): number {
    return streams[row].uniform();
  }

  function isDone(row: number): boolean {
    return senders.remaining(sendOf[row]) === 0;
  }

  return {
    configure,
    leaveToQueues,
    isLimited,
    sent,
    acknowledged,
    answered,
    lost,
    observed,
    notified,
    onTimer,
    status,
    broken,
    restored,
    streamsOf,
  };
}
