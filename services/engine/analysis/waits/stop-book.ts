import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import type { Backlog } from './backlog.js';
import type { HoldBook } from './hold-book.js';
import { RecordTable } from '../record-table.js';
import { queueClass } from './slot-waits.js';
import type { StopCause, StopRecord } from './wait-records.js';
import { assert } from '../../kernel/assert.js';

// Numbers of a record; those of a cause, from EGRESS on, are -1 where there is none.

const PORT = 0;
const GROUP = 1;
const MECHANISM = 2;
const START = 3;
const END = 4;
const EGRESS = 5;
const CLASS = 6;
const PRIORITY = 7;
const IS_SHARED = 8;
const SINCE = 9;
const IS_BLOCKED = 10;
const WIDTH = 11;

/** Which ingress buffers of a device pause their link partners, and why. */
export class StopBook {
  readonly #engine: Engine;
  readonly #device: Device;
  readonly #backlog: Backlog;
  readonly #holds: HoldBook;
  readonly table = new RecordTable(WIDTH);
  /** By port: groups that are paused, one bit each. */
  readonly mask: Uint8Array;
  /** By port: groups with an account that has less left to grant than a frame may take. */
  readonly exhausted: Uint8Array;
  /** By port and group: their total of granted units. */
  readonly granted: Float64Array;
  /** Number of paused accounts. */
  count = 0;

  constructor(engine: Engine, device: Device, backlog: Backlog, holds: HoldBook) {
    this.#engine = engine;
    this.#device = device;
    this.#backlog = backlog;
    this.#holds = holds;
    this.mask = new Uint8Array(device.spec.ports.length);
    this.exhausted = new Uint8Array(device.spec.ports.length);
    this.granted = new Float64Array(device.spec.ports.length * 8);
  }

  /** `mechanism`: its index among those of the engine. */
  begin(port: number, group: number, mechanism: number, now: number): void {
    if ((this.mask[port] & (1 << group)) === 0) this.count++;
    this.mask[port] |= 1 << group;
    const row = this.table.begin();
    if (row < 0) return;
    const { values } = this.table;
    values[row + PORT] = port;
    values[row + GROUP] = group;
    values[row + MECHANISM] = mechanism;
    values[row + START] = now;
    values[row + END] = Infinity;
    this.writeCause(row, port, group, now);
  }

  /** Groups of a port whose link partner is paused, or cannot be granted a frame; one bit each. */
  waiting(port: number): number {
    return this.mask[port] | this.exhausted[port];
  }

  end(port: number, group: number, now: number): void {
    if ((this.mask[port] & (1 << group)) !== 0) this.count--;
    assert(this.count >= 0, 'stops.count');
    this.mask[port] &= ~(1 << group);
    const { values, open } = this.table;
    for (const row of open) {
      if (values[row + PORT] !== port || values[row + GROUP] !== group) continue;
      assert(now >= values[row + START], 'stops.end-after-they-began');
      values[row + END] = now;
      this.table.close(row);
      return;
    }
  }

  all(): StopRecord[] {
    const engine = this.#engine;
    const { table } = this;
    const { values } = table;
    return table.map((row) => ({
      port: values[row + PORT] | 0,
      group: values[row + GROUP] | 0,
      mechanism: engine.mechanisms[values[row + MECHANISM] | 0]?.name ?? 'unknown',
      startPs: values[row + START],
      endPs: values[row + END],
      cause: this.readCause(row),
    }));
  }

  private readCause(row: number): StopCause | null {
    const { values } = this.table;
    if (values[row + EGRESS] < 0) return null;
    return {
      egress: values[row + EGRESS] | 0,
      trafficClass: values[row + CLASS] | 0,
      priority: values[row + PRIORITY] | 0,
      isShared: values[row + IS_SHARED] !== 0,
      sincePs: values[row + SINCE],
      isBlocked: values[row + IS_BLOCKED] !== 0,
    };
  }

  private writeCause(row: number, port: number, group: number, now: number): void {
    const { values } = this.table;
    const standing = this.#backlog.fullest(group, port);
    values[row + EGRESS] = standing?.egress ?? -1;
    if (standing === null) return;
    const { egress, isShared } = standing;
    const number = this.#device.firstPort + egress;
    const { queues, ports } = this.#engine.shared;
    const priority = this.priorityAt(port, group, egress);
    const trafficClass = queueClass(this.#engine, this.#device, port, egress, priority);
    const queueOctets = queues.get(number, trafficClass, QUEUE_OCTETS);
    const blockedPs = this.#holds.blockedWhileWaiting(egress, priority, trafficClass, now);
    values[row + CLASS] = trafficClass;
    values[row + PRIORITY] = priority;
    values[row + IS_SHARED] = isShared ? 1 : 0;
    values[row + SINCE] = queues.since(number, trafficClass);
    values[row + IS_BLOCKED] = 2 * blockedPs >= queueOctets * ports.octetPs(number) ? 1 : 0;
  }

  /** Of the priorities of a group, the one whose class is longest at an egress. */
  private priorityAt(port: number, group: number, egress: number): number {
    const { queues } = this.#engine.shared;
    const { groupOf } = this.#device.spec.ports[port];
    let best = 0;
    let most = -1;
    for (let priority = 0; priority < 8; priority++) {
      if (groupOf[priority] !== group) continue;
      const trafficClass = queueClass(this.#engine, this.#device, port, egress, priority);
      const octets = queues.get(this.#device.firstPort + egress, trafficClass, QUEUE_OCTETS);
      if (octets <= most) continue;
      most = octets;
      best = priority;
    }
    return best;
  }
}
