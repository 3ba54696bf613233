import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { QUEUE_FRAMES } from '../../port/queues.js';
import { HOLD_WIDTH, HoldLog } from './hold-log.js';
import type { HoldRecord } from './wait-records.js';
import { assert } from '../../kernel/assert.js';

// One more number of a record.

const FRAME_TIME = HOLD_WIDTH;

// Numbers of a port and priority.

/** Since when there are holds, and their duration in all before. */
const SINCE = 0;
const TOTAL = 1;
/** Up to when frame-time is counted; see `count`. */
const COUNTED = 2;
const TIMES = 4;

/** Number of present holds. */
const STANDING = 0;
/** The hold if it is the only one, -1 where that is not known. */
const SOLE = 1;
const PLACES = 2;

/** Which priorities of a device's ports may not send, since when, and the frame-time of that. */
export class HoldBook extends HoldLog {
  /** By port: priorities blocked, one bit each. */
  readonly mask: Uint8Array;
  /** By port and priority. */
  private readonly places: Int32Array;
  private readonly times: Float64Array;
  /** By port, once it has been blocked: see `remember`. */
  private readonly memories: (Float64Array | null)[];

  constructor(engine: Engine, device: Device) {
    super(engine, device, HOLD_WIDTH + 1);
    const ports = device.spec.ports.length;
    this.mask = new Uint8Array(ports);
    this.places = new Int32Array(ports * 8 * PLACES);
    for (let at = 0; at < ports * 8; at++) this.places[at * PLACES + SOLE] = -1;
    this.times = new Float64Array(ports * 8 * TIMES);
    this.memories = Array.from({ length: ports }, () => null);
  }

  protected override begin(
    port: number,
    priority: number,
    channel: number,
    now: number,
    mechanism: number,
  ): number {
    const { places, times } = this;
    const at = (port << 3) | priority;
    if (places[at * PLACES + SOLE] >= 0) this.settle(at, true);
    const isFirst = places[at * PLACES + STANDING]++ === 0;
    assert(isFirst === ((this.mask[port] & (1 << priority)) === 0), 'holds.mask-of-standing');
    if (isFirst) {
      times[at * TIMES + SINCE] = now;
      times[at * TIMES + COUNTED] = now;
      this.mask[port] |= 1 << priority;
    }
    const row = super.begin(port, priority, channel, now, mechanism);
    places[at * PLACES + SOLE] = isFirst ? row : -1;
    if (row < 0) return row;
    this.table.values[row + FRAME_TIME] = 0;
    if (isFirst) this.resume(at);
    return row;
  }

  protected override end(port: number, priority: number, channel: number, now: number): void {
    const { places, times } = this;
    const at = (port << 3) | priority;
    this.count(port, priority, now, 0);
    const sole = places[at * PLACES + SOLE];
    if (sole >= 0) this.engine.shared.frameTimes.stop(this.device.firstPort + port, priority);
    assert(places[at * PLACES + STANDING] > 0, 'holds.ended-had-begun');
    if (--places[at * PLACES + STANDING] === 0) {
      this.remember(port, priority);
      assert(now >= times[at * TIMES + SINCE], 'holds.end-after-they-began');
      times[at * TIMES + TOTAL] += now - times[at * TIMES + SINCE];
      this.mask[port] &= ~(1 << priority);
    }
    places[at * PLACES + SOLE] = -1;
    this.endRow(sole < 0 ? this.standingRow(port, priority, channel) : sole, now);
  }

  /** How long a priority has been blocked while its queue at the port was not empty. */
  blockedWhileWaiting(port: number, priority: number, trafficClass: number, now: number): number {
    const since = this.engine.shared.queues.since(this.device.firstPort + port, trafficClass);
    const at = (priority << 4) | (trafficClass << 1);
    const memory = this.memories[port];
    const before = memory?.[at] === since ? memory[at + 1] : this.blockedPs(port, priority, since);
    return this.blockedPs(port, priority, now) - before;
  }

  /** Whether frames have to be counted as they arrive at a port. */
  isUncounted(port: number): boolean {
    for (let blocked = this.mask[port]; blocked !== 0; blocked &= blocked - 1) {
      const priority = 31 - Math.clz32(blocked & -blocked);
      if (this.places[((port << 3) | priority) * PLACES + SOLE] < 0) return true;
    }
    return false;
  }

  /** A frame has just joined a blocked priority. */
  joined(port: number, priority: number, now: number): void {
    if (this.places[((port << 3) | priority) * PLACES + SOLE] >= 0) return;
    this.count(port, priority, now, 1);
  }

