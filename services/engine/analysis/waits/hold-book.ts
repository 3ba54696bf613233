import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { QUEUE_FRAMES } from '../../port/queues.js';
import type { HoldRecord } from './wait-records.js';
import { MOST_RECORDS, WHOLE } from './wait-records.js';

/** Which priorities of a device's ports may not send, since when, and what that costs. */
export class HoldBook {
  readonly records: HoldRecord[] = [];
  omitted = 0;
  /** By port: priorities held, one bit each. */
  readonly mask: Uint8Array;
  /** Of those, the ones held as a whole: as the port last said. */
  private readonly whole: Uint8Array;
  private open: HoldRecord[] = [];
  /** By port and priority: holds that stand, since when, and how long in all before. */
  private readonly standing: Uint8Array;
  private readonly since: Float64Array;
  private readonly total: Float64Array;
  /** By port and priority: up to when frame-time is counted. */
  private readonly countedAt: Float64Array;

  static readonly wiring = ['engine', 'device'];

  constructor(
    private readonly engine: Engine,
    private readonly device: Device,
  ) {
    const ports = device.spec.ports.length;
    this.mask = new Uint8Array(ports);
    this.whole = new Uint8Array(ports);
    this.standing = new Uint8Array(ports * 8);
    this.since = new Float64Array(ports * 8);
    this.total = new Float64Array(ports * 8);
    this.countedAt = new Float64Array(ports * 8);
  }

  /** The port has said which priorities it holds as a whole; returns those that are held anew. */
  change(port: number, now: number, priorities: number): number {
    const before = this.whole[port];
    const heldBefore = this.mask[port];
    this.whole[port] = priorities;
    for (let p = 0; p < 8; p++) {
      const bit = 1 << p;
      if (((before ^ priorities) & bit) === 0) continue;
      if ((priorities & bit) !== 0) this.begin(port, p, WHOLE, now, this.ruler(port, p));
      else this.end(port, p, WHOLE, now);
    }
    return this.mask[port] & ~heldBefore;
  }

  begin(port: number, priority: number, channel: number, now: number, mechanism: string): void {
    const at = (port << 3) | priority;
    if (this.standing[at]++ === 0) {
      this.since[at] = now;
      this.countedAt[at] = now;
      this.mask[port] |= 1 << priority;
    }
    if (this.records.length >= MOST_RECORDS) {
      this.omitted++;
      return;
    }
    const record = { port, priority, channel, mechanism };
    this.open.push({ ...record, startPs: now, endPs: Infinity, frameTimePs: 0 });
  }

  end(port: number, priority: number, channel: number, now: number): void {
    const at = (port << 3) | priority;
    this.count(port, priority, now, 0);
    if (--this.standing[at] === 0) {
      this.total[at] += now - this.since[at];
      this.mask[port] &= ~(1 << priority);
    }
    const i = this.open.findIndex(
      (hold) => hold.port === port && hold.priority === priority && hold.channel === channel,
    );
    if (i < 0) return;
    const [record] = this.open.splice(i, 1);
    record.endPs = now;
    this.records.push(record);
  }

  /** How long a priority has been held until `now`. */
  heldPs(port: number, priority: number, now: number): number {
    const at = (port << 3) | priority;
    const running = (this.mask[port] & (1 << priority)) === 0 ? 0 : now - this.since[at];
    return this.total[at] + running;
  }

  /**
   * Counts what stood at a held port until now; `newcomers` frames of its queue have come just
   * now. The frame-time goes to the oldest hold of the priority.
   */
  count(port: number, priority: number, now: number, newcomers: number): void {
    const at = (port << 3) | priority;
    const { ports, queues } = this.engine.shared;
    const number = this.device.firstPort + port;
    const trafficClass = ports.classOf(number, priority);
    const frames = queues.get(number, trafficClass, QUEUE_FRAMES) - newcomers;
    const record = this.open.find((hold) => hold.port === port && hold.priority === priority);
    if (record !== undefined) record.frameTimePs += frames * (now - this.countedAt[at]);
    this.countedAt[at] = now;
  }

  /** Of the holds that stand, too, as they are at `now`. */
  all(now: number): HoldRecord[] {
    for (const { port, priority } of this.open) this.count(port, priority, now, 0);
    const all = [...this.records, ...this.open.map((hold) => ({ ...hold }))];
    return all.sort((a, b) => a.startPs - b.startPs || a.port - b.port || a.priority - b.priority);
  }

  private ruler(port: number, priority: number): string {
    const number = this.device.firstPort + port;
    const ruler = this.engine.mechanisms.find((m) => m.holdReason(number, priority) !== null);
    return ruler?.name ?? 'held';
  }
}
