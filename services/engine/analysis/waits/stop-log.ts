import type { Engine } from '../../device/engine.js';
import type { Device } from '../../device/device.js';
import { NEXT, PORT as FRAME_PORT, STORED } from '../../frame/frame-pool.js';
import { QUEUE_OCTETS } from '../../port/queues.js';
import { ChargedGroups } from './charged-group.js';
import type { HoldBook } from './hold-book.js';
import type { QueueBook } from './queue-book.js';
import { RecordTable } from '../record-table.js';
import { movesFrames, priorityOfQueue, queueClass } from './slot-waits.js';
import type { StopCause, StopRecord } from './wait-records.js';
import { assert } from '../../kernel/assert.js';

// Numbers of a record; EGRESS is -1 where it has no cause.

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
const CHANNEL = 11;
/** Of frames that a host keeps; 0 of others. */
export const FRAME_TIME = 12;
const WIDTH = 13;

/** A buffer, and what keeps its link partner from sending. */
interface Stopper {
  readonly port: number;
  readonly group: number;
  readonly channel: number;
  readonly mechanism: number;
}

/** Where most octets of a buffer wait. */
export interface Standing {
  readonly egress: number;
  readonly isShared: boolean;
}

/** Ingress buffers of a device that keep their link partners from sending, and why. */
export class StopLog {
  readonly #engine: Engine;
  readonly #device: Device;
  readonly #holds: HoldBook;
  readonly #queues: QueueBook | null;
  readonly table = new RecordTable(WIDTH);
  /** Frames may wait in queues of other priorities than theirs. */
  readonly #movesFrames: boolean;
  readonly #groups: ChargedGroups;

  constructor(engine: Engine, device: Device, holds: HoldBook, queues: QueueBook | null) {
    this.#engine = engine;
    this.#device = device;
    this.#holds = holds;
    this.#queues = queues;
    this.#movesFrames = movesFrames(engine, device);
    this.#groups = new ChargedGroups(engine, device);
  }

  /**
   * `channel`: WHOLE, or that of an account; `mechanism`: its index among those of the engine, -1
   * for none. Returns the row, -1 if there is none.
   */
  note(
    { port, group, channel, mechanism }: Stopper,
    standing: Standing | null,
    now: number,
  ): number {
    const row = this.table.begin();
    if (row < 0) return row;
    const { values } = this.table;
    values[row + PORT] = port;
    values[row + GROUP] = group;
    values[row + CHANNEL] = channel;
    values[row + MECHANISM] = mechanism;
    values[row + START] = now;
    values[row + END] = Infinity;
    values[row + EGRESS] = standing?.egress ?? -1;
    values[row + FRAME_TIME] = 0;
    if (standing !== null) this.writeCause(row, port, standing, now);
    return row;
  }

  noteEnd(port: number, group: number, channel: number, now: number): void {
    const { values, open } = this.table;
    for (const row of open) {
      if (values[row + PORT] !== port || values[row + GROUP] !== group) continue;
      if (values[row + CHANNEL] !== channel) continue;
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
      channel: values[row + CHANNEL] | 0,
      mechanism: engine.mechanisms[values[row + MECHANISM] | 0]?.name ?? '',
      startPs: values[row + START],
      endPs: values[row + END],
      frameTimePs: values[row + FRAME_TIME],
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

  private writeCause(row: number, port: number, { egress, isShared }: Standing, now: number): void {
    const { values } = this.table;
    const group = values[row + GROUP];
    const number = this.#device.firstPort + egress;
    const { queues, ports } = this.#engine.shared;
    const { trafficClass, priority } = this.queueAt(port, group, egress);
    const queueOctets = queues.get(number, trafficClass, QUEUE_OCTETS);
    this.#queues?.observe(egress, trafficClass, priority, now);
    const blockedPs = this.#holds.blockedWhileWaiting(egress, priority, trafficClass, now);
    values[row + CLASS] = trafficClass;
    values[row + PRIORITY] = priority;
    values[row + IS_SHARED] = isShared ? 1 : 0;
    values[row + SINCE] = queues.since(number, trafficClass);
    values[row + IS_BLOCKED] = 2 * blockedPs >= queueOctets * ports.octetPs(number) ? 1 : 0;
  }

  /** The queue of an egress in which the octets of an account wait. */
  private queueAt(
    port: number,
    group: number,
    egress: number,
  ): { readonly trafficClass: number; readonly priority: number } {
    const priority = this.priorityAt(port, group, egress);
    const trafficClass = queueClass(this.#engine, this.#device, port, egress, priority);
    if (!this.#movesFrames) return { trafficClass, priority };
    const fullest = this.fullestClass(port, group, egress) ?? trafficClass;
    const queue = { port: egress, trafficClass: fullest, priority };
    return {
      trafficClass: fullest,
      priority: priorityOfQueue(this.#engine, this.#device, queue),
    };
  }

  /** By the frames themselves; null: none of the account is there. */
  private fullestClass(port: number, group: number, egress: number): number | null {
    const { queues, pool } = this.#engine.shared;
    const { firstPort } = this.#device;
    let best: number | null = null;
    let most = 0;
    for (let trafficClass = 0; trafficClass < 8; trafficClass++) {
      let octets = 0;
      let frame = queues.head(firstPort + egress, trafficClass);
      for (; frame >= 0; frame = pool.words[frame + NEXT]) {
        const isOwn =
          pool.words[frame + FRAME_PORT] === firstPort + port && this.#groups.of(frame) === group;
        if (isOwn) octets += pool.words[frame + STORED];
      }
      if (octets <= most) continue;
      most = octets;
      best = trafficClass;
    }
    return best;
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