  /**
   * Counts the frames of a blocked port until now; `newcomers` frames have just joined its queue.
   * The frame-time of a single hold is summed where frames are queued; of several, it is
   * attributed to the first found on the priority.
   */
  count(port: number, priority: number, now: number, newcomers: number): void {
    const at = (port << 3) | priority;
    const { ports, queues, frameTimes } = this.engine.shared;
    const { values } = this.table;
    const number = this.device.firstPort + port;
    const sole = this.places[at * PLACES + SOLE];
    if (sole >= 0) {
      values[sole + FRAME_TIME] = frameTimes.upTo(number, priority, now);
      return;
    }
    const trafficClass = ports.classOf(number, priority);
    const frames = queues.get(number, trafficClass, QUEUE_FRAMES) - newcomers;
    const row = this.standingRow(port, priority, null);
    const counted = at * TIMES + COUNTED;
    assert(frames >= 0 && now >= this.times[counted], 'holds.frame-time-grows');
    if (row >= 0) values[row + FRAME_TIME] += frames * (now - this.times[counted]);
    this.times[counted] = now;
  }

  /** Records the sums of `FrameTimes`; with an end, summing ends there. */
  settleAll(ends: boolean): void {
    this.forEachSole((at) => {
      this.settle(at, ends);
    });
  }

  /** Continues from the recorded sums. */
  resumeAll(): void {
    this.forEachSole((at) => {
      this.resume(at);
    });
  }

  /** Removes holds that have ended. */
  forgetPast(): void {
    this.settleAll(false);
    this.table.forgetClosed();
    this.forEachSole((at) => {
      this.places[at * PLACES + SOLE] = this.standingRow(at >> 3, at & 7, null);
    });
  }

  /** Present holds, too, as of `now`. */
  records(now: number): HoldRecord[] {
    const { table } = this;
    for (const row of table.open) {
      const { port, priority } = this.timeAt(row);
      this.count(port, priority, now, 0);
    }
    return table.map((row) => {
      return { ...this.timeAt(row), frameTimePs: table.values[row + FRAME_TIME] };
    });
  }

  private settle(at: number, ends: boolean): void {
    const { frameTimes } = this.engine.shared;
    const port = this.device.firstPort + (at >> 3);
    const row = this.places[at * PLACES + SOLE];
    this.table.values[row + FRAME_TIME] = frameTimes.sum(port, at & 7);
    this.times[at * TIMES + COUNTED] = frameTimes.until(port, at & 7);
    if (ends) frameTimes.stop(port, at & 7);
  }

  private resume(at: number): void {
    const { frameTimes } = this.engine.shared;
    const sum = this.table.values[this.places[at * PLACES + SOLE] + FRAME_TIME];
    const counted = this.times[at * TIMES + COUNTED];
    frameTimes.start(this.device.firstPort + (at >> 3), at & 7, counted, sum);
  }

  private forEachSole(visit: (at: number) => void): void {
    for (let at = 0; at < this.mask.length * 8; at++) {
      if (this.places[at * PLACES + SOLE] >= 0) visit(at);
    }
  }

  /** How long a priority was blocked to a time since when no hold of it has ended. */
  blockedPs(port: number, priority: number, timePs: number): number {
    const at = (port << 3) | priority;
    const isBlocked = (this.mask[port] & (1 << priority)) !== 0;
    const total = this.times[at * TIMES + TOTAL];
    return total + (isBlocked ? Math.max(0, timePs - this.times[at * TIMES + SINCE]) : 0);
  }

  /**
   * A hold ends. By priority and class are stored: since when a queue has not been empty, and how
   * long the priority had been blocked by then; it cannot be computed any more after this.
   */
  private remember(port: number, priority: number): void {
    const memory = (this.memories[port] ??= new Float64Array(2 * 8 * 8));
    const { queues } = this.engine.shared;
    const number = this.device.firstPort + port;
    // Classes that wait for a grant are not ready.
    let classes = this.device.spec.ports[port].grants === null ? queues.ready(number) : 0xff;
    for (; classes !== 0; classes &= classes - 1) {
      const trafficClass = 31 - Math.clz32(classes & -classes);
      const since = queues.since(number, trafficClass);
      const at = (priority << 4) | (trafficClass << 1);
      if (memory[at] === since) continue;
      memory[at + 1] = this.blockedPs(port, priority, since);
      memory[at] = since;
    }
  }
}
